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

  it.each(conversionNames)("%s describes itself and its options for the reference", (name) => {
    const kind = conversions[name];
    expect(kind.description.length).toBeGreaterThan(40);
    expect(kind.examples.length).toBeGreaterThan(0);
    const undescribed = Object.entries(kind.options.shape).filter(
      ([, schema]) => (schema as { description?: string }).description === undefined,
    );
    expect(undescribed.map(([option]) => option)).toEqual([]);
  });

  it.each(conversionNames)("%s refuses a cell that holds a spreadsheet error", (name) => {
    const spec = name === "hash" ? { name, salt: "x" } : name;
    const convert = compileConversion(spec, { timezone: "UTC", dates: ["ISO"], country: "BR", decimal: "," });
    expect(converted(convert("#N/A", "error"))).toMatchObject({ problem: { code: "cell-error" } });
  });

  it.each([
    ["a timestamp without a zone", "timestamp", { dates: ["dd/MM/yyyy"] }, "conversion-options", /time zone/],
    ["a timestamp without formats", "timestamp", { timezone: "UTC" }, "conversion-options", /formats/],
    ["an unknown zone", "timestamp", { timezone: "Sao_Paulo", dates: ["ISO"] }, "conversion-options", /Sao_Paulo/],
    ["a format without a day", { name: "date", formats: ["MM/yyyy"] }, {}, "conversion-options", /does not read/],
    [
      "minutes in the place of months",
      { name: "date", formats: ["dd/mm/yyyy"] },
      {},
      "conversion-options",
      /mm are minutes/,
    ],
    ["a part read twice", { name: "date", formats: ["dd/MM/yyyy HH:MM"] }, {}, "conversion-options", /twice/],
    ["a quote left open", { name: "date", formats: ["dd 'de MM yyyy"] }, {}, "conversion-options", /quote/],
    ["a tax id without a country", "taxId", {}, "conversion-options", /country/],
    ["a tax id of an unknown country", { name: "taxId", country: "XX" }, {}, "conversion-options", /XX/],
    [
      "a tax id type of another country",
      { name: "taxId", country: "BR", type: "NIF" },
      {},
      "conversion-options",
      /NIF/,
    ],
    ["states of a country without a list", { name: "state", country: "PT" }, {}, "conversion-options", /PT/],
    ["telephones of no country", { name: "phone", country: "XX" }, {}, "conversion-options", /XX/],
  ])("%s is refused before any row is read, with a hint", (_, spec, defaults, code, message) => {
    const error = failure(spec, defaults);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe("");
  });
});
