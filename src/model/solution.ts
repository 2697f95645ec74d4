/** Who solves what a code names: a person who corrects the row, one who decides, or the next run. */
import { type Code, codes } from "./codes.js";

/** No correction of a row solves these. */
export const decided: readonly Code[] = [
  "changed",
  "foreign-collision",
  "late",
  "after-close",
  "after-cancel",
  "row-gone",
  "cancel-refused",
  "doubt-unsettled",
  "document-stranded",
  "target-id-unknown",
  "document-gone",
  "lookup-unreadable",
];

export function solutionOf(code: Code): "correct" | "decide" | "resume" {
  if (decided.includes(code)) return "decide";
  return codes[code].transient === true ? "resume" : "correct";
}

export const isCorrectable = ({ problems }: { problems: readonly { code: Code }[] }): boolean =>
  problems.some(({ code }) => solutionOf(code) === "correct");
