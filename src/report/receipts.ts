/** `receipts.csv`: which row became which record, and every id that came back. Streamed; not read back by the program. */
import { stringify } from "csv-stringify/sync";
import type { Receipt } from "../ledger/receipts.js";
import { writeAtomically } from "./atomic-file.js";

const columns: { [key in keyof Receipt]: string } = {
  input: "input",
  sheet: "sheet",
  row: "row",
  record: "record",
  name: "name",
  key: "key",
  state: "state",
  id: "id",
  snapshotId: "snapshot_id",
  documentId: "document_id",
  targetDocumentId: "target_document_id",
  deduplicationId: "deduplication_id",
  answeredAt: "answered_at",
};

export interface ReceiptsOptions {
  /** The delimiter of the first CSV input, so that the same spreadsheet program opens it; default `,`. */
  delimiter?: string;
}

/**
 * UTF-8 with a byte order mark (spreadsheets need it), formulas escaped, 0600. Whole or not at all, and not at all where
 * there are no receipts. Gives their number.
 */
export function writeReceipts(
  path: string,
  receipts: AsyncIterable<Receipt> | Iterable<Receipt>,
  options: ReceiptsOptions = {},
): Promise<number> {
  const format = { delimiter: options.delimiter ?? ",", record_delimiter: "\r\n", escape_formulas: true };
  const names = Object.keys(columns) as (keyof Receipt)[];
  const write = createLine(format);
  return writeAtomically(path, async (file) => {
    let count = 0;
    let text = `\uFEFF${stringify([Object.values(columns)], format)}`;
    for await (const some of inChunks(receipts)) {
      for (const receipt of some) text += write(names.map((name) => receipt[name]));
      count += some.length;
      await file.write(text);
      text = "";
    }
    return count;
  });
}

/** One by one, each would be waited for. */
async function* inChunks(receipts: AsyncIterable<Receipt> | Iterable<Receipt>): AsyncGenerator<Receipt[]> {
  let chunk: Receipt[] = [];
  if (Symbol.iterator in receipts) {
    for (const receipt of receipts) if (chunk.push(receipt) === 500) yield chunk.splice(0);
  } else {
    for await (const receipt of receipts) if (chunk.push(receipt) === 500) yield chunk.splice(0);
  }
  if (chunk.length > 0) yield chunk;
}

/** Ids, times and most keys: nothing in them that a quote or an escape is for, whatever the delimiter. */
const plain = /^(?:[\p{L}\p{N}][\p{L}\p{N} ._:/-]*)?$/u;

/** What csv-stringify writes, without its work for cells that need none of it. */
function createLine(format: Parameters<typeof stringify>[1] & { delimiter: string }) {
  return (cells: readonly (string | number | null)[]): string => {
    const texts = cells.map((cell) => (cell === null ? "" : String(cell)));
    return texts.every((text) => plain.test(text)) && !plain.test(`x${format.delimiter}`)
      ? `${texts.join(format.delimiter)}\r\n`
      : stringify([cells], format);
  };
}
