/** The innermost layer: a call becomes an HTTP request with a token, and its answer is read and timed. */
import type { Clock } from "../model/clock.js";
import type { Target } from "../model/target.js";
import type { Call, CallKind } from "./call.js";
import { classify } from "./classify.js";
import type { Sent } from "./layer.js";
import type { ServiceClock } from "./service-clock.js";
import type { Token } from "./token-source.js";
import { type Transport, TransportFailure, type TransportRequest } from "./transport.js";

const short = { headersMs: 30_000, bodyMs: 30_000 };
/** A lost create answer costs the most, so creates are never cut off early (DESIGN section 6). */
const long = { headersMs: 300_000, bodyMs: 300_000 };

export const timeoutsOf: Record<CallKind, TransportRequest["timeouts"]> = {
  "lookup-participant": short,
  "read-participant": short,
  "create-participant": long,
  "list-addresses": short,
  "create-address": long,
  "create-document": long,
  "create-with-events": long,
  "append-events": short,
  "read-document": short,
};

export interface ExchangeOptions {
  target: Pick<Target, "clientSecret">;
  /** Without a trailing slash. */
  baseUrl: string;
  transport: Transport;
  clock: Clock;
  serviceClock: ServiceClock;
}

/** Sends one request now. Never rejects. */
export function createExchange(options: ExchangeOptions): (call: Call, token: Token) => Promise<Sent> {
  const { transport, clock, serviceClock } = options;
  return async (call, token) => {
    const request = asRequest(call, options.baseUrl, token);
    const startedAt = clock.now();
    const sent = { sent: true, startedAt, token, probe: false } as const;
    try {
      const reply = await transport(request);
      serviceClock.seen(reply.headers["date"]);
      const reading = classify(reply, [token.accessToken, options.target.clientSecret]);
      return { ...sent, durationMs: clock.now() - startedAt, answer: { reply, reading } };
    } catch (error) {
      const failure =
        error instanceof TransportFailure ? error : new TransportFailure("other", true, String(error), error);
      return { ...sent, durationMs: clock.now() - startedAt, answer: { failure } };
    }
  };
}

function asRequest(call: Call, baseUrl: string, token: Token): TransportRequest {
  const query = call.query === undefined ? "" : `?${new URLSearchParams(call.query).toString()}`;
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-encoding": "identity",
    authorization: `Bearer ${token.accessToken}`,
    "user-agent": "rowferry",
  };
  const request: TransportRequest = {
    method: call.method,
    url: `${baseUrl}${call.path}${query}`,
    headers,
    timeouts: timeoutsOf[call.kind],
  };
  if (call.body !== undefined) {
    headers["content-type"] = "application/json";
    request.body = call.body;
  }
  return request;
}
