/** Decisions about open work: dismiss it, undo a dismissal, or retry (H23). */
import type { LedgerDatabase } from "../ledger-database.js";
import { ROWS_OF_EVENTS } from "../known-rows.js";
import { groupOf } from "../rows.js";
import { describeChange } from "../views/changes.js";
import type { LineOf } from "../../model/lines.js";
import { Writer } from "../writer.js";
import type { Selection } from "./selection.js";

export type Dismissed = Omit<LineOf<"dismissed">, "type" | "undo">;

const TOUCHED = `SELECT document_id FROM placements WHERE row_id IN @rows
  UNION SELECT document_id FROM events WHERE id IN @events UNION SELECT value FROM json_each(@documents)`;

/** The next run plans again all documents that the decision touches. */
const openAgain = (database: LedgerDatabase, selection: Selection) =>
  database.run(`INSERT OR IGNORE INTO open_documents (document_id) ${TOUCHED}`, selection);

/** Which stranded documents a dismissal means. */
type Stranded = "none" | "foreign" | "any";

/** Events of these documents that go with the ones that are given up. */
export const eventsGoing = (database: LedgerDatabase, documents: readonly number[], stranded: Stranded): number[] =>
  database.values(
    `SELECT id FROM events_now WHERE state IN ('held', 'planned', 'deferred') AND dismissed = 0 AND document_id IN (
       SELECT id FROM documents_now WHERE id IN @documents AND (state = 'rejected' OR state = 'stranded'
         AND (@stranded = 'any' OR @stranded = 'foreign' AND reason IN ('foreign-collision', 'dismissed'))))`,
    { documents, stranded },
  );

/**
 * Gives up rows and events, and releases everything that waits for them. A dismissal is for the content, so it stays in
 * force when the same row comes back (H23). Records in doubt cannot be dismissed, since they may have landed. Records
 * that only wait are released, unless `unsent`. `stranded`: which documents without a known id are given up. Safe while an
 * import is running.
 */
export function dismiss(
  database: LedgerDatabase,
  selection: Selection,
  unsent: "release" | "give up",
  now: number,
  stranded: Stranded = "none",
): Dismissed {
  const writer = new Writer(database);
  const done: Dismissed = { rows: 0, events: 0, documents: 0, participants: 0, addresses: 0, left: 0, stranded: 0 };
  const causes: string[] = [];
  const given = { rows: selection.rows, events: [] as number[], documents: [] as number[] };

  return database.atomic(() => {
    openAgain(database, selection);
    const events = new Map(selection.events.map((event) => [event, unsent === "give up"]));
    for (const row of selection.rows) {
      database.run("INSERT INTO dismissals (cell_hash, at) SELECT cell_hash, @now FROM rows WHERE id = @row", {
        row,
        now,
      });
      const settle = "UPDATE rows SET settled = 'dismissed' WHERE id IN @group AND settled IS NULL";
      done.rows += database.run(settle, { group: groupOf(database, row) });
      causes.push(`row:${row}`);
    }
    // No event of a dismissed document can be sent; what is in doubt goes with it.
    for (const event of eventsGoing(database, selection.documents, stranded)) events.set(event, true);
    for (const id of selection.documents) {
      if (!writer.givenUp("document", id, now) && (stranded === "none" || !writer.strandedGivenUp(id, stranded, now))) {
        done.stranded += 1;
        continue;
      }
      done.documents += 1;
      given.documents.push(id);
      const gone = "SELECT id FROM events_now WHERE document_id = @id AND state = 'stalled' AND dismissed = 1";
      for (const event of database.values<number>(gone, { id })) events.delete(event);
    }
    for (const [kind, many] of [
      ["participant", "participants"],
      ["address", "addresses"],
    ] as const)
      for (const id of selection[many]) {
        if (!writer.givenUp(kind, id, now)) continue;
        done[many] += 1;
        causes.push(`${kind}:${id}`);
      }
    for (const [event, withUnsent] of events) {
      const isGiven = writer.dismissedFor(event, withUnsent, now);
      if (isGiven) given.events.push(event);
      done[isGiven ? "events" : "left"] += 1;
    }
    causes.push(...given.events.map((event) => `event:${event}`));
    // What waits for a document that they would have created waits for something else now.
    const uncreated = `SELECT id FROM documents_now WHERE id IN (${TOUCHED}) AND service_id IS NULL`;
    causes.push(...database.values<number>(uncreated, given).map((document) => `document:${document}`));
    writer.waitsSettled(causes, now);
    return done;
  });
}

