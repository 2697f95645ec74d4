/** A person's word on what is in doubt: it has landed, or it has not. Never guessed by us, never taken back (P4, HARD-CASES H5). */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../../model/error.js";
import { type Decision, keepDecision } from "./decisions.js";
import { findDocument, type KnownDocument } from "./dismiss.js";
import { show } from "../views/show/show.js";
import { keyBytes, keyText, OF_EVENT } from "../event-key.js";
import { createTransitions } from "../writer.js";

export interface DoubtfulEvent {
  id: number;
  deduplicationId: string;
  name: string;
  /** ms since 1970. */
  at: number;
}

export interface Doubt {
  document: KnownDocument;
  /** Whether the document itself may not exist. */
  ofDocument: boolean;
  /** In the order of the timeline. */
  events: DoubtfulEvent[];
}

export interface Settled {
  landed: number;
  /** Of these, the ones that landed with other content than their row has now. */
  changed: number;
  notLanded: number;
}

/**
 * What is in doubt of an event (its key), a row (`file:17`) or a document (its key, `kind/key`), newest generation.
 * @throws RowferryError `document-unknown`; `not-in-doubt` where nothing of it is in doubt
 */
export function findDoubt(database: Database, name: string): Doubt {
  const keys = keysOf(database, name);
  const events = (keys === null ? ofDocument(database, findDocument(database, name).id) : keys.flatMap(withKey)).filter(
    ({ doubt }) => doubt === 1,
  );
  function withKey(key: string): FoundEvent[] {
    return database.prepare<[Buffer], FoundEvent>(`${select} WHERE e.deduplication_id = ?`).all(keyBytes(key));
  }
  const documents = new Set(events.map(({ document_id: id }) => id));
  if (documents.size > 1) {
    throw new RowferryError("not-in-doubt", `${name} has events in doubt on ${documents.size} documents.`, {
      hint: "Name them one by one, by their keys or their documents; `rowferry show` lists them.",
    });
  }
  const [of] = documents;
  const document = keys === null ? findDocument(database, name) : of === undefined ? null : documentOf(database, of);
  const isDocument = keys === null && document?.state === "stalled";
  if (document === null || (events.length === 0 && !isDocument)) {
    throw new RowferryError("not-in-doubt", `Nothing of ${name} is in doubt.`);
  }
  return {
    document,
    ofDocument: isDocument,
    events: events.map(({ id, deduplication_id: key, name: event, at }) => ({
      id,
      deduplicationId: keyText(key),
      name: event,
      at,
    })),
  };
}

interface FoundEvent {
  id: number;
  document_id: number;
  deduplication_id: Buffer;
  name: string;
  at: number;
  doubt: number;
}

const select = `SELECT e.id, e.document_id, e.deduplication_id, e.name, e.at, e.state = 'stalled' AND e.doubt = 1 AND e.dismissed = 0 AS doubt
  FROM events_now e`;

function ofDocument(database: Database, document: number): FoundEvent[] {
  return database
    .prepare<[number], FoundEvent>(`${select} WHERE e.document_id = ? ORDER BY e.at, e.rank, e.id`)
    .all(document);
}

/** Null: it names neither an event nor a row. */
function keysOf(database: Database, name: string): string[] | null {
  const { rows, event } = show(database, name);
  if (event !== null) return [event.deduplicationId];
  return rows.length === 0 ? null : rows.flatMap(({ events }) => events.map(({ deduplicationId }) => deduplicationId));
}

function documentOf(database: Database, id: number): KnownDocument {
  const found = database
    .prepare<[number], KnownDocument>(
      `SELECT d.id, d.namespace, d.external_id AS externalId, d.settings_id AS settings, d.kind, d.key, d.generation,
         d.state, d.service_id AS serviceId
       FROM documents_now d WHERE d.id = ?`,
    )
    .get(id);
  if (found === undefined) throw new Error("an event's document vanished");
  return found;
}

/**
 * Whether the word could be taken at all. @throws RowferryError `not-in-doubt` where evidence stands against it, or an
 * event cannot have landed as far as is known
 */
export function checkWord({ document, ofDocument: isDocument }: Doubt, said: Decision["said"]): void {
  const name = `${document.kind} ${document.key}`;
  if (said === "landed" && document.serviceId === null) {
    throw new RowferryError("not-in-doubt", `The id of ${name} is not known, so nothing can be said to stand on it.`, {
      hint: `If the document is there: \`rowferry resolve ${document.key} --document-id <id>\`.`,
    });
  }
  if (said === "not-landed" && document.state === "stranded" && !isDocument) {
    throw new RowferryError("not-in-doubt", `${name} is stranded: the service has answered that it exists.`, {
      hint: "Give its id with --document-id, or send its next generation with `rowferry replace`.",
    });
  }
}

/** Writes it down, all or nothing. The caller holds the lock. */
export function settleDoubt(database: Database, doubt: Doubt, decision: Decision, now: number): Settled {
  checkWord(doubt, decision.said);
  const { document, events } = doubt;
  const t = createTransitions(database);
  // A duplicate answer to its key would still be about our own attempt: that it was attempted stays known (P5).
  const plan = database.prepare<[number, number]>(
    `UPDATE event_states SET state = 'planned', reason = NULL, waits_for = NULL, doubt = 0, changed_at = ? WHERE ${OF_EVENT}`,
  );
  const settle = database.transaction((): Settled => {
    const settled: Settled = { landed: 0, changed: 0, notLanded: 0 };
    if (doubt.ofDocument) {
      t.documentUnsent(document.id, now);
      keepDecision(database, { document: document.id, key: null }, decision, now);
    }
    for (const { id, deduplicationId } of events) {
      keepDecision(database, { document: document.id, key: keyBytes(deduplicationId) }, decision, now);
      if (decision.said === "not-landed") {
        plan.run(now, id);
        settled.notLanded += 1;
      } else {
        const state = t.landedWithoutId(id, null, now, "resolved");
        settled[state === "changed" ? "changed" : "landed"] += 1;
      }
    }
    database.prepare<[number]>("INSERT OR IGNORE INTO open_documents (document_id) VALUES (?)").run(document.id);
    return settled;
  });
  return settle();
}
