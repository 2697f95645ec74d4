/**
 * Intent before call (P4): a request is durable in the ledger before it leaves; outcome and attempts are written in one
 * transaction when it ends. A request without a result at start-up is in doubt.
 */
import type { Attempt, ServiceError } from "../model/attempt.js";
import type { Journal } from "./journal/journal.js";
import { createJournalEntries } from "./journal/entries.js";
import type { LedgerDatabase } from "./ledger-database.js";
import { requestsOf } from "./runs.js";
import type { WorkEvent } from "./work.js";
import { Writer } from "./writer.js";

export interface Intent {
  runId: number;
  kind: string;
  subject: "participant" | "address" | "document";
  subjectId: number;
  /** In order. */
  events: readonly number[];
  creates: boolean;
}

export type RequestResult = "accepted" | "duplicate" | "refused" | "unanswered" | "stopped";

/** `journal`: written before the transaction commits; null: none. */
export function createRequestStore(database: LedgerDatabase, journal: Journal | null = null) {
  const writer = new Writer(database);
  const entries = createJournalEntries(database);
  let newest = 0;

  const add = ({ runId, kind, subject, subjectId }: Intent, events: string | null, at: number) => {
    const range = requestsOf(runId);
    if (newest < range.first || newest > range.last) {
      const before = "SELECT max(id) FROM requests WHERE id BETWEEN @first AND @last";
      newest = database.value<number>(before, range) ?? range.first;
    }
    newest += 1;
    database.add("requests", { id: newest, kind, subject, subject_id: subjectId, intended_at: at, events });
    return newest;
  };

  /** Keeps an attempt that will be repeated at once, so that a restart knows of it. */
  const recordAttempt = (id: number, attempt: Attempt) => {
    const durationMs = Math.round(attempt.durationMs);
    database.run(
      "UPDATE requests SET attempts = json_insert(coalesce(attempts, '[]'), '$[#]', json(@attempt)) WHERE id = @id",
      { id, attempt: JSON.stringify({ ...attempt, durationMs }) },
    );
  };

  const finish = (id: number, result: RequestResult, attempt: Attempt | undefined, now: number) => {
    if (attempt !== undefined) recordAttempt(id, attempt);
    database.change("requests", id, { result, finished_at: now });
  };

  return {
    /** The service has said yes before, or given ids that an earlier ledger wrote down. */
    isAnswered: (): boolean =>
      database.has("SELECT 1 FROM requests WHERE result = 'accepted'") ||
      database.has("SELECT 1 FROM document_states WHERE service_id IS NOT NULL") ||
      database.has("SELECT 1 FROM registrations WHERE state = 'registered' AND origin <> 'given'"),

    /**
     * Durable when it returns. Null: nothing is written, because its events were dismissed or its document resolved
     * since the plan.
     */
    begin: (intent: Intent, now: number) =>
      database.atomic(() => {
        const { subject, subjectId, creates } = intent;
        const events = intent.events.length === 0 ? null : JSON.stringify(intent.events);
        const isOvertaken = database.has(
          `SELECT 1 FROM json_each(@events) c CROSS JOIN events_now e ON e.id = c.value
             WHERE e.state NOT IN ('planned', 'stalled', 'sending')
           UNION ALL SELECT 1 FROM document_states
             WHERE document_id = @created AND state NOT IN ('planned', 'stalled', 'sending')`,
          { events, created: subject === "document" && creates ? subjectId : null },
        );
        if (isOvertaken) return null;
        const id = add(intent, events, now);
        if (events !== null) writer.sendingEvents(events, now);
        if (creates && subject === "document") writer.sendingDocument(subjectId, now);
        else if (creates) writer.sendingRegistration(subjectId, now);
        journal?.write(entries.intent(id, now));
        return id;
      }),

    /** Logs a read afterwards: it changed nothing and needed no intent. */
    log(intent: Intent, result: RequestResult, attempts: readonly Attempt[], startedAt: number, now: number) {
      database.atomic(() => {
        const id = add(intent, null, startedAt);
        for (const attempt of attempts.slice(0, -1)) recordAttempt(id, attempt);
        finish(id, result, attempts.at(-1), now);
      });
    },

    recordAttempt,

    /** Writes the last attempt, the result and the outcomes, all or nothing. */
    end(
      id: number,
      result: RequestResult,
      attempt: Attempt | undefined,
      now: number,
      outcome: (writer: Writer) => void,
    ) {
      database.atomic(() => {
        outcome(writer);
        finish(id, result, attempt, now);
        journal?.write(entries.end(id, now));
      });
    },

    /** Outcomes that do not belong to one request; all or nothing. */
    outcomes: (write: (writer: Writer) => void) => database.atomic(() => write(writer)),
  };
}

