/** A fingerprint of all that is open, so that a plan can be held to what it was. Reads only. */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";

/** What is to be sent, and in which state it is; each ordered by what it is, not by when it was staged. */
const open = [
  `SELECT json_array('participant', natural_key, payload, state) FROM participants
   WHERE state <> 'registered' ORDER BY natural_key`,
  `SELECT json_array('address', identity, payload, extended, state) FROM addresses
   WHERE state <> 'registered' ORDER BY identity, payload, extended`,
  `SELECT json_array('document', d.namespace, d.kind, d.key, d.generation, d.external_id, d.fields, coalesce(s.state, 'planned'))
   FROM documents d LEFT JOIN document_states s ON s.document_id = d.id
   WHERE s.service_id IS NULL AND d.declared = 1 ORDER BY d.namespace, d.kind, d.key, d.generation`,
  `SELECT json_array('event', d.namespace, d.kind, d.key, d.generation, hex(e.deduplication_id), hex(e.content_hash), e.at, o.state, o.code)
   FROM open_events o JOIN events e ON e.id = o.id AND e.document_id = o.document_id JOIN documents d ON d.id = e.document_id
   ORDER BY d.namespace, d.kind, d.key, d.generation, e.at, e.rank, e.deduplication_id`,
  `SELECT json_array('row', r.fate, r.settled, i.content_hash, i.sheet, r.id & 4294967295) FROM rows r JOIN inputs i ON i.id = r.id >> 32
   WHERE r.fate = 'invalid' AND r.settled IS NULL ORDER BY i.content_hash, i.sheet, r.id & 4294967295`,
];

/** SHA-256, in hexadecimal. */
export function digestOfOpenWork(database: Database): string {
  const hash = createHash("sha256");
  for (const sql of open)
    for (const line of database.prepare<[], string>(sql).pluck().iterate()) hash.update(`${line}\n`);
  return hash.digest("hex");
}

/** Of an input's bytes. */
export function contentHashOf(database: Database, inputId: number): string {
  const hash = database.prepare<[number], string>("SELECT content_hash FROM inputs WHERE id = ?").pluck().get(inputId);
  if (hash === undefined) throw new Error(`no input ${inputId}`);
  return hash;
}