/**
 * Undoes dismissals: waiting events, refused documents and registrations are planned again; everything else is open as
 * before.
 */
export function undismiss(
  database: LedgerDatabase,
  selection: Selection,
  now: number,
): Omit<Dismissed, "left" | "stranded"> {
  const writer = new Writer(database);
  /** Their message may have gone with an earlier file, or be about content that has gone since. */
  const tellChanged = () => {
    const changed = `SELECT e.id, max(l.row_id) AS row FROM events_now e LEFT JOIN ${ROWS_OF_EVENTS} l ON l.event_id = e.id
      WHERE e.id IN @events AND e.state = 'changed' GROUP BY e.id`;
    for (const { id, row: newest } of database.rows<{ id: number; row: number | null }>(changed, selection)) {
      const told = { code: "changed", message: describeChange(database, id, newest), severity: "error", at: now };
      database.add("problems", { ...told, row_id: newest, subject: "event", subject_id: id, stage: "staging" });
    }
  };
  return database.atomic(() => {
    openAgain(database, selection);
    let rows = 0;
    for (const row of selection.rows) {
      database.run(
        `DELETE FROM dismissals WHERE id = (SELECT max(d.id) FROM dismissals d JOIN rows r USING (cell_hash)
           WHERE r.id = @row AND d.row_id IS NULL)`,
        { row },
      );
      const reopen = "UPDATE rows SET settled = NULL WHERE id IN @group AND settled = 'dismissed'";
      rows += database.run(reopen, { group: groupOf(database, row) });
    }
    for (const event of selection.events) {
      database.run(
        `DELETE FROM dismissals WHERE (document_id, deduplication_id) =
           (SELECT document_id, deduplication_id FROM events WHERE id = @event)`,
        { event },
      );
      writer.undismissed(event, now);
    }
    tellChanged();
    for (const id of selection.documents) if (!writer.replanned("document", id, now)) writer.strandedTakenUp(id, now);
    for (const id of [...selection.participants, ...selection.addresses]) writer.replanned("participant", id, now);
    const { events, documents, participants, addresses } = selection;
    return {
      rows,
      events: events.length,
      documents: documents.length,
      participants: participants.length,
      addresses: addresses.length,
    };
  });
}

/** Records by what they were. */
export interface Retried {
  refused: number;
  foreign: number;
  doubtful: number;
  /** Their rows were deleted from their file. */
  gone: number;
  /** Held events that were left as they are: what they wait for may be among the others. */
  waiting: number;
}

/**
 * Plans rejected work again, except what the plan itself refused permanently; every run retries stalled work anyway.
 * `gone`: includes rows missing from their file.
 */
export function retry(database: LedgerDatabase, selection: Selection, now: number, gone = false): Retried {
  const writer = new Writer(database);
  const done: Retried = { refused: 0, foreign: 0, doubtful: 0, gone: 0, waiting: 0 };
  return database.atomic(() => {
    openAgain(database, selection);
    const { events, documents, participants, addresses } = selection;
    const states = database.rows<{ id: number; state: string }>(
      "SELECT id, iif(reason = 'row-gone', 'gone', state) AS state FROM events_now WHERE id IN @events",
      { events },
    );
    for (const { id, state } of states) {
      if (state === "held") done.waiting += 1;
      else if (state === "stalled") done.doubtful += writer.askedAgain("event", id, now) ? 1 : 0;
      else if (writer.retried(id, gone, now)) done[state === "foreign" || state === "gone" ? state : "refused"] += 1;
    }
    for (const id of documents)
      if (writer.askedAgain("document", id, now)) done.doubtful += 1;
      else if (writer.replanned("document", id, now)) done.refused += 1;
    for (const id of [...participants, ...addresses]) if (writer.replanned("participant", id, now)) done.refused += 1;
    return done;
  });
}
