/** Tables of files with some of their rows: what a draft is made from. One file that cannot be read does not keep the others from it. */
import { resolve } from "node:path";
import { RowferryError } from "../model/error.js";
import type { Row } from "../model/row.js";
import { expandFiles } from "../read/files.js";
import { openInput } from "../read/open-input.js";
import type { Input, Table } from "../read/table.js";
import type { GuessTable } from "./draft.js";

/** Rows that stand together in a sample, so that it shows which rows of a document follow each other. */
const BLOCK_ROWS = 100;
/** Blocks kept of a table, from all over it: 1,000 to 2,000 rows. */
const MOST_BLOCKS = 20;

export interface Sampled {
  tables: GuessTable[];
  /** Files and sheets that cannot be read, with why; what the readers noticed. */
  left: string[];
  notes: string[];
}

/**
 * All visible sheets and CSV files.
 * @param options.cwd what relative paths start from.
 * @throws RowferryError `file-*` where no file can be read; `interrupted`.
 */
export async function sampleFiles(
  files: readonly string[],
  { cwd, signal }: { cwd: string; signal: AbortSignal },
): Promise<Sampled> {
  const into: Sampled = { tables: [], left: [], notes: [] };
  let refused: RowferryError | null = null;
  const refuse = (what: string, error: unknown) => {
    if (!(error instanceof RowferryError) || error.code === "interrupted") throw error;
    refused ??= error;
    into.left.push(`${what} is left out: ${error.message}`);
  };
  for (const path of await expandFiles(files, cwd, (note) => into.left.push(note))) {
    let input: Input | null = null;
    try {
      input = await openInput(path === "-" ? path : resolve(cwd, path));
      for (const { sheet, hidden } of input.sheets) {
        const place = sheet === null ? input.name : `sheet "${sheet}" of ${input.name}`;
        if (hidden) into.notes.push(`${place} is hidden, and left out`);
        else await sampleTable(input, sheet, place, into, signal).catch((error: unknown) => refuse(place, error));
      }
    } catch (error) {
      refuse(path, error);
    } finally {
      await input?.close();
    }
  }
  if (into.tables.length === 0 && refused !== null) throw refused;
  return into;
}

async function sampleTable(
  input: Input,
  sheet: string | null,
  place: string,
  { tables, notes }: Sampled,
  signal: AbortSignal,
): Promise<void> {
  const options = sheet === null ? {} : { excel: { sheet } };
  const found = await input.open(options);
  const table = found.headerDoubt === null ? found : await input.open({ ...options, header: "none" });
  const { header, headerRow, dialect } = table;
  const sample = await sampleRows(table, signal);
  if (found !== table)
    notes.push(`${place} has no header, it seems (${found.headerDoubt}): columns are named by letter`);
  for (const note of table.notes) notes.push(`${place}: ${note}`);
  tables.push({ file: input.name, sheet: table.sheet, header, headerRow, dialect, sample });
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
