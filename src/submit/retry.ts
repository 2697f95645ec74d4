/** The only retry loop: repeats a call until its answer is final, its retries are spent, or the run is stopped. */
import type { Clock, Random } from "../model/clock.js";
import type { Attempt, ServiceError } from "../model/attempt.js";
import type { Answer, Call, CallKind, SendOptions } from "./call.js";
import { describeUnavailable, isUnexplainedConflict, type Verdict, writes } from "./classify.js";
import { freshMs } from "./client.js";
import { type Layer, reasonOf, type Sent, type Stop, type StopReason } from "./layer.js";
import type { TokenSource } from "./token.js";
import { plainLine } from "./words.js";

const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

/** `settled`: final. `renew`: once, with another token. `stop`: the whole run. */
type Sequel = "settled" | "backoff" | "pending" | "renew" | "give-up" | "stop";

const sequels: Record<Verdict, Sequel> = {
  accepted: "settled",
  duplicate: "settled",
  refused: "settled",
  pending: "pending",
  "rate-limited": "backoff",
  unavailable: "backoff",
  forbidden: "renew",
  unauthorized: "renew",
  "unknown-path": "stop",
  "no-answer": "backoff",
  "unreadable-answer": "give-up",
};

/**
 * ms before retry number `retry` (from 1). `backoff`: doubling, plus up to half at random, capped. `pending`: 2 to 5
 * seconds, later retries closer to 5 (service.md, Errors).
 */
function retryDelay(sequel: "backoff" | "pending", retry: number, random: Random): number {
  if (sequel === "pending") return Math.min(5_000, 1_000 * (1 + retry + random()));
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (retry - 1) * (1 + random() / 2));
}

export interface RetryOptions {
  clock: Clock;
  random: Random;
  /** Repeats with a fresh token and probes of an outage do not count. */
  retries: number;
  stop: Stop;
  tokens: TokenSource;
  /** The service has answered at this address before. */
  isAddressKnown: boolean;
  /** Known names; headers that look similar count too (open point 15). */
  requestIdHeaders: readonly string[];
  onAttempt: (kind: CallKind, attempt: Attempt) => void;
}

export function withRetries(
  next: Layer,
  options: RetryOptions,
): (call: Call, options?: SendOptions) => Promise<Answer> {
  const { clock, random, stop, tokens } = options;
  const isWrongAddress = addressJudge(options.isAddressKnown);
  return async (call, { onLeaving, onAttempt, isReadable } = {}) => {
    const attempts: Attempt[] = [];
    let retries = 0;
    let renewals = 0;
    let freshToken = false;
    let refusedBeside = 0;
    for (;;) {
      const reason = reasonOf(stop);
      if (reason !== null) return stopped(attempts, reason);
      const isFirst = attempts.length === 0;
      const tried = await next({ call, freshToken, onLeaving: isFirst ? onLeaving : undefined });
      if (!tried.sent) {
        if (tried.overtaken === true) return stopped(attempts, overtaken);
        // The outage gate times the next try.
        continue;
      }
      const attempt = asAttempt(tried, call, attempts.length + 1, options.requestIdHeaders);
      attempts.push(attempt);
      options.onAttempt(call.kind, attempt);
      onAttempt?.(attempt);

      const ending = tried.reading.verdict;
      const sequel = isWrongAddress(tried) ? "stop" : sequels[ending];
      if (sequel === "settled") return settled(attempts, tried);
      if (sequel === "stop") {
        const { status, error } = attempt;
        stop.abort(
          ending === "unavailable" && error !== null ? wrongAddress(error) : noSuchPath(call, { status: status ?? 0 }),
        );
        continue;
      }
      // A registration is never repeated after doubt (H7).
      if (sequel === "give-up" || (attempt.inDoubt && call.safety === "registration"))
        return unanswered(attempts, tried);
      if (sequel === "renew") {
        // A 401 is final, unless its token has been replaced meanwhile (H8).
        const replaced = tokens.replaced(tried.token);
        if (ending === "forbidden") tokens.refused(tried.token);
        // A token may have ended while it waited for the throttle; then a token of the last moment decides.
        const isProof = renewals > 0 && (freshToken || tried.startedAt - tried.token.issuedAt <= freshMs);
        if (isProof || renewals === 2 || (ending === "unauthorized" && !replaced)) {
          // Both tokens may have ended under the call. Refused again after a read was answered, it is the call; a
          // gateway's answer, without the service's codes, is more likely about another token that ended (night 9005606).
          const most = attempt.error?.codes.length === 0 ? 3 : 1;
          if (refusedBeside >= most && ending === "forbidden") return settled(attempts, tried);
          refusedBeside += 1;
          if (ending !== "forbidden" || (await isReadable?.()) !== true) {
            stop.abort(credentials(attempt));
            continue;
          }
        }
        freshToken = ending === "forbidden" && renewals > 0;
        renewals++;
      } else if (tried.spends !== "none") {
        freshToken = false;
        // A probe spends no retry; the outage gate times the next one.
        if (tried.spends === "all retries" || retries >= options.retries) return unanswered(attempts, tried);
        retries++;
        await clock.sleep(Math.max(retryDelay(sequel, retries, random), tried.retryAfterMs), stop.signal);
      }
    }
  };
}

