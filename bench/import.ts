/**
 * Whole imports (stage, plan, register, send, record) against the time that the limit alone allows for their requests: the
 * real shape and an even one at a scaled limit of 200/s, and the even one at 20/s in virtual time, where only waiting counts.
 * `tsx bench/import.ts [--payments 361000] [--rows 100000] [--rate 200]`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crc32 } from "node:zlib";
import { systemClock } from "../src/model/clock.js";
import type { JsonValue } from "../src/model/json.js";
import type { Summary } from "../src/model/summary.js";
import { runImport } from "../src/run/import.js";
import { createWorld } from "../test/nights/simulation/world.js";
import { evenly, skewed, writeDeliveries } from "../test/support/deliveries.js";
import { figure, measure, megabytes, runContender, withTemporaryFolder } from "./harness.js";
import { benchTarget } from "./manifests.js";
import { startService } from "./service.js";

/** Two with a quarter of all events between them, about twenty events on each of the others. */
const REAL_DOCUMENTS = 16_500;
const MEMORY_GOAL_BYTES = 256 * 1024 * 1024;
/** At 20/s sending takes ten times as long as at 200/s, and staging takes what it takes. */
const VIRTUAL_GOAL = 1.01;
const SCALED_GOAL = 1.15;

const contenders = {
  async import([ledger = "", mappingPath = "", file = "", baseUrl = "", tokenUrl = "", rate = "200"]: string[]) {
    let beforeSending = 0;
    const begun = performance.now();
    const summary = await runImport({
      target: benchTarget(ledger, { baseUrl, tokenUrl, rate: Number(rate), burst: Number(rate) * 1.5 }),
      clock: systemClock,
      random: Math.random,
      signal: new AbortController().signal,
      observe(event) {
        if (event.type === "stage" && event.stage === "participants") beforeSending = performance.now() - begun;
      },
      fresh: false,
      limits: { waitForLock: false },
      journal: null,
      mappingPath,
      files: [file],
    });
    const { exitCode, requests } = summary;
    return { exitCode, sent: requests.sent, beforeSending } as unknown as JsonValue;
  },
};

interface Imported extends Pick<Summary, "exitCode"> {
  sent: number;
  /** Staging and planning, in ms. */
  beforeSending: number;
}

/** Which ticket stands on which document at which time, as one number, whatever the order. */
function digestOfFile(path: string): number {
  let digest = 0;
  for (const line of readFileSync(path, "utf8").split("\n").slice(1)) {
    const [delivery, , ticket, at = ""] = line.split(",");
    if (ticket !== undefined) digest += crc32(`${delivery} ${ticket} ${at.replace(" ", "T")}.000Z`);
  }
  return digest;
}

async function scaled(name: string, rows: number, documents: number | null, rate: number): Promise<void> {
  const burst = rate * 1.5;
  await withTemporaryFolder(async (folder) => {
    const made = documents === null ? evenly(rows, rows / 10) : skewed(rows, documents);
    const [mapping = "", file = ""] = await writeDeliveries(folder, made);
    const service = await startService({ rate, burst });
    try {
      const args = [join(folder, "ledger.db"), mapping, file, service.baseUrl, service.tokenUrl, String(rate)];
      const measured = await measure(import.meta.filename, "import", args);
      const { exitCode, sent, beforeSending } = measured.result as unknown as Imported;
      const counts = await service.counts();
      const least = (sent - burst) / rate;
      const seconds = measured.milliseconds / 1000;
      const cpu = measured.cpuMilliseconds / sent;
      figure(
        seconds / least <= SCALED_GOAL,
        `${name}, ${rows.toLocaleString("en")} rows on ${counts.documents.toLocaleString("en")} documents, ${sent.toLocaleString("en")} requests at ${rate}/s: ` +
          `${seconds.toFixed(1)} s = ${(seconds / least).toFixed(3)} × the limit's ${least.toFixed(1)} s, goal ≤ ${SCALED_GOAL}; 429s ${counts.rateLimited}`,
      );
      const atTwenty = (sent - 30) / 20;
      const added = beforeSending / 1000 / atTwenty;
      figure(
        1 + added <= VIRTUAL_GOAL,
        `of it ${(beforeSending / 1000).toFixed(1)} s before the first request; at 20/s, where the limit takes ${atTwenty.toFixed(0)} s, that makes ${(1 + added).toFixed(3)} ×, goal ≤ ${VIRTUAL_GOAL}`,
      );
      const peak = `peak memory ${megabytes(measured.peakBytes)}, goal ≤ ${megabytes(MEMORY_GOAL_BYTES)}`;
      figure(measured.peakBytes <= MEMORY_GOAL_BYTES, peak);
      const credentials = Math.floor(1000 / (20 * cpu));
      figure(
        credentials >= 20,
        `CPU ${cpu.toFixed(2)} ms a request, staging included: one core carries the limits of ${credentials} credentials, goal ≥ 20`,
      );
      const isWhole = exitCode === 0 && counts.events === rows && counts.digest === digestOfFile(file);
      figure(
        isWhole,
        `${counts.events.toLocaleString("en")} events on the service, each once, on its document, at its time`,
      );
    } finally {
      service.stop();
    }
  });
}

async function virtual(rows: number): Promise<void> {
  const [rate, burst] = [20, 30];
  const world = createWorld({ maxEventsPerRequest: 100, rate, sandbox: { rate, burst } });
  try {
    const [mapping = "", path = ""] = await writeDeliveries(world.target.stateFolder, evenly(rows, rows / 10));
    const begun = world.clock.now();
    const { exitCode, requests } = await world.import([{ mapping, path }]);
    const seconds = (world.clock.now() - begun) / 1000;
    const least = (requests.sent - burst) / rate;
    figure(
      exitCode === 0 && seconds / least <= VIRTUAL_GOAL,
      `an even shape, ${rows.toLocaleString("en")} rows, ${requests.sent.toLocaleString("en")} requests at ${rate}/s in virtual time: ` +
        `${seconds.toFixed(0)} s = ${(seconds / least).toFixed(4)} × the limit's ${least.toFixed(0)} s, goal ≤ ${VIRTUAL_GOAL}`,
    );
  } finally {
    await world.close();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      payments: { type: "string", default: "361000" },
      rows: { type: "string", default: "100000" },
      rate: { type: "string", default: "200" },
    },
  });
  const rate = Number(values.rate);
  await scaled("the real shape", Number(values.payments), REAL_DOCUMENTS, rate);
  await scaled("an even shape", Number(values.rows), null, rate);
  await virtual(Number(values.rows));
}

const [first] = process.argv.slice(2);
await (first !== undefined && first in contenders ? runContender(contenders, process.argv.slice(2)) : main());
