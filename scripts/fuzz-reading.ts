/** What the fuzzers of files share: a drawn file gives rows, or a `RowferryError`; never another error, a hang or unbounded memory. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Random } from "../src/model/clock.js";
import type { ReadOptions } from "../src/model/dialect.js";
import { RowferryError } from "../src/model/error.js";
import type { Row } from "../src/model/row.js";
import { openInput } from "../src/read/open-input.js";
import type { Table } from "../src/read/table.js";
import { seededRandom } from "../src/sandbox/clock.js";

/** How long one small file may take. */
const CASE_MILLISECONDS = 5_000;

export interface FuzzCase {
  name: string;
  bytes: Buffer;
  options: ReadOptions;
}

export interface FuzzResult {
  cases: number;
  read: number;
  refused: number;
}

export function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Until `enough` says so; a case that breaks a promise is kept in its file and named. */
export async function fuzz(
  draw: () => FuzzCase | Promise<FuzzCase>,
  enough: (cases: number) => boolean,
): Promise<FuzzResult> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-fuzz-"));
  const result: FuzzResult = { cases: 0, read: 0, refused: 0 };
  while (!enough(result.cases)) {
    const { name, bytes, options } = await draw();
    const path = join(folder, name);
    await writeFile(path, bytes);
    result.cases++;
    const start = performance.now();
    try {
      await readWhole(path, options);
      result.read++;
    } catch (cause) {
      if (!(cause instanceof RowferryError))
        throw new Error(`${path} with options ${JSON.stringify(options)} breaks a promise`, { cause });
      result.refused++;
    }
    const took = performance.now() - start;
    if (took > CASE_MILLISECONDS) throw new Error(`reading ${path} took ${Math.round(took)} ms`);
    await rm(path);
  }
  await rm(folder, { recursive: true });
  return result;
}

async function readWhole(path: string, options: ReadOptions): Promise<void> {
  const input = await openInput(path);
  try {
    const table = await input.open(options);
    const seen = new Set<number>();
    for await (const batch of table.rows()) for (const row of batch) checkRow(row, table, seen, input.format === "csv");
  } finally {
    await input.close();
  }
}

/** Each number once, below the header; in order, but in a workbook, whose rows may stand in another. */
function checkRow(
  { number, cells, kinds, problems }: Row,
  { header, headerRow }: Table,
  seen: Set<number>,
  isOrdered: boolean,
) {
  const last = isOrdered ? Math.max(headerRow ?? 0, [...seen].at(-1) ?? 0) : (headerRow ?? 0);
  if (seen.has(number) || number <= last) throw new Error(`row ${number} is twice, or comes behind row ${last}`);
  if (isOrdered) seen.clear();
  seen.add(number);
  const isLong = cells.length > header.length && problems?.some(({ code }) => code === "row-long");
  if (cells.length !== header.length && isLong !== true) throw new Error(`row ${number} has ${cells.length} cells`);
  if (kinds !== null && kinds.length !== cells.length) throw new Error(`row ${number} has ${kinds.length} kinds`);
  if (problems === null && cells.every((cell) => cell.trim() === "")) throw new Error(`row ${number} is blank`);
}

/** `[--seconds 60] [--seed 1]` of a command line. */
export async function fuzzFromCommandLine(
  what: string,
  draw: (random: Random) => FuzzCase | Promise<FuzzCase>,
): Promise<void> {
  const { values } = parseArgs({
    options: { seconds: { type: "string", default: "60" }, seed: { type: "string", default: "1" } },
  });
  const end = performance.now() + Number(values.seconds) * 1000;
  const random = seededRandom(Number(values.seed));
  const { cases, read, refused } = await fuzz(
    () => draw(random),
    () => performance.now() > end,
  );
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log(`${what}: ${cases} cases, ${read} read, ${refused} refused, peak memory ${peak.toFixed(0)} MiB`);
  if (peak > 512) throw new Error("memory is not bounded");
}
