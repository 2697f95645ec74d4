/** Runs: invocations that may send, named like `2026-11-20T0200-import`. */
import type { Database } from "better-sqlite3";

export interface Run {
  id: number;
  name: string;
}

export function createRunStore(database: Database) {
  const exists = database.prepare<[string], number>("SELECT 1 FROM runs WHERE name = ?").pluck();
  const insert = database.prepare<[string, string, string | null, number]>(
    "INSERT INTO runs (name, command, mapping, started_at) VALUES (?, ?, ?, ?)",
  );
  const stage = database.prepare<[number, number]>("UPDATE runs SET staged_at = ? WHERE id = ?");
  const unstaged = database
    .prepare<[], string>(
      `SELECT name FROM runs WHERE id = (SELECT max(id) FROM runs WHERE command = 'import')
         AND staged_at IS NULL AND finished_at IS NULL`,
    )
    .pluck();
  const finish = database.prepare<[number, number, string | null, number]>(
    "UPDATE runs SET finished_at = ?, exit_code = ?, summary = ? WHERE id = ?",
  );

  const last = database.prepare<
    [],
    { name: string; started_at: number; finished_at: number | null; exit_code: number | null }
  >("SELECT name, started_at, finished_at, exit_code FROM runs ORDER BY id DESC LIMIT 1");
  const quietSince = database
    .prepare<[number], number>("SELECT coalesce(finished_at, ?) FROM runs ORDER BY id DESC LIMIT 1")
    .pluck();
  const byName = database.prepare<[string], { id: number; name: string; summary: string | null }>(
    "SELECT id, name, summary FROM runs WHERE name = ?",
  );
  const lastFinished = database.prepare<[], { id: number; name: string; summary: string | null }>(
    "SELECT id, name, summary FROM runs WHERE summary IS NOT NULL ORDER BY id DESC LIMIT 1",
  );
  const endedBefore = database
    .prepare<[number], string>("SELECT name FROM runs WHERE coalesce(finished_at, started_at) < ?")
    .pluck();
  const forget = database.prepare<[number]>("DELETE FROM runs WHERE id = ?");

  return {
    /** Times are UTC to the minute; a second run of the same minute gets `-2`. */
    begin(command: string, mapping: string | null, now: number): Run {
      const minute = new Date(now).toISOString().slice(0, 16).replace(/:/g, "");
      const base = `${minute}-${command}`;
      let name = base;
      for (let count = 2; exists.get(name) !== undefined; count += 1) name = `${base}-${count}`;
      return { id: Number(insert.run(name, command, mapping, now).lastInsertRowid), name };
    },
    /** Belongs into the transaction that its rows are staged by. */
    staged: (id: number, now: number): void => void stage.run(now, id),
    /** The newest import, where it was killed before its rows were staged (the caller holds the lock); null: it was not. */
    lastUnstaged: (): string | null => unstaged.get() ?? null,
    /** Null: there was none yet. Times in ms; null while it goes on, or when it was killed. */
    last(): { name: string; startedAt: number; finishedAt: number | null; exitCode: number | null } | null {
      const row = last.get();
      if (row === undefined) return null;
      return { name: row.name, startedAt: row.started_at, finishedAt: row.finished_at, exitCode: row.exit_code };
    },
    /**
     * When runs before this one may last have sent, ms; null: there was none. A killed one may have sent until now, for what
     * was under way had no answer to write down (P6).
     */
    quietSince: (now: number): number | null => quietSince.get(now) ?? null,
    /** A run by name, or the last that came to a summary; null: there is none. `summary` is JSON, null where it has none. */
    find: (name: string | null): { id: number; name: string; summary: string | null } | null =>
      (name === null ? lastFinished.get() : byName.get(name)) ?? null,
    /** Names of the runs that ended, or were killed, before that moment. */
    endedBefore: (before: number): string[] => endedBefore.all(before),
    /** A plan leaves no run behind. */
    forget: (id: number): void => void forget.run(id),
    /** `summary`: JSON; null where an error ended the run. */
    finish(id: number, exitCode: number, summary: string | null, now: number): void {
      finish.run(now, exitCode, summary, id);
    },
  };
}
