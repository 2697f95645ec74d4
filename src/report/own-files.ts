/**
 * Files of a run that the program lays out itself: receipts.csv, stranded.csv and summary.json. CSV in UTF-8 with a byte order
 * mark (spreadsheets need it), formulas escaped, streamed.
 */
import { stringify } from "csv-stringify/sync";
import type { Receipt } from "../ledger/views/receipts.js";
import type { StrandedRecord } from "../ledger/views/timelines.js";
import type { Summary } from "../model/summary.js";
import { writeAtomically } from "./atomic-file.js";
import { plainText } from "./plain-text.js";

/** `summary.json`: what a run did, for programs; the last line of `--json`. Whole or not at all, 0600. */
export async function writeSummaryFile(path: string, summary: Summary): Promise<void> {
  await writeAtomically(path, (file) => file.write(`${JSON.stringify(summary, null, 2)}\n`));
}

const receiptColumns: { [key in keyof Receipt]: string } = {
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

const receiptNames = Object.keys(receiptColumns) as (keyof Receipt)[];

/** `receipts.csv`: which row became which record, and every id that came back. Not at all where there are no receipts. Gives their number. */
export function writeReceipts(
  path: string,
  receipts: AsyncIterable<Receipt> | Iterable<Receipt>,
  options: OwnCsvOptions = {},
): Promise<number> {
  return writeOwnCsv(
    path,
    Object.values(receiptColumns),
    receipts,
    (receipt) => receiptNames.map((name) => receipt[name]),
    options,
  );
}

/** `resolve --from` reads it back (HARD-CASES H5). */
export const STRANDED_FILE = "stranded.csv";

const strandedHeader = ["document", "deduplication_id", "sent_at", "request_ids", "waiting_events", "document_id"];

/** Every stranded document with the evidence by which a person finds it, and an empty column for its id. Not at all where there are none. Gives their number. */
export function writeStranded(
  path: string,
  stranded: Iterable<StrandedRecord>,
  options: OwnCsvOptions = {},
): Promise<number> {
  return writeOwnCsv(path, strandedHeader, stranded, strandedCells, options);
}

function strandedCells({ document, deduplicationId, sentAt, requestIds, waiting }: StrandedRecord) {
  const sent = sentAt === 0 ? "" : new Date(sentAt).toISOString();
  return [`${document.kind}/${document.key}`, deduplicationId, sent, requestIds.join(", "), waiting, ""];
}

type OwnCell = string | number | null;

export interface OwnCsvOptions {
  /** That of a CSV input, so that the same spreadsheet program opens it; default `,`. */
  delimiter?: string;
}

const ROWS_AT_ONCE = 500;

/** 0600, whole or not at all, and not at all where there are no rows. Gives their number. */
function writeOwnCsv<Item>(
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
