/** Calendar days. */
import { z } from "zod";
import { defineConversion } from "./conversion-kind.js";
import { instantOf } from "./date-format.js";
import { fromUtc, isoDate } from "./date-parts.js";
import { compileDateReader, dateOptions } from "./date-reader.js";
import { compileZone } from "./timestamp.js";

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
