/** Dates and times: which format of a field reads a cell, and what it means in its zone. */
import { IANAZone } from "luxon";
import { z } from "zod";
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";
import {
  type ConvertDefaults,
  convertDefaultsShape,
  defineConversion,
  refuse,
  refuseKind,
  refuseOptions,
} from "./conversion-kind.js";
import { compileDateFormat, type DateFault, type DateFormat, type LocalTime, readExcelCell } from "./dates.js";
import { openZone, type Zone } from "./zone.js";
import { maybe } from "../described.js";

const dateOptions = {
  formats: convertDefaultsShape.dates.describe("The formats of this field, instead of the mapping's `dates`."),
  timezone: convertDefaultsShape.timezone,
  disambiguation: convertDefaultsShape.disambiguation,
  twoDigitYears: convertDefaultsShape.twoDigitYears,
  language: convertDefaultsShape.language,
};
type DateOptions = z.infer<z.ZodObject<typeof dateOptions>>;

interface ReadCell extends LocalTime {
  hasTime: boolean;
}

/** Longer texts are refused before any pattern runs. */
const LONGEST_DATE = 100;
/** luxon's own meaning of two digits. */
export const LATEST_BY_DEFAULT = 2060;

/** @throws Refused `conversion-options` without formats, or with one that reads no date. */
export function compileDateReader(
  options: DateOptions,
  defaults: ConvertDefaults,
): (cell: string, kind: CellKind) => ReadCell {
  const written = options.formats ?? defaults.dates;
  if (written === undefined)
    return refuseOptions(
      "the date formats are unknown",
      'Set `dates: ["dd/MM/yyyy HH:mm"]` under `defaults:`, or `formats` in the column. For a workbook whose cells are dates: `dates: [ISO]`.',
    );
  const { twoDigitYears: allowed = false, language = "en" } = { ...defaults, ...options };
  const twoDigitYears = typeof allowed === "number" ? allowed : allowed ? LATEST_BY_DEFAULT : null;
  const formats = written.map((format) => compileDateFormat(format, { twoDigitYears, language }));
  const numeric = formats.filter(({ ofNumbers }) => ofNumbers);
  const known = written.join(", ");
  return (cell, kind) => {
    const text = cell.trim();
    const usable = kind === "number" ? numeric : kind === "text" ? formats : [];
    if (usable.length === 0 && kind !== "date") refuseKind(cell, kind, "a date");
    const read =
      kind === "date" ? readDateCell(cell) : text.length > LONGEST_DATE ? "form" : readByFormats(usable, text);
    if (typeof read !== "string") return read;
    return refuseTime(read, text, {
      FORMATS: known,
      "`dates`": options.formats === undefined ? "`dates`" : "`formats`",
    });
  };
}

function readDateCell(cell: string): ReadCell | DateFault {
  const read = readExcelCell(cell);
  return typeof read === "string" ? read : { ...read, hasTime: cell.includes("T") };
}

/** The most informative fault last: a format that fits but names no real date beats one that does not fit. */
const TELLING: DateFault[] = ["form", "zone", "two-digit-year", "impossible", "ambiguous"];

/** Refuses a text that two formats read as different times. */
function readByFormats(formats: readonly DateFormat[], text: string): ReadCell | DateFault {
  let fault: DateFault = "form";
  let first: ReadCell | undefined;
  for (const { read, hasTime } of formats) {
    const found = read(text);
    if (typeof found !== "string") {
      if (first !== undefined && found.local !== first.local) return "ambiguous";
      first ??= { ...found, hasTime: hasTime(text) };
    } else if (TELLING.indexOf(found) > TELLING.indexOf(fault)) fault = found;
  }
  return first ?? fault;
}

/** `skipped`, `repeated`: a gap or an overlap of local times, where clocks are put forward or back. */
type TimeFault = DateFault | "skipped" | "repeated";

const faults: Record<TimeFault, { code: Code; message: string; hint: string }> = {
  form: {
    code: "date-unreadable",
    message: "does not have the form FORMATS",
    hint: "Correct the cell; or change the mapping: add its format to `dates`, such as yyyy-MM-dd'T'HH:mm:ss.u for local times, or d/M/yyyy H:mm, which reads one digit or two; `ISO` reads those with Z or an offset.",
  },
  zone: {
    code: "date-unreadable",
    message: "names a time zone that is not UTC, GMT or a name such as Europe/London",
    hint: 'Abbreviations such as BST have several meanings. Write an offset; or change the mapping: replace them with offsets, as in `=timestamp(replace(at, "BST", "+01:00"))`, and read it with ZZ.',
  },
  impossible: {
    code: "date-impossible",
    message: "is not a date and time that exists",
    hint: "It was read as FORMATS; hours go from 0 to 23, years from 1900 to 2999, offsets from -12:00 to +14:00.",
  },
  ambiguous: {
    code: "date-ambiguous",
    message: "means different days under the formats FORMATS",
    hint: "Keep only the format that the file is written in.",
  },
  "two-digit-year": {
    code: "date-two-digit-year",
    message: "has a year of two digits",
    hint: "Write years with four digits; or change the mapping: set `twoDigitYears` to the latest year that two digits can mean.",
  },
  skipped: {
    code: "time-skipped",
    message: "does not exist in ZONE: clocks were put forward over it",
    hint: "Correct the time; or change the mapping: check `timezone`, or choose a side with `disambiguation: earlier` or `later`.",
  },
  repeated: {
    code: "time-repeated",
    message: "exists twice in ZONE: clocks were put back over it",
    hint: "Choose a side with `disambiguation: earlier` or `later`, or export times with their offset and read them as ISO.",
  },
};

