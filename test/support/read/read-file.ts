/** Reading whole files in tests. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dialect, ReadOptions } from "../../../src/model/dialect.js";
import type { Row } from "../../../src/model/row.js";
import { openInput } from "../../../src/read/open-input.js";

export interface WholeTable {
  header: string[];
  headerRow: number | null;
  joinedRows: number[] | null;
  dialect: Dialect;
  notes: string[];
  rows: Row[];
}

/** Opens, reads to the end and closes. */
export async function readFile(path: string, options: ReadOptions = {}): Promise<WholeTable> {
  const input = await openInput(path);
  try {
    const table = await input.open(options);
    const rows: Row[] = [];
    for await (const batch of table.rows()) rows.push(...batch);
    const { header, headerRow, joinedRows, dialect, notes } = table;
    return { header, headerRow, joinedRows, dialect, notes, rows };
  } finally {
    await input.close();
  }
}

/** A file with this content in a folder that is removed when the test at hand ends. */
export async function temporaryFile(content: string | Buffer, name = "input.csv"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Number, cells and the codes of problems (left out where there are none): what most tests look at. */
export function brief(rows: readonly Row[]): unknown[] {
  return rows.map(({ number, cells, problems }) =>
    problems === null ? [number, cells] : [number, cells, problems.map(({ code }) => code)],
  );
}
