/** Takes back unsent records of rows. Records that other files' rows also bring stay, with everything they need. */
import type { LedgerDatabase } from "../ledger-database.js";
import { resolved } from "../event-key.js";
import {
  EVENTS_OF_ROWS,
  groupOf,
  inputOf,
  latestOf,
  ofSameMapping,
  rowsOfInput,
  settleGroup,
  UNKNOWN_ROW,
} from "../rows.js";
import { idsOf } from "../work.js";
import { unknownParties } from "./references.js";
import { Writer } from "../writer.js";
import type { DocumentName } from "../../model/keys.js";
import { isUnsent } from "../../model/states.js";
import { codes } from "../../model/codes.js";
import { readCodes } from "../../model/codes/read.js";
import { type Problem, problem } from "../../model/problem.js";
import type { StageOptions } from "./staging.js";
import { type Correction, originalCellsBeside } from "./corrections.js";
import type { KeyedEvent, StoredEvent } from "./event-keys.js";
import { cellHash, createCells, eachOnce } from "./row-cells.js";

/** Deletes events (`events` selects ids) that no row brings any more; others go to a file that brings them. @returns how many */
export function dropUnbroughtEvents(database: LedgerDatabase, events: string, values: { id?: number } = {}): number {
  const gone = `SELECT id FROM events WHERE id IN (${events}) AND NOT EXISTS (SELECT 1 FROM row_events WHERE event_id = events.id)`;
  new Writer(database).eventsGone(gone, values);
  const count = database.run(`DELETE FROM events WHERE id IN (${gone})`, values);
  database.run(
    `UPDATE events SET input_id = (SELECT max(row_id) >> 32 FROM row_events WHERE event_id = events.id)
     WHERE id IN (${events}) AND NOT EXISTS (SELECT 1 FROM row_events WHERE event_id = events.id AND row_id >> 32 = input_id)`,
    values,
  );
  return count;
}

/**
 * Forgets the content of unsent events (`events` selects ids) whose remaining rows all said something else: it is not sent,
 * and these rows say what is, once their files are imported again.
 */
export function forgetContentOfGone(database: LedgerDatabase, events: string, values: { id?: number } = {}): void {
  const lost = database.values<number>(
    `SELECT id FROM events_now WHERE id IN (${events}) AND unsent
       AND (SELECT min(differs) FROM row_events WHERE event_id = events_now.id) = 1`,
    values,
  );
  if (lost.length === 0) return;
  const parties = unknownParties(database);
  for (const id of lost) database.change("events", id, { payload: "", ...parties });
}

/** `id` of a participant or address that something unsent needs, or a row declares, and that row. */
export const needed = `SELECT id, min(row_id) AS row_id FROM (
    SELECT ${resolved("ref")} AS id, row_id FROM (
      SELECT e.participant_ref AS ref, re.row_id FROM events_now e JOIN row_events re ON re.event_id = e.id WHERE NOT e.landed
      UNION SELECT e.address_ref, re.row_id FROM events_now e JOIN row_events re ON re.event_id = e.id WHERE NOT e.landed
      UNION SELECT participant_ref, row_id FROM documents_now WHERE declared = 1 AND service_id IS NULL
      UNION SELECT address_ref, row_id FROM documents_now WHERE declared = 1 AND service_id IS NULL
      UNION SELECT owner, row_id FROM registrations WHERE kind = 'address' AND row_id IS NOT NULL AND state <> 'registered')
    UNION SELECT record_id, row_id FROM row_records WHERE kind <> 'document')
  WHERE id IS NOT NULL AND row_id IS NOT NULL GROUP BY id`;

