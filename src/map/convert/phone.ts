import { createRequire } from "node:module";
import type * as phoneNumbers from "libphonenumber-js/max";
import { z } from "zod";
import { RowferryError } from "../../model/error.js";
import { convertDefaultsShape, defineConversion, refuse } from "./conversion-kind.js";

const require = createRequire(import.meta.url);

export const phone = defineConversion({
  description:
    "A telephone number in international format with a leading plus (E.164), as the service returns it. Numbers without a country code are of `country`. Numbers that no operator can have are errors.",
  options: z.object({
    country: convertDefaultsShape.country,
  }),
  reads: { kinds: ["text", "number"], called: "a telephone number" },
  examples: [{ spec: { name: "phone", country: "BR" }, in: "(11) 98765-4321", out: "+5511987654321" }],
  compile(options, defaults) {
    // Loading takes 45 ms, so only mappings that need it load it.
    const { isSupportedCountry, parsePhoneNumberFromString } = require("libphonenumber-js/max") as typeof phoneNumbers;
    const country = options.country ?? defaults.country;
    if (country !== undefined && !isSupportedCountry(country))
      throw new RowferryError(
        "conversion-options",
        `there are no telephone numbers of country ${JSON.stringify(country)}`,
      );
    const hint =
      country === undefined
        ? "Write it with plus and country code, or set `country` under `defaults:`."
        : `Numbers without a country code are read as ${country}; write others with a leading plus.`;
    return (cell) => {
      const of = country === undefined ? {} : { defaultCountry: country };
      const number = parsePhoneNumberFromString(cell, { ...of, extract: false });
      if (number?.ext !== undefined)
        refuse("phone-invalid", cell, "carries an extension, which the international format has no place for", hint);
      if (number?.isValid() === true) return number.number;
      return refuse("phone-invalid", cell, "is not a valid telephone number", hint);
    };
  },
});
