/** Eight targets of two credentials side by side, in eight processes with one Redis (docs/how-to/many-targets.md, P6). */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { type Door, openDoor } from "./door.js";
import { endProcesses, rowferry, serviceEnv, startRowferry } from "./processes.js";
import { refusedBy } from "../support/submit/exact-bucket.js";
import { freePort, redisIsHere, startRedis } from "../support/submit/redis-server.js";
import { evenly, writeDeliveries } from "../support/deliveries.js";

const RATE = 20;
const BURST = 30;
const DOCUMENTS = 160;

afterAll(endProcesses);

describe.runIf(redisIsHere())("eight targets of two credentials (needs redis-server)", () => {
  test("each credential is at its limit, no target starves, and one that was killed goes on elsewhere", {
    tags: ["long"],
    timeout: 180_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "rowferry-targets-"));
    const doors = [await openDoor({ rate: RATE, burst: BURST }), await openDoor({ rate: RATE, burst: BURST })] as const;
    const port = await freePort();
    const stopRedis = await startRedis(port);
    const limits = ["--throttle", `redis://127.0.0.1:${port}`];
    const envOf = (door: Door, ledger: string) => ({
      ...serviceEnv(door, ledger),
      ROWFERRY_RATE: String(RATE),
      ROWFERRY_BURST: String(BURST),
    });
    try {
      const targets = await Promise.all(
        "ABCDEFGH".split("").map(async (letter, index) => {
          const volume = join(folder, letter);
          mkdirSync(volume);
          const door = doors[index % 2] as Door;
          const args = await writeDeliveries(volume, evenly(DOCUMENTS, DOCUMENTS, letter), letter);
          const env = envOf(door, join(volume, "ledger.db"));
          return {
            letter,
            volume,
            door,
            process: startRowferry(["import", ...args, ...limits], { cwd: volume, env }),
          };
        }),
      );
      const documents = (door: Door) => door.sandbox.store.documents();
      const countOf = (letter: string, door: Door) =>
        documents(door).filter(({ externalId }) => externalId?.startsWith(letter)).length;

      // Shares count from when all of them have begun.
      while (targets.some(({ letter, door }) => countOf(letter, door) < 2)) await wait(20);
      const before = targets.map(({ letter, door }) => countOf(letter, door));
      const enough = doors.map((door) => documents(door).length + 240);
      while (doors.some((door, index) => documents(door).length < (enough[index] ?? 0))) await wait(20);
      const gained = targets.map(({ letter, door }, index) => countOf(letter, door) - (before[index] ?? 0));
      const shares = gained.map((count, index) => {
        const ofDoor = gained.filter((_, other) => other % 2 === index % 2);
        return count / ofDoor.reduce((sum, one) => sum + one, 0);
      });
      expect(Math.min(...shares), `a fair share is 0.25: ${shares.join(", ")}`).toBeGreaterThan(0.15);

      // Its machine dies; its volume is mounted on another.
      const [dead] = targets;
      if (dead === undefined) throw new Error("no targets");
      dead.process.child.kill("SIGKILL");
      await dead.process.ended;
      const elsewhere = join(folder, "elsewhere");
      cpSync(dead.volume, elsewhere, { recursive: true });
      const env = envOf(dead.door, join(elsewhere, "ledger.db"));
      const resumed = rowferry(["resume", ...limits], { cwd: elsewhere, env });
      const ends = await Promise.all(targets.slice(1).map(({ process }) => process.ended));
      expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));

      // A create whose answer died with the machine is for a person (3); all else has gone on.
      expect([0, 3, 4]).toContain((await resumed).code);
      for (const { letter, door } of targets.slice(1)) expect(countOf(letter, door), letter).toBe(DOCUMENTS);
      const names = documents(dead.door).map(({ externalId }) => externalId);
      expect(new Set(names).size, "none twice").toBe(names.length);
      for (const door of doors) {
        expect(refusedBy(RATE, BURST, door.arrivals), "sent over the limit").toBe(0);
        const took = (Math.max(...door.arrivals) - Math.min(...door.arrivals)) / 1000;
        const atLimit = (door.arrivals.length - BURST) / RATE;
        expect(took, `${door.arrivals.length} requests, ${atLimit} s at the limit`).toBeLessThan(atLimit * 1.15 + 3);
      }
    } finally {
      endProcesses();
      await stopRedis();
      await Promise.all(doors.map((door) => door.close()));
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
