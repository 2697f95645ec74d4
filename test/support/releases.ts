/** What is kept of every release (fixtures/releases), and how its keys are read. */
import { openLedgerReadOnly } from "../../src/ledger/open-ledger.js";

/** Folder of examples/, mapping, file. */
export const imports = [
  ["weighings", "weighings.yaml", "weighings-2025-11-19.csv"],
  ["payments", "payments.yaml", "payments-2025-11.csv"],
  ["laboratory", "samples.yaml", "samples-2025-11.tsv"],
] as const;

/** The key of every event of a ledger, which no later version may change, as CSV. */
export function keysOf(ledger: string): string {
  const database = openLedgerReadOnly(ledger, null);
  try {
    const keys = database.values<string>(
      `SELECT concat_ws(',', namespace, kind, key, event, 'rf1-' || lower(hex(deduplication_id))) AS line
       FROM events JOIN documents ON documents.id = document_id ORDER BY line`,
      {},
    );
    return `namespace,kind,key,event,deduplicationId\n${keys.join("\n")}\n`;
  } finally {
    database.close();
  }
}
