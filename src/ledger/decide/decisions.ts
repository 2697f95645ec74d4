/** What a person said became of something in doubt: by whom and when, for good (HARD-CASES H5). */
import type { LedgerDatabase } from "../ledger-database.js";

export interface Decision {
  said: "landed" | "not-landed" | "document-id";
  /** Who said so, in words of their own. */
  by: string;
}

/** Keeps it for good. `key`: the event's deduplicationId; null: it is about the document itself. */
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
