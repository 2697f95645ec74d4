/** Finds rows that are not part of the table, such as sums and notes, and the conditions that skip them. */
import { foldName } from "../model/fold.js";
import type { Row } from "../model/row.js";
import { isValue } from "../read/header.js";
import { TOTAL } from "../read/rows.js";

export interface Aside {
  /** No evidence about the columns. */
  rows: readonly Row[];
  /** The column with their words. */
  column: number;
  /** Of notes, one of them. */
  example?: string;
  /** The condition of `skip`; null where a column that it needs has no name. `word`: of the column of words, as text. `names`: of all, by position. */
  condition: Condition;
}

type Condition = (word: string | undefined, names: ReadonlyMap<number, string>) => string | null;

interface Seen {
  row: Row;
  texts: string[];
  filled: number;
}

const DELIMITERS = [",", ";", "|", "\t"];

export function findAsides(rows: readonly Row[], width: number, blank: ReadonlySet<string>): Aside[] {
  const seen = rows.map((row): Seen => {
    const texts = row.cells.map((cell) => (blank.has(cell.trim()) ? "" : foldName(cell)));
    return { row, texts, filled: texts.filter((text) => text !== "").length };
  });
  const filledOf = ({ texts }: Seen) => texts.filter((text) => text !== "");
  const isFooter = ([, text = ""]: string[]) => / /.test(text) && /\d/.test(text) && !isValue(text);
  /** `Printed by Ana` at the left, and `Page 1 of 3` at the right: a few words in a wide table. */
  const isLone = (one: Seen) =>
    (width > 2 && one.filled === 1) || (width > 4 && one.filled === 2 && isFooter(filledOf(one)));
  // A faulty row may also lack values that rows always have.
  const isSparse = (one: Seen) => isLone(one) || (width > 4 && one.filled <= 2);
  const totals = [...findTotals(seen, isSparse), ...wordlessSum(seen)];
  const summed = new Set(totals.flatMap((one) => one.rows));
  const others = seen.filter((one) => !isLone(one) && !summed.has(one.row));
  // A row that is quoted as a whole, or has another delimiter, is a mistake to be told.
  const isRow = ({ row }: Seen) =>
    row.cells.some((cell) => DELIMITERS.some((mark) => cell.split(mark).length >= Math.max(width, 4)));
  const lone = seen.filter((one) => isLone(one) && !summed.has(one.row) && !isRow(one));
  const byColumn = Map.groupBy(lone, ({ texts }) => texts.findIndex((text) => text !== ""));
  const notes = [...byColumn].flatMap(([column, some]) => notesIn(column, some, others) ?? []);
  return [...totals, ...notes];
}

const isBlank =
  (column: number) =>
  ({ texts }: Seen) =>
    (texts[column] ?? "") === "";

/** Columns that they leave blank, and the others never. */
const gapsOf = (column: number, some: readonly Seen[], others: readonly Seen[]) =>
  [...(others[0]?.texts.keys() ?? [])].filter(
    (one) => one !== column && some.every(isBlank(one)) && !others.some(isBlank(one)),
  );

/** A blank that only such rows have, and what their word is like. */
const unlike =
  (gaps: readonly number[], test: (word: string) => string): Condition =>
  (word, names) => {
    // Words in a column without a header cannot be read; one blank alone may be a mistake.
    if (word === undefined) return allBlank(gaps, names);
    const [missing] = gaps.flatMap((one) => names.get(one) ?? []);
    return missing === undefined ? null : `blank(${missing}) && ${test(word)}`;
  };

/** SAP marks its sums with `*`, and sums of sums with `**`. */
const STARS = /^\*{1,4}$/;

/** Subtotals and pivot tables of Excel name their group first: `Acme Total`. */
const OF_GROUP = / (?:total|ergebnis)$/;

/** `hasGaps`: its row does; otherwise a product may be called `Clean Total`. */
const sumIn = (text: string, hasGaps: boolean) =>
  (TOTAL.exec(text) ?? STARS.exec(text) ?? (hasGaps ? OF_GROUP.exec(text) : null))?.[0];

/** The words of sums may be in one column, and those of a former balance in another. */
function findTotals(seen: readonly Seen[], isSparse: (one: Seen) => boolean): Aside[] {
  const byColumn = Map.groupBy(seen, ({ texts, filled }) => {
    const at = texts.findIndex((text) => sumIn(text, filled + 1 < texts.length) !== undefined);
    // A sum's word is the first or second filled cell; further right it is a name.
    return texts.slice(0, Math.max(0, at)).filter((text) => text !== "").length > 1 ? -1 : at;
  });
  byColumn.delete(-1);
  // Apart, so that products with such names spoil no sum below them.
  const isPlain = (at: number) => (one: Seen) => sumIn(one.texts[at] ?? "", false) !== undefined;
  const all = [...byColumn]
    .flatMap(([at, sums]) => [...Map.groupBy(sums, isPlain(at)).values()].map((some) => [at, some] as const))
    .filter(([, sums]) => sums.length * 2 <= seen.length);
  const summed = new Set(all.flatMap(([, sums]) => sums));
  const others = seen.filter((one) => !summed.has(one) && !isSparse(one));
  return all.flatMap(([at, sums]) => totalsIn(at, sums, others) ?? []);
}

