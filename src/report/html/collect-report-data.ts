/** Collects the report's data from a ledger and a run's summary. */
import type { LedgerDatabase } from "../../ledger/open-ledger.js";
import { type ProblemExample, problemExamples, tallyHeld, warningExamples } from "../../ledger/views/problems.js";
import { type Pace, paceOf } from "../../ledger/views/past-runs.js";
import { type HeldRecord, heldEvents, type StrandedRecord, strandedDocuments } from "../../ledger/views/waiting.js";
import type { Code } from "../../model/codes.js";
import type { Summary } from "../../model/summary.js";
import { sumOf } from "../figures.js";
import { total } from "../outcome.js";

export interface Sample<Item> {
  total: number;
  items: Item[];
}

export type Group<Item> = { code: Code } & Sample<Item>;

export interface ReportData {
  summary: Summary;
  /** From the first request on; null: none was sent. */
  pace: Pace | null;
  problems: Group<ProblemExample>[];
  warnings: Group<ProblemExample>[];
  /** By what they wait for. */
  held: Group<HeldRecord>[];
  stranded: Sample<StrandedRecord>;
}

/** Examples in each section; counts cover all. */
const most = { perCode: 20, held: 200, stranded: 100 };

/** Open work is the whole ledger's; pace and warnings are the run's. */
export function collectReportData(database: LedgerDatabase, summary: Summary, runId: number): ReportData {
  const { open, problems, warnings } = summary;
  const since = Date.parse(summary.startedAt);
  const codeOf = ({ code }: ProblemExample) => code;
  // Most runs end well, so only nonzero counts are looked up.
  const waiting = total(open.events) > 0 ? tallyHeld(database) : [];
  const held = waiting.length > 0 ? heldEvents(database, most.held) : [];
  return {
    summary: { ...summary, waiting },
    pace: paceOf(database, runId),
    problems: problems.length === 0 ? [] : groupsOf(problems, problemExamples(database, most.perCode), codeOf),
    warnings: warnings.length === 0 ? [] : groupsOf(warnings, warningExamples(database, since, most.perCode), codeOf),
    held: groupsOf(waiting, held, ({ reason }) => reason),
    stranded: total(open.documents) > 0 ? strandedDocuments(database, most.stranded) : { total: 0, items: [] },
  };
}

/** By code, largest first: one code may count rows and events. */
function groupsOf<Item>(
  counts: readonly { code: Code; count: number }[],
  items: readonly Item[],
  codeOf: (item: Item) => string,
): Group<Item>[] {
  return [...Map.groupBy(counts, ({ code }) => code)]
    .map(([code, all]) => ({ code, total: sumOf(all, "count"), items: items.filter((item) => codeOf(item) === code) }))
    .toSorted((left, right) => right.total - left.total);
}
