/** Lives through a world with the real commands against a sandbox, and says where it is not as expected. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { main } from "../../../src/cli/main.js";
import { pipeline } from "../../../src/cli/pipeline.js";
import { createSandbox, type Sandbox, seededRandom } from "../../../src/sandbox/index.js";
import { RushingClock } from "../../support/docs/rushing-clock.js";
import { compareService } from "./compare.js";
import { type Counts, Expected, type Handed, type Telling } from "./expected.js";
import { handBack } from "./hand-back.js";
import type { Correction, InputPlan, Mapping, Row, Step, World, WorldFile } from "./world.js";
import { writeFile } from "./write-file.js";
import { writeMapping } from "./write-mapping.js";

export const begin = Date.parse("2026-03-01T12:00:00Z");
const disk = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

interface Ran {
  code: number;
  /** The last line of `--json`, where there is one. */
  summary: {
    type: string;
    files?: { kind: string; path: string }[];
    rows?: Counts;
    problems?: { code: string; count: number; example: string }[];
  } | null;
  output: string;
}

export interface Lived {
  differences: string[];
  /** What each command said, for a person who looks into a failing world. */
  log: string[];
  rows: number;
  events: number;
  runs: number;
}

/** An installation of its own: a folder, a sandbox over HTTP, a clock, and commands in this process. */
export class Life {
  readonly log: string[] = [];
  readonly clock = new RushingClock(begin);
  readonly folder = mkdtempSync(join(disk, "rowferry-world-"));
  readonly sandbox: Sandbox = createSandbox({ clock: this.clock, random: seededRandom(1), rate: null });
  private env: Record<string, string> = {};
  private readonly written = new Map<string, string>();
  private corrections = 1;
  /** Numbers of the rows of each file as it was written last. */
  readonly numbers = new Map<string, number[]>();
  /** Rejected files that the last import has left. */
  rejected: string[] = [];

