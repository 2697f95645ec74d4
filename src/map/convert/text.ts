/** Text as people mean it: one form for equal-looking texts, no invisible characters. */
import { z } from "zod";
import { defineConversion } from "./conversion-kind.js";
import { quoteCell, refuse } from "./refuse.js";

/** Single spaces between runs of visible Latin-1 characters: nothing to change. U+00AD is a soft hyphen. */
const alreadyClean = /^[!-~¡-¬®-ÿ]+(?: [!-~¡-¬®-ÿ]+)*$/;
/** Control characters but tab and line feed, and invisible ones: soft hyphen, zero-width space, word joiner, BOM. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff]/g;

/**
 * Unicode NFC; control and invisible characters dropped; runs of white space one space; trimmed; line breaks become
 * `\n` (spaces around them and empty lines at the ends dropped) or a space.
 */
export function cleanText(raw: string, lines: "keep" | "join" = "keep"): string {
  if (alreadyClean.test(raw)) return raw;
  const plain = raw
    .normalize("NFC")
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(invisible, "");
  if (lines === "join" || !plain.includes("\n")) return plain.replace(/\s+/g, " ").trim();
  const cleaned = plain.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return cleaned.join("\n").trim();
}

/** Code points, so that one emoji counts as one character. */
function countCharacters(value: string): number {
  return Array.from(value).length;
}

export const text = defineConversion({
  description:
    "Text in Unicode NFC, trimmed, with runs of white space folded to one space and control characters dropped. Line breaks inside a cell stay as they are unless `lines: join`.",
  options: z.object({
    lines: z
      .enum(["keep", "join"])
      .optional()
      .describe("`keep` (default) line breaks inside a cell, or `join` the lines with spaces."),
    maxLength: z
      .int()
      .positive()
      .optional()
      .describe("The most characters allowed; a longer text is an error, never cut."),
  }),
  gives: "string",
  examples: [
    { spec: "text", in: "  Rua   das Flores ", out: "Rua das Flores" },
    { spec: { name: "text", lines: "join" }, in: "portão 2\r\nfalar com Ana", out: "portão 2 falar com Ana" },
  ],
  compile({ lines, maxLength }) {
    return (cell) => {
      if (!cell.isWellFormed()) return refuse("cell-damaged", `${quoteCell(cell)} holds half a character`);
      const value = cleanText(cell, lines);
      if (maxLength !== undefined && countCharacters(value) > maxLength) {
        return refuse(
          "text-too-long",
          `${quoteCell(value)} has ${countCharacters(value)} characters; ${maxLength} are allowed`,
          "Shorten the text.",
        );
      }
      return { value };
    };
  },
});
