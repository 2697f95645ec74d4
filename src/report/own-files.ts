/**
 * receipts.csv, stranded.csv and summary.json. CSV is UTF-8 with a byte order mark (for spreadsheets), with formulas
 * escaped.
 */
import { stringify } from "csv-stringify/sync";
import type { Receipt } from "../ledger/views/receipts.js";
import type { StrandedRecord } from "../ledger/views/waiting.js";
import type { Summary } from "../model/summary.js";
import { writeAtomically } from "./atomic-file.js";
import { plainText } from "./plain-text.js";

/** 0600; also the last line of `--json`. */
export async function writeSummaryFile(path: string, summary: Summary): Promise<void> {
  await writeAtomically(path, (file) => file.write(`${JSON.stringify(summary, null, 2)}\n`));
}

const receiptFields = [
  "input",
  "sheet",
  "row",
  "record",
  "name",
  "key",
  "state",
  "id",
  "snapshotId",
  "documentId",
  "targetDocumentId",
  "deduplicationId",
  "answeredAt",
] as const satisfies (keyof Receipt)[];

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Which row became which record, with every returned id. No file without receipts. @returns their number */
export function writeReceipts(
  path: string,
  receipts: AsyncIterable<Receipt> | Iterable<Receipt>,
  delimiter?: string,
): Promise<number> {
  const cellsOf = (receipt: Receipt) => receiptFields.map((field) => receipt[field]);
  return writeOwnCsv(path, receiptFields.map(snakeCase), receipts, cellsOf, delimiter);
}

/** Read back by `resolve --from` (H5). */
export const STRANDED_FILE = "stranded.csv";

const strandedHeader = ["document", "deduplication_id", "sent_at", "request_ids", "waiting_events", "document_id"];

/** Each stranded document with evidence and an empty column for its id. No file without them. @returns their number */
export function writeStranded(path: string, stranded: Iterable<StrandedRecord>, delimiter?: string): Promise<number> {
  const cellsOf = ({ document, deduplicationId, sentAt, requestIds, waiting }: StrandedRecord) => {
    const sent = sentAt === 0 ? "" : new Date(sentAt).toISOString();
    return [`${document.kind}/${document.key}`, deduplicationId, sent, requestIds.join(", "), waiting, ""];
  };
  return writeOwnCsv(path, strandedHeader, stranded, cellsOf, delimiter);
}

/**
 * 0600; no file without rows. `delimiter`: a CSV input's, so that the same program opens it. @returns the number of
 * rows
 */
function writeOwnCsv<Item>(
  path: string,
  header: readonly string[],
  items: AsyncIterable<Item> | Iterable<Item>,
  cellsOf: (item: Item) => readonly (string | number | null)[],
  delimiter = ",",
): Promise<number> {
  // A single LF or CR ends a row for most readers, and the library quotes only its own line end.
  const quoting = { quoted_match: /[\r\n]/, escape_formulas: true };
  return writeAtomically(path, async (file) => {
    const add = (cells: readonly (string | number | null)[]) =>
      file.write(stringify([cells], { delimiter, record_delimiter: "\r\n", ...quoting }));
    let count = 0;
    for await (const item of items) {
      if (count === 0) {
        file.write("\uFEFF");
        add(header);
      }
      count += 1;
      add(cellsOf(item).map((cell) => (typeof cell === "string" ? visible(cell) : cell)));
    }
    return count;
  });
}

/** Shows a terminal's escapes, because an id may be anything (F68); line ends stay, quoted. */
const visible = (cell: string): string =>
  cell
    .split(/(\r\n|\r|\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join("");
