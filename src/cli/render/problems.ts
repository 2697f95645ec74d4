/** Problems by cause: how many, what, where, and the code. Texts are plain already. */
import { shorten } from "../../model/fold.js";
import { solutionOf, unexplainedWaits } from "../../model/solution.js";
import type { ToldProblem } from "../../model/summary.js";
import { counted, grouped } from "../../report/figures.js";
import { earlierOf, problemsHere } from "../../report/outcome.js";
import { bold, dim, joined, lines, type Part } from "./text.js";

const MOST = 12;

/** `inLedger`: `rejects` knows them. What earlier imports left is only counted, unless there is nothing else. */
export function problemSections(problems: readonly ToldProblem[], inLedger = true): Part[] {
  const rest = inLedger ? "; `rowferry rejects` lists every row" : "";
  const groups = Map.groupBy(problemsHere(problems), ({ code }) => solutionOf(code));
  const earlier = earlierOf(problems);
  return [
    causes("To correct", "edit these rows, then import them again", groups.get("correct"), rest),
    causes("To decide", "correcting the rows does not help", groups.get("decide"), rest),
    causes("In doubt", "the next run settles these", groups.get("resume")),
    earlier > 0 && `Earlier imports left ${counted(earlier, "more problem")}.`,
  ];
}

/** What no row to correct or decide explains. */
export const waitSection = (waiting: readonly ToldProblem[]): string =>
  causes(
    "To settle",
    "these wait for something else that only you can settle",
    waiting.filter(({ code }) => unexplainedWaits.includes(code)),
  );

/** Largest first; what only waits for something else comes last. */
export function causes(title: string, lead: string, problems: readonly ToldProblem[] = [], rest = ""): string {
  if (problems.length === 0) return "";
  const isBehind = ({ code }: ToldProblem) => Number(code.startsWith("behind-"));
  const largest = problems.toSorted((left, right) => isBehind(left) - isBehind(right) || right.count - left.count);
  const width = grouped(Math.max(...problems.map(({ count }) => count))).length + 2;
  const indent = " ".repeat(width + 2);
  return lines(
    joined([bold(title), lead], ": "),
    largest
      .slice(0, MOST)
      .map(({ code, count, place, column, example, remedy = "" }) => [
        `${grouped(count).padStart(width)}  ${joined([said(column, example), remedy], " ")}`,
        dim(`${indent}${joined([place, code], " · ")}`),
      ]),
    largest.length > MOST && `${indent}and ${counted(largest.length - MOST, "more cause")}${rest}`,
  );
}

/** If the column is named, the mapping's field adds nothing. */
const field = /^(?:(?:event|participant|address|document|attribute) "[^"]*": )+/;

const said = (column: string | null, example: string): string =>
  shorten(column === null ? example : `${shorten(column, 60)}: ${example.replace(field, "")}`, 400);
