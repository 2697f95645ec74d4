/** Composes the submitter's layers: retry, outage, token and throttle, client, transport. */
import { serviceUrl } from "../model/addresses.js";
import type { Clock, Random } from "../model/clock.js";
import type { LineOf } from "../model/lines.js";
import type { Target } from "../model/target.js";
import type { Attempt } from "../model/attempt.js";
import type { Answer, Call, CallKind, SendOptions } from "./call.js";
import { createClient, throttled } from "./client.js";
import { createStop, type StopReason } from "./layer.js";
import { withOutageGate } from "./outage.js";
import { withRetries } from "./retry.js";
import { createServiceClock } from "./service-clock.js";
import { joinLocalThrottle } from "./local-throttle.js";
import { type Throttle, unthrottled } from "./throttle.js";
import { createTokenSource } from "./token.js";
import type { Transport } from "./transport.js";

export type SubmitNotice = Omit<LineOf<"notice">, "type">;

export interface SubmitterOptions {
  target: Target;
  clock: Clock;
  random: Random;
  /** Default: undici. */
  transport?: Transport | undefined;
  /** Default: the target's `throttle`, or its `rate` and `burst`; none if `rate` is null. */
  throttle?: Throttle | undefined;
  /** When an earlier run may last have sent, ms; null: never. Only called for a local throttle. */
  quietSince?: () => number | null;
  /** Default 15 minutes. */
  maxOutageMs?: number | undefined;
  notice?: (notice: SubmitNotice) => void;
  /** As an earlier run found it; default 0. */
  serviceAheadMs?: number;
  /** Whether the service has answered at this address before; default true. */
  isAddressKnown?: boolean;
  /** How often a call is retried; default 5. */
  retries?: number;
  onAttempt?: ((kind: CallKind, attempt: Attempt) => void) | undefined;
}

export type Submitter = ReturnType<typeof createSubmitter>;

/** Opens nothing until the first call. @throws RowferryError `settings-invalid`, `url-insecure` */
export function createSubmitter(options: SubmitterOptions) {
  const { target, clock, random } = options;
  const baseUrl = serviceUrl("baseUrl", target.baseUrl);
  serviceUrl("tokenUrl", target.tokenUrl);
  const notice = options.notice ?? (() => {});
  const transport = options.transport ?? lazyTransport();
  const throttle = options.throttle ?? throttleOf(target, clock, options.quietSince, notice);
  const stop = createStop();
  const counts = { sent: 0, byKind: {} as { [kind: string]: number }, rateLimited: 0, retries: 0 };
  const serviceClock = createServiceClock(clock, options.serviceAheadMs);
  const tokens = createTokenSource(target, transport, clock);
  const client = throttled(createClient({ target, baseUrl, transport, clock, serviceClock }), {
    throttle,
    tokens,
    stop,
    onSend({ kind }) {
      counts.sent += 1;
      counts.byKind[kind] = (counts.byKind[kind] ?? 0) + 1;
    },
    onRateLimited: () => counts.rateLimited++,
  });
  const gated = withOutageGate(client, {
    clock,
    stop,
    maxOutageMs: options.maxOutageMs ?? 15 * 60_000,
    onPause: (reason) =>
      notice({ level: "warning", code: "service-outage", message: `Pausing: the service is unreachable (${reason})` }),
    onOver: (ms) =>
      notice({ level: "info", code: null, message: `The service answers again after ${Math.ceil(ms / 1000)} s.` }),
    onLonely: (calls) =>
      notice({
        level: "warning",
        code: null,
        message: `The service answers everything except ${calls === 1 ? "one call, which is" : `${calls} calls, which are`} left for the next run.`,
      }),
  });
  const send = withRetries(gated, {
    clock,
    random,
    retries: options.retries ?? 5,
    stop,
    tokens,
    isAddressKnown: options.isAddressKnown ?? true,
    requestIdHeaders: target.requestIdHeaders,
    onAttempt(kind, attempt) {
      counts.retries += Number(attempt.number > 1);
      options.onAttempt?.(kind, attempt);
    },
  });

  const underWay = new Set<Promise<unknown>>();
  const drain = () => stop.abort({ why: "interrupted", message: "The run was interrupted." } satisfies StopReason);
  return {
    /** Never rejects for failures of service or network. */
    async send(call: Call, listeners?: SendOptions): Promise<Answer> {
      const sending = send(call, listeners);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    /** In ms, from Date headers (H10). */
    serviceNow: serviceClock.now,
    serviceAheadMs: serviceClock.aheadMs,
    /** Calls under way finish, others answer `stopped`. Safe to call twice. */
    drain,
    counts: counts as Readonly<typeof counts>,
    async close(): Promise<void> {
      drain();
      await Promise.allSettled(underWay);
      await throttle.close();
      await transport.close?.();
    },
  };
}

// Loaded with the first request, because loading takes longer than some runs.

function lazyTransport(): Transport {
  const loaded = lazily(async () => (await import("./undici-transport.js")).createUndiciTransport());
  const transport: Transport = async (request) => (await loaded.get())(request);
  transport.close = async () => (await loaded.made())?.close?.();
  return transport;
}

function lazily<Made>(make: () => Promise<Made>) {
  let making: Promise<Made> | null = null;
  return { get: () => (making ??= make()), made: async () => making };
}

function throttleOf(
  target: Target,
  clock: Clock,
  quietSince: () => number | null = () => null,
  notice: (notice: SubmitNotice) => void,
): Throttle {
  const { rate, burst, throttle: redisUrl } = target;
  if (rate === null) return unthrottled;
  const name = `${target.baseUrl} ${target.clientId}`;
  if (redisUrl === null) return joinLocalThrottle(name, { rate, burst, clock, quietSince: quietSince() });
  const loaded = lazily(async () =>
    (await import("./shared-throttle.js")).createSharedThrottle({
      redisUrl,
      name,
      rate,
      burst,
      clock,
      onLost: (message) => notice({ level: "warning", code: "throttle-unavailable", message }),
      onFound: () => notice({ level: "info", code: null, message: "The shared throttle is back." }),
    }),
  );
  return {
    take: async (signal) => (await loaded.get()).take(signal),
    // A 429 needs a request, so the throttle is loaded by then.
    slowDown: () => void loaded.made().then((throttle) => throttle?.slowDown()),
    close: async () => (await loaded.made())?.close(),
  };
}