/** Two refusals are compared without their text, which may hold times and ids. */
type RefusedAs = Pick<ServiceError, "status" | "codes">;
/** `request`: only earlier ones count. `events`: as JSON. */
type RequestOf = { document: number; request: number; events?: string | null };

export function createRefusalHistory(database: LedgerDatabase) {
  const wasAnswered = (which: string, values: RequestOf, { status, codes }: RefusedAs) =>
    database.has(
      `SELECT 1 FROM requests WHERE subject = 'document' AND subject_id = @document
         AND id < @request AND attempts ->> '$[#-1].error.status' = @status
         AND attempts ->> '$[#-1].error.codes' = @codes AND ${which}`,
      { ...values, status, codes: JSON.stringify(codes) },
    );
  const wasRefused = (which: string, values: RequestOf, as: RefusedAs) =>
    wasAnswered(`result IN ('refused', 'duplicate') AND ${which}`, values, as);
  return {
    /** An earlier run sent just these events, or the document alone, and was left with the same answer. */
    wasUnanswered: (document: number, events: readonly number[], request: number, as: RefusedAs) =>
      wasAnswered(
        "result = 'unanswered' AND run_id < @request >> 32 AND events IS @events",
        { document, request, events: events.length === 0 ? null : JSON.stringify(events) },
        as,
      ),
    /** An earlier request carried this event alone and was refused in the same way. */
    ofEvent: (event: { id: number; document: number }, request: number, as: RefusedAs) =>
      wasRefused("events = json_array(CAST(@id AS INTEGER))", { ...event, request }, as),
    /** Events that an earlier run left `refused-with-others`, as they are now; with the first refusal in that run. */
    withOthers(events: readonly WorkEvent[]) {
      const ofIt =
        "subject = 'document' AND subject_id = @document AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = @id)";
      return new Map(
        events.flatMap(({ id, document, reason, sentAsIs }): [number, ServiceError][] => {
          if (reason !== "refused-with-others" || !sentAsIs) return [];
          const error = database.value<string>(
            `SELECT attempts -> '$[#-1].error' FROM requests WHERE ${ofIt} AND result = 'refused'
               AND run_id = (SELECT max(run_id) FROM requests WHERE ${ofIt}) ORDER BY id LIMIT 1`,
            { id, document },
          );
          return error === null ? [] : [[id, JSON.parse(error) as ServiceError]];
        }),
      );
    },
    /** An earlier run tried to create this document without events and was refused in the same way. */
    ofDocument: (document: number, request: number, as: RefusedAs) =>
      wasRefused("kind LIKE 'create-%' AND run_id < @request >> 32 AND events IS NULL", { document, request }, as),
    /** The last request to create this document was refused with its events, which were still to come (H10). */
    isPutOff: (document: number, request: number) =>
      database.value<number>(
        `SELECT result = 'refused' AND events IS NOT NULL FROM requests WHERE subject = 'document' AND subject_id = @document
           AND kind LIKE 'create-%' AND id < @request ORDER BY id DESC LIMIT 1`,
        { document, request },
      ) === 1,
  };
}
