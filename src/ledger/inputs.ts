/** Inputs: files by content hash and sheet, and by name where that matters, and whether they must be staged again. */
import { fact, type LedgerDatabase, setFact } from "./ledger-database.js";
import { EVENTS_OF_ROWS, rowsOfInput } from "./rows.js";
import { giveBackWhatIsNeeded, withdrawInput } from "./stage/take-back.js";
import type { Dialect } from "../model/dialect.js";
import type { RowCounts } from "../model/summary.js";

export interface InputDescription {
  contentHash: string;
  name: string;
  path: string;
  sheet: string | null;
  /** Its name, where formulas of its mapping name the file; else "". */
  named: string;
  mapping: string;
  mappingHash: string;
  mappingInput: string;
  namespace: string;
  header: string[];
  dialect: Dialect;
}

type InputIdentity = Pick<InputDescription, "contentHash" | "sheet" | "named" | "namespace" | "mappingInput">;

export interface StoredInput extends InputDescription, RowCounts {
  id: number;
}

type InputRow = Omit<StoredInput, "header" | "dialect"> & { header: string; dialect: string };

const columns = `id, content_hash AS contentHash, name, path, sheet, named, mapping, mapping_hash AS mappingHash,
  mapping_input AS mappingInput, namespace, header, dialect, read, skipped, invalid, known, staged`;

const stored = (row: InputRow | null): StoredInput | null =>
  row && { ...row, header: JSON.parse(row.header) as string[], dialect: JSON.parse(row.dialect) as Dialect };

/** SQL that is true for an input if a later import has staged another file of its name. */
export const isEarlier = (
  input: string,
): string => `EXISTS (SELECT 1 FROM inputs mine JOIN inputs later USING (name, namespace, mapping_input)
  WHERE mine.id = ${input} AND later.sheet IS mine.sheet AND later.run_id > mine.run_id)`;

export function createInputStore(database: LedgerDatabase) {
  const find = (input: InputIdentity) =>
    stored(
      database.row(
        `SELECT ${columns} FROM inputs WHERE content_hash = @contentHash AND coalesce(sheet, '') = coalesce(@sheet, '')
           AND named = @named AND namespace = @namespace AND mapping_input = @mappingInput`,
        input,
      ),
    );

  return {
    find,

    get: (id: number): StoredInput | null =>
      stored(database.row(`SELECT ${columns} FROM inputs WHERE id = @id`, { id })),

    /** The delimiter of the newest CSV input; null: there is none. */
    newestDelimiter: () =>
      database.value<string>(
        "SELECT dialect ->> 'delimiter' FROM inputs WHERE dialect ->> 'format' = 'csv' ORDER BY staged_at DESC, id DESC LIMIT 1",
      ),

    /**
     * Adds an input, or takes back its unsent records; the id stays the same (H27). Under the same mapping, what the
     * service refused stays refused.
     */
    begin(
      input: InputDescription & { mappingText: string },
      context: { runId: number; settingsId: number; now: number },
    ) {
      const before = find(input);
      if (before !== null) withdrawInput(database, before.id, before.mappingHash !== input.mappingHash);
      database.run("INSERT OR IGNORE INTO mappings (hash, text) VALUES (@mappingHash, @mappingText)", input);
      const used = {
        name: input.name,
        path: input.path,
        mapping: input.mapping,
        mapping_hash: input.mappingHash,
        header: JSON.stringify(input.header),
        dialect: JSON.stringify(input.dialect),
        settings_id: context.settingsId,
        run_id: context.runId,
        staged_at: context.now,
        refused: 0,
      };
      if (before !== null) {
        database.change("inputs", before.id, used);
        return before.id;
      }
      const id = database.number("SELECT max(id) FROM inputs") + 1;
      const { contentHash, sheet, named, namespace, mappingInput } = input;
      const own = { id, content_hash: contentHash, sheet, named, namespace, mapping_input: mappingInput };
      database.add("inputs", { ...own, ...used });
      return id;
    },

    finish(id: number, counts: RowCounts) {
      giveBackWhatIsNeeded(database);
      database.change("inputs", id, { ...counts, judged_at: contentChanges(database) });
    },

    /** Nothing that the run staged is sent until it is imported again. */
    refuse: (run: number) => database.run("UPDATE inputs SET refused = 1 WHERE run_id = @run", { run }),

    /**
     * The counts of a file that comes again, if it need not be read: the timelines still hold what every row says
     * (H36), and it corrects nothing that was read since. Null: it must be read.
     */
    repeated(before: StoredInput | null, mappingHash: string): RowCounts | null {
      if (before?.mappingHash !== mappingHash || before.read === 0) return null;
      const { id, read, skipped, invalid } = before;
      const isUnjudged = database.has(
        `SELECT 1 FROM inputs WHERE id = @id AND (judged_at <> @changes OR ${isEarlier("@id")})`,
        { id, changes: contentChanges(database) },
      );
      if (isUnjudged) return null;
      const isOpen = database.has(
        `SELECT 1 FROM rows WHERE id BETWEEN @first AND @last AND fate = 'invalid' AND settled = 'corrected'
         UNION ALL SELECT 1 FROM ${EVENTS_OF_ROWS} AND NOT e.known
         UNION ALL SELECT 1 FROM row_records_now WHERE row_id BETWEEN @first AND @last AND NOT done`,
        rowsOfInput(id),
      );
      // An open row whose event is known but not its content: a row of this file may correct it.
      const unread = `SELECT 1 FROM holds h JOIN inputs i ON i.id = h.row_id >> 32
        WHERE h.deduplication_id IS NOT NULL AND i.run_id > (SELECT run_id FROM inputs WHERE id = @id)`;
      if (isOpen || database.has(unread, { id })) return null;
      return { read, skipped, invalid, known: read - skipped - invalid, staged: 0 };
    },
  };
}

