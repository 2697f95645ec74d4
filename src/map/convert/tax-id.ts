/** Tax ids in one canonical form, so that dots and dashes never make twins (HARD-CASES H32). */
import { createRequire } from "node:module";
import type { Validator } from "stdnum";
import { z } from "zod";
import { RowferryError } from "../../model/error.js";
import {
  type ConvertDefaults,
  convertDefaultsShape,
  type ConvertResult,
  defineConversion,
  quoteCell,
  refuse,
  refuseKind,
} from "./conversion-kind.js";
import { recall } from "./text.js";

const require = createRequire(import.meta.url);

/** The library has files for these, and does not list them. */
const unlisted = ["AI", "LK"];

const loaded = new Map<string, Record<string, Validator> | null>();

/** The library's main entry loads all 92 countries (100 ms); each is loaded when it is first asked for. */
function validatorsOf(country: string): Record<string, Validator> | null {
  let validators = loaded.get(country);
  if (validators === undefined) loaded.set(country, (validators = load(country)));
  return validators;
}

function load(country: string): Record<string, Validator> | null {
  if (!/^[A-Z]{2}$/.test(country) || unlisted.includes(country)) return null;
  try {
    return require(`stdnum/lib/cjs/${country.toLowerCase()}/index.js`) as Record<string, Validator>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}

/** Types whose numbers have a fixed length and may have lost leading zeros in a spreadsheet. */
const fixedLengths: Record<string, number> = { "BR/cpf": 11, "BR/cnpj": 14, "PT/nif": 9, "PT/nipc": 9, "MZ/nuit": 9 };
/** Fewer digits than this are a slip, not a number that has lost its zeros. */
const fewestDigits = 3;

interface TaxIdType {
  /** As mappings write it: `CNPJ`. */
  name: string;
  validator: Validator;
  length: number | null;
}

/** The types of a country's tax ids, as mappings may name them. @throws RowferryError when none is known. */
function typesOf(country: string): TaxIdType[] {
  const validators = validatorsOf(country);
  if (validators === null) {
    throw new RowferryError("conversion-options", `no tax ids of country ${JSON.stringify(country)} are known`, {
      hint: "Use `as: text` with `pattern` for them.",
    });
  }
  return Object.entries(validators).map(([key, validator]) => ({
    name: key.toUpperCase(),
    validator,
    length: fixedLengths[`${country}/${key}`] ?? null,
  }));
}

const sameDigit = /^(\d)\1+$/;

/** The canonical form; null when the number is not of this type. Repeated digits pass every checksum, and are refused. */
function canonical(text: string, { validator }: TaxIdType): string | null {
  // Some validators of the library know their country's separators only in part (the dots of a Chilean RUT).
  const asWritten = validator.validate(text);
  const checked = asWritten.isValid ? asWritten : validator.validate(text.replace(/[\s./-]+/g, ""));
  if (!checked.isValid || sameDigit.test(checked.compact)) return null;
  return checked.compact.toUpperCase();
}

/** Restores leading zeros: only for a certain type, only for bare digits. */
function padded(text: string, type: TaxIdType): string {
  const bare = /^\d+$/.test(text) && type.length !== null && text.length < type.length && text.length >= fewestDigits;
  return bare ? text.padStart(type.length ?? 0, "0") : text;
}

/** Which of a country's types a tax id is (`CNPJ`), or null when it is of none or of several. */
export function taxIdTypeOf(text: string, country: string): string | null {
  if (validatorsOf(country) === null) return null;
  const fitting = typesOf(country).filter((type) => canonical(text.trim().toUpperCase(), type) !== null);
  return fitting.length === 1 ? (fitting[0]?.name ?? null) : null;
}

function chooseTypes(
  options: { country?: string | undefined; type?: string | undefined },
  defaults: ConvertDefaults,
): TaxIdType[] {
  const country = options.country ?? defaults.country;
  if (country === undefined) {
    throw new RowferryError("conversion-options", "the country of tax ids is not known", {
      hint: "Set `country: BR` under `defaults:`, or in the field's `as`.",
    });
  }
  const types = typesOf(country);
  const wanted = options.type?.toUpperCase();
  if (wanted === undefined) return types;
  const chosen = types.filter((type) => type.name === wanted);
  if (chosen.length === 0) {
    throw new RowferryError(
      "conversion-options",
      `tax id type ${JSON.stringify(options.type)} is not one of country ${country}`,
      {
        hint: `Known: ${types.map(({ name }) => name).join(", ")}. For others use \`as: text\`.`,
      },
    );
  }
  return chosen;
}

export const taxId = defineConversion({
  description:
    "A tax id with its check digits proven, without dots, dashes and strokes: CPF and CNPJ (also the alphanumeric one of 2026), and the numbers of some ninety countries. Leading zeros that a spreadsheet has dropped are restored only where `type` says what the number is. Repeated digits (111.111.111-11) are refused.",
  options: z.object({
    country: convertDefaultsShape.country,
    type: z
      .string()
      .min(1)
      .optional()
      .describe("The one type allowed, such as CNPJ or CPF. Without it any type of the country is."),
  }),
  gives: "string",
  examples: [
    { spec: { name: "taxId", country: "BR" }, in: "11.222.333/0001-81", out: "11222333000181" },
    { spec: { name: "taxId", country: "BR" }, in: "12.abc.345/01de-35", out: "12ABC34501DE35" },
    { spec: { name: "taxId", country: "BR", type: "CPF" }, in: "1234567890", out: "01234567890" },
  ],
  compile(options, defaults) {
    const types = chooseTypes(options, defaults);
    const names = types.map(({ name }) => name).join(" or ");
    const only = types.length === 1 ? types[0] : undefined;
    const convert = (cell: string): ConvertResult => {
      const text = cell.trim().toUpperCase();
      if (/^[\d.,]+E[+-]?\d+$/.test(text)) {
        return refuse(
          "tax-id-invalid",
          `${quoteCell(cell)} is in scientific notation, which has lost digits`,
          "Export the column as text.",
        );
      }
      const forms = types.map((type) => canonical(only === undefined ? text : padded(text, type), type));
      const [form, ...others] = new Set(forms.filter((value) => value !== null));
      if (form !== undefined && others.length === 0) return { value: form };
      const short =
        only === undefined && /^\d+$/.test(text) && types.some((type) => canonical(padded(text, type), type) !== null);
      return refuse(
        "tax-id-invalid",
        form === undefined
          ? `${quoteCell(cell)} is not a valid ${names}`
          : `${quoteCell(cell)} can be read as several tax ids`,
        short
          ? "It would be valid with leading zeros: name its `type` in the mapping, or export the column as text."
          : "Check the number against its document: its length or its check digits are wrong.",
      );
    };
    // Ten microseconds each.
    const recalled = recall(convert);
    return (cell, kind) => (kind === "text" || kind === "number" ? recalled(cell) : refuseKind(cell, kind, "a tax id"));
  },
});
