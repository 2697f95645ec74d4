/**
 * One rate for several processes and hosts: a token bucket in Redis, on Redis's own clock, so that theirs may differ
 * (HARD-CASES H41). Tokens are booked ahead, a few at a time, so that each process gets its share. Whatever Redis answers,
 * this process stays under the rate; while Redis is out of reach it goes on alone at a tenth of it.
 */
import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import { unlessAborted } from "../model/when-aborted.js";
import { createLocalThrottle } from "./local-throttle.js";
import { safeBurst, safeRateShare, type Throttle } from "./throttle.js";

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

/**
 * Books ARGV[3] tokens. @returns the rate and burst that the budget was made with, and the tokens that were there: below
 * nothing, they are owed. A budget that was forgotten begins empty: what the others sent before is not known.
 */
const BOOK = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local kept = redis.call('HMGET', KEYS[1], 'rate', 'burst', 'level', 'at')
if kept[1] and (kept[1] ~= ARGV[1] or kept[2] ~= ARGV[2]) then return {kept[1], kept[2], '0'} end
local level = tonumber(kept[3] or '0')
local passed = math.max(0, now - tonumber(kept[4] or now))
level = math.min(tonumber(ARGV[5]), level + passed / 1000000 * tonumber(ARGV[4]))
redis.call('HSET', KEYS[1], 'rate', ARGV[1], 'burst', ARGV[2], 'level', tostring(level - ARGV[3]), 'at', string.format('%.0f', now))
redis.call('EXPIRE', KEYS[1], 60)
return {ARGV[1], ARGV[2], tostring(level)}`;

/** An answer of ours is a few dozen bytes. */
const LONGEST_ANSWER_BYTES = 64 * 1024;
/** Nobody books further ahead: a longer wait is no answer of this script. */
const LONGEST_WAIT_MS = 60_000;

interface Taker {
  resolve(): void;
  reject(error: RowferryError): void;
}

export function createSharedThrottle(options: SharedThrottleOptions): Throttle {
  const { rate, burst, clock, patienceMs = 2_000 } = options;
  const used = rate * safeRateShare;
  /** Tokens booked at once: 100 ms of the rate, so that a distant Redis is no brake. */
  const most = Math.max(1, Math.round(rate / 10));
  const redis = connect(options.redisUrl, patienceMs);
  const ceiling = createLocalThrottle({ rate, burst, clock });
  const alone = createLocalThrottle({ rate: rate / 10, burst: Math.max(1, burst / 10), clock });
  const key = `rowferry:budget:${createHash("sha256").update(options.name).digest("hex").slice(0, 32)}`;
  const closed = new AbortController();
  const takers: Taker[] = [];
  let serving: Promise<void> | null = null;
  let slowUntil = 0;
  let isLost = false;
  let askAt = 0;

  /** Waits until each of `count` booked tokens may be used, ms from now; null: Redis is lost. */
  async function book(count: number): Promise<number[] | null> {
    const given = await redis.ask(BOOK, key, [rate, burst, count, used, safeBurst(rate, burst)]);
    if (given === null) return null;
    const [theirRate, theirBurst, level] = given.map(Number) as [number, number, number];
    if (theirRate !== rate || theirBurst !== burst) throw otherBudget(options, theirRate, theirBurst);
    const waits = Array.from({ length: count }, (_, index) => Math.max(0, ((index + 1 - level) / used) * 1000));
    return waits.every((wait) => wait <= LONGEST_WAIT_MS) ? waits : null;
  }

  async function serveShared(): Promise<void> {
    const waits = await book(Math.min(takers.length, most));
    const from = clock.now();
    if (waits === null) {
      if (!isLost) options.onLost?.("The shared throttle is out of reach: going on at a tenth of the rate.");
      isLost = true;
      askAt = clock.now() + patienceMs;
      return;
    }
    if (isLost) options.onFound?.();
    isLost = false;
    for (const wait of waits) {
      const passed = Math.max(0, clock.now() - from);
      if (wait > passed) await clock.sleep(wait - passed, closed.signal);
      await ceiling.take(closed.signal);
      takers.shift()?.resolve();
    }
  }

  async function serve(): Promise<void> {
    while (takers.length > 0 && !closed.signal.aborted) {
      const now = clock.now();
      if (slowUntil > now) await clock.sleep(Math.min(1_000, slowUntil - now), closed.signal);
      // A clock set back must not keep it from asking.
      else if (!isLost || now >= askAt || now < askAt - patienceMs) await serveShared();
      else {
        await alone.take(closed.signal);
        takers.shift()?.resolve();
      }
    }
  }

  /** One at a time, while somebody waits. */
  function keepServing(): void {
    serving ??= serve()
      .catch((error: unknown) => {
        if (!(error instanceof RowferryError)) throw error;
        for (const taker of takers.splice(0)) taker.reject(error);
      })
      .finally(() => {
        serving = null;
        if (takers.length > 0 && !closed.signal.aborted) keepServing();
      });
  }

  return {
    async take(signal) {
      if (signal?.aborted || closed.signal.aborted) return;
      let taker: Taker | null = null;
      const served = new Promise<void>((resolve, reject) => {
        taker = { resolve, reject };
        takers.push(taker);
      });
      keepServing();
      try {
        await unlessAborted(served, signal, closed.signal);
      } finally {
        // Whoever leaves the queue leaves the token to the next.
        const place = takers.findIndex((one) => one === taker);
        if (place >= 0) takers.splice(place, 1);
      }
    },
    slowDown() {
      slowUntil = clock.now() + 1_000;
      ceiling.slowDown();
      alone.slowDown();
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      redis.close();
      await Promise.all([serving, ceiling.close(), alone.close()]);
      takers.splice(0);
    },
  };
}

function otherBudget({ rate, burst }: SharedThrottleOptions, theirRate: number, theirBurst: number): RowferryError {
  return new RowferryError(
    "settings-invalid",
    `The shared budget runs at ${theirRate} requests a second with a burst of ${theirBurst}; here ${rate} and ${burst} are set.`,
    {
      hint: "Set --rate and --burst alike wherever --throttle is shared. A budget is forgotten a minute after its last use.",
    },
  );
}

/** A connection that is made anew by itself. `ask`: what the script answers as texts; null: no answer of it in time. */
function connect(url: string, patienceMs: number) {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
    retryStrategy: (times) => Math.min(2_000, times * 100),
  });
  let received = 0;
  redis.on("error", () => {});
  redis.on("connect", () => {
    // A Redis that answers without end is not listened to.
    redis.stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > LONGEST_ANSWER_BYTES) redis.stream.destroy();
    });
  });
  let connecting: Promise<unknown> | null = null;
  return {
    async ask(script: string, key: string, values: number[]): Promise<string[] | null> {
      try {
        await (connecting ??= redis.connect().catch(() => {}));
        received = 0;
        const answer: unknown = await redis.eval(script, 1, key, ...values.map(String));
        const isOurs =
          Array.isArray(answer) && answer.length === 3 && answer.every((one) => Number.isFinite(Number(one)));
        return isOurs ? answer.map(String) : null;
      } catch {
        return null;
      }
    },
    close: () => redis.disconnect(),
  };
}
