/** Chooses the sheet: by name, by position, by pattern, or the only possible one. */
import type { ExcelOptions } from "../../model/dialect.js";
import { foldName, listed } from "../../model/fold.js";
import { compileGlob } from "../../model/glob.js";
import type { Sheet, Workbook } from "./workbook.js";

/**
 * A sheet given by name or position (hidden ones count) is read even if hidden, with a note. Patterns and the default
 * consider visible sheets only, unless hidden ones are to be read. @throws RowferryError `sheet-missing`,
 * `sheet-ambiguous`.
 */
export async function chooseSheet(
  { zip, sheets }: Workbook,
  { sheet: wanted, hidden: option }: ExcelOptions,
  isEmpty: (sheet: Sheet) => Promise<boolean>,
): Promise<{ sheet: Sheet; notes: string[] }> {
  const { fault } = zip.file;
  const hint = `Name one of these under \`excel: { sheet }\` in the mapping: ${names(sheets)}.`;
  const missing = (message: string) => fault("sheet-missing", message, { hint });
  const closed = sheets.filter(({ hidden }) => hidden && option !== "read");
  const open = sheets.filter(({ hidden }) => !hidden || option === "read");

  if (wanted !== undefined) {
    const named = typeof wanted === "number" ? sheets[wanted - 1] : byName(sheets, wanted);
    if (named !== undefined)
      return { sheet: named, notes: named.hidden ? [`Sheet "${named.name}" is hidden in the workbook.`] : [] };
    if (typeof wanted === "number") throw missing(`the workbook has no sheet ${wanted}; it has ${sheets.length}`);
    if (!/[*?]/.test(wanted)) throw missing(`the workbook has no sheet "${wanted}"`);
    const fits = compileGlob(wanted);
    const found = open.filter(({ name }) => fits(name));
    if (found.length > 1)
      throw fault("sheet-ambiguous", `${found.length} sheets are like "${wanted}": ${names(found)}`);
    if (found[0] !== undefined) return { sheet: found[0], notes: [] };
    const left = closed.some(({ name }) => fits(name)) ? ", only hidden ones" : "";
    throw missing(`the workbook has no sheet like "${wanted}"${left}`);
  }

  const [first, ...others] = open;
  if (first === undefined) throw missing("all sheets of the workbook are hidden");
  const notes = closed.length === 0 ? [] : [`Hidden sheets were left out: ${names(closed)}.`];
  if (others.length === 0) return { sheet: first, notes };
  const filled: Sheet[] = [];
  for (const sheet of open) {
    if (sheet.part === null) notes.push(`Sheet "${sheet.name}" was left out: the file does not hold its cells.`);
    else if (!(await isEmpty(sheet))) filled.push(sheet);
  }
  if (filled.length > 1)
    throw fault("sheet-ambiguous", `the workbook has ${filled.length} sheets with rows: ${names(filled)}`);
  const sheet = filled[0] ?? first;
  notes.push(`Of ${open.length} sheets, only "${sheet.name}" has rows.`);
  return { sheet, notes };
}

function byName(sheets: readonly Sheet[], wanted: string): Sheet | undefined {
  return sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => foldName(name) === foldName(wanted));
}

function names(sheets: readonly Sheet[]): string {
  return listed(
    sheets.map(({ name, hidden }) => `"${name.slice(0, 60)}"${hidden ? " (hidden)" : ""}`),
    10,
  );
}
