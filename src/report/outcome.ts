/** The outcome of a run in words and numbers, for the terminal, the report and `runs`. */
import { ExitCode } from "../model/exit-code.js";
import type { ShownRow } from "../model/lines/show.js";
import type { OpenWork, RowCounts, RowOutcomes, StateCounts, Summary, ToldProblem } from "../model/summary.js";
import { counted, countedStates, grouped, joined, shortDuration, sumOf } from "./figures.js";

/** `word`: for lists. `tone`: its colour. */
export const endings: Record<ExitCode, { word: string; tone: "good" | "waiting" | "bad" }> = {
  [ExitCode.ok]: { word: "all is well", tone: "good" },
  [ExitCode.unexpected]: { word: "failed", tone: "bad" },
  [ExitCode.usage]: { word: "not started", tone: "bad" },
  [ExitCode.person]: { word: "a person is needed", tone: "bad" },
  [ExitCode.again]: { word: "not finished", tone: "waiting" },
  [ExitCode.locked]: { word: "the ledger was in use", tone: "waiting" },
  [ExitCode.interrupted]: { word: "interrupted", tone: "waiting" },
  [ExitCode.terminated]: { word: "interrupted", tone: "waiting" },
};

/** How a run ended, if it did. `isAtWork`: whether it is still under way; absent: not known. */
export function ending(
  { finishedAt, exitCode }: { finishedAt: unknown; exitCode: number | null },
  isAtWork?: boolean,
): string {
  // Perhaps not any longer.
  if (finishedAt !== null && exitCode === ExitCode.person) return "needed a person";
  if (finishedAt !== null)
    return endings[(exitCode ?? ExitCode.unexpected) as ExitCode]?.word ?? `exit code ${exitCode}`;
  if (isAtWork === undefined) return "still working, or killed";
  return isAtWork ? "still working" : "killed";
}

/** For an import that ended before its rows were staged. A refused file stays refused until somebody corrects it. */
export function saidUnstaged({ name, exitCode }: { name: string; exitCode: number | null }): string {
  const [ended, first] =
    exitCode === ExitCode.person ? ["refused", "Correct what it named, then run"] : ["stopped", "Run"];
  return `${name} was ${ended} before its rows were staged: none of them is in the ledger. ${first} that import again.`;
}

export const openOfCompared = "is open, but ledger and service did not agree when they were last compared.";

export const openOfCopy = "that this ledger knows of is open, but it was restored and may not know everything.";

/** `told`: how to tell a time. */
export function saidRestored(
  {
    lastRun,
    lastAt,
    byJournal,
  }: { lastRun: string | null; lastAt: string | number | null; byJournal: boolean | 0 | 1 },
  told: (time: string | number) => string,
): string {
  if (byJournal)
    return "The ledger was rebuilt from its journal, which knows what was sent. Rows that were not sent may be missing until their files are imported again.";
  const age = lastAt === null ? "from before any run" : `of ${told(lastAt)} (its last run is ${lastRun})`;
  return `The ledger was restored from a backup ${age}. It does not know what was sent after that; even so, nothing is sent twice, because keys are made from the rows' own data.`;
}

export const saidWithdrawn = ({ input, rows }: { input: string; rows: number }): string =>
  `${input}: ${counted(rows, "row was", "rows were")} taken back. Importing the file stages ${rows === 1 ? "it" : "them"} again.`;

/** The problems of the files that were read; if there are none, all problems. */
export function problemsHere(problems: readonly ToldProblem[]): readonly ToldProblem[] {
  const own = problems
    .map(({ earlier = 0, ...problem }) => ({ ...problem, count: problem.count - earlier }))
    .filter(({ count }) => count > 0);
  return own.length === 0 ? problems : own;
}

/** How many problems `problemsHere` leaves out. */
export function earlierOf(problems: readonly ToldProblem[]): number {
  return sumOf(problems, "count") - sumOf(problemsHere(problems), "count");
}

/** Is all well, and what must be done? */
export function answer(summary: Summary): string {
  const { exitCode, stopped } = summary;
  switch (exitCode) {
    case ExitCode.ok:
      return allIsWell(summary);
    case ExitCode.person:
      return stopped === null ? `${landedHere(summary)}${whatIsNeeded(summary)}` : sentence(stopped.message);
    case ExitCode.again: {
      const why =
        stopped === null ? "Not finished: some answers are missing." : `Not finished. ${sentence(stopped.message)}`;
      return `${why}${soFar(summary)} Nothing is lost; \`rowferry resume\` continues.`;
    }
    case ExitCode.interrupted:
    case ExitCode.terminated:
      return `Interrupted.${soFar(summary)} Nothing is lost; \`rowferry resume\` continues.`;
    case ExitCode.unexpected:
    case ExitCode.usage:
    case ExitCode.locked:
      return `${sentence(stopped?.message ?? "Failed unexpectedly.")} Running the command again is safe.`;
  }
}

