/**
 * Writes `<input name>.rejected.csv|xlsx` with the rows to correct, in the input's format: for CSV its delimiter, line ending,
 * encoding and byte order mark; cells are quoted as every program expects, however the input quotes, or not.
 */
import { stringify } from "csv-stringify/sync";
import iconv from "iconv-lite";
import type { Dialect } from "../model/dialect.js";
import { originalColumns, ownColumns } from "../model/own-columns.js";
import { writeAtomically } from "./atomic-file.js";
import { ownCells, type RejectedRow } from "./rejected-row.js";

export interface RejectedContent {
  header: string[];
  dialect: Dialect;
  /** Read twice if a CSV file needs another encoding. */
  rows: Iterable<RejectedRow>;
}

export interface RejectedFile {
  path: string;
  rows: number;
  /** For a person (another encoding was needed); null: none. */
  note: string | null;
}

/** Readable by its owner only; streams the rows. */
export async function writeRejectedFile(path: string, content: RejectedContent): Promise<RejectedFile> {
  const { dialect } = content;
  if (dialect.format === "csv") return writeRejectedCsv(path, dialect, content);
  // Loading takes a quarter of a second, and most runs write no workbook.
  const { writeRejectedExcel } = await import("./rejected-excel.js");
  return writeRejectedExcel(path, dialect, content);
}

type CsvDialect = Extract<Dialect, { format: "csv" }>;

/** The input's encoding lacks a character of its rows. */
class LackingCharacter extends Error {}

/**
 * Keeps original cells. If the input's encoding lacks a character (a byte without meaning in it), the file becomes
 * UTF-8 with a byte order mark, with a `note`; our own columns never cause that.
 */
async function writeRejectedCsv(path: string, dialect: CsvDialect, content: RejectedContent): Promise<RejectedFile> {
  try {
    return { path, rows: await write(path, dialect, content), note: null };
  } catch (error) {
    if (!(error instanceof LackingCharacter)) throw error;
    const note = `written as UTF-8, because ${dialect.encoding} lacks some characters in these rows`;
    return { path, rows: await write(path, { ...dialect, encoding: "utf8", bom: true }, content), note };
  }
}

/** @returns the number of rows */
function write(path: string, dialect: CsvDialect, content: RejectedContent): Promise<number> {
  const { encoding } = dialect;
  const isUnicode = /^utf-?(8|16|32)/i.test(encoding);
  const options = {
    delimiter: dialect.delimiter === '"' ? ";" : dialect.delimiter,
    record_delimiter: dialect.lineEnding,
    // A reader that trims, or accepts any line end, must find the same cell.
    quoted_match: [/^\s|\s$|[\r\n]/],
  };
  const columns = originalColumns(content.header);
  return writeAtomically(path, (file) => {
    const add = (cells: readonly string[], own: readonly string[]) => {
      const original = columns.map((index) => cells[index] ?? "");
      const beyond = cells.slice(content.header.length);
      if (!isUnicode && ![...original, ...beyond].every((cell) => fits(cell, encoding))) throw new LackingCharacter();
      // Our own text changes instead; what is still lacking becomes "?".
      const ours = own.map((cell) => (isUnicode || fits(cell, encoding) ? cell : simplified(cell)));
      const line = [...original, ...ours, ...beyond];
      file.write(iconv.encode(stringify([line], options), encoding, { addBOM: false }));
    };
    if (dialect.bom) file.write(iconv.encode("\uFEFF", encoding, { addBOM: false }));
    add(content.header, ownColumns);
    let count = 0;
    for (const row of content.rows) {
      add(row.cells, ownCells(row));
      count++;
    }
    return count;
  });
}

function fits(text: string, encoding: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII is what most cells are, in every encoding that is not Unicode
  if (/^[\u0000-\u007F]*$/.test(text)) return true;
  return iconv.decode(iconv.encode(text, encoding), encoding) === text;
}

const simplified = (text: string): string =>
  plainer.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);

const plainer: [RegExp, string][] = [
  [/…/g, "..."],
  [/→/g, "->"],
  [/[“”„]/g, '"'],
  [/[‘’]/g, "'"],
  [/[–—]/g, "-"],
];
