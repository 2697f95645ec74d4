/** A column of times of day beside one of dates: the two are read as one. */
import { type Cell, enough, share } from "./cell.js";
import type { Column } from "./column.js";

const clocks: readonly (readonly [format: string, pattern: RegExp])[] = [
  ["HH:mm", /^\d{2}:\d{2}$/],
  ["H:mm", /^\d{1,2}:\d{2}$/],
  ["HH:mm:ss", /^\d{2}:\d{2}:\d{2}$/],
  ["h:mm a", /^\d{1,2}:\d{2} [AaPp]\.?[Mm]\.?$/],
  ["h:mm:ss a", /^\d{1,2}:\d{2}:\d{2} [AaPp]\.?[Mm]\.?$/],
];

/** The columns, dates without a time of day joined with the times beside them; those are then no columns of their own. */
export function joinClocks(columns: readonly Column[]): Column[] {
  const taken = new Set<Column>();
  const joined = columns.map((column): Column => {
    const clock = columns.find(
      (other) => Math.abs(other.index - column.index) === 1 && !taken.has(other) && belong(column, other, columns),
    );
    const format = clock === undefined ? null : clockFormat(clock.cells);
    if (clock === undefined || format === null || column.date === null) return column;
    taken.add(clock);
    const timed = (formats: readonly string[]) => formats.map((day) => `${day} ${format}`);
    const values = column.values.map((value, row) => (value === "" ? "" : `${value} ${clock.values[row] ?? ""}`));
    return {
      ...column,
      clock: clock.header,
      values,
      distinct: new Set(values.filter((value) => value !== "")),
      date: { formats: timed(column.date.formats), rivals: timed(column.date.rivals) },
    };
  });
  return joined.filter((_, position) => !taken.has(columns[position] as Column));
}

/** Texts only: a workbook's own dates and times are no text to be joined. Every row with a date needs its time. */
function belong(day: Column, clock: Column, columns: readonly Column[]): boolean {
  const named = [day, clock].every(
    ({ header }) => /^[^{}?|]+$/.test(header) && columns.filter((one) => one.header === header).length === 1,
  );
  const plainDays =
    day.date !== null && day.date.formats.length > 0 && day.date.formats.every((one) => /^[dMy./-]+$/.test(one));
  return (
    named &&
    plainDays &&
    [...day.cells, ...clock.cells].every(({ kind }) => kind === "text") &&
    clockFormat(clock.cells) !== null &&
    day.values.every((value, row) => (value === "") === (clock.values[row] === ""))
  );
}

function clockFormat(cells: readonly Cell[]): string | null {
  return clocks.find(([, pattern]) => share(cells, ({ text }) => pattern.test(text)) >= enough)?.[0] ?? null;
}
