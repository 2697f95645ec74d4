/**
 * Mutates the CSV fixtures and reads what comes out: rows, or a `RowferryError`; never another error, a hang or
 * unbounded memory. `tsx scripts/fuzz-csv.ts [--seconds 60] [--seed 1]`; what fails is kept and named.
 */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/sandbox/clock.js";
import type { Random } from "../src/model/clock.js";
import type { ReadOptions } from "../src/model/dialect.js";
import { RowferryError } from "../src/model/error.js";
import type { Row } from "../src/model/row.js";
import { openInput } from "../src/read/open-input.js";
import type { Table } from "../src/read/table.js";

/** How long one small file may take. */
const CASE_MILLISECONDS = 5_000;

const SPICES = [
  '"',
  "'",
  ",",
  ";",
  "\t",
  "\n",
  "\r",
  "\r\n",
  '""',
  "\\",
  "\0",
  "\x1a",
  "\ufeff",
  "é",
  "😀",
  "sep=;\n",
  "__proto__",
].map((text) => Buffer.from(text));
const BYTES = [
  Buffer.from([0xff]),
  Buffer.from([0xe3]),
  Buffer.from([0xc3]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0x1f, 0x8b, 8]),
];

export interface FuzzResult {
  cases: number;
  read: number;
  refused: number;
}

export interface FuzzCase {
  name: string;
  bytes: Buffer;
  options: ReadOptions;
}

/** The fixtures' inputs, to be mutated; but for Office files, which could become workbooks. */
export function csvSeeds(folder: string): FuzzCase[] {
  const cases = readdirSync(folder).map((name) => {
    const file = readdirSync(join(folder, name)).find((entry) => entry !== "expected.json") ?? "";
    return { name: file, bytes: readFileSync(join(folder, name, file)), options: {} };
  });
  return cases.filter(({ name }) => !/\.(docx|xlsb|ods)$/.test(name));
}

/** A case made from one or two seeds by one to four changes, with options that may not fit it. */
export function mutated(seeds: readonly FuzzCase[], random: Random): FuzzCase {
  const seed = pick(seeds, random);
  let bytes = seed.bytes;
  for (let change = 0; change <= random() * 4; change++) bytes = changed(bytes, seeds, random);
  const options: ReadOptions = {};
  if (random() < 0.2) options.header = pick(["none", 1, 2, [1, 2], 9], random);
  if (random() < 0.2)
    options.csv = pick(
      [{ quote: null }, { delimiter: "||" }, { escape: "\\" }, { encoding: "utf-16le" }, { encoding: "windows-1252" }],
      random,
    );
  return { name: seed.name, bytes, options };
}

function changed(bytes: Buffer, seeds: readonly FuzzCase[], random: Random): Buffer {
  const at = Math.floor(random() * (bytes.length + 1));
  const to = Math.min(bytes.length, at + Math.floor(random() * 20));
  const before = bytes.subarray(0, at);
  switch (Math.floor(random() * 7)) {
    case 0:
      return Buffer.concat([before, pick(SPICES, random), bytes.subarray(at)]);
    case 1:
      return Buffer.concat([before, pick(BYTES, random), bytes.subarray(to)]);
    case 2:
      return before;
    case 3:
      return Buffer.concat([before, bytes.subarray(to)]);
    case 4:
      return Buffer.concat([before, pick(seeds, random).bytes.subarray(0, 4096)]);
    case 5: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = Math.floor(random() * 256);
      return flipped;
    }
    default: {
      const piece = bytes.subarray(at, to);
      return Buffer.concat([
        before,
        ...Array.from({ length: Math.floor(random() * 200) }, () => piece),
        bytes.subarray(at),
      ]);
    }
  }
}

/** Reads one case. @throws Error when the reader breaks a promise. */
export async function readCase(example: FuzzCase, folder: string): Promise<"read" | "refused"> {
  const path = join(folder, example.name);
  await writeFile(path, example.bytes);
  const start = performance.now();
  const outcome = await readWhole(path, example.options).catch((error: unknown) => {
    if (error instanceof RowferryError) return "refused" as const;
    throw error;
  });
  const took = performance.now() - start;
  if (took > CASE_MILLISECONDS) throw new Error(`reading ${example.bytes.length} bytes took ${Math.round(took)} ms`);
  return outcome;
}

async function readWhole(path: string, options: ReadOptions): Promise<"read"> {
  const input = await openInput(path);
  try {
    const table = await input.open(options);
    let last = table.headerRow ?? 0;
    for await (const batch of table.rows()) for (const row of batch) last = checkedNumber(row, last, table);
    return "read";
  } finally {
    await input.close();
  }
}

function checkedNumber(row: Row, last: number, table: Table): number {
  if (row.number <= last) throw new Error(`row ${row.number} comes behind row ${last}`);
  const isLong = row.cells.length > table.header.length && row.problems?.some(({ code }) => code === "row-long");
  if (row.cells.length !== table.header.length && isLong !== true)
    throw new Error(`row ${row.number} has ${row.cells.length} cells`);
  if (row.problems === null && row.cells.every((cell) => cell.trim() === ""))
    throw new Error(`row ${row.number} is blank`);
  return row.number;
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Until `enough` says so; a case that breaks a promise is written to `kept` and named. */
export async function fuzzCsv(
  seeds: readonly FuzzCase[],
  random: Random,
  enough: (cases: number) => boolean,
): Promise<FuzzResult> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-fuzz-"));
  const result: FuzzResult = { cases: 0, read: 0, refused: 0 };
  while (!enough(result.cases)) {
    const example = mutated(seeds, random);
    result.cases++;
    result[await readCase(example, folder).catch((error: unknown) => failed(error, example, folder))]++;
    await rm(join(folder, example.name));
  }
  await rm(folder, { recursive: true });
  return result;
}

function failed(cause: unknown, example: FuzzCase, folder: string): never {
  const options = JSON.stringify(example.options);
  throw new Error(`${join(folder, example.name)} with options ${options} breaks a promise`, { cause });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seconds: { type: "string", default: "60" }, seed: { type: "string", default: "1" } },
  });
  const end = performance.now() + Number(values.seconds) * 1000;
  const seeds = csvSeeds(join(import.meta.dirname, "../fixtures/read-csv"));
  const result = await fuzzCsv(seeds, seededRandom(Number(values.seed)), () => performance.now() > end);
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log(
    `csv: ${result.cases} cases, ${result.read} read, ${result.refused} refused, peak memory ${peak.toFixed(0)} MiB`,
  );
  if (peak > 512) throw new Error("memory is not bounded");
}

if (process.argv[1] === import.meta.filename) await main();
