/** Documents whose keys differ only by case, width or leading zeros from another one's: often they are one. */
import type { Database } from "better-sqlite3";
import { foldKey } from "../../model/near-keys.js";

/** Gives, for a new document, the key of another one that is nearly equal; null: there is none. Only odd keys are kept. */
export function createOddKeys(database: Database, namespace: string): (kind: string, key: string) => string | null {
  const plain = database
    .prepare<[string, string, string], string>(
      "SELECT key FROM documents WHERE key = ? AND kind = ? AND namespace = ? LIMIT 1",
    )
    .pluck();
  const odd = database
    .prepare<[string, string, string, string], string>(
      "SELECT key FROM odd_keys WHERE namespace = ? AND kind = ? AND folded = ? AND key <> ? LIMIT 1",
    )
    .pluck();
  const keep = database.prepare<[string, string, string, string]>(
    "INSERT OR IGNORE INTO odd_keys (namespace, kind, folded, key) VALUES (?, ?, ?, ?)",
  );
  let any = database.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM odd_keys)").pluck().get() === 1;
  return (kind, key) => {
    const folded = foldKey(key);
    if (folded === key) return any ? (odd.get(namespace, kind, folded, key) ?? null) : null;
    any = true;
    keep.run(namespace, kind, folded, key);
    return plain.get(folded, kind, namespace) ?? odd.get(namespace, kind, folded, key) ?? null;
  };
}
