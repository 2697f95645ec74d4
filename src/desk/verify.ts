/** `verify`: compares the ledger with reads of the service. */
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { createRunStore, NOT_ASKED_FOR } from "../ledger/runs.js";
import {
  type Chosen,
  chosenPart,
  createRegisteredView,
  type RegisteredDocument,
  type RegisteredParticipant,
} from "../ledger/views/expected.js";
import { ExitCode } from "../model/exit-code.js";
import { foldIdentity } from "../model/fold.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.js";
import type { Verification } from "../model/summary.js";
import { closing } from "../run/closing.js";
import { PLACE_FIELDS, isMasked } from "../run/register-steps.js";
import { requireLedger } from "../run/import.js";
import { openSession, type Session, type SessionOptions } from "../run/session.js";
import { addressesOf, differing, documentOf, type ListedAddress, participantOf } from "../submit/answers.js";
import type { Answer, Call } from "../submit/call.js";
import { listAddresses, lookupParticipant, NOBODY, readDocument, readParticipant } from "../submit/calls.js";
import { describeUnavailable, namesCode } from "../submit/classify.js";
import { MAKE_ROOM } from "./access.js";

const PAGE = 40;
/** Pagination is not specified (open point 21). */
const PAGED = "(a service that gives lists in pages may hold it on a later one)";

/**
 * Holds the lock and keeps to the limit; its reads are recorded as a run. @throws RowferryError `ledger-missing`,
 * `document-unknown`
 */
export async function verify({ chosen = {}, ...options }: SessionOptions & { chosen?: Chosen }): Promise<Verification> {
  requireLedger(options.target);
  return closing(async (later) => {
    const session = await openSession("verify", null, options, later);
    const { database, run, clock } = session;
    const found = await compareAll(session, chosen);
    const line = JSON.stringify({ type: "verify", ...found });
    createRunStore(database).finish(run.id, exitCodeOfVerification(found, options.signal), line, clock.now());
    return found;
  }).catch((error: unknown) => {
    throw asLedgerFailure(error, options.target.ledgerPath, MAKE_ROOM);
  });
}

/** Unread records do not count as agreement. */
export function exitCodeOfVerification(
  { stopped, differences, unread }: Verification,
  { aborted, reason }: AbortSignal,
): ExitCode {
  if (stopped !== null && aborted)
    return (reason as { exitCode?: ExitCode } | undefined)?.exitCode ?? ExitCode.interrupted;
  if (stopped !== null) return ExitCode.again;
  return differences.length + unread.length > 0 ? ExitCode.person : ExitCode.ok;
}

async function compareAll(session: Session, chosen: Chosen): Promise<Verification> {
  const { database } = session;
  const view = createRegisteredView(database, chosenPart(database, chosen));
  const result: Verification = {
    checked: { participants: 0, addresses: 0, documents: 0, events: 0 },
    differences: [],
    unread: [],
    unverifiable: [],
    stopped: null,
  };
  const notes = new Map<string, number>();
  let answers: Promise<boolean> | null = null;
  const note = (text: string, count = 1) => void (count > 0 && notes.set(text, (notes.get(text) ?? 0) + count));
  const work: Work = {
    session,
    checked: result.checked,
    note,
    forbidden: new Set(),
    isReadable: (subject) =>
      (answers ??= session.look(subject, lookupParticipant(NOBODY)).then((answer) => answer.result !== "stopped")),
    about: (subject, name, id, document) => {
      const one = { subject, name, id, ...(document === undefined ? {} : { document }) };
      return {
        differs: (text) => void result.differences.push({ ...one, text }),
        lacks: (text) => void result.differences.push({ ...one, text, lost: true }),
        unread: (text) => void result.unread.push({ ...one, text }),
      };
    },
  };
  const isWhole =
    (await each(work, view.participantsAfter, checkParticipant)) &&
    (await each(work, view.documentsAfter, checkDocument));
  note("documents whose id is not known (stranded, or their creation is in doubt)", view.countWithoutId());
  const [reads, all] = [view.countReads(), createRegisteredView(database).countReads()];
  for (const kind of ["participant", "document"] as const)
    note(`${kind}s ${NOT_ASKED_FOR}`, (all[`read-${kind}`] ?? 0) - (reads[`read-${kind}`] ?? 0));
  const unverifiable = [...notes].map(([text, count]) => ({ text, count }));
  return { ...result, unverifiable, stopped: session.stopped?.message ?? (isWhole ? null : "Interrupted.") };
}

