import { type Code, codes } from "../model/codes.js";
import { foldName } from "../model/fold.js";
import { RowferryError } from "../model/error.js";
import { type DocumentKey, documentDeduplicationId, type DocumentName, joinKey, partOfKey } from "../model/keys.js";
import type { LedgerDatabase } from "./ledger-database.js";

export interface KnownDocument extends DocumentKey {
  id: number;
  state: string;
  serviceId: string | null;
  externalId: string | null;
  /** Settings it was staged with; null: it was only referred to. */
  settings: number | null;
}

/** Null: none. */
export const documentById = (database: LedgerDatabase, id: number | null): KnownDocument | null =>
  database.row<KnownDocument>(
    `SELECT id, namespace, external_id AS externalId, settings_id AS settings, kind, key, generation, state, service_id AS serviceId
     FROM documents_now WHERE id = @id`,
    { id },
  );

/** The first that finds any counts; a part of a composed key comes last. */
const ways = [
  "d.key IN @keys AND (d.key = @name OR d.kind || '/' || d.key = @name OR d.name = @name)",
  "d.key IN @composed",
  "d.external_id = @name",
  "d.id IN (SELECT document_id FROM document_states WHERE service_id = @name)",
  "d.id IN (SELECT document_id FROM document_aliases WHERE key = @name OR kind || '/' || key = @name)",
  "d.id = @created",
  "instr(', ' || d.key || ', ', @part) > 0",
];

/**
 * All generations of the documents with this name: `key`, `kind/key`, a composed key (`A, 123` or `A/123`) or a part of
 * it, an externalId, a documentId, or the deduplicationId of a create. Empty: none.
 */
export function documentsNamed(database: LedgerDatabase, name: string): number[] {
  // The kind may end at any slash or blank; each possible key is looked up by its index.
  const keys = [name, ...Array.from(name.matchAll(/[/ ]/g), ({ index }) => name.slice(index + 1))];
  const composed = keys.flatMap((key) => [/, */, /\//, / +/].map((between) => key.split(between)));
  const values = {
    name,
    keys,
    composed: composed.filter(({ length }) => length > 1).map(joinKey),
    created: createdBy(database, name),
    part: partOfKey(name),
  };
  for (const way of ways) {
    const found = generationsOf(database, way, values);
    if (found.length > 0) return found;
  }
  return generationsOf(database, "d.id IN @alike", { alike: namedLike(database, name) });
}

const generationsOf = (database: LedgerDatabase, documents: string, values: object) =>
  database.values<number>(
    `SELECT g.id FROM documents d JOIN generations g ON g.of_id = d.id WHERE ${documents} GROUP BY g.id ORDER BY g.namespace, g.kind, g.key, g.generation`,
    values,
  );

interface Named extends DocumentName {
  id: number;
  external: string | null;
}

/** That has a name. */
export const everyParticipant =
  "SELECT id, payload ->> 'name' AS name FROM registrations WHERE kind = 'participant' AND payload ->> 'name' IS NOT NULL";
const everyDocument = "SELECT id, kind, key, external_id AS external FROM documents";

/** The same but for case, accents and blanks; a walk over all documents, because no index finds them. */
function namedLike(database: LedgerDatabase, name: string): number[] {
  const wanted = foldName(name);
  const ids: number[] = [];
  for (const { id, kind, key, external } of database.each<Named>(everyDocument))
    if ([key, `${kind}/${key}`, external ?? ""].some((one) => foldName(one) === wanted)) ids.push(id);
  return ids;
}

const MOST_NEAR = 5;

/** Up to five names of documents and participants that begin alike, or hold the text; the nearest first. */
export function namesNear(database: LedgerDatabase, text: string): string[] {
  const wanted = foldName(text.slice(text.indexOf("/") + 1));
  const near = new Map<string, number>();
  const look = (name: string, shown: string) => {
    const folded = foldName(name);
    const differs = Array.from(wanted).findIndex((character, index) => folded[index] !== character);
    const alike = differs === -1 || folded.includes(wanted) ? wanted.length : differs;
    if (alike === 0 || alike < wanted.length / 2) return;
    near.set(shown, alike);
    if (near.size <= MOST_NEAR) return;
    const [farthest] = [...near].reduce((one, other) => (other[1] < one[1] ? other : one));
    near.delete(farthest);
  };
  for (const { kind, key } of database.each<Named>(everyDocument)) look(key, `${kind}/${key}`);
  for (const { name } of database.each<{ name: string }>(everyParticipant)) look(name, name);
  return [...near].toSorted((one, other) => other[1] - one[1]).map(([name]) => name);
}

/** The code's own remedy, after what is near. Undefined: nothing is. */
export function nearHint(near: readonly string[], code: Code): string | undefined {
  return near.length === 0 ? undefined : `Similar names: ${near.join("; ")}. ${codes[code].remedy}`;
}

function createdBy(database: LedgerDatabase, name: string) {
  if (!/^rf\d+-[0-9a-f]{40}$/.test(name)) return null;
  const all = "SELECT id, namespace, kind, key, generation FROM documents";
  for (const document of database.each<DocumentKey & { id: number }>(all))
    if (documentDeduplicationId(document) === name) return document.id;
  return null;
}

/** Empty: none. @throws RowferryError `document-unknown` for several documents */
export function generationsNamed(database: LedgerDatabase, name: string): number[] {
  const ids = documentsNamed(database, name);
  const names = database.values<string>("SELECT DISTINCT kind || '/' || key FROM documents WHERE id IN @ids LIMIT 6", {
    ids,
  });
  if (names.length > 1)
    throw new RowferryError("document-unknown", `${name} names several documents: ${names.join(", ")}.`, {
      hint: "Say which one by putting its kind in front.",
    });
  return ids;
}

/** The newest generation. @throws RowferryError `document-unknown` */
export function findDocument(database: LedgerDatabase, name: string): KnownDocument {
  const found = documentById(database, generationsNamed(database, name).at(-1) ?? null);
  if (found !== null) return found;
  const hint = nearHint(namesNear(database, name), "document-unknown");
  throw new RowferryError("document-unknown", `The ledger has no document ${name}.`, { hint });
}

/** Its own name and those by which rows know it through the id that the service gave it; keys are made of any of them. */
export function namesOf(
  database: LedgerDatabase,
  { namespace, kind, key }: Omit<DocumentKey, "generation">,
): Omit<DocumentKey, "generation">[] {
  const own = { namespace, kind, key };
  return [
    own,
    ...database.rows<typeof own>(
      `SELECT a.namespace, a.kind, a.key FROM document_aliases a JOIN documents d ON d.id = a.document_id
       WHERE d.namespace = @namespace AND d.kind = @kind AND d.key = @key`,
      own,
    ),
  ];
}
