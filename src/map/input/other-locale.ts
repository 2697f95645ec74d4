/**
 * Detects a file written in another locale: if some cells of a column can be read only with day and month, or point and
 * comma, swapped, and none only as they are, then `05/10/2025` or `1.250` would be misread too.
 */
import { RowferryError } from "../../model/error.js";
import type { Row } from "../../model/row.js";
import type { ConversionName } from "../convert/conversion.js";
import { isEither } from "../convert/number-text.js";

/** One may be a slip. */
const TELLING = 2;

const DAY_AND_MONTH = /^(\d\d?)([/.-])(\d\d?)\2/;

const days = {
  // Below 13, both orders fit.
  swap: (text: string) =>
    text.replace(DAY_AND_MONTH, (own, one: string, mark: string, two: string) =>
      Number(one) > 12 === Number(two) > 12 ? own : `${two}${mark}${one}${mark}`,
    ),
  said: (rows: string) => `day and month are swapped (${rows}), so days up to the 12th would be misread`,
};
const marks = {
  swap: (text: string) => (isEither(text) ? text : text.replace(/[.,]/g, (mark) => (mark === "," ? "." : ","))),
  said: (rows: string) => `the decimal mark is different (${rows}), so numbers such as 1.250 would be misread`,
};
const kinds: { [name in ConversionName]?: typeof days } = {
  date: days,
  timestamp: days,
  number: marks,
  integer: marks,
};

/** What the cells at each position are read as. `isRead`: whether the column there reads the text. */
export function watchLocale(
  columns: readonly (ConversionName | null | undefined)[],
  isRead: (at: number, text: string) => boolean,
) {
  const watched = new Map(
    columns.flatMap((as, at) => {
      const kind = as == null ? undefined : kinds[as];
      return kind === undefined ? [] : [[at, { ...kind, rows: new Map<string, number>() }] as const];
    }),
  );
  return {
    look(row: Row): void {
      if (row.problems !== null || row.leftOut !== undefined) return;
      for (const [at, { swap, rows }] of watched) {
        const text = (row.cells[at] ?? "").trim();
        // Beside typed cells, texts are the exception.
        const isTyped = text !== "" && (row.kinds?.[at] ?? "text") !== "text";
        const swapped = swap(text);
        if (swapped === text && !isTyped) continue;
        const isOwn = isTyped || isRead(at, text);
        const isOther = !isTyped && isRead(at, swapped);
        if (isOwn && !isOther) watched.delete(at);
        if (isOther && !isOwn && rows.size < TELLING) rows.set(text, row.number);
      }
    },
    /** @throws RowferryError `locale-differs` */
    check(header: readonly string[], { file, sheet }: { file: string; sheet: string | null }): void {
      for (const [at, { rows, said }] of watched)
        if (rows.size === TELLING) {
          const told = `rows ${[...rows.values()].join(", ")}`;
          throw new RowferryError("locale-differs", said(told), {
            place: { file, sheet: sheet ?? undefined, column: header[at] },
          });
        }
    },
  };
}
