/**
 * One rate for several processes and hosts: a token bucket in Redis, on Redis's clock, since theirs may differ (H41).
 * Processes book a few tokens ahead, so that each gets its share. Whatever Redis answers, this process stays under the
 * rate; without Redis it continues at a tenth of it.
 */
import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import { createLocalThrottle } from "./local-throttle.js";
import { inTurn, safeBurst, safeRateShare, type Throttle, type Turn } from "./throttle.js";
import { saidOf } from "./failure.js";
import { plainLine } from "./words.js";

export interface SharedThrottleOptions {
  /** `redis://…` or `rediss://…`. */
  redisUrl: string;
  /** The same text in every process that shares the rate. */
  name: string;
  /** Requests per second. */
  rate: number;
  /** In requests. */
  burst: number;
  clock: Clock;
  /** After this silence Redis counts as lost, in ms; default 2,000. */
  patienceMs?: number;
  onLost?: (message: string) => void;
  onFound?: () => void;
}

/**
 * Books ARGV[3] tokens. @returns the budget's rate and burst, and the tokens left; negative ones are owed. A forgotten
 * budget begins empty, because nobody knows what others sent; so does one that this process has lost meanwhile
 * (ARGV[7]), because what was sent without it is not booked.
 */
const BOOK = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local kept = redis.call('HMGET', KEYS[1], 'rate', 'burst', 'level', 'at')
if kept[1] and (kept[1] ~= ARGV[1] or kept[2] ~= ARGV[2]) then return {kept[1], kept[2], '0'} end
local level = tonumber(kept[3] or '0')
local passed = math.max(0, now - tonumber(kept[4] or now))
level = math.min(tonumber(ARGV[5]), level + passed / 1000000 * tonumber(ARGV[4]))
if ARGV[7] == '1' then level = math.min(0, level) end
redis.call('HSET', KEYS[1], 'rate', ARGV[1], 'burst', ARGV[2], 'level', tostring(level - ARGV[3]), 'at', string.format('%.0f', now))
redis.call('EXPIRE', KEYS[1], ARGV[6])
return {ARGV[1], ARGV[2], tostring(level)}`;

const LONGEST_ANSWER_BYTES = 64 * 1024;
/** How long Redis remembers a budget, in seconds: long enough for 60 requests that others may have booked. */
const memory = (rate: number): number => Math.ceil(Math.max(60, 60 / rate));

export function createSharedThrottle(options: SharedThrottleOptions): Throttle {
  const { rate, burst, clock, patienceMs = 2_000 } = options;
  const used = rate * safeRateShare;
  /** A longer wait cannot come from the script. */
  const longestWaitMs = memory(rate) * 1000;
  /** 100 ms of the rate, so that a distant Redis does not slow sending down. */
  const most = Math.max(1, Math.round(rate / 10));
  const redis = connect(options.redisUrl, patienceMs);
  const ceiling = createLocalThrottle({ rate, burst, clock });
  const alone = createLocalThrottle({ rate: rate / 10, burst: Math.max(1, burst / 10), clock });
  const key = `rowferry:budget:${createHash("sha256").update(options.name).digest("hex").slice(0, 32)}`;
  let booked: number[] = [];
  let pauseMs = 0;
  let hasBegun = false;
  /** Why Redis counts as lost; null: it does not. */
  let lostBy: string | null = null;
  let otherBudgetSays = "";
  let askAt = 0;

  /** When each booked token may be used, ms; a text: why Redis counts as lost. */
  async function book(count: number): Promise<number[] | string> {
    const own = [rate, burst, count, used, safeBurst(rate, burst), memory(rate), lostBy === null ? 0 : 1];
    const given = await redis.ask(BOOK, key, own);
    if (typeof given === "string") return given;
    const [theirRate, theirBurst, level] = given.map(Number) as [number, number, number];
    if (theirRate !== rate || theirBurst !== burst) {
      const other = otherBudget(options, theirRate, theirBurst);
      // A run that has begun is not ended by another process that found a forgotten budget.
      if (hasBegun) return (otherBudgetSays = other.message);
      throw other;
    }
    const waits = Array.from({ length: count }, (_, index) => Math.max(0, ((index + 1 - level) / used) * 1000));
    const now = clock.now();
    if (waits.some((wait) => wait > longestWaitMs)) return "its answer makes no sense";
    return waits.map((wait) => now + wait);
  }

  async function admit({ waiting, closed }: Turn): Promise<void> {
    const pause = pauseMs;
    pauseMs = 0;
    if (pause > 0) await clock.sleep(pause, closed);
    if (booked.length === 0) await bookSome(Math.min(waiting, most));
    const at = booked.shift();
    if (at === undefined) return alone.take(closed);
    // A clock set back must not wait for the old time.
    const wait = Math.min(longestWaitMs, at - clock.now());
    if (wait > 0) await clock.sleep(wait, closed);
    await ceiling.take(closed);
  }

  async function bookSome(count: number): Promise<void> {
    const now = clock.now();
    if (lostBy !== null && now < askAt && now >= askAt - patienceMs) return;
    const found = await book(count);
    const reason = typeof found === "string" ? found : null;
    // A lost connection has many words and comes back by itself; another budget stays until a person sees to it.
    const isNews = lostBy === null || (reason === otherBudgetSays && reason !== lostBy);
    if (reason !== null && isNews)
      options.onLost?.(`Continuing at a tenth of the rate, without the shared throttle: ${reason}`);
    if (reason === null && lostBy !== null) options.onFound?.();
    lostBy = reason;
    hasBegun = true;
    askAt = clock.now() + patienceMs;
    booked = typeof found === "string" ? [] : found;
  }

  const takers = inTurn(admit);
  return {
    take: takers.take,
    slowDown() {
      pauseMs = 1_000;
      ceiling.slowDown();
      alone.slowDown();
    },
    async close() {
      redis.close();
      await Promise.all([takers.close(), ceiling.close(), alone.close()]);
    },
  };
}

function otherBudget({ rate, burst }: SharedThrottleOptions, theirRate: number, theirBurst: number): RowferryError {
  return new RowferryError(
    "settings-invalid",
    `The shared budget runs at ${theirRate} requests a second with a burst of ${theirBurst}; here ${rate} and ${burst} are set.`,
    {
      hint: `All processes that share a --throttle must set the same --rate and --burst. A budget is forgotten ${memory(theirRate)} s after its last use.`,
    },
  );
}

/** Reconnects by itself. `ask`: the script's answer as texts; a text: why there is none. */
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
  // ioredis would write a warning to the terminal where no password is wanted, and go on in index 0 where Redis lacks this one.
  const { username, password, db = 0 } = redis.options;
  Object.assign(redis.options, { username: undefined, password: undefined, db: 0 });
  let received = 0;
  let failure = "Redis gave no answer";
  redis.on("error", (error: Error) => {
    failure = saidOf(error, "Redis");
  });
  redis.on("connect", () => {
    failure = "Redis gave no answer";
    // Ignores a Redis that sends without end.
    redis.stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > LONGEST_ANSWER_BYTES) redis.stream.destroy();
    });
  });
  let connecting: Promise<unknown> | null = null;
  let begun: unknown = null;
  /** Once for each connection. @throws Redis's own error */
  const begin = async () => {
    const { stream } = redis;
    if (stream === begun) return;
    if (password != null)
      await redis.call("AUTH", ...(username ? [username, password] : [password])).catch((error: Error) => {
        if (!/no password is set|without any password configured/.test(error.message)) throw error;
      });
    if (db !== 0) await redis.call("SELECT", db);
    begun = stream;
  };
  return {
    async ask(script: string, key: string, values: number[]): Promise<string[] | string> {
      try {
        await (connecting ??= redis.connect().catch(() => {}));
        await begin();
        received = 0;
        const answer: unknown = await redis.eval(script, 1, key, ...values.map(String));
        const isOurs =
          Array.isArray(answer) && answer.length === 3 && answer.every((one) => Number.isFinite(Number(one)));
        return isOurs ? answer.map(String) : "its answer makes no sense";
      } catch (error) {
        // Redis's own words say more than ioredis's, such as "Command timed out".
        const { name, message } = error as Error;
        return inOurWords(plainLine(name === "ReplyError" ? message : failure, 200));
      }
    },
    close: () => redis.disconnect(),
  };
}

/** What the settings can help; "unauthenticated" is how Redis calls a long command without a password. */
function inOurWords(message: string): string {
  if (/DB index/.test(message))
    return "Redis has no database of that number: correct the end of ROWFERRY_THROTTLE, as in redis://host/1";
  if (/^(NOAUTH|WRONGPASS)|invalid password|unauthenticated|for 'auth'/.test(message))
    return "Redis refuses the password, or wants one: write ROWFERRY_THROTTLE as redis://:password@host or redis://user:password@host";
  return message.startsWith("NOPERM")
    ? "Redis does not let this user run EVAL on the keys that begin with rowferry:budget:"
    : message;
}
