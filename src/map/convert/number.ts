import { z } from "zod";
import type { CellKind } from "../../model/row.js";
import {
  attempt,
  type ConvertDefaults,
  convertDefaultsShape,
  defineConversion,
  quoteCell,
  Refused,
  refuse,
  refuseOptions,
} from "./conversion-kind.js";
import { Exact, MAX_DIGITS } from "./exact.js";
import { type NumberFault, readNumber, withPlaces } from "./number-text.js";
import { filled, maybe } from "../described.js";

const factor = z.union([
  z
    .number()
    .positive()
    .refine((value) => !String(value).includes("e"), "a factor in plain notation"),
  z.string().regex(/^\d+(\.\d*[1-9])?$/, "a factor such as 1000 or 0.001"),
]);

const wholeOptions = z.object({
  decimal: convertDefaultsShape.decimal,
  grouping: convertDefaultsShape.grouping,
  units: maybe(
    z.union([z.array(filled), z.record(filled, factor)]),
    "Units allowed next to the number, or shown by its number format: a list (`[kg]`, dropped), or factors (`{ kg: 1, t: 1000 }`). Case does not count, but `Mg` is not `mg`. Each begins with a letter, a currency sign, `%`, `‰` or `°`. Without it a unit is an error.",
  ),
  min: maybe(z.number(), "The smallest value allowed."),
  max: maybe(z.number(), "The largest value allowed."),
});

const options = wholeOptions.extend({
  places: maybe(
    z.int().min(0).max(20),
    "Exactly this many digits after the point, filled with zeros where it is text; more digits in the cell are an error. Where values have landed already, adding it makes them `changed`: `100` and `100.00` are two texts.",
  ),
});

const reads = { kinds: ["text", "number"], called: "a number" } as const;

export const number = defineConversion({
  description:
    "An exact decimal number of at most 60 digits: in attributes and keys text in plain notation (`1500.5`), in `fields`, `value` and `extra` a JSON number with all its digits. Text cells are read under the mapping's `decimal` mark; numbers of a workbook are taken as they are. `-5`, `5-` and `(5)` are one number; `1e+05` is 100000, as R and pandas write it, and under a decimal point, `1.25E7` is 12500000, as Java does; blanks and apostrophes between groups of three digits do not count.",
  options,
  reads,
  examples: [
    { spec: { name: "number", decimal: "," }, in: "1.500,50", out: "1500.5" },
    { spec: { name: "number", decimal: ",", units: { kg: 1, t: 1000 } }, in: "1,25 t", out: "1250" },
    { spec: { name: "number", decimal: "." }, in: "-23.5505", out: "-23.5505" },
  ],
  compile: ({ places, ...others }, defaults) => {
    const read = compileReader(others, defaults);
    return (cell, kind) => {
      const value = read(cell, kind);
      if (places === 0 && value.includes(".")) refuse("integer-fraction", cell, "is not a whole number");
      const spelt = places === undefined ? value : withPlaces(value, places, quoteCell(cell));
      return Exact.of(spelt, spelt);
    };
  },
});

export const integer = defineConversion({
  description: "A whole number, read like a `number`: a fraction other than zero is an error.",
  options: wholeOptions,
  reads,
  examples: [{ spec: { name: "integer", decimal: ",", grouping: true }, in: "12.500", out: "12500" }],
  compile: (others, defaults) => number.compile({ ...others, places: 0 }, defaults),
});

