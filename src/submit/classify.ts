/**
 * What an answer means, as a table: the one place that reads status codes (service.md, Errors; HARD-CASES H2, H8).
 * The first rule that fits decides.
 */
import type { JsonValue } from "../model/json.js";
import type { Call, ServiceError } from "./call.js";
import { readError, readJson } from "./words.js";
import type { TransportReply } from "./transport.js";

export type Verdict =
  | "accepted"
  | "duplicate"
  | "refused"
  | "pending"
  | "rate-limited"
  | "unavailable"
  | "forbidden"
  | "unauthorized";

export interface Rule {
  /** Inclusive bounds of the status. */
  from: number;
  to: number;
  /** One of the answer's codes must be this one. */
  code?: string;
  /** The answer's words must fit. */
  words?: (words: string) => boolean;
  verdict: Verdict;
  /** Whether a write so answered may have taken effect all the same. */
  doubt: boolean;
}

/** `Document deduplicationId: (...) already exists` (service.md, Errors), in any case and spacing. */
function namesDuplicate(words: string): boolean {
  const at = words.search(/deduplication\s*_?id\b/i);
  return at !== -1 && /\balready\s+exists/i.test(words.slice(at));
}

export const rules: readonly Rule[] = [
  // open-points 16: any 2xx.
  { from: 200, to: 299, verdict: "accepted", doubt: false },
  { from: 401, to: 401, verdict: "unauthorized", doubt: false },
  // open-points 13: the gateway's 403 and the service's own cannot be told apart.
  { from: 403, to: 403, verdict: "forbidden", doubt: false },
  // Before PENDING: a repeat that names the key has landed, whatever else runs.
  { from: 409, to: 409, code: "CONFLICT_ERROR", words: namesDuplicate, verdict: "duplicate", doubt: false },
  { from: 409, to: 409, code: "PENDING_PROCESS_CONFLICT_ERROR", verdict: "pending", doubt: false },
  { from: 429, to: 429, verdict: "rate-limited", doubt: false },
  // "Every 4xx except …" (service.md, Errors): terminal for what it concerns.
  { from: 400, to: 499, verdict: "refused", doubt: false },
  // 500, 502, 503, 504 and their kin.
  { from: 500, to: 599, verdict: "unavailable", doubt: true },
  // A redirect (never followed: it would send the body elsewhere) or a status nobody knows: not an answer of the service.
  { from: 0, to: 999, verdict: "unavailable", doubt: true },
];

export interface Reading {
  verdict: Verdict;
  doubt: boolean;
  /** Of an accepted answer: null when empty, undefined when it was not JSON. */
  body: JsonValue | undefined;
  /** Null when accepted. */
  error: ServiceError | null;
  /** The deduplicationId that a duplicate names; null when unreadable. */
  key: string | null;
}

/** `secrets`: texts to strike out of what is kept of the answer. */
export function classify(reply: TransportReply, secrets: readonly string[] = []): Reading {
  const accepted = reply.status >= 200 && reply.status <= 299;
  if (accepted) return { verdict: "accepted", doubt: false, body: readJson(reply.body), error: null, key: null };
  const { error, words } = readError(reply, secrets);
  const rule = rules.find((candidate) => fits(candidate, error, words));
  const verdict = rule?.verdict ?? "unavailable";
  return {
    verdict,
    doubt: rule?.doubt ?? true,
    body: undefined,
    error,
    key: verdict === "duplicate" ? keyOf(words ?? "") : null,
  };
}

function fits(rule: Rule, error: ServiceError, words: string | null): boolean {
  if (error.status < rule.from || error.status > rule.to) return false;
  if (rule.code !== undefined && !error.codes.includes(rule.code)) return false;
  return rule.words === undefined || (words !== null && rule.words(words));
}

function keyOf(words: string): string | null {
  const key = /deduplication\s*_?id\s*(?::\s*)?\(([^()]*)\)/i.exec(words)?.[1]?.trim() ?? "";
  return key === "" || /^\.+$|^…$/.test(key) ? null : key;
}

/**
 * A CONFLICT_ERROR without any words may be a duplicate or any other conflict (open-points 23): proof of neither.
 * The caller settles the events of such a request one by one.
 */
export function isUnexplainedConflict(error: ServiceError): boolean {
  return error.status === 409 && error.codes.includes("CONFLICT_ERROR") && error.message === null;
}

/** Whether the call writes, so that a lost answer leaves doubt. */
export function writes(call: Call): boolean {
  return call.safety !== "read";
}
