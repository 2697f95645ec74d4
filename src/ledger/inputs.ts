/** Inputs: files as read, known by their content hash, sheet by sheet; and what of them is to be staged again. */
import type { Database } from "better-sqlite3";
import type { Dialect } from "../model/dialect.js";
import type { RowCounts } from "../model/summary.js";
import { contentChanges } from "./stage/content-changes.js";
import { createKnownRows } from "./stage/known-rows.js";
import { rowId } from "./row-id.js";

export interface InputDescription {
  contentHash: string;
  name: string;
  path: string;
  sheet: string | null;
  mapping: string;
  mappingHash: string;
  mappingInput: string;
  namespace: string;
  header: string[];
  dialect: Dialect;
}

export interface StoredInput extends InputDescription {
  id: number;
  counts: RowCounts;
}

interface InputRow {
  id: number;
  content_hash: string;
  name: string;
  path: string;
  sheet: string | null;
  mapping: string;
  mapping_hash: string;
  mapping_input: string;
  namespace: string;
  header: string;
  dialect: string;
  read: number;
  skipped: number;
  invalid: number;
  known: number;
  staged: number;
}

const stored = (row: InputRow): StoredInput => ({
  id: row.id,
  contentHash: row.content_hash,
  name: row.name,
  path: row.path,
  sheet: row.sheet,
  mapping: row.mapping,
  mappingHash: row.mapping_hash,
  mappingInput: row.mapping_input,
  namespace: row.namespace,
  header: JSON.parse(row.header) as string[],
  dialect: JSON.parse(row.dialect) as Dialect,
  counts: { read: row.read, skipped: row.skipped, invalid: row.invalid, known: row.known, staged: row.staged },
});

export function createInputStore(database: Database) {
  const byContent = database.prepare<[string, string, string, string], InputRow>(
    `SELECT * FROM inputs WHERE content_hash = ? AND coalesce(sheet, '') = ? AND namespace = ? AND mapping_input = ?`,
  );
  const byId = database.prepare<[number], InputRow>("SELECT * FROM inputs WHERE id = ?");
  const judgedAt = database.prepare<[number], number>("SELECT judged_at FROM inputs WHERE id = ?").pluck();
  const anotherSince = database
    .prepare<[number], number>(
      `SELECT EXISTS (SELECT 1 FROM inputs i JOIN inputs mine ON mine.id = ? AND i.name = mine.name AND i.sheet IS mine.sheet
         AND i.namespace = mine.namespace AND i.mapping_input = mine.mapping_input AND i.staged_at > mine.staged_at)`,
    )
    .pluck();
  const saveCounts = database.prepare<[number, number, number, number, number, number, number]>(
    "UPDATE inputs SET judged_at = ?, read = ?, skipped = ?, invalid = ?, known = ?, staged = ? WHERE id = ?",
  );

  return {
    find(contentHash: string, sheet: string | null, namespace: string, mappingInput: string): StoredInput | null {
      const row = byContent.get(contentHash, sheet ?? "", namespace, mappingInput);
      return row === undefined ? null : stored(row);
    },

    get(id: number): StoredInput | null {
      const row = byId.get(id);
      return row === undefined ? null : stored(row);
    },

    /** Of the CSV input that came last; null: none has come. */
    newestDelimiter(): string | null {
      const newest = database.prepare<[], string>(
        "SELECT dialect ->> 'delimiter' FROM inputs WHERE dialect ->> 'format' = 'csv' ORDER BY staged_at DESC, id DESC LIMIT 1",
      );
      return newest.pluck().get() ?? null;
    },

    /**
     * Adds an input, or takes back what it had yielded and was not sent; the id is the same both times (HARD-CASES H27). Under
     * the same mapping its rows say the same again: what the service refused of them stays refused.
     */
    begin(input: InputDescription, context: { runId: number; settingsId: number; now: number }): number {
      const before = byContent.get(input.contentHash, input.sheet ?? "", input.namespace, input.mappingInput);
      if (before !== undefined) {
        const unsent = ["planned", "held", "deferred"];
        withdrawInput(
          database,
          before.id,
          before.mapping_hash === input.mappingHash ? unsent : [...unsent, "rejected"],
        );
      }
      const values = {
        ...input,
        header: JSON.stringify(input.header),
        dialect: JSON.stringify(input.dialect),
        id: before?.id ?? null,
        ...context,
      };
      const row = database
        .prepare<[typeof values], { id: number }>(
          `INSERT INTO inputs (id, content_hash, name, path, sheet, mapping, mapping_hash, mapping_input, namespace, header,
             dialect, settings_id, run_id, staged_at)
           VALUES (@id, @contentHash, @name, @path, @sheet, @mapping, @mappingHash, @mappingInput, @namespace, @header,
             @dialect, @settingsId, @runId, @now)
           ON CONFLICT (id) DO UPDATE SET name = @name, path = @path, mapping = @mapping, mapping_hash = @mappingHash,
             header = @header, dialect = @dialect, settings_id = @settingsId, run_id = @runId, staged_at = @now
           RETURNING id`,
        )
        .get(values);
      if (row === undefined) throw new Error("an input was not stored");
      return row.id;
    },

    /** All its rows have been judged. */
    finish(id: number, counts: RowCounts): void {
      saveCounts.run(
        contentChanges(database),
        counts.read,
        counts.skipped,
        counts.invalid,
        counts.known,
        counts.staged,
        id,
      );
    },

    /** Whether every row of it is still what the timelines hold: only then do its bytes say nothing new (HARD-CASES H36). */
    isStillTrue({ id }: StoredInput): boolean {
      const range = [rowId(id, 0), rowId(id + 1, 0)] as const;
      const any = (sql: string): boolean =>
        database
          .prepare<[number, number], number>(sql)
          .pluck()
          .get(...range) === 1;
      if (judgedAt.get(id) !== contentChanges(database) || anotherSince.get(id) === 1) return false;
      return !(
        any(
          "SELECT EXISTS (SELECT 1 FROM rows WHERE id >= ? AND id < ? AND fate = 'invalid' AND settled = 'corrected')",
        ) ||
        any(
          `SELECT EXISTS (SELECT 1 FROM row_events re JOIN events_now e ON e.id = re.event_id
             WHERE re.row_id >= ? AND re.row_id < ? AND NOT e.known)`,
        ) ||
        any(
          `SELECT EXISTS (SELECT 1 FROM row_records r
             LEFT JOIN participants p ON r.kind = 'participant' AND p.id = r.record_id
             LEFT JOIN addresses a ON r.kind = 'address' AND a.id = r.record_id
             LEFT JOIN document_states d ON r.kind = 'document' AND d.document_id = r.record_id
             WHERE r.row_id >= ? AND r.row_id < ?
               AND coalesce(p.state, a.state, d.state, 'planned') NOT IN ('registered', 'open', 'closed', 'cancelled'))`,
        )
      );
    },
  };
}

