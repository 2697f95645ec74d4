/** Federal states of Brazil by code or name. */
import { z } from "zod";
import { RowferryError } from "../../model/error.js";
import { convertDefaultsShape, defineConversion } from "./conversion-kind.js";
import { foldText } from "./letters.js";
import { quoteCell, refuse, refuseKind } from "./refuse.js";

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

function foldName(name: string): string {
  return foldText(name)
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

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
    const country = options.country ?? defaults.country;
    if (country !== "BR") {
      throw new RowferryError(
        "conversion-options",
        `the states of country ${JSON.stringify(country ?? null)} are not known`,
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
