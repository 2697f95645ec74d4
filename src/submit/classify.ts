/**
 * Interprets answers: the only place that reads status codes (service.md, Errors; H2, H8). The first matching rule
 * decides.
 */
import { isJsonObject, type JsonValue } from "../model/json.js";
import { batchReceiptOf, isNothing, registrationOf } from "./answers.js";
import type { ServiceError } from "../model/attempt.js";
import type { Call, CallKind } from "./call.js";
import { readError, readJson } from "./words.js";
import type { TransportFailure, TransportReply } from "./transport.js";

export type Verdict =
  | "accepted"
  | "duplicate"
  | "refused"
  | "pending"
  | "rate-limited"
  | "unavailable"
  | "forbidden"
  | "unauthorized"
  | "unknown-path"
  | "no-answer"
  | "unreadable-answer";

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

/** The 4xx answers that mean more than a plain refusal. */
const rules: readonly Rule[] = [
  { status: 401, verdict: "unauthorized" },
  // Open point 13: the gateway's 403 looks like the service's own.
  { status: 403, verdict: "forbidden" },
  // Before PENDING: a repeat that names the key has landed.
  { status: 409, code: "CONFLICT_ERROR", words: namesDuplicate, verdict: "duplicate" },
  { status: 409, code: "PENDING_PROCESS_CONFLICT_ERROR", verdict: "pending" },
  { status: 429, verdict: "rate-limited" },
];

/** Also of a try that brought no answer. */
export interface Reading {
  verdict: Verdict;
  /** A write with this answer may have taken effect. */
  doubt: boolean;
  /** It may not be the service that answered, but what is at another address. */
  isElsewhere: boolean;
  /** If accepted, else null. Null: empty. */
  body: JsonValue;
  /** Null: accepted, or no answer. */
  error: ServiceError | null;
  /** Null: unreadable. */
  key: string | null;
}

const unsaid = { doubt: false, isElsewhere: false, body: null, error: null, key: null };

/** One that is too large would be just as large again. */
export const withoutAnswer = ({ kind, sent }: TransportFailure): Reading => ({
  ...unsaid,
  verdict: kind === "too-large" ? "unreadable-answer" : "no-answer",
  doubt: sent,
});

/** `secrets`: texts to remove from the stored answer. */
export function classify(kind: CallKind, reply: TransportReply, secrets: readonly string[] = []): Reading {
  const { status } = reply;
  // Open point 16.
  const body = status >= 200 && status <= 299 ? readJson(reply.body) : undefined;
  if (body !== undefined && answers(kind, body)) return { ...unsaid, verdict: "accepted", body };
  const { error, words } = readError(reply, secrets);
  // 5xx; or a redirect (never followed: it would send the body elsewhere), an unknown status, a login page with status 200
  // or a page with status 404, which do not come from the service.
  if (status < 400 || status > 499 || isElsewhere(kind, reply, error))
    return { ...unsaid, verdict: "unavailable", doubt: true, isElsewhere: isOther(status), error };
  // "Every 4xx except …" (service.md, Errors).
  const isNameless = namesNothing(kind, status);
  const verdict =
    isNameless && !namesCode(error)
      ? "unknown-path"
      : (rules.find((rule) => fits(rule, error, words))?.verdict ?? "refused");
  const key = verdict === "duplicate" ? keyOf(words ?? "") : null;
  return { ...unsaid, verdict, isElsewhere: isNameless, error, key };
}

/**
 * Whether the service itself may have said this (service.md, Endpoints). Where only a repeat under the same key can tell
 * more, as of a document without its id, it counts as unsaid (H6).
 */
function answers(kind: CallKind, body: JsonValue): boolean {
  const { documentId, events } = batchReceiptOf(body);
  switch (kind) {
    case "create-document":
    case "create-with-events":
      return documentId !== null;
    case "append-events":
      return isNothing(body) || documentId !== null || events !== null;
    case "create-participant":
    case "create-address":
      return registrationOf(body) !== null;
    case "lookup-participant":
    case "read-participant":
      return isNothing(body) || Array.isArray(body) || (isJsonObject(body) && "id" in body);
    case "list-addresses":
      return isNothing(body) || Array.isArray(body);
    // Open point 18.
    case "read-document":
      return true;
  }
}

/**
 * A web page comes from something in front of the service; a 404 in plain words may be its own, but not for POST
 * /documents/events, where it would say that a document is gone. Instead of POST /documents even a page may mean that
 * the service has no such endpoint (open point 25). A 408 without a code comes from a gateway that may have passed the
 * request on.
 */
function isElsewhere(kind: CallKind, { status, body }: TransportReply, error: ServiceError): boolean {
  if (status === 408) return error.codes.length === 0;
  if (status !== 404 || kind === "create-document") return false;
  const needsCode = kind === "append-events" || kind === "create-with-events";
  return (needsCode && !namesCode(error)) || /^\s*<(!doctype|html|head|body|\?xml)/i.test(body);
}

/**
 * POST /participants names no resource that could be missing, so the address is wrong. With a code of the service's own
 * (service.md, Errors), it may be about the record, if the service has ever answered there.
 */
const namesNothing = (kind: CallKind, status: number): boolean =>
  kind === "create-participant" && (status === 404 || status === 405);

/** Only the service names a code (service.md, Errors); gateways give the status as one. */
export const namesCode = ({ codes }: ServiceError): boolean => codes.some((code) => /\D/.test(code));

/** No service in trouble answers so. */
const isOther = (status: number): boolean => status < 500 && status !== 408;

/** Perhaps about this call alone, unlike 502, 503 and 504 (service.md, Errors). */
export const isOwnFault = ({ status }: Pick<ServiceError, "status">): boolean => status === 500 || isOther(status);

/** What came instead of an answer of the service, as a clause. `body`: perhaps only its beginning. */
export function describeUnavailable(status: number, body: string): string {
  if (status >= 300 && status <= 399)
    return `answered ${status}, a redirect, which is never followed: perhaps to a login page or a new address`;
  if (status < 300 && isJsonObject(readJson(body)))
    return `answered ${status} with JSON in which Rowferry does not find what it asked for, as from another version of the service`;
  const whose = isOther(status) ? ", but not as the service does: perhaps with a login page, or a gateway's page" : "";
  return `answered ${status}${whose}`;
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
  const { status, codes, message } = error;
  return status === 409 && codes.includes("CONFLICT_ERROR") && (message === null || codes.includes(message));
}

/** A lost answer to a write leaves doubt. */
export function writes(call: Call): boolean {
  return call.safety !== "read";
}
