import type { Database } from "better-sqlite3";

/**
 * The participant and address that a restored event refers to until its row comes again: aliases that nobody declares, so
 * that nothing without a body is ever sent. `find`: null where no ledger was rebuilt.
 */
export function restoredReference(
  database: Database,
  mode: "find" | "make",
): { participant: number; address: number } | null {
  const found = (["participant", "address"] as const).map((kind) => {
    const table = `${kind}_aliases`;
    if (mode === "make") {
      database.prepare(`INSERT OR IGNORE INTO ${table} (kind, key) VALUES ('#journal', '#journal')`).run();
    }
    return database
      .prepare<[], number>(`SELECT id FROM ${table} WHERE kind = '#journal' AND key = '#journal'`)
      .pluck()
      .get();
  });
  const [participant, address] = found;
  return participant === undefined || address === undefined ? null : { participant: -participant, address: -address };
}
