/**
 * The interface of both readers. A table that cannot be read to its end throws, and then nothing of it is sent (H14).
 */
import type { Dialect, ReadOptions } from "../model/dialect.js";
import type { Row } from "../model/row.js";

export interface Input {
  /** Without its folder; `stdin` for standard input. */
  name: string;
  /** Standard input, whose name says nothing. */
  nameless: boolean;
  format: "csv" | "xlsx";
  /** SHA-256 in hex of the file's bytes; of a file within a zip file, of its own. */
  contentHash: string;
  bytes: number;
  /** In workbook order; a CSV file has one entry with sheet null. */
  sheets: { sheet: string | null; hidden: boolean }[];
  /** Null: not a rejected file of ours. */
  corrected(): Promise<Corrected | null>;
  /** The options for one sheet after the other, where they name several; else these alone. */
  each(options: ReadOptions): Promise<ReadOptions[]>;
  /**
   * A corrected file has one sheet of rows, and its header is found by our own columns, whatever the options say. @throws
   * RowferryError when there is no such sheet or header.
   */
  open(options: ReadOptions): Promise<Table>;
  /** How many of `bytes` the rows so far have used. */
  position(): number;
  /** Also removes the temporary file. Safe to call twice. */
  close(): Promise<void>;
}

export interface Corrected {
  /** Null for CSV. */
  sheet: string | null;
  /** The reference in its first row (`rowferry_row`); null: none. */
  reference: string | null;
}

export interface Table {
  sheet: string | null;
  /** Trimmed, by position; letters if the header is `none`. */
  header: string[];
  /** The last header row; null: there is none. */
  headerRow: number | null;
  /** All header rows, where several are joined; null where there is one, or none. */
  joinedRows: number[] | null;
  /** Why the header may be a row of data; null: no doubt. */
  headerDoubt: string | null;
  dialect: Dialect;
  /** What a person should know, one sentence each. Complete when `rows` has ended. */
  notes: string[];
  /**
   * In batches of some dozens, in file order, without blank rows. Can be read once. @throws RowferryError when the rest
   * cannot be read.
   */
  rows(): AsyncIterable<Row[]>;
}
