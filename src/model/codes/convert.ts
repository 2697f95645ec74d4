import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Cells that a conversion cannot read. */
export const convertCodes = {
  "conversion-unknown": {
    meaning: "A field names a conversion that does not exist.",
    remedy: "Use one of the names listed in docs/reference/mapping.md under Conversions.",
    example: "`as: datetime`; the conversion is called `timestamp`.",
    exit: ExitCode.usage,
  },
  "conversion-options": {
    meaning: "A conversion's options are invalid or incomplete.",
    remedy: "Set what the message names under `defaults:` or in the field's `as`.",
    example: "`as: timestamp` while neither the column nor `defaults` names a `timezone`.",
    exit: ExitCode.usage,
  },
  "cell-error": {
    meaning: "A cell holds a spreadsheet error.",
    remedy: "Correct the formula or the value in the workbook.",
    example: "`#N/A` in the column of gross weights.",
  },
  "cell-damaged": {
    meaning: "A spreadsheet or a conversion has damaged the value in a cell.",
    remedy:
      "Correct the cell at its source, where ids of many digits must be formatted as text. List text that means nothing under `blank`.",
    example: "`1,23457E+17` as a ticket number; `#REF!` as text; a number of more than fifteen digits in a workbook.",
  },
  "text-replaced": {
    meaning: "A cell holds U+FFFD, which some program wrote for letters that it could not read. A warning.",
    remedy: "Correct the cell at its source; otherwise it is sent as it is.",
    example: "`S\uFFFDo Paulo` in a file that was once converted from another encoding.",
  },
  "cell-kind": {
    meaning: "A cell holds the wrong kind of value for its field.",
    remedy:
      "Correct the cell's value or its number format; spreadsheets turn texts such as 1-2 into dates on their own.",
    example: "A date where a weight is needed.",
  },
  "text-too-long": {
    meaning: "A text is longer than the field's `maxLength`.",
    remedy: "Shorten the text; it is never cut.",
    example: "300 characters in a column with `maxLength: 255`.",
  },
  "text-empty": {
    meaning: "The text is empty after its conversion.",
    remedy: "Correct the cell, or use `as: text`.",
    example: "`***` under `as: slug`.",
  },
  "digits-missing": {
    meaning: "A cell has no digits, or too few or too many.",
    remedy: "Correct the cell.",
    example: "`s/n` under `as: digits`; seven digits where a postal code has eight.",
  },
  "number-unreadable": {
    meaning: "A cell is not a number in the mapping's format.",
    remedy:
      "Correct the cell, or set the mapping's `decimal` mark, and `grouping` where thousands are grouped, as the file has them.",
    example: "`1.5` in a file whose decimal mark is a comma; `1.234` there, which may be thousands or a fraction.",
  },
  "number-unit": {
    meaning: "A number carries a unit that the field does not allow.",
    remedy: "Name the unit in the column's `units`, or remove it from the cell.",
    example: "`12 t` in a field with `units: [kg]`.",
  },
  "number-range": {
    meaning: "A number is outside the bounds of its field.",
    remedy: "Correct the cell, or the bounds in the mapping.",
    example: "`-5` under `min: 0`; four digits after the mark where `places` is 2.",
  },
  "integer-fraction": {
    meaning: "A number has a fraction where a whole number is needed.",
    remedy: "Correct the cell, or use `as: number`.",
    example: "`2,5` containers.",
  },
  "boolean-unreadable": {
    meaning: "A cell is neither a word for true nor one for false.",
    remedy: "Correct the cell, or name the words under `booleans`.",
    example: "`talvez` under `as: boolean`.",
  },
  "date-unreadable": {
    meaning: "A cell matches none of the mapping's date formats.",
    remedy: "Correct the cell, or add its format to the mapping's `dates`.",
    example: "`2025-03-09` where the only format is `dd/MM/yyyy`.",
  },
  "date-impossible": {
    meaning: "A cell looks like a date, but no such date or time exists between the years 1900 and 2999.",
    remedy: "Correct the cell.",
    example: "`31/02/2025 10:00`.",
  },
  "date-ambiguous": {
    meaning: "Two of the mapping's formats read a cell as two different times.",
    remedy: "Keep only the format that the file is written in.",
    example: "`03/04/2025` under `dd/MM/yyyy` and `MM/dd/yyyy`.",
  },
  "date-two-digit-year": {
    meaning: "A date has a year of two digits, which could be of either century.",
    remedy: "Export years with four digits, or set `twoDigitYears` to the latest year that two digits can mean.",
    example: "`09/03/25`.",
  },
  "time-skipped": {
    meaning: "A local time does not exist in its zone: clocks were put forward over it.",
    remedy: "Correct the time, check `timezone`, or choose a side with `disambiguation`.",
    example: "04/11/2018 00:30 in America/Sao_Paulo.",
  },
  "time-repeated": {
    meaning: "A local time exists twice in its zone: clocks were put back over it.",
    remedy: "Choose a side with `disambiguation`, or export times with their offset.",
    example: "26/10/2025 01:30 in Europe/Lisbon.",
  },
  "tax-id-invalid": {
    meaning: "A tax id has the wrong length or wrong check digits.",
    remedy: "Check the number against its document; name its `type` where a spreadsheet has dropped leading zeros.",
    example: "11.222.333/0001-80, whose check digits are 81.",
  },
  "phone-invalid": {
    meaning: "A telephone number is not valid.",
    remedy: "Correct the cell; write numbers of other countries with a leading plus.",
    example: "`98765-4321` without an area code.",
  },
  "country-unknown": {
    meaning: "A cell is not the code or name of a country, or not of one allowed.",
    remedy: "Write the country's two-letter code.",
    example: "`Brazilia`.",
  },
  "state-unknown": {
    meaning: "A cell is not the code or name of a state.",
    remedy: "Write the state's two letters.",
    example: "`XX` in the column UF.",
  },
} as const satisfies Record<string, CodeEntry>;