/** What this run did, and what the ledger still holds. Blank: the sum of its rows says it, or nothing is left. */
function soFar({ rows, events, open }: Summary): string {
  const { planned = 0, sending = 0, stalled = 0 } = open.events;
  const doubtful = sending + stalled;
  if (rows.read > 0 || planned + doubtful === 0) return "";
  const landed = landedOf(events);
  const left = joined([
    planned > 0 && `${counted(planned, "event")} still to send`,
    doubtful > 0 && `${counted(doubtful, "event")} in doubt`,
  ]);
  return ` ${landed === 0 ? "Nothing" : counted(landed, "event")} landed in this run; ${left}.`;
}

/** Blank: the sum of its rows says it. */
const landedHere = ({ rows, events }: Summary): string =>
  rows.read > 0 || landedOf(events) === 0 ? "" : `${counted(landedOf(events), "event")} landed in this run. `;

const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** Where nothing is open but events that wait. */
export const onlyYouCanSettle = (waiting: number): string =>
  `${counted(waiting, "event waits", "events wait")} for something that only you can settle. Nothing is lost.`;

function whatIsNeeded({ outcomes, open, command, problems }: Summary): string {
  const rows = outcomes.toCorrect + outcomes.toDecide;
  if (rows > 0) {
    const { waiting, toSettle, toSend, toCorrect } = outcomes;
    // Earlier files may have left rows to correct, and events that wait for these.
    const isOpenElsewhere = open.rows > toCorrect || (open.events["held"] ?? 0) > 0;
    const done = isOpenElsewhere ? "everything else in these files is done" : "everything else is done";
    const waits = (count: number) => counted(count, "more row waits", "more rows wait");
    const behind = [
      waiting > 0 && waits(waiting),
      toSettle > 0 && `${waits(toSettle)} for something else that only you can settle`,
      toSend > 0 && `${counted(toSend, "row is", "rows are")} still to send`,
    ];
    return `${counted(rows, "row needs", "rows need")} you. Nothing is lost; ${joined(behind, ", and ") || done}.`;
  }
  const count = needed(open);
  // Events in doubt that cannot be asked about again wait for their file, as after a rebuild.
  const { held = 0, stalled = 0, planned = 0 } = open.events;
  const unsent = planned > 0 ? ` ${counted(planned, "event")} left for the next run.` : "";
  if (count === 0 && held + stalled > 0) return onlyYouCanSettle(held + stalled);
  if (count === 0) return `A file holds no rows${unsent === "" ? "; everything else is done" : ""}.${unsent}`;
  const isEmpty = problems.some(({ code }) => code === "file-empty");
  const own = command === "import" ? "Nothing in these files needs you, but" : "Nothing is lost, but";
  const left = `${counted(count, "thing that needs", "things that need")} you.`;
  return `${isEmpty ? "A file holds no rows, and" : own} the ledger holds ${left}${unsent}`;
}

function allIsWell(summary: Summary): string {
  const { events, documents, rows, outcomes, open, requests, startedAt, finishedAt } = summary;
  const landed = landedOf(events);
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  const took = Number.isFinite(seconds) ? ` in ${shortDuration(seconds)}` : "";
  const { toSend, eventless } = outcomes;
  const [unsent, what] = toSend > 0 ? [toSend, "row"] : [open.events["planned"] ?? 0, "event"];
  const left = [
    unsent > 0 ? ` ${counted(unsent, what)} left for the next run.` : "",
    rows.read === 0 || outcomes.waiting > 0 ? waitForTime(open).replace(/^(?=.)/, " ") : "",
    eventless > 0 ? ` The documents of ${counted(eventless, "row")} are created with their first event.` : "",
  ].join("");
  const on = total(documents) > 0 ? ` on ${counted(total(documents), "document")}` : "";
  if (landed > 0) return `All is well. ${counted(landed, "event")} landed${on}${took}.${left}`;
  const registered = registrations(summary);
  if (registered !== "") return `All is well. ${registered}${took}.${left}`;
  const created = "create-document" in requests.byKind ? (documents["open"] ?? 0) : 0;
  if (created > 0) return `All is well. ${counted(created, "document")} created${took}.${left}`;
  if (left !== "") return `All is well.${left}`;
  if (outcomes.later > 0)
    return `All is well. ${counted(outcomes.later, "row")} in the future; ${sentLater(outcomes.later)}`;
  if (rows.known > 0 && rows.known + rows.skipped === rows.read)
    return `Nothing new: ${rows.known === 1 ? "the row" : `all ${grouped(rows.known)} rows`} had landed before.`;
  return rows.read === 0 ? "All is well. There was nothing to send." : "All is well. No row needed sending.";
}

