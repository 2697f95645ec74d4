/** What an import would do: the answer, the numbers, what a person would have to do. Text only. */
import type { RowCounts } from "../../model/summary.js";
import { atLimit, counted, grouped } from "../../report/figures.js";
import type { NextStep } from "../../report/next-steps.js";
import { rowSum, total } from "../../report/outcome.js";
import { plainLines, plainText } from "../../report/plain-text.js";
import type { Plan } from "../pipeline.js";
import { causes, problemSections } from "./problems.js";
import { labelled, type Look, wrapped } from "./text.js";

export interface PlanLook extends Look {
  /** The command that sends it. */
  command: string;
}

export function printPlan(plan: Plan, look: PlanLook): { text: string[]; next: NextStep[] } {
  const numbers = [
    labelled("Rows", rowSum(rowsOf(plan), plan.outcomes, true), look),
    eventLine(plan, look),
    requestLine(plan, look),
  ];
  return {
    text: [
      wrapped(answer(plan), look),
      numbers.filter((text) => text !== "").join("\n"),
      ...problemSections(plan.problems, look),
      causes("Would wait", "for something that is not there yet", plan.waiting, look),
      causes("Would be sent", "the service may refuse these", plan.doubted, look),
      plan.preview === null ? "" : previewLines(plan.preview, look.colors),
    ],
    next: plan.events.ready > 0 || most(plan) > 0 ? [{ command: look.command, why: "send it" }] : [],
  };
}

function answer(plan: Plan): string {
  if (most(plan) === 0) return "Would send nothing. Nothing was sent, and the ledger is unchanged.";
  const { ready } = plan.events;
  const what = ready === 0 ? "" : `${counted(ready, "event")} on ${counted(plan.documents, "document")} with `;
  return `Would send ${what}${requestCount(plan)}: ${atLimit(plan.secondsAtLimit)}. Nothing was sent.`;
}

const most = ({ requests }: Plan): number => total(requests);

/** Participants that the service knows already need a lookup, and no create. */
function requestCount(plan: Plan): string {
  const upTo = most(plan);
  const least = upTo - (plan.requests["create-participant"] ?? 0);
  return least === upTo ? counted(upTo, "request") : `${grouped(least)} to ${counted(upTo, "request")}`;
}

function requestLine({ requests }: Plan, look: Look): string {
  const kinds = Object.entries(requests).filter(([, count]) => count > 0);
  const text = kinds.map(
    ([kind, count]) => `${kind === "create-participant" ? "up to " : ""}${grouped(count)} ${kind}`,
  );
  return text.length === 0 ? "" : labelled("Requests", text.join(", "), look);
}

/** Nothing where all of them would go. */
function eventLine({ events }: Plan, look: Look): string {
  const left = leftBehind(events);
  return left.length === 0 ? "" : labelled("Events", [`${grouped(events.ready)} to send`, ...left].join(", "), look);
}

function leftBehind({ held, deferred, refused }: { held: number; deferred: number; refused: number }): string[] {
  return [
    held > 0 ? `${grouped(held)} held` : "",
    deferred > 0 ? `${grouped(deferred)} in the future` : "",
    refused > 0 ? `${grouped(refused)} that can never be sent` : "",
  ].filter((text) => text !== "");
}

/** Each request with its body; texts from cells are escaped by JSON, and made plain. */
function previewLines(preview: NonNullable<Plan["preview"]>, colors: Look["colors"]): string {
  const { kind, key, generation, requests } = preview;
  const replacement = generation > 1 ? `, generation ${generation}` : "";
  const left = leftBehind(preview);
  const lines = requests.map(
    ({ method, path, body }) => `${method} ${plainText(path)}\n${plainLines(JSON.stringify(body, null, 2))}`,
  );
  if (requests.length === 0) lines.push("none");
  if (left.length > 0) lines.push(`Not sent now: ${left.join(", ")}`);
  return [colors.bold(`Requests of ${plainText(kind)} ${plainText(key)}${replacement}`), ...lines].join("\n");
}

function rowsOf({ inputs }: Plan): RowCounts {
  const sum = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
  for (const input of inputs) for (const fate of Object.keys(sum) as (keyof RowCounts)[]) sum[fate] += input[fate];
  return sum;
}
