/** A CSV writer for tests that has nothing in common with the reader: any dialect, any encoding, and the line of every row. */
import iconv from "iconv-lite";
import type { CsvOptions } from "../../../src/model/dialect.js";

export interface WrittenDialect {
  delimiter: string;
  quote: string;
  /** `double` or a backslash. */
  escape: "double" | "backslash";
  lineEnding: "\n" | "\r\n" | "\r";
  /** Quote every cell, or only where it must be. */
  quoteAll: boolean;
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
  bom: boolean;
  finalNewline: boolean;
}

export interface Written {
  bytes: Buffer;
  text: string;
  /** The line of each row, blank ones included, counting from 1. */
  lines: number[];
}

export function writeCsv(rows: readonly (readonly string[])[], dialect: WrittenDialect): Written {
  const lines: number[] = [];
  let line = 1;
  const texts = rows.map((cells) => {
    lines.push(line);
    const text = cells.map((cell) => writeCell(cell, cells.length, dialect)).join(dialect.delimiter);
    line += text.split(/\r\n|\r|\n/).length;
    return text;
  });
  const text = texts.join(dialect.lineEnding) + (dialect.finalNewline ? dialect.lineEnding : "");
  const body = iconv.encode(text, dialect.encoding, { addBOM: dialect.bom });
  return { bytes: body, text, lines };
}

/** What pins the dialect for the reader, so that nothing is left to detection. */
export function pinned(dialect: WrittenDialect): CsvOptions {
  const { delimiter, quote, escape, encoding } = dialect;
  return { delimiter, quote, escape: escape === "double" ? quote : "\\", encoding };
}

function writeCell(cell: string, width: number, dialect: WrittenDialect) {
  const { quote, escape, delimiter } = dialect;
  // A cell that holds part of a delimiter of two characters could complete one beside it.
  const special = [...Array.from(delimiter), "\r", "\n", "\ufeff", "\u001a"].some((text) => cell.includes(text));
  const needed = special || cell.includes(quote) || (width === 1 && cell === "");
  if (!needed && !dialect.quoteAll) return cell;
  const escaped =
    escape === "double"
      ? cell.replaceAll(quote, quote + quote)
      : cell.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return quote + escaped + quote;
}
