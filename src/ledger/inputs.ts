/** Inputs: files by content hash and sheet, and whether they must be staged again. */
import type { Dialect } from "../model/dialect.js";
import type { RowCounts } from "../model/summary.js";
import type { LedgerDatabase } from "./ledger-database.js";
import { rowsOfInput } from "./rows.js";
import { giveBackWhatIsNeeded, withdrawInput } from "./stage/take-back.js";

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

type InputRow = Omit<StoredInput, "header" | "dialect" | "counts"> & RowCounts & { header: string; dialect: string };

const columns = `id, content_hash AS contentHash, name, path, sheet, mapping, mapping_hash AS mappingHash,
  mapping_input AS mappingInput, namespace, header, dialect, read, skipped, invalid, known, staged`;

const stored = (row: InputRow | undefined): StoredInput | null => {
  if (row === undefined) return null;
  const { read, skipped, invalid, known, staged, header, dialect, ...rest } = row;
  return {
    ...rest,
    header: JSON.parse(header) as string[],
    dialect: JSON.parse(dialect) as Dialect,
    counts: { read, skipped, invalid, known, staged },
  };
};

export function createInputStore(database: LedgerDatabase) {
  const find = (contentHash: string, sheet: string | null, namespace: string, mappingInput: string) =>
    stored(
      database.row(
        `SELECT ${columns} FROM inputs WHERE content_hash = @contentHash AND coalesce(sheet, '') = coalesce(@sheet, '')
           AND namespace = @namespace AND mapping_input = @mappingInput`,
        { contentHash, sheet, namespace, mappingInput },
      ),
    );

  return {
    find,

    get: (id: number): StoredInput | null =>
      stored(database.row(`SELECT ${columns} FROM inputs WHERE id = @id`, { id })),

    /** Of the newest CSV input; null: none. */
    newestDelimiter: (): string | null =>
      database.value<string>(
        "SELECT dialect ->> 'delimiter' FROM inputs WHERE dialect ->> 'format' = 'csv' ORDER BY staged_at DESC, id DESC LIMIT 1",
      ) ?? null,

    /**
     * Adds an input, or takes back its unsent records; the id stays the same (H27). Under the same mapping, what the
     * service refused stays refused.
     */
    begin(
      input: InputDescription & { mappingText: string },
      context: { runId: number; settingsId: number; now: number },
    ): number {
      const { mappingText, ...description } = input;
      const before = find(input.contentHash, input.sheet, input.namespace, input.mappingInput);
      if (before !== null) withdrawInput(database, before.id, before.mappingHash !== input.mappingHash);
      const id = before?.id ?? newId(database);
      database.run("INSERT OR IGNORE INTO mappings (hash, text) VALUES (@mappingHash, @mappingText)", {
        mappingHash: input.mappingHash,
        mappingText,
      });
      database.run(
        `INSERT INTO inputs (id, content_hash, name, path, sheet, mapping, mapping_hash, mapping_input, namespace, header,
           dialect, settings_id, run_id, staged_at)
         VALUES (@id, @contentHash, @name, @path, @sheet, @mapping, @mappingHash, @mappingInput, @namespace, @header,
           @dialect, @settingsId, @runId, @now)
         ON CONFLICT (id) DO UPDATE SET name = @name, path = @path, mapping = @mapping, mapping_hash = @mappingHash,
           header = @header, dialect = @dialect, settings_id = @settingsId, run_id = @runId, staged_at = @now`,
        {
          ...description,
          ...context,
          header: JSON.stringify(input.header),
          dialect: JSON.stringify(input.dialect),
          id,
        },
      );
      return id;
    },

    finish(id: number, counts: RowCounts): void {
      giveBackWhatIsNeeded(database);
      database.run(
        `UPDATE inputs SET judged_at = @changes, read = @read, skipped = @skipped, invalid = @invalid, known = @known,
           staged = @staged WHERE id = @id`,
        { ...counts, changes: contentChanges(database), id },
      );
    },

    /** Whether the timelines still hold what every row says: only then can a repeated file be skipped (H36). */
    isStillTrue({ id }: StoredInput): boolean {
      const isUnjudged = database.has(
        `SELECT 1 FROM inputs mine WHERE id = @id AND (judged_at <> @changes OR EXISTS (SELECT 1 FROM inputs i
           WHERE i.name = mine.name AND i.sheet IS mine.sheet AND i.namespace = mine.namespace
             AND i.mapping_input = mine.mapping_input AND i.staged_at > mine.staged_at))`,
        { id, changes: contentChanges(database) },
      );
      if (isUnjudged) return false;
      return !database.has(
        `SELECT 1 FROM rows WHERE id BETWEEN @first AND @last AND fate = 'invalid' AND settled = 'corrected'
         UNION ALL SELECT 1 FROM row_events re JOIN events_now e ON e.id = re.event_id
           WHERE re.row_id BETWEEN @first AND @last AND NOT e.known
         UNION ALL SELECT 1 FROM row_records r LEFT JOIN registrations p ON r.kind <> 'document' AND p.id = r.record_id
           LEFT JOIN document_states d ON r.kind = 'document' AND d.document_id = r.record_id
           WHERE r.row_id BETWEEN @first AND @last
             AND coalesce(p.state, d.state, 'planned') NOT IN ('registered', 'open', 'closed', 'cancelled')`,
        rowsOfInput(id),
      );
    },
  };
}

export type InputStore = ReturnType<typeof createInputStore>;

const newId = (database: LedgerDatabase): number =>
  (database.value<number | null>("SELECT max(id) FROM inputs") ?? 0) + 1;

/**
 * Counts changes of content by corrections, other files or replacements. A file that comes again is skipped only if the
 * count has not changed since (H36).
 */
function contentChanges(database: LedgerDatabase): number {
  return Number(database.value<string>("SELECT value FROM facts WHERE name = 'content-changes'") ?? 0);
}

/** In the transaction that changes content. */
export function countContentChange(database: LedgerDatabase): void {
  database.run(
    `INSERT INTO facts (name, value) VALUES ('content-changes', '1')
     ON CONFLICT (name) DO UPDATE SET value = CAST(value + 1 AS TEXT)`,
  );
}

export interface ListedInput extends RowCounts {
  name: string;
  sheet: string | null;
  path: string;
  mapping: string;
  stagedAt: number;
}

/** Newest first. */
export function listInputs(database: LedgerDatabase, limit: number): ListedInput[] {
  return database.rows<ListedInput>(
    `SELECT name, sheet, path, mapping, staged_at AS stagedAt, read, skipped, invalid, known, staged
     FROM inputs ORDER BY staged_at DESC, id DESC LIMIT @limit`,
    { limit },
  );
}
