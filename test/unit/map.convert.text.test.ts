import { compileConversion, type ConversionSpec } from "../../src/map/convert/conversion.js";
import { converted } from "../support/converted.js";
import { gives } from "../support/gives.js";

const convert = (spec: ConversionSpec, cell: string, defaults = {}) =>
  converted(compileConversion(spec, defaults)(cell, "text"));
const valueOf = (...given: Parameters<typeof convert>) => convert(...given).value;

const pseudonym = (cell: string, salt = "s") => convert({ name: "hash", salt, length: 16 }, cell);

it("half a character is refused, and never replaced", () => {
  for (const cell of ["a\ud800b", "\udfff", "ok \ud83d"])
    expect(convert("text", cell)).toMatchObject({ problem: { code: "cell-damaged" } });
});

describe("text", () => {
  it.each([
    ["outer and double spaces go", "  Rua   A ", "Rua A"],
    ["no-break and thin spaces are spaces", "Rua\u00a0\u2009A", "Rua A"],
    ["a decomposed accent is composed", "Sa\u0303o", "S\u00e3o"],
    ["control characters go", "A\u0000B\u001b[31mC\u007f", "AB[31mC"],
    ["invisible characters go", "\ufeffA\u200bB\u00adC", "ABC"],
    ["marks of direction go", "\u202aA\u200e/\u20661\u2069\u200f", "A/1"],
    ["joiners stay: emoji and some scripts need them", "👩\u200d🌾", "👩\u200d🌾"],
    ["line breaks of all kinds become one kind", "a \r\n b\rc\u2028d\u000be\u000cf", "a\nb\nc\nd\ne\nf"],
    ["what looks like a formula is text", "=1+1", "=1+1"],
    ["nothing is left of invisible characters alone", "\u200b \u0000", ""],
  ])("%s", (_, cell, value) => {
    expect(convert("text", cell)).toEqual({ value });
  });

  it("a text too long is refused and never cut; an emoji is one character", () => {
    expect(convert({ name: "text", maxLength: 3 }, "a😀b")).toEqual({ value: "a😀b" });
    expect(convert({ name: "text", maxLength: 3 }, "abcd")).toMatchObject({ problem: { code: "text-too-long" } });
  });
});

describe("letters and digits", () => {
  it.each([
    ["upper", "São", "SÃO"],
    ["lower", "ÁÉ", "áé"],
    ["digits", "00.12-3", "00123"],
    ["slug", "  Ünïcode & co. ", "unicode-co"],
    ["slug", "Große Straße", "grosse-strasse"],
  ])("%s of %j is %j", (name, cell, value) => {
    expect(convert(name, cell)).toEqual({ value });
  });

  it.each([
    ["digits", "s/n", "digits-missing"],
    [{ name: "digits", length: 8 }, "1310-100", "digits-missing"],
    ["digits", "88000.0", "digits-missing"],
    ["slug", "***", "text-empty"],
  ])("%j of %j is refused as %s", (spec, cell, code) => {
    expect(convert(spec, cell)).toMatchObject({ problem: { code } });
  });
});

it("digits of a fraction, a date or a percentage are those of another number", () => {
  const digits = compileConversion("digits", {});
  for (const [cell, kind] of [
    ["1234.5", "number"],
    ["2026-03-01", "date"],
    ["0.125", "percent"],
  ] as const)
    expect(converted(digits(cell, kind))).toHaveProperty("problem");
  expect(converted(digits("1234", "number"))).toEqual({ value: "1234" });
});

describe("hash", () => {
  it("equal texts give equal pseudonyms, whatever the white space", () => {
    expect(pseudonym(" Ana  Silva ")).toEqual(pseudonym("Ana Silva"));
  });

  it("another text or another salt gives another pseudonym", () => {
    expect(pseudonym("Ana")).not.toEqual(pseudonym("Ana Silva"));
    expect(pseudonym("Ana", "t")).not.toEqual(pseudonym("Ana"));
  });
});

describe("boolean", () => {
  gives("%j is %j in any language when the mapping names none", (cell) => valueOf("boolean", cell), {
    Sim: true,
    não: false,
    yes: true,
    oui: true,
    nein: false,
    "1": true,
    "0": false,
    " true ": true,
  });

  it.each(["talvez", "2", "x", "sim!"])("%j is refused with the known words", (cell) => {
    expect(convert("boolean", cell)).toMatchObject({
      problem: { code: "boolean-unreadable", hint: expect.stringContaining("sim") },
    });
  });

  it("only the named language's words are known", () => {
    expect(convert("boolean", "oui", { language: "pt" })).toMatchObject({ problem: { code: "boolean-unreadable" } });
  });

  it("the mapping's own words replace all others", () => {
    const defaults = { booleans: { true: ["x"], false: ["-"] } };
    expect(convert("boolean", "X", defaults)).toEqual({ value: true });
    expect(convert("boolean", "sim", defaults)).toMatchObject({ problem: { code: "boolean-unreadable" } });
  });
});
