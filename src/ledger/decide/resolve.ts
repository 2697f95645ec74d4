/**
 * Records what a person says about doubt: an event landed or did not; a document has this id. Never guessed, never
 * taken back (P4, H5).
 */
import { shellQuoted } from "../../model/shell-quoted.js";
import { absorbDocument } from "../stage/references.js";
import { documentById, findDocument, generationsNamed, type KnownDocument } from "../documents-named.js";
import { keyBytes } from "../event-key.js";
import { sendingEvents } from "../in-flight.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { show } from "../views/show/show.js";
import { markOpen } from "../work.js";
import { Writer } from "../writer.js";
import { RowferryError } from "../../model/error.js";

export interface DoubtfulEvent {
  id: number;
  deduplicationId: string;
  name: string;
  /** In ms. */
  at: number;
}

export interface Doubt {
  document: KnownDocument;
  ofDocument: boolean;
  events: DoubtfulEvent[];
}

export interface Settled {
  landed: number;
  /** Those that landed with other content than their row has now. */
  changed: number;
  notLanded: number;
}

/**
 * Finds doubt by an event's key, a row (`file:17`) or a document (key or `kind/key`, any generation); also what is
 * being sent, which is in doubt if its run was killed. @throws RowferryError `document-unknown`; `not-in-doubt`;
 * `already-done` where a person has said the same before
 */
export function findDoubt(database: LedgerDatabase, name: string, said: Decision["said"]): Doubt {
  const keys = keysOf(database, name);
  const named = keys === null ? findDocument(database, name) : null;
  const about = { documents: keys === null ? generationsNamed(database, name) : [], keys: keys ?? [] };
  const found = database.rows<DoubtfulEvent & { document: number }>(
    `SELECT e.id, e.document_id AS document, key_text(e.deduplication_id) AS deduplicationId, e.name, e.at
     FROM (SELECT document_id, id FROM open_events WHERE doubt = 1 UNION ${sendingEvents}) o
     JOIN events e ON e.id = o.id AND e.document_id = o.document_id
     WHERE (e.document_id IN @documents OR key_text(e.deduplication_id) IN @keys)
     ORDER BY e.at, e.rank, e.id`,
    about,
  );
  const documents = new Set(found.map(({ document }) => document));
  if (documents.size > 1) {
    throw new RowferryError("not-in-doubt", `${name} has events in doubt on ${documents.size} documents.`, {
      hint: "Name them one by one, by their keys or their documents; `rowferry show` lists them.",
    });
  }
  const [id = null] = documents;
  const document = documentById(database, id) ?? named;
  const ofDocument = named !== null && (document?.state === "stalled" || document?.state === "sending");
  if (found.length === 0 && !ofDocument) {
    const before = database.value<string>(
      `SELECT said FROM decisions WHERE document_id IN @documents OR key_text(deduplication_id) IN @keys
       ORDER BY at DESC, id DESC LIMIT 1`,
      about,
    );
    if (before === said)
      throw new RowferryError("already-done", `What was in doubt about ${name} is settled as you say.`);
  }
  if (document === null || (found.length === 0 && !ofDocument)) {
    throw new RowferryError("not-in-doubt", `Nothing about ${name} is in doubt.`);
  }
  return { document, ofDocument, events: found };
}

/** Null: neither an event nor a row. */
function keysOf(database: LedgerDatabase, name: string): string[] | null {
  const { rows, event } = show(database, name);
  if (event !== null) return [event.deduplicationId];
  return rows.length === 0 ? null : rows.flatMap(({ events }) => events.map(({ deduplicationId }) => deduplicationId));
}

