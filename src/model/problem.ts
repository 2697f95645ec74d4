import type { Code } from "./codes.js";
import { shorten } from "./fold.js";

/** A problem of a row or record; its file, sheet and row are stored next to it. */
export interface Problem {
  code: Code;
  /** One sentence, with the value shortened to 80 characters. */
  message: string;
  hint: string | null;
  /** Null: not a single column. */
  column: string | null;
}

/** A problem of no single column. */
export const problem = (code: Code, message: string, hint: string | null = null): Problem => ({
  code,
  message,
  hint,
  column: null,
});

/** Texts of a cell before and after a spreadsheet had it. */
export const cellRewritten = (column: string, was: string, is: string): Problem => {
  const [before, after] = [JSON.stringify(was), JSON.stringify(is)];
  const message = `${before} became ${after}, perhaps changed by a spreadsheet`;
  const hint = `Write ${before}. If the new text is meant, write \`ok\` into the row's cell \`rowferry_code\`. Then import the file again.`;
  return { code: "cell-rewritten", column, message, hint };
};

export const columnDeleted = (column: string, was: string): Problem => {
  const message = `the file no longer has this column, and the row had ${JSON.stringify(shorten(was, 80))} in it`;
  const hint =
    "Put the column back; or, if its values are to be left out, write `ok` into the row's cell `rowferry_code`. Then import the file again.";
  return { code: "cell-rewritten", column, message, hint };
};

const ITS_ROWS = "another of its rows";

/** `used`: a column that was corrected; `result`: of the formula, as before. */
export const notComputed = (column: string, used: string, result: string): Problem => {
  const message = `its formula uses ${JSON.stringify(used)}, which was corrected, but its result is ${JSON.stringify(result)} as before`;
  const hint =
    "Open the workbook, calculate it (Excel: Ctrl+Alt+F9; LibreOffice: Ctrl+Shift+F9), save it, and import it again. If the result is right, write `ok` into the row's cell `rowferry_code`.";
  return { code: "cell-rewritten", column, message, hint };
};

/** `other`: the row before it, in words; null: one of its group. */
export const eventKeyTwice = (
  { event, document }: { event: string; document: { kind: string; key: string } },
  other: string | null,
): Problem =>
  problem(
    "event-key-twice",
    `The event ${event} of ${document.kind} ${document.key} is given with other content in ${other ?? ITS_ROWS}.`,
    other === null
      ? "Give the event a key that differs between them; or delete the wrong row in its source file, and import that file again."
      : "Keep the row that is right and delete the other, or give the event a key that differs between them.",
  );

/** Both are imported together, whichever is meant. */
export const isTwinOfGroup = ({ code, message }: Problem): boolean =>
  code === "event-key-twice" && message.endsWith(` ${ITS_ROWS}.`);

/** Two records, in words. */
export const keysNearlyEqual = (one: string, other: string): Problem =>
  problem(
    "keys-nearly-equal",
    `${one} and ${other} differ only by case, width, leading zeros, dashes or the marks of a number.`,
  );

/** `first`: the row with which the group begins. */
export const groupInterrupted = (first: number): Problem =>
  problem(
    "group-interrupted",
    `It belongs to the group that begins in row ${first}, with rows of other groups between them.`,
  );

/** `earlier`: the row before it in the file. */
export const rowIdTwice = (earlier: number): Problem =>
  problem("row-id-twice", `It has the same rowId as row ${earlier}, which differs.`);

/** A problem of one row of a group, whose problems are reported together. It names a row once: its own, if it has one. */
export const ofMember = (row: number, one: Problem): Problem =>
  memberOf(one.message) === null ? { ...one, message: `row ${row}: ${one.message}` } : one;

const member = /^row (\d+): /;

/** The number of that row; null: the problem is of the group, or there is none. */
export const memberOf = (message: string): number | null => {
  const [, row] = member.exec(message) ?? [];
  return row === undefined ? null : Number(row);
};

export const withoutMember = (message: string): string => message.replace(member, "");

/**
 * Of a group's rows, those that give a column its text where a problem names none of them: all with a text in it;
 * without one, the first.
 */
export function rowsWithText<Row>(group: readonly Row[], textOf: (row: Row) => string): Row[] {
  if (group.length === 1) return [...group];
  const filled = group.filter((row) => textOf(row).trim() !== "");
  return filled.length > 0 ? filled : group.slice(0, 1);
}
