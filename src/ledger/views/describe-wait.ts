/** What a held event waits for, in words: `row:…`, `event:…`, `document:…`, `participant:…`, `address:…`. Reads only. */
import type { Database } from "better-sqlite3";
import { describeRow } from "./describe-row.js";

/** `event weighing of manifest 310025 (rejected), m.csv, row 17`; the text itself where it names nothing known. */
export function describeWait(database: Database, waitsFor: string | null): string {
  const match = /^(row|event|document|participant|address):(-?\d+)$/.exec(waitsFor ?? "");
  if (match === null) return waitsFor ?? "something that is not known";
  const id = Number(match[2]);
  const kind = match[1];
  if (kind === "row") return `the correction of ${describeRow(database, id)}`;
  if (kind === "event") return describeEventWait(database, id);
  if (kind === "document") return describeDocumentWait(database, id);
  return describeRegistrationWait(database, kind === "participant" ? "participant" : "address", id);
}

function describeEventWait(database: Database, id: number): string {
  const event = database
    .prepare<[number], { event: string; kind: string; key: string; state: string; row_id: number | null }>(
      `SELECT e.event, d.kind, d.key, e.state, (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row_id
       FROM events_now e JOIN documents d ON d.id = e.document_id
       WHERE e.id = ?`,
    )
    .get(id);
  if (event === undefined) return "an event that is no longer there";
  const { event: name, kind, key, state, row_id } = event;
  return `event ${name} of ${kind} ${key} (${state}), ${describeRow(database, row_id)}`;
}

function describeDocumentWait(database: Database, id: number): string {
  const document = database
    .prepare<[number], { kind: string; key: string; declared: number; state: string }>(
      `SELECT d.kind, d.key, d.declared, d.state FROM documents_now d WHERE d.id = ?`,
    )
    .get(id);
  if (document === undefined) return "a document that is no longer there";
  const state = document.declared === 0 ? "no row has brought it yet" : document.state;
  return `${document.kind} ${document.key} (${state})`;
}

/** `ref`: the record's id, or minus the id of an alias. */
function describeRegistrationWait(database: Database, kind: "participant" | "address", ref: number): string {
  const table = kind === "participant" ? "participants" : "addresses";
  const key = kind === "participant" ? "json_extract(t.payload, '$.taxId')" : "t.identity";
  const found = database
    .prepare<[number, number, number], { key: string | null; state: string }>(
      `SELECT ${key} AS key, t.state FROM ${table} t
       WHERE t.id = iif(? > 0, ?, (SELECT ${kind}_id FROM ${kind}_aliases WHERE id = -?))`,
    )
    .get(ref, ref, ref);
  if (found === undefined) return `${kind} that no row has brought yet`;
  return `${kind} ${found.key ?? "with a given id"} (${found.state})`;
}
