import { compileConversion, type ConversionSpec } from "../../src/map/convert/conversion.js";
import type { CellKind } from "../../src/model/row.js";
import { workedMs } from "../support/cpu.js";
import { converted } from "../support/converted.js";
import { gives } from "../support/gives.js";

const convert = (spec: ConversionSpec, cell: string, kind: CellKind = "text", decimal?: "," | ".") =>
  converted(compileConversion(spec, { decimal })(cell, kind));
const valueOf = (...given: Parameters<typeof convert>) => convert(...given).value;

describe("decimal under a comma", () => {
  gives("%j is %j, exactly", (cell) => valueOf("number", cell, "text", ","), {
    "1.500,50": "1500.5",
    "1.234.567": "1234567",
    "1,500": "1.5",
    ",5": "0.5",
    "007": "7",
    "-3,20": "-3.2",
    "−3,20": "-3.2",
    "3,20-": "-3.2",
    "(3,20)": "-3.2",
    "-0,00": "0",
    "1\u00a0500,5": "1500.5",
    "1'234'567,8": "1234567.8",
    "123456789012345678901234,567": "123456789012345678901234.567",
    "1e+05": "100000",
    "-1,5e-05": "-0.000015",
    "-1,25E7": "-12500000",
    "1,0E-4": "0.0001",
    "1E-8": "0.00000001",
    "0E-18": "0",
  });

  it.each([
    "1.50",
    "12.34.567",
    "1,5,0",
    "abc",
    "-",
    "-(1)",
    "1e3",
    "1.5e-05",
    "1,23457E+11",
    "1,5E-05",
    "1E7",
    "1E-08",
    "2E-2",
    "1.2345",
    "",
    ".",
    "1/2",
  ])("%j is refused, never guessed", (cell) => {
    expect(convert("number", cell, "text", ",")).toMatchObject({ problem: { code: "number-unreadable" } });
  });
});

gives("decimal under a point: %j is %j", (cell) => valueOf("number", cell, "text", "."), {
  "1,500.50": "1500.5",
  "1500.5": "1500.5",
});

describe("numbers of a workbook", () => {
  // A summary hides the cell's text wherever it stands: "… or false" told nobody what the cell is.
  it("a truth value is refused in words that are not the cell's own", () => {
    const message = 'the workbook holds a truth value ("true") where a number is needed';
    expect(convert("number", "true", "boolean", ",")).toMatchObject({ problem: { code: "cell-kind", message } });
  });

  it("a date where a number is needed is refused: spreadsheets make dates of 1-2", () => {
    expect(convert("number", "2025-02-01", "date", ",")).toMatchObject({ problem: { code: "cell-kind" } });
  });
});

describe("a group of three that may be thousands or a fraction", () => {
  const marks = [
    [",", "."],
    [".", ","],
  ] as const;
  it.each(marks)("under a decimal %s is refused, unless the mapping says that it groups", (decimal, other) => {
    for (const text of [`1${other}234`, `-12${other}500`, `999${other}000`, `R$ 1${other}234`]) {
      const units = ["R$"];
      expect(convert({ name: "number", decimal, units }, text)).toMatchObject({
        problem: { code: "number-unreadable", hint: expect.stringContaining("grouping: true") },
      });
      expect(convert({ name: "number", decimal, units, grouping: true }, text)).toEqual({
        value: text.replace(/[^-\d]/g, ""),
      });
    }
  });
  it("in India groups two digits after the first three", () => {
    expect(convert({ name: "number", decimal: "." }, "12,34,567.50")).toEqual({ value: "1234567.5" });
    for (const text of ["123,45,678.5", "12,34,56.5"])
      expect(convert({ name: "number", decimal: "." }, text)).toMatchObject({ problem: { code: "number-unreadable" } });
  });
  it.each(marks)("under a decimal %s never begins with a zero: half is not five hundred (F75)", (decimal, other) => {
    for (const grouping of [true, false]) {
      for (const text of [
        `0${other}500`,
        `-0${other}250`,
        `0${other}123${other}456`,
        `00${other}123`,
        `012${other}345`,
      ])
        expect(convert({ name: "number", decimal, grouping }, text)).toMatchObject({
          problem: { code: "number-unreadable" },
        });
    }
  });
});

