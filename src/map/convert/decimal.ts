/** Exact decimal numbers, in plain canonical notation. */
import { z } from "zod";
import type { CellKind } from "../../model/row.js";
import { type ConvertDefaults, type ConvertResult, convertDefaultsShape, defineConversion } from "./conversion-kind.js";
import { multiply, type NumberFault, plainNotation, type ReadNumber, readNumber } from "./number-text.js";
import { quoteCell, refuse, refuseKind } from "./refuse.js";

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
  units: z
    .union([z.array(z.string().min(1)), z.record(z.string().min(1), factor)])
    .optional()
    .describe(
      "Units that may stand beside the number: a list (`[kg]`, dropped), or factors (`{ kg: 1, t: 1000 }`). Without it a unit is an error.",
    ),
  min: z.number().optional().describe("The least value allowed."),
  max: z.number().optional().describe("The greatest value allowed."),
};

/** The cell's number, or the refusal to give. */
export type NumberReader = (cell: string, kind: CellKind) => ReadNumber | ConvertResult;

const canonical = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * A reader of one field's numbers. Without a decimal mark (neither option nor default) text cells may hold digits
 * and a sign only, since `1.500` could be either; numbers of a workbook need no mark.
 */
export function compileNumberReader(
  options: { decimal?: "," | "." | undefined; units?: string[] | Record<string, number | string> | undefined },
  defaults: ConvertDefaults,
): NumberReader {
  const decimal = options.decimal ?? defaults.decimal;
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
    const number = readNumber(cell, mark);
    if (typeof number === "string") return refuseNumber(cell, number, mark);
    if (number.unit === "") return number;
    const times = factors.get(foldUnit(number.unit));
    if (times === undefined) {
      const known = [...factors.keys()].join(", ");
      return refuse(
        "number-unit",
        `${quoteCell(cell)} carries ${quoteCell(number.unit)}, which is not a unit of this field`,
        known === ""
          ? "Name the unit under `as: { name: decimal, units: […] }`, or remove it from the cell."
          : `Known units: ${known}.`,
      );
    }
    return times === "1" ? number : { ...multiply(number, times), unit: "" };
  };
}

function foldUnit(unit: string): string {
  return unit.trim().replace(/\.$/, "").toLowerCase();
}

const faults: Record<NumberFault, string> = {
  exponent: "is in scientific notation, which has lost digits",
  grouping: "is not grouped in thousands",
  sign: "has more than one sign",
  form: "is not a number",
};

function refuseNumber(cell: string, fault: NumberFault, decimal: "," | "."): ConvertResult {
  const mark = decimal === "," ? "a comma" : "a point";
  return refuse(
    "number-unreadable",
    `${quoteCell(cell)} ${faults[fault]}${fault === "grouping" ? ` while ${mark} is the decimal mark` : ""}`,
    fault === "exponent"
      ? "Export the column as text, or with all its digits."
      : `The mapping's decimal mark is ${mark}; write 1500 and a half as ${decimal === "," ? "1.500,5 or 1500,5" : "1,500.5 or 1500.5"}.`,
  );
}

/** The refusal of a value outside `min` and `max`; null inside. */
export function refuseRange(
  cell: string,
  value: number,
  range: { min?: number | undefined; max?: number | undefined },
): ConvertResult | null {
  if (range.min !== undefined && value < range.min) {
    return refuse("number-range", `${quoteCell(cell)} is less than ${range.min}`);
  }
  if (range.max !== undefined && value > range.max) {
    return refuse("number-range", `${quoteCell(cell)} is more than ${range.max}`);
  }
  return null;
}

export const decimal = defineConversion({
  description:
    "An exact decimal number, as text in plain notation (`1500.5`): no grouping, no exponent, no superfluous zeros. Text cells are read under the mapping's `decimal` mark; numbers of a workbook are taken as they are. With `number: true` the value is a JSON number.",
  options: z.object({
    ...numberOptions,
    places: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe("Exactly so many digits after the point, filled with zeros; more in the cell are an error."),
    number: z.boolean().optional().describe("Give a JSON number instead of text; default false."),
  }),
  gives: "string",
  examples: [
    { spec: { name: "decimal", decimal: "," }, in: "1.500,50", out: "1500.5" },
    { spec: { name: "decimal", decimal: ",", units: { kg: 1, t: 1000 } }, in: "1,25 t", out: "1250" },
    { spec: { name: "decimal", decimal: ".", number: true }, in: "-23.5505", out: -23.5505 },
  ],
  compile(options, defaults) {
    const read = compileNumberReader(options, defaults);
    const { places, number: asNumber } = options;
    const ranged = options.min !== undefined || options.max !== undefined;
    return (cell, kind) => {
      const number = read(cell, kind);
      if (!("whole" in number)) return number;
      if (places !== undefined && number.fraction.length > places) {
        return refuse(
          "number-range",
          `${quoteCell(cell)} has ${number.fraction.length} digits after the decimal mark; ${places} are allowed`,
        );
      }
      const value = plainNotation(number);
      const refusal = ranged ? refuseRange(cell, Number(value), options) : null;
      if (refusal !== null) return refusal;
      if (asNumber === true) return { value: Number(value) };
      return { value: places ? plainNotation({ ...number, fraction: number.fraction.padEnd(places, "0") }) : value };
    };
  },
});
