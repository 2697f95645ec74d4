/** Composes the layers: retry ← outage gate ← slot in flight ← token and throttle ← exchange ← transport. */
import { serviceUrl } from "../model/addresses.js";
import type { Clock, Random } from "../model/clock.js";
import type { Code } from "../model/codes.js";
import type { Target } from "../model/target.js";
import type { Submitter } from "./call.js";
import { createExchange } from "./exchange.js";
import { createInFlight } from "./in-flight.js";
import { throttled, withOutageGate, withSlot } from "./layers.js";
import { lazyThrottle, lazyTransport } from "./lazy.js";
import { createLocalThrottle } from "./local-throttle.js";
import { createOutageGate } from "./outage.js";
import { requestIdReader } from "./request-ids.js";
import { withRetries } from "./retry.js";
import { defaultRetryPolicy, type RetryPolicy } from "./retry-policy.js";
import { createServiceClock } from "./service-clock.js";
import { createStop } from "./stop.js";
import { type Throttle, unthrottled } from "./throttle.js";
import { createTokenSource } from "./token-source.js";
import type { Transport } from "./transport.js";

/** Something a person may want to know while a run goes on. */
export interface SubmitNotice {
  level: "info" | "warning";
  code: Code | null;
  message: string;
}

export interface SubmitterOptions {
  target: Target;
  clock: Clock;
  random: Random;
  /** Default: undici. */
  transport?: Transport;
  /** Default: as the target says (its `throttle`, its `rate` and `burst`, or none where `rate` is null). */
  throttle?: Throttle;
  /** When an earlier run may last have sent, ms since 1970; null: none has. Asked for where this process keeps the limit itself. */
  quietSince?: () => number | null;
  /** After each access token; how long it lasts, in ms, null where the endpoint does not say. */
  onTokenRefreshed?: (expiresInMs: number | null) => void;
  /** Longest outage before the run is given up; default 15 minutes. */
  maxOutageMs?: number;
  notice?: (notice: SubmitNotice) => void;
  retryPolicy?: Partial<RetryPolicy>;
}

/**
 * Opens nothing until the first call.
 * @throws RowferryError `settings-invalid`, `url-insecure`
 */
export function createSubmitter(options: SubmitterOptions): Submitter {
  const { target, clock, random } = options;
  const baseUrl = serviceUrl("baseUrl", target.baseUrl);
  serviceUrl("tokenUrl", target.tokenUrl);
  const notice = options.notice ?? (() => {});
  const transport = options.transport ?? lazyTransport();
  const throttle = options.throttle ?? throttleOf(target, clock, options.quietSince ?? (() => null), notice);

  const stop = createStop();
  const counts = { sent: 0, rateLimited: 0, retries: 0 };
  const serviceClock = createServiceClock(clock);
  const tokens = createTokenSource({
    settings: target,
    transport,
    clock,
    ...(options.onTokenRefreshed === undefined ? {} : { onRefreshed: options.onTokenRefreshed }),
  });
  const gate = createOutageGate({
    clock,
    stop,
    maxOutageMs: options.maxOutageMs ?? 15 * 60_000,
    onPause: (reason) =>
      notice({ level: "warning", code: "service-outage", message: `Pausing, the service is out of reach: ${reason}` }),
    onOver: (ms) =>
      notice({ level: "info", code: null, message: `The service answers again after ${Math.ceil(ms / 1000)} s.` }),
  });

  const counted: Throttle = {
    ...throttle,
    slowDown() {
      counts.rateLimited++;
      throttle.slowDown();
    },
  };
  const exchange = createExchange({ target, baseUrl, transport, clock, serviceClock });
  const throttledLayer = throttled(exchange, { throttle: counted, tokens, stop, onSend: () => counts.sent++ });
  const slotted = withSlot(throttledLayer, createInFlight({ rate: target.rate, burst: target.burst }), stop);
  const send = withRetries(withOutageGate(slotted, gate), {
    clock,
    random,
    policy: { ...defaultRetryPolicy, ...options.retryPolicy },
    stop,
    tokens,
    serviceClock,
    requestIds: requestIdReader(target.requestIdHeaders),
    onRetry: () => counts.retries++,
  });

  const underWay = new Set<Promise<unknown>>();
  const drain = () => stop.stop({ why: "interrupted", message: "The run was interrupted." });
  return {
    async send(call, listeners) {
      const sending = send(call, listeners);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    serviceNow: () => serviceClock.now(),
    drain,
    counts,
    async close() {
      drain();
      await Promise.allSettled(underWay);
      await throttle.close();
      await transport.close?.();
    },
  };
}

function throttleOf(
  target: Target,
  clock: Clock,
  quietSince: () => number | null,
  notice: (notice: SubmitNotice) => void,
): Throttle {
  if (target.rate === null) return unthrottled;
  const { rate, burst } = target;
  if (target.throttle === null) return createLocalThrottle({ rate, burst, clock, quietSince: quietSince() });
  return lazyThrottle({
    redisUrl: target.throttle,
    name: `${target.baseUrl} ${target.clientId}`,
    rate,
    burst,
    clock,
    onLost: (message) => notice({ level: "warning", code: "throttle-unavailable", message }),
    onFound: () => notice({ level: "info", code: null, message: "The shared throttle is back." }),
  });
}
