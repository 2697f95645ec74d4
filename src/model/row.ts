import type { Problem } from "./problem.js";

/**
 * What a cell was in its file. CSV knows only text. Excel distinguishes numbers, dates and booleans, and their text
 * is then canonical whatever the mapping's formats say:
 * - `number`: plain decimal notation with a point, no exponent, no grouping (`-1234.5`);
 * - `percent`: a number shown as a percentage, as the workbook stores it (`0.125` for 12.5%);
 * - `date`: ISO 8601 local, `2026-03-01` or `2026-03-01T14:05:00` (fraction only where there is one);
 * - `time`: `14:05:00`; `duration`: `PT36H5M`; `boolean`: `true` or `false`;
 * - `error`: the error's name (`#N/A`): no field may take it.
 */
export type CellKind = "text" | "number" | "percent" | "date" | "time" | "duration" | "boolean" | "error";

/** What a spreadsheet keeps of a cell beyond its text and kind, so that a rejected workbook can give it back. */
export interface CellLook {
  /** Its number format; absent: General. */
  format?: string;
  /** A number with the unit that its format shows: `12.5 t`. */
  shown?: string;
  /** The mapping has read it so. */
  unitRead?: true;
  /** What the file holds where the text is not that: the number behind `00043`; "" for a formula that gives a blank text. */
  stored?: string;
  /** As it would be in row 1; null: it uses other rows. Absent: the cell has no formula. */
  formula?: string | null;
}

/** The unit of `shown`. */
export const shownUnit = (look: CellLook | null | undefined): string | undefined => look?.shown?.replace(/^\S+ /, "");

/** CSV files keep zeros and signs from a spreadsheet by writing `="00123"`, whose text is `00123`. */
export const textOf = (cell: string): string => (cell.startsWith('="') ? cell.replace(/^="([^"]*)"$/, "$1") : cell);

export type Looks = (CellLook | null)[];

/** Why a hidden row is left out. */
export const HIDDEN = "hidden in its sheet";

export interface Row {
  /** From 1. CSV: the line on which the row begins; Excel: the row's number. */
  number: number;
  /** One for each column of the header; "" if blank or missing. Of a `row-long` row also those beyond it. */
  cells: string[];
  /** Null: all text. */
  kinds: CellKind[] | null;
  /** By position, with gaps; absent: cells are nothing but their texts. */
  looks?: Looks | undefined;
  /** From the reader (short or long row, error cell …); such a row is invalid. Null: none. */
  problems: Problem[] | null;
  /** Where the row was that it corrects, for formulas that name its place; absent: it corrects none. */
  corrects?: { file: string; sheet: string | null; row: number } | undefined;
  /** Why the row is skipped: hidden, or by `skip`; absent: it is not. */
  leftOut?: string;
  /** What may be wrong with `skip`; absent: nothing. */
  doubts?: Problem[];
}
