import { createHmac } from "node:crypto";
import { z } from "zod";
import { defineConversion, refuse } from "./conversion-kind.js";
import { maybe, writtenOut, maybeWord } from "../described.js";

/** Marks of direction, zero-width space, word joiner, BOM: never seen. Not the joiners that emoji and some scripts need. */
const MARK = /[\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
/** Control characters but tab and line feed; and the soft hyphen, which may be seen as a minus. */
const CONTROL = /(?![\t\n])[\p{Cc}\u00ad]/gu;

/**
 * Unicode NFC, without control and invisible characters; runs of white space become one space; trimmed. Line breaks
 * become `\n` (without spaces around them or empty lines at the ends) or a space.
 */
export function cleanText(raw: string, lines: "keep" | "join" = "keep"): string {
  const composed = raw.normalize("NFC");
  // FileMaker and Word break lines within a cell with a vertical tab.
  const plain = composed
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n")
    .replace(MARK, "")
    .replace(CONTROL, "");
  const kept = lines === "join" ? [plain] : plain.split("\n");
  return kept
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\n")
    .trim();
}

/** As it looks: browsers, for one, write a narrow no-break space before AM, and right-to-left locales a mark before a minus. */
export function asSeen(raw: string): string {
  return /[^ -~]/.test(raw) ? raw.replace(MARK, "").replace(/[^\S\r\n\v\f\u0085\u2028\u2029]/gu, " ") : raw;
}

/** Its letters and numbers, folded: `CNPJ/CPF` → `cnpj cpf`. */
export function foldWords(raw: string): string {
  return raw
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();
}

export const text = defineConversion({
  description:
    "Text in Unicode NFC, trimmed, with runs of white space folded to one space and control and invisible characters dropped. Line breaks inside a cell stay as they are unless `lines: join`.",
  options: z.object({
    lines: maybeWord(["keep", "join"], "`keep` (default) line breaks inside a cell, or `join` the lines with spaces."),
    maxLength: maybe(
      z.int().positive(),
      "The maximum number of characters; a longer text is an error and is never cut.",
    ),
  }),
  examples: [
    { spec: "text", in: "  Rua   das Flores ", out: "Rua das Flores" },
    { spec: { name: "text", lines: "join" }, in: "portão 2\r\nfalar com Ana", out: "portão 2 falar com Ana" },
  ],
  compile:
    ({ lines, maxLength = Infinity }) =>
    (cell) => {
      if (!cell.isWellFormed()) refuse("cell-damaged", cell, "holds half a character");
      const value = cleanText(cell, lines);
      if (value.length <= maxLength) return value;
      // Counts code points, so that an emoji is one character.
      const { length } = Array.from(value);
      if (length <= maxLength) return value;
      return refuse(
        "text-too-long",
        value,
        `has too many characters: ${length}, where the most is ${maxLength}`,
        "Shorten the text.",
      );
    },
});

const noOptions = z.object({});

export const upper = defineConversion({
  description: "Text as `text` gives it, in capitals: for plates and codes.",
  options: noOptions,
  examples: [{ spec: "upper", in: " abc1d23 ", out: "ABC1D23" }],
  compile: () => (cell) => cleanText(cell).toUpperCase(),
});

export const lower = defineConversion({
  description: "Text as `text` gives it, in small letters: for e-mail addresses.",
  options: noOptions,
  examples: [{ spec: "lower", in: "Ana@Example.COM", out: "ana@example.com" }],
  compile: () => (cell) => cleanText(cell).toLowerCase(),
});

const FRACTION = 'Export the column as text; or read 88000.0 as 88000 with `as: integer` and `decimal: "."`.';

export const digits = defineConversion({
  description:
    "Only the digits 0–9 of the cell, leading zeros kept; a cell without digits, or with a fraction (`1234.5` as a number, `88000.0`), is an error. Not for tax ids, which may hold letters: see `taxId`.",
  options: z.object({
    length: maybe(z.int().positive(), "How many digits there must be."),
  }),
  reads: { kinds: ["text", "number"], called: "digits" },
  examples: [
    { spec: "digits", in: "Nº 0042-7", out: "00427" },
    { spec: { name: "digits", length: 8 }, in: "01310-100", out: "01310100" },
  ],
  compile:
    ({ length }) =>
    (cell, kind) => {
      // 3915.10 may be a code within a text; 88000.0 is pandas' way of writing 88000.
      if (kind === "number" ? /[.,]/.test(cell) : /^\d+\.0$/.test(cell.trim()))
        refuse("digits-missing", cell, "is a number with decimals", FRACTION);
      const value = cell.replace(/[^0-9]+/g, "");
      if (value === "") refuse("digits-missing", cell, "holds no digits");
      if (value.length === (length ?? value.length)) return value;
      return refuse("digits-missing", cell, `must have ${length} digits, but has ${value.length}`);
    },
});

export const slug = defineConversion({
  description:
    "Small letters a–z, digits and single hyphens: for keys made from names. A cell without any letter or digit is an error.",
  options: noOptions,
  examples: [{ spec: "slug", in: "Coleta — São João (2ª)", out: "coleta-sao-joao-2a" }],
  compile: () => (cell) => {
    const value = foldWords(cell)
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    return value === "" ? refuse("text-empty", cell, "holds nothing but signs") : value;
  },
});

export const hash = defineConversion({
  description:
    "A pseudonym: HMAC-SHA-256 of the cell's text (as `text` gives it) in hex. Anyone who knows the salt can try out texts, so values that are short or few can be guessed: this is a pseudonym, not anonymity.",
  options: z.object({
    salt: writtenOut.describe(
      "The key of the pseudonyms. Another salt gives other pseudonyms. Keep the mapping as private as the salt.",
    ),
    length: maybe(z.int().min(8).max(64), "How many hex characters; default 32."),
  }),
  examples: [{ spec: { name: "hash", salt: "pepper", length: 16 }, in: "ABC1D23", out: "724864b7421a2671" }],
  compile:
    ({ salt, length = 32 }) =>
    (cell) => {
      const digest = createHmac("sha256", salt).update(cleanText(cell)).digest("hex");
      return digest.slice(0, length);
    },
});
