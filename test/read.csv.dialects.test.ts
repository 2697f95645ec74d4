/** Properties over random dialects and encodings: what is written is read back, pinned or detected, in pieces of any size. */
import * as fc from "fast-check";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { CsvTokenizer } from "../src/read/csv/tokenizer.js";
import { brief, readFile, temporaryFile } from "./read/read-file.js";
import { pinned, type WrittenDialect, writeCsv } from "./read/write-csv.js";

const dialects: fc.Arbitrary<WrittenDialect> = fc
  .record({
    delimiter: fc.constantFrom(",", ";", "\t", "|", ":", "||", "\u001f"),
    quote: fc.constantFrom('"', '"', "'"),
    escape: fc.constantFrom("double" as const, "double" as const, "backslash" as const),
    lineEnding: fc.constantFrom("\n" as const, "\r\n" as const, "\r" as const),
    quoteAll: fc.boolean(),
    encoding: fc.constantFrom("utf-8" as const, "utf-16le" as const, "utf-16be" as const, "windows-1252" as const),
    bom: fc.boolean(),
    finalNewline: fc.boolean(),
  })
  .map((dialect) => ({ ...dialect, bom: dialect.bom && dialect.encoding.startsWith("utf") }));

/** Texts that every encoding above can carry and that provoke every path of the tokenizer. */
const nasty = fc.string({
  unit: fc.constantFrom(...Array.from("abc 019,;|:\t\"'\\\n\rçãé€“\u001f"), "\r\n", '""', "||"),
  maxLength: 10,
});

const tables = fc
  .integer({ min: 2, max: 6 })
  .chain((width) => fc.array(fc.array(nasty, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 10 }));

test("any table in any dialect and encoding is read back cell for cell, under the lines of an editor", async () => {
  await fc.assert(
    fc.asyncProperty(tables, dialects, async (rows, dialect) => {
      const header = (rows[0] ?? []).map((_, column) => `c${column}`);
      const { bytes, lines } = writeCsv([header, ...rows], dialect);
      const table = await readFile(await temporaryFile(bytes), { csv: pinned(dialect), header: 1 });
      const filled = rows
        .map((cells, index) => [lines[index + 1], cells] as const)
        .filter(([, cells]) => cells.some((cell) => cell.trim() !== ""));
      expect(table.header).toEqual(header);
      expect(brief(table.rows)).toEqual(filled);
    }),
    { numRuns: 300 },
  );
});

test("text in pieces of any size gives the same records as in one", () => {
  fc.assert(
    fc.property(
      tables,
      dialects,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (rows, dialect, sizes) => {
        const { text } = writeCsv(rows, dialect);
        const { delimiter, quote, escape = null } = pinned(dialect);
        const options = { delimiter: delimiter ?? ",", quote: quote ?? null, escape, file: "x" };
        const whole = new CsvTokenizer(options).push(text, true);
        const tokenizer = new CsvTokenizer(options);
        const pieces = [];
        for (let start = 0, turn = 0; start < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          pieces.push(...tokenizer.push(text.slice(start, start + size), false));
          start += size;
        }
        pieces.push(...tokenizer.push("", true));
        expect(pieces).toEqual(whole);
      },
    ),
    { numRuns: 500 },
  );
});

test("wherever csv-parse reads a text without complaint, the tokenizer gives the same cells", () => {
  const soup = fc.string({
    unit: fc.constantFrom("a", "b", " ", ",", '"', "\n", "\r\n", "\r", '"', ","),
    maxLength: 40,
  });
  let compared = 0;
  fc.assert(
    fc.property(soup, (text) => {
      let theirs: string[][];
      try {
        theirs = parse(text, { record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true });
      } catch {
        return;
      }
      compared++;
      const ours = new CsvTokenizer({ delimiter: ",", quote: '"', escape: '"', file: "x" }).push(text, true);
      expect(ours.map(({ cells }) => cells)).toEqual(theirs);
      expect(ours.every(({ problems }) => problems === null)).toBe(true);
    }),
    { numRuns: 3000 },
  );
  expect(compared).toBeGreaterThan(300);
});

test("the delimiter of an ordinary export is found, whatever its cells hold", async () => {
  const cell = fc.oneof(
    fc.integer().map(String),
    fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => value.toFixed(2).replace(".", ",")),
    fc.constantFrom(
      "São Paulo",
      "Rua A, 12",
      "O'Brien",
      'Tubo 5" aço',
      "2026-03-01 10:00",
      "12.345.678/0001-95",
      "linha\nseguinte",
      "",
    ),
  );
  const exports = fc.integer({ min: 3, max: 8 }).chain((width) =>
    fc.record({
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 3, maxLength: 20 }),
      delimiter: fc.constantFrom(";", "\t", "|"),
      lineEnding: fc.constantFrom("\n" as const, "\r\n" as const),
      quoteAll: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(exports, async ({ rows, ...dialect }) => {
      const header = (rows[0] ?? []).map((_, column) => `Coluna ${column}`);
      const full = {
        ...dialect,
        quote: '"',
        escape: "double",
        encoding: "utf-8",
        bom: false,
        finalNewline: true,
      } as const;
      const table = await readFile(await temporaryFile(writeCsv([header, ...rows], full).bytes));
      expect(table.dialect).toMatchObject({
        delimiter: dialect.delimiter,
        lineEnding: dialect.lineEnding,
        quote: '"',
        escape: '"',
      });
      expect(table.header).toEqual(header);
      expect(table.rows.map(({ cells }) => cells)).toEqual(
        rows.filter((cells) => cells.some((text) => text.trim() !== "")),
      );
    }),
    { numRuns: 200 },
  );
});
