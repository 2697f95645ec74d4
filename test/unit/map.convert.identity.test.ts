import { stdnum } from "stdnum";
import { compileConversion, type ConversionSpec } from "../../src/map/convert/conversion.js";
import { taxIdTypesOf } from "../../src/map/convert/tax-id.js";
import type { RowferryError } from "../../src/model/error.js";
import type { CellKind } from "../../src/model/row.js";
import { converted } from "../support/converted.js";
import { gives } from "../support/gives.js";

const convert = (spec: ConversionSpec, cell: string, kind: CellKind = "text") =>
  converted(compileConversion(spec, { country: "BR" })(cell, kind));
const valueOf = (...given: Parameters<typeof convert>) => convert(...given).value;
const refusalOf = (...given: Parameters<typeof convert>) => convert(...given).problem?.code;

describe("taxId", () => {
  gives("%j has the one form %s, so that dots make no twins (H32)", (cell) => valueOf("taxId", cell), {
    "11.222.333/0001-81": "11222333000181",
    " 11 222 333/0001-81 ": "11222333000181",
    "12.ABC.345/01DE-35": "12ABC34501DE35",
    "12abc34501de35": "12ABC34501DE35",
    "529.982.247-25": "52998224725",
    "'05299822421": "05299822421",
  });

  it.each([
    ["a wrong check digit", "11.222.333/0001-80"],
    ["a CPF of repeated digits, which passes the checksum", "111.111.111-11"],
    ["a CNPJ of zeros, which passes the checksum", "00.000.000/0000-00"],
    ["a digit too many", "112223330001811"],
    ["scientific notation", "1,12223E+13"],
    ["words", "isento"],
  ])("%s is refused", (_, cell) => {
    expect(refusalOf("taxId", cell)).toBe("tax-id-invalid");
  });

  it("leading zeros are restored only when the type is certain", () => {
    expect(convert({ name: "taxId", type: "CPF" }, "1234567890")).toEqual({ value: "01234567890" });
    expect(convert({ name: "taxId", type: "CNPJ" }, "191", "number")).toEqual({ value: "00000000000191" });
    expect(convert("taxId", "1234567890")).toMatchObject({
      problem: { code: "tax-id-invalid", hint: expect.stringContaining("type") },
    });
    expect(refusalOf("taxId", "191", "number")).toBe("tax-id-invalid");
  });

  it("a program that took the number for a fraction has added no digit (88000.0)", () => {
    expect(convert({ name: "taxId", type: "CNPJ" }, "11222333000181.0")).toEqual({ value: "11222333000181" });
    expect(convert({ name: "taxId", type: "CNPJ" }, "191.0")).toEqual({ value: "00000000000191" });
    expect(taxIdTypesOf("11222333000181.0", "BR")).toEqual(["CNPJ"]);
  });

  it("an alphanumeric CNPJ is never stripped to digits", () => {
    expect(convert({ name: "taxId", type: "CNPJ" }, "12ABC34501DE35")).toEqual({ value: "12ABC34501DE35" });
    expect(refusalOf({ name: "taxId", type: "CPF" }, "529X98224725")).toBe("tax-id-invalid");
  });

  it("a CPF is no CNPJ", () => {
    expect(refusalOf({ name: "taxId", type: "CNPJ" }, "529.982.247-25")).toBe("tax-id-invalid");
  });

  it.each([
    ["PT", "NIF", "PT 501 442 600", "501442600"],
    ["DE", "VAT", "DE 136,695 976", "136695976"],
  ])("ids of %s (%s) go through the same door", (country, type, cell, value) => {
    expect(convert({ name: "taxId", country, type }, cell)).toEqual({ value });
  });

  it("knows the countries that the library lists, each with its types, though it loads them one by one", () => {
    const typesOf = (country: string) => {
      try {
        compileConversion({ name: "taxId", type: "no such" }, { country });
        return [];
      } catch (error) {
        return (
          (error as RowferryError).hint
            ?.match(/^Known: (.*?)\. For/)?.[1]
            ?.toLowerCase()
            .split(", ") ?? null
        );
      }
    };
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const countries = letters.flatMap((first) => letters.map((second) => first + second));
    const known = countries.flatMap((country) => {
      const types = typesOf(country);
      return types === null ? [] : [[country, types.toSorted()]];
    });
    const listed = Object.entries(stdnum).map(([country, types]) => [
      country,
      Object.keys(types)
        .map((type) => type.toLowerCase())
        .toSorted(),
    ]);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(listed));
    expect(known.length).toBeGreaterThan(90);
  });

  it("tells which type a number is, for the participant's taxIdType", () => {
    expect(taxIdTypesOf("11.222.333/0001-81", "BR")).toEqual(["CNPJ"]);
    expect(taxIdTypesOf("529.982.247-25", "BR")).toEqual(["CPF"]);
    expect(taxIdTypesOf("1", "BR")).toEqual([]);
    expect(taxIdTypesOf("1", "XX")).toEqual([]);
  });
});

describe("phone", () => {
  gives("%j is %s", (cell) => valueOf("phone", cell), {
    "(11) 98765-4321": "+5511987654321",
    "011 3456-7890": "+551134567890",
    "+351 912 345 678": "+351912345678",
  });
  it.each(["98765-4321", "(11) 98765", "ramal", "(11) 3456-7890 ramal 12"])("%j is refused", (cell) => {
    expect(refusalOf("phone", cell)).toBe("phone-invalid");
  });
  it("without a country only international numbers are read", () => {
    const free = compileConversion("phone", {});
    expect(converted(free("+55 11 98765-4321", "text"))).toEqual({ value: "+5511987654321" });
    expect(converted(free("11 98765-4321", "text"))).toMatchObject({ problem: { code: "phone-invalid" } });
  });
});

describe("country", () => {
  gives("%j is %s", (cell) => valueOf("country", cell), {
    BR: "BR",
    bra: "BR",
    Brasil: "BR",
    "Côte d'Ivoire": "CI",
    "Estados Unidos": "US",
  });
  it.each(["Atlantis", "XX", "B", "076x", "Congo", "São Martinho"])("%j is refused", (cell) => {
    expect(refusalOf("country", cell)).toBe("country-unknown");
  });
  it("one that the field does not allow is refused", () => {
    expect(refusalOf({ name: "country", only: ["BR", "AR"] }, "Portugal")).toBe("country-unknown");
  });
});

describe("state", () => {
  gives("%j is %s", (cell) => valueOf("state", cell), {
    SP: "SP",
    sp: "SP",
    "São Paulo": "SP",
    PARÁ: "PA",
    parana: "PR",
    "BR-RS": "RS",
    "Estado do Rio de Janeiro": "RJ",
    "35": "SP",
    "Espirito  Santo": "ES",
  });
  it.each(["XX", "Lisboa", "S", "999"])("%j is refused", (cell) => {
    expect(refusalOf("state", cell)).toBe("state-unknown");
  });
});
