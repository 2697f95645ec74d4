/** Calendar days, and local times of a file to instants. */
import { z } from "zod";
import { RowferryError } from "../../model/error.js";
import { type ConvertDefaults, type ConvertResult, defineConversion, quoteCell, refuse } from "./conversion-kind.js";
import { asUtc, type DateParts, fromUtc, instantOf, isoDate } from "./dates.js";
import { compileDateReader, dateOptions } from "./date-reader.js";
import { type Disambiguation, openZone, type Zone } from "./zone.js";

/** The zone of a field. @throws RowferryError `conversion-options` when none is named, or an unknown one. */
export function compileZone(
  options: { timezone?: string | undefined; disambiguation?: Disambiguation | undefined },
  defaults: ConvertDefaults,
): Zone {
  const timezone = options.timezone ?? defaults.timezone;
  if (timezone === undefined) {
    throw new RowferryError("conversion-options", "the time zone of local times is not known", {
      hint: "Set `timezone: America/Sao_Paulo` (or another IANA name) under `defaults:`.",
    });
  }
  try {
    return openZone(timezone, options.disambiguation ?? defaults.disambiguation ?? "reject");
  } catch (cause) {
    throw new RowferryError("conversion-options", `there is no time zone ${JSON.stringify(timezone)}`, {
      hint: "Use an IANA name such as America/Sao_Paulo or Europe/Lisbon.",
      cause,
    });
  }
}

/** Milliseconds since 1970, or the refusal of a local time that the zone skips or repeats. `day`: its midnight stands for the day. */
export function toInstant(cell: string, parts: DateParts, zone: Zone, day: boolean): number | ConvertResult {
  const told = instantOf(parts);
  if (told !== null) return told;
  const instant = day ? zone.toFirstInstant(asUtc(parts)) : zone.toInstant(asUtc(parts));
  if (typeof instant === "number") return instant;
  return instant === "skipped"
    ? refuse(
        "time-skipped",
        `${quoteCell(cell)} does not exist in the mapping's time zone: clocks were put forward over it`,
        "Correct the time, check `timezone`, or choose a side with `disambiguation: earlier` or `later`.",
      )
    : refuse(
        "time-repeated",
        `${quoteCell(cell)} exists twice in the mapping's time zone: clocks were put back over it`,
        "Choose a side with `disambiguation: earlier` or `later`, or export times with their offset and read them as ISO.",
      );
}

export const timestamp = defineConversion({
  description:
    "An instant, in milliseconds since 1970 (sent as ISO 8601 with Z). Text cells are read under the mapping's `dates` only, dates of a workbook as they are; both are local times in `timezone`. A local time that the zone skips or repeats is an error unless `disambiguation` chooses a side.",
  options: z.object({
    ...dateOptions,
    timeOfDay: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "a time such as 12:00")
      .optional()
      .describe("The local time that a cell without one means; default: the first instant of its day."),
  }),
  gives: "number",
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
  compile(options, defaults) {
    const read = compileDateReader(options, defaults);
    const zone = compileZone(options, defaults);
    const { timeOfDay } = options;
    const [hours = 0, minutes = 0] = (timeOfDay ?? "00:00").split(":").map(Number);
    return (cell, kind) => {
      const found = read(cell, kind);
      if (!("parts" in found)) return found;
      if (!found.hasTime) {
        found.parts.hour = hours;
        found.parts.minute = minutes;
      }
      const value = toInstant(cell, found.parts, zone, !found.hasTime && timeOfDay === undefined);
      return typeof value === "number" ? { value } : value;
    };
  },
});

export const date = defineConversion({
  description:
    "A calendar day as `yyyy-MM-dd`. Read under the mapping's `dates`; a time of day beside it is dropped. A time with an offset (`ISO`) becomes the day that it is in `timezone`.",
  options: z.object(dateOptions),
  gives: "string",
  examples: [{ spec: { name: "date", formats: ["dd/MM/yyyy"] }, in: "09/03/2025", out: "2025-03-09" }],
  compile(options, defaults) {
    const read = compileDateReader(options, defaults);
    const formats = options.formats ?? defaults.dates ?? [];
    const zone = formats.some((format) => format === "ISO" || format.includes("Z"))
      ? compileZone(options, defaults)
      : null;
    return (cell, kind) => {
      const found = read(cell, kind);
      if (!("parts" in found)) return found;
      const instant = instantOf(found.parts);
      return { value: isoDate(instant === null || zone === null ? found.parts : fromUtc(zone.toLocal(instant))) };
    };
  },
});
