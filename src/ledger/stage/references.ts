/**
 * References inside the ledger. A participant or address is its id, or minus the id of an alias that may be undeclared;
 * a document is a row that may be undeclared.
 */
import type { EventContent, RegistrationKind } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { Writer } from "../writer.js";
import { foldKey } from "../../model/near-keys.js";
import { unprefixed } from "../../model/keys.js";
import { detachText } from "../../model/fold.js";
import type { AddressRef, ParticipantRef } from "../../model/records.js";

/** Remembered ids, all forgotten at this number: flat memory for any number of rows. */
const MOST_IDS = 20_000;

export type Refs = { participant: ParticipantRef; address: AddressRef };

/** Ids by scope and name: the text of a name serves many rows, and one made of both would be hashed for each. */
function createIds() {
  const scopes = new Map<string | number, Map<string, number>>();
  let size = 0;
  // A cell keeps the chunk of the file that it was cut from.
  const keep = (scope: string | number, name: string, id: number) => {
    if (size >= MOST_IDS) scopes.clear();
    size = size >= MOST_IDS ? 1 : size + 1;
    scopes.set(scope, (scopes.get(scope) ?? new Map<string, number>()).set(detachText(name), id));
    return id;
  };
  return {
    keep,
    /** Asks the ledger if necessary; null: unknown. */
    of(scope: string | number, name: string, ask: () => number | null) {
      const known = scopes.get(scope)?.get(name);
      if (known !== undefined) return known;
      const id = ask();
      return id === null ? null : keep(scope, name, id);
    },
  };
}

export function createReferences(
  database: LedgerDatabase,
  { namespace, now, settingsId }: { namespace: string; now: number; settingsId: number },
  isNew: (kind: string, key: string) => void,
) {
  const writer = new Writer(database);
  const ids = { participant: createIds(), address: createIds(), document: createIds() };

  /** Within its owner; `id:` keeps ids apart from tax ids. */
  const identityOf = (kind: RegistrationKind, ref: Exclude<ParticipantRef | AddressRef, { by: "alias" }>) => {
    if (ref.by === "id") return kind === "participant" ? `id:${ref.id}` : ref.id;
    return ref.by === "natural" ? ref.key : ref.identity;
  };

  /** Creates nothing; null: unknown. */
  const find = <Kind extends RegistrationKind>(kind: Kind, ref: Refs[Kind]): number | null => {
    if (ref.by === "alias")
      return ids[kind].of(ref.kind, ref.key, () =>
        database.value("SELECT -id FROM aliases WHERE kind = @kind AND name = @name AND key = @key", {
          kind,
          name: ref.kind,
          key: ref.key,
        }),
      );
    const owner = ref.by === "identity" ? find("participant", ref.participant) : 0;
    const identity = identityOf(kind, ref);
    if (owner === null) return null;
    return ids[kind].of(owner, identity, () =>
      database.value("SELECT id FROM registrations WHERE kind = @kind AND owner = @owner AND identity = @identity", {
        kind,
        owner,
        identity,
      }),
    );
  };

  /**
   * Creates the alias, or the row of a given id or tax id, if necessary. A participant given by its tax id is looked up
   * until a row describes it. Null: an undeclared address by identity.
   */
  const refer = <Kind extends RegistrationKind>(kind: Kind, ref: Refs[Kind]) => {
    const found = find(kind, ref);
    if (found !== null) return found;
    if (ref.by === "natural") {
      const [countryCode, taxIdType, taxId] = unprefixed(ref.key);
      const payload = JSON.stringify({ countryCode, taxIdType, taxId });
      return database.add("registrations", { kind, identity: ref.key, payload, settings_id: settingsId });
    }
    if (ref.by === "id") return writer.registrationGiven(kind, identityOf(kind, ref), ref.id, now);
    if (ref.by === "identity") return null;
    return -database.add("aliases", { kind, name: ref.kind, key: ref.key });
  };

  /** The alias or registration behind a stored reference. */
  const named = <Kind extends RegistrationKind>(kind: Kind, ref: number): Refs[Kind] => {
    const found =
      ref < 0
        ? database.row<object>("SELECT 'alias' AS by, name AS kind, key FROM aliases WHERE id = -@ref", { ref })
        : withOwner(
            kind,
            database.row<{ owner: number; identity: string }>(
              "SELECT owner, identity FROM registrations WHERE id = @ref",
              {
                ref,
              },
            ) ?? { owner: 0, identity: "" },
          );
    return found as Refs[Kind];
  };

  const withOwner = (kind: RegistrationKind, { owner, identity }: { owner: number; identity: string }) => {
    if (kind === "address")
      return owner === 0
        ? { by: "id", id: identity }
        : { by: "identity", participant: named("participant", owner), identity };
    return identity.startsWith("id:") ? { by: "id", id: identity.slice(3) } : { by: "natural", key: identity };
  };

  /** One text for all names of a participant or address; writes nothing. */
  const textOf = <Kind extends RegistrationKind>(kind: Kind, ref: Refs[Kind]): string => {
    if (ref.by === "identity") return JSON.stringify([textOf("participant", ref.participant), ref.identity]);
    if (ref.by !== "alias") return ref.by === "natural" ? ref.key : `id:${ref.id}`;
    const select = "SELECT registration_id FROM aliases WHERE kind = @kind AND name = @name AND key = @key";
    const behind = database.value<number>(select, { kind, name: ref.kind, key: ref.key });
    return behind === null ? JSON.stringify([ref.kind, ref.key]) : textOf(kind, named(kind, behind));
  };

  /** The newest generation; null: none. */
  const findDocument = (kind: string, key: string) =>
    ids.document.of(
      kind,
      key,
      () =>
        database.value<number>(
          `SELECT id FROM documents WHERE key = @key AND kind = @kind AND namespace = @namespace
           ORDER BY generation DESC LIMIT 1`,
          { kind, key, namespace },
        ) ??
        database.value<number>(
          `SELECT g.id FROM document_aliases a JOIN generations g ON g.of_id = a.document_id
           WHERE a.namespace = @namespace AND a.kind = @kind AND a.key = @key ORDER BY g.generation DESC LIMIT 1`,
          { kind, key, namespace },
        ),
    );

  const addDocument = (kind: string, key: string, columns: object) => {
    const id = ids.document.keep(kind, key, database.add("documents", { namespace, kind, key, ...columns }));
    isNew(kind, key);
    return id;
  };

  /** The newest generation; created undeclared if necessary. */
  const document = (kind: string, key: string) =>
    findDocument(kind, key) ?? addDocument(kind, key, { declared: 0, mode: "create" });

  /** The newest generation by service id; null: none. */
  const documentById = (serviceId: string) =>
    database.value<number>(
      `SELECT g.id FROM document_states s JOIN generations g ON g.of_id = s.document_id
       WHERE s.service_id = @serviceId AND g.namespace = @namespace ORDER BY g.generation DESC LIMIT 1`,
      { serviceId, namespace },
    );

  /**
   * A row that names a document by its id may use another kind and key for a known one: it is one document with one
   * lane.
   */
  const identify = (kind: string, key: string, serviceId: string) => {
    const known = documentById(serviceId);
    const other = findDocument(kind, key);
    if (known === null || other === known) return;
    if (other === null)
      database.run(
        "INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id) VALUES (@namespace, @kind, @key, @known)",
        { namespace, kind, key, known },
      );
    // A reference made before the document was known; with an id of its own it is another document.
    else if (database.has("SELECT 1 FROM document_states WHERE document_id = @other AND state <> 'planned'", { other }))
      return;
    else absorbDocument(database, other, known, now);
    ids.document.keep(kind, key, known);
  };

  return {
    refer,
    find,
    named,
    /** Whether a stored reference and a record's name the same; writes nothing. */
    isSame: <Kind extends RegistrationKind>(kind: Kind, stored: number, ref: Refs[Kind]) =>
      stored === find(kind, ref) || textOf(kind, named(kind, stored)) === textOf(kind, ref),
    document,
    findDocument,
    addDocument,
    documentById,
    identify,
  };
}

