/** The shared throttle: several processes on a real redis-server, and what happens when it is lost. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { systemClock } from "../../src/model/clock.js";
import { createSharedThrottle, type SharedThrottleOptions } from "../../src/submit/shared-throttle.js";
import { listening } from "../support/listening.js";
import { median } from "../support/median.js";
import { type Arrival, refusedBy, watch } from "../support/submit/exact-bucket.js";
import { freePort, redisIsHere, startRedis } from "../support/submit/redis-server.js";

const taker = fileURLToPath(new URL("../support/submit/shared-taker.ts", import.meta.url));

/** The service's budget, in the Redis at that port. */
const throttleAt = (port: number, more: Partial<SharedThrottleOptions> = {}) =>
  createSharedThrottle({
    redisUrl: `redis://127.0.0.1:${port}`,
    name: "test",
    rate: 20,
    burst: 30,
    clock: systemClock,
    ...more,
  });

describe.runIf(redisIsHere())("the shared throttle on a real Redis (needs redis-server)", () => {
  it(
    "gives three hosts whose clocks are 30 s apart one rate, each its share, and an exact bucket refuses nothing (H41)",
    long,
    async () => {
      const port = await freePort();
      const stop = await startRedis(port);
      try {
        const begun = Date.now();
        const args = ["--import", "tsx", taker, `redis://127.0.0.1:${port}`, String(begun + 12_000), "100", "60"];
        const outputs = await Promise.all(
          [0, 30_000, -30_000].map((ahead) => promisify(execFile)(process.execPath, [...args, String(ahead)])),
        );
        const perHost = outputs.map(({ stdout }) => JSON.parse(stdout) as Arrival[]);
        expect(refusedBy(100, 60, perHost.flat())).toBe(0);
        // The processes take a moment to start, which is not the throttle's. Nor is a second in which one of them was not let run.
        const seconds = [6, 7, 8, 9, 10, 11].map((second) =>
          perHost.map((arrivals) => arrivals.filter(({ at }) => Math.floor((at - begun) / 1000) === second).length),
        );
        const sums = seconds.map((counts) => counts.reduce((sum, count) => sum + count, 0));
        expect(median(sums), `of 100: ${sums.join(", ")}`).toBeGreaterThanOrEqual(97);
        for (const host of perHost.keys()) {
          // In per cent: as fractions, 0.1 is not always a tenth.
          const shares = seconds.map((counts, second) => (300 * (counts[host] ?? 0)) / (sums[second] ?? 0));
          expect(Math.abs(median(shares) - 100), String(shares)).toBeLessThanOrEqual(10);
        }
      } finally {
        await stop();
      }
    },
  );

  it("refuses a budget that runs at another rate or burst, and says both", async () => {
    const port = await freePort();
    const stop = await startRedis(port);
    const open = (rate: number, burst: number) => throttleAt(port, { rate, burst });
    const [first, slower, wider] = [open(20, 30), open(19, 30), open(20, 40)];
    try {
      await first.take();
      await expect(slower.take()).rejects.toThrow(
        "The shared budget runs at 20 requests a second with a burst of 30; here 19 and 30 are set.",
      );
      await expect(wider.take()).rejects.toMatchObject({ code: "settings-invalid" });
      await first.take();
    } finally {
      await Promise.all([first, slower, wider].map((throttle) => throttle.close()));
      await stop();
    }
  });

  it("says in its own words what a Redis that wants a password, or allows too little, refuses by", async () => {
    const port = await freePort();
    const ana = ["--user", "ana", "on", ">its-own", "~*", "+ping"];
    const stop = await startRedis(port, "--requirepass", "its-own", ...ana);
    const said = async (who: string) => {
      const lost: string[] = [];
      const onLost = (message: string) => lost.push(message);
      const throttle = throttleAt(port, { redisUrl: `redis://${who}127.0.0.1:${port}`, onLost });
      await throttle.take();
      await throttle.close();
      return lost.map((message) => message.replace(/^.*throttle: /, ""));
    };
    try {
      const password = [expect.stringMatching(/^Redis refuses the password, or wants one: .*ROWFERRY_THROTTLE/)];
      expect(await said("")).toEqual(password);
      expect(await said(":wrong@")).toEqual(password);
      expect(await said("ana:wrong@")).toEqual(password);
      expect(await said("ana:its-own@")).toEqual([expect.stringMatching(/^Redis does not let this user run EVAL on /)]);
      expect(await said(":its-own@")).toEqual([]);
    } finally {
      await stop();
    }
  });

  it("shares in the database that the address names, or says that Redis lacks it; a password that nobody wants is no news", async () => {
    const port = await freePort();
    const stop = await startRedis(port);
    const lost: string[] = [];
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const take = async (who: string, database: string, rate: number) => {
      const redisUrl = `redis://${who}127.0.0.1:${port}/${database}`;
      const throttle = throttleAt(port, { redisUrl, rate, onLost: (message) => lost.push(message) });
      try {
        await throttle.take();
      } finally {
        await throttle.close();
      }
    };
    try {
      await take("", "1", 20);
      await take(":nobodys@", "", 21);
      await take("default:nobodys@", "", 21);
      await expect(take("", "1", 21)).rejects.toThrow("runs at 20 requests a second");
      expect([lost, warned.mock.calls]).toEqual([[], []]);
      await take("", "99", 20);
      expect(lost).toEqual([expect.stringMatching(/throttle: Redis has no database of that number/)]);
    } finally {
      warned.mockRestore();
      await stop();
    }
  });

  it("keeps a rate of less than a request a minute, and is not taken for lost", async () => {
    const port = await freePort();
    const stop = await startRedis(port);
    const told: string[] = [];
    let ahead = 0;
    const clock = {
      now: () => Date.now() + ahead,
      sleep: (ms: number) => {
        ahead += ms;
        return Promise.resolve();
      },
    };
    const throttle = throttleAt(port, { rate: 0.01, burst: 1, clock, onLost: (message) => told.push(message) });
    try {
      await throttle.take();
      expect(told).toEqual([]);
      expect(ahead).toBeGreaterThan(95_000);
      expect(ahead).toBeLessThan(110_000);
    } finally {
      await throttle.close();
      await stop();
    }
  });

  it.each([
    ["when a Redis without memory gave another run another budget", true],
    ["when Redis, without which it began, comes with another budget", false],
  ])("a run that has begun goes on at a tenth %s", async (_, isThere) => {
    const port = await freePort();
    let stop = isThere ? await startRedis(port) : () => Promise.resolve();
    const told: string[] = [];
    const onLost = (message: string) => told.push(message);
    const begun = throttleAt(port, { patienceMs: 300, onLost });
    const newcomer = throttleAt(port, { rate: 10, patienceMs: 8_000, onLost });
    try {
      await begun.take();
      await stop();
      stop = await startRedis(port);
      await newcomer.take();
      await vi.waitFor(async () => {
        await begun.take();
        expect(told.at(-1)).toBe(
          "Continuing at a tenth of the rate, without the shared throttle: The shared budget runs at 10 requests a second with a burst of 30; here 20 and 30 are set.",
        );
      }, 8_000);
    } finally {
      await Promise.all([begun.close(), newcomer.close()]);
      await stop();
    }
  });

  it("gives no burst after a lost connection: what was sent meanwhile was not booked", long, async () => {
    const port = await freePort();
    const stop = await startRedis(port);
    let isFound = false;
    const throttle = throttleAt(port, { patienceMs: 300, onFound: () => (isFound = true) });
    try {
      await throttle.take();
      // The budget fills.
      await wait(500);
      await closeConnections(port);
      await vi.waitFor(async () => {
        await throttle.take();
        expect(isFound).toBe(true);
      }, 8_000);
      const foundAt = Date.now();
      for (let taken = 0; taken < 10; taken++) await throttle.take();
      expect(Date.now() - foundAt).toBeGreaterThanOrEqual(400);
    } finally {
      await throttle.close();
      await stop();
    }
  });

  it(
    "slows down to a tenth while Redis is gone, and recovers when it is back, though it has forgotten everything",
    long,
    async () => {
      const port = await freePort();
      let stop = await startRedis(port);
      const told: string[] = [];
      const throttle = throttleAt(port, {
        rate: 40,
        burst: 20,
        onLost: () => told.push("lost"),
        onFound: () => told.push("found"),
      });
      const clock = watch();
      const times: Arrival[] = [];
      const going = new AbortController();
      const lanes = Array.from({ length: 20 }, async () => {
        while (!going.signal.aborted) {
          await throttle.take();
          times.push(clock.note());
        }
      });
      const within = (from: number, to: number) => times.filter(({ at }) => at >= from && at < to).length;
      try {
        await wait(1_500);
        await stop();
        const lostAt = Date.now();
        await wait(4_000);
        expect(told).toEqual(["lost"]);
        // Twelve in three seconds, but for a moment in which this process was not let run.
        expect(within(lostAt + 1_000, lostAt + 4_000)).toBeLessThanOrEqual(14);
        expect(within(lostAt + 1_000, lostAt + 4_000)).toBeGreaterThan(4);
        stop = await startRedis(port);
        await vi.waitFor(() => expect(told).toEqual(["lost", "found"]), { timeout: 8_000 });
        const foundAt = Date.now();
        await wait(4_500);
        // Not counted: a moment in which this process was not let run.
        const halves = Array.from({ length: 8 }, (_, half) => foundAt + 500 + half * 500);
        const each = halves.map((from) => within(from, from + 500));
        expect(median(each), `of 20: ${each.join(", ")}`).toBeGreaterThanOrEqual(18);
        expect(refusedBy(40, 20, times)).toBe(0);
      } finally {
        going.abort();
        clock.stop();
        await throttle.close();
        await Promise.all(lanes);
        await stop();
      }
    },
  );
});

