/** Countries, states, and the telephone numbers of a country. */
import { createRequire } from "node:module";
import type { LocaleData } from "i18n-iso-countries";
import type * as phoneNumbers from "libphonenumber-js/max";
import { z } from "zod";
import { convertDefaultsShape, countryCodes, defineConversion, refuse, refuseOptions } from "./conversion-kind.js";
import { foldWords } from "./text.js";
import { maybe, maybeWord } from "../described.js";

const require = createRequire(import.meta.url);

let names: ReadonlyMap<string, string> | null = null;

/** On first use. "": the name of two countries, such as Congo. */
function loadNames(): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (const language of ["pt", "en", "es", "fr", "de", "it"]) {
    const { countries: called } = require(`i18n-iso-countries/langs/${language}.json`) as LocaleData;
    for (const [code, name] of Object.entries(called))
      for (const one of [name].flat().map(foldWords)) byName.set(one, (byName.get(one) ?? code) === code ? code : "");
  }
  for (const [alpha2, alpha3] of countryCodes())
    for (const code of [alpha3, alpha2]) byName.set(foldWords(code), alpha2);
  return byName;
}

export const country = defineConversion({
  description:
    "A country as its two-letter code (ISO 3166-1). Accepts two- and three-letter codes and names in Portuguese, English, Spanish, French, German and Italian; case and accents do not matter.",
  options: z.object({
    only: maybe(
      z.array(convertDefaultsShape.country.unwrap()).min(1),
      "The countries allowed, by their two-letter codes.",
    ),
  }),
  reads: { kinds: ["text"], called: "a country" },
  examples: [
    { spec: "country", in: "Brasil", out: "BR" },
    { spec: "country", in: "PRT", out: "PT" },
  ],
  compile({ only }) {
    const byName = (names ??= loadNames());
    return (cell) => {
      const value = byName.get(foldWords(cell)) || undefined;
      if (value !== undefined && only?.includes(value) !== false) return value;
      if (value !== undefined) refuse("country-unknown", cell, `is not one of ${only?.join(", ")}`);
      const hint = "Write its two-letter code, such as BR.";
      return refuse("country-unknown", cell, "is not the code or name of one country", hint);
    };
  },
});

/** ISO 3166-2:BR: code, number of the statistics office (IBGE), name. */
const brazil = [
  "AC 12 Acre",
  "AL 27 Alagoas",
  "AM 13 Amazonas",
  "AP 16 Amapá",
  "BA 29 Bahia",
  "CE 23 Ceará",
  "DF 53 Distrito Federal",
  "ES 32 Espírito Santo",
  "GO 52 Goiás",
  "MA 21 Maranhão",
  "MG 31 Minas Gerais",
  "MS 50 Mato Grosso do Sul",
  "MT 51 Mato Grosso",
  "PA 15 Pará",
  "PB 25 Paraíba",
  "PE 26 Pernambuco",
  "PI 22 Piauí",
  "PR 41 Paraná",
  "RJ 33 Rio de Janeiro",
  "RN 24 Rio Grande do Norte",
  "RO 11 Rondônia",
  "RR 14 Roraima",
  "RS 43 Rio Grande do Sul",
  "SC 42 Santa Catarina",
  "SE 28 Sergipe",
  "SP 35 São Paulo",
  "TO 17 Tocantins",
];

export const state = defineConversion({
  description:
    "A federal state of Brazil, as its two letters (`SP`) or its name. Accepts letters, names with or without accents, `BR-SP` and the number of IBGE. States of other countries are not known: use `as: text`.",
  options: z.object({
    country: convertDefaultsShape.country,
    output: maybeWord(["code", "name"], "`code` (default): SP; `name`: São Paulo."),
  }),
  reads: { kinds: ["text", "number"], called: "a state" },
  examples: [
    { spec: { name: "state", country: "BR" }, in: "sao paulo", out: "SP" },
    { spec: { name: "state", country: "BR", output: "name" }, in: "MG", out: "Minas Gerais" },
  ],
  compile(options, defaults) {
    const of = options.country ?? defaults.country ?? null;
    if (of !== "BR")
      refuseOptions(
        `the states of country ${JSON.stringify(of)} are not known`,
        "Set `country: BR`, or use `as: text` with `oneOf`.",
      );
    const known = new Map<string, string>();
    for (const line of brazil) {
      const [code = "", ibge = "", ...words] = line.split(" ");
      const name = words.join(" ");
      for (const form of [
        code,
        `BR ${code}`,
        ibge,
        ...["", "estado de ", "estado do ", "estado da "].map((before) => before + name),
      ])
        known.set(foldWords(form), options.output === "name" ? name : code);
    }
    return (cell) => {
      const value = known.get(foldWords(cell));
      if (value !== undefined) return value;
      return refuse("state-unknown", cell, "is not a state of Brazil", "Write its two letters, such as SP.");
    };
  },
});

export const phone = defineConversion({
  description:
    "A telephone number in international format with a leading plus (E.164), as the service returns it. A number without a country code belongs to `country`. Numbers that cannot exist are errors.",
  options: z.object({
    country: convertDefaultsShape.country,
  }),
  reads: { kinds: ["text", "number"], called: "a telephone number" },
  examples: [{ spec: { name: "phone", country: "BR" }, in: "(11) 98765-4321", out: "+5511987654321" }],
  compile(options, defaults) {
    // Loading takes 45 ms, so only mappings that need it load it.
    const { isSupportedCountry, parsePhoneNumberFromString } = require("libphonenumber-js/max") as typeof phoneNumbers;
    const home = options.country ?? defaults.country;
    if (home !== undefined && !isSupportedCountry(home))
      refuseOptions(`there are no telephone numbers of country ${JSON.stringify(home)}`);
    const hint =
      home === undefined
        ? "Write it with plus and country code; or change the mapping: set `country` under `defaults:`."
        : `Numbers without a country code are read as ${home}; write others with a leading plus.`;
    return (cell) => {
      const of = home === undefined ? {} : { defaultCountry: home };
      const number = parsePhoneNumberFromString(cell, { ...of, extract: false });
      if (number?.ext !== undefined)
        refuse("phone-invalid", cell, "has an extension, for which the international format has no place", hint);
      if (number?.isValid() === true) return number.number;
      return refuse("phone-invalid", cell, "is not a valid telephone number", hint);
    };
  },
});
