/**
 * Intent before call (P4): a request stands in the ledger, durably, before it leaves; its outcome and its attempts
 * are written in one transaction when it has ended. A request without a result at start-up is in doubt.
 */
import type { Database } from "better-sqlite3";
import { failPoint } from "../model/fail-point.js";
import { isOn } from "../model/safeguards.js";
import type { Journal } from "./journal/journal.js";
import { createJournalEntries } from "./journal/entries.js";
import { createTransitions, type Transitions } from "./writer.js";
import { requestId as numbered, requestsOf } from "./request-id.js";

export interface Intent {
  runId: number;
  kind: string;
  subject: "participant" | "address" | "document";
  subjectId: number;
  /** Ids of the events it carries, in order. */
  events: readonly number[];
  /** Whether it creates its document. */
  creates: boolean;
}

/** One try, as kept; see submit/call.ts, Attempt. */
export interface AttemptRow {
  number: number;
  startedAt: number;
  durationMs: number;
  status: number | null;
  failure: string | null;
  error: { codes: string[]; message: string | null; raw: string } | null;
  requestIds: string[];
  inDoubt: boolean;
}

export type RequestResult = "accepted" | "duplicate" | "refused" | "unanswered" | "stopped";

export interface RequestStore {
  /**
   * Durable when it returns. Null, and nothing is written: what it would send was given up, or its document given an id,
   * beside this run since it was planned.
   */
  begin(intent: Intent, now: number): number | null;
  /** A read, told afterwards: it changed nothing and needed no intent. */
  log(intent: Intent, result: RequestResult, attempts: readonly AttemptRow[], startedAt: number, now: number): void;
  /** An attempt that will be followed by another: kept at once, so that a restart knows of it. */
  recordAttempt(requestId: number, attempt: AttemptRow): void;
  /** Writes the last attempt, the result and what `outcome` says of documents and events, all or nothing. */
  end(
    requestId: number,
    result: RequestResult,
    last: AttemptRow | undefined,
    now: number,
    outcome: (t: Transitions) => void,
  ): void;
  /** Outcomes that no single request decides, all or nothing. */
  outcomes(write: (t: Transitions) => void): void;
}

