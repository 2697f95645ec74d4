/** A rejected file as CSV in the dialect of its input: delimiter, quote, escape, line ending, encoding, byte order mark. */
import { stringify } from "csv-stringify/sync";
import iconv from "iconv-lite";
import type { Dialect } from "../model/dialect.js";
import { type AtomicFile, writeAtomically } from "./atomic-file.js";
import type { RejectedContent, RejectedFile } from "./rejected-file.js";
import { originalColumns, ownCells, ownColumns } from "./rejected-row.js";

type CsvDialect = Extract<Dialect, { format: "csv" }>;

const rowsPerChunk = 200;

/**
 * Original cells keep their text. Where the input's encoding lacks a character of theirs (a byte that meant nothing
 * in it), the whole file becomes UTF-8 with a byte order mark, and `note` says so; our own columns never cause that.
 */
export function writeRejectedCsv(path: string, dialect: CsvDialect, content: RejectedContent): Promise<RejectedFile> {
  const columns = originalColumns(content.header);
  return writeAtomically(path, async (file) => {
    const writer = createWriter(file, dialect);
    if (dialect.bom) await file.write(iconv.encode("\uFEFF", dialect.encoding, { addBOM: false }));
    const header = columns.map((index) => content.header[index] ?? "");
    await writer.add(header, ownColumns);
    let count = 0;
    for await (const row of content.rows) {
      const original = columns.map((index) => row.cells[index] ?? "");
      await writer.add(original, ownCells(row));
      count++;
    }
    await writer.flush();
    const note = writer.fellBack()
      ? `written as UTF-8, because ${dialect.encoding} lacks characters that stand in the rows`
      : null;
    return { path, rows: count, note };
  });
}

function createWriter(file: AtomicFile, dialect: CsvDialect) {
  let encoding = dialect.encoding;
  let unicode = /^utf-?(8|16|32)/i.test(encoding);
  const quote = dialect.quote ?? "";
  const options = {
    delimiter: dialect.delimiter,
    record_delimiter: dialect.lineEnding,
    quote: quote === "" ? false : quote,
    escape: dialect.escape ?? (quote === "" ? '"' : quote),
    // A reader that trims, or that takes any line end for one, must find the same cell again.
    quoted_match: quote === "" ? [] : [/^\s|\s$|[\r\n]/],
  };
  let waiting: string[][] = [];
  const flush = async () => {
    if (waiting.length === 0) return;
    await file.write(iconv.encode(stringify(waiting, options), encoding, { addBOM: false }));
    waiting = [];
  };
  const fallBack = async () => {
    await flush();
    const decoder = iconv.getDecoder(encoding);
    let begun = false;
    await file.rewrite((chunk) => {
      const text = (chunk === null ? decoder.end() : decoder.write(Buffer.from(chunk))) ?? "";
      const mark = begun ? "" : "\uFEFF";
      begun = true;
      return Buffer.from(mark + text);
    });
    encoding = "utf8";
    unicode = true;
  };
  return {
    flush,
    fellBack: () => encoding !== dialect.encoding,
    async add(original: readonly string[], own: readonly string[]) {
      if (!unicode && !original.every((cell) => fits(cell, encoding))) await fallBack();
      waiting.push([...original, ...own.map((cell) => ownText(cell, dialect, unicode ? null : encoding))]);
      if (waiting.length >= rowsPerChunk) await flush();
    },
  };
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
