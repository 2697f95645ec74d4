/** What an import would do, as lines for a terminal. Text only; whoever calls it prints it. */
import { grouped, shortDuration } from "../report/figures.js";
import { plainLines, plainText } from "../report/plain-text.js";
import type { Plan } from "./pipeline.js";
import { type Colors, problemTable, rowTable } from "./text-tables.js";

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
    problemTable("Problems", plan.problems, columns, colors),
    problemTable("Would wait", plan.waiting, columns, colors),
    problemTable("May be refused", plan.doubted, columns, colors),
    plan.preview === null ? "" : previewLines(plan.preview, colors),
    "Nothing was sent, and the ledger is as it was.",
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

/** Each request with its body; texts from cells are escaped by JSON, and made plain. */
function previewLines(preview: NonNullable<Plan["preview"]>, colors: PlanLook["colors"]): string {
  const { kind, key, generation, requests, held, deferred, refused } = preview;
  const replacement = generation > 1 ? `, generation ${generation}` : "";
  const left = [
    held > 0 ? `${grouped(held)} held` : "",
    deferred > 0 ? `${grouped(deferred)} deferred` : "",
    refused > 0 ? `${grouped(refused)} that can never be sent` : "",
  ].filter((text) => text !== "");
  const title = colors.bold(`Requests of ${plainText(kind)} ${plainText(key)}${replacement}`);
  const lines = requests.map(({ method, path, body }) => {
    return `${method} ${plainText(path)}\n${plainLines(JSON.stringify(body, null, 2))}`;
  });
  if (requests.length === 0) lines.push("none");
  if (left.length > 0) lines.push(`Not sent now: ${left.join(", ")}`);
  return [title, ...lines].join("\n");
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
