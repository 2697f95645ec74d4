/** Formulas of a workbook that use cells of their own row only: those can follow the row into another sheet. */

/** What to write for a reference; null: there is nothing to write. */
type Place = (reference: FormulaReference) => string | null;

export interface FormulaReference {
  /** Counting from 0. */
  column: number;
  /** Counting from 1. */
  row: number;
  /** Marked with `$`: stays where a shared formula is copied to another cell. */
  fixed: { column: boolean; row: boolean };
}

/** Texts, references and ranges, columns of a table, names with the bracket of a function, numbers, operators. */
const TOKENS = new RegExp(
  [
    /"(?:[^"]|"")*"/,
    /(?<from>\$?[A-Z]{1,3}\$?\d{1,7})(?::(?<to>\$?[A-Z]{1,3}\$?\d{1,7}))?(?![\w.(!:[$])/,
    /(?<![\p{L}\p{N}_.])[\p{L}_][\p{L}\p{N}_.]*\[\[#This Row\],\[(?<header>(?:'.|[^'[\]])+)\]\]/u,
    /(?<name>[\p{L}_][\p{L}\p{N}_.]*)(?<bracket>\(?)/u,
    /(?:\d+\.?\d*|\.\d+)(?:E[+-]?\d+)?/,
    /[-+*/^&=<>%(),\s]/,
    /[^]/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "giu",
);

/** Functions that look elsewhere, depend on the place of the cell, or say something else every time. */
const ELSEWHERE =
  /^(?:_xl\w+\.)*(?:INDIRECT|OFFSET|ROWS?|COLUMNS?|CELL|SHEETS?|INFO|NOW|TODAY|RAND\w*|GETPIVOTDATA|CUBE\w*|CALL|REGISTER.*|EXEC|RTD|DDE|WEBSERVICE|IMAGE|STOCKHISTORY|SQL\.REQUEST)$/i;

/** What Excel itself allows. */
const LONGEST = 8192;

/**
 * The formula with its references put elsewhere. `headed`: the column of a table (`Table1[[#This Row],[Gross]]`); without it such
 * a reference stays. Null: it uses more than `place` allows, or something that cannot be followed.
 */
export function moveFormula(formula: string, place: Place, headed?: (header: string) => string | null): string | null {
  if (formula.length > LONGEST) return null;
  let moved = "";
  for (const { 0: token, groups = {} } of formula.matchAll(TOKENS)) {
    const { from, to, header, name, bracket } = groups;
    let text: string | null = /^["\d.\s(),*/^&=<>%+-]/.test(token) ? token : null;
    if (from !== undefined) text = movedRange(from, to, place);
    else if (header !== undefined) text = headed === undefined ? token : headed(unescaped(header));
    else if (name !== undefined && movable(name, bracket === "(")) text = token;
    if (text === null) return null;
    moved += text;
  }
  return moved;
}

const movable = (name: string, isFunction: boolean): boolean =>
  isFunction ? !ELSEWHERE.test(name) : /^(?:TRUE|FALSE)$/i.test(name);

function movedRange(from: string, to: string | undefined, place: Place): string | null {
  const ends = [from, ...(to === undefined ? [] : [to])].map((text) => place(referenceOf(text)));
  return ends.includes(null) ? null : ends.join(":");
}

/** The columns of its row, counting from 0, that a formula uses. */
export function columnsUsed(formula: string, header: readonly string[]): Set<number> {
  const used = new Set<number>();
  for (const { groups = {} } of formula.matchAll(TOKENS)) {
    const { from, to = from, header: title } = groups;
    if (title !== undefined) used.add(titledColumn(header, unescaped(title)));
    if (from === undefined || to === undefined) continue;
    const [first, last] = [referenceOf(from).column, referenceOf(to).column];
    for (let column = Math.min(first, last); column <= Math.max(first, last); column++) used.add(column);
  }
  return used;
}

/** -1: there is none, or several. */
export function titledColumn(header: readonly string[], title: string): number {
  const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
  const titles = header.map(plain);
  const column = titles.indexOf(plain(title));
  return titles.lastIndexOf(plain(title)) === column ? column : -1;
}

const unescaped = (title: string): string => title.replace(/'(.)/g, "$1");

function referenceOf(text: string): FormulaReference {
  const [, column = "", letters = "", row = "", digits = ""] = /^(\$?)([A-Z]+)(\$?)(\d+)$/i.exec(text) ?? [];
  return {
    column: columnOf(letters),
    row: Number(digits),
    fixed: { column: column !== "", row: row !== "" },
  };
}

/** The column (counting from 0) that a reference such as `B7` begins with; -1: it begins with no letter. */
export function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < 4; at++) {
    const letter = (reference.charCodeAt(at) | 0x20) - 0x60;
    if (!(letter >= 1 && letter <= 26)) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

/** `A` for 1, as a spreadsheet names its columns. */
export function columnLetters(position: number): string {
  let letters = "";
  for (let rest = position; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
