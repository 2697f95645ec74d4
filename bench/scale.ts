/**
 * Whole imports of 1,000,000 and 5,000,000 rows: staged and planned whole, then 20,000 requests of ten events sent at a
 * scaled limit of 200/s. Time by stage, memory, size of the ledger. `tsx bench/scale.ts [--rows 1000000,5000000]
 * [--requests 20000] [--rate 200]`.
 */
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/model/clock.js";
import type { JsonValue } from "../src/model/json.js";
import type { Summary } from "../src/model/summary.js";
import { runImport } from "../src/run/import.js";
import { figure, measure, megabytes, runContender, withTemporaryFolder } from "./harness.js";
import { benchTarget, EVENTS_A_DOCUMENT, writeManifests, writeMapping } from "./manifests.js";
import { startService } from "./service.js";

const GOAL = 1.05;
const MEMORY_GOAL_BYTES = 256 * 1024 * 1024;

/** Seconds by stage, in the order in which they began. */
type Stages = { [stage: string]: number };

async function importSome([ledger = "", mappingPath = "", file = "", baseUrl = "", tokenUrl = "", ...more]: string[]) {
  const [rate, limitDocuments] = more.map(Number) as [number, number];
  const stages: Stages = {};
  let stage = "starting";
  let begun = performance.now();
  const enter = (next: string) => {
    const now = performance.now();
    stages[stage] = (stages[stage] ?? 0) + (now - begun) / 1000;
    stage = next;
    begun = now;
  };
  const summary = await runImport({
    target: benchTarget(ledger, { baseUrl, tokenUrl, rate, burst: rate * 1.5 }),
    clock: systemClock,
    random: Math.random,
    signal: new AbortController().signal,
    observe(event) {
      if (event.type === "stage") enter(event.stage);
    },
    fresh: false,
    limits: { waitForLock: false, limitDocuments },
    journal: null,
    mappingPath,
    files: [file],
  });
  enter("ended");
  const { exitCode, requests } = summary;
  return { exitCode, sent: requests.sent, stages, bytes: statSync(ledger).size } as unknown as JsonValue;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "1000000,5000000" },
      requests: { type: "string", default: "20000" },
      rate: { type: "string", default: "200" },
    },
  });
  const rate = Number(values.rate);
  const documents = Number(values.requests);
  const peaks: number[] = [];
  await withTemporaryFolder(async (folder) => {
    const mapping = await writeMapping(folder);
    const file = join(folder, "rows.csv");
    const ledger = join(folder, "ledger.db");
    for (const rows of values.rows.split(",").map(Number)) {
      await writeManifests(file, 0, rows);
      const service = await startService({ rate, burst: rate * 1.5 });
      try {
        const args = [ledger, mapping, file, service.baseUrl, service.tokenUrl, values.rate, values.requests];
        const measured = await measure(import.meta.filename, "import", args);
        const { exitCode, sent, stages, bytes } = measured.result as unknown as Pick<Summary, "exitCode"> & {
          sent: number;
          stages: Stages;
          bytes: number;
        };
        const counts = await service.counts();
        const expected = documents * EVENTS_A_DOCUMENT;
        if (exitCode !== 0 || counts.tickets !== expected || counts.events !== expected)
          throw new Error(`not everything landed once: ${JSON.stringify({ exitCode, expected, ...counts })}`);
        peaks.push(measured.peakBytes);
        const least = documents / rate;
        const sending = stages["events"] ?? Number.NaN;
        const named = Object.entries(stages).map(([stage, seconds]) => `${stage} ${seconds.toFixed(1)} s`);
        console.log(
          `     ${rows.toLocaleString("en")} rows: ${named.join(", ")}; ledger ${megabytes(bytes)}, ` +
            `${(measured.cpuMilliseconds / 1000).toFixed(1)} s of CPU, ${sent} requests, 429s ${counts.rateLimited}`,
        );
        figure(
          sending / least <= GOAL,
          `${documents.toLocaleString("en")} requests of ${EVENTS_A_DOCUMENT} events in ${sending.toFixed(1)} s = ` +
            `${(sending / least).toFixed(3)} × the limit's ${least.toFixed(0)} s, goal ≤ ${GOAL}`,
        );
        figure(
          measured.peakBytes <= MEMORY_GOAL_BYTES,
          `peak memory ${megabytes(measured.peakBytes)}, goal ≤ ${megabytes(MEMORY_GOAL_BYTES)}`,
        );
      } finally {
        service.stop();
      }
      for (const suffix of ["", "-wal", "-shm", ".state"]) await rm(ledger + suffix, { force: true, recursive: true });
    }
  });
  if (peaks.length > 1) {
    const spread = Math.max(...peaks) / Math.min(...peaks) - 1;
    figure(spread <= 0.05, `peak memory of all sizes within ${(spread * 100).toFixed(1)}%, goal ≤ 5%`);
  }
}

const [first] = process.argv.slice(2);
await (first === "import" ? runContender({ import: importSome }, process.argv.slice(2)) : main());
