/** `rowferry show <anything>`: everything the ledger knows of it. */
import { RowferryError } from "../../model/error.js";
import type {
  Shown,
  ShownDecision,
  ShownDocument,
  ShownEvent,
  ShownRegistration,
  ShownRequest,
  ShownRow,
  ShownRun,
} from "../../model/lines/show.js";
import { counted, countedStates, grouped, localTime, localZone } from "../../report/figures.js";
import { ending, fateNow, rowFates, total } from "../../report/outcome.js";
import { plainText } from "../../report/plain-text.js";
import { moment, pastTime, positiveInteger } from "../flags.js";
import { onTarget } from "../on-target.js";
import { bold, joined, lines, type Part, table } from "../render/text.js";

export const spec = onTarget({
  takes: { "<anything>": "a key, an id, file:row, a tax id, a run, or `requests`" },
  flags: {
    all: ["--all", "every event of a document, not only the newest 50"],
    mapping: ["--mapping", "for a row: the mapping with which it was imported"],
    ids: ["--ids", "show each event's ids and keys, and when it was sent"],
    requests: ["--requests", "show the requests that sent it, and their answers"],
    since: ["--since <time>", "for requests: only after this (02:13, 2026-11-20T02:13, 90m)", pastTime],
    before: ["--before <time>", "for requests: only before this (default: now)", pastTime],
    count: ["--count <n>", "for requests: at most this many (default: 200)", positiveInteger],
  },
  examples: {
    "rowferry show march.csv:17": "a row: what became of it, and why",
    "rowferry show book.xlsx:May:17": "a row of a sheet",
    "rowferry show manifest/123": "a document, by key, externalId or id",
    'rowferry show "Plant A, 123"': "a document whose key has several parts",
    "rowferry show 11.222.333/0001-81": "a participant and its addresses",
    "rowferry show 2026-11-20T0200-import": "a run",
    "rowferry show requests --since 02:13 --before 02:14": "",
  },
  notes: ["It also finds an event by its id or key, and a request by its id."],
  async run({ world, target }, given, anything: string) {
    const { nearAnything, showAnything, showSentBetween } = await import("../../desk/show.js");
    const { since, before, count = 200, ids = false, requests = false } = given;
    const now = world.clock.now();
    const isRequests = anything === "requests";
    if (!isRequests && (since ?? before ?? given.count) !== undefined)
      throw new RowferryError("usage", "--since, --before and --count belong to `show requests`.");
    const until = (before === undefined ? null : moment(before, now)) ?? now;
    const from = (since === undefined ? null : moment(since, now)) ?? until - 3_600_000;
    if (from > until)
      throw new RowferryError("usage", `--since is ${localTime(from)}, later than --before, ${localTime(until)}.`);
    const found = isRequests
      ? showSentBetween(target, from, until, count)
      : showAnything(target, anything, { ...given, eventKeys: true });
    const isEmpty = Object.values(found).every((part) => part === null || (Array.isArray(part) && part.length === 0));
    if (isEmpty && !isRequests)
      throw new RowferryError("nothing-found", `The ledger has nothing called ${plainText(anything, 80)}.`, {
        hint: nearAnything(target, anything),
      });
    return {
      type: "show",
      line: found,
      text: (shown) => [
        ...printShown(shown, { ids, requests }),
        isEmpty && `Nothing was sent from ${localTime(from)} to ${localTime(until)}.`,
        isRequests &&
          found.requests.length === count &&
          `These are the first ${counted(count, "request")}; --count shows more.`,
      ],
    };
  },
});

interface ShowLook {
  /** Ids, keys and sending times of every event. */
  ids: boolean;
  requests: boolean;
}