/** `words`: what to write in place of each. */
function refuseTime(fault: TimeFault, cell: string, words: { [placeholder: string]: string }): never {
  const { code, message, hint } = faults[fault];
  const [said = "", remedy = ""] = [message, hint].map((text) =>
    text.replace(/FORMATS|ZONE|`dates`/, (placeholder) => words[placeholder] ?? placeholder),
  );
  return refuse(code, cell, said, remedy);
}

/** The zone of that name, by default the mapping's. @throws Refused `conversion-options` for no zone or an unknown one. */
function compileZones(options: DateOptions, defaults: ConvertDefaults): (name?: string) => Zone {
  const { timezone, disambiguation = "reject" } = { ...defaults, ...options };
  if (timezone === undefined)
    return refuseOptions(
      "the time zone of local times is unknown",
      "Set `timezone: America/Sao_Paulo` (or another IANA name) under `defaults:`.",
    );
  if (!IANAZone.create(timezone).isValid)
    refuseOptions(
      `there is no time zone ${JSON.stringify(timezone)}`,
      "Use an IANA name such as America/Sao_Paulo or Europe/Lisbon.",
    );
  const own = openZone(timezone, disambiguation);
  return (name) => (name === undefined ? own : openZone(name, disambiguation));
}

export const timestamp = defineConversion({
  description:
    "An instant, in milliseconds since 1970 (sent as ISO 8601 with Z). Text cells are read under the mapping's `dates` only, dates of a workbook as they are; both are local times in `timezone`. A local time that the zone skips or repeats is an error unless `disambiguation` chooses a side.",
  options: z.object({
    ...dateOptions,
    timeOfDay: maybe(
      z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "a time such as 12:00"),
      "The local time for cells without one; default: the first instant of the day.",
    ),
  }),
  examples: [
    {
      spec: { name: "timestamp", timezone: "America/Sao_Paulo", formats: ["dd/MM/yyyy HH:mm"] },
      in: "09/03/2025 14:05",
      out: 1741539900000,
    },
    {
      spec: { name: "timestamp", timezone: "Europe/Lisbon", formats: ["ISO"] },
      in: "2025-07-01T09:30:00+01:00",
      out: 1751358600000,
    },
  ],
  compile({ timeOfDay, ...options }, defaults) {
    const read = compileDateReader(options, defaults);
    const zoneOf = compileZones(options, defaults);
    return (cell, kind) => {
      const { offset, hasTime, zone: named, ...found } = read(cell, kind);
      const [hours = 0, minutes = 0] = hasTime ? [] : (timeOfDay ?? "").split(":").map(Number);
      const local = found.local + (hours * 60 + minutes) * 60_000;
      if (offset !== null && named === undefined) return local - offset * 60_000;
      const zone = zoneOf(named);
      const value = hasTime || timeOfDay !== undefined ? zone.toInstant(local) : zone.toFirstInstant(local);
      if (typeof value === "number") return value;
      return refuseTime(value, cell, { ZONE: named ?? "the mapping's time zone" });
    };
  },
});

export const date = defineConversion({
  description:
    "A calendar day as `yyyy-MM-dd`. Read under the mapping's `dates`; a time of day is dropped. A time with an offset (`ISO`) becomes the day on which it falls in `timezone`.",
  options: z.object(dateOptions),
  examples: [{ spec: { name: "date", formats: ["dd/MM/yyyy"] }, in: "09/03/2025", out: "2025-03-09" }],
  compile(options, defaults) {
    const read = compileDateReader(options, defaults);
    const formats = options.formats ?? defaults.dates ?? [];
    const zoned = formats.some((format) => format === "ISO" || /^UNIX|z/i.test(format));
    const zone = zoned ? compileZones(options, defaults)() : null;
    return (cell, kind) => {
      const { offset, ...found } = read(cell, kind);
      const local = offset === null || zone === null ? found.local : zone.toLocal(found.local - offset * 60_000);
      return new Date(local).toISOString().slice(0, 10);
    };
  },
});
