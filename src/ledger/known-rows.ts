/**
 * Known rows and their landed events, in pages: a nightly full history brings all of them again and asks for hardly any
 * (H24). Rows with unlanded events are in `row_events`.
 */
import type { LedgerDatabase } from "./ledger-database.js";
import { createPages, type Entry, eventsIn, rowsOn } from "./pages.js";

/** In SQL, known rows from @first to @last, which are all rows of an input. */
export const KNOWN_OF_INPUT = `(${rowsOn("known", "k.first_id BETWEEN @first AND @last")})`;

/** In SQL, all known rows with these @events; reads every page that may hold one. */
export const KNOWN_OF_EVENTS = `(${rowsOn("known", "k.highest_event >= (SELECT min(value) FROM json_each(@events))")}
  AND k.lowest_event <= (SELECT max(value) FROM json_each(@events)) AND l.event_id IN @events)`;

/** In SQL, `row_id` and `event_id` of all rows with these @events, known or not. */
export const ROWS_OF_EVENTS = `(SELECT row_id, event_id FROM row_events WHERE event_id IN @events
  UNION ALL SELECT row_id, event_id FROM ${KNOWN_OF_EVENTS})`;

/** In SQL, `event_id` of what @row brought. */
export const EVENTS_OF_ROW = `SELECT event_id FROM row_events WHERE row_id = @row UNION ALL SELECT event_id FROM (
  ${rowsOn("known", "k.first_id BETWEEN @row >> 32 << 32 AND @row AND k.last_id >= @row")} AND l.row_id = @row)`;

export function createKnownRows(database: LedgerDatabase) {
  const pages = createPages<number[]>(database, "known", eventsIn);
  return {
    /** Rows must ascend within an input. SQL finds them after `flush`. */
    add: (row: number, events: readonly number[]) => pages.add([[row, events.map((event) => event - row)]]),

    flush: pages.flush,

    /** By event, its copy: the rows are no longer known, and yield the copies. */
    move(copies: ReadonlyMap<number, number>) {
      const events = [...copies.keys()];
      const links = database.rows<{ page: number; row: number; event: number }>(
        `SELECT first_id AS page, row_id AS "row", event_id AS event FROM ${KNOWN_OF_EVENTS}`,
        { events },
      );
      for (const { row, event } of links)
        database.run(
          `INSERT OR IGNORE INTO row_events (row_id, event_id, differs) SELECT @row, c.id, c.content_hash <> e.content_hash
           FROM events e JOIN events c ON c.id = @copy WHERE e.id = @event`,
          { row, event, copy: copies.get(event) },
        );
      for (const page of new Set(links.map((link) => link.page)))
        pages.change(page, ([row, steps]): Entry<number[]>[] => {
          const left = steps.filter((step) => !copies.has(row + step));
          return left.length === 0 ? [] : [[row, left]];
        });
    },
  };
}

export type KnownRows = ReturnType<typeof createKnownRows>;
