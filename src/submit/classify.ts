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

interface Rule {
  status: number;
  code?: string;
  words?: (words: string) => boolean;
  verdict: Verdict;
}

/** `Document deduplicationId: (...) already exists` (service.md, Errors), in any case and spacing. */
function namesDuplicate(words: string): boolean {
  const at = words.search(/deduplication\s*_?id\b/i);
  return at !== -1 && /\balready\s+exists/i.test(words.slice(at));
}

/** The 4xx of which more is to be known than that they refuse. */
const rules: readonly Rule[] = [
  { status: 401, verdict: "unauthorized" },
  // Open point 13: the gateway's 403 looks like the service's own.
  { status: 403, verdict: "forbidden" },
  // Before PENDING: a repeat that names the key has landed.
  { status: 409, code: "CONFLICT_ERROR", words: namesDuplicate, verdict: "duplicate" },
  { status: 409, code: "PENDING_PROCESS_CONFLICT_ERROR", verdict: "pending" },
  { status: 429, verdict: "rate-limited" },
];

export interface Reading {
  verdict: Verdict;
  /** A write with this answer may have taken effect. */
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
  const { status } = reply;
  // Open point 16.
  if (status >= 200 && status <= 299)
    return { verdict: "accepted", doubt: false, body: readJson(reply.body), error: null, key: null };
  const { error, words } = readError(reply, secrets);
  // 5xx; or a redirect (never followed: it would send the body elsewhere) or an unknown status, which does not come
  // from the service.
  if (status < 400 || status > 499) return { verdict: "unavailable", doubt: true, body: undefined, error, key: null };
  // "Every 4xx except …" (service.md, Errors).
  const verdict = rules.find((rule) => fits(rule, error, words))?.verdict ?? "refused";
  return { verdict, doubt: false, body: undefined, error, key: verdict === "duplicate" ? keyOf(words ?? "") : null };
}

function fits(rule: Rule, error: ServiceError, words: string | null): boolean {
  if (rule.status !== error.status) return false;
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
