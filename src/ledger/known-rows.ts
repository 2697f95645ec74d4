/**
 * Known rows and their landed events, in pages: a nightly full history brings all of them again and asks for hardly any
 * (H24). Rows with unlanded events are in `row_events`.
 */
import type { LedgerDatabase } from "./ledger-database.js";
import { createPages, type Entry } from "./pages.js";

export interface KnownLink {
  row: number;
  event: number;
}

/** An event is stored as its distance to the row, which is constant where rows and events follow one another. */
export const eventsIn = ([row, steps]: Entry<number[]>): number[] => steps.map((step) => row + step);

export function createKnownRows(database: LedgerDatabase) {
  const pages = createPages<number[]>(database, "known", eventsIn);

  /** Inclusive, ascending; `events`: only links to these. */
  function* links(first?: number, last?: number, events?: ReadonlySet<number>): Generator<KnownLink> {
    const [lowest, highest] = rangeOf(events);
    for (const page of pages.between(first, last, lowest, highest))
      for (const entry of page.entries) {
        const [row] = entry;
        if (row < (first ?? row) || row > (last ?? row)) continue;
        for (const event of eventsIn(entry)) if (events?.has(event) !== false) yield { row, event };
      }
  }

  return {
    /** Rows must ascend within an input. Written by `flush`, or before the next read. */
    add: (row: number, events: readonly number[]) => pages.add([[row, events.map((event) => event - row)]]),

    flush: pages.flush,

    /** Empty: not a known row. */
    eventsOf: (row: number) => eventsIn([row, pages.of(row) ?? []]),

    links,

    /** Ascending; all inputs, or rows from `first` to `last`. Reads every page that may hold the event. */
    rowsOf: (event: number, first?: number, last?: number) =>
      Array.from(links(first, last, new Set([event])), ({ row }) => row),

    /** Removes and returns all links to these events. */
    take(events: ReadonlySet<number>): KnownLink[] {
      if (events.size === 0) return [];
      const taken = [...links(undefined, undefined, events)];
      for (const page of pages.between(0, undefined, ...rangeOf(events)))
        pages.keepOnly(
          page,
          page.entries.flatMap(([row, steps]): Entry<number[]>[] => {
            const left = steps.filter((step) => !events.has(row + step));
            return left.length === 0 ? [] : [[row, left]];
          }),
        );
      return taken;
    },
  };
}

export type KnownRows = ReturnType<typeof createKnownRows>;

function rangeOf(events: ReadonlySet<number> | undefined): [lowest?: number, highest?: number] {
  if (events === undefined) return [];
  let [lowest, highest] = [Number.MAX_SAFE_INTEGER, 0];
  for (const event of events) [lowest, highest] = [Math.min(lowest, event), Math.max(highest, event)];
  return [lowest, highest];
}
