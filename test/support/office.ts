/** An office for tests: a folder with a mapping, in which the real commands are typed, and the sandbox's timelines read afterwards. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import exceljs from "exceljs";
import { pipeline } from "../../src/cli/pipeline.js";
import { systemClock } from "../../src/model/clock.js";
import type { Summary } from "../../src/model/summary.js";
import {
  type AddressRecord,
  createSandbox,
  type DocumentWithTimeline,
  type ParticipantRecord,
  type Sandbox,
} from "../../src/sandbox/index.js";
import { sandboxEnv, testWorld, type TestWorld, type Typed, typed } from "./cli.world.js";
import { mapping } from "./mapping.js";

/** Cells of a row; or its text, where no cell has a comma. */
export type Cells = readonly string[] | string;

const cellsOf = <Cell>(rows: readonly (string | readonly Cell[])[]) =>
  rows.map((row) => (typeof row === "string" ? row.split(",") : [...row]));

export interface Office {
  world: TestWorld;
  path(name: string): string;
  /** Types a command; files are named as in the folder. Gives the exit code and all that was said. */
  type(...argv: string[]): Promise<Typed>;
  /** Types a command line, none of whose words has a blank: it ends with this code, and says this. */
  ends(code: number, line: string, said?: string): Promise<void>;
  /** `import` with `--json`: its summary. @throws where it came to none */
  import(...files: string[]): Promise<Summary>;
  /** Writes a CSV file and imports it. */
  brought(...csv: Parameters<Office["writeCsv"]>): Promise<Summary>;
  /** The same, where it ends with 0. */
  lands(...csv: Parameters<Office["writeCsv"]>): Promise<void>;
  /** The same of any command that runs. */
  run(...argv: string[]): Promise<Summary>;
  writeMapping(source: string | object): void;
  /** Header first. */
  writeCsv(name: string, rows: readonly Cells[], more?: { end?: string }): void;
  /** Header first; of texts and dates. */
  writeExcel(name: string, rows: readonly (Cells | readonly (string | number | Date)[])[]): Promise<void>;
  /** Documents at the service, in the order of their creation. */
  documents(): DocumentWithTimeline[];
  /** In order of registration. */
  participants(): ParticipantRecord[];
  addresses(): AddressRecord[];
  /**
   * The rows of the one rejected CSV file that a run has left, header first, with our own columns; cells are mended where
   * `mended` has them. @throws where it left none, or two
   */
  rejectedRows(summary: Summary, mended?: { [cell: string]: string }): string[][];
}

/** With a service of its own as the target, whose faults a test can set. */
export async function openOfficeAt(sandbox: Sandbox, source: string | object): Promise<Office> {
  onTestFinished(() => sandbox.close());
  const service = sandboxEnv(await sandbox.listen({ host: "127.0.0.1", port: 0 }));
  const env = { ...service, ROWFERRY_RATE: "1000", ROWFERRY_BURST: "1000" };
  return openOffice(source, { env, sandbox });
}

export function openOffice(source: string | object, service?: { env: TestWorld["env"]; sandbox: Sandbox }): Office {
  const world = testWorld({ pipeline, ...(service === undefined ? {} : { env: service.env }) });
  world.clock = { ...systemClock, now: () => world.now };
  const path = (name: string) => join(world.cwd, name);
  const writeMapping = (text: string | object) => writeFileSync(path("m.yaml"), mapping(text));
  writeMapping(source);
  const run: Office["type"] = (...argv) => {
    // A minute later, so that runs are told apart by their names.
    world.now += 60_000;
    return typed(world, ...argv);
  };
  const summarised: Office["run"] = async (...argv) => {
    const { out, err } = await run(...argv, "--json");
    const last = out.trimEnd().split("\n").at(-1) ?? "";
    const summary = JSON.parse(last === "" ? "null" : last) as Summary | null;
    if (summary?.type !== "summary") throw new Error(`no summary: ${argv.join(" ")}\n${out}${err}`);
    return summary;
  };
  const atService = <Found>(read: (sandbox: Sandbox) => Found) => {
    if (service !== undefined) return read(service.sandbox);
    const sandbox = createSandbox({ storage: { file: path("state/sandbox/store.db") }, rate: null });
    const found = read(sandbox);
    void sandbox.close();
    return found;
  };
  const imported: Office["import"] = (...files) => summarised("import", "m.yaml", ...files);
  const writeCsv: Office["writeCsv"] = (name, rows, { end = "" } = {}) =>
    writeFileSync(path(name), stringify(cellsOf(rows)) + end);
  return {
    world,
    path,
    writeMapping,
    type: run,
    async ends(code, line, said = "") {
      const ended = await run(...line.split(" "));
      expect([ended.code, ended.said], line).toEqual([code, expect.stringContaining(said)]);
    },
    run: summarised,
    import: imported,
    writeCsv,
    brought(...csv) {
      writeCsv(...csv);
      return imported(csv[0]);
    },
    async lands(...csv) {
      writeCsv(...csv);
      const { exitCode, problems } = await imported(csv[0]);
      expect([exitCode, problems]).toEqual([0, []]);
    },
    async writeExcel(name, rows) {
      const workbook = new exceljs.Workbook();
      workbook.addWorksheet("Sheet1").addRows(cellsOf(rows));
      await workbook.xlsx.writeFile(path(name));
    },
    documents: () => atService(({ store }) => store.documents()),
    participants: () => atService(({ store }) => store.participants()),
    addresses: () => atService(({ store }) => store.addresses()),
    rejectedRows({ files }, mended = {}) {
      const [only, ...more] = files.filter(({ kind }) => kind === "rejected");
      if (only === undefined || more.length > 0) throw new Error(`${files.length} rejected files`);
      return parse(readFileSync(only.path)).map((row) => row.map((cell) => mended[cell] ?? cell));
    },
  };
}
