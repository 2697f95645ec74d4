/**
 * `npm run bench` runs every benchmark that has not run on this revision of `src`, and writes bench/RESULTS.md whole, misses
 * first. `npm run bench -- <name>` runs one anew; with options behind the name it only prints.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/model/clock.js";

/** In the order of the table of DESIGN section 10. */
const benchmarks: { [name: string]: string } = {
  import: "Whole imports against their limit's time, the real shape first",
  submit: "Submitting at a scaled limit under jitter",
  requests: "Requests against the fewest possible",
  stage: "Staging, known rows and ledger size, against csv-parse alone",
  growth: "Cost of a row as files and ledgers grow",
  "read-csv": "Reading CSV against csv-parse alone",
  "read-excel": "Reading Excel against yauzl + saxes and exceljs",
  memory: "Peak memory of the built command",
  restart: "First request after kill -9",
  record: "Recording an outcome against bare fsyncs",
  startup: "Start-up and status",
  console: "The console over a large ledger",
  peers: "The same job by an importer of one afternoon",
  year: "A year of nights, of a source that grows",
};

interface Result {
  /** Minutes of UTC. */
  at: string;
  /** Processes that wanted a core in the minute before; the benchmark itself is not among them. */
  load: number;
  text: string;
}

const root = join(import.meta.dirname, "..");
const git = (...words: string[]) => spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout.trim();
const isChanged = git("status", "--porcelain", "src", "package-lock.json") !== "";
const cache = join(root, "node_modules", ".cache", "rowferry-bench-results");
const kept = join(cache, `${git("rev-parse", "HEAD:src")}${isChanged ? "-changed" : ""}.json`);

async function run(name: string, options: string[]): Promise<Result> {
  const load = loadavg()[0] ?? 0;
  const file = join(import.meta.dirname, `${name}.ts`);
  const child = spawn(process.execPath, ["--import", "tsx", file, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  const [code] = (await once(child, "close")) as [number | null];
  const isMissed = /^MISS/m.test(text);
  if (code !== 0 && !isMissed) text += `MISS it ended with ${code} before its end\n`;
  return { at: new Date(systemClock.now()).toISOString().slice(0, 16).replace("T", " "), load, text: text.trimEnd() };
}

function machine(): string {
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory}, ${process.platform} ${release().split("-")[0]}, Node ${process.versions.node}`;
}

function report(results: { [name: string]: Result }): string {
  const names = Object.keys(benchmarks);
  const missed = names.flatMap((name) =>
    [...(results[name]?.text ?? "").matchAll(/^MISS (.*)$/gm)].map(([, line]) => `- \`${name}\`: ${line}`),
  );
  const lacking = names.filter((name) => results[name] === undefined);
  const sections = names.flatMap((name) => {
    const result = results[name];
    if (result === undefined) return [];
    const when = `${result.at} UTC, load before it ${result.load.toFixed(1)}.`;
    return [`## ${name}: ${benchmarks[name]}\n\n${when}\n\n\`\`\`\n${result.text}\n\`\`\``];
  });
  const revision = `\`src\` of revision ${git("rev-parse", "--short", "HEAD")}${isChanged ? ", with changes since" : ""}`;
  return `${[
    "# Results",
    `Written by \`npm run bench\`: ${revision}; ${machine()}. Ratios are of one run; \`ok\` and \`MISS\` compare with the goals of\nthe design. What is missed, and why: [limits](../docs/explanation/limits.md#what-is-missed-and-why).`,
    `## Missed\n\n${missed.length === 0 ? "Nothing." : missed.join("\n")}`,
    ...(lacking.length === 0 ? [] : [`Not run on this revision: ${lacking.join(", ")}.`]),
    ...sections,
  ].join("\n\n")}\n`;
}

const [only, ...options] = process.argv.slice(2);
if (only !== undefined && benchmarks[only] === undefined) {
  console.error(`There is no benchmark ${only}. There are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(2);
}
// What is measured runs as it is installed.
spawnSync("npm", ["run", "-s", "build"], { cwd: root, stdio: "inherit" });
const results = (existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : {}) as { [name: string]: Result };
for (const name of only === undefined ? Object.keys(benchmarks).filter((one) => results[one] === undefined) : [only]) {
  console.log(`## ${name}: ${benchmarks[name]}`);
  const result = await run(name, options);
  if (/^MISS/m.test(result.text)) process.exitCode = 1;
  if (options.length > 0) continue;
  results[name] = result;
  mkdirSync(cache, { recursive: true });
  writeFileSync(kept, JSON.stringify(results));
  writeFileSync(join(import.meta.dirname, "RESULTS.md"), report(results));
}
