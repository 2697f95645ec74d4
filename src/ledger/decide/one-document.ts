/**
 * Merges two names of one document: rows may name it by its service id before the ledger knows that the document under
 * its own key has that id. One document has one row here, and so one lane (P2).
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { Writer } from "../writer.js";

/** Moves everything known of `from` to `into`. Inside the caller's transaction. */
export function absorbDocument(database: LedgerDatabase, from: number, into: number, now: number): void {
  new Writer(database).documentAbsorbed(from, into, now);
  const run = (text: string) => database.run(text, { from, into });
  for (const table of ["events", "placements", "decisions", "dismissals", "document_aliases"])
    run(`UPDATE ${table} SET document_id = @into WHERE document_id = @from`);
  for (const column of ["related_document", "target_document"])
    run(`UPDATE events SET ${column} = @into WHERE ${column} = @from`);
  run("UPDATE requests SET subject_id = @into WHERE subject = 'document' AND subject_id = @from");
  run("UPDATE OR IGNORE row_records SET record_id = @into WHERE kind = 'document' AND record_id = @from");
  run(`INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id)
    SELECT namespace, kind, key, @into FROM documents WHERE id = @from`);
  run("DELETE FROM open_documents WHERE document_id = @from");
  run("DELETE FROM documents WHERE id = @from AND id <> @into");
  run("INSERT OR IGNORE INTO open_documents (document_id) VALUES (@into)");
}
