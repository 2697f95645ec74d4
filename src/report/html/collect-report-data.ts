/** What the HTML report shows, read from a ledger and a run's summary. Knows no HTML. */
import type { LedgerDatabase } from "../../ledger/open-ledger.js";
import { type ProblemExample, problemExamples, warningExamples } from "../../ledger/views/problems.js";
import { type Pace, paceOf, type UnresolvedPlace, unresolvedPlaces } from "../../ledger/views/past-runs.js";
import {
  failedTimelines,
  type HeldRecord,
  heldEvents,
  type StrandedRecord,
  strandedDocuments,
  type TimelineRecord,
} from "../../ledger/views/timelines.js";
import type { Code } from "../../model/codes.js";
import type { Summary } from "../../model/summary.js";
import { total } from "../outcome.js";

/** Some of `total` items. */
export interface Sample<Item> {
  total: number;
  items: Item[];
}

/** All problems of one cause, with the first of them. */
export type ProblemGroup = { code: Code } & Sample<ProblemExample>;

export interface ReportData {
  summary: Summary;
  /** Requests sent, in equal spans of time from the first request on; null when none was sent. */
  pace: Pace | null;
  problems: ProblemGroup[];
  warnings: ProblemGroup[];
  held: Sample<HeldRecord>;
  stranded: Sample<StrandedRecord>;
  geographies: Sample<UnresolvedPlace>;
  /** Documents of which something failed. */
  timelines: Sample<TimelineRecord>;
}

/** How many examples a section gets; the counts are always of all. */
const most = { perCode: 20, held: 200, stranded: 100, geographies: 100, timelines: 40, eventsOfTimeline: 40 };

/** What is open is of the whole ledger, as it is now; pace and warnings are the run's own. */
export function collectReportData(database: LedgerDatabase, summary: Summary, runId: number): ReportData {
  const { open, problems, warnings } = summary;
  // Those have a section of their own.
  const others = warnings.filter(({ code }) => code !== "address-unresolved");
  const since = Date.parse(summary.startedAt);
  // Most runs end well: what the tallies count none of is not looked for.
  const nothing = { total: 0, items: [] };
  return {
    summary,
    pace: paceOf(database, runId),
    problems: problems.length === 0 ? [] : grouped(problems, problemExamples(database, most.perCode)),
    warnings: others.length === 0 ? [] : grouped(others, warningExamples(database, since, most.perCode)),
    held: total(open.events) > 0 ? heldEvents(database, most.held) : nothing,
    stranded: total(open.documents) > 0 ? strandedDocuments(database, most.stranded) : nothing,
    geographies: others.length < warnings.length ? unresolvedPlaces(database, since, most.geographies) : nothing,
    timelines:
      problems.length > 0
        ? failedTimelines(database, { documents: most.timelines, events: most.eventsOfTimeline })
        : nothing,
  };
}

/** One group a code, the largest first: the same code may count rows here and events there. */
function grouped(counts: Summary["problems"], examples: readonly ProblemExample[]): ProblemGroup[] {
  const groups = new Map<Code, ProblemGroup>();
  for (const { code, count } of counts) {
    const group = groups.get(code) ?? { code, total: 0, items: [] };
    groups.set(code, { ...group, total: group.total + count });
  }
  for (const example of examples) groups.get(example.code)?.items.push(example);
  return [...groups.values()].toSorted((left, right) => right.total - left.total);
}
