/** All date formats of one field: which of them reads a cell, and what to say when none does. */
import type { Code } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import type { CellKind } from "../../model/row.js";
import {
  type ConvertDefaults,
  convertDefaultsShape,
  type ConvertResult,
  quoteCell,
  refuse,
  refuseKind,
} from "./conversion-kind.js";
import {
  asUtc,
  compileDateFormat,
  type DateFault,
  type DateFormat,
  type DateParts,
  exists,
  fromUtc,
  offsetMinutes,
} from "./dates.js";

/** Options that `date` and `timestamp` share. */
export const dateOptions = {
  formats: convertDefaultsShape.dates.describe("The formats of this field, instead of the mapping's `dates`."),
  timezone: convertDefaultsShape.timezone,
  disambiguation: convertDefaultsShape.disambiguation,
  twoDigitYears: convertDefaultsShape.twoDigitYears,
  language: convertDefaultsShape.language,
};

export interface DateOptions {
  formats?: string[] | undefined;
  twoDigitYears?: boolean | number | undefined;
  language?: string | undefined;
}

export interface ReadCell {
  parts: DateParts;
  /** Whether the cell told a time of day. */
  hasTime: boolean;
}

const isoInstant =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d{2}(?::?\d{2})?)$/;
const excelCell = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?)?$/;
const LONGEST_DATE = 100;
/** As luxon understands two digits. */
const latestByDefault = 2060;
const excelEpoch = Date.UTC(1899, 11, 30);

function fields(found: RegExpExecArray): DateParts | DateFault {
  const [, year, month, day, hour, minute, second, fraction, offset] = found;
  const parts: DateParts = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    millisecond: Number((fraction ?? "").slice(0, 3).padEnd(3, "0")),
    offset: offset === undefined ? null : offsetMinutes(offset),
  };
  return exists(parts) ? parts : "impossible";
}

/** ISO 8601 with `Z` or an offset; without one the text is no instant, and some other format must fit it. */
const iso: DateFormat = {
  format: "ISO",
  shape: "ISO",
  hasTime: true,
  read(text) {
    const found = isoInstant.exec(text);
    return found === null ? "form" : fields(found);
  },
};

/** A serial day number of the 1900 date system; up to 60 they are wrong in Excel itself, and refused. */
const excelSerial: DateFormat = {
  format: "EXCEL",
  shape: "EXCEL",
  hasTime: true,
  read(text) {
    if (!/^\d{1,7}(?:[.,]\d+)?$/.test(text)) return "form";
    const serial = Number(text.replace(",", "."));
    if (serial < 61) return "impossible";
    const parts = fromUtc(excelEpoch + Math.round(serial * 86_400_000));
    return exists(parts) ? parts : "impossible";
  },
};

/** Seconds or milliseconds since 1970. */
function epoch(format: string, form: RegExp, factor: number): DateFormat {
  const read = (text: string) => {
    if (!form.test(text)) return "form";
    const parts = fromUtc(Math.trunc(Number(text) * factor));
    return exists(parts) ? { ...parts, offset: 0 } : "impossible";
  };
  return { format, shape: format, hasTime: true, read };
}

const special: Record<string, DateFormat> = {
  ISO: iso,
  EXCEL: excelSerial,
  UNIX: epoch("UNIX", /^\d{9,10}(?:\.\d{1,9})?$/, 1000),
  UNIX_MS: epoch("UNIX_MS", /^\d{12,13}$/, 1),
};
/** What a number of a workbook may be: digits without a sign between them. */
const ofDigits = /^(?:#+|EXCEL|UNIX|UNIX_MS)$/;

/** The reader of one field's dates. @throws RowferryError `conversion-options` without formats, or with one that reads no date. */
export function compileDateReader(
  options: DateOptions,
  defaults: ConvertDefaults,
): (cell: string, kind: CellKind) => ReadCell | ConvertResult {
  const formats = compileFormats(options, defaults);
  const clashing = formats.some((one) => formats.some((other) => one !== other && one.shape === other.shape));
  const reading = clashing ? readUnlessAmbiguous : readFirst;
  const numeric = formats.filter(({ shape }) => ofDigits.test(shape));
  return (cell, kind) => {
    if (kind === "text") {
      const text = cell.trim();
      // Before any format's pattern: those are composed from what the mapping says, and luxon's own are not ours.
      const read = text.length > LONGEST_DATE ? "form" : reading(formats, text);
      return typeof read === "string" ? refuseDate(text, read, formats) : read;
    }
    if (kind === "date") {
      const found = excelCell.exec(cell);
      const parts = found === null ? "form" : fields(found);
      if (typeof parts === "string") return refuseDate(cell, parts, formats);
      return { parts, hasTime: found?.[4] !== undefined };
    }
    if (kind === "number" && numeric.length > 0) {
      const read = reading(numeric, cell);
      return typeof read === "string" ? refuseDate(cell, read, formats) : read;
    }
    return refuseKind(cell, kind, "a date");
  };
}

function compileFormats(options: DateOptions, defaults: ConvertDefaults): DateFormat[] {
  const formats = options.formats ?? defaults.dates;
  if (formats === undefined) {
    throw new RowferryError("conversion-options", "the formats of dates are not known", {
      hint: 'Set `dates: ["dd/MM/yyyy HH:mm"]` under `defaults:`, or `formats` in the field\'s `as`. For a workbook whose cells are dates: `dates: [ISO]`.',
    });
  }
  const allowed = options.twoDigitYears ?? defaults.twoDigitYears ?? false;
  const twoDigitYears = typeof allowed === "number" ? allowed : allowed ? latestByDefault : null;
  const language = options.language ?? defaults.language ?? "en";
  return formats.map((format) => {
    const compiled = special[format] ?? compileDateFormat(format, { twoDigitYears, language });
    if (typeof compiled === "string") {
      throw new RowferryError("conversion-options", compiled, {
        hint: "Formats are written like dd/MM/yyyy HH:mm (luxon's notation), or ISO, EXCEL, UNIX (seconds since 1970) or UNIX_MS.",
      });
    }
    return compiled;
  });
}

/** Of several faults the one that says most: a format that fits but names no real date beats one that does not fit. */
const telling: DateFault[] = ["form", "two-digit-year", "impossible", "ambiguous"];

function readFirst(formats: DateFormat[], text: string): ReadCell | DateFault {
  let fault: DateFault = "form";
  for (const format of formats) {
    const parts = format.read(text);
    if (typeof parts !== "string") return { parts, hasTime: format.hasTime };
    if (telling.indexOf(parts) > telling.indexOf(fault)) fault = parts;
  }
  return fault;
}

/** As `readFirst`, but a text that two formats read as two different times is refused. */
function readUnlessAmbiguous(formats: DateFormat[], text: string): ReadCell | DateFault {
  const first = readFirst(formats, text);
  if (typeof first === "string") return first;
  for (const format of formats) {
    const parts = format.read(text);
    if (typeof parts !== "string" && asUtc(parts) !== asUtc(first.parts)) return "ambiguous";
  }
  return first;
}

function refuseDate(text: string, fault: DateFault, formats: DateFormat[]): ConvertResult {
  const { code, cause, hint } = refusals[fault];
  const known = formats.map(({ format }) => format).join(", ");
  return refuse(
    code,
    `${quoteCell(text)} ${cause.replace("FORMATS", () => known)}`,
    hint.replace("FORMATS", () => known),
  );
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
    hint: "It was read as FORMATS.",
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
