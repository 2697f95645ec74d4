/** Which sheet is meant: by name, by position, by pattern, or the only one there can be. */
import type { ExcelOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import type { Sheet, Workbook } from "./workbook.js";

export interface ChosenSheet {
  sheet: Sheet;
  notes: string[];
}

/**
 * A sheet named outright, or by its position in the workbook (counting hidden ones), is read even when it is hidden,
 * and that is said; patterns and the default look at visible sheets only, unless hidden ones are to be read.
 * @param isEmpty whether a sheet has no cell that says something.
 * @throws RowferryError `sheet-missing`, `sheet-ambiguous`.
 */
export async function chooseSheet(
  workbook: Workbook,
  options: ExcelOptions,
  isEmpty: (sheet: Sheet) => Promise<boolean>,
): Promise<ChosenSheet> {
  const wanted = options.sheet;
  if (wanted === undefined) return onlySheet(workbook, options, isEmpty);
  const named = typeof wanted === "number" ? workbook.sheets[wanted - 1] : byName(workbook.sheets, wanted);
  if (named !== undefined) {
    return { sheet: named, notes: named.hidden ? [`Sheet "${named.name}" is hidden in the workbook.`] : [] };
  }
  if (typeof wanted === "string" && /[*?]/.test(wanted)) return byPattern(workbook, options, wanted);
  const what =
    typeof wanted === "number" ? `no sheet ${wanted}; it has ${workbook.sheets.length}` : `no sheet "${wanted}"`;
  throw missing(workbook, `the workbook has ${what}`);
}

/** Exactly, else as Excel compares names: without regard to case and to blanks at the ends. */
function byName(sheets: readonly Sheet[], name: string): Sheet | undefined {
  return sheets.find((sheet) => sheet.name === name) ?? sheets.find((sheet) => folded(sheet.name) === folded(name));
}

function folded(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}

function byPattern(workbook: Workbook, options: ExcelOptions, pattern: string): ChosenSheet {
  const matching = workbook.sheets.filter(({ name }) => matches(folded(pattern), folded(name)));
  const found = options.hidden === "read" ? matching : matching.filter(({ hidden }) => !hidden);
  const [sheet, ...others] = found;
  if (sheet === undefined) {
    const hidden = matching.length > 0 ? ", only hidden ones" : "";
    throw missing(workbook, `the workbook has no sheet like "${pattern}"${hidden}`);
  }
  if (others.length > 0) throw ambiguous(workbook, `${found.length} sheets are like "${pattern}": ${listed(found)}`);
  return { sheet, notes: [] };
}

async function onlySheet(
  workbook: Workbook,
  options: ExcelOptions,
  isEmpty: (sheet: Sheet) => Promise<boolean>,
): Promise<ChosenSheet> {
  const hidden = workbook.sheets.filter((sheet) => sheet.hidden);
  const visible = workbook.sheets.filter((sheet) => !sheet.hidden);
  const candidates = options.hidden === "read" ? workbook.sheets : visible;
  const left =
    hidden.length === 0 || options.hidden === "read" ? [] : [`Hidden sheets were left out: ${listed(hidden)}.`];
  const [first, ...others] = candidates;
  if (first === undefined) throw missing(workbook, "all sheets of the workbook are hidden");
  if (others.length === 0) return { sheet: first, notes: left };
  const filled: Sheet[] = [];
  for (const sheet of candidates) if (!(await isEmpty(sheet))) filled.push(sheet);
  if (filled.length > 1)
    throw ambiguous(workbook, `the workbook has ${filled.length} sheets with rows: ${listed(filled)}`);
  const sheet = filled[0] ?? first;
  return { sheet, notes: [...left, `Of ${candidates.length} sheets, only "${sheet.name}" has rows.`] };
}

/** `*`: any run of characters, `?`: one. Takes time proportional to pattern × name at worst. */
function matches(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = index;
    } else if (pattern[at] === "?" || pattern[at] === name[index]) {
      at++;
      index++;
    } else if (star !== -1) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

function missing(workbook: Workbook, message: string): RowferryError {
  return new RowferryError("sheet-missing", message, {
    place: { file: workbook.parts.file.name },
    hint: `Name one of these under \`excel: { sheet }\` in the mapping: ${listed(workbook.sheets)}.`,
  });
}

function ambiguous(workbook: Workbook, message: string): RowferryError {
  return new RowferryError("sheet-ambiguous", message, { place: { file: workbook.parts.file.name } });
}

function listed(sheets: readonly Sheet[]): string {
  const shown = sheets.slice(0, 10).map(({ name, hidden }) => `"${name.slice(0, 60)}"${hidden ? " (hidden)" : ""}`);
  return shown.join(", ") + (sheets.length > 10 ? `, and ${sheets.length - 10} more` : "");
}
