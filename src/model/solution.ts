/** Who solves what a code names: a person who corrects the row, one who decides, or the next run. */
import { type Code, codes } from "./codes.js";

/**
 * Every plan checks these again while their document is open: the CLOSE before an event may have been refused since.
 */
export const refusedByPlan: readonly Code[] = ["late", "after-close", "after-cancel", "target-exists"];

/** Correcting a row does not solve these. */
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

/** What no row describes: the rows that refer to it may have a mistyped key. */
export const missing: readonly Code[] = ["reference-unknown", "participant-not-registered", "address-not-registered"];

/** Why events wait, where no row to correct or decide explains it. */
export const unexplainedWaits: readonly Code[] = [
  ...missing,
  "related-cancelled",
  "content-missing",
  "import-refused",
  "target-id-unknown",
  "link-circle",
];
