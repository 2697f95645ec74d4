/** The shared throttle without its Redis. With one, and several processes: `bench/shared-throttle.ts`. */
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { systemClock } from "../src/model/clock.js";
import { createSharedThrottle } from "../src/submit/shared-throttle.js";

/** An address of this machine where nobody listens. */
async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `redis://127.0.0.1:${port}`;
}

describe("the shared throttle", () => {
  it("without its Redis says so and goes on at a tenth of the rate, never over it", async () => {
    const lost: string[] = [];
    const throttle = createSharedThrottle({
      redisUrl: await deadAddress(),
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
      redisUrl: await deadAddress(),
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
