/**
 * Cells as fields read them: blank words are blank, and values that a spreadsheet damaged are refused. A typed cell
 * read as text is written as the mapping's text files would write it, so that both give one value (H42).
 */
import { isDeepStrictEqual } from "node:util";
import { DateTime } from "luxon";
import { type CellKind, textOf } from "../../model/row.js";
import { attempt, errorCell, quoteCell, Refused, type ConvertDefaults } from "../convert/conversion-kind.js";
import { quotedT } from "../convert/dates.js";
import { compileDateReader } from "../convert/timestamp.js";

/** The longest text of a cell or a formula's result. */
export const MAX_TEXT = 65_536;

/** A spreadsheet keeps no more digits of a number. */
const KEPT_DIGITS = 15;

const ERRORS: ReadonlySet<string> = new Set(
  [
    "#NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #GETTING_DATA #SPILL! #CALC!",
    "#NULO! #VALOR! #NOME? #NÚM! #N/D #¡NULO! #¡DIV/0! #¡VALOR! #¡REF! #¿NOMBRE? #¡NUM!",
    "#NUL! #VALEUR! #NOM? #NOMBRE! #BEZUG! #WERT! #ZAHL! #NV #RIF! #VALORE!",
  ].flatMap((line) => line.split(" ")),
);

/** LibreOffice writes this for a formula that it cannot compute, such as a cell of a CSV file that begins with `=`. */
const ERROR_NUMBER = /^Err:5\d\d$/;

/** `1,23457E+17`: a spreadsheet's form of a number too long for its column, or of a code such as 12E5. */
const SHORTENED = /^-?\d(?:[.,]\d{1,20})?[eE]\+\d{2,3}$/;

export interface CellOptions {
  blank?: readonly string[] | undefined;
  spreadsheetErrors?: "refuse" | "keep" | undefined;
}

export type Cells = ReturnType<typeof compileCells>;

export function compileCells(
  { blank: words = [], spreadsheetErrors = "refuse" }: CellOptions,
  defaults: ConvertDefaults,
) {
  const blank: ReadonlySet<string> = new Set(words.map((word) => word.trim()));
  const spell = compileSpelling(defaults);

  return {
    blank,
    /** As text, in the mapping's formats; "" if blank. */
    text: (cell: string, kind: CellKind): string => {
      const shown = (kind === "text" ? textOf(cell) : spell(cell, kind)).trim();
      return blank.has(shown) ? "" : shown;
    },
    /** Why a field may not take this filled cell. Null: it may. */
    fault: (cell: string, kind: CellKind, identity: boolean): Refused | null => {
      if (kind === "text") return faultOfText(cell, identity, spreadsheetErrors === "refuse");
      if (kind === "error") return errorCell(cell);
      return kind === "number" ? faultOfNumber(cell) : null;
    },
  };
}

function faultOfText(text: string, identity: boolean, strict: boolean): Refused | null {
  if (text.length > MAX_TEXT) {
    const message = `the cell has ${text.length} characters; at most ${MAX_TEXT} are read`;
    return new Refused(message, "text-too-long", "Shorten the text: it may be a whole file pasted into a cell.");
  }
  if (!text.isWellFormed())
    return damaged(
      `${quoteCell(text)} holds half a character`,
      "The file was cut or converted in the middle of a character: correct the cell.",
    );
  if (!identity && !strict) return null;
  const isError = text.startsWith("#")
    ? ERRORS.has(text.toUpperCase()) || /^#{4,}$/.test(text)
    : ERROR_NUMBER.test(text);
  if (isError)
    return damaged(
      `the cell holds the spreadsheet error ${quoteCell(text)} as text`,
      "Correct the cell; or change the mapping: list it under `blank` if it means that there is no value. To allow it in texts other than keys and ids, write `spreadsheetErrors: keep` under `defaults:`.",
    );
  // A laboratory writes 2.4E+05.
  if (SHORTENED.test(text) && (identity || Number(text.split("+")[1]) >= 10))
    return damaged(
      `${quoteCell(text)} is how a spreadsheet shows a longer number, or a code such as 12E5; the other digits are not in the file`,
      "Format the column as text in the spreadsheet, enter the whole text there, and export it again; or change the mapping: `spreadsheetErrors: keep` under `defaults:` allows it in texts other than keys and ids.",
    );
  return null;
}

function faultOfNumber(number: string): Refused | null {
  const [whole = ""] = number.replace("-", "").split(".");
  if (whole.length <= KEPT_DIGITS) return null;
  return damaged(
    `the workbook holds ${quoteCell(number)} as a number, and a spreadsheet keeps ${KEPT_DIGITS} digits`,
    "Format the column as text in the workbook, and enter the value again with all of its digits.",
  );
}

const damaged = (message: string, hint: string) => new Refused(message, "cell-damaged", hint);

/** The settings on which the text of a typed cell depends. */
export function spellingOf(cell: string, kind: CellKind): readonly (keyof ConvertDefaults)[] {
  if (kind === "number" || kind === "percent") return cell.includes(".") ? ["decimal"] : [];
  if (kind === "boolean") return ["booleans"];
  return kind === "date" ? ["dates", "language", "twoDigitYears"] : [];
}

export type Spell = (cell: string, kind: CellKind) => string;

/** As a text file in the mapping's formats would write it, else the cell's own plain form. */
export function compileSpelling({ decimal, booleans, ...defaults }: ConvertDefaults): Spell {
  const written = (defaults.dates ?? []).filter((format) => format !== "ISO" && format !== "EXCEL");
  const compiled = () =>
    written.map(quotedT).flatMap((format) => {
      const read = attempt(() => compileDateReader({ formats: [format] }, defaults));
      // It reads no date, which is reported where the column is compiled.
      return read instanceof Refused ? [] : { format, read };
    });
  let formats: ReturnType<typeof compiled> | null = null;
  return (cell, kind) => {
    if (kind === "number" || kind === "percent") return decimal === "," ? cell.replace(".", ",") : cell;
    if (kind === "boolean") return booleans?.[cell === "true" ? "true" : "false"][0] ?? cell;
    if (kind !== "date") return cell;
    const at = DateTime.fromISO(cell, { zone: "utc" }).setLocale(defaults.language ?? "en");
    const isSame = ({ format, read }: ReturnType<typeof compiled>[number]) =>
      isDeepStrictEqual(read(at.toFormat(format), "text"), read(cell, "date"));
    // Few columns have typed dates, and each has its own formats.
    formats ??= compiled();
    const found = formats.find((one) => attempt(() => isSame(one)) === true);
    return found === undefined ? cell : at.toFormat(found.format);
  };
}
