/** The shared throttle: several processes on a real redis-server, and what happens when it is lost. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/model/clock.js";
import { createSharedThrottle } from "../src/submit/shared-throttle.js";
import { refusedBy } from "./submit/exact-bucket.js";
import { freePort, redisIsHere, startRedis } from "./submit/redis-server.js";

const taker = fileURLToPath(new URL("submit/shared-taker.ts", import.meta.url));

describe.runIf(redisIsHere())("the shared throttle on a real Redis (needs redis-server)", () => {
  it("gives three processes one rate: at least 90% of it, and an exact bucket refuses nothing (DESIGN P6)", async () => {
    const port = await freePort();
    const stop = await startRedis(port);
    try {
      const begun = Date.now();
      const args = ["--import", "tsx", taker, `redis://127.0.0.1:${port}`, String(begun + 7_000), "100", "60"];
      const outputs = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, args)));
      const perProcess = outputs.map(({ stdout }) => JSON.parse(stdout) as number[]);
      const times = perProcess.flat().toSorted((a, b) => a - b);
      expect(refusedBy(100, 60, times)).toBe(0);
      // The processes take a moment to start, which is not the throttle's.
      const steady = times.filter((time) => time >= begun + 3_000 && time < begun + 7_000).length;
      expect(steady).toBeGreaterThanOrEqual(4 * 100 * 0.9);
      expect(Math.min(...perProcess.map((own) => own.length))).toBeGreaterThan(0);
    } finally {
      await stop();
    }
  });

  it("slows down to a tenth while Redis is gone, and recovers when it is back, though it has forgotten everything", async () => {
    const port = await freePort();
    let stop = await startRedis(port);
    const told: string[] = [];
    const throttle = createSharedThrottle({
      redisUrl: `redis://127.0.0.1:${port}`,
      name: "test",
      rate: 100,
      burst: 40,
      clock: systemClock,
      patienceMs: 300,
      onLost: () => told.push("lost"),
      onFound: () => told.push("found"),
    });
    const times: number[] = [];
    const going = new AbortController();
    const lanes = Array.from({ length: 20 }, async () => {
      while (!going.signal.aborted) {
        await throttle.take();
        times.push(Date.now());
      }
    });
    const within = (from: number, to: number) => times.filter((time) => time >= from && time < to).length;
    try {
      await wait(1_500);
      await stop();
      const lostAt = Date.now();
      await wait(2_500);
      expect(told).toEqual(["lost"]);
      expect(within(lostAt + 1_000, lostAt + 2_500)).toBeLessThanOrEqual(20);
      expect(within(lostAt + 1_000, lostAt + 2_500)).toBeGreaterThan(5);
      stop = await startRedis(port);
      await vi.waitFor(() => expect(told).toEqual(["lost", "found"]), { timeout: 8_000 });
      const foundAt = Date.now();
      await wait(2_500);
      expect(within(foundAt + 500, foundAt + 2_500)).toBeGreaterThanOrEqual(150);
      expect(refusedBy(100, 40, times)).toBe(0);
    } finally {
      going.abort();
      await throttle.close();
      await Promise.all(lanes);
      await stop();
    }
  });
});

describe("the shared throttle without its Redis", () => {
  it("says so and goes on at a tenth of the rate, never over it", async () => {
    const lost: string[] = [];
    const throttle = createSharedThrottle({
      redisUrl: `redis://127.0.0.1:${await freePort()}`,
      name: "test",
      rate: 50,
      burst: 10,
      clock: systemClock,
      onLost: (message) => lost.push(message),
    });
    const times: number[] = [];
    const takers = Array.from({ length: 6 }, async () => {
      await throttle.take();
      times.push(Date.now());
    });
    await Promise.all(takers);
    expect(lost).toEqual(["The shared throttle is out of reach: going on at a tenth of the rate."]);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(900);
    await throttle.close();
  });

  it("lets aborted takers and, when it closes, all others go", async () => {
    const throttle = createSharedThrottle({
      redisUrl: `redis://127.0.0.1:${await freePort()}`,
      name: "test",
      rate: 1,
      burst: 1,
      clock: systemClock,
    });
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
