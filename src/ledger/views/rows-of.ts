import type { Database } from "better-sqlite3";
import type { Selection } from "../decide/selection.js";

/** The rows (ids, see row-id.ts) behind everything that a selection holds. */
export function rowsOf(database: Database, selection: Selection): Set<number> {
  const rows = new Set<number>(selection.rows);
  const ofEvent = database.prepare<[number], number>("SELECT row_id FROM row_events WHERE event_id = ?").pluck();
  for (const event of selection.events) for (const row of ofEvent.all(event)) rows.add(row);
  for (const table of ["documents", "participants", "addresses"] as const) {
    const declared = database.prepare<[number], number | null>(`SELECT row_id FROM ${table} WHERE id = ?`).pluck();
    for (const id of selection[table]) {
      const row = declared.get(id);
      if (row != null) rows.add(row);
    }
  }
  return rows;
}
