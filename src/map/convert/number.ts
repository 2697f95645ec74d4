/** Exact decimal numbers in plain canonical notation, and whole ones. */
import { z } from "zod";
import type { CellKind } from "../../model/row.js";
import {
  type ConvertDefaults,
  convertDefaultsShape,
  type ConvertResult,
  defineConversion,
  quoteCell,
  refuse,
  refuseKind,
} from "./conversion-kind.js";
import { Exact, MAX_DIGITS, TooLong } from "./exact.js";
import { type NumberFault, readNumber } from "./number-text.js";

const factor = z.union([
  z
    .number()
    .positive()
    .refine((value) => !String(value).includes("e"), "a factor in plain notation"),
  z.string().regex(/^\d+(\.\d+)?$/, "a factor such as 1000 or 0.001"),
]);

/** Options that `decimal` and `integer` share. */
export const numberOptions = {
  decimal: convertDefaultsShape.decimal,
  grouping: convertDefaultsShape.grouping,
  units: z
    .union([z.array(z.string().min(1)), z.record(z.string().min(1), factor)])
    .optional()
    .describe(
      "Units that may stand beside the number: a list (`[kg]`, dropped), or factors (`{ kg: 1, t: 1000 }`). Without it a unit is an error.",
    ),
  min: z.number().optional().describe("The least value allowed."),
  max: z.number().optional().describe("The greatest value allowed."),
};

/** The cell's number in plain notation, or the refusal to give. */
export type NumberReader = (cell: string, kind: CellKind) => string | ConvertResult;

const canonical = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * A reader of one field's numbers. Without a decimal mark (neither option nor default) text cells may hold digits
 * and a sign only, since `1.500` could be either; numbers of a workbook need no mark.
 */
export function compileNumberReader(
  options: {
    decimal?: "," | "." | undefined;
    grouping?: boolean | undefined;
    units?: string[] | Record<string, number | string> | undefined;
  },
  defaults: ConvertDefaults,
): NumberReader {
  const decimal = options.decimal ?? defaults.decimal;
  const grouping = options.grouping ?? defaults.grouping ?? false;
  const factors = new Map<string, string>(
    Array.isArray(options.units)
      ? options.units.map((unit) => [foldUnit(unit), "1"])
      : Object.entries(options.units ?? {}).map(([unit, value]) => [foldUnit(unit), String(value)]),
  );
  return (cell, kind) => {
    if (kind !== "text" && kind !== "number") return refuseKind(cell, kind, "a number");
    // An Excel number is canonical already: reading it under decimal "," would take 1.234 for 1234.
    if (kind === "number" && !canonical.test(cell)) return refuseNumber(cell, "form", ".");
    if (kind === "text" && decimal === undefined && /[.,]/.test(cell)) {
      return refuse(
        "number-unreadable",
        `${quoteCell(cell)} cannot be read, since the mapping names no decimal mark`,
        'Set `decimal: ","` or `decimal: "."` under `defaults:`.',
      );
    }
    const mark = kind === "number" ? "." : (decimal ?? ".");
    const number = readNumber(cell, mark, grouping);
    if (typeof number === "string") return refuseLetter(cell, mark, grouping) ?? refuseNumber(cell, number, mark);
    if (number.unit === "") return number.text;
    const times = factors.get(foldUnit(number.unit));
    if (times === undefined) {
      const mistyped = refuseLetter(cell, mark, grouping);
      if (mistyped !== null) return mistyped;
      const known = [...factors.keys()].join(", ");
      return refuse(
        "number-unit",
        `${quoteCell(cell)} carries ${quoteCell(number.unit)}, which is not a unit of this column`,
        known === "" ? "Name the unit in the column's `units`, or remove it from the cell." : `Known units: ${known}.`,
      );
    }
    return times === "1" ? number.text : multiply(cell, number.text, times, mark);
  };
}

function multiply(cell: string, number: string, times: string, mark: "," | "."): string | ConvertResult {
  try {
    return Exact.of(number).times(Exact.of(times)).text;
  } catch (error) {
    if (error instanceof TooLong) return refuseNumber(cell, "digits", mark);
    throw error;
  }
}

function foldUnit(unit: string): string {
  return unit.trim().replace(/\.$/, "").toLowerCase();
}

/** Letters that are typed, or read by a scanner, for a digit: beside a digit or a mark, and at no beginning of a unit. */
const lookAlike = /(?<=[\d.,])[OoIl](?=[\d.,\s]|$)|^[OoIl](?=[\d.,])/g;

/** `12,5O kg`; null where no letter stands for a digit, or more is wrong. */
function refuseLetter(cell: string, mark: "," | ".", grouping: boolean): ConvertResult | null {
  const [letter] = cell.slice(0, 100).match(lookAlike) ?? [];
  if (letter === undefined) return null;
  const corrected = cell.replace(lookAlike, (found) => (/o/i.test(found) ? "0" : "1"));
  if (typeof readNumber(corrected, mark, grouping) === "string") return null;
  const digit = /o/i.test(letter) ? "a zero" : "a one";
  return refuse(
    "number-unreadable",
    `${quoteCell(cell)} has a letter ${letter} for ${digit}`,
    `Write ${quoteCell(corrected)}.`,
  );
}

