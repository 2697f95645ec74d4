/** A call to the service and its outcome. Callers never read a status code. */
import type { Attempt, ServiceError } from "../model/attempt.js";
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
  /** Percent-encoded, below the base URL: `/participants/p%201/addresses`. */
  path: string;
  query?: Record<string, string>;
  /** JSON; every attempt sends the identical text. */
  body?: string;
  /**
   * What may be done after an attempt whose effect is in doubt (5xx, timeout, broken connection):
   * - `read`, `keyed`: the same call again (a keyed one carries deduplicationIds);
   * - `registration`: nothing; the answer is `unanswered` at once, and the caller looks before it creates again (H7).
   * 429, 409 PENDING_PROCESS_CONFLICT_ERROR and connections that were never made leave no doubt and are retried in all three.
   */
  safety: "read" | "keyed" | "registration";
}

export type Answer = {
  attempts: Attempt[];
  /** Any attempt of this call is in doubt. */
  inDoubt: boolean;
} /** A 2xx of the service's own (H6). `body`: null when it was empty. */ & (
  | { result: "accepted"; status: number; body: JsonValue }
  /** Recognised by code and message (H2); `key`: the deduplicationId it names, null: unreadable. */
  | { result: "duplicate"; key: string | null; error: ServiceError }
  /**
   * Final: 400, 404, other 409, 413, 422 and other 4xx. `unexplainedConflict`: a CONFLICT_ERROR without a message,
   * perhaps a duplicate (open point 23); its events are settled one by one. Absent: false.
   */
  | { result: "refused"; error: ServiceError; tooLarge: boolean; notFound: boolean; unexplainedConflict?: boolean }
  /** Retries spent, or a registration in doubt. */
  | { result: "unanswered"; error: ServiceError | null; failure: string | null }
  /**
   * Undecided for a reason of the whole run: 401, or 403 after a refresh; the token endpoint; an interruption; a long
   * outage. `overtaken`: only `onLeaving` refused this call, and nothing was sent.
   */
  | { result: "stopped"; why: "credentials" | "interrupted" | "outage" | "unknown-path" | "overtaken"; message: string }
);

export interface SendOptions {
  /**
   * Runs once, with slot and token held, just before the first attempt; false: nothing is sent. `send` rejects with
   * what it throws.
   */
  onLeaving?: () => boolean;
  /**
   * Where the service refuses with 403 what a fresh token may not do: whether it answers another read, such as of a
   * participant that the call refers to and this client did not create (open point 28). If so, the refusal is about the
   * call, not the client.
   */
  isReadable?: () => Promise<boolean>;
  /** Before the next attempt. */
  onAttempt?: (attempt: Attempt) => void;
}
