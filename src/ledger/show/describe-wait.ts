import type { Database } from "better-sqlite3";
import { describeRow } from "../describe-row.js";

/** `row:…`, `event:…`, `document:…`, `participant:…`, `address:…` or `time`, as stored beside a held event, in words. */
export function describeWait(database: Database, wait: string): string {
  const [kind = "", text = ""] = wait.split(":");
  const id = Number(text);
  switch (kind) {
    case "row":
      return describeRow(database, id);
    case "event": {
      const event = database
        .prepare<[number], { event: string; kind: string; key: string; row: number | null; state: string | null }>(
          `SELECT e.event, d.kind, d.key, (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS row, s.state
           FROM events e JOIN documents d ON d.id = e.document_id LEFT JOIN event_states s ON s.event_id = e.id WHERE e.id = ?`,
        )
        .get(id);
      if (event === undefined) return "an event that is no longer there";
      return `${event.event} of ${event.kind} ${event.key}, ${event.state ?? "planned"} (${describeRow(database, event.row)})`;
    }
    case "document": {
      const document = database
        .prepare<[number], { kind: string; key: string; state: string | null; declared: number }>(
          `SELECT d.kind, d.key, s.state, d.declared FROM documents d
           LEFT JOIN document_states s ON s.document_id = d.id WHERE d.id = ?`,
        )
        .get(id);
      if (document === undefined) return "a document that is no longer there";
      const state = document.declared === 0 && document.state === null ? "in no file so far" : document.state;
      return `${document.kind} ${document.key}, ${state ?? "planned"}`;
    }
    case "participant":
    case "address":
      return describeRegistration(database, kind, id);
    default:
      return wait;
  }
}

function describeRegistration(database: Database, kind: "participant" | "address", ref: number): string {
  const table = kind === "participant" ? "participants" : "addresses";
  if (ref < 0) {
    const alias = database
      .prepare<[number], { kind: string; key: string; record: number | null }>(
        `SELECT kind, key, ${kind}_id AS record FROM ${kind}_aliases WHERE id = ?`,
      )
      .get(-ref);
    if (alias?.record == null) return `${kind} ${alias?.kind ?? ""} ${alias?.key ?? ""}, in no file so far`;
    return describeRegistration(database, kind, alias.record);
  }
  const name = kind === "participant" ? "json_extract(payload, '$.taxId')" : "json_extract(payload, '$.name')";
  const record = database
    .prepare<[number], { name: string | null; state: string }>(
      `SELECT ${name} AS name, state FROM ${table} WHERE id = ?`,
    )
    .get(ref);
  return `${kind} ${record?.name ?? ""}, ${record?.state ?? "unknown"}`;
}
