/** Small conversions of letters and digits. */
import { z } from "zod";
import { type Conversion, defineConversion } from "./conversion-kind.js";
import { quoteCell, refuse } from "./refuse.js";
import { cleanText } from "./text.js";

/** `Ação Nº 2` → `acao no 2`: without accents, compatibility forms unfolded, in lower case. */
export function foldText(raw: string): string {
  return raw
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase();
}

const noOptions = z.object({});

export const upper = defineConversion({
  description: "Text as `text` gives it, in capitals: for plates and codes.",
  options: noOptions,
  gives: "string",
  examples: [{ spec: "upper", in: " abc1d23 ", out: "ABC1D23" }],
  compile(): Conversion {
    return (cell) => ({ value: cleanText(cell).toUpperCase() });
  },
});

export const lower = defineConversion({
  description: "Text as `text` gives it, in small letters: for e-mail addresses.",
  options: noOptions,
  gives: "string",
  examples: [{ spec: "lower", in: "Ana@Example.COM", out: "ana@example.com" }],
  compile(): Conversion {
    return (cell) => ({ value: cleanText(cell).toLowerCase() });
  },
});

export const digits = defineConversion({
  description:
    "Only the digits 0–9 of the cell, leading zeros kept; a cell without digits is an error. Not for tax ids, which may hold letters: see `taxId`.",
  options: z.object({
    length: z.int().positive().optional().describe("How many digits there must be."),
  }),
  gives: "string",
  examples: [
    { spec: "digits", in: "Nº 0042-7", out: "00427" },
    { spec: { name: "digits", length: 8 }, in: "01310-100", out: "01310100" },
  ],
  compile({ length }): Conversion {
    return (cell) => {
      const value = cell.replace(/[^0-9]+/g, "");
      if (value === "") return refuse("digits-missing", `${quoteCell(cell)} holds no digits`);
      if (length !== undefined && value.length !== length) {
        return refuse("digits-missing", `${quoteCell(cell)} holds ${value.length} digits; ${length} are needed`);
      }
      return { value };
    };
  },
});

export const slug = defineConversion({
  description:
    "Small letters a–z, digits and single hyphens: for keys made of names. A cell without any of them is an error.",
  options: noOptions,
  gives: "string",
  examples: [{ spec: "slug", in: "Coleta — São João (2ª)", out: "coleta-sao-joao-2a" }],
  compile(): Conversion {
    return (cell) => {
      const value = foldText(cell)
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "");
      return value === "" ? refuse("text-empty", `nothing is left of ${quoteCell(cell)} but signs`) : { value };
    };
  },
});
