import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the readers: what can be wrong with a file, and with a row of it. */
export const readCodes = {
  "file-missing": {
    meaning: "A file named on the command line does not exist or cannot be opened.",
    remedy: "Check the path and its permissions, then run the command again.",
    example: "`rowferry import m.yaml nightly.csv` where nightly.csv is not in this folder.",
    exit: ExitCode.usage,
  },
  "file-pattern-unmatched": {
    meaning: "A pattern or folder on the command line matches no file.",
    remedy: "Check with `ls`; quote the pattern if the shell changes it.",
    example: "`rowferry import m.yaml 'in/*.csv'` before the export has been copied to in/.",
    exit: ExitCode.usage,
  },
  "file-empty": {
    meaning: "The file has no content: no bytes, or nothing but blank lines.",
    remedy:
      "Export the file again; an interrupted export often leaves an empty file behind. If empty files are right, write `allowEmpty: true` in the mapping's input.",
    example: "nightly.csv is 0 bytes long because the disk of the ERP was full.",
    exit: ExitCode.person,
  },
  "file-unreadable": {
    meaning: "Reading failed before the end of the file; nothing of it was sent.",
    remedy: "Copy the file again, check the disk or network share, then run the same command again.",
    example: "The network share went away after 12,000 rows.",
    transient: true,
    exit: ExitCode.again,
  },
  "file-changed": {
    meaning: "The file changed while it was being read.",
    remedy: "Wait until the export has finished writing, then run the same command again.",
    example: "The nightly export was still appending rows when the import began.",
    transient: true,
    exit: ExitCode.again,
  },
  "file-refused": {
    meaning: "The file is not a CSV file, an .xlsx or an .xlsm workbook, whatever its name says.",
    remedy: "Open it in the program that made it and save it as CSV (UTF-8) or .xlsx.",
    example: "report.xls is really a web page with a table in it, as some portals export.",
    exit: ExitCode.person,
  },
  "file-protected": {
    meaning: "The file is protected by a password.",
    remedy: "Open it with its password and save a copy without one.",
    example: "manifests.xlsx asks for a password when it is opened in Excel.",
    exit: ExitCode.person,
  },
  "file-corrupt": {
    meaning: "The file is damaged or incomplete.",
    remedy: "Copy or download it again, compare its size with the original, and try once more.",
    example: "A download of manifests.csv.gz broke off at 80%.",
    exit: ExitCode.person,
  },
  "file-oversized": {
    meaning: "The file unpacks to far more than its size justifies, as malicious archives do.",
    remedy: "If the file is genuine, unpack it yourself and import what was in it.",
    example: "A zip of 40 KB claims to hold 4 GB.",
    exit: ExitCode.person,
  },
  "archive-ambiguous": {
    meaning: "A zip archive is empty, or it is unclear which of its files to read.",
    remedy: "Name one as `archive.zip/inner.csv`, or unpack the archive.",
    example: "export.zip holds a folder of PDF documents.",
    exit: ExitCode.person,
  },
  "header-missing": {
    meaning: "There is no header row where the mapping expects one.",
    remedy: "Say where it is with `header: <row>` in the mapping, or `header: none` if the file has none.",
    example: "The mapping says `header: 4`, but the file has three lines.",
    exit: ExitCode.person,
  },
  "dialect-invalid": {
    meaning: "The delimiter, quote and escape given for a CSV file contradict each other.",
    remedy: "Correct `csv:` in the mapping; leave out what should be detected.",
    example: "`delimiter` and `quote` are the same character.",
    exit: ExitCode.usage,
  },
  "encoding-unknown": {
    meaning: "The mapping names an unknown encoding.",
    remedy: "Use a usual name such as utf-8, windows-1252, iso-8859-1, utf-16le, or `auto`.",
    example: "`encoding: ansi-latin`.",
    exit: ExitCode.usage,
  },
  "encoding-differs": {
    meaning: "The file does not have the encoding that the mapping names.",
    remedy: "Correct `csv: { encoding }` in the mapping, or set it to `auto`.",
    example: "The mapping says windows-1252, but the file begins with the UTF-8 byte order mark.",
    exit: ExitCode.person,
  },
  "encoding-mixed": {
    meaning: "A row has bytes that are not text in the encoding of the rest of its file.",
    remedy:
      "Correct the characters in that row; if the whole file has one encoding, name it in the mapping: `csv: { encoding }`.",
    example: "One row was pasted from a windows-1252 system into a UTF-8 file: `S\\xe3o Paulo`.",
    exit: ExitCode.person,
  },
  "quote-unclosed": {
    meaning: "A quoted cell is never closed, so the rest of the file would be one cell.",
    remedy: "Close or double that quote in the file; if the file does not quote at all, say `csv: { quote: null }`.",
    example: 'Row 17 has `"Tubo 5` with an opening quote and no closing one.',
    exit: ExitCode.person,
  },
  "quote-stray": {
    meaning: "A quote is in the wrong place, so the cell's beginning or end is uncertain.",
    remedy: 'Put the whole cell in quotes and double those inside it ("" for one "), then import the row again.',
    example: '`"Tubo 5" aço";120` instead of `"Tubo 5"" aço";120`.',
  },
  "line-cut": {
    meaning: "The file's last line has no line end although the others have one, and the mapping requires it.",
    remedy: "Fetch the file again: a transfer that breaks off leaves such a line. If it is whole, end its last line.",
    example: "`…;12` is the last line of a file whose export held `…;1234,50`.",
  },
  "record-oversized": {
    meaning: "One row is longer than a mebibyte of text, which no spreadsheet row is.",
    remedy: "Look at the line named: usually a quote is opened there and never closed, or the line endings are lost.",
    example: "A file whose line breaks were removed is one line of 40 MB.",
    exit: ExitCode.person,
  },
  "row-short": {
    meaning: "A row has fewer cells than the header has columns.",
    remedy: "Add the missing delimiters (or close a lost quote) in that row, then import it again.",
    example: "The header has 25 columns, row 812 has 11 cells because the export was cut off.",
  },
  "row-long": {
    meaning: "A row has more cells than the header or the other rows.",
    remedy: "Quote the cell that contains the delimiter, then import the row again.",
    example: "`Rua A; sala 3` without quotes in a file delimited by semicolons.",
  },
  "nul-character": {
    meaning: "A cell contains a NUL character, which no text has: the file was damaged or holds binary data.",
    remedy: "Remove the character from the row, or export the file again.",
    example: "A crash of the exporting system left a block of NUL bytes in row 4,011.",
  },
  "sheet-missing": {
    meaning: "The workbook has no sheet of that name, position or pattern, or none with cells at all.",
    remedy: "Correct `excel: { sheet }` in the mapping; `rowferry check` lists the sheets of a file.",
    example: 'The mapping says `sheet: Manifestos`, but this month the sheet is called "Manifestos Nov".',
    exit: ExitCode.person,
  },
  "sheet-ambiguous": {
    meaning: "The workbook has several sheets with rows, and the mapping does not name one.",
    remedy:
      "Name one under `excel: { sheet }` in the mapping, by name, by position or by a pattern that fits one only.",
    example: "A workbook with the visible sheets January and February, and a mapping without `sheet`.",
    exit: ExitCode.person,
  },
  "formula-without-value": {
    meaning: "A cell has a formula without a stored result; formulas are not calculated here.",
    remedy: "Open the workbook in Excel or LibreOffice, save it, and import it again: saving stores the results.",
    example: "A workbook written by a script has `=B2*C2` in every row and was never opened.",
  },
  "cell-unreadable": {
    meaning: "A cell's value contradicts its type, as in damaged files.",
    remedy: "Open the workbook in Excel, correct the cell named, save it, and import the row again.",
    example: "A cell of type number that stores `NaN`, or a text number that is not in the table of texts.",
  },
} as const satisfies Record<string, CodeEntry>;
