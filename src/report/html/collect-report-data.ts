/** Builds what the report shows from a ledger and a run's summary. Reads only; knows no HTML. */
import type { LedgerDatabase } from "../../ledger/open-ledger.js";
import { failedTimelines, heldEvents, strandedDocuments } from "../../ledger/views/timelines.js";
import { type ProblemExample, problemExamples, warningExamples } from "../../ledger/views/problems.js";
import { paceOf, unresolvedPlaces } from "../../ledger/views/run-figures.js";
import type { Code } from "../../model/codes.js";
import { describePlace } from "../../model/place.js";
import type { Summary } from "../../model/summary.js";
import type { HeldEvent, IdentityWarning, ProblemGroup, ReportData, UnresolvedGeography } from "./report-data.js";

/** How many examples a section gets; the counts are always of all. */
const most = { perCode: 20, held: 200, stranded: 100, geographies: 100, timelines: 40, eventsOfTimeline: 40 };

/** Codes with a section of their own. */
const identityCodes: readonly Code[] = ["participant-differs", "address-differs", "document-differs"];
const ownSection: readonly Code[] = [...identityCodes, "address-unresolved"];

/** What is open is of the whole ledger, as it is now; pace and warnings are the run's own. */
export function collectReportData(database: LedgerDatabase, summary: Summary, runId: number): ReportData {
  const since = Date.parse(summary.startedAt);
  const { open } = summary;
  const nothing = { total: 0, items: [] };
  // Most runs end well: what the tallies count none of is not looked for.
  const warnings = summary.warnings.length === 0 ? [] : warningExamples(database, since, most.perCode);
  const isUnresolved = summary.warnings.some(({ code }) => code === "address-unresolved");
  const places = isUnresolved ? unresolvedPlaces(database, since, most.geographies) : nothing;
  const isAnyHeld = (open.events["held"] ?? 0) + (open.events["waiting"] ?? 0) > 0;
  const held = isAnyHeld ? heldEvents(database, most.held) : nothing;
  const isAnyStranded = (open.documents["stranded"] ?? 0) > 0;
  return {
    summary,
    pace: paceOf(database, runId),
    problems: summary.problems.length === 0 ? [] : grouped(summary.problems, problemExamples(database, most.perCode)),
    warnings: grouped(
      summary.warnings.filter(({ code }) => !ownSection.includes(code)),
      warnings,
    ),
    held: { total: held.total, items: held.items.map((event) => ({ ...event, reason: waitingReason(event.reason) })) },
    stranded: isAnyStranded ? strandedDocuments(database, most.stranded) : nothing,
    identities: {
      total: sum(summary.warnings.filter(({ code }) => identityCodes.includes(code))),
      items: warnings.filter(({ code }) => identityCodes.includes(code)).map(identityWarning),
    },
    geographies: { total: places.total, items: places.items.map(unresolved) },
    timelines:
      summary.problems.length > 0
        ? failedTimelines(database, { documents: most.timelines, events: most.eventsOfTimeline })
        : nothing,
  };
}

/** One group a code: the same code may count rows here and events there. */
function grouped(counts: Summary["problems"], examples: readonly ProblemExample[]): ProblemGroup[] {
  const groups = new Map<Code, ProblemGroup>();
  for (const { code, count } of counts) {
    const group = groups.get(code) ?? { code, total: 0, rows: [] };
    group.total += count;
    groups.set(code, group);
  }
  for (const { code, ...row } of examples) groups.get(code)?.rows.push(row);
  return [...groups.values()];
}

/** What a held event waits for, as far as it matters to what a person can do. */
function waitingReason(code: string): HeldEvent["reason"] {
  if (code === "behind-stalled" || code === "document-stalled") return "stalled";
  if (code === "behind-unsettled") return "unsettled";
  if (code === "document-stranded" || code === "target-id-unknown") return "stranded";
  if (code === "behind-deferred") return "deferred";
  return code === "reference-unknown" ? "unknown" : "failed";
}

function identityWarning({ code, message, file, sheet, row }: ProblemExample): IdentityWarning {
  const place = describePlace({ file, sheet: sheet ?? undefined, row: row ?? undefined });
  return { code, identity: message.split(/ (?:is|has|was|came) /)[0] ?? message, message, places: [place] };
}

/** The service's answer is read tolerantly: fields that are missing or of another kind are left out. */
function unresolved({ participant, address, geography }: ReturnType<typeof unresolvedPlaces>["items"][number]) {
  const record: Fields = isRecord(geography) ? geography : {};
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  const candidates = (Array.isArray(record["candidates"]) ? (record["candidates"] as unknown[]) : []).filter(isRecord);
  return {
    participant,
    address,
    status: text(record["status"]),
    unresolvedLevel: text(record["unresolvedLevel"]),
    candidates: candidates.slice(0, 12).map((candidate) => ({
      code: text(candidate["code"]) ?? "",
      name: text(candidate["name"]) ?? "",
      subdivisionCode: text(candidate["subdivisionCode"]),
    })),
  } satisfies UnresolvedGeography;
}

type Fields = { [name: string]: unknown };

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sum(counts: Summary["warnings"]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
