/**
 * Cells as fields read them: blank words are nothing; what a spreadsheet spoilt is refused; and where text is wanted, a
 * typed cell of a workbook is written as the mapping's text files write it, so that both give one value (HARD-CASES H42).
 */
import { DateTime } from "luxon";
import type { CellKind } from "../../model/row.js";
import type { ConvertDefaults, Refusal } from "../convert/conversion.js";
import { compileDateReader } from "../convert/date-reader.js";
import { quoteCell, refuseErrorCell } from "../convert/conversion-kind.js";
import { recall } from "../convert/text.js";

export interface Cells {
  /** A text, trimmed; "" for any of the blank words. */
  normalise(text: string): string;
  /** A cell as text, in the mapping's own formats; "" where it is blank. */
  text(cell: string, kind: CellKind): string;
  /** A cell as its file holds it, its kind beside it; "" where it is blank. */
  raw(cell: string, kind: CellKind): string;
  /** Why a field may not take this cell, which is not blank. Null: nothing is wrong. */
  fault(cell: string, kind: CellKind, purpose: Purpose): Refusal | null;
}

/** What a cell is read for: a key or an id, other values, or a `map`, which may list what a spreadsheet wrote. */
export type Purpose = "identity" | "value" | "map";

/** A spreadsheet's number has no more digits, whatever was typed. */
const KEPT_DIGITS = 15;

const ERRORS: ReadonlySet<string> = new Set(
  [
    "#NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #GETTING_DATA #SPILL! #CALC!",
    "#NULO! #VALOR! #NOME? #NÚM! #N/D #¡NULO! #¡DIV/0! #¡VALOR! #¡REF! #¿NOMBRE? #¡NUM!",
    "#NUL! #VALEUR! #NOM? #NOMBRE! #BEZUG! #WERT! #ZAHL! #NV #RIF! #VALORE!",
  ].flatMap((line) => line.split(" ")),
);
/** The longest text of a cell, and of what a formula makes. */
export const MAX_TEXT = 65_536;

/** `1,23457E+17`: how a spreadsheet shows, and saves, a number of more digits than its column has room for. */
const SHORTENED = /^-?\d(?:[.,]\d{1,20})?[eE]\+\d{2,3}$/;

export function compileCells(
  blank: readonly string[],
  trim: boolean,
  spreadsheetErrors: "refuse" | "keep",
  defaults: ConvertDefaults,
): Cells {
  const normalise = compileBlank(blank, trim);
  const spell = compileSpelling(defaults);
  const text = (cell: string, kind: CellKind) => normalise(kind === "text" ? cell : spell(cell, kind));
  return {
    normalise,
    text,
    raw: (cell, kind) => (kind === "text" ? normalise(cell) : text(cell, kind) === "" ? "" : cell),
    fault: (cell, kind, purpose) => {
      const strict = purpose === "identity" || (purpose === "value" && spreadsheetErrors === "refuse");
      if (kind === "text") return faultOfText(cell, strict);
      if (kind === "error") return purpose === "map" ? null : refuseErrorCell(cell).problem;
      return kind === "number" ? faultOfNumber(cell) : null;
    },
  };
}

function faultOfText(text: string, strict: boolean): Refusal | null {
  if (text.length > MAX_TEXT) {
    const message = `the cell has ${text.length} characters; at most ${MAX_TEXT} are read`;
    return { code: "text-too-long", message, hint: "Shorten the text: it may be a whole file pasted into a cell." };
  }
  if (!text.isWellFormed())
    return damaged(
      `${quoteCell(text)} holds half a character`,
      "The file was cut or converted inside a character: correct the cell.",
    );
  if (!strict) return null;
  if (text.startsWith("#") && (ERRORS.has(text.toUpperCase()) || /^#{4,}$/.test(text)))
    return damaged(
      `the cell holds the spreadsheet error ${quoteCell(text)} as text`,
      "Correct the cell. If it means nothing, list it under `blank`; if other text than keys and ids may hold it, write `spreadsheetErrors: keep` under `defaults:`.",
    );
  if (text.includes("+") && SHORTENED.test(text) && Number(text.split("+")[1]) >= 10)
    return damaged(
      `${quoteCell(text)} is what a spreadsheet shows of a longer number; its other digits are not in the file`,
      "Format the column as text in the spreadsheet, and export it again. If other text than keys and ids may hold it, write `spreadsheetErrors: keep` under `defaults:`.",
    );
  return null;
}

function faultOfNumber(number: string): Refusal | null {
  const start = number.startsWith("-") ? 1 : 0;
  const point = number.indexOf(".");
  if ((point < 0 ? number.length : point) - start <= KEPT_DIGITS) return null;
  return damaged(
    `the workbook holds ${quoteCell(number)} as a number, and a spreadsheet keeps ${KEPT_DIGITS} digits`,
    "Format the column as text in the workbook, and enter the value again with all its digits.",
  );
}

function damaged(message: string, hint: string): Refusal {
  return { code: "cell-damaged", message, hint };
}

/** What a text file in the mapping's formats would say. Where they have no way to say it: the cell's own plain form. */
function compileSpelling({
  decimal,
  booleans,
  ...defaults
}: ConvertDefaults): (cell: string, kind: CellKind) => string {
  const spellDate = compileDateSpelling(defaults);
  return (cell, kind) => {
    if (kind === "number") return decimal === "," ? cell.replace(".", ",") : cell;
    if (kind === "date") return spellDate(cell);
    if (kind === "boolean") return (cell === "true" ? booleans?.true[0] : booleans?.false[0]) ?? cell;
    return cell;
  };
}

/** In the first format that reads back as the very same date and time. */
function compileDateSpelling(defaults: ConvertDefaults): (cell: string) => string {
  const { dates = [], language = "en" } = defaults;
  if (dates.length === 0) return (cell) => cell;
  const read = compileDateReader({ formats: ["ISO"] }, defaults);
  return recall((cell) => {
    const wanted = read(cell, "date");
    const at = DateTime.fromISO(cell, { zone: "utc" }).setLocale(language);
    if (!("parts" in wanted) || !at.isValid) return cell;
    for (const format of dates) {
      if (format === "ISO" || format === "EXCEL") continue;
      const text = at.toFormat(format);
      const found = compileDateReader({ formats: [format] }, defaults)(text, "text");
      if ("parts" in found && JSON.stringify(found) === JSON.stringify(wanted)) return text;
    }
    return cell;
  });
}

/** A cell's text, trimmed; "" for any of the blank words. `words` are compared exactly after trimming. */
function compileBlank(words: readonly string[], trim: boolean): (cell: string) => string {
  const blank = new Set(words.map((word) => (trim ? word.trim() : word)));
  return (cell) => {
    const text = trim ? cell.trim() : cell;
    return blank.has(text) ? "" : text;
  };
}
