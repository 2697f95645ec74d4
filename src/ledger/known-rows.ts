/**
 * Known rows: which landed events they stand for. They stand in pages, because a nightly full history brings them all again and
 * asks for hardly any (HARD-CASES H24); rows with anything that has not landed stand in `row_events`.
 */
import type { LedgerDatabase } from "./ledger-database.js";
import { createPages, type Entry } from "./pages.js";

export interface KnownLink {
  row: number;
  event: number;
}

/** Events are told by their distance to the row: it is the same where rows and events follow one another. */
export const eventsIn = ([row, steps]: Entry<number[]>): number[] => steps.map((step) => row + step);

export function createKnownRows(database: LedgerDatabase) {
  const pages = createPages<number[]>(database, "known", eventsIn);

  /** Of the rows from `first` to `last`, both included, in their order; `events`: to these only. */
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
    /** Rows must ascend within an input. In the ledger after `flush`, or the next reading. */
    add: (row: number, events: readonly number[]): void => pages.add([[row, events.map((event) => event - row)]]),

    flush: pages.flush,

    /** Empty: this is no known row. */
    eventsOf: (row: number): number[] => eventsIn([row, pages.of(row) ?? []]),

    links,

    /** Ascending; of all inputs, or of the rows from `first` to `last`. Looks through every page that may hold the event. */
    rowsOf: (event: number, first?: number, last?: number): number[] =>
      Array.from(links(first, last, new Set([event])), ({ row }) => row),

    /** Takes out all links to these events, and gives them back. */
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
