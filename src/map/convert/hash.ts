/** Pseudonyms: equal texts give equal values, and the text is not readable in them. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { defineConversion } from "./conversion-kind.js";
import { cleanText } from "./text.js";

export const hash = defineConversion({
  description:
    "A pseudonym: HMAC-SHA-256 of the cell's text (as `text` gives it) in hex. Whoever knows the salt can try texts out, so short or few values stay guessable: a pseudonym, not anonymity.",
  options: z.object({
    salt: z
      .string()
      .min(1)
      .describe("The key of the pseudonyms. Another salt gives other pseudonyms; keep the mapping as private as it."),
    length: z.int().min(8).max(64).optional().describe("How many hex characters; default 32."),
  }),
  gives: "string",
  examples: [{ spec: { name: "hash", salt: "pepper", length: 16 }, in: "ABC1D23", out: "724864b7421a2671" }],
  compile({ salt, length }) {
    return (cell) => ({
      value: createHmac("sha256", salt)
        .update(cleanText(cell))
        .digest("hex")
        .slice(0, length ?? 32),
    });
  },
});
