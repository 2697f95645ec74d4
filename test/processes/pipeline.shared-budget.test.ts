/** Two hosts import for one credential at once, on one budget in a real Redis (H41, P6). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Door, openDoor } from "./door.js";
import { clockAhead, endProcesses, rowferry, type Rowferry, serviceEnv, startRowferry } from "./processes.js";
import { refusedBy } from "../support/submit/exact-bucket.js";
import { freePort, redisIsHere, startRedis } from "../support/submit/redis-server.js";
import { evenly, writeDeliveries } from "../support/deliveries.js";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });
afterAll(endProcesses);

describe.runIf(redisIsHere())("two imports on one budget (needs redis-server)", () => {
  let folder: string;
  let door: Door;
  let throttle: string[];
  let stopRedis: () => Promise<void>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "rowferry-budget-"));
    door = await openDoor({ rate: 20, burst: 30 });
    const port = await freePort();
    stopRedis = await startRedis(port);
    throttle = ["--throttle", `redis://127.0.0.1:${port}`];
  });

  afterEach(async () => {
    await stopRedis();
    await door.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(letter: string, ahead: number): Promise<Rowferry> {
    const args = await writeDeliveries(folder, evenly(1_500, 1_500, letter), letter);
    const env = { ...serviceEnv(door, join(folder, `${letter}.db`)), ROWFERRY_RATE: "20", ROWFERRY_BURST: "30" };
    return startRowferry(["import", ...args, ...throttle], { cwd: folder, env, preload: [clockAhead(ahead)] });
  }

  const documents = () => door.sandbox.store.documents().length;

  test("hosts whose clocks are 30 s apart get the same share, and nothing is sent over the limit", {
    tags: ["long"],
  }, async () => {
    const hosts = await Promise.all([start("A", 30_000), start("B", 0)]);
    while (documents() < 100) await wait(50);
    const from = documents();
    await wait(15_000);
    const landed = door.sandbox.store.documents().slice(from);
    for (const { child } of hosts) child.kill("SIGTERM");
    await Promise.all(hosts.map(({ ended }) => ended));
    expect(refusedBy(20, 30, door.arrivals)).toBe(0);
    expect(landed.length, "of 300").toBeGreaterThanOrEqual(300 * 0.97);
    const shares = ["A", "B"].map((letter) => landed.filter(({ externalId }) => externalId?.startsWith(letter)).length);
    for (const share of shares)
      expect(Math.abs(share / (landed.length / 2) - 1), String(shares)).toBeLessThanOrEqual(0.1);
  });

  test("one that is set to another rate is refused with both values, and sends nothing", async () => {
    const first = await start("A", 0);
    while (documents() < 10) await wait(50);
    const args = await writeDeliveries(folder, evenly(3, 3, "B"), "B");
    const env = { ...serviceEnv(door, join(folder, "B.db")), ROWFERRY_RATE: "19", ROWFERRY_BURST: "30" };
    const { code, stderr } = await rowferry(["import", ...args, ...throttle], { cwd: folder, env });
    expect(code, stderr).toBe(2);
    expect(stderr).toContain("runs at 20 requests a second with a burst of 30; here 19 and 30 are set");
    first.child.kill("SIGTERM");
    await first.ended;
    expect(door.sandbox.store.documents().some(({ externalId }) => externalId?.startsWith("B"))).toBe(false);
  });
});
