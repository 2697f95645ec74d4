import { compileConversion, conversionNames, conversions } from "../../src/map/convert/conversion.js";
import { Refused } from "../../src/map/convert/conversion-kind.js";
import { converted } from "../support/converted.js";

function failure(spec: Parameters<typeof compileConversion>[0], defaults = {}) {
  try {
    compileConversion(spec, defaults);
  } catch (error) {
    if (error instanceof Refused) return error;
  }
  throw new Error("it compiled");
}

describe("the list of conversions", () => {
  const examples = Object.entries(conversions).flatMap(([name, kind]) =>
    kind.examples.map((example) => ({ name, ...example })),
  );
  it.each(examples)("the reference's example of $name holds: $in", (example) => {
    expect(converted(compileConversion(example.spec, {})(example.in, "text"))).toEqual({ value: example.out });
  });

  it.each(conversionNames)("%s refuses a cell that holds a spreadsheet error", (name) => {
    const spec = name === "hash" ? { name, salt: "x" } : name;
    const convert = compileConversion(spec, { timezone: "UTC", dates: ["ISO"], country: "BR", decimal: "," });
    expect(converted(convert("#N/A", "error"))).toMatchObject({ problem: { code: "cell-error" } });
  });

  it.each([
    ["number", "\u200e-12\u202f500,5\u200f", "-12500.5"],
    ["taxId", "\u200e11.222.333/0001-81\u200b", "11222333000181"],
    ["phone", "\u202a+55 11 98765-4321\u202c", "+5511987654321"],
    ["date", "\u200e15\u200e/\u200e10\u200e/\u200e2025", "2025-10-15"],
    ["timestamp", "15/10/2025 8:05\u202fAM", Date.UTC(2025, 9, 15, 8, 5)],
  ])("%s reads what a person sees: invisible marks do not count, and any blank is one", (name, cell, value) => {
    const dates = ["dd/MM/yyyy", "dd/MM/yyyy h:mm a", "dd/MM/yyyy h:mm\u202fa"];
    const convert = compileConversion(name, { timezone: "UTC", dates, country: "BR", decimal: "," });
    expect(converted(convert(cell, "text"))).toEqual({ value });
  });

  it.each([
    ["a timestamp without a zone", "timestamp", { dates: ["dd/MM/yyyy"] }, "conversion-options", /time zone/],
    ["a format without a day", { name: "date", formats: ["MM/yyyy"] }, {}, "conversion-options", /does not read/],
    ["a quote left open", { name: "date", formats: ["dd 'de MM yyyy"] }, {}, "conversion-options", /quote/],
    ["a tax id without a country", "taxId", {}, "conversion-options", /country/],
    [
      "a tax id type of another country",
      { name: "taxId", country: "BR", type: "NIF" },
      {},
      "conversion-options",
      /NIF/,
    ],
    ["states of a country without a list", { name: "state", country: "PT" }, {}, "conversion-options", /PT/],
  ])("%s is refused before any row is read, with a hint", (_, spec, defaults, code, message) => {
    const error = failure(spec, defaults);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe("");
  });
});
