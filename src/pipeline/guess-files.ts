/** A first mapping from files: their tables are detected and sampled here, and guessed from in src/map/guess. */
import { resolve } from "node:path";
import { type Guess, guessMapping, type GuessOptions, type GuessTable } from "../map/guess/guess-mapping.js";
import { RowferryError } from "../model/error.js";
import { describePlace } from "../model/place.js";
import type { Row } from "../model/row.js";
import { expandFiles } from "../read/files.js";
import { openInput } from "../read/open-input.js";
import type { Input, Table } from "../read/table.js";

/** Rows that stand together in a sample, so that it shows which rows of a document follow each other. */
const BLOCK_ROWS = 100;
/** Blocks kept of a table, from all over it: 1,000 to 2,000 rows. */
const MOST_BLOCKS = 20;

/**
 * Guesses one mapping for all visible sheets and CSV files. Sheets that hold no table are named in `unsure`.
 * @param options.cwd what relative paths start from.
 * @throws RowferryError `file-*` for a file that cannot be read, `guess-nothing`, `interrupted`.
 */
export async function guessFromFiles(
  files: readonly string[],
  options: GuessOptions & { cwd: string; signal: AbortSignal },
): Promise<Guess> {
  const { cwd, signal, ...wanted } = options;
  const tables: GuessTable[] = [];
  const left: string[] = [];
  let empty: RowferryError | null = null;
  for (const path of await expandFiles(files, cwd, (note) => left.push(note))) {
    let input: Input | null = null;
    try {
      input = await openInput(path === "-" ? path : resolve(cwd, path));
      await sampleTables(input, { signal, tables, left });
    } catch (error) {
      if (!(error instanceof RowferryError) || error.code !== "file-empty") throw error;
      left.push(`${describePlace(error.place)} is left out: ${error.message}`);
      empty = error;
    } finally {
      await input?.close();
    }
  }
  if (tables.length === 0 && empty !== null) throw empty;
  const guess = guessMapping(tables, wanted);
  return { yaml: guess.yaml, unsure: [...guess.unsure, ...left] };
}

async function sampleTables(
  input: Input,
  into: { signal: AbortSignal; tables: GuessTable[]; left: string[] },
): Promise<void> {
  const visible = input.sheets.filter(({ hidden }) => !hidden);
  const before = into.tables.length;
  let refused: RowferryError | null = null;
  for (const { sheet } of visible) {
    try {
      const options = sheet === null ? {} : { excel: { sheet } };
      const found = await input.open(options);
      const table = found.headerDoubt === null ? found : await input.open({ ...options, header: "none" });
      const { header, headerRow, dialect } = table;
      const sample = await sampleRows(table, into.signal);
      const place = sheet === null ? input.name : `${input.name}, sheet "${sheet}"`;
      if (found !== table)
        into.left.push(`${place} has no header, it seems (${found.headerDoubt}): columns are named by letter`);
      for (const note of table.notes) into.left.push(`${place}: ${note}`);
      into.tables.push({ file: input.name, sheet: table.sheet, header, headerRow, dialect, sample });
    } catch (error) {
      if (!(error instanceof RowferryError) || error.code === "interrupted" || sheet === null) throw error;
      refused ??= error;
      into.left.push(`sheet "${sheet}" of ${input.name} is left out: ${error.message}`);
    }
  }
  const hidden = input.sheets.length - visible.length;
  if (hidden > 0) into.left.push(`${hidden} hidden ${hidden === 1 ? "sheet" : "sheets"} of ${input.name} left out`);
  if (into.tables.length === before && refused !== null) throw refused;
}

/** Blocks of rows from all over the table: every block, then every second, every fourth … as the table goes on. */
async function sampleRows(table: Table, signal: AbortSignal): Promise<Row[]> {
  let blocks: Row[][] = [];
  let every = 1;
  let read = 0;
  let open: Row[] | null = null;
  for await (const rows of table.rows()) {
    if (signal.aborted)
      throw new RowferryError("interrupted", "Interrupted while reading; nothing was written.", {
        hint: "Run the same command again.",
      });
    for (const row of rows) {
      if (read % BLOCK_ROWS === 0) {
        const block = read / BLOCK_ROWS;
        if (block % every === 0 && blocks.length === MOST_BLOCKS) {
          blocks = blocks.filter((_, index) => index % 2 === 0);
          every *= 2;
        }
        open = block % every === 0 ? [] : null;
        if (open !== null) blocks.push(open);
      }
      open?.push(row);
      read += 1;
    }
  }
  return blocks.flat();
}
