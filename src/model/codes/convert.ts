import { mark, usage } from "../code.js";

/** Cells that a conversion cannot read. */
export const convertCodes = {
  "conversion-options": usage(
    "A conversion's options are invalid or incomplete.",
    "Set what the message names under `defaults:` or in the column.",
    "`as: timestamp` while neither the column nor `defaults` names a `timezone`.",
  ),
  "cell-error": mark(
    "A cell holds a spreadsheet error.",
    "Correct the formula or the value in the workbook.",
    "`#N/A` in the column of gross weights.",
  ),
  "cell-damaged": mark(
    "A spreadsheet or a conversion has damaged the value in a cell.",
    "Correct the cell at its source, where ids of many digits must be formatted as text; or change the mapping: list the text under `blank` if it means that there is no value.",
    "`1,23457E+17` as a ticket number; `#REF!` as text; a number of more than fifteen digits in a workbook.",
  ),
  "text-replaced": mark(
    "A cell holds U+FFFD, which another program wrote in place of letters that it could not read. A warning.",
    "Correct the cell at its source; otherwise it is sent as it is.",
    "`S\uFFFDo Paulo` in a file that was once converted from another encoding.",
  ),
  "key-has-decimals": mark(
    "The key of a document is a whole number with decimals, as programs write one that they took for an amount. A warning.",
    'Correct the cells if the number has no decimals at its source, otherwise do nothing; or change the mapping: `=replace(ticket, "[.,]00?$", "")` takes them off.',
    "`1929.0` from pandas, or `1929,00` from a spreadsheet, for ticket 1929.",
  ),
  "text-nearly-equal": mark(
    "Only case or accents keep a text from being the one that a formula asks for. A warning.",
    "Correct the cell; or change the mapping: compare with `fold(…)`, or write the text as the cells have it.",
    '`=status == "closed"` where cells say Closed: the condition never holds.',
  ),
  "cell-kind": mark(
    "A cell holds the wrong kind of value for its field.",
    "Correct the cell's value or its number format; spreadsheets turn texts such as 1-2 into dates by themselves.",
    "A date where a weight is needed.",
  ),
  "text-too-long": mark(
    "A text is longer than the field's `maxLength`.",
    "Shorten the text; it is never cut.",
    "300 characters in a column with `maxLength: 255`.",
  ),
  "text-empty": mark(
    "The text is empty after its conversion.",
    "Correct the cell; or change the mapping: use `as: text`.",
    "`***` under `as: slug`.",
  ),
  "digits-missing": mark(
    "A cell has no digits, or too few or too many.",
    "Correct the cell.",
    "`s/n` under `as: digits`; seven digits where a postal code has eight.",
  ),
  "number-unreadable": mark(
    "A cell is not a number in the mapping's format.",
    "Correct the cell; or change the mapping: set `decimal` (and `grouping`, if thousands are grouped) to match the file.",
    "`1.5` in a file whose decimal mark is a comma; `1.234` there, which may be thousands or a fraction.",
  ),
  "number-unit": mark(
    "A number carries a unit that the field does not allow.",
    "Remove the unit from the cell; or change the mapping: name it in the column's `units`.",
    "`12 t` in a field with `units: [kg]`.",
  ),
  "number-range": mark(
    "A number is outside the bounds of its field.",
    "Correct the cell; or change the mapping: correct the bounds.",
    "`-5` under `min: 0`; four digits after the mark where `places` is 2.",
  ),
  "integer-fraction": mark(
    "A number has a fraction where a whole number is needed.",
    "Correct the cell; or change the mapping: use `as: number`.",
    "`2,5` containers.",
  ),
  "boolean-unreadable": mark(
    "A cell is neither a word for true nor one for false.",
    "Correct the cell; or change the mapping: name the words under `booleans`.",
    "`talvez` under `as: boolean`.",
  ),
  "date-unreadable": mark(
    "A cell matches none of the mapping's date formats.",
    "Correct the cell; or change the mapping: add its format to `dates`.",
    "`2025-03-09` where the only format is `dd/MM/yyyy`.",
  ),
  "date-impossible": mark(
    "A cell looks like a date, but no such date or time exists between the years 1900 and 2999.",
    "Correct the cell.",
    "`31/02/2025 10:00`.",
  ),
  "date-ambiguous": mark(
    "Two of the mapping's formats read a cell as two different times.",
    "Keep only the format that the file is written in.",
    "`03/04/2025` under `dd/MM/yyyy` and `MM/dd/yyyy`.",
  ),
  "date-two-digit-year": mark(
    "A date has a year of two digits, which could be in either century.",
    "Write years with four digits; or change the mapping: set `twoDigitYears` to the latest year that two digits can mean.",
    "`09/03/25`.",
  ),
  "time-skipped": mark(
    "A local time does not exist in its zone: clocks were put forward over it.",
    "Correct the time; or change the mapping: check `timezone`, or choose a side with `disambiguation`.",
    "04/11/2018 00:30 in America/Sao_Paulo.",
  ),
  "time-repeated": mark(
    "A local time exists twice in its zone: clocks were put back over it.",
    "Choose a side with `disambiguation`, or export times with their offset.",
    "26/10/2025 01:30 in Europe/Lisbon.",
  ),
  "tax-id-invalid": mark(
    "A tax id has the wrong length or wrong check digits.",
    "Check the number at its source; or change the mapping: name its `type` where a spreadsheet has dropped leading zeros.",
    "11.222.333/0001-80, whose check digits are 81.",
  ),
  "phone-invalid": mark(
    "A telephone number is not valid.",
    "Correct the cell; begin numbers of other countries with a plus sign and the country code.",
    "`98765-4321` without an area code.",
  ),
  "country-unknown": mark(
    "A cell is not the code or name of a country, or that country is not allowed.",
    "Write the country's two-letter code.",
    "`Brazilia`.",
  ),
  "state-unknown": mark(
    "A cell is not the code or name of a state.",
    "Write the state's two-letter code.",
    "`XX` in the column UF.",
  ),
};
