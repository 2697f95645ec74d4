/** Chooses sheets: by name, by position, by pattern, or the only possible one. */
import type { ExcelOptions } from "../../model/dialect.js";
import { foldName, listed } from "../../model/fold.js";
import { compileGlob } from "../../model/glob.js";
import type { Sheet, Workbook } from "./workbook.js";

/** The names or positions of all sheets that patterns or a list match, each once; what matches nothing stays. */
export function sheetsLike(
  { sheets }: Workbook,
  { sheet, hidden: option }: ExcelOptions & Wanted,
): (string | number)[] {
  const open = sheets.filter(({ hidden }) => !hidden || option === "read");
  const named = [sheet].flat().flatMap((wanted): (string | number)[] => {
    const one = found(sheets, wanted);
    if (one !== undefined) return [one.name];
    const fits = compileGlob(String(wanted));
    const like = typeof wanted === "string" ? open.filter(({ name }) => fits(name)) : [];
    return like.length === 0 ? [wanted] : like.map(({ name }) => name);
  });
  return [...new Set(named)];
}

type Wanted = Required<Pick<ExcelOptions, "sheet">>;

/**
 * A sheet given by name or position (hidden ones count) is read even if hidden, with a note. The default considers
 * visible sheets only, unless hidden ones are to be read. @throws RowferryError `sheet-missing`, `sheet-ambiguous`.
 */
export async function chooseSheet(
  workbook: Workbook,
  excel: ExcelOptions,
  isEmpty: (sheet: Sheet) => Promise<boolean>,
): Promise<{ sheet: Sheet; notes: string[] }> {
  const { zip, sheets } = workbook;
  const { fault } = zip.file;
  const hint = `Name one of these under \`excel: { sheet }\` in the mapping: ${names(sheets)}.`;
  const missing = (message: string) => fault("sheet-missing", message, { hint });
  const closed = sheets.filter(({ hidden }) => hidden && excel.hidden !== "read");
  const open = sheets.filter((sheet) => !closed.includes(sheet));

  if (excel.sheet !== undefined) {
    const [wanted = "", ...more] = sheetsLike(workbook, { ...excel, sheet: excel.sheet });
    if (more.length > 0) throw fault("sheet-ambiguous", `${more.length + 1} sheets are named: ${names(sheets)}`);
    const named = found(sheets, wanted);
    if (named !== undefined)
      return { sheet: named, notes: named.hidden ? [`Sheet "${named.name}" is hidden in the workbook.`] : [] };
    if (typeof wanted === "number") throw missing(`the workbook has no sheet ${wanted}; it has ${sheets.length}`);
    if (!/[*?]/.test(wanted)) throw missing(`the workbook has no sheet "${wanted}"`);
    const left = closed.some(({ name }) => compileGlob(wanted)(name)) ? ", only hidden ones" : "";
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

function found(sheets: readonly Sheet[], wanted: string | number): Sheet | undefined {
  if (typeof wanted === "number") return sheets[wanted - 1];
  return sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => foldName(name) === foldName(wanted));
}

function names(sheets: readonly Sheet[]): string {
  return listed(
    sheets.map(({ name, hidden }) => `"${name.slice(0, 60)}"${hidden ? " (hidden)" : ""}`),
    10,
  );
}
