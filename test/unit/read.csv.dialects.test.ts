/** Properties over random dialects and encodings: what is written is read back, pinned or detected, in pieces of any size. */
import * as fc from "fast-check";
import { type CsvRecord, readRecords, type Shape } from "../../src/read/csv/records.js";
import { faultOf } from "../../src/read/opened-file.js";
import { brief, readFile, temporaryFile } from "../support/read/read-file.js";
import { pinned, type WrittenDialect, writeCsv } from "../support/read/write-csv.js";
import { drawn } from "../support/sample.js";

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

/** Texts that every encoding above can carry and that provoke every path of the reader. */
const nasty = fc.string({
  unit: fc.constantFrom(...Array.from("abc 019,;|:\t\"'\\\n\rçãé€“\u001f"), "\r\n", '""', "||"),
  maxLength: 10,
});

const tables = fc
  .integer({ min: 2, max: 6 })
  .chain((width) => fc.array(fc.array(nasty, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 10 }));

test(
  "any table in any dialect and encoding is read back cell for cell, under the lines of an editor",
  long,
  async () => {
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
      { numRuns: drawn(30, 300) },
    );
  },
);

async function recordsOf(texts: readonly string[], shape: Shape) {
  async function* text() {
    for (const one of texts) yield Buffer.from(one);
  }
  const records: CsvRecord[] = [];
  for await (const some of readRecords(text, { shape, fault: faultOf("x"), firstLine: 1 })) records.push(...some);
  return records;
}

test("text in pieces of any size gives the same records as in one", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(tables, dialects, sizes, fc.boolean(), async (rows, dialect, lengths, trim) => {
      const { text } = writeCsv(rows, dialect);
      const { delimiter, quote, escape } = dialect;
      const shape = { delimiter, quote, escape: escape === "double" ? quote : "\\", trim };
      const pieces: string[] = [];
      for (let start = 0, turn = 0; start < text.length; turn++) {
        const size = lengths[turn % lengths.length] ?? 1;
        pieces.push(text.slice(start, start + size));
        start += size;
      }
      expect(await recordsOf(pieces, shape)).toEqual(await recordsOf([text], shape));
    }),
    { numRuns: drawn(20, 200) },
  );
});

/** RFC 4180 by the letter, one character at a time; null: the text breaks its rules. */
function byTheLetter(text: string) {
  const records: { line: number; cells: string[] }[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const record = { line, cells: [] as string[] };
    for (;;) {
      let cell = "";
      if (text[at] === '"') {
        for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
          if (at >= text.length) return null;
          if (text[at] === '"') at++;
          if (text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n")) line++;
          cell += text[at];
        }
        at++;
        if (at < text.length && !",\r\n".includes(text[at] ?? "")) return null;
      } else {
        for (; at < text.length && !",\r\n".includes(text[at] ?? ""); at++) {
          if (text[at] === '"') return null;
          cell += text[at];
        }
      }
      record.cells.push(cell);
      if (text[at] !== ",") break;
      at++;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line++;
    records.push(record);
  }
  return records;
}

test(
  "what keeps the rules is read by the letter, under its lines; what does not never passes without a word",
  long,
  async () => {
    const soup = fc.string({
      unit: fc.constantFrom("a", "b", " ", ",", '"', "\n", "\r\n", "\r", '"', ","),
      maxLength: 40,
    });
    const seen = { exact: 0, told: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(soup, async (text) => {
        const wanted = byTheLetter(text);
        const shape = { delimiter: ",", quote: '"', escape: '"', trim: false };
        const records = await recordsOf([text], shape).catch((error: unknown) => {
          expect(error).toMatchObject({ code: "quote-unclosed" });
          return null;
        });
        if (wanted !== null) {
          expect(records?.map(({ number: line, cells }) => ({ line, cells }))).toEqual(wanted);
          expect(records?.every(({ faults, innerQuotes }) => faults === null && !innerQuotes)).toBe(true);
          seen.exact++;
        } else if (records === null) seen.refused++;
        else {
          expect(records.some(({ faults, innerQuotes }) => faults !== null || innerQuotes)).toBe(true);
          seen.told++;
        }
      }),
      { numRuns: drawn(300, 3_000) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(drawn(30, 300));
  },
);
