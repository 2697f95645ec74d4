import type { Code } from "./codes.js";

/** Something wrong with one row or one record. The row's file, sheet and number stand beside it, not in it. */
export interface Problem {
  code: Code;
  /** The cause in a sentence; names the offending value, shortened to 80 characters. */
  message: string;
  /** What to change; null when the message says it all. */
  hint: string | null;
  /** The header of the column at fault; null when it is not one column's. */
  column: string | null;
}
