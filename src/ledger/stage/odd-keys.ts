/** Documents whose keys differ only by case, width or leading zeros from another one's: often they are one. */
import { foldKey } from "../../model/near-keys.js";
import type { LedgerDatabase } from "../ledger-database.js";

/** Of a new document, the key of another one that is nearly equal; null: there is none. Only odd keys are kept. */
export function nearlyEqualKey(database: LedgerDatabase, namespace: string, kind: string, key: string): string | null {
  const folded = foldKey(key);
  const names = { namespace, kind, key, folded };
  const odd = database.value<string>(
    "SELECT key FROM odd_keys WHERE namespace = @namespace AND kind = @kind AND folded = @folded AND key <> @key LIMIT 1",
    names,
  );
  if (folded === key) return odd ?? null;
  database.run(
    "INSERT OR IGNORE INTO odd_keys (namespace, kind, folded, key) VALUES (@namespace, @kind, @folded, @key)",
    names,
  );
  const plain = "SELECT key FROM documents WHERE key = @folded AND kind = @kind AND namespace = @namespace LIMIT 1";
  return database.value<string>(plain, names) ?? odd ?? null;
}