function printShown(shown: Shown, look: ShowLook): Part[] {
  const block = (title: string, ...parts: Part[]) => indented([bold(title), ...parts]);
  const registration = (found: ShownRegistration) =>
    block(`${found.record} ${found.name}: ${stateOf(found)}`, registrationLines(found, look));
  return [
    ...shown.rows.map((row) =>
      block(rowTitle(row), rowLines(row, look), row.records.map(registration), cells(row), mappingOf(row)),
    ),
    ...shown.runs.map((run) => block(`run ${run.name}: ${endOf(run)}`, runLines(run))),
    shown.event !== null && block("The event asked for", eventLines([shown.event], look)),
    ...shown.documents.map((document) => block(documentTitle(document), documentLines(document, look))),
    ...shown.registrations.map(registration),
    requestLines(shown.requests),
  ];
}

const indented = (part: Part): string => lines(part).replaceAll("\n", "\n  ");

const deeper = (part: Part): string => lines(part).replace(/^(?=.)/gm, "  ");

const stateOf = ({ state, reason }: { state: string; reason: string | null }): string =>
  reason === null || reason === state ? state : `${state} (${reason})`;

const messages = ({ messages: said }: { messages: string[] }): Part => said.map((message) => `said: ${message}`);

const declared = ({ declaredBy }: { declaredBy: string | null }): Part =>
  declaredBy !== null && `declared by ${declaredBy}`;

/** A replacement settles what was open, although nobody dismissed it. */
function fateOf(event: ShownEvent, isReplaced: boolean): string {
  if (event.reason === "dismissed") return "dismissed, never sent";
  return stateOf(event) + (event.dismissed && !isReplaced ? ", dismissed" : "");
}

function eventLines(events: readonly ShownEvent[], { ids }: ShowLook, isReplaced = false): Part {
  const aligned = table(
    events.map((event) => [
      localTime(event.at),
      event.name + (event.keyParts.length === 0 ? "" : ` [${event.keyParts.join(", ")}]`),
      fateOf(event, isReplaced),
      event.rows.join("; "),
    ]),
  );
  return events.map((event, index) => [
    aligned[index],
    deeper(
      deeper([
        event.waitsFor !== null && `waits for ${event.waitsFor}`,
        messages(event),
        event.changes.map(
          ({ field, landed, now }) => `${field}: landed ${landed ?? "without"}, now ${now ?? "without"}`,
        ),
        event.decisions.map(decision),
        ids && [
          event.sentAt !== null && `sent ${localTime(event.sentAt)}`,
          event.decidedAt !== null && `settled ${localTime(event.decidedAt)}`,
          event.eventId !== null && `eventId ${event.eventId}`,
          event.targetDocumentId !== null && `target ${event.targetDocumentId}`,
          `key ${event.deduplicationId} (${event.event})`,
        ],
      ]),
    ),
  ]);
}

const decided: Record<ShownDecision["said"], string> = {
  landed: "it has landed",
  "not-landed": "it has not landed",
  "document-id": "it has this documentId",
};

const decision = ({ at, by, said }: ShownDecision): string =>
  `${localTime(at)} ${by} looked at the service: ${decided[said]}`;

const documentTitle = ({ kind, key, generation, replaced, ...document }: ShownDocument): string =>
  joined([
    `${kind} ${key}${generation > 1 || replaced ? `, generation ${generation}` : ""}: ${stateOf(document)}`,
    replaced && "replaced",
  ]);

function documentLines(document: ShownDocument, look: ShowLook): Part {
  const { documentId, deduplicationId, decisions, holds, events, eventCounts } = document;
  const all = total(eventCounts);
  return [
    documentId !== null && `documentId ${documentId}`,
    look.ids && `key ${deduplicationId}`,
    declared(document),
    messages(document),
    decisions.map(decision),
    holds.map((row) => `held by the invalid row ${row}`),
    all === 0 && (documentId === null ? "no event yet; the first due event creates it" : "no event"),
    all > 0 && `${counted(all, "event")}: ${countedStates(eventCounts)}; times in ${localZone()}`,
    deeper([
      all > events.length && `… ${counted(all - events.length, "earlier event")}; --all shows them`,
      eventLines(events, look, document.replaced),
    ]),
    requestsOf(document, look),
  ];
}

