import { z } from "zod";
import { RowferryError } from "../../model/error.js";
import { type ConvertDefaults, defineConversion, refuse } from "./conversion-kind.js";
import { compileDateReader, type DateOptions, dateOptions } from "./date-reader.js";
import { asUtc, instantOf } from "./dates.js";
import { openZone, type Zone } from "./zone.js";
import { maybe } from "../described.js";

/** @throws RowferryError `conversion-options` for no zone or an unknown one. */
function compileZone(options: DateOptions, defaults: ConvertDefaults): Zone {
  const { timezone, disambiguation = "reject" } = {
    timezone: options.timezone ?? defaults.timezone,
    disambiguation: options.disambiguation ?? defaults.disambiguation,
  };
  if (timezone === undefined)
    throw new RowferryError("conversion-options", "the time zone of local times is not known", {
      hint: "Set `timezone: America/Sao_Paulo` (or another IANA name) under `defaults:`.",
    });
  try {
    return openZone(timezone, disambiguation);
  } catch (cause) {
    const hint = "Use an IANA name such as America/Sao_Paulo or Europe/Lisbon.";
    throw new RowferryError("conversion-options", `there is no time zone ${JSON.stringify(timezone)}`, { hint, cause });
  }
}

export const timestamp = defineConversion({
  description:
    "An instant, in milliseconds since 1970 (sent as ISO 8601 with Z). Text cells are read under the mapping's `dates` only, dates of a workbook as they are; both are local times in `timezone`. A local time that the zone skips or repeats is an error unless `disambiguation` chooses a side.",
  options: z.object({
    ...dateOptions,
    timeOfDay: maybe(
      z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "a time such as 12:00"),
      "The local time that a cell without one means; default: the first instant of its day.",
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
    const zone = compileZone(options, defaults);
    return (cell, kind) => {
      const found = read(cell, kind);
      if (!("parts" in found)) return found;
      const { parts, hasTime } = found;
      if (!hasTime && timeOfDay !== undefined) [parts.hour = 0, parts.minute = 0] = timeOfDay.split(":").map(Number);
      const local = asUtc(parts);
      const day = !hasTime && timeOfDay === undefined;
      const value = instantOf(parts) ?? (day ? zone.toFirstInstant(local) : zone.toInstant(local));
      if (typeof value === "number") return { value };
      return value === "skipped"
        ? refuse(
            "time-skipped",
            cell,
            "does not exist in the mapping's time zone: clocks were put forward over it",
            "Correct the time, check `timezone`, or choose a side with `disambiguation: earlier` or `later`.",
          )
        : refuse(
            "time-repeated",
            cell,
            "exists twice in the mapping's time zone: clocks were put back over it",
            "Choose a side with `disambiguation: earlier` or `later`, or export times with their offset and read them as ISO.",
          );
    };
  },
});

export const date = defineConversion({
  description:
    "A calendar day as `yyyy-MM-dd`. Read under the mapping's `dates`; a time of day is dropped. A time with an offset (`ISO`) becomes the day that it is in `timezone`.",
  options: z.object(dateOptions),
  examples: [{ spec: { name: "date", formats: ["dd/MM/yyyy"] }, in: "09/03/2025", out: "2025-03-09" }],
  compile(options, defaults) {
    const read = compileDateReader(options, defaults);
    const formats = options.formats ?? defaults.dates ?? [];
    const zoned = formats.some((format) => format === "ISO" || format.includes("Z"));
    const zone = zoned ? compileZone(options, defaults) : null;
    return (cell, kind) => {
      const found = read(cell, kind);
      if (!("parts" in found)) return found;
      const instant = instantOf(found.parts);
      const local = instant === null || zone === null ? asUtc(found.parts) : zone.toLocal(instant);
      return { value: new Date(local).toISOString().slice(0, 10) };
    };
  },
});