/** Called before the input is staged again. `refused`: includes refused records. */
export function withdrawInput(database: LedgerDatabase, input: number, refused: boolean): void {
  const range = rowsOfInput(input);
  database.exec("DROP TABLE IF EXISTS temp.withdrawn; CREATE TEMP TABLE withdrawn (id INTEGER PRIMARY KEY)");
  database.run(
    `INSERT INTO temp.withdrawn SELECT DISTINCT re.event_id FROM ${EVENTS_OF_ROWS}
       AND (e.state IN ('planned', 'held', 'deferred') OR @refused AND e.state = 'rejected')`,
    { ...range, refused: refused ? 1 : 0 },
  );
  for (const table of ["row_events", "row_records", "placements", "input_holds"])
    database.run(`DELETE FROM ${table} WHERE row_id BETWEEN @first AND @last`, range);
  database.run("DELETE FROM pages WHERE kind IN ('cells', 'known') AND first_id BETWEEN @first AND @last", range);
  database.run("DELETE FROM rows WHERE id BETWEEN @first AND @last", range);
  database.run("DELETE FROM problems WHERE row_id BETWEEN @first AND @last AND stage = 'staging'", range);
  dropUnbroughtEvents(database, "SELECT id FROM temp.withdrawn");
  takeBackDeclarations(database, range);
  database.run("UPDATE inputs SET read = 0, skipped = 0, invalid = 0, known = 0, staged = 0 WHERE id = @input", {
    input,
  });
}

/**
 * Takes back what these rows declared and was not sent: records declared again take the new data; others that nothing needs are
 * never sent.
 */
function takeBackDeclarations(database: LedgerDatabase, range: { first: number; last: number }): void {
  database.exec("CREATE TEMP TABLE IF NOT EXISTS taken_back (document INTEGER NOT NULL, id INTEGER NOT NULL)");
  const registrations = database.values<number>(
    // `state <> 'registered'` repeats what follows from the states, because the partial index needs it.
    `UPDATE registrations SET row_id = NULL
     WHERE row_id BETWEEN @first AND @last AND state <> 'registered' AND state IN ('planned', 'rejected') RETURNING id`,
    range,
  );
  // A target that may be under way keeps its data.
  const documents = database.values<number>(
    `UPDATE documents SET declared = 0 WHERE row_id BETWEEN @first AND @last AND declared = 1
       AND (SELECT state FROM documents_now WHERE id = documents.id) IN ('planned', 'rejected')
       AND NOT EXISTS (SELECT 1 FROM events WHERE target_document = documents.id) RETURNING id`,
    range,
  );
  database.run(
    `INSERT INTO temp.taken_back SELECT 0, value FROM json_each(@registrations)
     UNION ALL SELECT 1, value FROM json_each(@documents)`,
    { registrations, documents },
  );
}

/** Called after the input is staged: restores what its rows no longer declare, and other rows or a replacement need. */
export function giveBackWhatIsNeeded(database: LedgerDatabase): void {
  if (database.has("SELECT 1 FROM temp.sqlite_schema WHERE name = 'withdrawn'")) {
    forgetContentOfGone(database, "SELECT id FROM temp.withdrawn");
    database.exec("DROP TABLE temp.withdrawn");
  }
  if (!database.has("SELECT 1 FROM temp.sqlite_schema WHERE name = 'taken_back'")) return;
  database.run(
    `UPDATE documents SET declared = 1, row_id = coalesce((SELECT min(re.row_id) FROM events e JOIN row_events re ON re.event_id = e.id
         WHERE e.document_id = documents.id), row_id)
     WHERE declared = 0 AND id IN (SELECT id FROM temp.taken_back WHERE document)
       -- What earlier rows declared otherwise, they declare again.
       AND (generation > 1 OR NOT differs AND (EXISTS (SELECT 1 FROM events e JOIN row_events re ON re.event_id = e.id WHERE e.document_id = documents.id)
         OR EXISTS (SELECT 1 FROM row_records WHERE kind = 'document' AND record_id = documents.id)))`,
  );
  for (const kind of ["address", "participant"])
    database.run(
      `UPDATE registrations SET row_id = n.row_id FROM (${needed}) n
       WHERE n.id = registrations.id AND registrations.row_id IS NULL AND registrations.kind = @kind
         AND registrations.id IN (SELECT id FROM temp.taken_back WHERE NOT document)`,
      { kind },
    );
  database.exec("DROP TABLE temp.taken_back");
}

/** The id of the corrected row, and its cells now. */
export interface CorrectedRow {
  before: number;
  cells: readonly string[];
}

const FEW_ROWS = 100;
/** For flat memory. */
const MOST_SEEN = 20_000;

/** Cells without trailing blanks, as one text. */
const trimmedEnd = (cells: readonly string[]) =>
  JSON.stringify(cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1));

