/**
 * References inside the ledger. A participant or address is its id, or minus the id of an alias that may be undeclared;
 * a document is a row that may be undeclared.
 */
import type { AddressRef, ParticipantRef } from "../../model/records.js";
import { absorbDocument } from "../decide/one-document.js";
import type { LedgerDatabase } from "../ledger-database.js";
import type { RegistrationKind } from "../event-key.js";
import { Writer } from "../writer.js";
import { foldKey } from "../../model/near-keys.js";

/** Cached ids, all forgotten at this number: flat memory for any number of rows. */
const MOST_IDS = 20_000;

type Alias = { kind: string; key: string };

export function createReferences(
  database: LedgerDatabase,
  namespace: string,
  now: number,
  isNew: (kind: string, key: string) => void = () => {},
) {
  const writer = new Writer(database);
  const ids = new Map<string, number>();
  const remember = (name: string, id: number): number => {
    if (ids.size >= MOST_IDS) ids.clear();
    ids.set(name, id);
    return id;
  };

  const findRegistration = (kind: RegistrationKind, owner: number, identity: string): number | undefined => {
    const name = `${kind} ${owner} ${identity}`;
    const cached = ids.get(name);
    if (cached !== undefined) return cached;
    const id = database.value<number>(
      "SELECT id FROM registrations WHERE kind = @kind AND owner = @owner AND identity = @identity",
      { kind, owner, identity },
    );
    return id === undefined ? undefined : remember(name, id);
  };

  const given = (kind: RegistrationKind, identity: string, serviceId: string): number =>
    findRegistration(kind, 0, identity) ?? writer.registrationGiven(kind, identity, serviceId, now);

  const findAlias = (kind: RegistrationKind, { kind: name, key }: Alias): number | undefined =>
    database.value<number>("SELECT id FROM aliases WHERE kind = @kind AND name = @name AND key = @key", {
      kind,
      name,
      key,
    });

  const alias = (kind: RegistrationKind, ref: Alias): number => {
    const name = `${kind} alias ${ref.kind} ${ref.key}`;
    const known = ids.get(name) ?? findAlias(kind, ref);
    const make = "INSERT INTO aliases (kind, name, key) VALUES (@kind, @name, @key)";
    return -remember(name, known ?? database.insert(make, { kind, name: ref.kind, key: ref.key }));
  };

  /** The alias or registration behind a stored reference. */
  const named = (ref: number): ({ by: "alias" } & Alias) | { by: "own"; owner: number; identity: string } => {
    if (ref < 0) {
      const found = database.row<Alias>("SELECT name AS kind, key FROM aliases WHERE id = -@ref", { ref });
      return { by: "alias", kind: found?.kind ?? "", key: found?.key ?? "" };
    }
    const found = database.row<{ owner: number; identity: string }>(
      "SELECT owner, identity FROM registrations WHERE id = @ref",
      { ref },
    );
    return { by: "own", owner: found?.owner ?? 0, identity: found?.identity ?? "" };
  };

  /** Null: undeclared. */
  const ownerOf = (kind: RegistrationKind, { kind: name, key }: Alias): number | null =>
    database.value<number | null>(
      "SELECT registration_id FROM aliases WHERE kind = @kind AND name = @name AND key = @key",
      { kind, name, key },
    ) ?? null;

  /** Creates the alias, or the row of a given id, if necessary. */
  const participant = (ref: ParticipantRef): number => {
    if (ref.by === "alias") return alias("participant", ref);
    if (ref.by === "id") return given("participant", `id:${ref.id}`, ref.id);
    const found = findRegistration("participant", 0, ref.key);
    if (found === undefined) throw new Error("a participant is referred to before it is staged");
    return found;
  };

  /** Null: an undeclared address by identity. */
  const address = (ref: AddressRef): number | null => {
    if (ref.by === "alias") return alias("address", ref);
    if (ref.by === "id") return given("address", ref.id, ref.id);
    return findRegistration("address", participant(ref.participant), ref.identity) ?? null;
  };

  /** Creates nothing; null: unknown. */
  const findParticipant = (ref: ParticipantRef): number | null => {
    if (ref.by !== "alias")
      return findRegistration("participant", 0, ref.by === "id" ? `id:${ref.id}` : ref.key) ?? null;
    const found = findAlias("participant", ref);
    return found === undefined ? null : -found;
  };

  /** Creates nothing; null: unknown. */
  const findAddress = (ref: AddressRef): number | null => {
    if (ref.by === "alias") {
      const found = findAlias("address", ref);
      return found === undefined ? null : -found;
    }
    const owner = ref.by === "id" ? 0 : findParticipant(ref.participant);
    return owner === null
      ? null
      : (findRegistration("address", owner, ref.by === "id" ? ref.id : ref.identity) ?? null);
  };

  const participantNamed = (ref: number): ParticipantRef => {
    const found = named(ref);
    if (found.by === "alias") return found;
    const { identity } = found;
    return identity.startsWith("id:") ? { by: "id", id: identity.slice(3) } : { by: "natural", key: identity };
  };

  const addressNamed = (ref: number): AddressRef => {
    const found = named(ref);
    if (found.by === "alias") return found;
    const { owner, identity } = found;
    if (owner === 0) return { by: "id", id: identity };
    return { by: "identity", participant: participantNamed(owner), identity };
  };

  /** One text for all names of a participant; writes nothing. */
  const participantText = (ref: ParticipantRef): string => {
    if (ref.by === "natural") return ref.key;
    if (ref.by === "id") return `id:${ref.id}`;
    const owner = ownerOf("participant", ref);
    return owner === null ? JSON.stringify([ref.kind, ref.key]) : participantText(participantNamed(owner));
  };

  const addressText = (ref: AddressRef): string => {
    if (ref.by === "id") return `id:${ref.id}`;
    if (ref.by === "identity") return JSON.stringify([participantText(ref.participant), ref.identity]);
    const place = ownerOf("address", ref);
    return place === null ? JSON.stringify([ref.kind, ref.key]) : addressText(addressNamed(place));
  };

  /** The newest generation; undefined: none. */
  const findDocument = (kind: string, key: string): number | undefined => {
    const name = `document ${kind} ${key}`;
    const cached = ids.get(name);
    if (cached !== undefined) return cached;
    const id =
      database.value<number>(
        `SELECT id FROM documents WHERE key = @key AND kind = @kind AND namespace = @namespace
         ORDER BY generation DESC LIMIT 1`,
        { kind, key, namespace },
      ) ??
      database.value<number>(
        `SELECT g.id FROM document_aliases a JOIN documents d ON d.id = a.document_id
         JOIN documents g ON g.namespace = d.namespace AND g.kind = d.kind AND g.key = d.key
         WHERE a.namespace = @namespace AND a.kind = @kind AND a.key = @key ORDER BY g.generation DESC LIMIT 1`,
        { kind, key, namespace },
      );
    return id === undefined ? undefined : remember(name, id);
  };

  const addDocument = (kind: string, key: string, id: number): void => {
    remember(`document ${kind} ${key}`, id);
    isNew(kind, key);
  };

  /** The newest generation; created undeclared if necessary. */
  const document = (kind: string, key: string): number => {
    const found = findDocument(kind, key);
    if (found !== undefined) return found;
    const made = database.insert(
      "INSERT INTO documents (namespace, kind, key, declared, mode) VALUES (@namespace, @kind, @key, 0, 'create')",
      { namespace, kind, key },
    );
    addDocument(kind, key, made);
    return made;
  };

  /** The newest generation by service id; undefined: none. */
  const documentById = (serviceId: string): number | undefined =>
    database.value<number>(
      `SELECT g.id FROM document_states s JOIN documents d ON d.id = s.document_id
       JOIN documents g ON g.namespace = d.namespace AND g.kind = d.kind AND g.key = d.key
       WHERE s.service_id = @serviceId AND d.namespace = @namespace ORDER BY g.generation DESC LIMIT 1`,
      { serviceId, namespace },
    );

  /**
   * A row that names a document by its id may use another kind and key for a known one: it is one document with one
   * lane.
   */
  const identify = (kind: string, key: string, serviceId: string): void => {
    const known = documentById(serviceId);
    const other = findDocument(kind, key);
    if (known === undefined || other === known) return;
    if (other === undefined)
      database.run(
        "INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id) VALUES (@namespace, @kind, @key, @known)",
        { namespace, kind, key, known },
      );
    // A reference made before the document was known; with an id of its own it is another document.
    else if (database.has("SELECT 1 FROM document_states WHERE document_id = @other AND state <> 'planned'", { other }))
      return;
    else absorbDocument(database, other, known, now);
    remember(`document ${kind} ${key}`, known);
  };

  return {
    participant,
    address,
    findParticipant,
    participantNamed,
    addressNamed,
    /** Whether a stored reference and a record's name the same participant; writes nothing. */
    isParticipant: (stored: number, ref: ParticipantRef): boolean =>
      stored === findParticipant(ref) || participantText(participantNamed(stored)) === participantText(ref),
    isAddress: (stored: number, ref: AddressRef): boolean =>
      stored === findAddress(ref) || addressText(addressNamed(stored)) === addressText(ref),
    document,
    findDocument,
    addDocument,
    documentById,
    identify,
  };
}

export type References = ReturnType<typeof createReferences>;

/**
 * The parties of a restored event until its row comes again: aliases that nobody declares, so that nothing without a
 * body is sent. `find`: null if no ledger was rebuilt.
 */
export function restoredReference(
  database: LedgerDatabase,
  mode: "find" | "make",
): { participant: number; address: number } | null {
  if (mode === "make")
    database.run(
      `INSERT OR IGNORE INTO aliases (kind, name, key)
       VALUES ('participant', '#journal', '#journal'), ('address', '#journal', '#journal')`,
    );
  const [participant, address] = database.values<number>(
    "SELECT -id FROM aliases WHERE name = '#journal' AND key = '#journal' ORDER BY kind DESC",
  );
  return participant === undefined || address === undefined ? null : { participant, address };
}

/** The key of another, nearly equal document; null: none. Only unusual keys are kept. */
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
