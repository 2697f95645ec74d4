/** A fingerprint of all open work, for `import --plan`. */
import { createHash } from "node:crypto";
import type { LedgerDatabase } from "../ledger-database.js";

/** Ordered by content, not by when it was staged. */
const open = [
  `SELECT json_array(kind, identity, payload, extended, state) AS line FROM registrations
   WHERE state <> 'registered' ORDER BY kind DESC, identity, payload, extended`,
  `SELECT json_array('document', namespace, kind, key, generation, external_id, fields, state) AS line
   FROM documents_now WHERE service_id IS NULL AND declared = 1 ORDER BY namespace, kind, key, generation`,
  `SELECT json_array('event', d.namespace, d.kind, d.key, d.generation, hex(e.deduplication_id), hex(e.content_hash), e.at, o.state, o.code) AS line
   FROM open_events o JOIN events e ON e.id = o.id AND e.document_id = o.document_id JOIN documents d ON d.id = e.document_id
   ORDER BY d.namespace, d.kind, d.key, d.generation, e.at, e.rank, e.deduplication_id`,
  `SELECT json_array('row', i.content_hash, i.sheet, r.id & 4294967295) AS line
   FROM invalid_rows r JOIN inputs i ON i.id = r.id >> 32 ORDER BY i.content_hash, i.sheet, r.id & 4294967295`,
];

export function digestOfOpenWork(database: LedgerDatabase): string {
  const hash = createHash("sha256");
  for (const text of open) for (const { line } of database.each<{ line: string }>(text)) hash.update(`${line}\n`);
  return hash.digest("hex");
}

export function contentHashOf(database: LedgerDatabase, input: number): string {
  const hash = database.value<string>("SELECT content_hash FROM inputs WHERE id = @input", { input });
  if (hash === null) throw new Error(`no input ${input}`);
  return hash;
}
