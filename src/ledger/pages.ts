/**
 * Packs what is kept for every row and hardly ever read (H24). A page is compressed JSON of rows of one input, ascending.
 * Entries added together stay on one page. Pages overlap if a worksheet's rows are out of order.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { LedgerDatabase } from "./ledger-database.js";
import { inputOf, rowNumberOf, rowsOfInput } from "./rows.js";
import { RowferryError } from "../model/error.js";

const ROWS_A_PAGE = 256;

export type Entry<Value> = [row: number, value: Value];

/** Rows as distances: consecutive ones compress to almost nothing. */
function pack(entries: readonly Entry<unknown>[]) {
  let before = entries[0]?.[0] ?? 0;
  const steps = entries.map(([row, value]) => {
    const step = row - before;
    before = row;
    return [step, value];
  });
  // The lowest level: half the time of the default for a tenth more bytes.
  return deflateRawSync(JSON.stringify(steps), { level: 1 });
}

export function unpack<Value>(first: number, page: Uint8Array): Entry<Value>[] {
  let row = first;
  return (JSON.parse(inflateRawSync(page).toString()) as Entry<Value>[]).map(([step, value]) => {
    row += step;
    return [row, value];
  });
}

/** Null: the page is garbled. */
export function entriesOf(first: number, page: Uint8Array): Entry<unknown>[] | null {
  try {
    return unpack(first, page);
  } catch {
    return null;
  }
}

/** For SQL: each row, known rows with each of their events. @throws if the page is garbled: its rows would seem to be none */
export function* rowsOnPage(kind: unknown, first: unknown, page: unknown): Generator<[number, number | null]> {
  const entries = entriesOf(Number(first), page as Uint8Array);
  if (entries === null)
    throw new RowferryError(
      "ledger-damaged",
      `The ledger's page from row ${rowNumberOf(Number(first))} of input ${inputOf(Number(first))} cannot be read; \`rowferry ledger check\` says what to do.`,
    );
  for (const entry of entries)
    if (kind === "cells") yield [entry[0], null];
    else for (const event of eventsIn(entry as Entry<number[]>)) yield [entry[0], event];
}

/** In SQL, leaves out garbled pages `k`. */
export const READABLE = "is_readable(k.page)";

/** In SQL, the rows on some pages `k`, known rows with each of their events (`page_rows`: see LedgerDatabase). */
export const rowsOn = (kind: "cells" | "known", which: string): string =>
  `SELECT k.first_id, l.row_id, l.event_id FROM pages k CROSS JOIN page_rows(k.kind, k.first_id, k.page) l
     WHERE k.kind = '${kind}' AND ${which}`;

/** An event is stored as its distance to the row, which is constant where rows and events follow one another. */
export const eventsIn = ([row, steps]: Entry<number[]>): number[] => steps.map((step) => row + step);

/** `eventsOf`: of a row's value, to find pages by event. */
export function createPages<Value>(
  database: LedgerDatabase,
  kind: "cells" | "known",
  eventsOf: (entry: Entry<Value>) => readonly number[] = () => [],
) {
  let added: Entry<Value>[] = [];
  let latest: Map<number, Value> | null = null;

  const write = (unsorted: readonly Entry<Value>[]) => {
    latest = null;
    const entries = unsorted.toSorted(([one], [other]) => one - other);
    const [head] = entries;
    const tail = entries.at(-1);
    if (head === undefined || tail === undefined) return;
    let [low, high]: [number | null, number | null] = [null, null];
    for (const entry of entries)
      for (const event of eventsOf(entry))
        [low, high] = [Math.min(low ?? event, event), Math.max(high ?? event, event)];
    const range = { first_id: head[0], last_id: tail[0], lowest_event: low, highest_event: high };
    database.add("pages", { kind, ...range, page: pack(entries) });
  };

  const flush = () => {
    // Otherwise whoever only reads would forget the page at hand with every row.
    if (added.length === 0) return;
    write(added);
    added = [];
  };

  /** Pages that may hold the row; the first is the likeliest, and others are looked for only if it does not. */
  const pagesOver = (row: number) =>
    database.each<{ first: number; page: Buffer }>(
      `SELECT first_id AS first, page FROM pages WHERE kind = @kind AND first_id BETWEEN @start AND @row AND last_id >= @row
       ORDER BY first_id DESC`,
      { kind, row, start: rowsOfInput(inputOf(row)).first },
    );

  return {
    /** Written by `flush`, or before the next read. */
    add(entries: readonly Entry<Value>[]) {
      const row = entries[0]?.[0] ?? 0;
      if (added.length >= ROWS_A_PAGE || inputOf(added[0]?.[0] ?? row) !== inputOf(row)) flush();
      added.push(...entries);
    },

    flush,

    /** Undefined: no such row. Ascending look-ups read each page once. */
    of(row: number): Value | undefined {
      flush();
      if (latest?.has(row) === true) return latest.get(row);
      for (const { first, page } of pagesOver(row)) {
        latest = new Map(unpack<Value>(first, page));
        if (latest.has(row)) return latest.get(row);
      }
      return undefined;
    },

    /** Rewrites the page that begins with row `first`. */
    change(first: number, changed: (entry: Entry<Value>) => Entry<Value>[]) {
      const gone = "DELETE FROM pages WHERE kind = @kind AND first_id = @first RETURNING page";
      for (const page of database.values<Buffer>(gone, { kind, first }))
        write(unpack<Value>(first, page).flatMap(changed));
    },
  };
}