/** Empty if none waits. */
export function waitForTime({ events: { deferred = 0, waiting = 0 } }: OpenWork): string {
  const later = deferred + waiting;
  const wait = counted(later, "event waits for its", "events wait for their");
  return later === 0 ? "" : `${wait} time; ${sentLater(later)}`;
}

const sentLater = (count: number): string => `a later run sends ${count === 1 ? "it" : "them"}.`;

/** What became of a row: `landed` or `dismissed` once all of it is, else as it was staged. */
export function fateNow({ fate, events }: Pick<ShownRow, "fate" | "events">): string {
  const isDone = events.length > 0 && events.every(({ state, dismissed }) => state.startsWith("landed") || dismissed);
  if (fate !== "staged" || !isDone) return fate;
  return events.some(({ dismissed }) => dismissed) ? "dismissed" : "landed";
}

export const landedOf = (events: StateCounts): number => (events["landed"] ?? 0) + (events["landed-without-id"] ?? 0);

/** `12 participants and 1 address registered`; found, where the service had some of them. Blank: none. */
export function registrations({ requests, ...summary }: Summary): string {
  const parts = (["participant", "address"] as const).map((one) => {
    const count = summary[one === "address" ? "addresses" : "participants"]["registered"] ?? 0;
    return { count, one, created: requests.byKind[`create-${one}`] ?? 0 };
  });
  const said = joined(
    parts.map(({ count, one }) => count > 0 && counted(count, one)),
    " and ",
  );
  if (said === "") return "";
  return `${said} ${parts.some(({ count, created }) => count > created) ? "found or registered" : "registered"}`;
}

export const recordKinds = ["participants", "addresses", "documents", "events"] as const;

/** What a run would still send. */
export const unsentIn = ({ planned = 0, sending = 0, stalled = 0 }: StateCounts): number => planned + sending + stalled;

/** Rows to correct, and records to decide. Events of stranded documents wait for these. */
export function needed({ rows, ...open }: OpenWork): number {
  const of = ({ rejected = 0, changed = 0, foreign = 0, unsettled = 0, stranded = 0 }: StateCounts) =>
    rejected + changed + foreign + unsettled + stranded;
  const { stranded = 0 } = open.documents["stranded"] === undefined ? {} : open.events;
  return recordKinds.reduce((sum, kind) => sum + of(open[kind]), rows) - stranded;
}

/** `99 held, 1 in the future`; blank: none. */
export const leftBehind = ({ held, deferred, refused = 0 }: { held: number; deferred: number; refused?: number }) =>
  countedStates({ held, "in the future": deferred, "that can never be sent": refused });

const words: [keyof RowOutcomes, string, "good" | "waiting" | "bad" | "plain"][] = [
  ["landed", "landed", "good"],
  ["waiting", "waiting", "waiting"],
  ["toSettle", "waiting for something else", "waiting"],
  ["toCorrect", "to correct", "bad"],
  ["toDecide", "to decide", "bad"],
  ["toSend", "to send", "waiting"],
  ["later", "in the future", "waiting"],
  ["eventless", "without an event yet", "waiting"],
  ["dismissed", "dismissed", "plain"],
  ["superseded", "superseded", "plain"],
];

/** Parts that add up to all rows read; zeros are left out. `before`: the sum of earlier parts. */
export function rowParts(rows: RowCounts, outcomes: RowOutcomes) {
  let before = 0;
  const isForRows = outcomes.toCorrect + outcomes.toDecide > 0;
  return [
    ...words.map(([outcome, name, tone]) => ({
      of: outcomes[outcome],
      name: outcome === "waiting" && isForRows ? "waiting for them" : name,
      tone,
    })),
    { of: rows.known, name: "known", tone: "plain" as const },
    { of: rows.skipped, name: "skipped", tone: "plain" as const },
  ]
    .filter(({ of }) => of > 0)
    .map(({ of, name, tone }) => {
      before += of;
      return { count: { of, before: before - of }, name, tone };
    });
}

/** `5,204 = 4,604 landed + 388 waiting for them + 212 to correct`. */
export function rowSum(rows: RowCounts, outcomes: RowOutcomes, isPlan = false): string {
  const parts = rowParts(rows, outcomes).map(
    ({ count, name }) => `${grouped(count.of)} ${isPlan && name === "landed" ? "done" : name}`,
  );
  return joined([grouped(rows.read), parts.join(" + ")], " = ");
}

/** The fates of rows: read = skipped + invalid + known + staged. */
export const rowFates = ["skipped", "invalid", "known", "staged"] as const;
export const rowColumns = ["read", ...rowFates] as const;

export function sumOfRows(inputs: readonly RowCounts[]): RowCounts {
  const sum = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
  for (const input of inputs) for (const column of rowColumns) sum[column] += input[column];
  return sum;
}

export function total(counts: StateCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
