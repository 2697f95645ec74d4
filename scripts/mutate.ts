/**
 * Changes the sandbox's rules at random, one token at a time, and asks the contract suite over HTTP whether it notices.
 * Usage: npm run mutate -- [--count 400] [--from 0] [--seed 1] [--files a.ts,b.ts] [--verbose]. Prints what nobody noticed,
 * and the sums; with --verbose also who noticed the others. --from leaves out the first ones, which an earlier run has tried.
 */
import { type ChildProcess, fork } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/sandbox/clock.js";
import { type Mutant, mutantsOf, withoutTypes } from "./mutate/mutants.js";

/** What is no rule of the service: sockets, storage, descriptions, inspection, faults and their control, flags, the catalogue. */
const NO_RULES = new Set(
  "index sandbox http store catalogue switches docs-page openapi dump inspection clock faults control".split(" "),
);
/** A mutant that never answers. */
const PATIENCE_MS = 45_000;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "400" },
    from: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    files: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const sources = join(root, "src/sandbox");
// Inside node_modules, so that what the sandbox imports is found from there.
const work = join(root, `node_modules/.cache/mutants-${process.pid}`);

function chosen(files: readonly string[]): { mutants: Mutant[]; of: number } {
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(sources, file), "utf8")));
  const random = seededRandom(Number(values.seed));
  const shuffled = all.map((mutant) => ({ mutant, order: random() })).toSorted((a, b) => a.order - b.order);
  const from = Number(values.from);
  return { mutants: shuffled.slice(from, from + Number(values.count)).map(({ mutant }) => mutant), of: all.length };
}

const trial: { process: ChildProcess | null } = { process: null };

async function started(): Promise<ChildProcess> {
  if (trial.process !== null) return trial.process;
  const child = fork(join(root, "scripts/mutate/trial.ts"), {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  await new Promise((resolve) => child.once("message", resolve));
  trial.process = child;
  return child;
}

/** Which case noticed, or null. */
async function tried(entry: string): Promise<string | null> {
  const child = await started();
  const by = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve("broken: no answer"), PATIENCE_MS);
    child.once("message", (found: { by: string | null }) => {
      clearTimeout(timer);
      resolve(found.by);
    });
    child.once("exit", () => resolve("broken: ended"));
    child.send(entry);
  });
  child.removeAllListeners();
  if (by?.startsWith("broken") === true) {
    child.kill("SIGKILL");
    trial.process = null;
  }
  return by;
}

const names = readdirSync(sources).filter((name) => name.endsWith(".ts"));
mkdirSync(join(work, "base"), { recursive: true });
const built = (name: string): string => name.replace(/\.ts$/, ".js");
for (const name of names) {
  writeFileSync(join(work, "base", built(name)), withoutTypes(readFileSync(join(sources, name), "utf8")));
}
try {
  const clean = await tried(join(work, "base/index.js"));
  if (clean !== null) throw new Error(`The suite fails on the sandbox as it is: ${clean}`);
  const wanted = values.files?.split(",") ?? names.filter((name) => !NO_RULES.has(name.replace(".ts", "")));
  const { mutants, of } = chosen(wanted);
  const sums = new Map<string, { made: number; noticed: number }>();
  for (const [index, mutant] of mutants.entries()) {
    const { file, line, kind, start, end, from, to } = mutant;
    const folder = join(work, `mutant-${index}`);
    cpSync(join(work, "base"), folder, { recursive: true });
    const text = readFileSync(join(folder, built(file)), "utf8");
    writeFileSync(join(folder, built(file)), text.slice(0, start) + to + text.slice(end));
    const by = await tried(join(folder, "index.js"));
    rmSync(folder, { recursive: true });
    const sum = sums.get(kind) ?? { made: 0, noticed: 0 };
    sums.set(kind, { made: sum.made + 1, noticed: sum.noticed + Number(by !== null) });
    if (by === null || values.verbose) {
      const change = `${file}:${line} ${kind} ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
      process.stdout.write(`${by === null ? "" : "noticed: "}${change}${by === null ? "" : ` by ${by}`}\n`);
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1}/${mutants.length}`);
  }
  const all = [...sums.values()].reduce((sum, { noticed }) => sum + noticed, 0);
  const kinds = [...sums].map(([kind, { made, noticed }]) => `${kind} ${noticed}/${made}`);
  process.stdout.write(
    `${all} of ${mutants.length} noticed (${of} possible, seed ${values.seed}): ${kinds.join(", ")}\n`,
  );
} finally {
  trial.process?.kill();
  rmSync(work, { recursive: true, force: true });
}
