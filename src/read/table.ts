/**
 * What both readers give: an input with its tables, a table with its header and a stream of rows. A table that
 * cannot be read to its end throws; whoever stages it then submits nothing (HARD-CASES H14).
 */
import type { Dialect, ReadOptions } from "../model/dialect.js";
import type { Row } from "../model/row.js";

export interface Input {
  /** The file's name without its folder; `stdin` for standard input. */
  name: string;
  /** Standard input: its name says nothing of it. */
  nameless: boolean;
  format: "csv" | "xlsx";
  /** SHA-256 in hex: of the file's bytes on the disk; of a file within a zip file, of its own. */
  contentHash: string;
  bytes: number;
  /** Sheets in workbook order; for CSV one entry with sheet null. */
  sheets: { sheet: string | null; hidden: boolean }[];
  /** What shows that it is a rejected file of ours, corrected or not; null: it is none. Safe to call twice. */
  corrected(): Promise<Corrected | null>;
  /**
   * A corrected file has its header in its first row and one sheet of rows, whatever the options say.
   * @throws RowferryError when there is no such sheet or no header.
   */
  open(options: ReadOptions): Promise<Table>;
  /** How many of `bytes` lie behind the rows that have come. */
  position(): number;
  /** Frees the file and whatever was spooled. Safe to call twice. */
  close(): Promise<void>;
}

export interface Corrected {
  /** The sheet that holds its rows; null for CSV. */
  sheet: string | null;
  /** What its first row says of the row it corrects (`rowferry_row`); null: nothing. */
  reference: string | null;
}

export interface Table {
  sheet: string | null;
  /** Header texts as they stand in the file (trimmed), by position; letters where the header is `none`. */
  header: string[];
  /** The number of the (last) header row; null where there is none. */
  headerRow: number | null;
  /** All header rows, where several are joined; null where there is one, or none. */
  joinedRows: number[] | null;
  /** Why what was taken for the header may be a row of data; null: nothing speaks for it. */
  headerDoubt: string | null;
  dialect: Dialect;
  /** What a person should know (a skipped preamble, hidden rows, a fallback encoding, what was not clear-cut), one sentence each. Complete when `rows` has ended. */
  notes: string[];
  /**
   * The rows below the header, in batches of some dozens, in file order; blank rows left out. To be
   * consumed once. @throws RowferryError where the rest of the file cannot be read.
   */
  rows(): AsyncIterable<Row[]>;
}