/** This many columns that only sums leave blank identify a sum without its words. */
const SUREST = 3;
const MOST_GAPS = 30;

const AMOUNT = /^\D{0,4}\d[\d.,]*\D{0,4}$/u;

/** A last row of nothing but amounts, and the unit or currency of all rows, right of blank cells. */
function wordlessSum(seen: readonly Seen[]): Aside[] {
  const [last, others] = [seen.at(-1), seen.slice(0, -1)];
  if (last === undefined || others.length < 3 || last.filled === 0) return [];
  const gaps = gapsOf(-1, [last], others);
  if (gaps[0] !== 0 || gaps.length < SUREST) return [];
  const isUnit = (text: string, column: number) => others.every(({ texts }) => texts[column] === text);
  if (!last.texts.some((text) => AMOUNT.test(text))) return [];
  if (!last.texts.every((text, at) => text === "" || AMOUNT.test(text) || isUnit(text, at))) return [];
  // All of them: a later row may lack the first where it continues the one above.
  return [{ rows: [last.row], column: -1, condition: (_, names) => allBlank(gaps, names, MOST_GAPS) }];
}

function allBlank(gaps: readonly number[], names: ReadonlyMap<number, string>, most = SUREST): string | null {
  const blanks = gaps.flatMap((one) => names.get(one) ?? []).map((one) => `blank(${one})`);
  return blanks.length < SUREST ? null : blanks.slice(0, most).join(" && ");
}

function totalsIn(at: number, sums: readonly Seen[], others: readonly Seen[]): Aside | null {
  const gaps = gapsOf(at, sums, others);
  const said = sums.map(({ texts }) => texts[at] ?? "");
  const words = [...new Set(said.map((text) => sumIn(text, true) ?? ""))];
  // Without a gap only the bare word is certain.
  if (gaps.length === 0 && !said.every((text) => words.includes(text) && !STARS.test(text))) return null;
  const ofWords = unlike(gaps, (name) => {
    const tests = words.map((word) => `${word.startsWith(" ") ? "endsWith" : "startsWith"}(fold(${name}), "${word}")`);
    return tests.length > 1 ? `(${tests.join(" || ")})` : tests.join("");
  });
  const bare: Condition = (name) => (name === undefined ? null : `fold(${name}) in ${JSON.stringify(words)}`);
  return { rows: sums.map(({ row }) => row), column: at, condition: gaps.length === 0 ? bare : ofWords };
}

/** More than this are not notes, but a table of another kind. */
const MOST_NOTES = 8;

const patternOf = (text: string) => text.replace(/[^\p{Letter}\p{Number} ]/gu, ".").replace(/\d+/g, "[0-9]+");

/** The next file has other words after the colon: `Applied filters: Year is 2025`. */
const LEAD = /^\p{Letter}[\p{Letter} ]{3,39}:/u;

/** Titles of pages and sections, signatures, counts: several words in a row of one cell or two, unlike the column's other texts. */
function notesIn(column: number, some: readonly Seen[], others: readonly Seen[]): Aside | null {
  const all = some.map((one) => one.texts[column] ?? "");
  const leads = all.flatMap((text) => LEAD.exec(text)?.[0] ?? []);
  // If several begin alike, the words that follow are names of sections.
  const leadOf = (text: string) =>
    leads.find((lead) => text.startsWith(lead) && leads.indexOf(lead) === leads.lastIndexOf(lead));
  const texts = all.filter((text) => / /.test(text) && (text.length <= 120 || leadOf(text) !== undefined));
  const patternFor = (text: string, lead = leadOf(text)) =>
    lead === undefined ? patternOf(text) : `${patternOf(lead)}.*`;
  const patterns = [...new Set(texts.map((text) => patternFor(text)))];
  const gaps = gapsOf(column, some, others);
  if (gaps.length === 0 || texts.length < some.length || patterns.length > MOST_NOTES) return null;
  // A footer may be long, as that of Salesforce.
  const isBelow = others.every(({ row }) => row.number < (some[0]?.row.number ?? 0));
  if (
    (some.length * 3 > others.length && !isBelow) ||
    others.some((one) => patterns.includes(patternOf(one.texts[column] ?? "")))
  )
    return null;
  const condition = unlike(gaps, (name) => `matches(fold(${name}), "^(${patterns.join("|")})$")`);
  return { rows: some.map(({ row }) => row), column, example: some[0]?.row.cells[column]?.trim() ?? "", condition };
}
