/** Runs, named like `2026-11-20T0200-import`. Their requests are a range of ids. */
import { ExitCode } from "../model/exit-code.js";
import { whoami } from "../model/whoami.js";
import { fact, type LedgerDatabase, setFact } from "./ledger-database.js";

const REQUESTS = 2 ** 32;

export const requestsOf = (run: number): { first: number; last: number } => ({
  first: run * REQUESTS,
  last: (run + 1) * REQUESTS - 1,
});

/** Every event that requests from @first to @last carried, as it is now. */
export const SENT =
  "(SELECT DISTINCT event_id FROM request_events WHERE request_id BETWEEN @first AND @last) sent JOIN events_now e ON e.id = sent.event_id";

export interface Run {
  id: number;
  name: string;
}

/** What a note says about records that a partial `verify` leaves out. */
export const NOT_ASKED_FOR = "that were not asked for";

/**
 * Commands with which a person decides. They send nothing, and are listed among the runs so that everybody can see who
 * did what.
 */
const isDecision = "command IN ('dismiss', 'withdraw', 'replace', 'resolve')";

const foundNothing = `command = 'verify' AND exit_code = ${ExitCode.ok} AND instr(summary, '${NOT_ASKED_FOR}') = 0`;

/** One sentence, from the run's summary. */
export interface Decided {
  type: "decision";
  did: string;
}

export interface LastRun extends Pick<Run, "name"> {
  startedAt: number;
  finishedAt: number | null;
  exitCode: number | null;
  summary: string | null;
}

export interface FoundRun extends Run {
  /** JSON; null: none. */
  summary: string | null;
}

/** In UTC, as a part of names. */
export const minuteOf = (now: number): string => new Date(now).toISOString().slice(0, 16).replace(":", "");

export function createRunStore(database: LedgerDatabase) {
  const store = {
    /** In UTC, to the minute; a second run in that minute gets `-2`. `isTaken`: by a run of an earlier ledger, as its folder shows. */
    begin(
      command: string,
      mapping: string | null,
      now: number,
      by = whoami(process.env),
      isTaken: (name: string) => boolean = () => false,
    ): Run {
      const base = `${minuteOf(now)}-${command}`;
      let name = base;
      const isKnown = () => database.has("SELECT 1 FROM runs WHERE name = @name", { name });
      for (let count = 2; isKnown() || isTaken(name); count += 1) name = `${base}-${count}`;
      const id = database.add("runs", { name, command, mapping, started_by: by, started_at: now });
      return { id, name };
    },

    known: (names: readonly string[]) =>
      database.values<string>("SELECT name FROM runs WHERE name IN @names", { names }),

    /** Call in the transaction that stages the rows. */
    staged: (id: number, now: number) => database.change("runs", id, { staged_at: now }),

    /** The newest import, if its rows are not staged. `exitCode` null: it is reading, or was killed (surely, if the caller holds the lock). */
    lastUnstaged: () =>
      database.row<{ name: string; exitCode: number | null }>(
        `SELECT name, exit_code AS exitCode FROM runs WHERE id = (SELECT max(id) FROM runs WHERE command = 'import')
           AND staged_at IS NULL AND (exit_code IS NULL OR exit_code <> ${ExitCode.usage})`,
      ),

    /** Call in the transaction that carries out the decision. `by`: default who is logged in. */
    decided(command: string, did: string, now: number, by?: string) {
      const { id } = store.begin(command, null, now, by);
      store.finish(id, 0, JSON.stringify({ type: "decision", did } satisfies Decided), now);
    },

    /** The newest run or decision. `did`: of a decision, what it did. Null: none. */
    newest: (): { command: string; did: string | null } | null =>
      database.row("SELECT command, summary ->> 'did' AS did FROM runs ORDER BY id DESC LIMIT 1"),

    /** When a run or decision of the ledger's own ended last, in ms. 0: there is none. */
    knownUntil: () =>
      database.number(
        "SELECT coalesce(max(coalesce(finished_at, started_at)), 0) FROM runs WHERE command NOT IN ('rebuild', 'restore')",
      ),

    /** The last run that sends. Null: none. Times in ms, null for a run that continues or was killed. */
    last: (): LastRun | null =>
      database.row<LastRun>(
        `SELECT name, started_at AS startedAt, finished_at AS finishedAt, exit_code AS exitCode, summary
         FROM runs WHERE NOT ${isDecision} ORDER BY id DESC LIMIT 1`,
      ),

    /**
     * When earlier runs may last have sent, in ms; null: never. A killed run may have sent until now, because nobody
     * recorded the end of its calls (P6).
     */
    quietSince(now: number) {
      const last = store.last();
      return last && (last.finishedAt ?? now);
    },

    /**
     * How far the service's clock was ahead of this machine's in the last run, ms, if it was behind (H10); else 0. A slow
     * clock of this machine sends nothing too early, and may have been set since.
     */
    serviceAheadMs: () => Number(fact(database, "service-ahead") ?? 0),

    keepServiceAhead: (ms: number) => setFact(database, "service-ahead", String(Math.min(0, ms))),

    /**
     * A backup that was restored, or a rebuilt ledger, until an import has staged files again, and without a journal until
     * a whole `verify` has then found no difference: when the backup's last run ended, ms, and its name. Null: none such.
     */
    restored: () =>
      database.row<{ lastRun: string | null; lastAt: number | null; byJournal: 0 | 1 }>(
        `SELECT b.name AS lastRun, coalesce(b.finished_at, b.started_at) AS lastAt, r.command = 'rebuild' AS byJournal
         FROM runs r
         LEFT JOIN runs b ON b.id = (SELECT max(id) FROM runs WHERE id < r.id AND command NOT IN ('restore', 'rebuild'))
         WHERE r.id = (SELECT max(id) FROM runs WHERE command IN ('restore', 'rebuild'))
           AND NOT EXISTS (SELECT 1 FROM runs i WHERE i.id > r.id AND i.command = 'import' AND i.staged_at IS NOT NULL
             AND (r.command = 'rebuild' OR EXISTS (SELECT 1 FROM (SELECT id FROM runs WHERE ${foundNothing}) v WHERE v.id > i.id)))`,
      ),

    /**
     * The last `verify` that found a difference or could not read everything, until a whole one finds none: its name, and
     * when it ended, ms. Null: none such.
     */
    differed: () =>
      database.row<{ name: string; at: number }>(
        `SELECT name, finished_at AS at FROM runs WHERE command = 'verify' AND exit_code = ${ExitCode.person}
           AND id > (SELECT coalesce(max(id), 0) FROM runs WHERE ${foundNothing}) ORDER BY id DESC LIMIT 1`,
      ),

    /** By name, or the last with a summary; null: none. */
    find: (name: string | null): FoundRun | null =>
      database.row<FoundRun>(
        `SELECT id, name, iif(summary ->> 'type' = 'summary', summary, NULL) AS summary FROM runs
         WHERE iif(@name IS NULL, summary ->> 'type' = 'summary', name = @name) ORDER BY id DESC LIMIT 1`,
        { name },
      ),

    /** JSON; null: it came to none. */
    summaryOf: (name: string) => database.value<string>("SELECT summary FROM runs WHERE name = @name", { name }),

    endedBefore: (before: number) =>
      database.values<string>("SELECT name FROM runs WHERE coalesce(finished_at, started_at) < @before", { before }),

    /** `summary`: JSON; null: an error ended the run. */
    finish: (id: number, exitCode: number, summary: string | null, now: number) =>
      database.change("runs", id, { finished_at: now, exit_code: exitCode, summary }),
  };
  return store;
}
