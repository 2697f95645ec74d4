/**
 * Packs bodies of landed events and attempts of finished requests. Keys, hashes, ids, times and dismissals stay as they
 * are, so known rows stay known (H24).
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { createPages } from "../pages.js";

/** Of so many events and requests. */
export interface Pruned {
  payloads: number;
  attempts: number;
}

const CHUNK = 2000;

/** `before`: ms; what finished earlier is packed. The caller holds the lock. */
export function pruneLedger(database: LedgerDatabase, before: number): Pruned {
  const packOld = (kind: "bodies" | "attempts", old: string, emptied: string) => {
    const pages = createPages<string>(database, kind);
    const packSome = () => {
      const some = database.rows<{ id: number; text: string }>(`${old} ORDER BY id LIMIT ${CHUNK}`, { before });
      for (const { id, text } of some) {
        pages.add([[id, text]]);
        database.run(emptied, { id });
      }
      pages.flush();
      return some.length;
    };
    let count = 0;
    for (;;) {
      const packed = database.atomic(packSome);
      if (packed === 0) return count;
      count += packed;
    }
  };
  return {
    payloads: packOld(
      "bodies",
      "SELECT id, payload AS text FROM events_now WHERE payload <> '' AND known AND changed_at < @before",
      "UPDATE events SET payload = '' WHERE id = @id",
    ),
    attempts: packOld(
      "attempts",
      "SELECT id, attempts AS text FROM requests WHERE attempts IS NOT NULL AND finished_at < @before",
      "UPDATE requests SET attempts = NULL WHERE id = @id",
    ),
  };
}
