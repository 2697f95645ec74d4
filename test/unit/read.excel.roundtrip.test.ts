/** Any table of typed cells is read back the same from a workbook that holds it. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CellKind } from "../../src/model/row.js";
import { columnLetters } from "../../src/model/formula.js";
import { readWorkbook } from "../support/read/read-workbook.js";
import { escapeXml, textCell } from "../support/read/write-workbook.js";
import { drawn } from "../support/sample.js";

interface TypedCell {
  kind: CellKind;
  /** What reading gives. */
  text: string;
  /** Style 1 is a date and time, 2 a duration. */
  xml: (reference: string) => string;
}

const blank: TypedCell = { kind: "text", text: "", xml: () => "" };

/** NUL is a problem of its row. */
const anyText = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !text.includes("\0"));

const textTyped = anyText.map(
  (text): TypedCell => ({
    kind: "text",
    text,
    xml: (reference) => textCell(reference, text),
  }),
);

const fifteenDigits = new Intl.NumberFormat("en", {
  useGrouping: false,
  maximumSignificantDigits: 15,
  signDisplay: "negative",
});

/** What a spreadsheet shows; whole numbers keep all their digits. */
function shownBy(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value + 0);
  return fifteenDigits.format(value.toPrecision(15) as `${number}`);
}

const numberTyped = fc
  .oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((cents) => cents / 100),
  )
  .map(
    (value): TypedCell => ({
      kind: "number",
      text: shownBy(value),
      // Seventeen digits, as Excel itself writes them.
      xml: (reference) => `<c r="${reference}"><v>${Number.isInteger(value) ? value : value.toPrecision(17)}</v></c>`,
    }),
  );

const moment = fc.date({
  min: new Date(Date.UTC(1901, 0, 1)),
  max: new Date(Date.UTC(2999, 11, 31)),
  noInvalidDate: true,
});

const dateTyped = moment.map(
  (date): TypedCell => ({
    kind: "date",
    text: date
      .toISOString()
      .slice(0, -1)
      .replace(/\.000$/, ""),
    xml: (reference) => `<c r="${reference}" s="1"><v>${date.getTime() / 86_400_000 + 25_569}</v></c>`,
  }),
);

const durationTyped = fc.integer({ min: 1, max: 100_000 }).map(
  (minutes): TypedCell => ({
    kind: "duration",
    text: `PT${minutes >= 60 ? `${Math.floor(minutes / 60)}H` : ""}${minutes % 60 > 0 ? `${minutes % 60}M` : ""}`,
    xml: (reference) => `<c r="${reference}" s="2"><v>${minutes / 1440}</v></c>`,
  }),
);

const booleanTyped = fc.boolean().map(
  (value): TypedCell => ({
    kind: "boolean",
    text: String(value),
    xml: (reference) => `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`,
  }),
);

const errorTyped = fc.constantFrom("#N/A", "#REF!", "#NAME?", "#DIV/0!", "#NULL!", "#VALUE!", "#NUM!").map(
  (error): TypedCell => ({
    kind: "error",
    text: error,
    xml: (reference) => `<c r="${reference}" t="e"><v>${escapeXml(error)}</v></c>`,
  }),
);

const typedCell = fc.oneof(
  { weight: 3, arbitrary: textTyped },
  { weight: 3, arbitrary: numberTyped },
  { weight: 2, arbitrary: dateTyped },
  durationTyped,
  booleanTyped,
  errorTyped,
  fc.constant(blank),
);
const table = fc
  .integer({ min: 1, max: 6 })
  .chain((width) => fc.array(fc.array(typedCell, { minLength: width, maxLength: width }), { maxLength: 8 }));

test("any table of typed cells", async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const at = (column: number, row: number) => `${columnLetters(column + 1)}${row}`;
      const header = Array.from({ length: rows[0]?.length ?? 1 }, (_, column) => textCell(at(column, 1), `c${column}`));
      const lines = rows.map((cells, index) => cells.map((cell, column) => cell.xml(at(column, index + 2))));
      const xml = [header, ...lines].map((cells, index) => `<row r="${index + 1}">${cells.join("")}</row>`).join("");
      const made = { sheets: [{ name: "S", rows: xml }], formats: ["dd/mm/yyyy hh:mm:ss", "[h]:mm"] };
      const read = await readWorkbook(made, { header: 1 });
      const expected = rows.map((cells, index) => [index + 2, ...cells.map(({ kind, text }) => `${kind} ${text}`)]);
      expect(
        read.rows.map(({ number, cells, kinds, problems }) => {
          expect(problems).toBeNull();
          return [number, ...cells.map((cell, column) => `${kinds?.[column] ?? "text"} ${cell}`)];
        }),
      ).toEqual(expected.filter((_, index) => rows[index]?.some(({ text }) => text.trim() !== "")));
    }),
    { numRuns: drawn(20, 150) },
  );
});
