/** What a person said about records in doubt, with name and time; kept permanently (H5). */
import type { LedgerDatabase } from "../ledger-database.js";

export interface Decision {
  said: "landed" | "not-landed" | "document-id";
  by: string;
}

/** `key`: the event's deduplicationId; null: the document itself. */
export function keepDecision(
  database: LedgerDatabase,
  { document, key }: { document: number; key: Buffer | null },
  { said, by }: Decision,
  now: number,
): void {
  database.run(
    "INSERT INTO decisions (document_id, deduplication_id, said, said_by, at) VALUES (@document, @key, @said, @by, @now)",
    { document, key, said, by, now },
  );
}
