/**
 * `stranded.csv`: every stranded document with the evidence by which a person finds it at the service, and an empty
 * column for the id found there (HARD-CASES H5). `resolve --from` reads it back.
 */
import type { StrandedRecord } from "../ledger/views/timelines.js";
import { type OwnCsvOptions, writeOwnCsv } from "./own-csv.js";

export const STRANDED_FILE = "stranded.csv";

const header = ["document", "deduplication_id", "sent_at", "request_ids", "waiting_events", "document_id"];

/** Not at all where there are none. Gives their number. */
export function writeStranded(
  path: string,
  stranded: Iterable<StrandedRecord>,
  options: OwnCsvOptions = {},
): Promise<number> {
  return writeOwnCsv(path, header, stranded, cellsOf, options);
}

function cellsOf({ document, deduplicationId, sentAt, requestIds, waiting }: StrandedRecord) {
  const sent = sentAt === 0 ? "" : new Date(sentAt).toISOString();
  return [`${document.kind}/${document.key}`, deduplicationId, sent, requestIds.join(", "), waiting, ""];
}
