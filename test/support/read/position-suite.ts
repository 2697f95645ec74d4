/**
 * What both readers promise about positions, as one suite: rows are numbered as a person sees them, headers and cells
 * keep their places. A reader's test hands in how a table of texts becomes a file of its format.
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
    test("rows keep the numbers that a person sees, blank rows counted and left out", async () => {
      const { read, numberOf } = await readBack([["a", "b"], ["1", "2"], [], ["", ""], ["3", "4"], []]);
      expect(read.header).toEqual(["a", "b"]);
      expect(brief(read.rows)).toEqual([
        [numberOf(1), ["1", "2"]],
        [numberOf(4), ["3", "4"]],
      ]);
    });

    test("a preamble is skipped, said, and counted", async () => {
      const { read, numberOf } = await readBack([["Report"], [], ["a", "b", "c"], ["1", "x", "2"], ["3", "y", "4"]]);
      expect(read.header).toEqual(["a", "b", "c"]);
      expect(read.headerRow).toBe(numberOf(2));
      expect(read.notes.join(" ")).toContain("skipped");
      expect(read.rows.map(({ number }) => number)).toEqual([numberOf(3), numberOf(4)]);
    });

    test("a given header row counts, whatever stands above it", async () => {
      const { read, numberOf } = await readBack(
        [
          ["x", "y"],
          ["p", "q"],
          ["a", "b"],
          ["1", "2"],
        ],
        3,
      );
      expect(read.header).toEqual(["a", "b"]);
      expect(read.headerRow).toBe(3);
      expect(brief(read.rows)).toEqual([[numberOf(3), ["1", "2"]]]);
    });

    test("several header rows are joined column by column", async () => {
      const { read, numberOf } = await readBack(
        [
          ["Gerador", "Gerador", "MTR"],
          ["CNPJ", "Nome", ""],
          ["1", "2", "3"],
        ],
        [1, 2],
      );
      expect(read.header).toEqual(["Gerador CNPJ", "Gerador Nome", "MTR"]);
      expect(read.headerRow).toBe(2);
      expect(brief(read.rows)).toEqual([[numberOf(2), ["1", "2", "3"]]]);
    });

    test("without a header, columns are letters and the first row is a row", async () => {
      const { read, numberOf } = await readBack(
        [
          ["1", "2", "3"],
          ["4", "5", "6"],
        ],
        "none",
      );
      expect(read.header).toEqual(["A", "B", "C"]);
      expect(read.headerRow).toBeNull();
      expect(read.rows.map(({ number }) => number)).toEqual([numberOf(0), numberOf(1)]);
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

    test("duplicate and blank headers stay in their places", async () => {
      const { read } = await readBack([
        ["", "a", "", "a", "b"],
        ["1", "2", "3", "4", "5"],
      ]);
      expect(read.header).toEqual(["", "a", "", "a", "b"]);
      expect(read.rows[0]?.cells).toEqual(["1", "2", "3", "4", "5"]);
    });

    test("headers are trimmed, cells are not", async () => {
      const { read } = await readBack([
        [" a ", "b"],
        [" 1 ", "\t2"],
      ]);
      expect(read.header).toEqual(["a", "b"]);
      expect(read.rows[0]?.cells).toEqual([" 1 ", "\t2"]);
    });

    test("names of object members are ordinary texts (HARD-CASES H35)", async () => {
      const names = ["__proto__", "constructor", "toString"];
      const { read } = await readBack([names, ["hasOwnProperty", "__proto__", "x"]]);
      expect(read.header).toEqual(names);
      expect(read.rows[0]?.cells).toEqual(["hasOwnProperty", "__proto__", "x"]);
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
