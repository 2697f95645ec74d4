/** A call to the service and what came of it. Nobody further in reads a status code. */
import type { JsonValue } from "../model/json.js";

export type CallKind =
  | "lookup-participant"
  | "read-participant"
  | "create-participant"
  | "list-addresses"
  | "create-address"
  | "create-document"
  | "create-with-events"
  | "append-events"
  | "read-document";

export interface Call {
  kind: CallKind;
  method: "GET" | "POST";
  /** Below the base URL, with identifiers already percent-encoded: `/participants/p%201/addresses`. */
  path: string;
  query?: Record<string, string>;
  /** JSON text; the identical text goes out on every attempt. */
  body?: string;
  /**
   * What may be done after an attempt whose effect is in doubt (5xx, timeout, broken connection):
   * - `read`, `keyed`: the same call again (a keyed one carries deduplicationIds);
   * - `registration`: nothing; the answer is `unanswered` at once, and the caller looks before it creates again (HARD-CASES H7).
   * 429, 409 PENDING_PROCESS_CONFLICT_ERROR and connections that were never made leave no doubt and are retried in all three.
   */
  safety: "read" | "keyed" | "registration";
}

/** What the service said when it did not accept. */
export interface ServiceError {
  status: number;
  /** Codes of the envelope's `errors`, in order; empty where the body held none. */
  codes: string[];
  /** The service's words, shortened to 500 characters; null where it sent none. */
  message: string | null;
  /** The body as it came, up to 4 KiB. */
  raw: string;
}

/** One try of a call, as the ledger keeps it. */
export interface Attempt {
  /** Counting from 1. */
  number: number;
  /** ms since 1970, this machine's clock. */
  startedAt: number;
  durationMs: number;
  /** Null: no answer came (`failure` says why). */
  status: number | null;
  /** `ECONNRESET`, `headers-timeout` …; null when an answer came. */
  failure: string | null;
  error: ServiceError | null;
  /** Response headers that look like request ids (open-points 15), `name: value`. */
  requestIds: string[];
  /** Whether this attempt may have taken effect although nothing says so. */
  inDoubt: boolean;
}

export type Answer = {
  attempts: Attempt[];
  /** Whether any attempt of this call before the last one, or the last one itself, is in doubt. */
  inDoubt: boolean;
} /** Any 2xx. `body`: null when it was empty, undefined when it was not JSON (HARD-CASES H6). */ & (
  | { result: "accepted"; status: number; body: JsonValue | undefined }
  /** 409 by code and message (HARD-CASES H2); `key`: the deduplicationId it names, null when unreadable. */
  | { result: "duplicate"; key: string | null; error: ServiceError }
  /**
   * Terminal for what it concerns: 400, 404, 409 of another kind, 413, 422 and other 4xx.
   * `unexplainedConflict`: a CONFLICT_ERROR without words, which may or may not be a duplicate (open-points 23); the events
   * of such a request are settled one by one. Absent means false.
   */
  | { result: "refused"; error: ServiceError; tooLarge: boolean; notFound: boolean; unexplainedConflict?: boolean }
  /** Retries spent, or a registration in doubt. */
  | { result: "unanswered"; error: ServiceError | null; failure: string | null }
  /**
   * Not decided, for a reason that concerns the whole run: 401, or 403 after a refresh; the token endpoint; an interruption;
   * an outage over its bound. `overtaken` concerns this call alone: `onLeaving` refused it, and nothing left.
   */
  | { result: "stopped"; why: "credentials" | "interrupted" | "outage" | "overtaken"; message: string }
);

export interface SendOptions {
  /**
   * Runs once, when slot and token are held, just before the call leaves for the first time; false: it is not sent. What it
   * throws, `send` rejects with. Never run for a call that does not leave.
   */
  onLeaving?: () => boolean;
  /**
   * Where the service refuses with 403 what a fresh token may not do: a read of a participant that the call refers to and this
   * client did not create (open-points 28); null: it refers to none. Answered, the refusal is about the call, not the client.
   */
  foreignRead?: () => Call | null;
  /** Runs after each attempt, before the next. */
  onAttempt?: (attempt: Attempt) => void;
}

export interface Submitter {
  /** Sends through token, throttle and retry. Never rejects for anything that the service or the network does. */
  send(call: Call, options?: SendOptions): Promise<Answer>;
  /** The service's clock in ms, from the Date headers seen; the local clock before the first (HARD-CASES H10). */
  serviceNow(): number;
  /** Takes no new work; calls under way finish. Calls not yet begun answer `stopped`. Safe to call twice. */
  drain(): void;
  /** Requests sent and 429s met so far, for progress. */
  readonly counts: { sent: number; rateLimited: number; retries: number };
  close(): Promise<void>;
}
