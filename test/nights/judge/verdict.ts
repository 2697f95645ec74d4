/** What a judge has to say about a client, from its own records alone. An empty list is a good verdict. */
import type { ExpectedEvent, Input } from "./inputs.js";
import type { Seen } from "./record.js";
import { textOf } from "./register.js";
import type { Judge } from "./service.js";
import type { Doc } from "./timelines.js";

export interface Ending {
  codes: (number | null)[];
  /** How long they took together, ms. */
  ms: number;
  /** Keys of the documents that the client calls stranded. */
  stranded: ReadonlySet<string>;
  /** Documents, by external id, with events that the client knows not to have landed. */
  open: ReadonlySet<string>;
  /** How many documents wait for a person's word about what is stranded or in doubt. */
  undecided: number;
}

const MUCH_LATER = Date.parse("2999-01-01");

const line = ({ at, name, by }: ExpectedEvent) =>
  `${new Date(at).toISOString()} ${name}${by === "mirror" ? " (mirror)" : ""}`;

/** Events of one instant and rank may come in either order: the specification orders by time alone. */
function normalised(events: readonly ExpectedEvent[]) {
  return events
    .map((event, index) => ({ event, index }))
    .toSorted((a, b) => a.event.at - b.event.at || line(a.event).localeCompare(line(b.event)) || a.index - b.index)
    .map(({ event }) => line(event));
}

