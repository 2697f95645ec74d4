/**
 * One rate for several processes and hosts: bottleneck's reservoir in Redis, refilled there by its own script. While
 * Redis is out of reach each process goes on alone at a tenth of the rate, which stays under the limit for ten of them.
 */
import { createHash } from "node:crypto";
import Bottleneck from "bottleneck";
import type { Clock } from "../model/clock.js";
import { createLocalThrottle } from "./local-throttle.js";
import { safeBurst, type Throttle } from "./throttle.js";

export interface SharedThrottleOptions {
  /** `redis://…` or `rediss://…`. */
  redisUrl: string;
  /** What shares the rate: the same text in every process. */
  name: string;
  /** The service's sustained rate, requests per second. */
  rate: number;
  /** The service's bucket, in requests. */
  burst: number;
  clock: Clock;
  onLost?: (message: string) => void;
  onFound?: () => void;
}

/** Redis works in whole tokens and whole ms, so the refill is set a little below the rate. */
const share = 0.98;
const graceMs = 2_000;

export function createSharedThrottle(options: SharedThrottleOptions): Throttle {
  const { rate, burst, clock } = options;
  const amount = Math.max(1, Math.round(rate / 10));
  const capacity = safeBurst(rate, burst);
  const alone = createLocalThrottle({ rate: rate / 10, burst: Math.max(1, burst / 10), clock });
  const closed = new AbortController();
  let lost = false;
  let slowUntil = 0;

  const limiter = new Bottleneck({
    id: `rowferry-${createHash("sha256").update(`${options.name} ${rate} ${burst}`).digest("hex").slice(0, 16)}`,
    datastore: "ioredis",
    reservoir: capacity,
    reservoirIncreaseAmount: amount,
    reservoirIncreaseInterval: Math.ceil((amount * 1000) / (rate * share)),
    reservoirIncreaseMaximum: capacity,
    // Nobody is told of new tokens but by a heartbeat.
    heartbeatInterval: 50,
    clientTimeout: 10_000,
    // Forgotten by Redis after a day without use.
    timeout: 24 * 3_600_000,
    clientOptions: options.redisUrl,
  });
  limiter.on("error", (error: Error) => {
    if (lost || closed.signal.aborted) return;
    lost = true;
    options.onLost?.(`The shared throttle is out of reach (${error.message}): going on at a tenth of the rate.`);
  });
  limiter.ready().catch(() => {});

  return {
    async take(signal) {
      const wait = slowUntil - clock.now();
      if (wait > 0) await clock.sleep(wait, signal);
      if (signal?.aborted || closed.signal.aborted) return;
      const left = new AbortController();
      const anySignal = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
      const shared = limiter.schedule(async () => {
        if (left.signal.aborted) await limiter.incrementReservoir(1);
        else if (lost) {
          lost = false;
          options.onFound?.();
        }
      });
      await Promise.race([shared.catch(() => alone.take(anySignal)), takeAlone(anySignal), aborted(anySignal)]);
      left.abort();
    },
    slowDown() {
      slowUntil = Math.max(slowUntil, clock.now() + 1_000);
      alone.slowDown();
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      await alone.close();
      await limiter.disconnect(false);
    },
  };

  /** Resolves only while Redis is out of reach. */
  async function takeAlone(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !closed.signal.aborted) {
      await clock.sleep(graceMs, signal);
      if (lost && !signal.aborted) return alone.take(signal);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
