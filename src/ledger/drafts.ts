/**
 * Corrections not yet imported, in a file next to the ledger, so that an import never blocks them and they survive the
 * browser and the process. A draft has a row reference, a header and the text that it replaces.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isRunning } from "./care/lock.js";
import { openDurableFile } from "./journal/durable-file.js";
import { LedgerDatabase } from "./ledger-database.js";

export interface Edit {
  ref: string;
  column: string;
  /** The text that the person saw. */
  replaces: string;
  value: string;
}

export interface DraftConflict {
  ref: string;
  column: string;
  /** The present text. */
  value: string;
}

const schema = `
CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, label TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS edits (
  step INTEGER NOT NULL REFERENCES steps (id) ON DELETE CASCADE,
  ref TEXT NOT NULL,
  column_name TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  PRIMARY KEY (step, ref, column_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edits_by_cell ON edits (ref, column_name, step);
-- Rows on their way: what they say is what lands, until that process has ended.
CREATE TABLE IF NOT EXISTS sent (ref TEXT PRIMARY KEY, process TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- The newest text of each cell that was edited.
CREATE VIEW IF NOT EXISTS cells AS
  SELECT ref, column_name, after AS value, max(step) AS step FROM edits GROUP BY ref, column_name;
`;

export const draftPath = ({ stateFolder }: { stateFolder: string }): string => join(stateFolder, "drafts.db");

/** Where the disk was full, an empty file was left. */
export const hasDrafts = (target: { stateFolder: string }): boolean =>
  (statSync(draftPath(target), { throwIfNoEntry: false })?.size ?? 0) > 0;

/** References of the rows that a console is importing as corrected there. */
export function rowsOnTheirWay(target: { stateFolder: string }): ReadonlySet<string> {
  if (!hasDrafts(target)) return new Set();
  const drafts = openDrafts(draftPath(target));
  try {
    return drafts.sent();
  } finally {
    drafts.close();
  }
}

/** Owner-only from its first byte. */
export function openDrafts(path: string) {
  openDurableFile(path).close();
  const database = new LedgerDatabase(path, { timeout: 2000 });
  database.pragma("journal_mode = DELETE");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.exec(schema);

  /** The step that `undo` would take back, with the row of each of its cells; null: none. */
  const last = () => {
    const step = database.row<{ id: number; label: string; at: number }>(
      "SELECT id, label, at FROM steps WHERE id = (SELECT max(step) FROM edits)",
    );
    return step && { ...step, refs: database.values<string>("SELECT ref FROM edits WHERE step = @id", step) };
  };

  return {
    last,

    cells(): Map<string, Map<string, string>> {
      const found = new Map<string, Map<string, string>>();
      const all = database.rows<{ ref: string; header: string; value: string }>(
        // As the rows are in their files: cells are kept in pages of neighbours.
        "SELECT ref, column_name AS header, value FROM cells ORDER BY length(ref), ref",
      );
      for (const { ref, header, value } of all) {
        const row = found.get(ref) ?? new Map<string, string>();
        found.set(ref, row.set(header, value));
      }
      return found;
    },

    /** What was once in edited cells, each as `ref column text` in JSON. */
    former: () => new Set(database.values<string>("SELECT json_array(ref, column_name, before) FROM edits")),

    /** Cells in which somebody typed the file's text again, each as `ref column` in JSON. */
    restored: () =>
      new Set(
        database.values<string>(
          `SELECT json_array(ref, column_name) FROM cells c WHERE value = (SELECT before FROM edits e
             WHERE e.ref = c.ref AND e.column_name = c.column_name ORDER BY step LIMIT 1)`,
        ),
      ),

    /**
     * One step, undone together. Applies all edits, or none if one of them replaces an outdated text. `original`: the
     * text in the file.
     */
    apply: (
      label: string,
      edits: readonly Edit[],
      original: (edit: Edit) => string | null,
      now: number,
    ): DraftConflict[] =>
      database.atomic(() => {
        const current = "SELECT value FROM cells WHERE ref = @ref AND column_name = @column";
        const texts = edits.map((edit) => {
          const { ref, column } = edit;
          return { edit, text: database.value<string>(current, { ref, column }) ?? original(edit) };
        });
        // What is there already is no change: an edit comes again where its answer was lost.
        const other = texts.filter(({ edit, text }) => text !== edit.value);
        const changes = other.filter(({ edit, text }) => text === edit.replaces).map(({ edit }) => edit);
        const conflicts = other
          .filter(({ edit, text }) => text !== edit.replaces)
          .map(({ edit: { ref, column }, text }) => ({ ref, column, value: text ?? "" }));
        if (conflicts.length > 0 || changes.length === 0) return conflicts;
        const step = database.add("steps", { at: now, label });
        for (const edit of changes)
          database.run(
            "INSERT INTO edits (step, ref, column_name, before, after) VALUES (@step, @ref, @column, @replaces, @value)",
            { ...edit, step },
          );
        return [];
      }),

    /** @returns the step; null: none */
    undo: (): { label: string; edits: Edit[] } | null =>
      database.atomic(() => {
        const step = last();
        if (step === null) return null;
        const edits = database.rows<Edit>(
          `SELECT ref, column_name AS "column", before AS replaces, after AS value FROM edits WHERE step = @id`,
          { id: step.id },
        );
        database.run("DELETE FROM steps WHERE id = @id", { id: step.id });
        return { label: step.label, edits };
      }),

    /** The edits of a row's columns, to where it is now, if they replace its text there. @returns whether there were any */
    follow: (moves: readonly { from: string; to: string; column: string; text: string }[]): boolean =>
      database.atomic(() => {
        const first = "SELECT before FROM edits WHERE ref = @from AND column_name = @column ORDER BY step LIMIT 1";
        const follow = `UPDATE OR REPLACE edits SET ref = @to WHERE ref = @from AND column_name = @column AND (${first}) = @text`;
        return moves.filter((move) => database.run(follow, { ...move }) > 0).length > 0;
      }),

    forget: (refs: Iterable<string>) =>
      database.atomic(() => {
        for (const ref of refs) database.run("DELETE FROM edits WHERE ref = @ref", { ref });
      }),

    /** Rows that a process of this machine imports as they are. */
    sent(): Set<string> {
      const running = database.values<string>("SELECT DISTINCT process FROM sent").filter(isRunning);
      return new Set(
        database.values<string>("SELECT ref FROM sent WHERE process IN @running", {
          running,
        }),
      );
    },

    /** Rows that were ever imported from here. */
    everSent: () => new Set(database.values<string>("SELECT ref FROM sent")),

    /** Until this process has ended. */
    send: (refs: Iterable<string>, pid: number) =>
      database.atomic(() => {
        const process = identityOf(pid);
        for (const ref of refs) database.run("INSERT OR REPLACE INTO sent VALUES (@ref, @process)", { ref, process });
      }),

    close: () => void database.close(),
  };
}
