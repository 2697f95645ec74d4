/** Countries by code or name. */
import { createRequire } from "node:module";
import type countriesModule from "i18n-iso-countries";
import type { LocaleData } from "i18n-iso-countries";
import { z } from "zod";
import { convertDefaultsShape, defineConversion } from "./conversion-kind.js";
import { foldText } from "./letters.js";
import { quoteCell, refuse, refuseKind } from "./refuse.js";

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
