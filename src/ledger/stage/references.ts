/**
 * References between records inside the ledger. A participant or address is its id, or minus the id of an alias
 * whose owner may not be known yet; a document is a row that may not be declared yet.
 */
import type { Database } from "better-sqlite3";
import { detachText } from "../../model/detach.js";
import type { AddressRef, ParticipantRef } from "../../model/records.js";
import { NewDocuments } from "./new-documents.js";
import { absorbDocument } from "../decide/one-document.js";

/** Ids by text, forgotten all at once when they grow too many: flat memory for any number of rows. */
export class IdCache {
  private readonly ids = new Map<string, number>();
  private readonly limit: number;

  constructor(limit = 5000) {
    this.limit = limit;
  }

  get(name: string): number | undefined {
    return this.ids.get(name);
  }

  set(name: string, id: number): number {
    if (this.ids.get(name) === id) return id;
    if (this.ids.size >= this.limit) this.ids.clear();
    this.ids.set(detachText(name), id);
    return id;
  }

  clear(): void {
    this.ids.clear();
  }
}

/** The same by two names, which spares joining them for every row. */
class PairCache<First> {
  private readonly caches = new Map<First, Map<string, number>>();
  private size = 0;

  get(first: First, second: string): number | undefined {
    return this.caches.get(first)?.get(second);
  }

  set(first: First, second: string, id: number): number {
    if (this.get(first, second) === id) return id;
    if (this.size >= 5000) this.clear();
    const cache = this.caches.get(first) ?? new Map<string, number>();
    this.caches.set(first, cache.set(detachText(second), id));
    this.size += 1;
    return id;
  }

  clear(): void {
    this.caches.clear();
    this.size = 0;
  }
}

export interface References {
  /** The same without making anything; null: it is not there. */
  findParticipant(ref: ParticipantRef): number | null;
  /** What a reference that stands in the ledger names. */
  participantNamed(ref: number): ParticipantRef;
  addressNamed(ref: number): AddressRef;
  /** One text for all names of one participant, as far as the ledger knows; writes nothing. */
  participantText(ref: ParticipantRef): string;
  addressText(ref: AddressRef): string;
  /** The reference of a participant; makes the alias, or the row of a given id, when it is not there. */
  participant(ref: ParticipantRef): number;
  /** Null: an address by identity that no row has declared. */
  address(ref: AddressRef): number | null;
  /** The newest generation's row; made undeclared when it is not there. */
  document(kind: string, key: string): number;
  /** The same; undefined when it is not there. */
  findDocument(kind: string, key: string): number | undefined;
  /** The newest generation of the document that the service knows by that id; undefined: the ledger has none. */
  documentById(serviceId: string): number | undefined;
  /** Rows that name a document by its id may call a known one by another kind and key: it is one document, with one lane. */
  identify(kind: string, key: string, serviceId: string): void;
  /** Says that a document that was not there is now. */
  addDocument(kind: string, key: string, id: number): void;
  newDocuments: NewDocuments;
}

