/** The end of a run: the answer, the numbers, what a person must do, what to type. Texts from outside are made plain (HARD-CASES H35). */
import { ExitCode } from "../../model/exit-code.js";
import type { Summary } from "../../model/summary.js";
import { atLimit, counted, grouped } from "../../report/figures.js";
import { type NextStep, nextSteps } from "../../report/next-steps.js";
import { answer, endings, registrations, rowSum, total } from "../../report/outcome.js";
import { plainText } from "../../report/plain-text.js";
import { causes, problemSections } from "./problems.js";
import { labelled, type Look, wrapped } from "./text.js";

export interface SummaryLook extends Look {
  /** How a path is shown. */
  shown: (path: string) => string;
}

/** `closing`: the last line: what this was, and where to look. */
export function printSummary(
  summary: Summary,
  look: SummaryLook,
): { text: string[]; next: NextStep[]; closing: string } {
  const { colors, columns } = look;
  const paint = summary.exitCode === ExitCode.ok ? colors.green : colors.yellow;
  const numbers = [
    summary.rows.read > 0 ? labelled("Rows", rowSum(summary.rows, summary.outcomes), look) : "",
    requestLine(summary, look),
  ];
  return {
    text: [
      paint(wrapped(plainText(answer(summary), 600), { columns })),
      numbers.filter((text) => text !== "").join("\n"),
      ...problemSections(summary.problems, look),
      causes("Worth a look", "sent all the same", summary.warnings, look),
    ],
    next: nextSteps(summary, look.shown),
    closing: closingLine(summary, look.shown),
  };
}

function closingLine({ target, run, exitCode, files }: Summary, shown: (path: string) => string): string {
  const report = files.find(({ kind }) => kind === "report");
  const ending = exitCode === ExitCode.ok ? "" : ` · exit ${exitCode}, ${endings[exitCode].word}`;
  const place = report === undefined ? "" : `\n${shown(report.path)}`;
  return `${plainText(target.name)} · run ${plainText(run)}${ending}${place}`;
}

function requestLine(summary: Summary, look: Look): string {
  const { sent, retries, rateLimited, secondsAtLimit, limit } = summary.requests;
  if (sent === 0) return "";
  const parts = [`${grouped(sent)}, ${atLimit(secondsAtLimit, limit)}`];
  if (retries > 0) parts.push(counted(retries, "retry", "retries"));
  if (rateLimited > 0) parts.push(`${grouped(rateLimited)} refused as too many (429)`);
  // The answer says it where nothing else was done.
  const registered = total(summary.events) > 0 ? registrations(summary) : "";
  if (registered !== "") parts.push(`${registered} registered`);
  return labelled("Requests", parts.join("; "), look);
}
