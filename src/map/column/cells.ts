/**
 * Cells as fields read them: blank words are nothing; what a spreadsheet spoilt is refused; and where text is wanted, a
 * typed cell of a workbook is written as the mapping's text files write it, so that both give one value (HARD-CASES H42).
 */
import { DateTime } from "luxon";
import type { CellKind } from "../../model/row.js";
import type { ConvertDefaults, Refusal } from "../convert/conversion.js";
import { quoteCell, refuseErrorCell } from "../convert/conversion-kind.js";
import { compileDateReader } from "../convert/date-reader.js";

/** What a cell is read for: a key or an id, other values, or a `map`, which may list what a spreadsheet wrote. */
export type Purpose = "identity" | "value" | "map";

/** The longest text of a cell, and of what a formula makes. */
export const MAX_TEXT = 65_536;

/** A spreadsheet's number has no more digits, whatever was typed. */
const KEPT_DIGITS = 15;

const ERRORS: ReadonlySet<string> = new Set(
  [
    "#NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #GETTING_DATA #SPILL! #CALC!",
    "#NULO! #VALOR! #NOME? #NÚM! #N/D #¡NULO! #¡DIV/0! #¡VALOR! #¡REF! #¿NOMBRE? #¡NUM!",
    "#NUL! #VALEUR! #NOM? #NOMBRE! #BEZUG! #WERT! #ZAHL! #NV #RIF! #VALORE!",
  ].flatMap((line) => line.split(" ")),
);

/** `1,23457E+17`: how a spreadsheet shows, and saves, a number of more digits than its column has room for. */
const SHORTENED = /^-?\d(?:[.,]\d{1,20})?[eE]\+\d{2,3}$/;

export interface CellOptions {
  blank?: readonly string[] | undefined;
  trim?: boolean | undefined;
  spreadsheetErrors?: "refuse" | "keep" | undefined;
}

export class Cells {
  readonly #trim: boolean;
  readonly #blank: ReadonlySet<string>;
  readonly #strict: boolean;
  readonly #spell: (cell: string, kind: CellKind) => string;

  constructor({ blank = [], trim = true, spreadsheetErrors = "refuse" }: CellOptions, defaults: ConvertDefaults) {
    this.#trim = trim;
    this.#blank = new Set(blank.map((word) => (trim ? word.trim() : word)));
    this.#strict = spreadsheetErrors === "refuse";
    this.#spell = compileSpelling(defaults);
  }

  /** A cell as text, in the mapping's own formats; "" where it is blank. */
  text(cell: string, kind: CellKind): string {
    const spelt = kind === "text" ? cell : this.#spell(cell, kind);
    const text = this.#trim ? spelt.trim() : spelt;
    return this.#blank.has(text) ? "" : text;
  }

  /** A cell as its file holds it, its kind beside it; "" where it is blank. */
  raw(cell: string, kind: CellKind): string {
    const text = this.text(cell, kind);
    return text === "" || kind === "text" ? text : cell;
  }

  /** Why a field may not take this cell, which is not blank. Null: nothing is wrong. */
  fault(cell: string, kind: CellKind, purpose: Purpose): Refusal | null {
    const strict = purpose === "identity" || (purpose === "value" && this.#strict);
    if (kind === "text") return faultOfText(cell, strict);
    if (kind === "error") return purpose === "map" ? null : refuseErrorCell(cell).problem;
    return kind === "number" ? faultOfNumber(cell) : null;
  }
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
  if (SHORTENED.test(text) && Number(text.split("+")[1]) >= 10)
    return damaged(
      `${quoteCell(text)} is what a spreadsheet shows of a longer number; its other digits are not in the file`,
      "Format the column as text in the spreadsheet, and export it again. If other text than keys and ids may hold it, write `spreadsheetErrors: keep` under `defaults:`.",
    );
  return null;
}

function faultOfNumber(number: string): Refusal | null {
  const [whole = ""] = number.replace("-", "").split(".");
  if (whole.length <= KEPT_DIGITS) return null;
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
  return (cell, kind) => {
    if (kind === "number") return decimal === "," ? cell.replace(".", ",") : cell;
    if (kind === "boolean") return booleans?.[cell === "true" ? "true" : "false"][0] ?? cell;
    if (kind !== "date") return cell;
    const at = DateTime.fromISO(cell, { zone: "utc" }).setLocale(defaults.language ?? "en");
    // The first format that reads back as the very same date and time.
    const format = defaults.dates?.find((one) => {
      const read = compileDateReader({ formats: [one] }, defaults);
      const same = JSON.stringify(read(at.toFormat(one), "text")) === JSON.stringify(read(cell, "date"));
      return same && one !== "ISO" && one !== "EXCEL";
    });
    return format === undefined ? cell : at.toFormat(format);
  };
}
