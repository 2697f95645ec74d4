/** Whole numbers. */
import { z } from "zod";
import { compileNumberReader, numberOptions, refuseRange } from "./decimal.js";
import { defineConversion } from "./conversion-kind.js";
import { quoteCell, refuse } from "./refuse.js";

export const integer = defineConversion({
  description:
    "A whole number. Read like `decimal`; a fraction other than zero is an error, and so is a number too large to be exact (above 9007199254740991: an identifier rather, for which use `digits` or `text`).",
  options: z.object(numberOptions),
  gives: "number",
  examples: [{ spec: { name: "integer", decimal: ",", grouping: true }, in: "12.500", out: 12500 }],
  compile(options, defaults) {
    const read = compileNumberReader(options, defaults);
    return (cell, kind) => {
      const number = read(cell, kind);
      if (typeof number !== "string") return number;
      if (number.includes(".")) return refuse("integer-fraction", `${quoteCell(cell)} is not a whole number`);
      const value = Number(number);
      if (!Number.isSafeInteger(value)) {
        return refuse(
          "number-range",
          `${quoteCell(cell)} is too large for an exact whole number`,
          "For identifiers use `as: digits` or `as: text`.",
        );
      }
      return refuseRange(cell, number, options) ?? { value };
    };
  },
});