function requestsOf({ requests }: { requests: ShownRequest[] }, look: ShowLook): Part {
  if (requests.length === 0) return null;
  if (!look.requests) return `${counted(requests.length, "request")}; --requests shows them`;
  return ["Requests", deeper(requestLines(requests))];
}

function registrationLines(found: ShownRegistration, look: ShowLook): Part {
  return [
    found.id !== null && joined([`id ${found.id}`, found.origin]),
    look.ids && found.snapshotId !== null && `snapshotId ${found.snapshotId}`,
    declared(found),
    messages(found),
    requestsOf(found, look),
  ];
}

const requestLines = (requests: readonly ShownRequest[]): Part =>
  requests.map(({ intendedAt, kind, subject, events, result, run, attempts }) => [
    `${localTime(intendedAt)}  ${joined([`${kind} · ${subject}`, events > 0 && counted(events, "event")])}: ${result ?? "no outcome recorded: in doubt"} (run ${run})`,
    attempts.map(({ number, status, failure, durationMs, codes, message, raw, inDoubt, requestIds }) =>
      joined(
        [
          `  try ${number}: ${status ?? `no answer (${failure})`} after ${grouped(durationMs)} ms`,
          codes,
          message ?? raw?.slice(0, 200),
          inDoubt && "in doubt",
          requestIds,
        ],
        " · ",
      ),
    ),
  ]);

/** What became of a row, and why (P7). */
function rowTitle({ file, sheet, row, fate, reason, settled, settledBy, events }: ShownRow): string {
  const place = joined([file, sheet !== null && `sheet "${sheet}"`, `row ${row}`]);
  const since = settled === null ? "" : ` since ${settled}${settledBy === null ? "" : ` by ${settledBy}`}`;
  return `${place}: ${stateOf({ state: fateNow({ fate, events }), reason })}${since}`;
}

function rowLines(row: ShownRow, look: ShowLook): Part {
  const documents = Map.groupBy(row.events, ({ document: { kind, key, generation, documentId } }) =>
    joined([
      `${kind} ${key}`,
      generation > 1 && `generation ${generation}`,
      documentId !== null && `documentId ${documentId}`,
    ]),
  );
  return [
    `imported ${localTime(row.stagedAt)} from ${row.path} with ${row.mapping}`,
    !row.isCurrent && `a later version of ${row.file} has been imported since`,
    row.groupOf !== null && `belongs to the group that begins in row ${row.groupOf}`,
    row.problems.map(({ code, column, message, hint }) => [
      `${column === null ? "" : `${column}: `}${message} · ${code}`,
      hint !== null && `  ${hint}`,
    ]),
    [...documents].map(([name, events]) => [name, deeper(eventLines(events, look))]),
  ];
}

const cells = ({ cells: kept }: ShownRow): Part =>
  kept !== null && ["Cells", Object.entries(kept).map(([name, cell]) => `  ${name}: ${cell}`)];

const mappingOf = ({ mapping, mappingText }: ShownRow): Part =>
  mappingText !== null && [`${mapping}, as it was used`, deeper(mappingText.trimEnd())];

const endOf = (run: ShownRun): string =>
  joined([ending(run), run.finishedAt !== null && `ended ${localTime(run.finishedAt)}`]);

function runLines({ startedAt, startedBy, did, mapping, inputs, requests, events }: ShownRun): Part {
  return [
    joined([`begun ${localTime(startedAt)} by ${startedBy}`, mapping !== null && `mapping ${mapping}`]),
    did,
    inputs.map(({ name, sheet, ...rows }) => {
      const sum = rowFates.map((fate) => `${grouped(rows[fate])} ${fate}`).join(" + ");
      return `${joined([name, sheet])}: ${grouped(rows.read)} = ${sum}`;
    }),
    Object.keys(requests).length > 0 && `requests: ${countedStates(requests)}`,
    Object.keys(events).length > 0 && `events sent, as they are now: ${countedStates(events)}`,
  ];
}