const faults: Record<NumberFault, string> = {
  exponent: "is in scientific notation, which has lost digits",
  grouping: "is not grouped in thousands",
  ambiguous: "may be thousands or a fraction",
  digits: `has more than ${MAX_DIGITS} digits`,
  sign: "has more than one sign",
  form: "is not a number",
};

function refuseNumber(cell: string, fault: NumberFault, decimal: "," | "."): ConvertResult {
  const mark = decimal === "," ? "a comma" : "a point";
  const other = decimal === "," ? "points" : "commas";
  const hints: Partial<Record<NumberFault, string>> = {
    exponent: "Export the column as text, or with all its digits.",
    ambiguous: `If ${other} group thousands throughout the file, write \`grouping: true\` under \`defaults:\`; otherwise correct the cell.`,
    digits: "Identifiers are text: use `as: digits` or `as: text`.",
  };
  return refuse(
    "number-unreadable",
    `${quoteCell(cell)} ${faults[fault]}${fault === "grouping" ? ` while ${mark} is the decimal mark` : ""}`,
    hints[fault] ??
      `The mapping's decimal mark is ${mark}; write 1500 and a half as ${decimal === "," ? "1.500,5 or 1500,5" : "1,500.5 or 1500.5"}.`,
  );
}

/** The refusal of a value (in plain notation) outside `min` and `max`; null inside. */
export function refuseRange(
  cell: string,
  value: string,
  range: { min?: number | undefined; max?: number | undefined },
): ConvertResult | null {
  const beyond = (bound: number) => Exact.of(value).compare(Exact.of(String(bound)));
  if (range.min !== undefined && beyond(range.min) < 0) {
    return refuse("number-range", `${quoteCell(cell)} is less than ${range.min}`);
  }
  if (range.max !== undefined && beyond(range.max) > 0) {
    return refuse("number-range", `${quoteCell(cell)} is more than ${range.max}`);
  }
  return null;
}

export const number = defineConversion({
  description:
    "An exact decimal number of at most 60 digits: in attributes and keys text in plain notation (`1500.5`), in `fields`, `value` and `extra` a JSON number with all its digits. Text cells are read under the mapping's `decimal` mark; numbers of a workbook are taken as they are.",
  options: z.object({
    ...numberOptions,
    places: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe("Exactly so many digits after the point, filled with zeros; more in the cell are an error."),
  }),
  gives: "string",
  examples: [
    { spec: { name: "number", decimal: "," }, in: "1.500,50", out: "1500.5" },
    { spec: { name: "number", decimal: ",", units: { kg: 1, t: 1000 } }, in: "1,25 t", out: "1250" },
    { spec: { name: "number", decimal: "." }, in: "-23.5505", out: "-23.5505" },
  ],
  compile(options, defaults) {
    const read = compileNumberReader(options, defaults);
    const { places } = options;
    const ranged = options.min !== undefined || options.max !== undefined;
    return (cell, kind) => {
      const value = read(cell, kind);
      if (typeof value !== "string") return value;
      const fraction = value.split(".")[1] ?? "";
      if (places !== undefined && fraction.length > places) {
        return refuse(
          "number-range",
          `${quoteCell(cell)} has ${fraction.length} digits after the decimal mark; ${places} are allowed`,
        );
      }
      const refusal = ranged ? refuseRange(cell, value, options) : null;
      if (refusal !== null) return refusal;
      if (places === undefined || places === 0) return { value };
      return { value: `${value.split(".")[0]}.${fraction.padEnd(places, "0")}` };
    };
  },
});

export const integer = defineConversion({
  description:
    "A whole number. Read like `decimal`; a fraction other than zero is an error, and so is a number too large to be exact (above 9007199254740991: an identifier rather, for which use `digits` or `text`).",
  options: z.object(numberOptions),
  gives: "number",
  examples: [{ spec: { name: "integer", decimal: ",", grouping: true }, in: "12.500", out: 12500 }],
  compile(options, defaults) {
    const read = compileNumberReader(options, defaults);
    return (cell, kind) => {
      const text = read(cell, kind);
      if (typeof text !== "string") return text;
      if (text.includes(".")) return refuse("integer-fraction", `${quoteCell(cell)} is not a whole number`);
      const value = Number(text);
      if (!Number.isSafeInteger(value)) {
        return refuse(
          "number-range",
          `${quoteCell(cell)} is too large for an exact whole number`,
          "For identifiers use `as: digits` or `as: text`.",
        );
      }
      return refuseRange(cell, text, options) ?? { value };
    };
  },
});