/** @throws RowferryError `not-in-doubt` if evidence contradicts the person, or an event cannot have landed */
export function checkWord({ document, ofDocument }: Doubt, said: Decision["said"]): void {
  const name = `${document.kind} ${document.key}`;
  if (said === "landed" && document.serviceId === null) {
    throw new RowferryError(
      "not-in-doubt",
      `The id of ${name} is unknown, so no event can be recorded as landed on it.`,
      {
        hint: `If the document is there: \`rowferry resolve ${shellQuoted(document.key)} --document-id <id>\`.`,
      },
    );
  }
  if (said === "not-landed" && document.state === "stranded" && !ofDocument) {
    throw new RowferryError("not-in-doubt", `${name} is stranded: the service has answered that it exists.`, {
      hint: "Give its id with --document-id, or send its next generation with `rowferry replace`.",
    });
  }
}

const REPLACED = `SELECT 1 FROM events e JOIN documents_now d ON d.id = e.document_id
  WHERE e.id = @id AND d.replaced AND e.event <> '#replaced'`;

/** All or nothing. The caller holds the lock. */
export function settleDoubt(database: LedgerDatabase, doubt: Doubt, decision: Decision, now: number): Settled {
  checkWord(doubt, decision.said);
  const { document, events } = doubt;
  const writer = new Writer(database);
  return database.atomic(() => {
    const settled: Settled = { landed: 0, changed: 0, notLanded: 0 };
    if (doubt.ofDocument) {
      writer.unsent("document", document.id, now);
      keepDecision(database, { document: document.id, key: null }, decision, now);
    }
    for (const { id, deduplicationId } of events) {
      keepDecision(database, { document: document.id, key: keyBytes(deduplicationId) }, decision, now);
      if (decision.said === "not-landed") {
        // The next generation has it; nothing could correct it here.
        if (database.has(REPLACED, { id })) writer.dismissedBefore(id, now);
        else writer.notLanded(id, now);
        settled.notLanded += 1;
      } else {
        const state = writer.landedWithoutId(id, null, now, "resolved");
        settled[state === "changed" ? "changed" : "landed"] += 1;
      }
    }
    writer.waitsSettled([`document:${document.id}`, ...events.map(({ id }) => `event:${id}`)], now);
    markOpen(database, document.id);
    return settled;
  });
}

/**
 * Gives a stranded document, or one whose creation is in doubt, the id that a person found. Never verified by a write
 * (H5): the caller has read the document, and a person has confirmed. `now` null: only checks. @throws RowferryError
 * `document-not-stranded`, `already-done`
 */
export function resolveDocument(
  database: LedgerDatabase,
  document: KnownDocument,
  serviceId: string,
  now: number | null,
): void {
  const name = `${document.kind} ${document.key}`;
  if (document.serviceId === serviceId) throw new RowferryError("already-done", `${name} has this id already.`);
  const isForeign = () =>
    document.state === "planned" &&
    database.has("SELECT 1 FROM events_now WHERE target_document = @id AND state = 'foreign'", document);
  if (document.state !== "stranded" && document.state !== "stalled" && !isForeign()) {
    throw new RowferryError(
      "document-not-stranded",
      `${name} is ${document.state}; only a stranded document, or one whose creation is in doubt, takes an id.`,
    );
  }
  const taken = database.row<{ id: number; name: string; reason: string | null }>(
    "SELECT id, name, reason FROM documents_now WHERE service_id = @serviceId",
    { serviceId },
  );
  // Rows named it by this id before, so it is the same document.
  const isSame = taken?.reason === "given";
  if (taken !== null && !isSame) {
    throw new RowferryError("document-not-stranded", `The id ${serviceId} already belongs to ${taken.name}.`);
  }
  if (now === null) return;
  database.atomic(() => {
    new Writer(database).documentResolved(document.id, serviceId, now);
    if (taken !== null) absorbDocument(database, taken.id, document.id, now);
    markOpen(database, document.id);
  });
}

/** What a person said about records in doubt, with name and time; kept permanently (H5). */
export interface Decision {
  said: "landed" | "not-landed" | "document-id";
  by: string;
}

/** `key`: the event's deduplicationId; null: the document itself. */
export function keepDecision(
  database: LedgerDatabase,
  { document, key }: { document: number; key: Buffer | null },
  { said, by }: Decision,
  now: number,
): void {
  database.add("decisions", { document_id: document, deduplication_id: key, said, said_by: by, at: now });
}
