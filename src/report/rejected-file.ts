/**
 * Writes `<input name>.rejected.csv|xlsx`: the rows a person must change, in the input's own format (DESIGN section 7). CSV in
 * the dialect of its input: delimiter, quote, escape, line ending, encoding, byte order mark.
 */
import { stringify } from "csv-stringify/sync";
import iconv from "iconv-lite";
import type { Dialect } from "../model/dialect.js";
import { writeAtomically } from "./atomic-file.js";
import { originalColumns, ownCells, ownColumns, type RejectedRow } from "./rejected-row.js";

export { rejectedFileName, type RejectedRow } from "./rejected-row.js";

export interface RejectedContent {
  header: string[];
  dialect: Dialect;
  /** Gone through twice where the encoding of a CSV file has to be another. */
  rows: Iterable<RejectedRow>;
}

export interface RejectedFile {
  path: string;
  rows: number;
  /** What a person should know, in a sentence (another encoding had to be used); null: nothing. */
  note: string | null;
}

/** Writes the file whole or not at all, readable by its owner only. The rows are streamed. */
export async function writeRejectedFile(path: string, content: RejectedContent): Promise<RejectedFile> {
  const { dialect } = content;
  if (dialect.format === "csv") return writeRejectedCsv(path, dialect, content);
  // Takes a quarter of a second to load; most runs write no workbook.
  const { writeRejectedExcel } = await import("./rejected-excel.js");
  return writeRejectedExcel(path, dialect, content);
}

type CsvDialect = Extract<Dialect, { format: "csv" }>;

/** Thrown where the input's encoding lacks a character of its rows. */
class LackingCharacter extends Error {}

/**
 * Original cells keep their text. Where the input's encoding lacks a character of theirs (a byte that meant nothing
 * in it), the whole file becomes UTF-8 with a byte order mark, and `note` says so; our own columns never cause that.
 */
async function writeRejectedCsv(path: string, dialect: CsvDialect, content: RejectedContent): Promise<RejectedFile> {
  try {
    return { path, rows: await write(path, dialect, content), note: null };
  } catch (error) {
    if (!(error instanceof LackingCharacter)) throw error;
    const note = `written as UTF-8, because ${dialect.encoding} lacks characters of these rows`;
    return { path, rows: await write(path, { ...dialect, encoding: "utf8", bom: true }, content), note };
  }
}

/** Gives the number of rows. */
function write(path: string, dialect: CsvDialect, content: RejectedContent): Promise<number> {
  const { encoding } = dialect;
  const isUnicode = /^utf-?(8|16|32)/i.test(encoding);
  const quote = dialect.quote ?? "";
  const options = {
    delimiter: dialect.delimiter,
    record_delimiter: dialect.lineEnding,
    quote: quote === "" ? false : quote,
    escape: dialect.escape ?? (quote === "" ? '"' : quote),
    // A reader that trims, or that takes any line end for one, must find the same cell again.
    quoted_match: quote === "" ? [] : [/^\s|\s$|[\r\n]/],
  };
  const columns = originalColumns(content.header);
  return writeAtomically(path, async (file) => {
    const add = (cells: readonly string[], own: readonly string[]) => {
      const original = columns.map((index) => cells[index] ?? "");
      if (!isUnicode && !original.every((cell) => fits(cell, encoding))) throw new LackingCharacter();
      const line = [...original, ...own.map((cell) => ownText(cell, dialect, isUnicode ? null : encoding))];
      return file.write(iconv.encode(stringify([line], options), encoding, { addBOM: false }));
    };
    if (dialect.bom) await file.write(iconv.encode("\uFEFF", encoding, { addBOM: false }));
    await add(content.header, ownColumns);
    let count = 0;
    for (const row of content.rows) {
      await add(row.cells, ownCells(row));
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

/**
 * Our own text gives way: where nothing can be quoted it avoids the delimiter, and what the encoding lacks becomes
 * plainer. `encoding` null: one that has everything.
 */
function ownText(text: string, dialect: CsvDialect, encoding: string | null): string {
  const other = dialect.delimiter === "," ? ";" : ",";
  const safe = dialect.quote === null ? text.replaceAll(dialect.delimiter, other) : text;
  if (encoding === null || fits(safe, encoding)) return safe;
  const plain = plainer.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), safe);
  return Array.from(plain, (character) => (fits(character, encoding) ? character : "?")).join("");
}

const plainer: [RegExp, string][] = [
  [/…/g, "..."],
  [/→/g, "->"],
  [/[“”„]/g, '"'],
  [/[‘’]/g, "'"],
  [/[–—]/g, "-"],
];
