/**
 * Changes the sandbox's rules at random, one token at a time, and asks the contract suite over HTTP whether it notices; with
 * --src, changes other folders or files of src/, and asks the unit tests related to them, for --seconds a change at most.
 * Usage: npm run mutate -- [--count 400] [--from 0] [--seed 1] [--files a.ts,b.ts] [--src plan,ledger/writer.ts]
 * [--seconds 90] [--verbose]. Prints what nobody noticed, and the sums; with --verbose also who noticed the others. --from
 * leaves out the first ones, which an earlier run has tried.
 */
import { type ChildProcess, fork } from "node:child_process";
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/sandbox/clock.js";
import { type Mutant, mutantsOf, withoutTypes } from "./mutate/mutants.js";
import type { ProductTrial } from "./mutate/product-trial.js";

/** What is no rule of the service: sockets, storage, descriptions, inspection, faults and their control, flags, the catalogue. */
const NO_RULES = new Set(
  "index sandbox http store catalogue switches openapi dump inspection clock faults control".split(" "),
);
/** A mutant that never answers. */
const PATIENCE_MS = 45_000;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "400" },
    from: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    files: { type: "string" },
    src: { type: "string" },
    seconds: { type: "string", default: "90" },
    verbose: { type: "boolean", default: false },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const product = values.src?.split(",") ?? null;
const sources = join(root, product === null ? "src/sandbox" : "src");
// Inside node_modules, so that what the sandbox imports is found from there.
const work = join(root, `node_modules/.cache/mutants-${process.pid}`);

function chosen(files: readonly string[]): { mutants: Mutant[]; of: number } {
  const all = files
    .flatMap((file) => mutantsOf(file, readFileSync(join(sources, file), "utf8")))
    // The compiler knows the words of the product's states, and its sentences may change.
    .filter(({ kind, from }) => product === null || kind !== "constant" || /^(\d|true|false|\/)/.test(from));
  const random = seededRandom(Number(values.seed));
  const shuffled = all.map((mutant) => ({ mutant, order: random() })).toSorted((a, b) => a.order - b.order);
  const from = Number(values.from);
  return { mutants: shuffled.slice(from, from + Number(values.count)).map(({ mutant }) => mutant), of: all.length };
}

const trial: { process: ChildProcess | null } = { process: null };

async function started(): Promise<ChildProcess> {
  if (trial.process !== null) return trial.process;
  const script = product === null ? "trial.ts" : "product-trial.ts";
  const child = fork(join(root, "scripts/mutate", script), [values.seconds], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // A group, with the processes of its tests.
    detached: true,
  });
  await new Promise((resolve) => child.once("message", resolve));
  trial.process = child;
  return child;
}

/** Which case noticed, or null. */
async function tried(asked: string | ProductTrial): Promise<string | null> {
  const child = await started();
  const by = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(() => resolve("broken: no answer"), PATIENCE_MS + 1000 * Number(values.seconds));
    child.once("message", (found: { by: string | null }) => {
      clearTimeout(timer);
      resolve(found.by);
    });
    child.once("exit", () => resolve("broken: ended"));
    child.send(asked);
  });
  child.removeAllListeners();
  if (by?.startsWith("broken") === true) end();
  return by;
}

function end(): void {
  const pid = trial.process?.pid;
  trial.process = null;
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

const built = (name: string): string => name.replace(/\.ts$/, ".js");

/** The rules' files, once the suite passes on the sandbox as it is. */
async function sandboxFiles(): Promise<string[]> {
  const names = readdirSync(sources).filter((name) => name.endsWith(".ts"));
  mkdirSync(join(work, "base"), { recursive: true });
  for (const name of names) {
    writeFileSync(join(work, "base", built(name)), withoutTypes(readFileSync(join(sources, name), "utf8")));
  }
  const clean = await tried(join(work, "base/index.js"));
  if (clean !== null) throw new Error(`The suite fails on the sandbox as it is: ${clean}`);
  return values.files?.split(",") ?? names.filter((name) => !NO_RULES.has(name.replace(".ts", "")));
}

async function triedOnSandbox({ file, start, end: upTo, to }: Mutant, index: number): Promise<string | null> {
  const folder = join(work, `mutant-${index}`);
  cpSync(join(work, "base"), folder, { recursive: true });
  const text = readFileSync(join(folder, built(file)), "utf8");
  writeFileSync(join(folder, built(file)), text.slice(0, start) + to + text.slice(upTo));
  const by = await tried(join(folder, "index.js"));
  rmSync(folder, { recursive: true });
  return by;
}

try {
  const wanted =
    product === null
      ? await sandboxFiles()
      : product.flatMap((path) => (path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`, { cwd: sources })));
  const { mutants, of } = chosen(wanted);
  const sums = new Map<string, { made: number; noticed: number }>();
  for (const [index, mutant] of mutants.entries()) {
    const { file, line, kind, from, to } = mutant;
    const by =
      product === null ? await triedOnSandbox(mutant, index) : await tried({ path: join(sources, file), mutant });
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
  end();
  rmSync(work, { recursive: true, force: true });
}
