/** What `show` found, as lines for a terminal. Texts from outside are made plain (HARD-CASES H35). */
import type {
  Shown,
  ShownDecision,
  ShownDocument,
  ShownEvent,
  ShownRegistration,
  ShownRequest,
  ShownRow,
  ShownRun,
} from "../ledger/views/show/shown.js";
import { plainText } from "../report/plain-text.js";
import type { Colors } from "./render/text.js";

const plain = (text: string | null | undefined): string => (text == null ? "" : plainText(text, 400));
const joined = (parts: (string | null | undefined | false)[], separator = ", "): string =>
  parts.filter((part) => typeof part === "string" && part !== "").join(separator);
const indented = (lines: string[], by = 2): string[] => lines.map((line) => " ".repeat(by) + line);

export function showText(shown: Shown, colors: Colors): string {
  const blocks = [
    ...shown.rows.map((row) => rowLines(row, colors)),
    ...shown.runs.map((run) => runLines(run, colors)),
    ...(shown.event === null ? [] : [["The event asked for", ...indented(eventLines(shown.event))]]),
    ...shown.documents.map((document) => documentLines(document, colors)),
    ...shown.registrations.map((registration) => registrationLines(registration, colors)),
    ...(shown.archived.length === 0
      ? []
      : [["From the archive", ...indented(shown.archived.map((entry) => plainText(JSON.stringify(entry), 2000)))]]),
    ...(shown.requests.length === 0 ? [] : [shown.requests.flatMap(requestLines)]),
  ];
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

function state(event: { state: string; reason: string | null }): string {
  return event.reason === null || event.reason === event.state
    ? event.state
    : `${event.state} (${plain(event.reason)})`;
}

/** One event, its time first. */
function eventLines(event: ShownEvent): string[] {
  const key = event.keyParts.length === 0 ? "" : ` [${plain(event.keyParts.join(", "))}]`;
  const title = `${event.at}  ${plain(event.name)} · ${plain(event.event)}${key}: ${state(event)}${event.dismissed ? ", dismissed" : ""}`;
  return [
    title,
    ...indented(
      [
        joined([event.rows.length > 0 && `from ${event.rows.map(plain).join("; ")}`]),
        event.waitsFor === null ? "" : `waits for ${plain(event.waitsFor)}`,
        joined([
          event.sentAt && `sent ${event.sentAt}`,
          event.sentAt && event.decidedAt && `settled ${event.decidedAt}`,
        ]),
        joined([
          event.eventId && `eventId ${plain(event.eventId)}`,
          event.targetDocumentId && `target ${plain(event.targetDocumentId)}`,
        ]),
        event.state === "planned" ? "" : `key ${event.deduplicationId}`,
        ...event.messages.map((message) => `said: ${plain(message)}`),
        ...event.decisions.map(decisionLine),
      ].filter((line) => line !== ""),
      27,
    ),
  ];
}

const decided: Record<ShownDecision["said"], string> = {
  landed: "it has landed",
  "not-landed": "it has not landed",
  "document-id": "it has this documentId",
};

function decisionLine({ at, by, said }: ShownDecision): string {
  return `${at} ${plain(by)} looked at the service and said: ${decided[said]}`;
}

function documentLines(document: ShownDocument, colors: Colors): string[] {
  const generation = document.generation > 1 || document.replaced ? `, generation ${document.generation}` : "";
  const title = `${plain(document.kind)} ${plain(document.key)}${generation}: ${state(document)}${document.replaced ? ", replaced" : ""}`;
  return [
    colors.bold(title),
    ...indented([
      joined([document.documentId && `documentId ${plain(document.documentId)}`, `key ${document.deduplicationId}`]),
      ...(document.declaredBy === null ? [] : [`declared by ${plain(document.declaredBy)}`]),
      ...(document.lastAt === null ? [] : [`timeline stands at ${document.lastAt}`]),
      ...document.messages.map((message) => `said: ${plain(message)}`),
      ...document.decisions.map(decisionLine),
      ...document.holds.map((row) => `held by the invalid row ${plain(row)}`),
      ...document.events.flatMap(eventLines),
      ...(document.requests.length === 0 ? [] : ["Requests", ...indented(document.requests.flatMap(requestLines))]),
    ]),
  ];
}

function registrationLines(found: ShownRegistration, colors: Colors): string[] {
  return [
    colors.bold(`${found.record} ${plain(found.name)}: ${state(found)}`),
    ...indented([
      ...(found.id === null
        ? []
        : [
            joined([
              `id ${plain(found.id)}`,
              found.snapshotId && `snapshotId ${plain(found.snapshotId)}`,
              found.origin,
            ]),
          ]),
      ...(found.declaredBy === null ? [] : [`declared by ${plain(found.declaredBy)}`]),
      ...found.messages.map((message) => `said: ${plain(message)}`),
      ...found.requests.flatMap(requestLines),
    ]),
  ];
}

/** A request and each of its tries. */
function requestLines(request: ShownRequest): string[] {
  const events = request.events === 0 ? "" : `, ${request.events} ${request.events === 1 ? "event" : "events"}`;
  const lines = request.attempts.map((attempt) => {
    const answer = attempt.status === null ? `no answer (${plain(attempt.failure)})` : String(attempt.status);
    const words = attempt.message ?? (attempt.raw === null ? null : attempt.raw.slice(0, 200));
    return joined(
      [
        `${attempt.startedAt}  try ${attempt.number}: ${answer} after ${attempt.durationMs} ms`,
        plain(attempt.codes),
        plain(words),
        attempt.inDoubt && "in doubt",
        ...attempt.requestIds.map(plain),
      ],
      " · ",
    );
  });
  const title = `${request.intendedAt}  ${request.kind} · ${plain(request.subject)}${events}: ${request.result ?? "no outcome written: in doubt"} (run ${plain(request.run)})`;
  return [title, ...indented(lines)];
}

/** What became of a row, and why (P7). */
function rowLines(row: ShownRow, colors: Colors): string[] {
  const place = joined([plain(row.file), row.sheet !== null && `sheet "${plain(row.sheet)}"`, `row ${row.row}`]);
  const by = row.settledBy === null ? "" : ` by ${plain(row.settledBy)}`;
  const fate = joined(
    [row.fate, row.reason && `(${plain(row.reason)})`, row.settled && `since ${row.settled}${by}`],
    " ",
  );
  return [
    colors.bold(`${place}: ${fate}`),
    ...indented([
      `imported ${row.stagedAt} from ${plain(row.path)} with ${plain(row.mapping)}`,
      ...(row.groupOf === null ? [] : [`belongs to the group that begins in row ${row.groupOf}`]),
      ...row.problems.flatMap(({ code, column, message, hint }) => [
        joined([plain(code), column !== null && `column "${plain(column)}"`, plain(message)], " · "),
        ...(hint === null ? [] : [`  ${plain(hint)}`]),
      ]),
      ...row.events.flatMap((event) => {
        const { kind, key, generation, documentId } = event.document;
        const of = `${plain(kind)} ${plain(key)}${generation > 1 ? `, generation ${generation}` : ""}`;
        return [joined([of, documentId && `documentId ${plain(documentId)}`]), ...indented(eventLines(event))];
      }),
      ...row.records.flatMap((record) => registrationLines(record, colors)),
      ...(row.cells === null
        ? []
        : ["Cells", ...indented(Object.entries(row.cells).map(([name, cell]) => `${plain(name)}: ${plain(cell)}`))]),
    ]),
  ];
}

function runLines(run: ShownRun, colors: Colors): string[] {
  const counts = (entries: { [name: string]: number }) =>
    joined(Object.entries(entries).map(([name, count]) => `${count} ${plain(name)}`));
  return [
    colors.bold(`run ${plain(run.name)}: ${runEnd(run)}`),
    ...indented([
      `begun ${run.startedAt}${run.mapping === null ? "" : `, mapping ${plain(run.mapping)}`}`,
      ...run.inputs.map(
        ({ name, sheet, read, skipped, invalid, known, staged }) =>
          `${joined([plain(name), sheet])}: ${read} = ${skipped} skipped + ${invalid} invalid + ${known} known + ${staged} staged`,
      ),
      ...(Object.keys(run.requests).length === 0 ? [] : [`requests: ${counts(run.requests)}`]),
      ...(Object.keys(run.events).length === 0 ? [] : [`events sent, as they are now: ${counts(run.events)}`]),
    ]),
  ];
}

function runEnd({ finishedAt, exitCode }: ShownRun): string {
  if (finishedAt === null) return "not finished: it goes on, or was killed";
  return `finished ${finishedAt}${exitCode === null ? "" : `, exit code ${exitCode}`}`;
}