describe("the shared throttle without its Redis", () => {
  it("says so and goes on at a tenth of the rate, never over it", async () => {
    const lost: string[] = [];
    const throttle = throttleAt(await freePort(), { rate: 50, burst: 10, onLost: (message) => lost.push(message) });
    const times: number[] = [];
    const takers = Array.from({ length: 6 }, async () => {
      await throttle.take();
      times.push(Date.now());
    });
    await Promise.all(takers);
    expect(lost).toEqual([
      expect.stringMatching(
        /^Continuing at a tenth of the rate, without the shared throttle: 127\.0\.0\.1:\d+ refuses connections/,
      ),
    ]);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(900);
    await throttle.close();
  });

  it("lets aborted takers and, when it closes, all others go", async () => {
    const throttle = throttleAt(await freePort(), { rate: 1, burst: 1 });
    const gone = new AbortController();
    const aborted = throttle.take(gone.signal);
    const waiting = throttle.take();
    gone.abort();
    await aborted;
    const closing = throttle.close();
    await waiting;
    await closing;
    await expect(throttle.take()).resolves.toBeUndefined();
  });
});

describe("a Redis that answers what it likes", () => {
  const answers = (level: string) => ["100", "40", level].map((text) => `$${text.length}\r\n${text}\r\n`).join("");

  /** Takes tokens for some seconds of a server that answers each command so; when they came. */
  async function takeFrom(answer: (socket: Socket) => void, seconds: number) {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      // ioredis says who it is before it asks.
      socket.on("data", (data) =>
        data
          .toString()
          .match(/^\*\d+\r$/gm)
          ?.forEach(() => answer(socket)),
      );
    });
    const throttle = throttleAt(await listening(server), { rate: 100, burst: 40, patienceMs: 300 });
    const clock = watch();
    const times: Arrival[] = [];
    const until = Date.now() + seconds * 1000;
    const lane = async () => {
      while (Date.now() < until) {
        await throttle.take();
        times.push(clock.note());
      }
    };
    await Promise.all(Array.from({ length: 20 }, lane));
    clock.stop();
    await throttle.close();
    server.close();
    return times.filter(({ at }) => at < until);
  }

  it("does not raise the rate (F68)", long, async () => {
    const times = await takeFrom((socket) => socket.write(`*3\r\n${answers("1000000")}`), 3);
    expect(refusedBy(100, 40, times)).toBe(0);
    expect(times.length, "it is served all the same, also on a busy machine").toBeGreaterThan(100);
  });

  it.each([
    ["a wait of years", (socket: Socket) => socket.write(`*3\r\n${answers("-1e12")}`)],
    ["no number", (socket: Socket) => socket.write(`*3\r\n${answers("many")}`)],
    ["nothing", () => {}],
    [
      "a gigabyte",
      (socket: Socket) =>
        void Readable.from(endless())
          .on("error", () => {})
          .pipe(socket),
    ],
  ])("counts as lost when it answers with %s, and fills no memory", long, async (_, answer) => {
    const before = process.memoryUsage().rss;
    const times = await takeFrom(answer, 3);
    expect(times.length).toBeGreaterThan(8);
    expect(times.length).toBeLessThanOrEqual(3 * 10 + 4);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });
});

/** Of all clients. */
async function closeConnections(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.write("CLIENT KILL TYPE normal\r\n");
  await once(socket, "data");
  socket.destroy();
}

function* endless(): Generator<string> {
  yield "$1000000000\r\n";
  for (;;) yield "x".repeat(1 << 20);
}