  async open(): Promise<void> {
    const { baseUrl, tokenUrl } = await this.sandbox.listen();
    this.env = {
      ROWFERRY_BASE_URL: baseUrl,
      ROWFERRY_TOKEN_URL: tokenUrl,
      ROWFERRY_CLIENT_ID: "sandbox",
      ROWFERRY_CLIENT_SECRET: "sandbox",
      ROWFERRY_RATE: "10000",
      ROWFERRY_BURST: "10000",
    };
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async run(...argv: string[]): Promise<Ran> {
    let [stdout, stderr] = ["", ""];
    const code = await main([...argv, "--json", "--log-level", "silent"], {
      env: this.env,
      cwd: this.folder,
      stdout: { write: (text) => void (stdout += text), isTTY: false, columns: null },
      stderr: { write: (text) => void (stderr += text), isTTY: false, columns: null },
      clock: this.clock,
      random: seededRandom(7),
      pipeline,
      onSignal: () => () => {},
      exitNow: () => {},
    });
    const last = stdout.trimEnd().split("\n").at(-1) ?? "";
    const summary = last.startsWith('{"type":"summary"') ? (JSON.parse(last) as Ran["summary"]) : null;
    const output = `${stdout}${stderr}`.replaceAll(`${this.folder}/`, "");
    this.log.push(`$ rowferry ${argv.join(" ").replaceAll(`${this.folder}/`, "")} → ${code}\n${output}`);
    return { code, summary, output };
  }

  /** Writes the mapping and its tables where they have changed; gives its path. */
  mapping(mapping: Mapping): string {
    for (const { file, key, columns, rows } of Object.values(mapping.tables))
      this.put(file, [[key, ...columns], ...rows].map((cells) => cells.join(",")).join("\n"));
    return this.put("mapping.yaml", writeMapping(mapping));
  }

  private put(name: string, text: string): string {
    const path = join(this.folder, name);
    if (this.written.get(name) !== text) writeFileSync(path, text);
    this.written.set(name, text);
    return path;
  }

  /** Writes a file; gives its path and the numbers of its rows. */
  async file(file: WorldFile, mapping: Mapping): Promise<{ path: string; numbers: number[] }> {
    const input = mapping.inputs.find(({ name }) => name === file.input);
    if (input === undefined) throw new Error(`no input ${file.input}`);
    const path = join(this.folder, "in", file.name);
    mkdirSync(join(this.folder, "in"), { recursive: true });
    const { bytes, numbers } = await writeFile(file, input);
    writeFileSync(path, bytes);
    this.numbers.set(file.name, numbers);
    return { path, numbers };
  }

  /**
   * The rejected file of that name which the last import has left, as a person hands it back: these rows, in this order, with
   * other cells. Null: it left none, or no such row.
   */
  async correct({ of, rows }: Correction, input: InputPlan): Promise<(Handed & { path: string }) | null> {
    const found = this.rejected.find((path) => basename(path).startsWith(of.name) && path.endsWith(of.form.kind));
    if (found === undefined) return null;
    const numbers = this.numbers.get(of.name) ?? [];
    const name = `${input.name}-corrected-${this.corrections++}.${of.form.kind}`;
    const path = join(this.folder, "in", name);
    const changes = rows.map(({ was, row }) => ({ number: numbers[was] ?? 0, row, before: of.rows[was] as Row }));
    const { back, lines } = await handBack(found, path, of.form, input, changes);
    if (back.length === 0) return null;
    const file = { ...of, name, rows: back.map(({ row }) => row) };
    return { file, numbers: lines, corrects: back.map(({ number }) => ({ name: of.name, number })), path };
  }
}

/** Where counts and exit code are not as expected. */
function compareRun({ code, summary, output }: Ran, counts: Counts | null, telling: Telling) {
  if (summary === null) return [`exit ${code} without a summary: ${output.slice(-600)}`];
  const differences: string[] = [];
  for (const [name, count] of Object.entries(counts ?? {}))
    if (summary.rows?.[name as keyof Counts] !== count)
      differences.push(`${name}: ${count} expected, ${summary.rows?.[name as keyof Counts]} said`);
  if (differences.length > 0)
    differences.push(...(summary.problems ?? []).map((told) => `told: ${told.count} ${told.code}: ${told.example}`));
  const fitting = telling === "nothing" ? 0 : 3;
  if (code !== fitting) differences.push(`exit ${fitting} expected, ${code} came`);
  return differences;
}

async function importing(
  life: Life,
  expected: Expected,
  mapping: Mapping,
  path: string,
  handed: readonly (Handed & { path: string })[],
) {
  const ran = await life.run("import", path, ...handed.map((one) => one.path));
  life.rejected = (ran.summary?.files ?? []).flatMap((file) => (file.kind === "rejected" ? [file.path] : []));
  const counts = expected.stage(handed, mapping);
  return compareRun(ran, counts, expected.send(life.clock.now()));
}

async function take(life: Life, expected: Expected, step: Step, world: World) {
  switch (step.do) {
    case "wait":
      life.clock.set(life.clock.now() + step.days * 86_400_000);
      return [];
    case "import": {
      const mapping = world.mappings[step.mapping] as Mapping;
      const path = life.mapping(mapping);
      const handed: (Handed & { path: string })[] = [];
      for (const file of step.files) handed.push({ file, ...(await life.file(file, mapping)) });
      return importing(life, expected, mapping, path, handed);
    }
    case "correct": {
      const mapping = world.mappings[step.mapping] as Mapping;
      const path = life.mapping(mapping);
      const input = mapping.inputs.find(({ name }) => name === step.correction.of.input);
      const handed = input === undefined ? null : await life.correct(step.correction, input);
      return handed === null ? [] : importing(life, expected, mapping, path, [handed]);
    }
    case "dismiss": {
      const number = life.numbers.get(step.file.name)?.[step.row] ?? 0;
      // A slip of the pen in a cell that nothing reads leaves the row valid: then there is nothing to give up.
      if (!expected.isOpen(step.file.name, number)) return [];
      const { code } = await life.run("dismiss", "--row", `${step.file.name}:${number}`);
      if (code === 0) expected.dismiss(step.file.name, number);
      return [];
    }
    case "resume":
    case "retry": {
      const ran = await life.run(step.do);
      const telling = expected.send(life.clock.now());
      return ran.summary === null ? [] : compareRun(ran, null, telling);
    }
    default:
      return [];
  }
}

export async function live(world: World): Promise<Lived> {
  const life = new Life();
  const expected = new Expected();
  const lived: Lived = { differences: [], log: life.log, rows: 0, events: 0, runs: 0 };
  try {
    await life.open();
    for (const [number, step] of world.steps.entries()) {
      if (step.do === "import") lived.rows += step.files.reduce((sum, { rows }) => sum + rows.length, 0);
      lived.runs += 1;
      const differences = [
        ...(await take(life, expected, step, world)),
        ...compareService(life.sandbox.store, expected),
      ];
      lived.differences.push(...differences.map((difference) => `step ${number + 1} (${step.do}): ${difference}`));
      if (differences.length > 0) break;
    }
    lived.events = life.sandbox.store.documents().reduce((sum, { events }) => sum + events.length, 0);
  } finally {
    await life.close();
  }
  return lived;
}
