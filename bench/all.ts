/**
 * `npm run bench` runs every benchmark that has not run on this revision of `src`, and writes bench/RESULTS.md whole, misses
 * first. `npm run bench -- <name>` runs one anew; with options behind the name it only prints. `npm run bench -- small` runs
 * each on little, for a few minutes: a goal of speed or memory says nothing then, but each must reach its end, with every
 * event on the service.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/model/clock.js";
import { MISSED } from "./harness.js";

/** In the order of the table of DESIGN section 10; `small`: its options for a run on little. */
const benchmarks: { [name: string]: { title: string; small: string } } = {
  import: {
    title: "Whole imports against their limit's time, the real shape first",
    small: "--payments 2000 --rows 1000",
  },
  submit: {
    title: "Submitting at a scaled limit under jitter",
    small: "--requests 400",
  },
  requests: {
    title: "Requests against the fewest possible",
    small: "--plans 20",
  },
  stage: {
    title: "Staging, known rows and ledger size, against csv-parse alone",
    small: "--rows 1000 --repetitions 1",
  },
  growth: {
    title: "Cost of a row as files and ledgers grow",
    small: "--most 10000",
  },
  "read-csv": {
    title: "Reading CSV against csv-parse alone",
    small: "--rows 1000 --repetitions 1",
  },
  "read-excel": {
    title: "Reading Excel against yauzl + saxes and exceljs",
    small: "--rows 500 --repetitions 1",
  },
  memory: {
    title: "Peak memory of the built command",
    small: "--rows 2000 --shapes many",
  },
  restart: {
    title: "First request after kill -9",
    small: "--rows 8000 --repetitions 1",
  },
  record: {
    title: "Recording an outcome against bare fsyncs",
    small: "--rows 500 --batches 10",
  },
  startup: {
    title: "Start-up and status",
    small: "--rows 500 --repetitions 1",
  },
  console: {
    title: "The console over a large ledger",
    small: "--events 1000 --open 210 --repetitions 1",
  },
  peers: {
    title: "The same job by an importer of one afternoon",
    small: "--rows 500",
  },
  year: {
    title: "A year of nights, of a source that grows",
    small: "--nights 8 --first 50",
  },
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
  if (code !== 0 && code !== MISSED) text += `MISS it ended with ${code} before its end\n`;
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
    return [`## ${name}: ${benchmarks[name]?.title}\n\n${when}\n\n\`\`\`\n${result.text}\n\`\`\``];
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

const [word, ...options] = process.argv.slice(2);
const isSmall = word === "small";
const only = isSmall ? undefined : word;
if (only !== undefined && benchmarks[only] === undefined) {
  console.error(`There is no benchmark ${only}. There are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(2);
}
// What is measured runs as it is installed.
spawnSync("npm", ["run", "-s", "build"], { cwd: root, stdio: "inherit" });
const results = (existsSync(kept) && !isSmall ? JSON.parse(readFileSync(kept, "utf8")) : {}) as {
  [name: string]: Result;
};
for (const name of only === undefined ? Object.keys(benchmarks).filter((one) => results[one] === undefined) : [only]) {
  console.log(`## ${name}: ${benchmarks[name]?.title}`);
  const result = await run(name, isSmall ? (benchmarks[name]?.small.split(" ") ?? []) : options);
  if ((isSmall ? /^MISS (?!.*goal)/m : /^MISS/m).test(result.text)) process.exitCode = 1;
  if (isSmall || options.length > 0) continue;
  results[name] = result;
  mkdirSync(cache, { recursive: true });
  writeFileSync(kept, JSON.stringify(results));
  writeFileSync(join(import.meta.dirname, "RESULTS.md"), report(results));
}
