/** Whatever stands in a table, its guess is a mapping. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { guessMapping } from "../src/map/guess/guess-mapping.js";
import { checkMapping } from "../src/map/load-mapping.js";
import { orders, save, table } from "./map.guess-table.js";

it("whatever stands in a table, the guess loads (H35: cells and headers are never interpreted)", async () => {
  const word = fc.oneof(
    fc.constantFrom(
      "",
      "-",
      "CNPJ",
      "Data",
      "Evento",
      "CLOSE",
      "CANCEL",
      "RELATED",
      "__proto__",
      "constructor",
      "# x",
      "a: b",
      '"',
      "{{x}}",
      "\u0000\u001b[31m",
      "11.222.333/0001-81",
      "05/01/2025",
      "1.200,5 kg",
      "true",
      "null",
    ),
    fc.string({ unit: "binary", maxLength: 12 }),
  );
  const anyTable = fc
    .array(word, { minLength: 1, maxLength: 6 })
    .chain((header) =>
      fc
        .array(fc.array(word, { minLength: header.length, maxLength: header.length }), { maxLength: 12 })
        .map((rows) => table(header, rows)),
    );
  await fc.assert(
    fc.asyncProperty(anyTable, async (one) => {
      // Beside one that yields something, so that there is a mapping to load.
      const { yaml } = guessMapping([{ ...one, file: "any.csv" }, orders([])]);
      const { problems } = await checkMapping(await save(yaml));
      expect(problems).toEqual([]);
    }),
    { numRuns: 120 },
  );
});

it("tables that look like documents load too, whatever their headers are called", async () => {
  const header = fc.string({ unit: "binary", minLength: 1, maxLength: 16 }).filter((text) => text.trim() !== "");
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(header, { minLength: 5, maxLength: 5 }),
      fc.constantFrom("CLOSE", "Cancel", "RELATED", "__proto__", "Saída: 1 # a"),
      async (headers, event) => {
        const one = orders([{ header: "Peso", cells: ["1,5", "2,5", "3,5", "4,5", "5,5", "6,5"] }]);
        const sample = one.sample.map((row, index) => ({
          ...row,
          cells: row.cells.map((cell, column) => (column === 1 && index % 2 === 0 ? event : cell)),
        }));
        const { yaml } = guessMapping([{ ...one, header: headers, sample }]);
        const { problems } = await checkMapping(await save(yaml));
        expect(problems).toEqual([]);
      },
    ),
    { numRuns: 80 },
  );
});
