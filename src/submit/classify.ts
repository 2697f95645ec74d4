/**
 * Interprets answers: the only place that reads status codes (service.md, Errors; H2, H8). The first matching rule
 * decides.
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
  /** Inclusive. */
  from: number;
  to: number;
  code?: string;
  words?: (words: string) => boolean;
  verdict: Verdict;
  /** A write with this answer may have taken effect. */
  doubt: boolean;
}

/** `Document deduplicationId: (...) already exists` (service.md, Errors), in any case and spacing. */
function namesDuplicate(words: string): boolean {
  const at = words.search(/deduplication\s*_?id\b/i);
  return at !== -1 && /\balready\s+exists/i.test(words.slice(at));
}

export const rules: readonly Rule[] = [
  // Open point 16.
  { from: 200, to: 299, verdict: "accepted", doubt: false },
  { from: 401, to: 401, verdict: "unauthorized", doubt: false },
  // Open point 13: the gateway's 403 looks like the service's own.
  { from: 403, to: 403, verdict: "forbidden", doubt: false },
  // Before PENDING: a repeat that names the key has landed.
  { from: 409, to: 409, code: "CONFLICT_ERROR", words: namesDuplicate, verdict: "duplicate", doubt: false },
  { from: 409, to: 409, code: "PENDING_PROCESS_CONFLICT_ERROR", verdict: "pending", doubt: false },
  { from: 429, to: 429, verdict: "rate-limited", doubt: false },
  // "Every 4xx except …" (service.md, Errors).
  { from: 400, to: 499, verdict: "refused", doubt: false },
  { from: 500, to: 599, verdict: "unavailable", doubt: true },
  // A redirect (never followed: it would send the body elsewhere) or an unknown status does not come from the service.
  { from: 0, to: 999, verdict: "unavailable", doubt: true },
];

export interface Reading {
  verdict: Verdict;
  doubt: boolean;
  /** If accepted: null when empty, undefined when not JSON. */
  body: JsonValue | undefined;
  /** Null: accepted. */
  error: ServiceError | null;
  /** Null: unreadable. */
  key: string | null;
}

/** `secrets`: texts to remove from the stored answer. */
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

/** A CONFLICT_ERROR without a message may be a duplicate (open point 23). The caller settles its events one by one. */
export function isUnexplainedConflict(error: ServiceError): boolean {
  return error.status === 409 && error.codes.includes("CONFLICT_ERROR") && error.message === null;
}

/** A lost answer to a write leaves doubt. */
export function writes(call: Call): boolean {
  return call.safety !== "read";
}
