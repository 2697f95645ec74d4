/** Samples the tables of files for a draft. A file that cannot be read does not stop the others. */
import { resolve } from "node:path";
import { foldWords } from "../map/convert/text.js";
import { RowferryError } from "../model/error.js";
import type { ReadOptions } from "../model/dialect.js";
import { type Row, textOf } from "../model/row.js";
import { isFilled, isLabels, isValue, valueColumns } from "../read/header.js";
import { expandFiles } from "../read/files.js";
import { openInput } from "../read/open-input.js";
import type { Input, Table } from "../read/table.js";
import { MEASURE } from "./column.js";
import type { GuessTable } from "./draft.js";

/** Neighbouring rows show how the rows of a document follow each other. */
const BLOCK_ROWS = 100;
/** From all over the table: 1,000 to 2,000 rows. */
const MOST_BLOCKS = 20;

export interface Sampled {
  tables: GuessTable[];
  left: string[];
  notes: string[];
}

/** All visible sheets and CSV files. @throws RowferryError `file-*` if no file can be read; `interrupted`. */
export async function sampleFiles(
  files: readonly string[],
  { cwd, signal, encoding }: { cwd: string; signal: AbortSignal; encoding?: string | undefined },
): Promise<Sampled> {
  const csv = encoding === undefined ? {} : { fallbackEncoding: encoding };
  const tables: GuessTable[] = [];
  const left: string[] = [];
  const notes: string[] = [];
  const refusals: RowferryError[] = [];
  const attempt = async (what: string, work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      if (!(error instanceof RowferryError) || error.code === "interrupted") throw error;
      refusals.push(error);
      left.push(`${what} is left out: ${error.message}`);
    });
  };
  for (const path of await expandFiles(files, cwd, (note) => left.push(note)))
    await attempt(path, async () => {
      const input = await openInput(path === "-" ? path : resolve(cwd, path));
      try {
        for (const { sheet, hidden } of input.sheets) {
          const place = sheet === null ? input.name : `sheet "${sheet}" of ${input.name}`;
          if (hidden) notes.push(`${place} is hidden and was left out`);
          else await attempt(place, async () => void tables.push(await sampleTable(input, sheet, place)));
        }
      } finally {
        await input.close();
      }
    });
  if (tables.length === 0 && refusals[0] !== undefined) throw refusals[0];
  // Sheets and texts of instructions, and sums of other sheets.
  const whyNot = ({ file, sheet, sample, header }: GuessTable) => {
    if (sheet === null && !/\.txt$/i.test(file)) return null;
    if (!sample.some(isOfSeveral)) return "has no row of several cells";
    const label = header.find((one) => pivotal.has(foldWords(one)));
    return label === undefined ? null : `is a pivot table ("${label}")`;
  };
  const filled = tables.filter((table) => whyNot(table) === null);
  if (filled.length === 0) return { tables, left, notes };
  for (const table of tables.filter((one) => !filled.includes(one)))
    notes.push(
      `${table.sheet === null ? "" : `sheet "${table.sheet}" of `}${table.file} ${whyNot(table)} and was left out`,
    );
  return { tables: filled, left, notes };

  async function sampleTable(input: Input, sheet: string | null, place: string): Promise<GuessTable> {
    const auto: ReadOptions = sheet === null ? { csv } : { excel: { sheet } };
    const take = async (options: ReadOptions) => {
      const table = await input.open(options);
      return { options, table, sample: await sampleRows(table, signal) };
    };
    let taken = await take(auto);
    const isAlone = taken.sample.length === 0 && isOfSettings(taken.table);
    const better = await betterHeader(input, taken);
    if (better !== null) taken = await take({ ...auto, header: better });
    const doubt = isAlone ? "its only row holds values" : taken.table.headerDoubt;
    if (doubt !== null) taken = await take({ ...auto, header: "none" });
    if (Array.isArray(better))
      notes.push(
        `${place}: the header is in rows ${better.join(" and ")}, joined: neither alone says what every column holds`,
      );
    // Notes below a table have one cell.
    const several = taken.sample.filter(isOfSeveral);
    const uneven = several.filter(({ problems }) =>
      problems?.some(({ code }) => code === "row-short" || (doubt !== null && code === "row-long")),
    ).length;
    // A program that ends rows early does so often; a row that is torn in two is rare.
    const endsEarly = uneven * 3 > several.length;
    if (endsEarly) {
      taken = await take({ ...taken.options, csv: { ...csv, shortRows: "blank" } });
      notes.push(
        `${place}: ${uneven} of ${several.length} rows seen end early; the cells that they lack are taken as blank (\`shortRows\`)`,
      );
    }
    if (doubt !== null) notes.push(`${place} seems to have no header (${doubt}): its columns are named by letter`);
    const { header, headerRow, joinedRows, dialect, sheet: name, notes: told } = taken.table;
    notes.push(...told.map((note) => `${place}: ${note}`));
    const headerRows = joinedRows ?? headerRow;
    const { sample } = taken;
    return {
      file: input.name,
      sheet: name,
      header,
      headerRows,
      dialect,
      fallbackEncoding: encoding,
      sample,
      endsEarly,
    };
  }
}

