/** When a call goes out again, as data (service.md, Errors: recommended client retry policy). */
import type { Random } from "../model/clock.js";
import type { Verdict } from "./classify.js";

export interface RetryPolicy {
  /** Retries after the first try; repeats for a fresh token and probes of an outage are not counted. */
  retries: number;
  firstDelayMs: number;
  longestDelayMs: number;
  /** A Retry-After counts up to this. */
  longestRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  retries: 5,
  firstDelayMs: 1_000,
  longestDelayMs: 30_000,
  longestRetryAfterMs: 120_000,
};

/** How a try ended: the verdict on its answer, or that none came. */
export type Ending = Verdict | "no-answer" | "unreadable-answer";

/** What follows. `settled`: the answer stands. `renew`: once, with another token, if the answer may be about it. */
export type Sequel = "settled" | "backoff" | "pending" | "renew" | "give-up";

export const sequels: Record<Ending, Sequel> = {
  accepted: "settled",
  duplicate: "settled",
  refused: "settled",
  pending: "pending",
  "rate-limited": "backoff",
  unavailable: "backoff",
  forbidden: "renew",
  unauthorized: "renew",
  "no-answer": "backoff",
  // Too large to take in: the same question would get the same answer.
  "unreadable-answer": "give-up",
};

/**
 * ms to wait before retry number `retry` (counting from 1).
 * `backoff`: doubling from the first delay, up to half as much again by chance, capped. `pending`: 2 to 5 seconds, later
 * ones nearer to 5 (service.md, Errors).
 */
export function retryDelay(sequel: "backoff" | "pending", retry: number, policy: RetryPolicy, random: Random): number {
  if (sequel === "pending") return Math.min(5_000, 1_000 * (1 + retry + random()));
  return Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (retry - 1) * (1 + random() / 2));
}

/** ms that a Retry-After header asks for (seconds, or a date by the service's clock); 0 when it asks for nothing. */
export function retryAfterMs(header: string | undefined, serviceNow: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - serviceNow);
}