/** Without a decimal mark, text cells may hold only digits and a sign, since `1.500` could be either. */
function compileReader({ units = [], min, max, ...marks }: z.infer<typeof wholeOptions>, defaults: ConvertDefaults) {
  const { decimal, grouping = false } = { ...defaults, ...marks };
  const entries = Object.entries(Array.isArray(units) ? Object.fromEntries(units.map((unit) => [unit, 1])) : units);
  const factors = entries.map(([name, value]) => ({ name, times: Exact.of(value) }));
  for (const { name, times } of factors) {
    const other = factors.find((one) => foldUnit(one.name) === foldUnit(name) && one.times.compare(times) !== 0);
    if (other !== undefined)
      refuseOptions(
        `the units "${name}" and "${other.name}" differ only in case but have two factors`,
        "Keep one of them.",
      );
  }
  if (min !== undefined && max !== undefined && Exact.of(min).compare(Exact.of(max)) > 0)
    refuseOptions("`min` is greater than `max`, so no number fits");
  return (cell: string, kind: CellKind): string => {
    if (kind === "text" && decimal === undefined && /[.,]/.test(cell)) {
      const hint = 'Set `decimal: ","` or `decimal: "."` under `defaults:`.';
      refuse("number-unreadable", cell, "cannot be read, because the mapping names no decimal mark", hint);
    }
    // A workbook's number is canonical: read under decimal ",", 1.234 would become 1234.
    const mark = kind === "number" ? "." : (decimal ?? ".");
    const found = readNumber(cell, mark, grouping);
    const own = typeof found === "string" ? "" : found.unit.trim();
    const known = factors.find(({ name }) => foldUnit(name) === foldUnit(own) && !isOtherPrefix(name, own));
    const times = own === "" ? ONE : known?.times;
    if (typeof found === "string" || times === undefined) refuseLetter(cell, mark, grouping);
    if (typeof found === "string") return refuseNumber(cell, found, mark);
    const { text, unit } = found;
    if (times === undefined) {
      const names = factors.map(({ name }) => name).join(", ");
      const hint =
        names === ""
          ? "Remove it from the cell; or change the mapping: name the unit in the column's `units`."
          : `Known units: ${names}.`;
      return refuse("number-unit", cell, `carries ${quoteCell(unit)}, which is not a unit of this column`, hint);
    }
    const value = attempt(() => Exact.of(text).times(times));
    if (value instanceof Refused) return refuseNumber(cell, "digits", mark);
    if (min !== undefined && value.compare(Exact.of(min)) < 0) refuse("number-range", cell, `is less than ${min}`);
    if (max !== undefined && value.compare(Exact.of(max)) > 0) refuse("number-range", cell, `is more than ${max}`);
    return value.text;
  };
}

const ONE = Exact.of(1);

function foldUnit(unit: string) {
  return unit.trim().replace(/\.$/, "").toLowerCase();
}

/** `Mg` and `mg`, `MHz` and `mHz`: a million and a thousandth. `MG`, `M³` and `Min` are written so for `mg`, `m³` and `min`. */
function isOtherPrefix(unit: string, other: string) {
  const [one, two] = [unit, other].map((text) => text.replace(/\.$/, "")) as [string, string];
  return one !== two && /^M/i.test(one) && one.slice(1) === two.slice(1) && /^.(?:\p{L}$|\p{Lu})/u.test(one);
}

/** Letters typed or scanned in place of digits: next to a digit or a mark, and not the beginning of a unit. */
const lookAlike = /(?<=[\d.,])[OoIl](?=[\d.,\s]|$)|^[OoIl](?=[\d.,])/g;

/** `12,5O kg` */
function refuseLetter(cell: string, mark: "," | ".", grouping: boolean) {
  const [letter] = cell.slice(0, 100).match(lookAlike) ?? [];
  const corrected = cell.replace(lookAlike, (found) => (/o/i.test(found) ? "0" : "1"));
  if (letter === undefined || typeof readNumber(corrected, mark, grouping) === "string") return;
  const message = `has a letter ${letter} for ${/o/i.test(letter) ? "a zero" : "a one"}`;
  refuse("number-unreadable", cell, message, `Write ${quoteCell(corrected)}.`);
}

const faults: Record<NumberFault, string> = {
  exponent: "is in scientific notation, which may have lost digits",
  grouping: "is not grouped in thousands while MARK is the decimal mark",
  ambiguous: "may be thousands or a fraction",
  digits: `has more than ${MAX_DIGITS} digits`,
  sign: "has more than one sign",
  bracket: "has only one of two brackets",
  form: "is not a number",
};

const hints: Partial<Record<NumberFault, string>> = {
  exponent: "Export the column as text, or with all its digits.",
  ambiguous:
    "Correct the cell; or change the mapping: write `grouping: true` under `defaults:` if OTHERS group thousands throughout the file.",
  digits: "Correct the cell; or change the mapping: use `as: digits` or `as: text`, because identifiers are text.",
};

function refuseNumber(cell: string, fault: NumberFault, decimal: "," | "."): never {
  const [mark, others, example] =
    decimal === "," ? ["a comma", "points", "1.500,5 or 1500,5"] : ["a point", "commas", "1,500.5 or 1500.5"];
  const hint = hints[fault] ?? `The mapping's decimal mark is ${mark}: write ${example}, for example.`;
  return refuse("number-unreadable", cell, faults[fault].replace("MARK", mark), hint.replace("OTHERS", others));
}