export type InputStore = ReturnType<typeof createInputStore>;

/** `states`: of the events that are taken back. */
function withdrawInput(database: Database, id: number, states: readonly string[]): void {
  const range = [rowId(id, 0), rowId(id + 1, 0)] as const;
  database.exec("CREATE TEMP TABLE IF NOT EXISTS withdrawn (event_id INTEGER PRIMARY KEY)");
  database.exec("DELETE FROM temp.withdrawn");
  database
    .prepare(
      `INSERT INTO temp.withdrawn SELECT DISTINCT re.event_id FROM row_events re
       JOIN events_now e ON e.id = re.event_id
       WHERE re.row_id >= ? AND re.row_id < ?
         AND e.state IN (SELECT value FROM json_each(?))`,
    )
    .run(...range, JSON.stringify(states));
  for (const table of ["row_events", "row_records", "row_cells", "placements", "input_holds"]) {
    database.prepare(`DELETE FROM ${table} WHERE row_id >= ? AND row_id < ?`).run(...range);
  }
  createKnownRows(database).drop(range[0], range[1] - 1);
  database.prepare("DELETE FROM cell_pages WHERE first_row >= ? AND first_row < ?").run(...range);
  database.prepare("DELETE FROM rows WHERE id >= ? AND id < ?").run(...range);
  database.prepare("DELETE FROM problems WHERE row_id >= ? AND row_id < ? AND stage = 'staging'").run(...range);
  // What rows of other files brought as well stays, and what it makes with it.
  database.exec("DELETE FROM temp.withdrawn WHERE event_id IN (SELECT event_id FROM row_events)");
  // What is declared again takes the new data; what is not declared again is never sent.
  for (const table of ["participants", "addresses"]) {
    database
      .prepare(
        `UPDATE ${table} SET row_id = NULL WHERE row_id >= ? AND row_id < ? AND state IN ('planned', 'rejected')`,
      )
      .run(...range);
  }
  // The document of a target that may be under way keeps what its event says of it.
  database
    .prepare(
      `UPDATE documents SET declared = 0 WHERE row_id >= ? AND row_id < ?
         AND NOT EXISTS (SELECT 1 FROM document_states s WHERE s.document_id = id AND s.state NOT IN ('planned', 'rejected'))
         AND NOT EXISTS (SELECT 1 FROM events e WHERE e.target_document = documents.id
           AND e.id NOT IN (SELECT event_id FROM temp.withdrawn))`,
    )
    .run(...range);
  database.exec(`DELETE FROM event_states WHERE (document_id, event_id) IN (
    SELECT document_id, id FROM events WHERE id IN (SELECT event_id FROM temp.withdrawn))`);
  database.exec("DELETE FROM events WHERE id IN (SELECT event_id FROM temp.withdrawn)");
  database.prepare("UPDATE inputs SET read = 0, skipped = 0, invalid = 0, known = 0, staged = 0 WHERE id = ?").run(id);
}
