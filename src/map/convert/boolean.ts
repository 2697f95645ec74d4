/** True and false in six languages, or in the mapping's own words. */
import { z } from "zod";
import { foldIdentity } from "../../model/fold.js";
import { convertDefaultsShape, defineConversion, refuse, refuseOptions } from "./conversion-kind.js";
import { maybe } from "../described.js";

/** No word has two meanings across languages, so that no language need be named. */
const words = {
  pt: ["sim s verdadeiro v", "não n falso f"],
  en: ["yes y t on", "no n f off"],
  es: ["sí s verdadero v", "no n falso f"],
  fr: ["oui o vrai v", "non n faux f"],
  de: ["ja j wahr w", "nein n falsch f"],
  it: ["sì s vero v", "no n falso f"],
};
const always = ["true 1", "false 0"];

export const boolean = defineConversion({
  description:
    "True or false, from the words of the mapping's `language` (or of pt, en, es, fr, de and it), 1 and 0, or the words of `booleans`. Case and accents do not matter; any other word is an error.",
  options: z.object({
    language: convertDefaultsShape.language,
    true: maybe(z.array(z.string()).min(1), "The words for true, instead of all others; set it together with `false`."),
    false: maybe(
      z.array(z.string()).min(1),
      "The words for false, instead of all others; set it together with `true`.",
    ),
  }),
  reads: { kinds: ["text", "number", "boolean"], called: "a yes or no" },
  examples: [
    { spec: "boolean", in: "Não", out: false },
    { spec: { name: "boolean", true: ["público"], false: ["reservado"] }, in: "PUBLICO", out: true },
  ],
  compile(options, defaults) {
    const own = options.true || options.false ? options : defaults.booleans;
    const language = options.language ?? defaults.language;
    const known = language === undefined ? Object.values(words) : [words[language]];
    const all = [...known, always].map(([yes = "", no = ""]) => ({ true: yes.split(" "), false: no.split(" ") }));
    const meanings = new Map<string, boolean>();
    for (const lists of own === undefined ? all : [own])
      for (const value of [false, true])
        for (const word of lists[`${value}`] ?? []) {
          const folded = foldIdentity(word);
          if (meanings.get(folded) === !value)
            refuseOptions(
              `"${word}" is a word for true and for false`,
              "Case and accents do not matter: keep it in one of the lists.",
            );
          meanings.set(folded, value);
        }
    return (cell, kind) => {
      const value = kind === "boolean" ? cell === "true" : meanings.get(foldIdentity(cell));
      if (value !== undefined) return value;
      const some = [...meanings.keys()].slice(0, 12).join(", ");
      const hint = `Write one of the words ${some}; or change the mapping: give your own, \`true: […], false: […]\`, with \`as: boolean\`.`;
      return refuse("boolean-unreadable", cell, "is neither a word for true nor one for false", hint);
    };
  },
});
