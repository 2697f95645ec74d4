/**
 * Corrections that are not imported yet, in a file of their own beside the ledger: an import never blocks them, and they
 * survive the browser and the process. A draft names a row (its reference), a header, and the text that it replaces.
 */
import Database from "better-sqlite3";
import { openDurableFile } from "./journal/durable-file.js";

export interface Edit {
  ref: string;
  column: string;
  /** What the person saw. */
  replaces: string;
  value: string;
}

export interface DraftConflict {
  ref: string;
  column: string;
  /** What stands there by now. */
  value: string;
}

export interface Drafts {
  /** By row reference and header. */
  cells(): Map<string, Map<string, string>>;
  /**
   * One step for all edits, undone together: all of them, or none where one replaces something that is no longer there.
   * `original`: the text in the file.
   */
  apply(label: string, edits: readonly Edit[], original: (edit: Edit) => string | null, now: number): DraftConflict[];
  /** Takes the last step back; its label, null: there is none. */
  undo(): string | null;
  /** The label of the step that `undo` would take back. */
  last(): { label: string; cells: number; at: number } | null;
  /** Rows that need no correction any more. */
  forget(refs: Iterable<string>): void;
  close(): void;
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
-- The newest text of each cell that was edited.
CREATE VIEW IF NOT EXISTS cells AS
  SELECT ref, column_name, after AS value, max(step) AS step FROM edits GROUP BY ref, column_name;
`;

/** Owner-only from its first byte. @throws where it cannot be made or read */
export function openDrafts(path: string): Drafts {
  openDurableFile(path).close();
  const database = new Database(path, { timeout: 2000 });
  database.pragma("journal_mode = DELETE");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.exec(schema);
  const all = database.prepare<[], { ref: string; column_name: string; value: string }>(
    "SELECT ref, column_name, value FROM cells",
  );
  const current = database
    .prepare<[string, string], string>("SELECT value FROM cells WHERE ref = ? AND column_name = ?")
    .pluck();
  const addStep = database.prepare<[number, string]>("INSERT INTO steps (at, label) VALUES (?, ?)");
  const addEdit = database.prepare<[number | bigint, string, string, string, string]>(
    "INSERT INTO edits (step, ref, column_name, before, after) VALUES (?, ?, ?, ?, ?)",
  );
  const last = database.prepare<[], { id: number; label: string; at: number; cells: number }>(
    `SELECT s.id, s.label, s.at, count(*) AS cells FROM steps s JOIN edits e ON e.step = s.id
     WHERE s.id = (SELECT max(step) FROM edits) GROUP BY s.id`,
  );
  const drop = database.prepare<[number]>("DELETE FROM steps WHERE id = ?");
  const forget = database.prepare<[string]>("DELETE FROM edits WHERE ref = ?");
  return {
    cells() {
      const found = new Map<string, Map<string, string>>();
      for (const { ref, column_name, value } of all.all()) {
        const row = found.get(ref) ?? new Map<string, string>();
        found.set(ref, row.set(column_name, value));
      }
      return found;
    },
    apply: (label, edits, original, now) =>
      database
        .transaction(() => {
          const stands = (edit: Edit) => current.get(edit.ref, edit.column) ?? original(edit);
          const conflicts = edits.flatMap((edit) => {
            const value = stands(edit);
            return value === edit.replaces ? [] : [{ ref: edit.ref, column: edit.column, value: value ?? "" }];
          });
          const changes = edits.filter(({ replaces, value }) => replaces !== value);
          if (conflicts.length > 0 || changes.length === 0) return conflicts;
          const step = addStep.run(now, label).lastInsertRowid;
          for (const { ref, column, replaces, value } of changes) addEdit.run(step, ref, column, replaces, value);
          return [];
        })
        .immediate(),
    undo: () =>
      database
        .transaction(() => {
          const step = last.get();
          if (step === undefined) return null;
          drop.run(step.id);
          return step.label;
        })
        .immediate(),
    last() {
      const step = last.get();
      return step === undefined ? null : { label: step.label, cells: step.cells, at: step.at };
    },
    forget: (refs) =>
      database
        .transaction(() => {
          for (const ref of refs) forget.run(ref);
        })
        .immediate(),
    close: () => void database.close(),
  };
}
