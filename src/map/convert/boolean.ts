/** Yes and no in six languages, or in the mapping's own words. */
import { z } from "zod";
import { convertDefaultsShape, defineConversion, quoteCell, refuse, refuseKind } from "./conversion-kind.js";
import { cleanText, foldText } from "./text.js";

/** Understood in every language. */
const always = { true: ["true", "1"], false: ["false", "0"] };

/** A word may stand in several languages, but never with two meanings: then no language need be named. */
const words = {
  pt: { true: ["sim", "s", "verdadeiro", "v"], false: ["não", "n", "falso", "f"] },
  en: { true: ["yes", "y", "t", "on"], false: ["no", "n", "f", "off"] },
  es: { true: ["sí", "s", "verdadero", "v"], false: ["no", "n", "falso", "f"] },
  fr: { true: ["oui", "o", "vrai", "v"], false: ["non", "n", "faux", "f"] },
  de: { true: ["ja", "j", "wahr", "w"], false: ["nein", "n", "falsch", "f"] },
  it: { true: ["sì", "s", "vero", "v"], false: ["no", "n", "falso", "f"] },
};

export const boolean = defineConversion({
  description:
    "True or false, from the words of the mapping's `language` (or of pt, en, es, fr, de and it), 1 and 0, or the words of `booleans`. Case and accents do not matter; any other word is an error.",
  options: z.object({
    language: convertDefaultsShape.language,
    true: z.array(z.string()).min(1).optional().describe("Words for true, instead of all others; goes with `false`."),
    false: z.array(z.string()).min(1).optional().describe("Words for false, instead of all others; goes with `true`."),
  }),
  gives: "boolean",
  examples: [
    { spec: "boolean", in: "Não", out: false },
    { spec: { name: "boolean", true: ["público"], false: ["reservado"] }, in: "PUBLICO", out: true },
  ],
  compile(options, defaults) {
    const meanings = new Map<string, boolean>();
    const learn = (list: { true: readonly string[]; false: readonly string[] }) => {
      for (const word of list.false) meanings.set(foldText(word), false);
      for (const word of list.true) meanings.set(foldText(word), true);
    };
    const own =
      options.true || options.false ? { true: options.true ?? [], false: options.false ?? [] } : defaults.booleans;
    if (own === undefined) {
      const language = options.language ?? defaults.language;
      for (const list of language === undefined ? Object.values(words) : [words[language]]) learn(list);
      learn(always);
    } else {
      learn(own);
    }
    return (cell, kind) => {
      if (kind === "boolean") return { value: cell === "true" };
      if (kind === "date" || kind === "time" || kind === "duration") return refuseKind(cell, kind, "a yes or no");
      const value = meanings.get(foldText(cleanText(cell)));
      if (value !== undefined) return { value };
      const known = [...meanings.keys()].slice(0, 12).join(", ");
      return refuse(
        "boolean-unreadable",
        `${quoteCell(cell)} is neither a word for true nor one for false`,
        `Known words: ${known}. Name others under \`as: { name: boolean, true: […], false: […] }\`.`,
      );
    };
  },
});
