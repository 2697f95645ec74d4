/** The date formats of a field: which one reads a cell, and the message if none does. */
import type { z } from "zod";
import type { Code } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import type { CellKind } from "../../model/row.js";
import {
  type ConvertDefaults,
  convertDefaultsShape,
  type ConvertResult,
  refuse,
  refuseKind,
} from "./conversion-kind.js";
import { asUtc, compileDateFormat, type DateFault, type DateFormat, type DateParts, readExcelCell } from "./dates.js";

export const dateOptions = {
  formats: convertDefaultsShape.dates.describe("The formats of this field, instead of the mapping's `dates`."),
  timezone: convertDefaultsShape.timezone,
  disambiguation: convertDefaultsShape.disambiguation,
  twoDigitYears: convertDefaultsShape.twoDigitYears,
  language: convertDefaultsShape.language,
};
export type DateOptions = z.infer<z.ZodObject<typeof dateOptions>>;

export interface ReadCell {
  parts: DateParts;
  hasTime: boolean;
}

/** Longer texts are refused before any pattern runs. */
const LONGEST_DATE = 100;
/** luxon's own meaning of two digits. */
const LATEST_BY_DEFAULT = 2060;

/** @throws RowferryError `conversion-options` without formats, or with one that reads no date. */
export function compileDateReader(
  options: DateOptions,
  defaults: ConvertDefaults,
): (cell: string, kind: CellKind) => ReadCell | ConvertResult {
  const written = options.formats ?? defaults.dates;
  if (written === undefined)
    throw new RowferryError("conversion-options", "the formats of dates are not known", {
      hint: 'Set `dates: ["dd/MM/yyyy HH:mm"]` under `defaults:`, or `formats` in the field\'s `as`. For a workbook whose cells are dates: `dates: [ISO]`.',
    });
  const allowed = options.twoDigitYears ?? defaults.twoDigitYears ?? false;
  const twoDigitYears = typeof allowed === "number" ? allowed : allowed ? LATEST_BY_DEFAULT : null;
  const language = options.language ?? defaults.language ?? "en";
  const formats = written.map((format) => compileDateFormat(format, { twoDigitYears, language }));
  const numeric = formats.filter(({ ofNumbers }) => ofNumbers);
  const known = written.join(", ");
  return (cell, kind) => {
    const text = cell.trim();
    const usable = kind === "number" ? numeric : kind === "text" ? formats : [];
    if (usable.length === 0 && kind !== "date") return refuseKind(cell, kind, "a date");
    const read =
      kind === "date" ? readDateCell(cell) : text.length > LONGEST_DATE ? "form" : readByFormats(usable, text);
    if (typeof read !== "string") return read;
    const { code, cause, hint } = refusals[read];
    return refuse(
      code,
      text,
      cause.replace("FORMATS", () => known),
      hint.replace("FORMATS", () => known),
    );
  };
}

function readDateCell(cell: string): ReadCell | DateFault {
  const parts = readExcelCell(cell);
  return typeof parts === "string" ? parts : { parts, hasTime: cell.includes("T") };
}

/** The most informative fault last: a format that fits but names no real date beats one that does not fit. */
const TELLING: DateFault[] = ["form", "two-digit-year", "impossible", "ambiguous"];

/** Refuses a text that two formats read as different times. */
function readByFormats(formats: readonly DateFormat[], text: string): ReadCell | DateFault {
  let fault: DateFault = "form";
  let first: ReadCell | undefined;
  for (const { read, hasTime } of formats) {
    const parts = read(text);
    if (typeof parts !== "string") {
      if (first !== undefined && asUtc(parts) !== asUtc(first.parts)) return "ambiguous";
      first ??= { parts, hasTime };
    } else if (TELLING.indexOf(parts) > TELLING.indexOf(fault)) fault = parts;
  }
  return first ?? fault;
}

const refusals: Record<DateFault, { code: Code; cause: string; hint: string }> = {
  form: {
    code: "date-unreadable",
    cause: "does not have the form FORMATS",
    hint: "Correct the cell, or add its format to the mapping's `dates`.",
  },
  impossible: {
    code: "date-impossible",
    cause: "is not a date and time that exists",
    hint: "It was read as FORMATS; years go from 1900 to 2999, offsets from -12:00 to +14:00.",
  },
  ambiguous: {
    code: "date-ambiguous",
    cause: "means different days under the formats FORMATS",
    hint: "Keep only the format that the file is written in.",
  },
  "two-digit-year": {
    code: "date-two-digit-year",
    cause: "has a year of two digits",
    hint: "Export years with four digits, or set `twoDigitYears` to the latest year that two digits can mean.",
  },
};
