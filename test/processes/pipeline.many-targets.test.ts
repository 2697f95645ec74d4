/** Eight targets of two credentials side by side, in eight processes with one Redis (docs/how-to/many-targets.md, P6). */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { evenly, writeDeliveries } from "../support/deliveries.js";
import { refusedBy } from "../support/submit/exact-bucket.js";
import { freePort, redisIsHere, startRedis } from "../support/submit/redis-server.js";
import { type Door, installed, openDoor, REAL } from "./installation.js";
import { endProcesses, serviceEnv, startRowferry } from "./processes.js";

const [RATE, BURST, DOCUMENTS] = [20, 30, 120];
const here = installed();

describe.runIf(redisIsHere())("eight targets of two credentials (needs redis-server)", () => {
  test(
    "each credential is at its limit, no target starves, and one that was killed goes on elsewhere",
    long,
    async () => {
      const doors = [
        await openDoor({ rate: RATE, burst: BURST }),
        await openDoor({ rate: RATE, burst: BURST }),
      ] as const;
      const port = await freePort();
      const stopRedis = await startRedis(port);
      const start = (door: Door, volume: string, args: string[]) =>
        startRowferry([...args, "--throttle", `redis://127.0.0.1:${port}`], {
          cwd: volume,
          env: { ...serviceEnv(door, join(volume, "ledger.db")), ...REAL },
        });
      try {
        const targets = await Promise.all(
          "ABCDEFGH".split("").map(async (letter, index) => {
            const volume = here().path(letter);
            mkdirSync(volume);
            const door = doors[index % 2] as Door;
            const args = await writeDeliveries(volume, evenly(DOCUMENTS, DOCUMENTS, letter), letter);
            return { letter, volume, door, process: start(door, volume, ["import", ...args]) };
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
        const [dead, ...others] = targets;
        if (dead === undefined) throw new Error("no targets");
        dead.process.child.kill("SIGKILL");
        await dead.process.ended;
        const elsewhere = here().path("elsewhere");
        cpSync(dead.volume, elsewhere, { recursive: true });
        const resumed = start(dead.door, elsewhere, ["resume"]).ended;
        for (const { process } of others) expect((await process.ended).code).toBe(0);

        // A create whose answer died with the machine is for a person (3); all else has gone on.
        expect([0, 3, 4]).toContain((await resumed).code);
        for (const { letter, door } of others) expect(countOf(letter, door), letter).toBe(DOCUMENTS);
        const names = documents(dead.door).map(({ externalId }) => externalId);
        expect(new Set(names).size, "none twice").toBe(names.length);
        for (const { arrivals } of doors) {
          expect(refusedBy(RATE, BURST, arrivals), "sent over the limit").toBe(0);
          const times = arrivals.map(({ at }) => at);
          const took = (Math.max(...times) - Math.min(...times)) / 1000;
          const atLimit = (arrivals.length - BURST) / RATE;
          expect(took, `${arrivals.length} requests, ${atLimit} s at the limit`).toBeLessThan(atLimit * 1.15 + 3);
        }
      } finally {
        endProcesses();
        await stopRedis();
        await Promise.all(doors.map((door) => door.close()));
      }
    },
  );
});
