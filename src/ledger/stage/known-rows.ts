/**
 * Known rows: which landed events they stand for. Packed by the hundred, because a nightly full history brings them
 * all again and asks for hardly any (HARD-CASES H24); rows with anything that has not landed stand in `row_events`.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { inputOf } from "../rows.js";

const LINKS_A_PAGE = 256;

export interface KnownLink {
  row: number;
  event: number;
}

/** Links in the order of their rows, as differences to the one before, seven bits a byte: two bytes where both go up by one. */
export function packLinks(links: readonly KnownLink[]): Buffer {
  const bytes: number[] = [];
  const write = (number: number): void => {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  };
  let row = links[0]?.row ?? 0;
  let event = 0;
  for (const link of links) {
    write(link.row - row);
    const step = link.event - event;
    write(step < 0 ? -2 * step - 1 : 2 * step);
    ({ row, event } = link);
  }
  return Buffer.from(bytes);
}

export function* unpackLinks(firstRow: number, packed: Uint8Array): Generator<KnownLink> {
  let at = 0;
  const read = (): number => {
    let number = 0;
    let scale = 1;
    for (;;) {
      const byte = packed[at++] ?? 0;
      number += (byte & 127) * scale;
      if (byte < 128) return number;
      scale *= 128;
    }
  };
  let row = firstRow;
  let event = 0;
  while (at < packed.length) {
    row += read();
    const step = read();
    event += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    yield { row, event };
  }
}

interface Page {
  first_row: number;
  links: Buffer;
}

const EVERY = Number.MAX_SAFE_INTEGER;

export function createKnownRows(database: LedgerDatabase) {
  let open: KnownLink[] = [];

  const write = (links: readonly KnownLink[]): void => {
    const [head] = links;
    const tail = links.at(-1);
    if (head === undefined || tail === undefined) return;
    const events = links.map(({ event }) => event);
    database.run(
      `INSERT INTO known_rows (first_row, last_row, lowest_event, highest_event, links)
       VALUES (@first, @last, @lowest, @highest, @packed)`,
      {
        first: head.row,
        last: tail.row,
        lowest: Math.min(...events),
        highest: Math.max(...events),
        packed: packLinks(links),
      },
    );
  };

  const flush = (): void => {
    write(open);
    open = [];
  };

  const pageOf = (row: number): Page | undefined =>
    database.row<Page>(
      `SELECT first_row, links FROM (SELECT * FROM known_rows WHERE first_row <= @row ORDER BY first_row DESC LIMIT 1)
       WHERE last_row >= @row`,
      { row },
    );

  /** Pages by the hundred, without holding a cursor open. */
  function* pages(first: number, last: number, lowest: number, highest: number): Generator<Page> {
    flush();
    let after = (pageOf(first)?.first_row ?? first) - 1;
    for (;;) {
      const some = database.rows<Page>(
        `SELECT first_row, links FROM known_rows WHERE first_row > @after AND first_row <= @last AND last_row >= @first
           AND lowest_event <= @highest AND highest_event >= @lowest ORDER BY first_row LIMIT 100`,
        { after, first, last, lowest, highest },
      );
      yield* some;
      const end = some.at(-1);
      if (end === undefined) return;
      after = end.first_row;
    }
  }

  function* linksBetween(first: number, last: number, lowest = 0, highest = EVERY): Generator<KnownLink> {
    for (const page of pages(first, last, lowest, highest))
      for (const link of unpackLinks(page.first_row, page.links)) if (link.row >= first && link.row <= last) yield link;
  }

  return {
    /** Rows must ascend within an input. In the ledger after `flush`, or the next reading. */
    add(row: number, events: readonly number[]): void {
      // A row's links stay together, and its page is of its input alone: it is found by the row, and goes with the input.
      const [head] = open;
      if (head !== undefined && (open.length >= LINKS_A_PAGE || inputOf(head.row) !== inputOf(row))) flush();
      for (const event of events) open.push({ row, event });
    },

    flush,

    /** Empty: this is no known row. */
    eventsOf(row: number): number[] {
      flush();
      const page = pageOf(row);
      if (page === undefined) return [];
      return [...unpackLinks(page.first_row, page.links)].flatMap((link) => (link.row === row ? link.event : []));
    },

    /** Ascending; of all inputs, or of the rows from `first` to `last`. Looks through every page that may hold the event. */
    rowsOf: (event: number, first = 0, last = EVERY): number[] =>
      [...linksBetween(first, last, event, event)].flatMap((link) => (link.event === event ? link.row : [])),

    /** Of the rows from `first` to `last`, both included, in their order. */
    links: (first: number, last: number): Generator<KnownLink> => linksBetween(first, last),

    /** Takes out all links to these events, and gives them back. */
    take(events: ReadonlySet<number>): KnownLink[] {
      const taken: KnownLink[] = [];
      if (events.size === 0) return taken;
      let [lowest, highest] = [EVERY, 0];
      for (const event of events) [lowest, highest] = [Math.min(lowest, event), Math.max(highest, event)];
      for (const page of pages(0, EVERY, lowest, highest)) {
        const all = [...unpackLinks(page.first_row, page.links)];
        const left = all.filter(({ event }) => !events.has(event));
        if (left.length === all.length) continue;
        taken.push(...all.filter(({ event }) => events.has(event)));
        database.run("DELETE FROM known_rows WHERE first_row = @first", { first: page.first_row });
        write(left);
      }
      return taken;
    },
  };
}

export type KnownRows = ReturnType<typeof createKnownRows>;
