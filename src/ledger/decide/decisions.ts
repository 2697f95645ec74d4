/** What a person said became of something in doubt: by whom and when, for good (HARD-CASES H5). */
import type { Database } from "better-sqlite3";

export interface Decision {
  said: "landed" | "not-landed" | "document-id";
  /** Who said so, in words of their own. */
  by: string;
}

/** Keeps it. `key`: the event's deduplicationId; null: it is about the document itself. */
export function keepDecision(
  database: Database,
  subject: { document: number; key: Buffer | null },
  { said, by }: Decision,
  now: number,
): void {
  database
    .prepare("INSERT INTO decisions (document_id, deduplication_id, said, said_by, at) VALUES (?, ?, ?, ?, ?)")
    .run(subject.document, subject.key, said, by, now);
}

export interface KeptDecision extends Decision {
  at: string;
}

/** Those about one event, or about a document itself (key null), oldest first. */
export function decisionsOf(database: Database): (document: number, key: Buffer | null) => KeptDecision[] {
  const select = database.prepare<[number, Buffer | null], { said: Decision["said"]; by: string; at: number }>(
    `SELECT said, said_by AS "by", at FROM decisions WHERE document_id = ? AND deduplication_id IS ? ORDER BY id`,
  );
  return (document, key) => select.all(document, key).map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
}
