/** What an import would do, as lines for a terminal. Text only; whoever calls it prints it. */
import { grouped, shortDuration } from "../report/figures.js";
import type { Plan } from "./pipeline.js";
import { type Colors, rowTable } from "./text-tables.js";

export interface PlanLook {
  columns: number;
  colors: Colors;
}

/** Several lines without a closing line feed. */
export function printPlan(plan: Plan, { columns, colors }: PlanLook): string {
  const { events } = plan;
  const counts = [
    `${grouped(events.ready)} to send`,
    events.held > 0 ? `${grouped(events.held)} held` : "",
    events.deferred > 0 ? `${grouped(events.deferred)} deferred` : "",
    events.refused > 0 ? `${grouped(events.refused)} that can never be sent` : "",
  ].filter((text) => text !== "");
  const sections = [
    rowTable({ inputs: plan.inputs, rows: sum(plan.inputs) }, columns, colors),
    [`${"documents".padEnd(13)} ${grouped(plan.documents)}`, `${"events".padEnd(13)} ${counts.join(", ")}`].join("\n"),
    requestLines(plan, colors),
    "Nothing was sent, and the ledger is as it was.",
  ];
  return sections.join("\n\n");
}

function requestLines({ requests, secondsAtLimit }: Plan, colors: PlanLook["colors"]): string {
  const kinds = Object.entries(requests).filter(([, count]) => count > 0);
  if (kinds.length === 0) return `${colors.bold("Requests")}      none`;
  const most = kinds.reduce((total, [, count]) => total + count, 0);
  // Participants that the service knows already need a lookup, and no create.
  const least = most - (requests["create-participant"] ?? 0);
  const range = least === most ? grouped(most) : `${grouped(least)} to ${grouped(most)}`;
  const byKind = kinds.map(([kind, count]) => `${grouped(count)} ${kind}`).join(", ");
  return `${colors.bold("Requests")}      ${range}, at least ${shortDuration(secondsAtLimit)} at the limit\n${" ".repeat(14)}${byKind}`;
}

function sum(inputs: Plan["inputs"]) {
  const total = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
  for (const input of inputs)
    for (const fate of Object.keys(total) as (keyof typeof total)[]) total[fate] += input[fate];
  return total;
}
