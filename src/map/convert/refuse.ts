/** Builds refusals: one wording for quoting what stands in a cell. */
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import type { Refusal } from "./conversion-kind.js";

const longest = 80;

/** The text in quotes, shortened to 80 characters, line breaks and control characters made visible. */
export function quoteCell(text: string): string {
  const shortened = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return JSON.stringify(shortened);
}

export function refuse(code: Code, message: string, hint: string | null = null): { problem: Refusal } {
  return { problem: { code, message, hint } };
}

/** The refusal that every conversion gives for a cell that holds a spreadsheet's error. */
export function refuseErrorCell(text: string): { problem: Refusal } {
  return refuse(
    "cell-error",
    `the cell holds the spreadsheet error ${quoteCell(text)}`,
    "Correct the formula or the value in the workbook.",
  );
}

const kindNames: Record<CellKind, string> = {
  text: "text",
  number: "a number",
  date: "a date",
  time: "a time of day",
  duration: "a duration",
  boolean: "true or false",
  error: "an error",
};

/** The refusal of a cell whose kind in the workbook cannot be what the field needs. */
export function refuseKind(text: string, kind: CellKind, wanted: string): { problem: Refusal } {
  return refuse(
    "cell-kind",
    `the workbook holds ${kindNames[kind]} (${quoteCell(text)}) where ${wanted} is needed`,
    "Correct the cell's value or its number format in the workbook; spreadsheets turn texts such as 1-2 into dates on their own.",
  );
}
