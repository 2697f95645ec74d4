/** What `show` found: what it is and how it stands, then what belongs to it. Texts from outside are made plain (HARD-CASES H35). */
import type {
  Shown,
  ShownDecision,
  ShownDocument,
  ShownEvent,
  ShownRegistration,
  ShownRequest,
  ShownRow,
  ShownRun,
} from "../../ledger/views/show/shown.js";
import { counted, grouped, localTime } from "../../report/figures.js";
import { endings } from "../../report/outcome.js";
import { plainText } from "../../report/plain-text.js";
import { type Look, table, wrapped } from "./text.js";

export interface ShowLook extends Look {
  /** With the ids and keys of every event, and when it was sent. */
  ids: boolean;
  /** With the requests of documents and registrations. */
  requests: boolean;
}

export function printShown(shown: Shown, look: ShowLook): string[] {
  const { rows, runs, event, documents, registrations, archived, requests } = shown;
  return [
    ...rows.map((row) => rowBlock(row, look)),
    ...runs.map((run) => runBlock(run, look)),
    event === null ? "" : block("The event asked for", eventLines([event], look), look),
    ...documents.map((document) => documentBlock(document, look)),
    ...registrations.map((found) => registrationBlock(found, look)),
    archived.length === 0
      ? ""
      : block(
          "From the archive",
          archived.map((entry) => plainText(JSON.stringify(entry), 2000)),
          look,
        ),
    requestLines(requests).join("\n"),
  ];
}

type Line = string | null | false;

/** A title, and lines below it; empty lines are left out. */
function block(title: string, lines: readonly Line[], { colors }: Look): string {
  return [colors.bold(title), ...kept(lines)].join("\n").replaceAll("\n", "\n  ");
}

const kept = (lines: readonly Line[]): string[] =>
  lines.filter((line) => typeof line === "string" && line !== "") as string[];
const joined = (parts: readonly Line[], separator = ", "): string => kept(parts).join(separator);
const plain = (text: string | null): string => (text === null ? "" : plainText(text, 400));

function stateOf({ state, reason }: { state: string; reason: string | null }): string {
  return reason === null || reason === state ? state : `${state} (${plain(reason)})`;
}

/** One line an event, and below it what else a person must know of it. */
function eventLines(events: readonly ShownEvent[], look: ShowLook): string[] {
  const lines = table(
    events.map((event) => [
      localTime(event.at),
      plain(event.name) + (event.keyParts.length === 0 ? "" : ` [${plain(event.keyParts.join(", "))}]`),
      stateOf(event) + (event.dismissed ? ", dismissed" : ""),
      event.rows.map(plain).join("; "),
    ]),
  ).split("\n");
  return events.flatMap((event, index) => [
    lines[index] ?? "",
    ...eventDetails(event, look).map((line) => wrapped(line, { columns: look.columns - 2, first: "    " })),
  ]);
}

function eventDetails(event: ShownEvent, { ids }: ShowLook): string[] {
  return kept([
    event.waitsFor !== null && `waits for ${plain(event.waitsFor)}`,
    ...event.messages.map((message) => `said: ${plain(message)}`),
    ...event.changes.map(
      ({ field, landed, now }) =>
        `${plain(field)}: landed ${plain(landed ?? "without")}, now ${plain(now ?? "without")}`,
    ),
    ...event.decisions.map(decision),
    ids && event.sentAt !== null && `sent ${localTime(event.sentAt)}`,
    ids && event.decidedAt !== null && `settled ${localTime(event.decidedAt)}`,
    ids && event.eventId !== null && `eventId ${plain(event.eventId)}`,
    ids && event.targetDocumentId !== null && `target ${plain(event.targetDocumentId)}`,
    ids && `key ${event.deduplicationId} (${plain(event.event)})`,
  ]);
}

const decided: Record<ShownDecision["said"], string> = {
  landed: "it has landed",
  "not-landed": "it has not landed",
  "document-id": "it has this documentId",
};

const decision = ({ at, by, said }: ShownDecision): string =>
  `${localTime(at)} ${plain(by)} looked at the service: ${decided[said]}`;

function documentBlock(document: ShownDocument, look: ShowLook): string {
  const generation = document.generation > 1 || document.replaced ? `, generation ${document.generation}` : "";
  const title = `${plain(document.kind)} ${plain(document.key)}${generation}: ${stateOf(document)}${document.replaced ? ", replaced" : ""}`;
  const all = Object.values(document.eventCounts).reduce((sum, count) => sum + count, 0);
  const earlier = all - document.events.length;
  return block(
    title,
    [
      document.documentId !== null && `documentId ${plain(document.documentId)}`,
      look.ids && `key ${document.deduplicationId}`,
      document.declaredBy !== null && `declared by ${plain(document.declaredBy)}`,
      ...document.messages.map((message) => `said: ${plain(message)}`),
      ...document.decisions.map(decision),
      ...document.holds.map((row) => `held by the invalid row ${plain(row)}`),
      eventCounts(all, document.eventCounts),
      earlier > 0 && `  … ${counted(earlier, "earlier event")}; --all shows them`,
      ...eventLines(document.events, look).map((line) => `  ${line}`),
      ...requestsOf(document, look),
    ],
    look,
  );
}