export type References = ReturnType<typeof createReferences>;

/** The parties of an event without content, until its row comes again: aliases that nobody declares, so that it is not sent. */
export function unknownParties(database: LedgerDatabase): Pick<EventContent, "participant_ref" | "address_ref"> {
  const alias = (kind: string) =>
    -database.number(
      `INSERT INTO aliases (kind, name, key) VALUES (@kind, '#journal', '#journal')
       ON CONFLICT DO UPDATE SET name = name RETURNING id`,
      { kind },
    );
  return { participant_ref: alias("participant"), address_ref: alias("address") };
}

/** The key of another, nearly equal document; null: none. Only unusual keys are kept. */
export function nearlyEqualKey(database: LedgerDatabase, namespace: string, kind: string, key: string): string | null {
  const folded = foldKey(key);
  const names = { namespace, kind, key, folded };
  const odd = database.value<string>(
    "SELECT key FROM odd_keys WHERE namespace = @namespace AND kind = @kind AND folded = @folded AND key <> @key LIMIT 1",
    names,
  );
  if (folded === key) return odd;
  database.run(
    "INSERT OR IGNORE INTO odd_keys (namespace, kind, folded, key) VALUES (@namespace, @kind, @folded, @key)",
    names,
  );
  const plain = "SELECT key FROM documents WHERE key = @folded AND kind = @kind AND namespace = @namespace LIMIT 1";
  return database.value<string>(plain, names) ?? odd;
}

/**
 * Merges two names of one document, which rows may name by its service id before the ledger knows that the document under
 * its own key has that id; or a generation that never came to be, and the one before it. One document has one row here, and
 * so one lane (P2). Moves everything known of `from` to `into`, inside the caller's transaction.
 */
export function absorbDocument(database: LedgerDatabase, from: number, into: number, now: number): void {
  new Writer(database).documentAbsorbed(from, into, now);
  const run = (text: string) => database.run(text, { from, into });
  for (const table of ["events", "placements", "decisions", "dismissals", "document_aliases"])
    run(`UPDATE ${table} SET document_id = @into WHERE document_id = @from`);
  for (const column of ["related_document", "target_document"])
    run(`UPDATE events SET ${column} = @into WHERE ${column} = @from`);
  for (const table of ["requests", "problems"])
    run(`UPDATE ${table} SET subject_id = @into WHERE subject = 'document' AND subject_id = @from`);
  run("UPDATE OR IGNORE row_records SET record_id = @into WHERE kind = 'document' AND record_id = @from");
  run(`INSERT OR IGNORE INTO document_aliases (namespace, kind, key, document_id)
    SELECT namespace, kind, key, @into FROM documents
    WHERE id = @from AND id NOT IN (SELECT id FROM generations WHERE of_id = @into)`);
  run("DELETE FROM open_documents WHERE document_id = @from");
  run("DELETE FROM documents WHERE id = @from AND id <> @into");
  run("INSERT OR IGNORE INTO open_documents (document_id) VALUES (@into)");
}