interface About {
  differs(text: string): void;
  /** The service does not have it. */
  lacks(text: string): void;
  unread(text: string): void;
}

interface Subject {
  kind: "participant" | "document";
  id: number;
}

interface Work extends Pick<Verification, "checked"> {
  session: Session;
  /** Kinds of which this client was refused some, with 403. */
  forbidden: Set<Subject["kind"]>;
  /** Whether the service answers this client at all; asked once. */
  isReadable(subject: Subject): Promise<boolean>;
  /** What a read cannot show. */
  note(text: string, count?: number): void;
  about(subject: Verification["differences"][number]["subject"], name: string, id: string, document?: string): About;
}

/** False: the run was stopped before the end. */
async function each<Item extends { id: number }>(
  work: Work,
  page: (after: number, limit: number) => Item[],
  check: (work: Work, item: Item) => Promise<void>,
): Promise<boolean> {
  const { session } = work;
  for (let items = page(0, PAGE); items.length > 0; items = page(items.at(-1)?.id ?? 0, PAGE)) {
    if (session.stopped !== null || session.signal.aborted) return false;
    await Promise.all(items.map((item) => check(work, item)));
  }
  return true;
}

/**
 * Null: the answer decides nothing, and the subject is counted as unread. A 404 without a code may come from a gateway,
 * and whatever counted as lost because of it would be sent again.
 */
async function read(work: Work, subject: Subject, call: Call, { unread }: About): Promise<Answer | null> {
  const { session, forbidden, checked } = work;
  // A page of them was asked for, and each refusal costs several requests.
  if (forbidden.has(subject.kind) && checked[`${subject.kind}s`] === 0) {
    unread(`was not asked for: none of the ${subject.kind}s before it can be read (403)`);
    return null;
  }
  const answer = await session.look(subject, call, { isReadable: () => work.isReadable(subject) });
  if (answer.result === "accepted") return answer;
  if (answer.result === "refused" && answer.notFound && namesCode(answer.error)) return answer;
  if (answer.result === "unanswered")
    unread(
      answer.error === null
        ? `gave no answer (${answer.failure})`
        : `was not read: the address ${describeUnavailable(answer.error.status, answer.error.raw)}`,
    );
  else if (answer.result === "refused") {
    if (answer.error.status === 403) forbidden.add(subject.kind);
    unread(`cannot be read (${answer.error.status})`);
  } else unread("was not read");
  return null;
}

const unlike = (field: string, theirs: string, ours: JsonValue): string =>
  `${field} is ${JSON.stringify(theirs)} there, ${JSON.stringify(ours)} here`;

/** Nothing can be done: the service updates no participant. */
const FOUND_OTHER = "differing names and types of participants that the import found registered (participant-differs)";

async function checkParticipant(work: Work, participant: RegisteredParticipant): Promise<void> {
  const { id, serviceId, origin, data, addresses } = participant;
  const name = words(data["taxIdType"], data["taxId"], data["name"]) || serviceId;
  const one = work.about("participant", name, serviceId);
  const subject = { kind: "participant", id } as const;
  const answer = await read(work, subject, readParticipant(serviceId), one);
  if (answer === null) return;
  work.checked.participants += 1;
  const lookup = participantOf(answer);
  if (lookup?.outcome === "absent") one.lacks("is not there");
  else if (lookup?.outcome !== "found") one.unread("got an unintelligible answer");
  else
    for (const field of differing(lookup.participant, data))
      if (origin === "found" && (field === "name" || field === "type")) work.note(FOUND_OTHER);
      else one.differs(unlike(field, lookup.participant[field] ?? "", data[field] ?? ""));
  if (addresses.length === 0) return;
  const list = work.about("address", `${addresses.length} of ${name}`, serviceId);
  const listing = await read(work, subject, listAddresses(serviceId), list);
  if (listing === null) return;
  const listed = addressesOf(listing);
  if (listed === undefined) return list.unread("got an answer that is not a list");
  for (const address of addresses) {
    work.checked.addresses += 1;
    const own = words(address.data["name"]) || address.serviceId;
    const { differs, lacks } = work.about("address", `${own} of ${name}`, address.serviceId);
    const theirs = listed.find((candidate) => candidate.id === address.serviceId);
    if (theirs !== undefined) checkPlace(work, address.data, theirs, differs);
    else lacks(`is not in the participant's list ${PAGED}`);
  }
}

