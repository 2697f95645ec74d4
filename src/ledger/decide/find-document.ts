/** The document that a person means. */
import { RowferryError } from "../../model/error.js";
import { type DocumentKey, documentDeduplicationId } from "../../model/keys.js";
import type { LedgerDatabase } from "../ledger-database.js";

export interface KnownDocument {
  id: number;
  namespace: string;
  kind: string;
  key: string;
  generation: number;
  state: string;
  serviceId: string | null;
  externalId: string | null;
  /** Id of the settings it was staged with; null: it was only referred to. */
  settings: number | null;
}

export const knownDocument =
  "d.id, d.namespace, d.external_id AS externalId, d.settings_id AS settings, d.kind, d.key, d.state, d.service_id AS serviceId";

/** The document whose creation has this deduplicationId; undefined: none has. */
export function documentOfKey(database: LedgerDatabase, text: string): (DocumentKey & { id: number }) | undefined {
  if (!/^rf\d+-[0-9a-f]{40}$/.test(text)) return undefined;
  const all = "SELECT id, namespace, kind, key, generation FROM documents";
  for (const document of database.each<DocumentKey & { id: number }>(all))
    if (documentDeduplicationId(document) === text) return document;
  return undefined;
}

/**
 * The newest generation of the document that a person names: `key`, `kind/key` or the deduplicationId of its create.
 * @throws RowferryError `document-unknown` when there is none, or when several kinds share the key
 */
export function findDocument(database: LedgerDatabase, name: string): KnownDocument {
  // Wherever the kind ends, the key is what comes after a slash: by key an index finds it.
  const keys = [name, ...Array.from(name.matchAll(/\//g), ({ index }) => name.slice(index + 1))];
  const found = database.rows<KnownDocument>(
    `SELECT ${knownDocument}, max(d.generation) AS generation FROM documents_now d
     WHERE d.key IN (SELECT value FROM json_each(@keys)) AND (d.key = @name OR d.kind || '/' || d.key = @name)
     GROUP BY d.namespace, d.kind, d.key`,
    { keys: JSON.stringify(keys), name },
  );
  const [only] = found;
  const byKey = only === undefined ? documentOfKey(database, name) : undefined;
  if (byKey !== undefined) return findDocument(database, `${byKey.kind}/${byKey.key}`);
  if (only === undefined) throw new RowferryError("document-unknown", `The ledger has no document ${name}.`);
  if (found.length > 1) {
    const names = found.map(({ kind, key }) => `${kind}/${key}`).join(", ");
    throw new RowferryError("document-unknown", `Several documents have the key ${name}: ${names}.`, {
      hint: "Say which one, with its kind in front.",
    });
  }
  return only;
}
