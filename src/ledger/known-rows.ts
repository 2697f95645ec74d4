/**
 * Known rows and their landed events, in pages: a nightly full history brings all of them again and asks for hardly any
 * (H24). Rows with unlanded events are in `row_events`.
 */
import type { LedgerDatabase } from "./ledger-database.js";
import { createPages, eventsIn, unpack } from "./pages.js";

/** In SQL, `first_id` of a page of known rows, and the `row_id` and `event_id` of each link on it. */
export const knownLinks = `SELECT k.first_id, l.row_id, l.event_id FROM pages k CROSS JOIN page_rows(k.kind, k.first_id, k.page) l
  WHERE k.kind = 'known'`;

/** The same, to the events @ids. Reads every page that may hold one. */
export const knownLinksTo = `${knownLinks} AND l.event_id IN (SELECT value FROM json_each(@ids))
  AND k.lowest_event <= (SELECT max(value) FROM json_each(@ids)) AND k.highest_event >= (SELECT min(value) FROM json_each(@ids))`;

/** In SQL, `row_id` and `event_id` of rows from `first` to `last`, which are of one input. */
export const linksOf = (first: string, last: string): string =>
  `(SELECT row_id, event_id FROM row_events WHERE row_id BETWEEN ${first} AND ${last}
    UNION ALL SELECT row_id, event_id FROM (${knownLinks} AND k.first_id BETWEEN ${first} >> 32 << 32 AND ${last}
      AND k.last_id >= ${first} AND l.row_id BETWEEN ${first} AND ${last}))`;

export function createKnownRows(database: LedgerDatabase) {
  const pages = createPages<number[]>(database, "known", eventsIn);
  return {
    /** Rows must ascend within an input. SQL sees them after `flush`. */
    add: (row: number, events: readonly number[]) => pages.add([[row, events.map((event) => event - row)]]),

    flush: pages.flush,

    /** Removes and returns all links to these events. */
    take(ids: readonly number[]) {
      const taken = database.rows<{ first_id: number; row_id: number; event_id: number }>(knownLinksTo, { ids });
      const gone = new Set(ids);
      for (const first of new Set(taken.map(({ first_id }) => first_id))) {
        const select = "SELECT page FROM pages WHERE kind = 'known' AND first_id = @first";
        const entries = unpack<number[]>(first, database.value<Buffer>(select, { first }) as Buffer);
        const left = entries.map(([row, steps]) => [row, steps.filter((step) => !gone.has(row + step))] as const);
        pages.replace(
          first,
          left.flatMap(([row, steps]) => (steps.length === 0 ? [] : [[row, steps]])),
        );
      }
      return taken;
    },
  };
}

export type KnownRows = ReturnType<typeof createKnownRows>;
