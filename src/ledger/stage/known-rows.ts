/**
 * Known rows: which landed events they stand for. Packed by the hundred, because a nightly full history brings them
 * all again and asks for hardly any (HARD-CASES H24); rows with anything that has not landed stand in `row_events`.
 */
import type { Database } from "better-sqlite3";
import { inputOf } from "../row-id.js";

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

export interface KnownRows {
  /** Rows must ascend within an input. In the ledger after `flush`, or the next reading. */
  add(row: number, events: readonly number[]): void;
  flush(): void;
  /** Empty: this is no known row. */
  eventsOf(row: number): number[];
  /** Ascending; of all inputs, or of the rows from `first` to `last`. Looks through every page that may hold the event. */
  rowsOf(event: number, first?: number, last?: number): number[];
  /** Of the rows from `first` to `last`, both included, in their order. */
  links(first: number, last: number): Generator<KnownLink>;
  /** Takes out all links to these events, and gives them back. */
  take(events: ReadonlySet<number>): KnownLink[];
  /** Of the rows from `first` to `last`: of whole inputs only. */
  drop(first: number, last: number): void;
}

export function createKnownRows(database: Database): KnownRows {
  const insert = database.prepare<[number, number, number, number, Buffer]>(
    "INSERT INTO known_rows (first_row, last_row, lowest_event, highest_event, links) VALUES (?, ?, ?, ?, ?)",
  );
  const remove = database.prepare<[number]>("DELETE FROM known_rows WHERE first_row = ?");
  const removeAll = database.prepare<[number, number]>("DELETE FROM known_rows WHERE first_row BETWEEN ? AND ?");
  const ofRow = database.prepare<[number, number], Page>(
    `SELECT first_row, links FROM (SELECT * FROM known_rows WHERE first_row <= ? ORDER BY first_row DESC LIMIT 1)
     WHERE last_row >= ?`,
  );
  const withEvents = database.prepare<[number, number, number, number, number], Page>(
    `SELECT first_row, links FROM known_rows WHERE first_row > ? AND first_row <= ? AND last_row >= ?
       AND lowest_event <= ? AND highest_event >= ? ORDER BY first_row LIMIT 100`,
  );
  let open: KnownLink[] = [];

  const write = (links: readonly KnownLink[]): void => {
    const [head] = links;
    const tail = links.at(-1);
    if (head === undefined || tail === undefined) return;
    let [lowest, highest] = [head.event, head.event];
    for (const { event } of links) {
      if (event < lowest) lowest = event;
      if (event > highest) highest = event;
    }
    insert.run(head.row, tail.row, lowest, highest, packLinks(links));
  };
  const flush = (): void => {
    write(open);
    open = [];
  };

  /** Pages by the hundred, without holding a cursor open. */
  function* pages(first: number, last: number, lowest: number, highest: number): Generator<Page> {
    flush();
    const head = ofRow.get(first, first);
    let after = head === undefined ? first - 1 : head.first_row - 1;
    for (;;) {
      const some = withEvents.all(after, last, first, highest, lowest);
      yield* some;
      const end = some.at(-1);
      if (end === undefined) return;
      after = end.first_row;
    }
  }

  function* linksBetween(
    first: number,
    last: number,
    lowest = 0,
    highest = Number.MAX_SAFE_INTEGER,
  ): Generator<KnownLink> {
    for (const page of pages(first, last, lowest, highest)) {
      for (const link of unpackLinks(page.first_row, page.links)) if (link.row >= first && link.row <= last) yield link;
    }
  }

  return {
    add(row, events) {
      // A row's links stay together, and its page is of its input alone: it is found by the row, and goes with the input.
      const [head] = open;
      if (head !== undefined && (open.length >= LINKS_A_PAGE || inputOf(head.row) !== inputOf(row))) flush();
      for (const event of events) open.push({ row, event });
    },
    flush,
    eventsOf(row) {
      flush();
      const page = ofRow.get(row, row);
      if (page === undefined) return [];
      return [...unpackLinks(page.first_row, page.links)].flatMap((link) => (link.row === row ? link.event : []));
    },
    rowsOf(event, first = 0, last = Number.MAX_SAFE_INTEGER) {
      return [...linksBetween(first, last, event, event)].flatMap((link) => (link.event === event ? link.row : []));
    },
    links: (first, last) => linksBetween(first, last),
    take(events) {
      const taken: KnownLink[] = [];
      if (events.size === 0) return taken;
      let [lowest, highest] = [Number.MAX_SAFE_INTEGER, 0];
      for (const event of events) [lowest, highest] = [Math.min(lowest, event), Math.max(highest, event)];
      for (const page of pages(0, Number.MAX_SAFE_INTEGER, lowest, highest)) {
        const all = [...unpackLinks(page.first_row, page.links)];
        const left = all.filter(({ event }) => !events.has(event));
        if (left.length === all.length) continue;
        taken.push(...all.filter(({ event }) => events.has(event)));
        remove.run(page.first_row);
        write(left);
      }
      return taken;
    },
    drop(first, last) {
      flush();
      removeAll.run(first, last);
    },
  };
}
