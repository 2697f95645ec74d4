/** What a person must do, by cause: how many, what is wrong with one, where it is, and its code; then what to type. */
import { isBeyondCorrection } from "../../model/beyond-correction.js";
import { codes } from "../../model/codes.js";
import type { ToldProblem } from "../../model/summary.js";
import { grouped } from "../../report/figures.js";
import type { NextStep } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { type Look, wrapped } from "./text.js";

/** More causes than this are counted, and `rejects` and the report have them all. */
const MOST = 12;

/** Rows to correct, what no correction helps, and what needs only the next run. Nothing where there are no problems. */
export function problemSections(problems: readonly ToldProblem[], look: Look): string[] {
  const decide = problems.filter(({ code }) => isBeyondCorrection(code));
  const inDoubt = problems.filter(({ code }) => !isBeyondCorrection(code) && codes[code].transient);
  const correct = problems.filter(({ code }) => !isBeyondCorrection(code) && !codes[code].transient);
  return [
    causes("To correct", "in the file; then import it again", correct, look),
    causes("To decide", "no correction of the row can send these", decide, look),
    causes("In doubt", "the next run settles these", inDoubt, look),
  ].filter((text) => text !== "");
}

/** Largest first. */
export function causes(title: string, lead: string, problems: readonly ToldProblem[], look: Look): string {
  if (problems.length === 0) return "";
  const { colors } = look;
  const largest = problems.toSorted((left, right) => right.count - left.count);
  const width = grouped(largest[0]?.count ?? 0).length + 2;
  const lines = largest.slice(0, MOST).map((problem) => cause(problem, width, look));
  const left = largest.length - MOST;
  if (left > 0)
    lines.push(`${" ".repeat(width + 2)}and ${grouped(left)} more causes; \`rowferry rejects\` lists every row`);
  const heading = wrapped(lead === "" ? title : `${title}: ${lead}`, { columns: look.columns });
  return [heading.replace(title, colors.bold(title)), ...lines].join("\n");
}

/** Where the column is named, the field of the mapping tells a person nothing more. */
const field = /^(?:(?:event|participant|address|document|attribute) "[^"]*": )+/;

function cause({ code, count, place, column, example }: ToldProblem, width: number, { columns, colors }: Look): string {
  const said =
    column === null
      ? plainText(example, 400)
      : `${plainText(column, 60)}: ${plainText(example.replace(field, ""), 400)}`;
  const where = [place === null ? "" : plainText(place, 200), code].filter((text) => text !== "").join(" · ");
  const indent = " ".repeat(width + 2);
  const first = `${grouped(count).padStart(width)}  `;
  return `${wrapped(said, { columns, first, rest: indent })}\n${colors.dim(wrapped(where, { columns, first: indent }))}`;
}

/** Commands to type, each with what it is for. */
export function steps(next: readonly NextStep[], { columns, colors }: Look): string {
  return next
    .map(({ why, command }) => `${colors.bold(command)}\n${wrapped(why, { columns, first: "    " })}`)
    .join("\n");
}
