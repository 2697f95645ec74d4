/** Countries, and federal states of Brazil, by code or name. */
import { createRequire } from "node:module";
import type countriesModule from "i18n-iso-countries";
import type { LocaleData } from "i18n-iso-countries";
import { z } from "zod";
import { convertDefaultsShape, defineConversion, quoteCell, refuse, refuseKind } from "./conversion-kind.js";
import { foldText } from "./text.js";
import { RowferryError } from "../../model/error.js";

const require = createRequire(import.meta.url);
const languages = ["pt", "en", "es", "fr", "de", "it"] as const;

/** The library's main entry loads all 78 languages (60 ms); these six are loaded when a mapping first needs them. */
function loadNames(): Map<string, string> {
  const countries = require("i18n-iso-countries/index.js") as typeof countriesModule;
  const byName = new Map<string, string>();
  for (const language of languages) {
    const { countries: names } = require(`i18n-iso-countries/langs/${language}.json`) as LocaleData;
    for (const [code, name] of Object.entries(names)) {
      for (const one of typeof name === "string" ? [name] : name) byName.set(foldName(one), code);
    }
  }
  for (const [alpha3, alpha2] of Object.entries(countries.getAlpha3Codes())) {
    byName.set(foldName(alpha3), alpha2);
    byName.set(foldName(alpha2), alpha2);
  }
  return byName;
}

function foldName(name: string): string {
  return foldText(name)
    .replace(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();
}

export const country = defineConversion({
  description:
    "A country as its two-letter code (ISO 3166-1). Accepts two- and three-letter codes and names in Portuguese, English, Spanish, French, German and Italian; case and accents do not matter.",
  options: z.object({
    only: z
      .array(convertDefaultsShape.country.unwrap())
      .min(1)
      .optional()
      .describe("The countries allowed, by their two-letter codes."),
  }),
  gives: "string",
  examples: [
    { spec: "country", in: "Brasil", out: "BR" },
    { spec: "country", in: "PRT", out: "PT" },
  ],
  compile({ only }) {
    const byName = loadNames();
    return (cell, kind) => {
      if (kind !== "text") return refuseKind(cell, kind, "a country");
      const value = byName.get(foldName(cell));
      if (value === undefined)
        return refuse(
          "country-unknown",
          `${quoteCell(cell)} is not the code or name of a country`,
          "Write its two-letter code, such as BR.",
        );
      if (only !== undefined && !only.includes(value))
        return refuse("country-unknown", `${quoteCell(cell)} is not one of ${only.join(", ")}`);
      return { value };
    };
  },
});

/** ISO 3166-2:BR, the 26 states and the Federal District; with the codes that IBGE numbers them by. */
const brazil: readonly (readonly [code: string, name: string, ibge: string])[] = [
  ["AC", "Acre", "12"],
  ["AL", "Alagoas", "27"],
  ["AM", "Amazonas", "13"],
  ["AP", "Amapá", "16"],
  ["BA", "Bahia", "29"],
  ["CE", "Ceará", "23"],
  ["DF", "Distrito Federal", "53"],
  ["ES", "Espírito Santo", "32"],
  ["GO", "Goiás", "52"],
  ["MA", "Maranhão", "21"],
  ["MG", "Minas Gerais", "31"],
  ["MS", "Mato Grosso do Sul", "50"],
  ["MT", "Mato Grosso", "51"],
  ["PA", "Pará", "15"],
  ["PB", "Paraíba", "25"],
  ["PE", "Pernambuco", "26"],
  ["PI", "Piauí", "22"],
  ["PR", "Paraná", "41"],
  ["RJ", "Rio de Janeiro", "33"],
  ["RN", "Rio Grande do Norte", "24"],
  ["RO", "Rondônia", "11"],
  ["RR", "Roraima", "14"],
  ["RS", "Rio Grande do Sul", "43"],
  ["SC", "Santa Catarina", "42"],
  ["SE", "Sergipe", "28"],
  ["SP", "São Paulo", "35"],
  ["TO", "Tocantins", "17"],
];

export const state = defineConversion({
  description:
    "A federal state of Brazil, as its two letters (`SP`) or its name. Accepts letters, names with or without accents, `BR-SP` and the number of IBGE. Of other countries no list is known: use `as: text`.",
  options: z.object({
    country: convertDefaultsShape.country,
    output: z.enum(["code", "name"]).optional().describe("`code` (default): SP; `name`: São Paulo."),
  }),
  gives: "string",
  examples: [
    { spec: { name: "state", country: "BR" }, in: "sao paulo", out: "SP" },
    { spec: { name: "state", country: "BR", output: "name" }, in: "MG", out: "Minas Gerais" },
  ],
  compile(options, defaults) {
    const of = options.country ?? defaults.country;
    if (of !== "BR") {
      throw new RowferryError(
        "conversion-options",
        `the states of country ${JSON.stringify(of ?? null)} are not known`,
        {
          hint: "Set `country: BR`, or use `as: text` with `oneOf`.",
        },
      );
    }
    const known = new Map<string, string>();
    for (const [code, name, ibge] of brazil) {
      const value = options.output === "name" ? name : code;
      for (const form of [
        code,
        `BR ${code}`,
        name,
        `estado de ${name}`,
        `estado do ${name}`,
        `estado da ${name}`,
        ibge,
      ]) {
        known.set(foldName(form), value);
      }
    }
    return (cell, kind) => {
      if (kind !== "text" && kind !== "number") return refuseKind(cell, kind, "a state");
      const value = known.get(foldName(cell));
      return value === undefined
        ? refuse("state-unknown", `${quoteCell(cell)} is not a state of Brazil`, "Write its two letters, such as SP.")
        : { value };
    };
  },
});
