/**
 * What both readers promise about positions, as one suite: rows are numbered as a person sees them, headers and cells
 * keep their places, whatever they are called (HARD-CASES H35). A reader's test hands in how a table of texts becomes a file of its format.
 */
import * as fc from "fast-check";
import type { HeaderOption, ReadOptions } from "../../../src/model/dialect.js";
import { columnLetters } from "../../../src/model/formula.js";
import { brief, readFile } from "./read-file.js";
import { drawn } from "../sample.js";

export interface MadeFile {
  path: string;
  /** Dialect and sheet, where the file needs them said. */
  options?: ReadOptions;
  /** The number under which a person sees row `index` (counting from 0) of the table; default `index + 1`. */
  numberOf?: (index: number) => number;
}

/** Row 0 is the first of the file; `[]` is a blank row. Cells are text and may hold anything that the format can. */
export type MakeFile = (table: readonly (readonly string[])[]) => Promise<MadeFile>;

export function positionSuite(reader: string, makeFile: MakeFile): void {
  /** Any text without lone surrogates or NUL. */
  const cell = fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\0"));
  const numRuns = drawn(12, 60);

  async function readBack(table: readonly (readonly string[])[], header?: HeaderOption) {
    const made = await makeFile(table);
    const numberOf = made.numberOf ?? ((index: number) => index + 1);
    const read = await readFile(made.path, { ...made.options, ...(header === undefined ? {} : { header }) });
    return { read, numberOf };
  }

  describe(`${reader}: positions`, () => {
    const object = "__proto__|constructor|toString";

    /** Tables as `a|b / 1|2`, blank rows as nothing; rows by their index, of which the header's is one. */
    test.each<[string, string, HeaderOption | undefined, string, number | null, { [index: number]: string }]>([
      [
        "rows keep the numbers that a person sees, blank rows counted and left out",
        "a|b / 1|2 /  / | / 3|4 / ",
        undefined,
        "a|b",
        0,
        { 1: "1|2", 4: "3|4" },
      ],
      [
        "a preamble is skipped, said, and counted",
        "Report /  / a|b|c / 1|x|2 / 3|y|4",
        undefined,
        "a|b|c",
        2,
        { 3: "1|x|2", 4: "3|y|4" },
      ],
      ["a given header row counts, whatever stands above it", "x|y / p|q / a|b / 1|2", 3, "a|b", 2, { 3: "1|2" }],
      [
        "several header rows are joined column by column",
        "Gerador|Gerador|MTR / CNPJ|Nome| / 1|2|3",
        [1, 2],
        "Gerador CNPJ|Gerador Nome|MTR",
        1,
        { 2: "1|2|3" },
      ],
      [
        "without a header, columns are letters and the first row is a row",
        "1|2|3 / 4|5|6",
        "none",
        "A|B|C",
        null,
        { 0: "1|2|3", 1: "4|5|6" },
      ],
      [
        "duplicate and blank headers stay in their places",
        "|a||a|b / 1|2|3|4|5",
        undefined,
        "|a||a|b",
        0,
        { 1: "1|2|3|4|5" },
      ],
      [
        "names of object members are ordinary texts",
        `${object} / hasOwnProperty|__proto__|x`,
        undefined,
        object,
        0,
        { 1: "hasOwnProperty|__proto__|x" },
      ],
    ])("%s", async (promise, table, option, header, headerRow, rows) => {
      const cells = table.split(" / ").map((line) => (line === "" ? [] : line.split("|")));
      const { read, numberOf } = await readBack(cells, option);
      expect(read.header).toEqual(header.split("|"));
      expect(read.headerRow).toBe(headerRow === null ? null : numberOf(headerRow));
      expect(brief(read.rows)).toEqual(
        Object.entries(rows).map(([index, line]) => [numberOf(Number(index)), line.split("|")]),
      );
      if (promise.includes("said")) expect(read.notes.join(" ")).toContain("skipped");
    });

    test("a header row that is not there is an error, not a guess", async () => {
      await expect(
        readBack(
          [
            ["a", "b"],
            ["1", "2"],
          ],
          9,
        ),
      ).rejects.toMatchObject({ code: "header-missing" });
    });

    test("headers are trimmed, cells are not", async () => {
      const { read } = await readBack([
        [" a ", "b"],
        [" 1 ", "\t2"],
      ]);
      expect(read.header).toEqual(["a", "b"]);
      expect(read.rows[0]?.cells).toEqual([" 1 ", "\t2"]);
    });

    test("thousands of rows come once each, in order", async () => {
      const rows = Array.from({ length: 3000 }, (_, index) => [`k${index}`, String(index)]);
      const { read, numberOf } = await readBack([["a", "b"], ...rows]);
      expect(read.rows.map(({ number, cells }) => [number, ...cells])).toEqual(
        rows.map((row, index) => [numberOf(index + 1), ...row]),
      );
    });

    test("any table is read back as it was written, under its row numbers", async () => {
      const table = fc
        .integer({ min: 1, max: 6 })
        .chain((width) =>
          fc
            .array(
              fc.oneof(
                { weight: 5, arbitrary: fc.array(cell, { minLength: width, maxLength: width }) },
                { weight: 1, arbitrary: fc.constant([]) },
              ),
              { maxLength: 12 },
            )
            .map((rows) => ({ width, rows })),
        );
      await fc.assert(
        fc.asyncProperty(table, async ({ width, rows }) => {
          const header = Array.from({ length: width }, (_, column) => `Column ${columnLetters(column + 1)}`);
          const { read, numberOf } = await readBack([header, ...rows], 1);
          const filled = rows
            .map((cells, index) => ({ cells, number: numberOf(index + 1) }))
            .filter(({ cells }) => cells.some((text) => text.trim() !== ""));
          expect(read.header).toEqual(header);
          expect(brief(read.rows)).toEqual(filled.map(({ cells, number }) => [number, cells]));
        }),
        { numRuns },
      );
    });
  });
}
