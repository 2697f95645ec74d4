import type { Code } from "./codes.js";

/** A problem of a row or record; its file, sheet and row are stored beside it. */
export interface Problem {
  code: Code;
  /** One sentence, with the value shortened to 80 characters. */
  message: string;
  hint: string | null;
  /** Null: not a single column. */
  column: string | null;
}

/** Of no single column. */
export const problem = (code: Code, message: string, hint: string | null = null): Problem => ({
  code,
  message,
  hint,
  column: null,
});
