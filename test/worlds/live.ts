/** Lives through a world with the real commands against a sandbox, and says where it is not as expected. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../src/cli/main.js";
import { pipeline } from "../../src/cli/pipeline.js";
import { createSandbox, type Sandbox, seededRandom } from "../../src/sandbox/index.js";
import { RushingClock } from "../docs/rushing-clock.js";
import { compareService } from "./compare.js";
import { type Counts, Expected, type Telling } from "./expected.js";
import type { Mapping, Step, World, WorldFile } from "./world.js";
import { writeFile } from "./write-file.js";
import { writeMapping } from "./write-mapping.js";

export const begin = Date.parse("2026-03-01T12:00:00Z");
const disk = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

interface Ran {
  code: number;
  /** The last line of `--json`, where there is one. */
  summary: { type: string; rows?: Counts; problems?: { code: string; count: number; example: string }[] } | null;
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

  async file(file: WorldFile, mapping: Mapping): Promise<string> {
    const input = mapping.inputs.find(({ name }) => name === file.input);
    if (input === undefined) throw new Error(`no input ${file.input}`);
    const path = join(this.folder, "in", file.name);
    mkdirSync(join(this.folder, "in"), { recursive: true });
    writeFileSync(path, (await writeFile(file, input)).bytes);
    return path;
  }
}

/** Where counts and exit code are not as expected. */
function compareRun({ code, summary, output }: Ran, counts: Counts | null, telling: Telling): string[] {
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

async function take(life: Life, expected: Expected, step: Step, world: World): Promise<string[]> {
  switch (step.do) {
    case "wait":
      life.clock.set(life.clock.now() + step.days * 86_400_000);
      return [];
    case "import": {
      const mapping = world.mappings[step.mapping] as Mapping;
      const path = life.mapping(mapping);
      const files: string[] = [];
      for (const file of step.files) files.push(await life.file(file, mapping));
      const ran = await life.run("import", path, ...files);
      const counts = expected.stage(step.files, mapping);
      return compareRun(ran, counts, expected.send(life.clock.now()));
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