/** Of equal lines, one goes for each of `others`. */
function without(lines: readonly string[], others: readonly string[]) {
  const left = [...others];
  return lines.filter((one) => {
    const place = left.indexOf(one);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

const written = (doc: Doc) =>
  doc.events.filter(({ by }) => by !== "copy").map(({ name, at, by }) => ({ name, at, by: by as "caller" | "mirror" }));

export function checkTimelines(judge: Judge, input: Input, ending: Ending): string[] {
  const wrong: string[] = [];
  const named = new Map<string, Doc[]>();
  for (const doc of judge.timelines.docs)
    named.set(doc.externalId ?? "", [...(named.get(doc.externalId ?? "") ?? []), doc]);
  for (const [externalId, docs] of named) {
    if (docs.length > 1) wrong.push(`document ${externalId} stands there ${docs.length} times`);
    if (!input.timelines.has(externalId)) wrong.push(`document ${externalId} is nobody's`);
  }
  let whole = true;
  // Back-references at the service's time: when that was is its own affair (open-points 11).
  const atServer = judge.nature.linkTime === "server";
  const placed = (events: readonly ExpectedEvent[]) =>
    atServer ? events.map((event) => (event.by === "mirror" ? { ...event, at: MUCH_LATER } : event)) : events;
  for (const [externalId, expected] of input.timelines) {
    const doc = named.get(externalId)?.[0];
    const found = normalised(doc === undefined ? [] : placed(written(doc)));
    const wanted = normalised(placed(expected));
    if (found.join() === wanted.join()) continue;
    whole = false;
    const surplus = without(found, wanted);
    if (surplus.length > 0) wrong.push(`${externalId}: too much on it: ${surplus.join(", ")}`);
    const missing = without(wanted, found);
    if (missing.length > 0 && !ending.open.has(externalId) && !missing.every((one) => one.endsWith("(mirror)")))
      wrong.push(`${externalId}: lost without a word: ${missing.join(", ")}`);
    const own = (lines: string[]) => lines.filter((one) => !one.endsWith("(mirror)"));
    const gap = own(wanted).find((one) => missing.includes(one));
    const last = own(found).at(-1);
    if (gap !== undefined && last !== undefined && last.slice(0, 24) > gap.slice(0, 24))
      wrong.push(`${externalId}: ${last} landed before ${gap}`);
  }
  const last = ending.codes.at(-1);
  if (whole && ending.undecided === 0 && last !== 0) wrong.push(`all has landed, but the exit code stays ${last}`);
  if (ending.undecided > 0 && last !== 3 && last !== 4) wrong.push(`a person is needed, but the exit code is ${last}`);
  if (!whole && last === 0) wrong.push("exit code 0, but not all has landed");
  if (last === 4 && ending.codes.length > 6) wrong.push("resume says for ever that the same command can go on");
  return wrong;
}

export function checkRegister({ register }: Judge): string[] {
  const twins = doubles(
    register.participants.map(({ data: { countryCode, taxIdType, taxId } }) =>
      [countryCode, taxIdType, taxId].join(" "),
    ),
  );
  const places = doubles(
    register.addresses.map(({ participantId, data }) =>
      [
        participantId,
        ...["city", "countryCode", "countryState", "name", "number", "street"].map((field) => textOf(data[field])),
      ].join("|"),
    ),
  );
  return [...twins.map((key) => `participant twice: ${key}`), ...places.map((key) => `address twice: ${key}`)];
}

function doubles(keys: string[]) {
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
}

/** The documents whose id never reached the client are the stranded ones, no more and no fewer. */
export function checkStranded({ timelines, nature }: Judge, ending: Ending): string[] {
  const untold = new Set(
    timelines.docs
      .filter((doc) => !doc.told && !(doc.isTarget && nature.batchAnswer === "no-target"))
      .map(({ externalId }) => externalId ?? ""),
  );
  const wrong = [...ending.stranded]
    .filter((key) => !untold.has(key))
    .map((key) => `called stranded, but its id was told: ${key}`);
  wrong.push(
    ...[...untold]
      .filter((key) => !ending.stranded.has(key))
      .map((key) => `its id was never told, but it is not called stranded: ${key}`),
  );
  const last = ending.codes.at(-1);
  if (ending.stranded.size > 0 && last !== 3 && last !== 4)
    wrong.push(`documents are stranded, but the exit code is ${last}`);
  return wrong;
}

const isDuplicate = ({ message }: Seen) => message?.startsWith("Document deduplicationId") === true;
const isMiss = ({ method, status }: Seen) => method === "GET" && status === 404;

/** Requests that a careful client does not send: over the limit, or refused for a reason it could have known. */
export function checkRequests({ seen, nature, tokensIssued }: Judge, ending: Ending): string[] {
  const wrong: string[] = [];
  const limited = seen.filter(({ status }) => status === 429).length;
  if (limited > 0) wrong.push(`${limited} of ${seen.length} requests were over the limit (429)`);
  const excused = (request: Seen) =>
    isMiss(request) ||
    isDuplicate(request) ||
    request.code === "PENDING_PROCESS_CONFLICT_ERROR" ||
    request.code === "TOO_MANY" ||
    request.status === 413;
  const lives = nature.tokenLife === null ? 0 : (ending.ms / nature.tokenLife) * 2;
  const revocations = nature.revokeEvery === null ? Number(nature.revokeAt !== null) : seen.length / nature.revokeEvery;
  const fitting = Math.ceil(ending.codes.length + lives + revocations * 2);
  if (tokensIssued() > fitting) wrong.push(`${tokensIssued()} tokens were asked for where ${fitting} would do`);
  const terminal = seen.filter(
    (one) => one.status !== null && one.status >= 400 && one.status < 500 && one.status !== 403 && !excused(one),
  );
  const mayDoubt = Object.entries(nature.faults).some(
    ([name, value]) => /Before|After|drop|half/.test(name) && value !== 0,
  );
  // A connection that is closed under a request leaves doubt as well.
  if (!mayDoubt && nature.idleClose === null) {
    for (const { method, path, status, message } of terminal.slice(0, 5))
      wrong.push(`refused: ${method} ${path} ${status} ${message ?? ""}`);
    const repeats = seen.filter((one) => isDuplicate(one)).length;
    if (repeats > 0 && nature.batchAnswer !== "no-events" && nature.batches === "atomic")
      wrong.push(`${repeats} requests repeated what had been answered well`);
  }
  return wrong;
}