/** So many answers in a row of something else. */
const elsewhereLimit = 3;

/** Until the service has once said yes, what only another would answer tells of a wrong address, not of an outage. */
function addressJudge(isKnown: boolean): (tried: Sent) => boolean {
  let known = isKnown;
  let elsewhere = 0;
  return ({ reply, reading: { verdict, isElsewhere } }) => {
    if (reply === null) return false;
    if (verdict === "accepted") known = true;
    elsewhere = isElsewhere ? elsewhere + 1 : 0;
    if (verdict === "unknown-path") return true;
    return isElsewhere && !known && (verdict === "refused" || elsewhere >= elsewhereLimit);
  };
}

function asAttempt(tried: Sent, call: Call, number: number, known: readonly string[]): Attempt {
  const { startedAt, durationMs, reply, failure, reading } = tried;
  return {
    number,
    startedAt,
    durationMs,
    status: reply?.status ?? null,
    failure: failure?.kind ?? null,
    error: reading.error,
    requestIds: requestIds(reply?.headers ?? {}, known),
    inDoubt: reading.doubt && writes(call),
  };
}

function accountOf(attempts: Attempt[]) {
  return { attempts, inDoubt: attempts.some(({ inDoubt }) => inDoubt) };
}

function settled(attempts: Attempt[], { reading, reply }: Sent): Answer {
  const { error, key, body } = reading;
  const { status = 0 } = reply ?? {};
  const account = accountOf(attempts);
  if (error === null) return { ...account, result: "accepted", status, body };
  if (reading.verdict === "duplicate") return { ...account, result: "duplicate", key, error };
  const unexplainedConflict = isUnexplainedConflict(error);
  return {
    ...account,
    result: "refused",
    error,
    tooLarge: status === 413,
    notFound: status === 404,
    unexplainedConflict,
  };
}

function unanswered(attempts: Attempt[], { reading: { error }, failure }: Sent): Answer {
  return { ...accountOf(attempts), result: "unanswered", error, failure: failure?.kind ?? null };
}

const overtaken = { why: "overtaken", message: "What it was about to send has since been settled." } as const;

function stopped(attempts: Attempt[], reason: StopReason | typeof overtaken): Answer {
  return { ...accountOf(attempts), result: "stopped", ...reason };
}

/**
 * Shows the service's words only with the request itself: many people read a summary, and the words may repeat a cell.
 */
function credentials(attempt: Attempt): StopReason {
  // Some gateways answer 403 to an unknown path.
  const told =
    attempt.status === 403
      ? "even with a fresh token; check permissions, scope and the path of baseUrl"
      : "and so refuses the token; check client id, secret and scope";
  return { why: "credentials", message: `The service answered ${attempt.status} ${told}.` };
}

/** `answered`: by something else than the service. */
const wrongAddress = ({ status, raw }: Pick<ServiceError, "status" | "raw">): StopReason => ({
  why: "unknown-path",
  message: `The address in baseUrl ${describeUnavailable(status, raw)}. Check it.`,
});

export const noSuchPath = ({ method, path }: Call, { status }: Pick<ServiceError, "status">): StopReason => ({
  why: "unknown-path",
  message: `There is no ${method} ${path} at this address (${status}): check the path of baseUrl.`,
});

const looksLikeRequestId =
  /(^|[-_])(request|correlation|trace|transaction|invocation|operation)[-_]?id$|^x-amzn-requestid$|^cf-ray$|^traceparent$|^x-amz-cf-id$/;

/** At most eight headers as `name: value`, known names first. `headers`: lower case. */
function requestIds(headers: Record<string, string>, known: readonly string[]): string[] {
  const first = known.map((name) => name.toLowerCase()).filter((name) => name in headers);
  const others = Object.keys(headers).filter((name) => looksLikeRequestId.test(name));
  return [...new Set([...first, ...others])]
    .slice(0, 8)
    .map((name) => `${name}: ${plainLine(headers[name] ?? "", 200)}`);
}
