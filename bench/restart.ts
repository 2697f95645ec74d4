/**
 * The first request after a kill -9 with 1,000,000 events staged: from the start of the new process to the arrival at the
 * service, and the memory of going on. `tsx bench/restart.ts [--rows 1000000] [--repetitions 3]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { systemClock } from "../src/model/clock.js";
import { runResume } from "../src/run/import.js";
import { builtFile, figure, measure, median, withTemporaryFolder } from "./harness.js";
import { benchTarget, SERVICE_VARIABLE, writeManifests, writeMapping } from "./manifests.js";
import { startService } from "./service.js";

const GOAL_MS = 1000;
const RATE = 200;
/**
 * So many requests are answered before each kill, and before the first: enough for all registrations to be over. After a
 * kill among those, what was lost is looked for only after a wait of 3 s, on purpose (HARD-CASES H7).
 */
const BEFORE_KILL = 100;
const BEFORE_FIRST_KILL = 400;

async function resume([ledger = "", baseUrl = "", tokenUrl = ""]: string[]): Promise<void> {
  await runResume({
    target: benchTarget(ledger, { baseUrl, tokenUrl, rate: RATE, burst: 30 }),
    clock: systemClock,
    random: Math.random,
    signal: new AbortController().signal,
    observe: () => undefined,
    fresh: false,
    limits: { waitForLock: true },
    journal: null,
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rows: { type: "string", default: "1000000" }, repetitions: { type: "string", default: "3" } },
  });
  const rows = Number(values.rows);
  await withTemporaryFolder(async (folder) => {
    const mapping = await writeMapping(folder);
    const file = join(folder, "rows.csv");
    const ledger = join(folder, "ledger.db");
    await writeManifests(file, 0, rows);
    const service = await startService({ rate: null, burst: RATE });
    try {
      process.env[SERVICE_VARIABLE] = service.baseUrl;
      await measure(join(import.meta.dirname, "stage.ts"), "stage", [ledger, mapping, file]);
      const times: number[] = [];
      // The first start sends what the later ones find in the middle of.
      for (let start = 0; start <= Number(values.repetitions); start++) {
        const before = await service.requests();
        const begun = systemClock.now();
        const child = spawn(
          process.execPath,
          [builtFile(import.meta.filename), "resume", ledger, service.baseUrl, service.tokenUrl],
          {
            stdio: ["ignore", "ignore", "inherit"],
          },
        );
        const closed = once(child, "close");
        const enough = before + (start === 0 ? BEFORE_FIRST_KILL : BEFORE_KILL);
        while ((await service.requests()) < enough) {
          if (child.exitCode !== null) throw new Error(`resume ended with ${child.exitCode}`);
          await wait(100);
        }
        child.kill("SIGKILL");
        await closed;
        const { firstAt } = await service.counts(begun);
        if (start > 0 && firstAt !== null) times.push(firstAt - begun);
      }
      const worst = Math.max(...times);
      figure(
        median(times) <= GOAL_MS,
        `first request after kill -9 with ${rows.toLocaleString("en")} events staged: ${median(times)} ms ` +
          `(at worst ${worst} ms of ${times.length}), starting node included, goal ≤ ${GOAL_MS} ms`,
      );
    } finally {
      service.stop();
    }
  });
}

await (process.argv[2] === "resume" ? resume(process.argv.slice(3)) : main());
