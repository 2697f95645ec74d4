/** The one retry loop: tries a call until its answer stands, its retries are spent, or the run is stopped. */
import type { Clock, Random } from "../model/clock.js";
import type { Answer, Attempt, Call, SendOptions } from "./call.js";
import { isUnexplainedConflict, writes } from "./classify.js";
import type { Layer, Sent } from "./layer.js";
import { freshMs } from "./layers.js";
import { type Ending, type RetryPolicy, retryAfterMs, retryDelay, sequels } from "./retry-policy.js";
import type { ServiceClock } from "./service-clock.js";
import type { Stop, StopReason } from "./stop.js";
import type { TokenSource } from "./token-source.js";

export interface RetryOptions {
  clock: Clock;
  random: Random;
  policy: RetryPolicy;
  stop: Stop;
  tokens: TokenSource;
  serviceClock: ServiceClock;
  /** What the ledger keeps of response headers (open-points 15). */
  requestIds: (headers: Record<string, string>) => string[];
  onRetry: () => void;
}

export type Send = (call: Call, options?: SendOptions) => Promise<Answer>;

export function withRetries(next: Layer, options: RetryOptions): Send {
  const { clock, random, policy, stop, tokens } = options;
  const isAnswered = async (read: Call | null): Promise<boolean> => {
    const asked = read === null ? null : await next({ call: read, freshToken: true });
    return asked?.sent === true && endingOf(asked) === "accepted";
  };
  return async (call, { onLeaving, onAttempt, foreignRead } = {}) => {
    const attempts: Attempt[] = [];
    let retries = 0;
    let renewals = 0;
    let freshToken = false;
    for (;;) {
      const isFirst = attempts.length === 0;
      const tried = await next({ call, freshToken, onLeaving: isFirst ? onLeaving : undefined });
      if (!tried.sent) {
        if (tried.overtaken === true) return stopped(attempts, overtaken);
        if (stop.reason !== null) return stopped(attempts, stop.reason);
        // The token endpoint is out of reach: the outage gate spaces the next try.
        continue;
      }
      const attempt = asAttempt(tried, call, attempts.length + 1, options.requestIds);
      attempts.push(attempt);
      onAttempt?.(attempt);

      const ending = endingOf(tried);
      if (ending !== "forbidden" && ending !== "unauthorized" && ending !== "no-answer")
        tokens.worked(tried.token, tried.startedAt);
      const sequel = sequels[ending];
      if (sequel === "settled") return settled(attempts, tried);
      // HARD-CASES H7: a registration is never repeated after doubt.
      if (sequel === "give-up" || (attempt.inDoubt && call.safety === "registration"))
        return unanswered(attempts, tried);
      if (sequel === "renew") {
        // HARD-CASES H8. A 401 is final, unless the token it was about has been replaced meanwhile.
        const replaced = tokens.replaced(tried.token);
        if (ending === "forbidden") tokens.refused(tried.token, tried.startedAt);
        // A token that grew old on its way through the throttle may have ended too: then one of the last moment decides.
        const isProof = renewals > 0 && (freshToken || tried.startedAt - tried.token.issuedAt <= freshMs);
        if (isProof || renewals === 2 || (ending === "unauthorized" && !replaced)) {
          const mayBeForeign = ending === "forbidden" && foreignRead !== undefined;
          if (mayBeForeign && (await isAnswered(foreignRead()))) return settled(attempts, tried);
          const reason = credentials(attempt);
          stop.stop(reason);
          return stopped(attempts, reason);
        }
        freshToken = ending === "forbidden" && renewals > 0;
        renewals++;
      } else if (!tried.probe) {
        freshToken = false;
        // A try that only asked whether an outage is over spends nothing; the outage gate spaces the next one.
        if (retries >= policy.retries) return unanswered(attempts, tried);
        retries++;
        const asked = Math.min(policy.longestRetryAfterMs, retryAfter(tried, options.serviceClock));
        await clock.sleep(Math.max(retryDelay(sequel, retries, policy, random), asked), stop.signal);
      }
      if (stop.reason !== null) return stopped(attempts, stop.reason);
      options.onRetry();
    }
  };
}

function endingOf({ answer }: Sent): Ending {
  if ("reading" in answer) return answer.reading.verdict;
  return answer.failure.kind === "too-large" ? "unreadable-answer" : "no-answer";
}

function retryAfter({ answer }: Sent, serviceClock: ServiceClock): number {
  return "reply" in answer ? retryAfterMs(answer.reply.headers["retry-after"], serviceClock.now()) : 0;
}

function asAttempt(tried: Sent, call: Call, number: number, requestIds: RetryOptions["requestIds"]): Attempt {
  const { answer } = tried;
  const doubt = "reading" in answer ? answer.reading.doubt : answer.failure.sent;
  return {
    number,
    startedAt: tried.startedAt,
    durationMs: tried.durationMs,
    status: "reply" in answer ? answer.reply.status : null,
    failure: "failure" in answer ? answer.failure.kind : null,
    error: "reading" in answer ? answer.reading.error : null,
    requestIds: "reply" in answer ? requestIds(answer.reply.headers) : [],
    inDoubt: doubt && writes(call),
  };
}

function settled(attempts: Attempt[], { answer }: Sent): Answer {
  if (!("reading" in answer)) throw new Error("Only an answer can settle a call.");
  const { reading, reply } = answer;
  const common = { attempts, inDoubt: inDoubt(attempts) };
  if (reading.error === null) return { ...common, result: "accepted", status: reply.status, body: reading.body };
  if (reading.verdict === "duplicate")
    return { ...common, result: "duplicate", key: reading.key, error: reading.error };
  return {
    ...common,
    result: "refused",
    error: reading.error,
    tooLarge: reply.status === 413,
    notFound: reply.status === 404,
    unexplainedConflict: isUnexplainedConflict(reading.error),
  };
}

function unanswered(attempts: Attempt[], { answer }: Sent): Answer {
  return {
    attempts,
    inDoubt: inDoubt(attempts),
    result: "unanswered",
    error: "reading" in answer ? answer.reading.error : null,
    failure: "failure" in answer ? answer.failure.kind : null,
  };
}

const overtaken = { why: "overtaken", message: "What it was to send was settled meanwhile." } as const;

function stopped(attempts: Attempt[], reason: StopReason | typeof overtaken): Answer {
  return { attempts, inDoubt: inDoubt(attempts), result: "stopped", why: reason.why, message: reason.message };
}

function inDoubt(attempts: readonly Attempt[]): boolean {
  return attempts.some((attempt) => attempt.inDoubt);
}

/** In the service's words only where the request itself is shown: a summary is read by many, and they may repeat a cell. */
function credentials(attempt: Attempt): StopReason {
  const again = attempt.status === 403 ? " even with a fresh token" : "";
  return { why: "credentials", message: `The service answered ${attempt.status}${again}.` };
}