/** What Excel writes above the first column of a pivot table, folded. */
const pivotal = new Set([
  "row labels",
  "rotulos de linha",
  "etiquetas de fila",
  "zeilenbeschriftungen",
  "etiquettes de lignes",
]);

const LONGEST_UNIT = 20;

const isOfSeveral = ({ cells }: Row): boolean => cells.filter(isFilled).length > 1;

/** Two values head no columns, but hold what a program was told. */
const isOfSettings = ({ header }: Table) => header.filter(isValue).length > 1;

/**
 * The row or rows that name the columns better than the row that was found: below a row of settings, as DATEV writes it,
 * the next one; else both of two, each of which names columns that the other leaves blank, or of which the second holds
 * units. Null: there is none.
 */
async function betterHeader(
  input: Input,
  { table, sample, options }: { table: Table; sample: Row[]; options: ReadOptions },
): Promise<number | number[] | null> {
  const { header, headerRow, joinedRows, headerDoubt } = table;
  if (headerRow === null || joinedRows !== null) return null;
  const [first, ...more] = sample;
  const rows = more.filter(isOfSeveral).map(({ cells }) => cells);
  const isIn = (cells: readonly string[], column: number) => isFilled(cells[column] ?? "");
  const areDistinct = (texts: readonly string[]) => {
    const named = texts.filter(isFilled);
    return new Set(named).size === named.length;
  };
  const isUsual = (column: number) => rows.filter((row) => isIn(row, column)).length * 2 > rows.length;
  const usual = [...header.keys()].filter(isUsual);
  const nameAll = (...texts: (readonly string[])[]) =>
    usual.every((column) => texts.some((cells) => isIn(cells, column)));
  const below = first?.number === headerRow + 1 && isLabels(first.cells) ? first.cells : [];
  const holdValues = valueColumns(rows).length > 0;
  const isOther = below.filter(isFilled).length !== header.filter(isFilled).length;
  const isBelow = below.length > 0 && rows.length > 1 && holdValues && isOther && nameAll(below) && areDistinct(below);
  if (isOfSettings(table) && isBelow) return headerRow + 1;
  if (headerDoubt !== null) return null;
  // A row of units has text only above columns of numbers; a row of data has more, and headings of groups come again.
  const unitless = valueColumns(more.map(({ cells }) => cells));
  const isUnit = (cell: string, column: number) =>
    MEASURE.test(cell.trim()) || (unitless.includes(column) && cell.trim().length <= LONGEST_UNIT);
  const areUnits =
    below.length > 0 &&
    below.every((cell, column) => !isFilled(cell) || isUnit(cell, column)) &&
    header.some((_, column) => !isIn(below, column) && rows.every((row) => isIn(row, column)));
  if (rows.length > 1 && areUnits) return [headerRow, headerRow + 1];
  if (!nameAll(header) && below.length > 0 && nameAll(header, below) && holdValues) return [headerRow, headerRow + 1];
  if (nameAll(header) && areDistinct(header)) return null;
  const headerIn = async (at: number | number[]) =>
    (await input.open({ ...options, header: at }).catch(() => null))?.header ?? [];
  const above = await headerIn(headerRow - 1);
  if (!isLabels(above) || !nameAll(header, above)) return null;
  const both = [headerRow - 1, headerRow];
  // `Date` twice: titles above have to tell them apart.
  return !nameAll(header) || areDistinct(await headerIn(both)) ? both : null;
}

/** Blocks from all over the table: every block, then every second, every fourth … as the table continues. */
async function sampleRows(table: Table, signal: AbortSignal): Promise<Row[]> {
  let blocks: Row[][] = [];
  let every = 1;
  let read = 0;
  for await (const rows of table.rows()) {
    if (signal.aborted)
      throw new RowferryError("interrupted", "Interrupted while reading; nothing was written.", {
        hint: "Run the same command again.",
      });
    for (const row of rows) {
      if (row.leftOut !== undefined) continue;
      const block = Math.floor(read++ / BLOCK_ROWS);
      if (block % every !== 0) continue;
      (blocks[block / every] ??= []).push({ ...row, cells: row.cells.map(textOf) });
      if (blocks.length <= MOST_BLOCKS) continue;
      blocks = blocks.filter((_, index) => index % 2 === 0);
      every *= 2;
    }
  }
  return blocks.flat();
}
