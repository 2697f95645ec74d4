import { again, mark, passing, person, usage } from "../code.js";

/** Codes of the readers: what can be wrong with a file, and with a row of it. */
export const readCodes = {
  "file-missing": usage(
    "A file named on the command line does not exist or cannot be opened.",
    "Check the path and its permissions, then run the command again.",
    "`rowferry import m.yaml nightly.csv` where nightly.csv is not in this folder.",
  ),
  "file-pattern-unmatched": usage(
    "A pattern or folder on the command line matches no file.",
    "Check with `ls`; quote the pattern if the shell expands it.",
    "`rowferry import m.yaml 'in/*.csv'` before the export has been copied to in/.",
  ),
  "file-empty": person(
    "The file has no content: no bytes, or nothing but blank lines.",
    "Export the file again; an interrupted export often leaves an empty file. If empty files are normal, write `allowEmpty: true` in the mapping's input.",
    "nightly.csv is 0 bytes long because the disk of the ERP was full.",
  ),
  "file-unreadable": passing(
    again(
      "The file could not be read to its end; none of it was sent.",
      "Copy the file again, check the disk or network share, then run the same command again.",
      "The network share went away after 12,000 rows.",
    ),
  ),
  "file-changed": passing(
    again(
      "The file changed while it was being read.",
      "Wait until the export has finished writing, then run the same command again.",
      "The nightly export was still appending rows when the import began.",
    ),
  ),
  "file-refused": person(
    "The file is neither CSV nor an .xlsx or .xlsm workbook, whatever its name says.",
    "Open it in the program that made it and save it as CSV (UTF-8) or .xlsx.",
    "report.xls is really a web page with a table in it, as some portals export.",
  ),
  "file-protected": person(
    "The file is protected by a password.",
    "Open it with its password and save a copy without one.",
    "manifests.xlsx asks for a password when it is opened in Excel.",
  ),
  "file-corrupt": person(
    "The file is damaged or incomplete.",
    "Copy or download it again, compare its size with the original, and try once more.",
    "A download of manifests.csv.gz broke off at 80%.",
  ),
  "file-oversized": person(
    "The file unpacks to far more than its size justifies, as malicious archives do.",
    "If the file is genuine, unpack it yourself and import its content.",
    "A zip of 40 KB claims to hold 4 GB.",
  ),
  "archive-ambiguous": person(
    "A zip archive is empty, or it is unclear which of its files to read.",
    "Name one as `archive.zip/inner.csv`, or unpack the archive.",
    "export.zip holds a folder of PDF documents.",
  ),
  "header-missing": person(
    "There is no header row where the mapping expects one.",
    "Say where it is with `header: <row>` in the mapping, or `header: none` if the file has none.",
    "The mapping says `header: 4`, but the file has three lines.",
  ),
  "dialect-invalid": usage(
    "The delimiter, quote and escape given for a CSV file contradict each other.",
    "Correct `csv:` in the mapping; leave out what should be detected.",
    "`delimiter` and `quote` are the same character.",
  ),
  "encoding-unknown": usage(
    "The mapping names an unknown encoding.",
    "Use a usual name such as utf-8, windows-1252, iso-8859-1, utf-16le, or `auto`.",
    "`encoding: ansi-latin`.",
  ),
  "encoding-differs": person(
    "The file is not in the encoding that the mapping names.",
    "Correct `csv: { encoding }` in the mapping, or set it to `auto`.",
    "The mapping says windows-1252, but the file begins with the UTF-8 byte order mark.",
  ),
  "locale-differs": person(
    "Some cells of a column can be read only with day and month, or decimal point and comma, swapped; no cell requires the format that the mapping names.",
    "If only these rows are wrong, correct them in the file. Otherwise export the file in its former format. If all files now use the new format, correct `dates` or `decimal` in the mapping.",
    "Under `dd/MM/yyyy`, `10/13/2025` is no date, so `10/05/2025` in the same file is probably not 10 May.",
  ),
  "encoding-uncertain": person(
    "The file is not UTF-8, and makes little sense as windows-1252, the default encoding for such files.",
    "Name its encoding in the mapping, `csv: { encoding }`, or save the file as UTF-8.",
    "A Russian export in windows-1251, whose `Москва` would be sent as `Ìîñêâà`.",
  ),
  "encoding-mixed": person(
    "A row has bytes that are not text in the encoding of the rest of its file.",
    "Correct the characters in that row; or change the mapping: if the whole file has one encoding, name it with `csv: { encoding }`.",
    "One row was pasted from a windows-1252 system into a UTF-8 file: `S\\xe3o Paulo`.",
  ),
  "quote-unclosed": person(
    "A quoted cell is never closed, so the rest of the file would be one cell.",
    "Close or double that quote in the file; or change the mapping: write `csv: { quote: null }` if the file uses no quotes at all.",
    'Row 17 has `"Tubo 5` with an opening quote and no closing one.',
  ),
  "quote-stray": mark(
    "A quote is in the wrong place, so it is uncertain where the cell begins or ends.",
    'Put the whole cell in quotes and double those inside it ("" for one "), then import the row again.',
    '`"Tubo 5" aço";120` instead of `"Tubo 5"" aço";120`.',
  ),
  "line-cut": mark(
    "A line may be cut: the last one of the file has no line end, though the others have one and the mapping requires it; or a line ends differently from the others, and the next one is too short.",
    "Fetch the file again: an interrupted transfer leaves such a last line. If the file is complete, add the missing line end.",
    "`…;12` is the last line of a file whose export held `…;1234,50`.",
  ),
  "record-oversized": person(
    "A row is longer than 1 MiB of text, far longer than any real row.",
    "Look at the line named: usually a quote is opened there and never closed, or the line endings are lost.",
    "A file whose line breaks were removed is one line of 40 MB.",
  ),
  "row-short": mark(
    "A row has fewer cells than the header has columns.",
    "Add the missing delimiters to that row (or close a lost quote), then import it again; or change the mapping: if the source always ends rows early, write `csv: { shortRows: blank }` in the input.",
    "The header has 25 columns, row 812 has 11 cells because the export was cut off.",
  ),
  "row-long": mark(
    "A row has more cells than the header or the other rows.",
    "Quote the cell that contains the delimiter, then import the row again.",
    "`Rua A; sala 3` without quotes in a file delimited by semicolons.",
  ),
  "nul-character": mark(
    "A cell contains a NUL character: the file was damaged or holds binary data.",
    "Remove the character from the row, or export the file again.",
    "A crash of the exporting system left a block of NUL bytes in row 4,011.",
  ),
  "sheet-missing": person(
    "The workbook has no sheet with that name, position or pattern, or no sheet with any cells.",
    "Correct `excel: { sheet }` in the mapping; `rowferry check <mapping> <file>` lists the sheets of a file.",
    'The mapping says `sheet: Manifestos`, but this month the sheet is called "Manifestos Nov".',
  ),
  "sheet-ambiguous": person(
    "The workbook has several sheets with rows, and the mapping does not name one.",
    'Name one under `excel: { sheet }` in the mapping, by name, by position or by a pattern that matches only one. An input reads several if a list, or `"*"`, names them.',
    "A workbook with the visible sheets January and February, and a mapping without `sheet`.",
  ),
  "formula-without-value": mark(
    "A cell has a formula without a stored result, and Rowferry does not calculate formulas.",
    "Open the workbook in Excel or LibreOffice, save it, and import it again: saving stores the results.",
    "A workbook written by a script has `=B2*C2` in every row and was never opened.",
  ),
  "cell-unreadable": mark(
    "A cell's value does not match its type; the file may be damaged.",
    "Open the workbook in Excel, correct the cell named, save it, and import the row again.",
    "A cell of type number that stores `NaN`, or a text number that is not in the table of texts.",
  ),
};
