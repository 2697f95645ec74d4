/**
 * `npm run bench` runs every benchmark one after another, `npm run bench -- <name> [options]` one of them, and writes
 * what they print into bench/RESULTS.md, each under its own date. Options go to the benchmark that is named.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/model/clock.js";

/** In the order of the table of DESIGN section 10. */
const benchmarks: { [name: string]: string } = {
  submit: "Submitting at a scaled limit under jitter",
  import: "A whole import against its limit's time",
  requests: "Requests against the fewest possible",
  stage: "Staging, known rows, ledger size and memory, against csv-parse alone",
  "read-csv": "Reading CSV against csv-parse alone",
  "read-excel": "Reading Excel against yauzl + saxes and exceljs",
  scale: "Millions of rows from end to end",
  growth: "Cost of a row as files and ledgers grow",
  restart: "First request after kill -9",
  record: "Recording an outcome against bare fsyncs",
  startup: "Start-up and status",
  peers: "The same job by an importer of one afternoon",
  year: "A year of nights, of a source that grows",
};

const results = join(import.meta.dirname, "RESULTS.md");
const mark = (name: string) => `## ${name}: `;

async function run(name: string, options: string[]): Promise<{ text: string; code: number | null }> {
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
  return { text, code };
}

function machine(): string {
  const [cpu] = cpus();
  const version = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" });
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory}, ${process.platform} ${release()}, node ${process.versions.node}, revision ${version.stdout.trim()}`;
}

/** Sections by name; what stands before the first is written anew. */
function readSections(): Map<string, string> {
  const text = existsSync(results) ? readFileSync(results, "utf8") : "";
  const sections = text.split(/^(?=## )/m).filter((section) => section.startsWith("## "));
  return new Map(sections.map((section) => [section.slice(3, section.indexOf(":")), section.trimEnd()]));
}

function writeSections(sections: ReadonlyMap<string, string>): void {
  const order = [...Object.keys(benchmarks), ...sections.keys()];
  const names = [...new Set(order)].filter((name) => sections.has(name));
  const head = `# Results

Written by \`npm run bench\`. \`ok\` and \`MISS\` compare with the goals of DESIGN section 10; ratios are of the same run.`;
  writeFileSync(results, `${[head, ...names.map((name) => sections.get(name))].join("\n\n")}\n`);
}

const [only, ...options] = process.argv.slice(2);
if (only !== undefined && benchmarks[only] === undefined) {
  console.error(`There is no benchmark ${only}. There are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(2);
}
for (const name of only === undefined ? Object.keys(benchmarks) : [only]) {
  console.log(`${mark(name)}${benchmarks[name]}`);
  const { text, code } = await run(name, options);
  const ended = code === 0 || /^MISS/m.test(text) ? "" : `\nended with ${code}`;
  const when = new Date(systemClock.now()).toISOString().slice(0, 16).replace("T", " ");
  const asked = options.length === 0 ? "" : ` \`${options.join(" ")}\`.`;
  const section = `${mark(name)}${benchmarks[name]}\n\n${when} UTC, ${machine()}.${asked}\n\n\`\`\`\n${text.trimEnd()}${ended}\n\`\`\``;
  const sections = readSections();
  sections.set(name, section);
  writeSections(sections);
  if (code !== 0) process.exitCode = 1;
}
