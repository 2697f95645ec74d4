/**
 * A whole import (stage, plan, register, send, record) at a scaled limit of 200/s against the time that the limit alone
 * allows for its requests: 100,000 rows, ten events a document and a request.
 * `tsx bench/import.ts [--rows 100000] [--rate 200]`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/model/clock.js";
import type { JsonValue } from "../src/model/json.js";
import type { Summary } from "../src/model/summary.js";
import { runImport } from "../src/run/import.js";
import { figure, measure, megabytes, runContender, withTemporaryFolder } from "./harness.js";
import { benchTarget, writeManifests, writeMapping } from "./manifests.js";
import { startService } from "./service.js";

const GOAL = 1.05;

const contenders = {
  async import([ledger = "", mappingPath = "", file = "", baseUrl = "", tokenUrl = "", rate = "200"]: string[]) {
    const burst = Number(rate) * 1.5;
    const summary = await runImport({
      target: benchTarget(ledger, { baseUrl, tokenUrl, rate: Number(rate), burst }),
      clock: systemClock,
      random: Math.random,
      signal: new AbortController().signal,
      observe: () => undefined,
      fresh: false,
      limits: { waitForLock: false },
      journal: null,
      mappingPath,
      files: [file],
    });
    const { exitCode, requests, rows, events } = summary;
    return { exitCode, requests, rows, events } as unknown as JsonValue;
  },
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rows: { type: "string", default: "100000" }, rate: { type: "string", default: "200" } },
  });
  const rows = Number(values.rows);
  const rate = Number(values.rate);
  const burst = rate * 1.5;
  await withTemporaryFolder(async (folder) => {
    const mapping = await writeMapping(folder);
    const file = join(folder, "rows.csv");
    await writeManifests(file, 0, rows);
    const service = await startService({ rate, burst });
    try {
      const args = [join(folder, "ledger.db"), mapping, file, service.baseUrl, service.tokenUrl, String(rate)];
      const measured = await measure(import.meta.filename, "import", args);
      const { exitCode, requests } = measured.result as unknown as Pick<Summary, "exitCode" | "requests">;
      const counts = await service.counts();
      if (exitCode !== 0 || counts.tickets !== rows || counts.events !== rows)
        throw new Error(`not everything landed once: ${JSON.stringify({ exitCode, ...counts })}`);
      const least = (requests.sent - burst) / rate;
      const seconds = measured.milliseconds / 1000;
      figure(
        seconds / least <= GOAL,
        `${rows.toLocaleString("en")} rows, ${requests.sent} requests at ${rate}/s: ${seconds.toFixed(2)} s = ` +
          `${(seconds / least).toFixed(3)} × the limit's ${least.toFixed(2)} s, goal ≤ ${GOAL}; ` +
          `429s ${counts.rateLimited}, peak memory ${megabytes(measured.peakBytes)}, ` +
          `CPU ${(measured.cpuMilliseconds / requests.sent).toFixed(2)} ms a request with staging`,
      );
    } finally {
      service.stop();
    }
  });
}

const [first] = process.argv.slice(2);
await (first !== undefined && first in contenders ? runContender(contenders, process.argv.slice(2)) : main());
