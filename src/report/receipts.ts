/** `receipts.csv`: which row became which record, and every id that came back. Streamed; not read back by the program. */
import type { Receipt } from "../ledger/views/receipts.js";
import { type OwnCsvOptions, writeOwnCsv } from "./own-csv.js";

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

const names = Object.keys(columns) as (keyof Receipt)[];

/** Not at all where there are no receipts. Gives their number. */
export function writeReceipts(
  path: string,
  receipts: AsyncIterable<Receipt> | Iterable<Receipt>,
  options: OwnCsvOptions = {},
): Promise<number> {
  return writeOwnCsv(path, Object.values(columns), receipts, (receipt) => names.map((name) => receipt[name]), options);
}
