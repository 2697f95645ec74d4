/** CSV files of the program's own: UTF-8 with a byte order mark (spreadsheets need it), formulas escaped. Streamed. */
import { stringify } from "csv-stringify/sync";
import { writeAtomically } from "./atomic-file.js";
import { plainText } from "./plain-text.js";

export type OwnCell = string | number | null;

export interface OwnCsvOptions {
  /** That of a CSV input, so that the same spreadsheet program opens it; default `,`. */
  delimiter?: string;
}

const ROWS_AT_ONCE = 500;

/** 0600, whole or not at all, and not at all where there are no rows. Gives their number. */
export function writeOwnCsv<Item>(
  path: string,
  header: readonly string[],
  items: AsyncIterable<Item> | Iterable<Item>,
  cellsOf: (item: Item) => readonly OwnCell[],
  { delimiter = "," }: OwnCsvOptions = {},
): Promise<number> {
  // A lone line feed or carriage return ends a row for most readers, and the library quotes only its own line end.
  const quoting = { quoted_match: /[\r\n]/, escape_formulas: true };
  const text = (rows: OwnCell[][]) => stringify(rows, { delimiter, record_delimiter: "\r\n", ...quoting });
  return writeAtomically(path, async (file) => {
    let count = 0;
    let waiting: OwnCell[][] = [[...header]];
    let mark = "\uFEFF";
    const flush = async () => {
      await file.write(mark + text(waiting));
      mark = "";
      waiting = [];
    };
    for await (const item of items) {
      count += 1;
      waiting.push(cellsOf(item).map((cell) => (typeof cell === "string" ? visible(cell) : cell)));
      if (waiting.length >= ROWS_AT_ONCE) await flush();
    }
    if (count > 0 && waiting.length > 0) await flush();
    return count;
  });
}

/** Escapes of a terminal become visible, for an id may be anything (F68); line ends stay, and are quoted. */
const visible = (cell: string): string =>
  cell
    .split(/(\r\n|\r|\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join("");