export type InputStore = ReturnType<typeof createInputStore>;

/**
 * Counts changes of content by corrections, other files, replacements or a journal. A file that comes again is skipped only if the
 * count has not changed since (H36).
 */
const contentChanges = (database: LedgerDatabase) => Number(fact(database, "content-changes"));

/** In the transaction that changes content. */
export const countContentChange = (database: LedgerDatabase): void =>
  setFact(database, "content-changes", String(contentChanges(database) + 1));

export interface ListedInput extends RowCounts {
  id: number;
  name: string;
  sheet: string | null;
  path: string;
  mapping: string;
  /** That staged it. */
  run: string;
  stagedAt: number;
}

/** Newest first. */
export function listInputs(database: LedgerDatabase, limit: number): ListedInput[] {
  return database.rows<ListedInput>(
    `SELECT i.id, i.name, i.sheet, i.path, i.mapping, u.name AS run, i.staged_at AS stagedAt,
       i.read, i.skipped, i.invalid, i.known, i.staged
     FROM inputs i JOIN runs u ON u.id = i.run_id WHERE i.mapping_hash IS NOT NULL
     ORDER BY i.staged_at DESC, i.id DESC LIMIT @limit`,
    { limit },
  );
}

/** Mappings' settings, stored once each, so that `resume` needs no mapping. The ledger does not interpret them. */
export function createSettingsStore<Settings>(database: LedgerDatabase, defaults: Settings) {
  const read = new Map<number | null, Settings>();
  return {
    idOf(settings: Settings) {
      const json = JSON.stringify(settings);
      const found = database.value<number>("SELECT id FROM settings WHERE json = @json", { json });
      return found ?? database.add("settings", { json });
    },
    /** Unknown ids and null give the defaults. */
    get(id: number | null): Settings {
      const known = read.get(id);
      if (known !== undefined) return known;
      const json = database.value<string>("SELECT json FROM settings WHERE id = @id", { id });
      if (json === null) return defaults;
      const settings = { ...defaults, ...(JSON.parse(json) as Settings) };
      read.set(id, settings);
      return settings;
    },
  };
}