it("more than sixty digits are refused, and quickly, however many", () => {
  for (const text of ["9".repeat(61), `0,${"1".repeat(61)}`, "1".repeat(1_000_000), `${"1.".repeat(100_000)}1`]) {
    const started = workedMs();
    expect(convert("number", text, "text", ",")).toMatchObject({ problem: { code: "number-unreadable" } });
    expect(workedMs() - started).toBeLessThan(200);
  }
  expect(convert("number", "9".repeat(60), "text", ",")).toEqual({ value: "9".repeat(60) });
});

it("without a decimal mark in the mapping, bare digits are read and anything with a mark is refused", () => {
  expect(convert("number", "1500")).toEqual({ value: "1500" });
  expect(convert("number", "1.500")).toMatchObject({
    problem: { code: "number-unreadable", hint: expect.stringContaining("decimal:") },
  });
});

describe("units", () => {
  it.each([
    [{ name: "number", units: ["kg"] }, "1.500,50 kg", "1500.5"],
    [{ name: "number", units: ["R$"] }, "R$ 1.234,56", "1234.56"],
    [{ name: "number", units: ["R$"] }, "-R$ 1.234,56", "-1234.56"],
    [{ name: "number", units: ["€"] }, "(1.200,50 €)", "-1200.5"],
    [{ name: "number", units: ["€"] }, "(1.200,50) €", "-1200.5"],
    [{ name: "number", units: ["%"] }, "12,5%", "12.5"],
    [{ name: "number", units: { kg: 1, t: 1000, g: 0.001 } }, "1,2345 t", "1234.5"],
    [{ name: "number", units: { kg: 1, t: 1000, g: 0.001 } }, "7 g", "0.007"],
  ])("%j reads %j as %s", (spec, cell, value) => {
    expect(convert(spec, cell, "text", ",")).toEqual({ value });
  });

  it("a unit that the field does not name is refused: tonnes are not kilograms", () => {
    expect(convert({ name: "number", units: ["kg"] }, "1,5 t", "text", ",")).toMatchObject({
      problem: { code: "number-unit" },
    });
    expect(convert("number", "1,5 kg", "text", ",")).toMatchObject({ problem: { code: "number-unit" } });
  });
});

it.each([
  [{ name: "number", places: 2 }, "1,5", { value: "1.50" }],
  [{ name: "number", places: 2 }, "-0", { value: "0.00" }],
  [{ name: "number", places: 2 }, "1,505", { problem: { code: "number-range" } }],
  [{ name: "number", min: 0 }, "-0,1", { problem: { code: "number-range" } }],
  [{ name: "number", max: 10 }, "10,01", { problem: { code: "number-range" } }],
])("bounds, places and JSON numbers: %j of %j", (spec, cell, expected) => {
  expect(convert(spec, cell, "text", ",")).toMatchObject(expected);
});

describe("integer", () => {
  gives("%j is %j", (cell) => valueOf("integer", cell, "text", ","), {
    "12.500,0": "12500",
    "7,00": "7",
    "-3": "-3",
    "-0": "0",
    "9007199254740993": "9007199254740993",
  });
  gives("%j is refused as %s", (cell) => convert("integer", cell, "text", ",").problem?.code, {
    "2,5": "integer-fraction",
    dois: "number-unreadable",
  });
});

describe("a letter that stands for a digit is said to, with what to write", () => {
  it.each([
    ["12,5O", "O for a zero", "12,50"],
    ["9.02O,00", "O for a zero", "9.020,00"],
    ["12,5O kg", "O for a zero", "12,50 kg"],
    ["O,5", "O for a zero", "0,5"],
    ["1.2l0,5", "l for a one", "1.210,5"],
  ])("%j: %s", (cell, said, corrected) => {
    const { problem } = convert({ name: "number", units: { kg: 1 } }, cell, "text", ",") as {
      problem: { message: string; hint: string };
    };
    expect(problem.message).toContain(`has a letter ${said}`);
    expect(problem.hint).toContain(corrected);
  });
});