function checkPlace(work: Work, data: JsonObject, place: ListedAddress, differs: About["differs"]): void {
  for (const field of PLACE_FIELDS) {
    const [ours, theirs] = [data[field], place[field]];
    if (typeof ours !== "string" || theirs === null) continue;
    if (field === "street" && isMasked(place)) work.note("streets that the service masks");
    else if (foldIdentity(ours) !== foldIdentity(theirs)) differs(unlike(field, theirs, ours));
  }
}

async function checkDocument(work: Work, document: RegisteredDocument): Promise<void> {
  const { id, serviceId, kind, key, generation, events, doubtful, state, isReplaced } = document;
  const name = `${kind} ${key}${generation > 1 ? `, generation ${generation}` : ""}`;
  const one = work.about("document", name, serviceId, `${kind}/${key}`);
  const answer = await read(work, { kind: "document", id }, readDocument(serviceId), one);
  if (answer === null) return;
  work.checked.documents += 1;
  if (answer.result !== "accepted") {
    if (isReplaced) return work.note("documents that are gone, whose next generation replaces them");
    return one.lacks("is not there");
  }
  const found = documentOf(answer.body);
  if (found === null) return one.unread("got an unintelligible answer");
  if (found.documentId !== null && found.documentId !== serviceId) one.differs(`has the id ${found.documentId} there`);
  const { state: theirs, events: listed } = found.body;
  if (typeof theirs !== "string" || !["open", "closed", "cancelled"].includes(theirs.toLowerCase()))
    work.note("documents whose state a read does not show");
  // What is to be replaced may have been cancelled by somebody else, and what is in doubt may have closed or cancelled it.
  else if (
    theirs.toLowerCase() !== state &&
    !(isReplaced && theirs.toLowerCase() === "cancelled") &&
    !(doubtful > 0 && theirs.toLowerCase() !== "open")
  )
    one.differs(`is ${theirs} there, ${state} here`);
  work.note("events in doubt", doubtful);
  // What its next generation has sent again need not be there.
  if (isReplaced) return work.note("events of documents that were replaced", events.length);
  if (!Array.isArray(listed))
    return work.note("events, because reads of their documents do not list events", events.length);
  const ids = new Set(
    listed
      .flatMap((event) => (isJsonObject(event) ? [event["id"], event["eventId"], event["deduplicationId"]] : [event]))
      .filter((named) => typeof named === "string"),
  );
  if (ids.size === 0 && listed.length > 0)
    return work.note("events, because reads of their documents do not name them", events.length);
  const missing = events.filter(
    ({ eventId, deduplicationId }) => (eventId === null || !ids.has(eventId)) && !ids.has(deduplicationId),
  );
  if (namesNextPage(found.body)) {
    work.checked.events += events.length - missing.length;
    return work.note("events that are not on the first page, if reads come in pages", missing.length);
  }
  const unnamed = missing.filter(({ eventId }) => eventId === null).length;
  // Only an event that no id names can be one of them.
  const perhaps = Math.min(unnamed, Math.max(0, listed.length - (events.length - missing.length)));
  work.note("events that landed without an id, which a read cannot tell apart", perhaps);
  if (unnamed > perhaps)
    one.lacks(`lacks ${unnamed - perhaps} of the ${unnamed} events whose ids are not known here ${PAGED}`);
  work.checked.events += events.length - perhaps;
  for (const { event, eventId } of missing)
    if (eventId !== null)
      work.about("event", `${event} of ${name}`, eventId, `${kind}/${key}`).lacks(`is not on the timeline ${PAGED}`);
}

/** In the usual names for it, at any depth: pagination is not specified (open point 21). */
function namesNextPage(body: JsonObject): boolean {
  return Object.entries(body).some(([name, value]) => {
    if (isJsonObject(value)) return namesNextPage(value);
    const isNext = /^@?(odata\.?)?(next|has_?more|has_?next)_?(page)?_?(cursor|token|link|url)?$/i.test(name);
    return isNext && Boolean(value);
  });
}

function words(...values: (JsonValue | undefined)[]): string {
  return values.filter((value) => typeof value === "string").join(" ");
}
