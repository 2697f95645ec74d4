/**
 * The same job by Rowferry and by what a careful engineer writes in an afternoon (bench/peers/afternoon.mjs), against the
 * same sandbox: a clean night, the same file again, faults, a kill -9 on the way, and rows that are corrected afterwards.
 * `tsx bench/peers.ts [--rows 2000,100000] [--rate 200]`; of the second number of rows on, the clean night alone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { FaultRule } from "../src/sandbox/index.js";
import { asInstalled } from "../scripts/as-installed.js";
import { figure, withTemporaryFolder } from "./harness.js";
import { EVENTS_A_DOCUMENT, writeManifests, writeMapping } from "./manifests.js";
import { type Service, startService } from "./service.js";

const GENERATORS = 50;
const root = join(import.meta.dirname, "..");

/** Like a bad hour of a gateway; what is carried out before the fault is carried out. */
const faults: FaultRule[] = [
  { probability: 0.02, times: 1e6, action: { kind: "drop", when: "after" } },
  { probability: 0.01, times: 1e6, action: { kind: "truncate" } },
  { probability: 0.02, times: 1e6, action: { kind: "status", status: 503, when: "before" } },
  { probability: 0.01, times: 1e6, action: { kind: "status", status: 500, when: "after" } },
  { probability: 0.02, times: 1e6, action: { kind: "pending-process" } },
  { probability: 0.005, times: 1e6, action: { kind: "expire-token" } },
];

interface Scenario {
  name: string;
  faults?: FaultRule[];
  /** Of the events, when the first attempt is killed; null: it is not. */
  killAt?: number;
  /** Files, each imported in turn. */
  files: (folder: string) => string[];
}

const scenarios: Scenario[] = [
  { name: "a clean night, and the same file again", files: (folder) => [`${folder}/rows.csv`, `${folder}/rows.csv`] },
  { name: "faults, and once more", faults, files: (folder) => [`${folder}/rows.csv`, `${folder}/rows.csv`] },
  {
    name: "kill -9 at half, and once more",
    killAt: 0.5,
    files: (folder) => [`${folder}/rows.csv`, `${folder}/rows.csv`],
  },
  { name: "1% of the rows wrong, then corrected", files: (folder) => [`${folder}/wrong.csv`, `${folder}/rows.csv`] },
];

interface Tool {
  name: string;
  words(file: string, service: Service, folder: string): string[];
}

const tools = (mapping: string, rate: number): Tool[] => [
  {
    name: "Rowferry",
    words: (file) => [...asInstalled().flags, join(root, "dist/cli/rowferry.js"), "import", "--quiet", mapping, file],
  },
  {
    name: "afternoon",
    words: (file, { baseUrl, tokenUrl }, folder) => [
      join(root, "bench/peers/afternoon.mjs"),
      file,
      baseUrl,
      tokenUrl,
      folder,
      String(rate),
    ],
  },
];

/** Ends by itself, or at `killAfter` events. @returns the peak resident size in MiB */
async function run(
  words: string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  until: (() => Promise<boolean>) | null,
): Promise<number> {
  const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "ignore", "ignore"] });
  const ended = once(child, "close");
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const status = `/proc/${child.pid}/status`;
    const size = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined;
    peak = Math.max(peak, Number(size ?? 0) / 1024);
    if ((await until?.()) === true) child.kill("SIGKILL");
    await Promise.race([ended, sleep(50)]);
  }
  return peak;
}

async function play(tool: Tool, scenario: Scenario, folder: string, rows: number, rate: number): Promise<void> {
  const burst = rate * 1.5;
  const service = await startService({ rate, burst, faults: scenario.faults ?? [] });
  const cwd = join(folder, `${tool.name} ${scenario.name}`.replaceAll(/\W+/g, "-"));
  mkdirSync(cwd, { recursive: true });
  const env = {
    ...process.env,
    ...asInstalled().env,
    ROWFERRY_BASE_URL: service.baseUrl,
    ROWFERRY_TOKEN_URL: service.tokenUrl,
    ROWFERRY_CLIENT_ID: "sandbox",
    ROWFERRY_CLIENT_SECRET: "sandbox",
    ROWFERRY_RATE: String(rate),
    ROWFERRY_BURST: String(burst),
    ROWFERRY_LEDGER: join(cwd, "ledger.db"),
  };
  const begun = performance.now();
  let peak = 0;
  for (const [at, file] of scenario.files(folder).entries()) {
    const killAt = at === 0 ? scenario.killAt : undefined;
    const least = (killAt ?? 0) * (rows / EVENTS_A_DOCUMENT);
    const until = killAt === undefined ? null : async () => (await service.requests()) > 2 * GENERATORS + least;
    peak = Math.max(peak, await run(tool.words(file, service, cwd), env, folder, until));
  }
  const seconds = (performance.now() - begun) / 1000;
  const { requests, participants, addresses, events, tickets, rateLimited } = await service.counts();
  service.stop();
  const lost = rows - tickets;
  const generators = Math.min(GENERATORS, rows / EVENTS_A_DOCUMENT);
  const doubled = events - tickets + participants - generators + addresses - generators;
  const text =
    `${scenario.name}, ${tool.name}: ${lost} of ${rows} rows lost, ${doubled} records doubled; ` +
    `${requests} requests, ${rateLimited} refused as too many, ${seconds.toFixed(1)} s, ${peak.toFixed(0)} MiB`;
  if (tool.name === "Rowferry") figure(lost === 0 && doubled === 0, text);
  else console.log(`     ${text}`);
}

const { values } = parseArgs({
  options: { rows: { type: "string", default: "2000,100000" }, rate: { type: "string", default: "200" } },
});
const rate = Number(values.rate);
for (const [at, rows] of values.rows.split(",").map(Number).entries())
  await withTemporaryFolder(async (folder) => {
    const mapping = await writeMapping(folder);
    const file = join(folder, "rows.csv");
    await writeManifests(file, 0, rows);
    const lines = readFileSync(file, "utf8").split("\n");
    // A letter O for a zero in the tare, as people type it.
    const wrong = lines.map((line, index) => (index % 100 === 50 ? line.replace(".500,0;", ".5O0,0;") : line));
    writeFileSync(join(folder, "wrong.csv"), wrong.join("\n"));
    for (const scenario of at === 0 ? scenarios : scenarios.slice(0, 1))
      for (const tool of tools(mapping, rate)) await play(tool, scenario, folder, rows, rate);
  });
