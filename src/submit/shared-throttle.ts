/**
 * One rate for several processes and hosts: bottleneck's reservoir in Redis, refilled there by its own script. While
 * Redis is out of reach each process goes on alone at a tenth of the rate, which stays under the limit for ten of them.
 */
import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import Bottleneck from "bottleneck";
import type { Clock } from "../model/clock.js";
import { createLocalThrottle } from "./local-throttle.js";
import { RedisClient } from "./redis-client.js";
import { safeBurst, type Throttle } from "./throttle.js";
import { unlessAborted, whenAborted } from "../model/when-aborted.js";

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
  /** How long Redis may be silent before it counts as lost, in ms; default 2,000. */
  patienceMs?: number;
  onLost?: (message: string) => void;
  onFound?: () => void;
}

/** Redis works in whole tokens and whole ms, so the refill is set a little below the rate. */
const share = 0.98;

export function createSharedThrottle(options: SharedThrottleOptions): Throttle {
  const { rate, burst, clock, patienceMs = 2_000 } = options;
  let limiter = createLimiter(options);
  /** Aborts when another limiter takes the place of this one. */
  let replaced = crowdedSignal();
  const alone = createLocalThrottle({ rate: rate / 10, burst: Math.max(1, burst / 10), clock });
  const closed = crowdedSignal();
  let waiting = 0;
  let watching: Promise<void> | null = null;
  let slowUntil = 0;
  /** Aborts when Redis is lost; another one takes its place when it is found again. */
  let loss = crowdedSignal();

  function lose(): void {
    if (loss.signal.aborted || closed.signal.aborted) return;
    loss.abort();
    options.onLost?.("The shared throttle is out of reach: going on at a tenth of the rate.");
  }

  function find(): void {
    if (!loss.signal.aborted) return;
    loss = crowdedSignal();
    options.onFound?.();
  }

  function watched(): boolean {
    return waiting > 0 && !closed.signal.aborted;
  }

  /** Redis has forgotten the limiter, or this client of it: bottleneck recognises that only up to Redis 6. */
  function replaceLimiter(): void {
    const old = limiter;
    limiter = createLimiter(options);
    replaced.abort();
    replaced = crowdedSignal();
    old.disconnect(false).catch(() => {});
  }

  /** Whether Redis has answered; a connection can also fall silent without an error. */
  async function isThere(): Promise<boolean> {
    try {
      await limiter.currentReservoir();
      return true;
    } catch (error) {
      if (/SETTINGS_KEY_NOT_FOUND|UNKNOWN_CLIENT/.test(String(error))) replaceLimiter();
      return false;
    }
  }

  /** While somebody waits: asks Redis every now and then. */
  async function watch(): Promise<void> {
    while (watched()) {
      const silence = clock.sleep(patienceMs, closed.signal).then(() => false);
      if (await Promise.race([isThere(), silence])) find();
      else lose();
      await silence;
    }
    watching = null;
  }

  async function takeShared(gone: AbortSignal): Promise<void> {
    while (!gone.aborted) {
      const asked = limiter;
      const replacement = replaced.signal;
      const turn = asked.schedule(async () => {
        // Whoever was served otherwise leaves the token to the next.
        if (gone.aborted) await asked.incrementReservoir(1);
      });
      const served = await Promise.race([
        turn.then(
          () => true,
          () => whenAborted(replacement, gone),
        ),
        whenAborted(replacement, gone),
      ]);
      if (served === true) return;
    }
  }

  async function takeAlone(gone: AbortSignal): Promise<void> {
    await whenAborted(loss.signal, gone);
    await alone.take(gone);
  }

  return {
    async take(signal) {
      await clock.sleep(Math.max(0, slowUntil - clock.now()), signal);
      if (signal?.aborted || closed.signal.aborted) return;
      waiting++;
      watching ??= watch();
      const gone = new AbortController();
      try {
        await unlessAborted(Promise.race([takeShared(gone.signal), takeAlone(gone.signal)]), signal, closed.signal);
      } finally {
        gone.abort();
        waiting--;
      }
    },
    slowDown() {
      slowUntil = Math.max(slowUntil, clock.now() + 1_000);
      alone.slowDown();
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      await alone.close();
      await watching;
      await limiter.disconnect(false);
    },
  };
}

/** One that hundreds of waiters listen to. */
function crowdedSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

function createLimiter({ name, redisUrl, rate, burst }: SharedThrottleOptions): Bottleneck {
  const amount = Math.max(1, Math.round(rate / 10));
  const capacity = safeBurst(rate, burst);
  const limiter = new Bottleneck({
    id: `rowferry-${createHash("sha256").update(`${name} ${rate} ${burst}`).digest("hex").slice(0, 16)}`,
    datastore: "ioredis",
    Redis: RedisClient,
    clientOptions: redisUrl,
    // What the others sent before Redis forgot it is not known.
    reservoir: 0,
    reservoirIncreaseAmount: amount,
    reservoirIncreaseInterval: Math.ceil((amount * 1000) / (rate * share)),
    reservoirIncreaseMaximum: capacity,
    // Waiters learn of new tokens by a heartbeat only.
    heartbeatInterval: 50,
    clientTimeout: 10_000,
    // Redis forgets it after a day without use.
    timeout: 24 * 3_600_000,
  });
  limiter.on("error", () => {});
  limiter.ready().catch(() => {});
  return limiter;
}
