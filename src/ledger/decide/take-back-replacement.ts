/** Takes back replacements of which nothing was sent: rows and decisions are on the old generation again. */
import { isLandedState } from "../../model/states.js";
import { CONTENT, type EventNow } from "../event-key.js";
import { documentById } from "../documents-named.js";
import { countContentChange } from "../inputs.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { absorbDocument } from "../stage/references.js";
import { dropUnbroughtEvents } from "../stage/take-back.js";
import { describeChange } from "../views/changes.js";
import { Writer } from "../writer.js";
import { carryPlacements, keysIn } from "./replace.js";

interface Planned {
  /** Documents, of one generation and the next. */
  old: number;
  next: number;
}

/** Those whose next generation is among these documents. Nothing of them was sent, nor may have been. */
export const plannedReplacements = (database: LedgerDatabase, documents: readonly number[]): Planned[] =>
  database.rows(
    `SELECT o.id AS old, n.id AS next FROM documents_now n JOIN generations o ON o.of_id = n.id AND o.generation = n.generation - 1
     WHERE n.id IN @documents AND NOT n.replaced AND n.state IN ('planned', 'rejected') AND NOT EXISTS (
       SELECT 1 FROM events_now WHERE NOT unsent AND (document_id = n.id OR document_id = o.id AND event = '#replaced'))`,
    { documents },
  );

export function takeBackReplacement(database: LedgerDatabase, { old, next }: Planned, now: number): void {
  const document = documentById(database, next);
  if (document === null) return;
  const writer = new Writer(database);
  const keyOf = keysIn(database, document, document.generation - 1);
  const eventsOf = (which: string, values: object) =>
    database.rows<EventNow>(`SELECT * FROM events_now WHERE ${which} ORDER BY id`, values);

  for (const { id } of eventsOf("document_id = @old AND event = '#replaced' AND unsent", { old })) drop(database, id);
  carryPlacements(database, next, old, keyOf);
  for (const copy of eventsOf("document_id = @next", { next })) {
    const key = keyOf(copy);
    // Changed in place: a deletion would be journalled as a decision.
    database.run(
      `UPDATE dismissals SET document_id = @old, deduplication_id = @key
       WHERE document_id = @document_id AND deduplication_id = @deduplication_id`,
      { ...copy, old, key },
    );
    const [before] = eventsOf("document_id = @old AND deduplication_id = @key", { old, key });
    if (before === undefined) {
      database.change("events", copy.id, { deduplication_id: key });
      continue;
    }
    database.run("UPDATE OR IGNORE row_events SET event_id = @before WHERE event_id = @copy", {
      before: before.id,
      copy: copy.id,
    });
    // A person has said meanwhile that it had not landed.
    if (before.reason === "dismissed") writer.undismissed(before.id, now);
    sayAgain(database, before, copy, now);
    drop(database, copy.id);
  }
  absorbDocument(database, next, old, now);
  writer.strandedTakenUp(old, now);
  writer.waitsSettled([`document:${next}`], now);
  countContentChange(database);
}

/** `before` has landed, or may have; its rows now say what `copy` says. */
function sayAgain(database: LedgerDatabase, before: EventNow, copy: EventNow, now: number) {
  const writer = new Writer(database);
  const { id, state, content_hash, changed_hash } = before;
  const isAccepted = (hash: Buffer | null) =>
    database.has(
      `SELECT 1 FROM dismissals
       WHERE document_id = @document_id AND deduplication_id = @deduplication_id AND content_hash = @hash`,
      { ...before, hash },
    );
  if (copy.content_hash.equals(content_hash)) {
    if (state === "changed" && !isAccepted(changed_hash)) writer.unchanged(id, now);
    return;
  }
  const content = Object.fromEntries(CONTENT.map((name) => [name, copy[name]]));
  if (!isLandedState(state)) {
    writer.keepAttempted(id);
    database.change("events", id, { content_hash: copy.content_hash, as_document: copy.as_document, ...content });
    return;
  }
  if (changed_hash?.equals(copy.content_hash) !== true) {
    writer.changed(id, copy.content_hash, JSON.stringify(content), now);
    writer.problem("event", id, { code: "changed", message: describeChange(database, id, null) }, now);
  }
  if (isAccepted(copy.content_hash)) writer.dismissed(id, false, now);
  else writer.undismissed(id, now);
}

function drop(database: LedgerDatabase, id: number) {
  database.run("DELETE FROM row_events WHERE event_id = @id", { id });
  dropUnbroughtEvents(database, "@id", { id });
}
