/** CSV files of the program's own: UTF-8 with a byte order mark (spreadsheets need it), formulas escaped. Streamed. */
import { stringify } from "csv-stringify/sync";
import { writeAtomically } from "./atomic-file.js";

export type OwnCell = string | number | null;

export interface OwnCsvOptions {
  /** That of a CSV input, so that the same spreadsheet program opens it; default `,`. */
  delimiter?: string;
}

/** 0600, whole or not at all, and not at all where there are no rows. Gives their number. */
export function writeOwnCsv<Item>(
  path: string,
  header: readonly string[],
  items: AsyncIterable<Item> | Iterable<Item>,
  cellsOf: (item: Item) => readonly OwnCell[],
  options: OwnCsvOptions = {},
): Promise<number> {
  const format = { delimiter: options.delimiter ?? ",", record_delimiter: "\r\n", escape_formulas: true };
  const write = createLine(format);
  return writeAtomically(path, async (file) => {
    let count = 0;
    let text = `\uFEFF${stringify([[...header]], format)}`;
    for await (const some of inChunks(items)) {
      for (const item of some) text += write(cellsOf(item));
      count += some.length;
      await file.write(text);
      text = "";
    }
    return count;
  });
}

/** One by one, each would be waited for. */
async function* inChunks<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  if (Symbol.iterator in items) {
    for (const item of items) if (chunk.push(item) === 500) yield chunk.splice(0);
  } else {
    for await (const item of items) if (chunk.push(item) === 500) yield chunk.splice(0);
  }
  if (chunk.length > 0) yield chunk;
}

/** Ids, times and most keys: nothing in them that a quote or an escape is for, whatever the delimiter. */
const plain = /^(?:[\p{L}\p{N}][\p{L}\p{N} ._:/-]*)?$/u;

/** What csv-stringify writes, without its work for cells that need none of it. */
function createLine(format: Parameters<typeof stringify>[1] & { delimiter: string }) {
  return (cells: readonly OwnCell[]): string => {
    const texts = cells.map((cell) => (cell === null ? "" : String(cell)));
    return texts.every((text) => plain.test(text)) && !plain.test(`x${format.delimiter}`)
      ? `${texts.join(format.delimiter)}\r\n`
      : stringify([cells], format);
  };
}