export function createReferences(
  database: Database,
  namespace: string,
  now: number,
  isNew: (kind: string, key: string) => void = () => {},
): References {
  const cache = new IdCache();
  const places = new PairCache<number>();
  const documents = new PairCache<string>();
  const participantByKey = database
    .prepare<[string], number>("SELECT id FROM participants WHERE natural_key = ?")
    .pluck();
  const givenParticipant = database.prepare<[string, string, number]>(
    `INSERT INTO participants (natural_key, payload, state, origin, service_id, changed_at)
     VALUES (?, '{}', 'registered', 'given', ?, ?)`,
  );
  const participantAlias = database
    .prepare<[string, string], number>("SELECT id FROM participant_aliases WHERE kind = ? AND key = ?")
    .pluck();
  const makeParticipantAlias = database.prepare<[string, string]>(
    "INSERT INTO participant_aliases (kind, key) VALUES (?, ?)",
  );
  const addressByIdentity = database
    .prepare<[number, string], number>("SELECT id FROM addresses WHERE participant_ref = ? AND identity = ?")
    .pluck();
  const givenAddress = database.prepare<[string, string, number]>(
    `INSERT INTO addresses (participant_ref, identity, payload, extended, state, origin, service_id, changed_at)
     VALUES (0, ?, '{}', '{}', 'registered', 'given', ?, ?)`,
  );
  const addressAlias = database
    .prepare<[string, string], number>("SELECT id FROM address_aliases WHERE kind = ? AND key = ?")
    .pluck();
  const makeAddressAlias = database.prepare<[string, string]>("INSERT INTO address_aliases (kind, key) VALUES (?, ?)");
  const documentByKey = database
    .prepare<[string, string, string], number>(
      "SELECT id FROM documents WHERE key = ? AND kind = ? AND namespace = ? ORDER BY generation DESC LIMIT 1",
    )
    .pluck();
  let anyAliases = database.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM document_aliases)").pluck().get() === 1;
  const documentByAlias = database
    .prepare<[string, string, string], number>(
      `SELECT g.id FROM document_aliases a JOIN documents d ON d.id = a.document_id
       JOIN documents g ON g.namespace = d.namespace AND g.kind = d.kind AND g.key = d.key
       WHERE a.namespace = ? AND a.kind = ? AND a.key = ? ORDER BY g.generation DESC LIMIT 1`,
    )
    .pluck();
  const makeDocument = database.prepare<[string, string, string]>(
    "INSERT INTO documents (namespace, kind, key, declared, mode) VALUES (?, ?, ?, 0, 'create')",
  );
  const inserted = (result: { lastInsertRowid: number | bigint }) => Number(result.lastInsertRowid);

  const participant = (ref: ParticipantRef): number => {
    if (ref.by === "alias") {
      const name = `p ${ref.kind.length} ${ref.kind}${ref.key}`;
      const alias = cache.get(name) ?? participantAlias.get(ref.kind, ref.key);
      return -cache.set(name, alias ?? inserted(makeParticipantAlias.run(ref.kind, ref.key)));
    }
    const key = ref.by === "natural" ? ref.key : `id:${ref.id}`;
    const known = cache.get(key) ?? participantByKey.get(key);
    if (known !== undefined) return cache.set(key, known);
    if (ref.by === "id") return cache.set(key, inserted(givenParticipant.run(key, ref.id, now)));
    throw new Error("a participant is referred to before it is staged");
  };

  const address = (ref: AddressRef): number | null => {
    if (ref.by === "identity") {
      const owner = participant(ref.participant);
      const known = places.get(owner, ref.identity) ?? addressByIdentity.get(owner, ref.identity);
      return known === undefined ? null : places.set(owner, ref.identity, known);
    }
    if (ref.by === "id") {
      return addressByIdentity.get(0, ref.id) ?? inserted(givenAddress.run(ref.id, ref.id, now));
    }
    const name = `a ${ref.kind.length} ${ref.kind}${ref.key}`;
    const alias = cache.get(name) ?? addressAlias.get(ref.kind, ref.key);
    return -cache.set(name, alias ?? inserted(makeAddressAlias.run(ref.kind, ref.key)));
  };

  const findDocument = (kind: string, key: string): number | undefined => {
    const cached = documents.get(kind, key);
    if (cached !== undefined) return cached;
    const stored =
      documentByKey.get(key, kind, namespace) ?? (anyAliases ? documentByAlias.get(namespace, kind, key) : undefined);
    return stored === undefined ? undefined : documents.set(kind, key, stored);
  };

  const byServiceId = database
    .prepare<[string, string], number>(
      `SELECT g.id FROM document_states s JOIN documents d ON d.id = s.document_id
       JOIN documents g ON g.namespace = d.namespace AND g.kind = d.kind AND g.key = d.key
       WHERE s.service_id = ? AND d.namespace = ? ORDER BY g.generation DESC LIMIT 1`,
    )
    .pluck();
  const hasId = database
    .prepare<[number], number>(
      "SELECT EXISTS (SELECT 1 FROM document_states WHERE document_id = ? AND state <> 'planned')",
    )
    .pluck();
  const addAlias = database.prepare<[string, string, string, number]>(
    "INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id) VALUES (?, ?, ?, ?)",
  );
  const documentById = (serviceId: string): number | undefined => byServiceId.get(serviceId, namespace);
  const identify = (kind: string, key: string, serviceId: string): void => {
    const known = documentById(serviceId);
    const named = findDocument(kind, key);
    if (known === undefined || named === known) return;
    // Referred to before it was known what it is; with an id of its own it is another document.
    if (named === undefined) addAlias.run(namespace, kind, key, known);
    else if (hasId.get(named) === 1) return;
    else absorbDocument(database, named, known);
    documents.set(kind, key, known);
    anyAliases = true;
  };

  const participantById = database
    .prepare<[number], string>("SELECT natural_key FROM participants WHERE id = ?")
    .pluck();
  const addressById = database.prepare<[number], { participant_ref: number; identity: string }>(
    "SELECT participant_ref, identity FROM addresses WHERE id = ?",
  );
  const participantAliasById = database.prepare<[number], { kind: string; key: string }>(
    "SELECT kind, key FROM participant_aliases WHERE id = ?",
  );
  const addressAliasById = database.prepare<[number], { kind: string; key: string }>(
    "SELECT kind, key FROM address_aliases WHERE id = ?",
  );
  const participantOfAlias = database
    .prepare<[string, string], number | null>(
      "SELECT participant_id FROM participant_aliases WHERE kind = ? AND key = ?",
    )
    .pluck();
  const addressOfAlias = database
    .prepare<[string, string], number | null>("SELECT address_id FROM address_aliases WHERE kind = ? AND key = ?")
    .pluck();
  const aliased = (found: { kind: string; key: string } | undefined) =>
    ({ by: "alias", kind: found?.kind ?? "", key: found?.key ?? "" }) as const;

  const findParticipant = (ref: ParticipantRef): number | null => {
    if (ref.by !== "alias") return participantByKey.get(ref.by === "id" ? `id:${ref.id}` : ref.key) ?? null;
    const alias = participantAlias.get(ref.kind, ref.key);
    return alias === undefined ? null : -alias;
  };
  const participantNamed = (ref: number): ParticipantRef => {
    if (ref < 0) return aliased(participantAliasById.get(-ref));
    const key = participantById.get(ref) ?? "";
    return key.startsWith("id:") ? { by: "id", id: key.slice(3) } : { by: "natural", key };
  };
  const addressNamed = (ref: number): AddressRef => {
    if (ref < 0) return aliased(addressAliasById.get(-ref));
    const { participant_ref, identity } = addressById.get(ref) ?? { participant_ref: 0, identity: "" };
    if (participant_ref === 0) return { by: "id", id: identity };
    return { by: "identity", participant: participantNamed(participant_ref), identity };
  };
  const participantText = (ref: ParticipantRef): string => {
    if (ref.by === "natural") return ref.key;
    if (ref.by === "id") return `id:${ref.id}`;
    const owner = participantOfAlias.get(ref.kind, ref.key) ?? null;
    return owner === null ? JSON.stringify([ref.kind, ref.key]) : participantText(participantNamed(owner));
  };
  const addressText = (ref: AddressRef): string => {
    if (ref.by === "id") return `id:${ref.id}`;
    if (ref.by === "identity") return JSON.stringify([participantText(ref.participant), ref.identity]);
    const place = addressOfAlias.get(ref.kind, ref.key) ?? null;
    return place === null ? JSON.stringify([ref.kind, ref.key]) : addressText(addressNamed(place));
  };

  const newDocuments = new NewDocuments();
  const addDocument = (kind: string, key: string, id: number): void => {
    documents.set(kind, key, id);
    newDocuments.add(id);
    isNew(kind, key);
  };

  const document = (kind: string, key: string): number => {
    const found = findDocument(kind, key);
    if (found !== undefined) return found;
    const made = inserted(makeDocument.run(namespace, kind, key));
    addDocument(kind, key, made);
    return made;
  };

  return {
    participant,
    address,
    findParticipant,
    participantNamed,
    addressNamed,
    participantText,
    addressText,
    document,
    findDocument,
    documentById,
    identify,
    addDocument,
    newDocuments,
  };
}
