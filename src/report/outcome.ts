/** How a run ended, in words and numbers: the answer that comes first on the terminal, in the report and in `runs`. Pure. */
import { ExitCode } from "../model/exit-code.js";
import type { RowCounts, RowOutcomes, StateCounts, Summary } from "../model/summary.js";
import { counted, grouped, shortDuration } from "./figures.js";

/** `word`: in a list. `tone`: its colour. */
export const endings: Record<ExitCode, { word: string; tone: "good" | "waiting" | "bad" }> = {
  [ExitCode.ok]: { word: "all is well", tone: "good" },
  [ExitCode.unexpected]: { word: "failed unexpectedly", tone: "bad" },
  [ExitCode.usage]: { word: "not started", tone: "bad" },
  [ExitCode.person]: { word: "a person is needed", tone: "bad" },
  [ExitCode.again]: { word: "not finished, can resume", tone: "waiting" },
  [ExitCode.locked]: { word: "the ledger was in use", tone: "waiting" },
  [ExitCode.interrupted]: { word: "interrupted, can resume", tone: "waiting" },
  [ExitCode.terminated]: { word: "interrupted, can resume", tone: "waiting" },
};

/** The answer, in a sentence or two: is all well, and what must be done? */
export function answer(summary: Summary): string {
  const { exitCode, outcomes, stopped, command } = summary;
  if (exitCode === ExitCode.ok) return wellDone(summary);
  if (exitCode === ExitCode.person) {
    const rows = outcomes.toCorrect + outcomes.toDecide;
    if (stopped !== null) return sentence(stopped.message);
    if (rows > 0)
      return `${counted(rows, "row")} ${rows === 1 ? "needs" : "need"} you. Nothing is lost; ${restOf(outcomes)}.`;
    if (needed(summary.open) === 0) return "A file holds no rows; everything else is done.";
    const own = command === "import" ? "Nothing of these files needs you, but" : "Nothing is lost, but";
    return `${own} the ledger holds ${needs(summary)}.`;
  }
  if (exitCode === ExitCode.again) {
    const why =
      stopped === null ? "Not finished: some answers are missing." : `Not finished. ${sentence(stopped.message)}`;
    return `${why} Nothing is lost; \`rowferry resume\` continues.`;
  }
  if (exitCode >= ExitCode.interrupted) return "Interrupted. Nothing is lost; `rowferry resume` continues.";
  return `${sentence(stopped?.message ?? "Failed unexpectedly.")} Running the command again is safe.`;
}

const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

function restOf({ waiting, toSend }: RowOutcomes): string {
  const more =
    waiting > 0 ? `${grouped(waiting)} more ${waiting === 1 ? "row waits" : "rows wait"}` : "everything else is done";
  return toSend > 0 ? `${more}, ${counted(toSend, "row")} still to send` : more;
}

function wellDone({
  events,
  documents,
  participants,
  addresses,
  rows,
  outcomes,
  startedAt,
  finishedAt,
}: Summary): string {
  const landed = (events["landed"] ?? 0) + (events["landed-without-id"] ?? 0);
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  const took = Number.isFinite(seconds) ? ` in ${shortDuration(seconds)}` : "";
  const left = outcomes.toSend > 0 ? ` ${counted(outcomes.toSend, "row")} left for the next run.` : "";
  if (landed > 0) {
    const on = total(documents) > 0 ? ` on ${counted(total(documents), "document")}` : "";
    return `All is well. ${counted(landed, "event")} landed${on}${took}.${left}`;
  }
  const registered = registrations({ participants, addresses });
  if (registered !== "") return `All is well. ${registered} registered${took}.${left}`;
  if (left !== "") return `All is well.${left}`;
  if (outcomes.later > 0)
    return `All is well. ${counted(outcomes.later, "row")} in the future; a later run sends them.`;
  if (rows.known > 0 && rows.known + rows.skipped === rows.read)
    return `Nothing new: all ${counted(rows.known, "row")} had landed before.`;
  return rows.read === 0 ? "All is well. There was nothing to send." : "All is well. No row needed sending.";
}

/** `12 participants and 1 address`, of those that the run has registered. */
export function registrations(of: Pick<Summary, "participants" | "addresses">): string {
  return [
    { count: of.participants["registered"] ?? 0, one: "participant" },
    { count: of.addresses["registered"] ?? 0, one: "address" },
  ]
    .filter(({ count }) => count > 0)
    .map(({ count, one }) => counted(count, one))
    .join(" and ");
}

/** `3 things that need you`; of the whole ledger. Null: nothing does. */
export function needs({ open }: Pick<Summary, "open">): string {
  const count = needed(open);
  return `${counted(count, "thing")} that ${count === 1 ? "needs" : "need"} you`;
}

/** Rows to correct, and records on which a person must decide. */
export function needed({ rows, documents, events, participants, addresses }: Summary["open"]): number {
  const states = ["rejected", "changed", "foreign", "unsettled"];
  const of = (counts: StateCounts) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  return rows + of(events) + of(participants) + of(addresses) + of(documents) + (documents["stranded"] ?? 0);
}

const words: [keyof RowOutcomes, string, "good" | "waiting" | "bad" | "plain"][] = [
  ["landed", "landed", "good"],
  ["waiting", "waiting for them", "waiting"],
  ["toCorrect", "to correct", "bad"],
  ["toDecide", "to decide", "bad"],
  ["toSend", "to send", "waiting"],
  ["later", "in the future", "waiting"],
  ["dismissed", "dismissed", "plain"],
];

/** What all rows read became, in parts that sum to them; parts of nothing are left out. `before`: what the parts in front sum to. */
export function rowParts(rows: RowCounts, outcomes: RowOutcomes) {
  let before = 0;
  return [
    ...words.map(([outcome, name, tone]) => ({ of: outcomes[outcome], name, tone })),
    { of: rows.known, name: "known", tone: "plain" as const },
    { of: rows.skipped, name: "skipped", tone: "plain" as const },
  ]
    .filter(({ of }) => of > 0)
    .map(({ of, name, tone }) => {
      before += of;
      return { count: { of, before: before - of }, name, tone };
    });
}

/** `5,204 = 4,604 landed + 388 waiting for them + 212 to correct`; of a plan, what is landed is done. */
export function rowSum(rows: RowCounts, outcomes: RowOutcomes, isPlan = false): string {
  const parts = rowParts(rows, outcomes).map(
    ({ count, name }) => `${grouped(count.of)} ${isPlan && name === "landed" ? "done" : name}`,
  );
  return [grouped(rows.read), parts.join(" + ")].filter((part) => part !== "").join(" = ");
}

export function total(counts: StateCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
