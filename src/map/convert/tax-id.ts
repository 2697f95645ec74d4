/** Tax ids in one canonical form, so that dots and dashes never make two participants (H32). */
import { createRequire } from "node:module";
import type { Validator } from "stdnum";
import { z } from "zod";
import { convertDefaultsShape, defineConversion, refuse, refuseOptions } from "./conversion-kind.js";
import { filled, maybe } from "../described.js";

const require = createRequire(import.meta.url);

/** The library has these files but does not list them. */
const UNLISTED = ["AI", "LK"];
/** Numbers of these types may have lost leading zeros in a spreadsheet. */
const FIXED_LENGTHS: { [type: string]: number } = {
  "BR/CPF": 11,
  "BR/CNPJ": 14,
  "PT/NIF": 9,
  "PT/NIPC": 9,
  "MZ/NUIT": 9,
};
/** Fewer digits are a typing slip, not a number that lost its zeros. */
const FEWEST_DIGITS = 3;
/** No country's number is half as long. The library walks through a text letter by letter, once for each type. */
const LONGEST = 60;

interface TaxIdType {
  name: string;
  validator: Validator;
  /** Null: any. */
  length: number | null;
}

const loaded = new Map<string, TaxIdType[]>();

/** The library's main entry loads all 92 countries (100 ms), so each is loaded on first use. */
function typesOf(country: string): TaxIdType[] {
  if (!/^[A-Z]{2}$/.test(country) || UNLISTED.includes(country)) return [];
  const types = loaded.get(country) ?? load(country);
  loaded.set(country, types);
  return types;
}

function load(country: string): TaxIdType[] {
  let validators: { [type: string]: Validator };
  try {
    validators = require(`stdnum/lib/cjs/${country.toLowerCase()}/index.js`) as typeof validators;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return [];
    throw error;
  }
  return Object.entries(validators).map(([type, validator]) => {
    const name = type.toUpperCase();
    return { name, validator, length: FIXED_LENGTHS[`${country}/${name}`] ?? null };
  });
}

/** Null: not of this type. Repeated digits pass every checksum, and are refused. */
function canonical(text: string, { validator }: TaxIdType): string | null {
  if (text.length > LONGEST) return null;
  // Some validators know their country's separators only in part (the dots of a Chilean RUT).
  const asWritten = validator.validate(text);
  const checked = asWritten.isValid ? asWritten : validator.validate(text.replace(/[\s./-]+/g, ""));
  return checked.isValid && !/^(\d)\1+$/.test(checked.compact) ? checked.compact.toUpperCase() : null;
}

/** Restores leading zeros. */
function padded(text: string, { length }: TaxIdType) {
  return length !== null && /^\d+$/.test(text) && text.length >= FEWEST_DIGITS ? text.padStart(length, "0") : text;
}

/** Whether tax ids of the country are known. */
export const hasTaxIds = (country: string | undefined): boolean => country !== undefined && typesOf(country).length > 0;

/** In one spelling, because `cnpj` and `CNPJ` would be two participants; as written if the country has no such type. */
export function typeSpelling(type: string, country: string): string {
  return typesOf(country).find(({ name }) => name === type.toUpperCase())?.name ?? type;
}

/**
 * pandas writes whole numbers as fractions, 11222333000181.0, where one of the column is missing; an apostrophe in front
 * keeps the zeros of a spreadsheet.
 */
const asNumbered = (cell: string) =>
  cell
    .trim()
    .toUpperCase()
    .replace(/^'/, "")
    .replace(/^(\d{3,})\.0$/, "$1");

/** The types of the country that it may be. */
export function taxIdTypesOf(text: string, country: string): string[] {
  const fitting = typesOf(country).filter((type) => canonical(asNumbered(text), type) !== null);
  return fitting.map(({ name }) => name);
}

/** Whether the number of these types is a person's. False: a company's, or its type does not tell. */
export function isPersonal(text: string, country: string, types: readonly string[]): boolean {
  return typesOf(country).some(({ name, validator }) => {
    const checked = types.includes(name) ? validator.validate(asNumbered(text)) : null;
    return checked?.isValid === true && checked.isIndividual && !checked.isCompany;
  });
}

function chooseTypes(country: string | undefined, wanted: string | undefined): TaxIdType[] {
  if (country === undefined)
    return refuseOptions("the country of tax ids is unknown", "Set `country: BR` under `defaults:`, or in the column.");
  const types = typesOf(country);
  const unknown = `no tax ids of country ${JSON.stringify(country)} are known`;
  if (types.length === 0) refuseOptions(unknown, "Use `as: text` with `pattern` for them.");
  const chosen = types.filter(({ name }) => wanted === undefined || name === wanted.toUpperCase());
  if (chosen.length === 0) {
    const hint = `Known: ${types.map(({ name }) => name).join(", ")}. For others use \`as: text\`.`;
    refuseOptions(`tax id type ${JSON.stringify(wanted)} is not one of country ${country}`, hint);
  }
  return chosen;
}

export const taxId = defineConversion({
  description:
    "A tax id whose check digits were verified, without dots, dashes, strokes and the country's letters before a VAT number (`DE136695976` becomes `136695976`): CPF and CNPJ (also the alphanumeric one of 2026), and the numbers of some ninety countries. Leading zeros that a spreadsheet has dropped are restored only where `type` says what the number is. The `.0` that pandas adds is dropped, and an apostrophe in front. Repeated digits (111.111.111-11) are refused. `type` and `country` may be formulas over other columns; then the number of a country whose tax ids are not known is read as text.",
  options: z.object({
    country: maybe(filled, `${convertDefaultsShape.country.description} May be a formula.`),
    type: maybe(
      filled,
      "The one type allowed, such as CNPJ or CPF; for one that the country does not have, the error lists those that it has. Without it, any type of the country is allowed, and a number that fits several, as a Spanish CIF is also a NIF, is an error. May be a formula.",
    ),
  }),
  reads: { kinds: ["text", "number"], called: "a tax id" },
  examples: [
    { spec: { name: "taxId", country: "BR" }, in: "11.222.333/0001-81", out: "11222333000181" },
    { spec: { name: "taxId", country: "BR" }, in: "12.abc.345/01de-35", out: "12ABC34501DE35" },
    { spec: { name: "taxId", country: "BR", type: "CPF" }, in: "1234567890", out: "01234567890" },
  ],
  compile(options, defaults) {
    const types = chooseTypes(options.country ?? defaults.country, options.type);
    return (cell) => {
      const text = asNumbered(cell);
      if (/^[\d.,]+E[+-]?\d+$/.test(text)) {
        const lost = "is in scientific notation, which may have lost digits";
        refuse("tax-id-invalid", cell, lost, "Export the column as text.");
      }
      const forms = (pad: boolean) =>
        new Set(types.flatMap((type) => canonical(pad ? padded(text, type) : text, type) ?? []));
      const found = forms(types.length === 1);
      const [value] = found;
      if (value !== undefined && found.size === 1) return value;
      const message =
        value === undefined
          ? `is not a valid ${types.map(({ name }) => name).join(" or ")}`
          : "can be read as several tax ids";
      const hint =
        types.length > 1 && forms(true).size > found.size
          ? "With leading zeros it would be valid. Add them, or export the column as text; or change the mapping: name its `type`."
          : "Check the number against its document: its length or its check digits are wrong.";
      return refuse("tax-id-invalid", cell, message, hint);
    };
  },
});