/** `3 events: 2 landed, 1 held; times in UTC` */
function eventCounts(all: number, counts: ShownDocument["eventCounts"]): string {
  if (all === 0) return "no event";
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${counted(all, "event")}: ${named(counts)}; times in ${zone}`;
}

/** `2 landed, 1 held` */
const named = (counts: { [name: string]: number }): string =>
  joined(Object.entries(counts).map(([name, count]) => `${grouped(count)} ${plain(name)}`));

function requestsOf({ requests }: { requests: ShownRequest[] }, look: ShowLook): string[] {
  if (requests.length === 0) return [];
  if (!look.requests) return [`${counted(requests.length, "request")}; --requests shows them`];
  return ["Requests", ...requestLines(requests).map((line) => `  ${line}`)];
}

function registrationBlock(found: ShownRegistration, look: ShowLook): string {
  return block(
    `${found.record} ${plain(found.name)}: ${stateOf(found)}`,
    [
      found.id !== null && joined([`id ${plain(found.id)}`, found.origin]),
      look.ids && found.snapshotId !== null && `snapshotId ${plain(found.snapshotId)}`,
      found.declaredBy !== null && `declared by ${plain(found.declaredBy)}`,
      ...found.messages.map((message) => `said: ${plain(message)}`),
      ...requestsOf(found, look),
    ],
    look,
  );
}

/** A request and each of its tries. */
function requestLines(requests: readonly ShownRequest[]): string[] {
  return requests.flatMap(({ intendedAt, kind, subject, events, result, run, attempts }) => [
    `${localTime(intendedAt)}  ${joined([`${kind} · ${plain(subject)}`, events > 0 && counted(events, "event")])}: ${result ?? "no outcome written: in doubt"} (run ${plain(run)})`,
    ...attempts.map(({ number, status, failure, durationMs, codes, message, raw, inDoubt, requestIds }) => {
      const answer = status ?? `no answer (${plain(failure)})`;
      return `  ${joined(
        [
          `try ${number}: ${answer} after ${grouped(durationMs)} ms`,
          plain(codes),
          plain(message ?? raw?.slice(0, 200) ?? null),
          inDoubt && "in doubt",
          ...requestIds.map(plain),
        ],
        " · ",
      )}`;
    }),
  ]);
}

/** What became of a row, and why (P7). */
function rowBlock(row: ShownRow, look: ShowLook): string {
  const { columns } = look;
  const place = joined([plain(row.file), row.sheet !== null && `sheet "${plain(row.sheet)}"`, `row ${row.row}`]);
  const by = row.settledBy === null ? "" : ` by ${plain(row.settledBy)}`;
  const settled = row.settled !== null && `since ${row.settled}${by}`;
  const documents = Map.groupBy(row.events, ({ document: { kind, key, generation, documentId } }) =>
    joined([
      `${plain(kind)} ${plain(key)}`,
      generation > 1 && `generation ${generation}`,
      documentId !== null && `documentId ${plain(documentId)}`,
    ]),
  );
  return block(
    `${place}: ${joined([stateOf({ state: row.fate, reason: row.reason }), settled], " ")}`,
    [
      `imported ${localTime(row.stagedAt)} from ${plain(row.path)} with ${plain(row.mapping)}`,
      row.groupOf !== null && `belongs to the group that begins in row ${row.groupOf}`,
      ...row.problems.flatMap(({ code, column, message, hint }) => [
        wrapped(
          joined(
            [column !== null && `${plain(column)}: ${plain(message)}`, column === null && plain(message), code],
            " · ",
          ),
          {
            columns: columns - 2,
          },
        ),
        hint !== null && wrapped(plain(hint), { columns: columns - 2, first: "  " }),
      ]),
      ...[...documents].flatMap(([name, events]) => [name, ...eventLines(events, look).map((line) => `  ${line}`)]),
      ...row.records.map((record) => registrationBlock(record, look)),
      ...(row.cells === null
        ? []
        : ["Cells", ...Object.entries(row.cells).map(([name, cell]) => `  ${plain(name)}: ${plain(cell)}`)]),
    ],
    look,
  );
}

function runBlock(run: ShownRun, look: Look): string {
  const { finishedAt, exitCode } = run;
  const end =
    finishedAt === null
      ? "still working, or killed"
      : joined([endings[exitCode as keyof typeof endings]?.word, `finished ${localTime(finishedAt)}`]);
  return block(
    `run ${plain(run.name)}: ${end}`,
    [
      joined([`begun ${localTime(run.startedAt)}`, run.mapping !== null && `mapping ${plain(run.mapping)}`]),
      ...run.inputs.map(({ name, sheet, read, ...fates }) => {
        const { skipped, invalid, known, staged } = fates;
        const sum = Object.entries({ skipped, invalid, known, staged }).map(
          ([fate, count]) => `${grouped(count)} ${fate}`,
        );
        return `${joined([plain(name), sheet !== null && plain(sheet)])}: ${grouped(read)} = ${sum.join(" + ")}`;
      }),
      Object.keys(run.requests).length > 0 && `requests: ${named(run.requests)}`,
      Object.keys(run.events).length > 0 && `events sent, as they are now: ${named(run.events)}`,
    ],
    look,
  );
}
