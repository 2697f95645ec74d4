/** Tells apart the causes of rows' problems: by column and mistake, as summaries and `check` list them. */
import type { Code } from "./codes.js";
import { withoutMember } from "./problem.js";

/** More variants of one mistake become one cause, because their messages may differ in every row. */
export const KINDS_OF_A_MISTAKE = 5;

/** The message without quoted cells and numbers, and without the row of a group. */
export const mistakeOf = (message: string): string =>
  withoutMember(message)
    .replace(/"[^"]*"/g, '"')
    .replace(/\d+/g, "0");

/** Gives equal texts for problems of one cause. */
export function createCauses(): (problem: { code: Code; column: string | null; message: string }) => string {
  const known = new Set<string>();
  const kinds = new Map<string, number>();
  return ({ code, column, message }) => {
    const place = JSON.stringify([code, column]);
    // Without a column, the message names records, so it counts as one mistake.
    const cause = column === null ? place : place + mistakeOf(message);
    if (known.has(cause)) return cause;
    const count = kinds.get(place) ?? 0;
    kinds.set(place, count + 1);
    const name = count < KINDS_OF_A_MISTAKE ? cause : place;
    known.add(name);
    return name;
  };
}
