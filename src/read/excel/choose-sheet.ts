/** Chooses the sheet: by name, by position, by pattern, or the only possible one. */
import type { ExcelOptions } from "../../model/dialect.js";
import type { RowferryError } from "../../model/error.js";
import { foldName, listed } from "../../model/fold.js";
import { compileGlob } from "../../model/glob.js";
import { refused } from "./fault.js";
import type { Sheet, Workbook } from "./workbook.js";

export interface ChosenSheet {
  sheet: Sheet;
  notes: string[];
}

/**
 * A sheet given by name or position (hidden ones count) is read even if hidden, with a note. Patterns and the default
 * consider visible sheets only, unless hidden ones are to be read. @throws RowferryError `sheet-missing`,
 * `sheet-ambiguous`.
 */
export async function chooseSheet(
  workbook: Workbook,
  { sheet: wanted, hidden: option }: ExcelOptions,
  isEmpty: (sheet: Sheet) => Promise<boolean>,
): Promise<ChosenSheet> {
  const { sheets } = workbook;
  const open = (sheet: Sheet) => option === "read" || !sheet.hidden;
  if (wanted === undefined) {
    const closed = sheets.filter((sheet) => !open(sheet));
    const left = closed.length === 0 ? [] : [`Hidden sheets were left out: ${names(closed)}.`];
    const candidates = sheets.filter(open);
    if (candidates.length === 0) throw missing(workbook, "all sheets of the workbook are hidden");
    return onlyFilled(workbook, candidates, left, isEmpty);
  }
  const named = typeof wanted === "number" ? sheets[wanted - 1] : byName(sheets, wanted);
  if (named !== undefined)
    return { sheet: named, notes: named.hidden ? [`Sheet "${named.name}" is hidden in the workbook.`] : [] };
  if (typeof wanted === "number")
    throw missing(workbook, `the workbook has no sheet ${wanted}; it has ${sheets.length}`);
  if (!/[*?]/.test(wanted)) throw missing(workbook, `the workbook has no sheet "${wanted}"`);
  const fits = compileGlob(wanted);
  const matching = sheets.filter(({ name }) => fits(name));
  const found = matching.filter(open);
  const [sheet, ...others] = found;
  if (sheet === undefined)
    throw missing(
      workbook,
      `the workbook has no sheet like "${wanted}"${matching.length > 0 ? ", only hidden ones" : ""}`,
    );
  if (others.length > 0) throw ambiguous(workbook, `${found.length} sheets are like "${wanted}": ${names(found)}`);
  return { sheet, notes: [] };
}

function byName(sheets: readonly Sheet[], name: string): Sheet | undefined {
  return sheets.find((sheet) => sheet.name === name) ?? sheets.find((sheet) => foldName(sheet.name) === foldName(name));
}

async function onlyFilled(
  workbook: Workbook,
  candidates: readonly Sheet[],
  left: readonly string[],
  isEmpty: (sheet: Sheet) => Promise<boolean>,
): Promise<ChosenSheet> {
  const [first, ...others] = candidates as [Sheet, ...Sheet[]];
  if (others.length === 0) return { sheet: first, notes: [...left] };
  const notes = [...left];
  const filled: Sheet[] = [];
  for (const sheet of candidates) {
    if (sheet.part === null) notes.push(`Sheet "${sheet.name}" was left out: the file does not hold its cells.`);
    else if (!(await isEmpty(sheet))) filled.push(sheet);
  }
  if (filled.length > 1)
    throw ambiguous(workbook, `the workbook has ${filled.length} sheets with rows: ${names(filled)}`);
  const sheet = filled[0] ?? first;
  return { sheet, notes: [...notes, `Of ${candidates.length} sheets, only "${sheet.name}" has rows.`] };
}

function missing({ parts, sheets }: Workbook, message: string): RowferryError {
  const hint = `Name one of these under \`excel: { sheet }\` in the mapping: ${names(sheets)}.`;
  return refused("sheet-missing", parts.file.name, message, hint);
}

function ambiguous({ parts }: Workbook, message: string): RowferryError {
  return refused("sheet-ambiguous", parts.file.name, message);
}

function names(sheets: readonly Sheet[]): string {
  return listed(
    sheets.map(({ name, hidden }) => `"${name.slice(0, 60)}"${hidden ? " (hidden)" : ""}`),
    10,
  );
}