/**
 * How a later row takes the place of an earlier one, which is settled with its group. Events that the later row yields
 * too stay; what the earlier one held is free, except after `supersede`, where the later one may hold it.
 *
 * | Way              | The later row                  | Its unsent events       | Its old cells, if they come again        |
 * |------------------|--------------------------------|-------------------------|------------------------------------------|
 * | `mend`           | is it, mended in its source    | go                      | are judged like any others               |
 * | `replace`        | has its rowId                  | go                      | are not believed                         |
 * | `correct`        | is it, corrected by a person   | go, from equal rows too | are not believed, unless they had landed |
 * | `leaveOut`       | is it, corrected and skipped   | go, from equal rows too | are not believed                         |
 * | `settle`         | brings the event that it names | (it has none)           | are not believed, except in its own file |
 * | `supersede`      | is it, and invalid             | go                      | are judged like any others               |
 * | `correctWrongly` | is it, corrected and invalid   | go, by `supersede`      | are not believed, once that is settled   |
 */
export function createRowWithdrawal(
  database: LedgerDatabase,
  {
    inputId: input,
    inputsOfImport,
    now,
    namesPlace,
  }: Pick<StageOptions, "inputId" | "inputsOfImport" | "now" | "namesPlace">,
) {
  const cells = createCells(database);
  const writer = new Writer(database);
  let agreedAny = false;

  /** Undefined: not kept. */
  const originalText = (row: number): string | undefined => {
    const kept = cells.of(row);
    return kept === null ? undefined : trimmedEnd(originalCellsBeside(database, row)(kept.cells));
  };

  const isShared = (id: number) =>
    database.has("SELECT 1 FROM row_events WHERE event_id = @id LIMIT 1 OFFSET @few", { id, few: FEW_ROWS });

  const seen = new Set<string>();
  const isGivenFirst = (name: string) => {
    if (name === "" || seen.has(name)) return false;
    if (seen.size >= MOST_SEEN) seen.clear();
    seen.add(name);
    return true;
  };

  /** Rows that bring some of these events, and none but `only`. */
  const bringing = (events: readonly number[], only: readonly number[]) =>
    database.values<number>(
      `SELECT DISTINCT re.row_id FROM row_events re WHERE re.event_id IN @events
         AND NOT EXISTS (SELECT 1 FROM row_events o WHERE o.row_id = re.row_id AND o.event_id NOT IN @only)`,
      { events, only },
    );

  const eventsOf = (row: number, which: string) =>
    database.values<number>(
      `SELECT e.id FROM row_events re JOIN events_now e ON e.id = re.event_id WHERE re.row_id = @row AND (${which})`,
      { row },
    );

  /** With its earlier versions: what it no longer brings, they no longer bring. */
  const withdraw = (row: number, keep: readonly number[]) => {
    for (const id of eventsOf(row, "e.unsent")) {
      if (keep.includes(id)) continue;
      database.run(
        `DELETE FROM row_events WHERE event_id = @id AND row_id IN (WITH RECURSIVE version(id) AS (
           SELECT @row UNION SELECT r.id FROM version JOIN row_events re ON re.event_id = @id
             JOIN rows r ON r.id = re.row_id AND r.settled = 'corrected' AND r.settled_by = version.id)
           SELECT id FROM version)`,
        { row, id },
      );
      dropUnbroughtEvents(database, "@id", { id });
      forgetContentOfGone(database, "@id", { id });
    }
  };

  /** The same bad row in tomorrow's full export stays settled; one row, however often `after` is staged again. */
  const remember = (hash: Buffer | null, after: number) => {
    const isRemembered = "SELECT 1 FROM dismissals WHERE cell_hash = @hash AND row_id = @after";
    if (hash === null || database.has(isRemembered, { hash, after })) return;
    database.add("dismissals", { cell_hash: hash, row_id: after, at: now });
  };

  /** A person has corrected the row again, to a text that it had before. */
  const forget = (hash: Buffer, after: number) => {
    const earlier = "SELECT row_id FROM dismissals WHERE cell_hash = @hash AND row_id IS NOT NULL";
    for (const row of database.values<number>(earlier, { hash }))
      if (latestOf(database, row) === after)
        database.run("DELETE FROM dismissals WHERE cell_hash = @hash AND row_id = @row", { hash, row });
  };

  const hadCode = (row: number, code: Problem["code"]) =>
    problemsOfRow(database, row).some((found) => found.code === code);

  const hashOf = (row: number) => database.value<Buffer>("SELECT cell_hash FROM rows WHERE id = @row", { row });

  /** For a valid row, which has no stored hash; null: its cells are gone. */
  const hashOfCells = (row: number) => {
    const original = originalCellsBeside(database, row);
    const kept = groupOf(database, row).map((one) => cells.of(one)?.cells);
    if (kept.includes(undefined)) return null;
    const given = kept.flatMap((one) => original(one ?? []));
    return cellHash(given, namesPlace ? documentsOfRow(database, row) : []);
  };

  /** Rows with the same cells that hold, or say otherwise than what landed, what `row` alone would no longer. */
  const sameOfEarlierNights = (row: number, keep: readonly number[], hash: Buffer | null) => {
    const taken = eventsOf(row, "e.unsent OR e.state = 'changed'").filter((id) => !keep.includes(id));
    const sharing = database.values<number>(
      "SELECT DISTINCT row_id FROM row_events WHERE event_id IN @taken AND row_id < @row",
      { taken, row },
    );
    return sharing.filter((other) => hash !== null && hashOfCells(other)?.equals(hash));
  };

  /** Events that have landed otherwise than this row said, and as all other rows say that are in force. */
  const changedBy = (row: number) =>
    database.values<number>(
      `SELECT e.id FROM problems p JOIN events_now e ON e.id = p.subject_id
       WHERE p.row_id = @row AND p.subject = 'event' AND p.code = 'changed' AND e.state = 'changed' AND e.payload <> ''
         AND NOT EXISTS (SELECT 1 FROM problems o LEFT JOIN rows r ON r.id = o.row_id
           WHERE o.subject = 'event' AND o.subject_id = e.id AND o.code = 'changed' AND o.row_id <> @row AND r.settled IS NULL)`,
      { row },
    );

  /** `before` was corrected at its source and came again as `after`, a valid row that yielded `events`. */
  const mend = (before: number, after: number, events: readonly number[]) => {
    withdraw(before, events);
    // It says nothing about them any longer, as where it now names another document.
    const agreed = changedBy(before).filter((id) => !events.includes(id));
    for (const id of agreed) writer.unchanged(id, now);
    agreedAny ||= agreed.length > 0;
    settleGroup(database, before, "corrected", after);
    database.run(
      "DELETE FROM problems WHERE row_id = @before AND severity = 'error' AND stage = 'staging' AND at < @now",
      { before, now },
    );
  };

  /** For a row that came again under its rowId: its old cells mean nothing any more. */
  const replace = (before: number, after: number, events: readonly number[]) => {
    const hash = hashOf(before);
    mend(before, after, events);
    remember(hash, after);
  };

  /**
   * For a row that a person corrected: its old cells must not be believed (H37), unless they are what has landed, so that
   * the correction came too late, or the row came back as it was, which makes them believed again. `given`: the hash of
   * the new cells; null: they are skipped.
   */
  const correct = (
    before: number,
    after: number,
    events: readonly number[],
    given: { cells: Buffer; isConfirmed: boolean } | null,
  ) => {
    const ofInvalid = hashOf(before);
    const hash = ofInvalid ?? hashOfCells(before);
    const isLanded =
      database.has("SELECT 1 FROM events_now WHERE id IN @events AND state = 'changed'", { events }) &&
      !hadCode(before, "changed");
    // A correction ends the row's dismissal (H23), which would be said of the row whenever it comes back; and one that a
    // journal knows of is now known by its row.
    database.run(
      `DELETE FROM dismissals WHERE id = (SELECT max(d.id) FROM dismissals d LEFT JOIN rows r ON r.id = @before
         WHERE d.cell_hash = @hash AND r.settled_by IS NULL
           AND iif(r.settled IS 'dismissed', d.row_id IS NULL, d.row_id = ${UNKNOWN_ROW}))`,
      { before, hash },
    );
    for (const row of [before, ...sameOfEarlierNights(before, events, hash)]) mend(row, after, events);
    // Valid without a person's word.
    const isBelieved = given !== null && (ofInvalid === null || !given.isConfirmed);
    if (isBelieved) forget(given.cells, after);
    if (!isLanded && !(isBelieved && hash !== null && given.cells.equals(hash))) remember(hash, after);
  };

  return {
    mend,
    replace,

    /** Whether an event no longer differs from its rows, since one of them was corrected. */
    agreedAny: () => agreedAny,

    /**
     * Earlier rows that bring only some of these events, not sent yet: the present row is their new version. Rows that bring
     * only events of many rows are given once: looking at all of them for each row would never end.
     */
    versionsBefore(events: readonly Pick<StoredEvent, "id" | "state">[]): number[] {
      if (!events.some(isUnsent)) return [];
      const ids = idsOf(events).toSorted((one, other) => one - other);
      const shared = ids.filter(isShared);
      const own = ids.filter((id) => !shared.includes(id));
      return [...bringing(own, ids), ...(isGivenFirst(shared.join(" ")) ? bringing(shared, shared) : [])];
    },

    /** Rows that contradict the corrected ones still, of which a person has seen both. They bring these events alone. */
    decidedBy(corrected: readonly number[], keyed: readonly Pick<KeyedEvent, "stored" | "hash">[]): number[] {
      const contradicted = corrected.filter((row) => hadCode(row, "event-key-twice"));
      if (contradicted.length === 0) return [];
      const unsent = keyed.flatMap(({ stored, hash }) =>
        stored !== null && isUnsent(stored) ? { ...stored, hash } : [],
      );
      const otherwise = unsent.filter((one) => !one.content_hash.equals(one.hash));
      const last = Math.max(...contradicted.map(inputOf));
      return bringing(idsOf(otherwise), idsOf(unsent)).filter(
        (row) => inputOf(row) <= last && !corrected.includes(row),
      );
    },

    isEventless: (row: number) => !database.has("SELECT 1 FROM row_events WHERE row_id = @row", { row }),

    /**
     * Releases what these rows declared and was not sent: a new version declares its own, or it is no longer needed.
     */
    release(rows: readonly number[]) {
      for (const lead of rows)
        for (const row of groupOf(database, lead)) takeBackDeclarations(database, { first: row, last: row });
    },

    /**
     * For a row whose event came from another row, `after`. The same cells give the same event whenever they come back, unless
     * `isNews`; but a file that was first read before theirs is no later one.
     */
    settle(before: number, after: number, isNews: boolean) {
      if (!isNews)
        database.run(
          `INSERT INTO dismissals (cell_hash, row_id, at) SELECT cell_hash, @after, @now FROM rows
           WHERE id = @before AND id < @after AND cell_hash IS NOT NULL`,
          { before, after, now },
        );
      settleGroup(database, before, "corrected", after);
    },
    correct,

    /**
     * Earlier rows of the same mapping input, newest first. A file that was first read before theirs is no later one, also
     * where it comes again.
     */
    rowsWithKey: (key: string) =>
      database.values<number>(
        `SELECT id FROM rows WHERE row_key = @key AND settled IS NULL AND id >> 32 <= @input AND ${ofSameMapping("id")} ORDER BY id DESC`,
        { input, key },
      ),

    /**
     * The open row with exactly these cells from an earlier import of the same mapping input. Equal rows of one import
     * are twins. Null: none.
     */
    sameRow: eachOnce((hash, after) =>
      database.value<number>(
        `SELECT id FROM invalid_rows WHERE cell_hash = @hash AND id > @after AND lead IS NULL AND ${ofSameMapping("id")}
           AND (id >> 32) NOT IN @inputs ORDER BY id LIMIT 1`,
        { input, hash, after, inputs: [...inputsOfImport] },
      ),
    ),

    /**
     * Open invalid rows of earlier imports that name events of `row`, which is invalid too, and no others: it is their new
     * version. Two rows that contradict each other are both to be seen. `name`: of these events; the first of equal rows asks.
     */
    invalidVersions(row: number, name: string): number[] {
      if (!isGivenFirst(name)) return [];
      return database.values<number>(
        `WITH own AS (SELECT document_id, deduplication_id FROM placements WHERE row_id = @row AND deduplication_id IS NOT NULL)
         SELECT DISTINCT p.row_id FROM own CROSS JOIN placements p USING (document_id, deduplication_id) JOIN invalid_rows r ON r.id = p.row_id
         WHERE r.lead IS NULL AND r.reason <> 'event-key-twice' AND ${ofSameMapping("p.row_id")} AND (p.row_id >> 32) NOT IN @inputs
           AND NOT EXISTS (SELECT 1 FROM placements o WHERE o.row_id = p.row_id AND NOT o.makes
             AND (o.deduplication_id IS NULL OR (o.document_id, o.deduplication_id) NOT IN own))`,
        { input, row, inputs: [...inputsOfImport] },
      );
    },

    /**
     * Problems of a row or group with reading problems whose cells came back unchanged: a rejected file writes out a
     * short row in full, which alone corrects nothing. Empty: a person has changed a cell, or confirmed them all.
     */
    unchanged({ lead, rows, isConfirmed }: Correction): Problem[] {
      const isChanged = rows.some(({ before, cells: given }) => originalText(before) !== trimmedEnd(given));
      if (isConfirmed || isChanged) return [];
      const before = problemsOfRow(database, lead);
      const again = before.filter(({ code }) => code === "row-unchanged");
      const unread = new Set(before.flatMap(({ code }) => (code in readCodes ? codes[code].meaning : [])));
      if (again.length > 0 || unread.size === 0) return again;
      return [problem("row-unchanged", `it is unchanged since it was rejected: ${[...unread].join(" ")}`)];
    },

    /** Whether all of them were refused because other rows interrupt their group. */
    areParts: (leads: readonly number[]) => leads.every((lead) => hadCode(lead, "group-interrupted")),

    /** First rows of such parts that held one of the documents, all of whose rows are among these cells. */
    partsOf(documents: readonly number[], rows: readonly (readonly string[])[]) {
      const parts = database.values<number>(
        `SELECT DISTINCT p.row_id FROM json_each(@documents) d JOIN holds p ON p.document_id = d.value
         WHERE EXISTS (SELECT 1 FROM problems WHERE row_id = p.row_id AND code = 'group-interrupted')`,
        { documents },
      );
      const there = new Set(parts.length === 0 ? [] : rows.map(trimmedEnd));
      const stands = (row: number) => there.has(originalText(row) ?? "");
      return parts.filter((lead) => groupOf(database, lead).every(stands));
    },

    /** `before` came again as `after`, a skipped row. What landed stays. */
    leaveOut(before: number, after: number) {
      const isOpen = database.has("SELECT 1 FROM rows WHERE id = @before AND settled IS NULL", { before });
      if (isOpen || eventsOf(before, "e.unsent").length > 0) correct(before, after, [], null);
    },

    /** A person corrected `before` to `after`, which is invalid too. Once that is settled, the old cells mean nothing. */
    correctWrongly(before: number, after: number, hashAfter: Buffer) {
      const hash = hashOf(before) ?? hashOfCells(before);
      if (hash?.equals(hashAfter) === false) remember(hash, after);
    },

    /** `before` came again as `after`, which is invalid too, and takes over its holds if it has no place of its own. */
    supersede(before: number, after: number, takeHolds: boolean) {
      withdraw(before, []);
      if (takeHolds) {
        // Copies: when the file of `after` is staged again, its records go and the earlier row counts again.
        const placements = database.rows<{ id: number }>("SELECT * FROM placements WHERE row_id = @before", { before });
        for (const { id: _, ...placement } of placements) database.add("placements", { ...placement, row_id: after });
        database.run(
          "INSERT OR IGNORE INTO input_holds (row_id, behind) SELECT @after, behind FROM input_holds WHERE row_id = @before",
          { before, after },
        );
      }
      settleGroup(database, before, "superseded", after);
    },
  };
}

/** The documents of its events; without events, those that it declares. */
function documentsOfRow(database: LedgerDatabase, row: number) {
  const of = (ids: string) =>
    database.rows<DocumentName>(`SELECT kind, key FROM documents WHERE id IN (${ids})`, { row });
  const ofEvents = of(
    "SELECT e.document_id FROM row_events re JOIN events e ON e.id = re.event_id WHERE re.row_id = @row",
  );
  if (ofEvents.length > 0) return ofEvents;
  return of("SELECT record_id FROM row_records WHERE row_id = @row AND kind = 'document'");
}

/** Without what was said of an event that is open for another reason now, or not at all. */
export function problemsOfRow(database: LedgerDatabase, row: number): Problem[] {
  return database.rows<Problem>(
    `SELECT code, message, hint, column_name AS "column" FROM problems WHERE row_id = @row AND severity = 'error'
       AND (subject IS NOT 'event' OR (subject_id, code) IN (SELECT id, code FROM open_events)) ORDER BY id`,
    { row },
  );
}
