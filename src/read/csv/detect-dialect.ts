/** Delimiter, quote and escape of a CSV file: as given, and where nothing is given, what explains a sample of it best. */
import type { CsvOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import { bestShape } from "./best-shape.js";
import { startOfLine } from "./line-breaks.js";
import type { CsvShape, Sample } from "./sample.js";

export interface DetectedShape extends CsvShape {
  lineEnding: "\n" | "\r\n" | "\r";
  /** 2 where line 1 is Excel's `sep=;`, else 1. */
  firstLine: 1 | 2;
  notes: string[];
}

/** @param tableLine the line on which the table begins, where that is known. @throws RowferryError `dialect-invalid`. */
export function detectDialect(sample: Sample, options: CsvOptions, tableLine: number | null): DetectedShape {
  checkGiven(options, sample.file);
  const declared = /^sep=([^\r\n])\r?(\n|$|\r)/i.exec(sample.text)?.[1];
  const firstLine = declared === undefined ? 1 : 2;
  const start = startOfLine(sample.text, Math.max(firstLine, tableLine ?? 1));
  const table = { ...sample, text: sample.text.slice(Math.max(start, 0)) };
  const shape = bestShape(table, declared === undefined ? options : { delimiter: declared, ...options });
  const notes: string[] = [];
  if (declared !== undefined) notes.push(`Line 1 (sep=${declared}) names the delimiter and is no row.`);
  if (options.quote === undefined && shape.quote === "'") notes.push("Cells are quoted with apostrophes (').");
  if (options.escape === undefined && shape.escape === "\\")
    notes.push('Quotes within cells are escaped with a backslash (\\").');
  return { ...shape, lineEnding: usualLineEnding(table.text), firstLine, notes };
}

function checkGiven(options: CsvOptions, file: string): void {
  const { delimiter, quote, escape } = options;
  const wrong =
    delimiter !== undefined && (delimiter === "" || /[\r\n]/.test(delimiter))
      ? "the delimiter is empty or a line break"
      : quote !== undefined && quote !== null && quote.length !== 1
        ? "the quote is not one character"
        : escape !== undefined && escape.length !== 1
          ? "the escape is not one character"
          : delimiter !== undefined &&
              (delimiter.startsWith(quote === undefined ? '"' : (quote ?? "\n")) || delimiter === escape)
            ? "the delimiter is also the quote or the escape"
            : null;
  if (wrong !== null) throw new RowferryError("dialect-invalid", wrong, { place: { file } });
}

function usualLineEnding(text: string): "\n" | "\r\n" | "\r" {
  const crlf = text.split("\r\n").length - 1;
  const lf = text.split("\n").length - 1 - crlf;
  const cr = text.split("\r").length - 1 - crlf;
  if (crlf >= lf && crlf >= cr && crlf > 0) return "\r\n";
  return cr > lf ? "\r" : "\n";
}
