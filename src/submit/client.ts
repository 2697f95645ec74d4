/** The innermost layers: take tokens, send the HTTP request, read and time the answer. */
import type { Clock } from "../model/clock.js";
import type { Target } from "../model/target.js";
import type { Call, CallKind } from "./call.js";
import { classify, withoutAnswer } from "./classify.js";
import { type Layer, notSent, type NotSent, type Sent, type Stop, type StopReason } from "./layer.js";
import type { ServiceClock } from "./service-clock.js";
import type { Throttle } from "./throttle.js";
import type { NoToken, Token, TokenSource } from "./token.js";
import { type Transport, TransportFailure, type TransportRequest } from "./transport.js";
import { momentOf, retryAfterOf, strike } from "./words.js";

/** After a 403, the deciding repeat uses a token of the last second, however long it waited for the throttle. */
export const freshMs = 1_000;

/**
 * Takes a throttle token once an access token is ready. During a renewal nobody passes the throttle: those who did
 * would all leave afterwards, over the limit.
 */
export function throttled(
  send: (call: Call, token: Token) => Promise<Sent>,
  options: {
    throttle: Throttle;
    tokens: TokenSource;
    stop: Stop;
    onSend: (call: Call) => void;
    onRateLimited: () => void;
  },
): Layer {
  const { throttle, tokens, stop } = options;
  const granted = async (maxAgeMs: number | undefined): Promise<Token | NotSent> => {
    for (let lost = 0; ; lost += 1) {
      const ready = await tokens.token(maxAgeMs);
      if (!ready.ok) return withoutToken(ready, stop);
      if (stop.signal.aborted) return notSent;
      await throttle.take(stop.signal);
      if (stop.signal.aborted) return notSent;
      // The access token may have ended while this call waited. A throttle token is only valid now: after waiting for a
      // new access token, the call takes another one, or all waiting calls would leave at once.
      const token = tokens.atHand(maxAgeMs);
      if (token !== null) return token;
      // Access tokens that live shorter than the throttle's wait would never be ready.
      if (lost === 2) {
        const renewed = await tokens.token(maxAgeMs);
        return renewed.ok ? renewed.token : withoutToken(renewed, stop);
      }
    }
  };
  return async ({ call, freshToken, onLeaving }) => {
    const token = await granted(freshToken ? freshMs : undefined);
    if ("sent" in token) return token;
    if (onLeaving?.() === false) return { ...notSent, overtaken: true };
    options.onSend(call);
    const sent = await send(call, token);
    if (sent.reading.verdict === "rate-limited") {
      options.onRateLimited();
      throttle.slowDown();
    }
    return sent;
  };
}

function withoutToken(result: NoToken, stop: Stop): NotSent {
  if (result.why === "down") return { sent: false, noToken: result.message, retryAfterMs: result.retryAfterMs };
  stop.abort({ why: "credentials", message: result.message } satisfies StopReason);
  return notSent;
}

const short = { headersMs: 30_000, bodyMs: 30_000 };
/** A lost create answer costs the most, so creates are never cut off early. */
const long = { headersMs: 300_000, bodyMs: 300_000 };

const isCreate = (kind: CallKind): boolean => kind.startsWith("create-");

export interface ClientOptions {
  target: Pick<Target, "clientSecret">;
  /** Without a trailing slash. */
  baseUrl: string;
  transport: Transport;
  clock: Clock;
  serviceClock: ServiceClock;
}

/** Never rejects. */
export function createClient(options: ClientOptions): (call: Call, token: Token) => Promise<Sent> {
  const { transport, clock, serviceClock } = options;
  return async (call, token) => {
    const startedAt = clock.now();
    const sent = { sent: true, startedAt, token, spends: "a retry", retryAfterMs: 0 } as const;
    try {
      const reply = await transport(asRequest(call, options.baseUrl, token));
      const secrets = [token.accessToken, options.target.clientSecret()];
      const reading = classify(call.kind, reply, secrets);
      // Something in front of the service may have any clock.
      if (reading.verdict !== "unavailable")
        serviceClock.seen(reply.headers["date"] ?? (reading.error === null ? undefined : momentOf(reply.body)));
      // Request ids are kept with the attempt.
      const headers = Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [name, strike(value, secrets)]),
      );
      const retryAfterMs = retryAfterOf(reply, serviceClock.now());
      const durationMs = clock.now() - startedAt;
      return { ...sent, durationMs, retryAfterMs, reply: { ...reply, headers }, failure: null, reading };
    } catch (error) {
      const failure =
        error instanceof TransportFailure ? error : new TransportFailure("other", true, String(error), error);
      const durationMs = clock.now() - startedAt;
      return { ...sent, durationMs, reply: null, failure, reading: withoutAnswer(failure) };
    }
  };
}

function asRequest(call: Call, baseUrl: string, token: Token): TransportRequest {
  const query = call.query === undefined ? "" : `?${new URLSearchParams(call.query).toString()}`;
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    authorization: `Bearer ${token.accessToken}`,
    "user-agent": "rowferry",
  };
  const request = {
    method: call.method,
    url: `${baseUrl}${call.path}${query}`,
    timeouts: isCreate(call.kind) ? long : short,
  };
  return call.body === undefined
    ? { ...request, headers }
    : { ...request, headers: { ...headers, "content-type": "application/json" }, body: call.body };
}
