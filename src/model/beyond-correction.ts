/** Codes that no correction of a row can solve: a person decides. */
import type { Code } from "./codes.js";

export const beyondCorrection: readonly Code[] = [
  "changed",
  "foreign-collision",
  "late",
  "after-close",
  "after-cancel",
  "row-gone",
  "cancel-refused",
  "doubt-unsettled",
  "document-stranded",
  "document-gone",
  "lookup-unreadable",
];

export const isBeyondCorrection = (code: Code): boolean => beyondCorrection.includes(code);

export const isCorrectable = ({ problems }: { problems: readonly { code: Code }[] }): boolean =>
  problems.some(({ code }) => !isBeyondCorrection(code));
