/** Tells apart the causes of rows' problems: by column and mistake, as summaries, the console and `check` list them. */
import type { Code } from "./codes.js";
import { withoutMember } from "./problem.js";

/** A column, or code, with more kinds of mistakes than this counts as one cause: its messages may differ in every row. */
export const KINDS_OF_A_MISTAKE = 5;

/** The message without quoted cells and numbers, and without the row of a group. */
export const mistakeOf = (message: string): string =>
  withoutMember(message)
    .replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '"')
    .replace(/\d+/g, "0");

/** Problems of rows that have one cause. */
export interface CauseOfRows<Found> {
  /** What is wrong, without what differs from row to row; null: whatever is wrong in that column. */
  mistake: string | null;
  /** An example: the first problem, if possible of a row in the files asked for. */
  found: Found;
  /** Rows, of groups all; one that has several problems counts in each of their causes. */
  count: number;
  /** How many of them are not in the files asked for. */
  earlier: number;
}

type Counted<Found> = CauseOfRows<Found> & { last: number | null };

/** Takes problems in row order. Without a column, the message names records, so it is one mistake. */
export function tallyCauses<Found extends { code: Code; column: string | null; message: string }>(
  /** Called once for each problem, with each cause that may count it. */
  note: (cause: CauseOfRows<Found>, found: Found) => void = () => {},
) {
  const places = new Map<string, Map<string | null, Counted<Found>>>();
  const count = (causes: Map<string | null, Counted<Found>>, mistake: string | null, found: Found, of: RowAtHand) => {
    const cause = causes.get(mistake) ?? { mistake, found, count: 0, earlier: 0, last: null };
    causes.set(mistake, cause);
    note(cause, found);
    if (cause.last === of.row) return;
    cause.last = of.row;
    if (of.isHere && cause.earlier === cause.count) cause.found = found;
    cause.count += of.size;
    if (!of.isHere) cause.earlier += of.size;
  };
  return {
    /** `size`: rows of its group. */
    add(found: Found, row: number, { isHere = true, size = 1 } = {}): void {
      const { code, column, message } = found;
      const place = JSON.stringify([code, column]);
      const causes = places.get(place) ?? new Map<string | null, Counted<Found>>();
      places.set(place, causes);
      count(causes, null, found, { row, isHere, size });
      // One more than is allowed.
      if (column !== null && causes.size <= KINDS_OF_A_MISTAKE + 1)
        count(causes, mistakeOf(message), found, { row, isHere, size });
    },

    all: (): CauseOfRows<Found>[] =>
      [...places.values()].flatMap((causes) => {
        const [whole, ...kinds] = causes.values();
        return whole === undefined || (kinds.length > 0 && kinds.length <= KINDS_OF_A_MISTAKE) ? kinds : [whole];
      }),
  };
}

interface RowAtHand {
  row: number;
  isHere: boolean;
  size: number;
}