/** `journal`: written before the transaction commits; null: none is kept. */
export function createRequestStore(database: Database, journal: Journal | null = null): RequestStore {
  const transitions = createTransitions(database);
  const entries = createJournalEntries(database);
  const newest = database
    .prepare<[number, number], number | null>("SELECT max(id) FROM requests WHERE id BETWEEN ? AND ?")
    .pluck();
  const next = new Map<number, number>();
  const idIn = (run: number): number => {
    const id = next.get(run) ?? (newest.get(...requestsOf(run)) ?? numbered(run, 0)) + 1;
    next.set(run, id + 1);
    return id;
  };
  const insert = database.prepare<[number, string, string, number, number, string | null]>(
    "INSERT INTO requests (id, kind, subject, subject_id, intended_at, events) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const finish = database.prepare(
    `UPDATE requests SET result = ?, finished_at = ?, number = ?, started_at = ?, duration_ms = ?, status = ?, failure = ?,
       codes = ?, message = ?, raw = ?, request_ids = ?, in_doubt = ? WHERE id = ?`,
  );
  const finishUntried = database.prepare<[string, number, number]>(
    "UPDATE requests SET result = ?, finished_at = ? WHERE id = ?",
  );
  const addEarlier = database.prepare(
    `INSERT INTO earlier_attempts (request_id, number, started_at, duration_ms, status, failure, codes, message, raw, request_ids, in_doubt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const registration = {
    participant: {
      send: database.prepare<[number, number]>(
        "UPDATE participants SET state = 'sending', attempted = 1, changed_at = ? WHERE id = ?",
      ),
    },
    address: {
      send: database.prepare<[number, number]>(
        "UPDATE addresses SET state = 'sending', attempted = 1, changed_at = ? WHERE id = ?",
      ),
    },
  };

  const columnsOf = (attempt: AttemptRow) => {
    const { error } = attempt;
    return [
      attempt.number,
      attempt.startedAt,
      Math.round(attempt.durationMs),
      attempt.status,
      attempt.failure,
      error === null || error.codes.length === 0 ? null : error.codes.join(" "),
      error?.message ?? null,
      error?.raw ?? null,
      attempt.requestIds.length === 0 ? null : attempt.requestIds.join("\n"),
      attempt.inDoubt ? 1 : 0,
    ];
  };
  const writeResult = (id: number, result: RequestResult, last: AttemptRow | undefined, now: number): void => {
    if (last === undefined) finishUntried.run(result, now, id);
    else finish.run(result, now, ...columnsOf(last), id);
  };

  const writeStates = (intent: Intent, now: number): void => {
    if (intent.events.length > 0) transitions.sendingEvents(JSON.stringify(intent.events), now);
    if (intent.subject === "document") {
      if (intent.creates) transitions.sendingDocument(intent.subjectId, now);
    } else if (intent.creates) {
      registration[intent.subject].send.run(now, intent.subjectId);
    }
  };
  /** With the safeguard switched off, what should have been written before the call is written after it. */
  const unwritten = new Map<number, () => void>();
  const isOvertaken = database
    .prepare<{ events: string | null; created: number | null }, number>(
      `SELECT EXISTS (SELECT 1 FROM json_each(@events) c CROSS JOIN events_now e ON e.id = c.value
           WHERE e.state NOT IN ('planned', 'stalled', 'sending'))
         OR EXISTS (SELECT 1 FROM document_states WHERE document_id = @created AND state NOT IN ('planned', 'stalled', 'sending'))`,
    )
    .pluck();
  const writeIntent = database.transaction((intent: Intent, now: number): number | null => {
    const events = intent.events.length === 0 ? null : JSON.stringify(intent.events);
    const created = intent.subject === "document" && intent.creates ? intent.subjectId : null;
    if (isOvertaken.get({ events, created }) === 1) return null;
    const id = idIn(intent.runId);
    insert.run(id, intent.kind, intent.subject, intent.subjectId, now, events);
    if (isOn("intent-before-call")) writeStates(intent, now);
    else unwritten.set(id, () => writeStates(intent, now));
    journal?.write(entries.intent(id, now));
    return id;
  });
  const writeOutcome = database.transaction(
    (
      requestId: number,
      result: RequestResult,
      last: AttemptRow | undefined,
      now: number,
      outcome: (t: Transitions) => void,
    ): void => {
      unwritten.get(requestId)?.();
      outcome(transitions);
      writeResult(requestId, result, last, now);
      journal?.write(entries.end(requestId, now));
    },
  );

  return {
    begin(intent, now) {
      const id = writeIntent.immediate(intent, now);
      failPoint("after-intent");
      return id;
    },

    log: database.transaction(
      (
        intent: Intent,
        result: RequestResult,
        attempts: readonly AttemptRow[],
        startedAt: number,
        now: number,
      ): void => {
        const id = idIn(intent.runId);
        insert.run(id, intent.kind, intent.subject, intent.subjectId, startedAt, null);
        for (const attempt of attempts.slice(0, -1)) addEarlier.run(id, ...columnsOf(attempt));
        writeResult(id, result, attempts.at(-1), now);
      },
    ).immediate,

    recordAttempt: (requestId: number, attempt: AttemptRow): void =>
      void addEarlier.run(requestId, ...columnsOf(attempt)),

    end(requestId, result, last, now, outcome) {
      failPoint("before-outcome");
      writeOutcome.immediate(requestId, result, last, now, outcome);
      failPoint("after-outcome");
    },

    outcomes: database.transaction((write: (t: Transitions) => void): void => write(transitions)).immediate,
  };
}
