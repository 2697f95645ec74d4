/** Errors of a whole workbook. Faults of single cells are in `sheet.ts` and `cell-value.ts`. */
import type { Code } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";

/** `what` completes "the workbook is damaged: …". */
export function corrupt(file: string, what: string, details: { sheet?: string; cause?: unknown } = {}): RowferryError {
  const { sheet, cause } = details;
  return new RowferryError("file-corrupt", `the workbook is damaged: ${what}`, { place: { file, sheet }, cause });
}

export function oversized(file: string, what: string): RowferryError {
  return new RowferryError("file-oversized", what, {
    place: { file },
    hint: "If the workbook is genuine, open it and save the sheet as CSV (UTF-8).",
  });
}

/** Uses the code's own remedy unless there is a hint. */
export function refused(code: Code, file: string, message: string, hint?: string): RowferryError {
  return new RowferryError(code, message, { place: { file }, ...(hint === undefined ? {} : { hint }) });
}

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
