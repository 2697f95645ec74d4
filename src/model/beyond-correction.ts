/** What has landed, or can no longer take its place, is not mended by another row: a person decides. */
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
];

export const isBeyondCorrection = (code: Code): boolean => beyondCorrection.includes(code);
