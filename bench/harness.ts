/**
 * What all benchmarks share: files made from a seed, contenders measured in turn in processes of their own, medians
 * and ratios. One run of a benchmark measures everything it compares, on the same file.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, createWriteStream, existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { asInstalled } from "../scripts/as-installed.js";
import { keepHeapSmall } from "../src/cli/heap.js";
import type { JsonValue } from "../src/model/json.js";
import type { Random } from "../src/model/clock.js";
import { seededRandom } from "../src/sandbox/clock.js";
import { median } from "../test/support/median.js";

export { median };

/** One row of a made file: the kinds of cells that exports hold, in turn. `index` counts from 0. */
export function madeRow(index: number, columns: number, random: Random): string[] {
  return Array.from({ length: columns }, (_, column) => {
    switch (column % 8) {
      case 0:
        return String(100_000_000 + index);
      case 1:
        return `12.345.678/${String(index % 10_000).padStart(4, "0")}-95`;
      case 2:
        return (random() * 10_000).toFixed(2).replace(".", ",");
      case 3:
        return `São José dos Campos ${Math.floor(random() * 50)}`;
      case 4:
        return `Rua "A"; casa ${Math.floor(random() * 999)}`;
      case 5:
        return `${String(1 + (index % 28)).padStart(2, "0")}/03/2026 ${String(index % 24).padStart(2, "0")}:15`;
      case 6:
        return random() < 0.5 ? "" : "KG";
      default:
        return `obs ${Math.floor(random() * 1_000_000).toString(36)}`;
    }
  });
}

export interface MadeFile {
  rows: number;
  columns: number;
  /** Default 1. */
  seed?: number;
}

/** Writes a CSV file in UTF-8, semicolons between cells, LF at line ends, quotes where needed. */
export async function writeMadeCsv(path: string, { rows, columns, seed = 1 }: MadeFile): Promise<void> {
  const random = seededRandom(seed);
  const out = createWriteStream(path);
  out.write(`${Array.from({ length: columns }, (_, column) => `Coluna ${column + 1}`).join(";")}\n`);
  for (let index = 0; index < rows; index++) {
    const cells = madeRow(index, columns, random).map((cell) =>
      /[";\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
    );
    if (!out.write(`${cells.join(";")}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
}

/** Runs `work` with a folder that is removed afterwards, whatever happens. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Measured {
  /** Of the work alone, without starting the process. */
  milliseconds: number;
  /** Processor time of the work, user and system; less disturbed by what else runs. */
  cpuMilliseconds: number;
  /** The most memory that the process held at any time (resident set). */
  peakBytes: number;
  /** What the work returned. */
  result: JsonValue;
}

/**
 * In a benchmark's file: runs the contender named on the command line and prints what it took. The parent's side is
 * `measure`.
 */
export async function runContender(
  contenders: Record<string, (args: string[]) => Promise<JsonValue>>,
  argv: string[],
): Promise<void> {
  const [name = "", ...args] = argv;
  const work = contenders[name];
  if (work === undefined) throw new Error(`no contender ${name}; there are ${Object.keys(contenders).join(", ")}`);
  // As the command does; all contenders alike.
  keepHeapSmall();
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  const result = await work(args);
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMilliseconds = (user + system) / 1000;
  const peakBytes = ownPeakBytes();
  process.stdout.write(`${JSON.stringify({ milliseconds, cpuMilliseconds, peakBytes, result } satisfies Measured)}\n`);
}

/** Of this process alone: on Linux `maxRSS` begins with what the parent had. */
function ownPeakBytes(): number {
  const status = "/proc/self/status";
  const own = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined;
  return (own === undefined ? process.resourceUsage().maxRSS : Number(own)) * 1024;
}

const project = dirname(import.meta.dirname);
let built: string | null = null;

/**
 * The benchmark's file as JavaScript, built once a process: what is measured runs as it is installed, without a
 * TypeScript loader in its time and memory.
 */
export function builtFile(file: string): string {
  if (file.endsWith(".js")) return file;
  if (built === null) {
    built = process.env["ROWFERRY_BENCH_BUILD"] ?? join(project, "node_modules", ".cache", "rowferry-bench");
    if (process.env["ROWFERRY_BENCH_BUILD"] === undefined) {
      const compiler = join(project, "node_modules", "typescript", "bin", "tsc");
      const options = ["-p", project, "--noEmit", "false", "--rootDir", project, "--outDir", built];
      spawnSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
      copyFileSync(join(project, "package.json"), join(built, "package.json"));
      process.env["ROWFERRY_BENCH_BUILD"] = built;
    }
  }
  return join(built, relative(project, file)).replace(/\.ts$/, ".js");
}

/** One run of a contender of the benchmark in `file` (its `import.meta.filename`) in a process of its own. */
export async function measure(file: string, contender: string, args: string[]): Promise<Measured> {
  const { flags, env } = asInstalled();
  const child = spawn(process.execPath, [...flags, builtFile(file), contender, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${contender} ended with ${code}`);
  return JSON.parse(output) as Measured;
}

/** Runs node with `args` in `cwd`. @returns ms. @throws Error where it does not print `answer` */
export function timed(args: string[], cwd: string, answer: string, environment: NodeJS.ProcessEnv = {}): number {
  const begun = performance.now();
  const options = { cwd, env: { ...process.env, ...environment }, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, args, options);
  if (!stdout.includes(answer)) throw new Error(`${args.join(" ")} ended without ${answer}: ${stdout}${stderr}`);
  return performance.now() - begun;
}

export interface Medians {
  milliseconds: number;
  cpuMilliseconds: number;
  peakBytes: number;
  runs: Measured[];
}

/** Every contender once, then every contender again …, so that a slow minute of the machine strikes all alike. */
export async function interleaved(
  file: string,
  contenders: string[],
  args: string[],
  repetitions: number,
): Promise<Map<string, Medians>> {
  const runs = new Map<string, Measured[]>(contenders.map((name) => [name, []]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const name of contenders) runs.get(name)?.push(await measure(file, name, args));
  }
  const medians = [...runs].map(([name, measured]): [string, Medians] => [
    name,
    {
      milliseconds: median(measured.map((run) => run.milliseconds)),
      cpuMilliseconds: median(measured.map((run) => run.cpuMilliseconds)),
      peakBytes: median(measured.map((run) => run.peakBytes)),
      runs: measured,
    },
  ]);
  return new Map(medians);
}

/** The exit code where a goal was not reached; 1 is an error on the way. */
export const MISSED = 3;

/** Prints one figure of a benchmark. */
export function figure(reached: boolean, text: string): void {
  console.log(`${reached ? "ok  " : "MISS"} ${text}`);
  if (!reached) process.exitCode = MISSED;
}

/** Prints `ours 0.81 s = 0.35 × csv-parse alone (2.31 s), goal ≤ 1.15`. */
export function ratioFigure(
  ours: Pick<Medians, "cpuMilliseconds">,
  baselineName: string,
  baseline: Pick<Medians, "cpuMilliseconds">,
  goal: number,
): void {
  const ratio = ours.cpuMilliseconds / baseline.cpuMilliseconds;
  const seconds = ({ cpuMilliseconds }: Pick<Medians, "cpuMilliseconds">) => (cpuMilliseconds / 1000).toFixed(2);
  figure(
    ratio <= goal,
    `ours ${seconds(ours)} s = ${ratio.toFixed(2)} × ${baselineName} (${seconds(baseline)} s), goal ≤ ${goal}`,
  );
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
