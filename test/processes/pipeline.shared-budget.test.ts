/** Two hosts import for one credential at once, on one budget in a real Redis (H41, P6). */
import { setTimeout as wait } from "node:timers/promises";
import { evenly, writeDeliveries } from "../support/deliveries.js";
import { median, refusedBy } from "../support/submit/exact-bucket.js";
import { freePort, redisIsHere, startRedis } from "../support/submit/redis-server.js";
import { installed, REAL } from "./installation.js";
import { clockAhead, type Rowferry } from "./processes.js";

describe.runIf(redisIsHere())("two imports on one budget (needs redis-server)", () => {
  const here = installed({ service: { rate: 20, burst: 30 }, answerAfterMs: 50, env: REAL });
  let throttle: string[];
  let stopRedis: () => Promise<void>;
  beforeEach(async () => {
    const port = await freePort();
    stopRedis = await startRedis(port);
    throttle = ["--throttle", `redis://127.0.0.1:${port}`];
  });
  afterEach(() => stopRedis());

  async function start(letter: string, rows: number, more: { ahead?: number; rate?: string } = {}): Promise<Rowferry> {
    const args = await writeDeliveries(here().folder, evenly(rows, rows, letter), letter);
    const env = { ROWFERRY_LEDGER: here().path(`${letter}.db`), ROWFERRY_RATE: more.rate ?? "20" };
    return here().start(["import", ...args, ...throttle], { env, preload: [clockAhead(more.ahead ?? 0)] });
  }
  const documents = () => here().sandbox.store.documents();
  const countOf = (letter: string, among = documents()) =>
    among.filter(({ externalId }) => externalId?.startsWith(letter)).length;

  test("hosts whose clocks are 30 s apart get the same share, and nothing is sent over the limit", {
    tags: ["long"],
  }, async () => {
    const hosts = await Promise.all([start("A", 1_500, { ahead: 30_000 }), start("B", 1_500)]);
    while (documents().length < 100) await wait(50);
    // A while in which the machine paused is not the budget's.
    const shares: { all: number; ofA: number }[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const [from, begun] = [documents().length, performance.now()];
      await wait(3_000);
      const landed = documents().slice(from);
      const inTime = (20 * (performance.now() - begun)) / 1000;
      shares.push({ all: landed.length / inTime, ofA: countOf("A", landed) / (landed.length / 2) });
    }
    for (const { child } of hosts) child.kill("SIGTERM");
    await Promise.all(hosts.map(({ ended }) => ended));
    expect(refusedBy(20, 30, here().door.arrivals)).toBe(0);
    expect(median(shares.map(({ all }) => all)), JSON.stringify(shares)).toBeGreaterThanOrEqual(0.97);
    expect(Math.abs(median(shares.map(({ ofA }) => ofA)) - 1), JSON.stringify(shares)).toBeLessThanOrEqual(0.1);
  });

  test("one that is set to another rate is refused with both values, and sends nothing", {
    tags: ["long"],
  }, async () => {
    const first = await start("A", 1_500);
    while (documents().length < 5) await wait(20);
    const { code, stderr } = await (await start("B", 3, { rate: "19" })).ended;
    expect(code, stderr).toBe(2);
    expect(stderr).toContain("runs at 20 requests a second with a burst of 30; here 19 and 30 are set");
    first.child.kill("SIGTERM");
    await first.ended;
    expect(countOf("B")).toBe(0);
  });
});
