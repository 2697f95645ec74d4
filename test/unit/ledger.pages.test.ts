/** Rows stand packed in pages, and each is found again: its cells, and the events that a known row stands for (HARD-CASES H24, P7). */
import { afterEach, beforeEach, expect, it } from "vitest";
import fc from "fast-check";
import { LedgerDatabase } from "../../src/ledger/ledger-database.js";
import { createPages, type Entry } from "../../src/ledger/pages.js";
import { schema } from "../../src/ledger/schema.js";
import { createKnownRows, type KnownLink } from "../../src/ledger/known-rows.js";

const INPUT = 2 ** 32;
let database: LedgerDatabase;
beforeEach(() => {
  database = new LedgerDatabase(":memory:");
  database.exec(schema);
});
afterEach(() => database.close());
const count = () => database.value<number>("SELECT count(*) FROM row_pages");

const given = fc.uniqueArray(fc.tuple(fc.integer({ min: 2, max: 2 ** 31 }), fc.array(fc.string({ unit: "binary" }))), {
  selector: ([row]) => row,
});

it("gives back what it was given, whatever it is, and nothing of rows that it was not given", () => {
  fc.assert(
    fc.property(given, (some) => {
      database.run("DELETE FROM row_pages");
      const pages = createPages<string[]>(database, "cells");
      const entries = some.map(([row, cells]): Entry<string[]> => [INPUT + row, cells]);
      for (const entry of entries) pages.add([entry]);
      for (const [row, cells] of entries) expect(pages.of(row)).toEqual(cells);
      expect([...pages.between()].flatMap((page) => page.entries)).toEqual(entries.toSorted(([a], [b]) => a - b));
      for (const row of [INPUT, INPUT + 1, 2 * INPUT]) expect(pages.of(row)).toBeUndefined();
    }),
  );
});

it("keeps what is added together on one page, and takes less than a byte a row where rows and events follow one another", () => {
  const known = createKnownRows(database);
  for (let row = 2; row < 10_002; row += 1) known.add(INPUT + row, [row + 5]);
  known.flush();
  expect(count()).toBe(40);
  expect(database.value<number>("SELECT sum(length(page)) FROM row_pages")).toBeLessThan(10_000);
  const pages = createPages<number>(database, "cells");
  pages.add(Array.from({ length: 700 }, (_, index): Entry<number> => [2 * INPUT + index, index]));
  pages.flush();
  expect(count()).toBe(41);
});

/** Rows 2 to 1001 of two inputs; the second one brings the same events the other way round. */
function fill() {
  const known = createKnownRows(database);
  for (let row = 2; row < 1002; row += 1) known.add(INPUT + row, [row]);
  for (let row = 2; row < 1002; row += 1) known.add(2 * INPUT + row, [1003 - row, 5000]);
  return known;
}

it("finds known rows by their event, also of one input", () => {
  const known = fill();
  expect(known.eventsOf(2 * INPUT + 2)).toEqual([1001, 5000]);
  expect(known.rowsOf(2)).toEqual([INPUT + 2, 2 * INPUT + 1001]);
  expect(known.rowsOf(2, 2 * INPUT, 3 * INPUT - 1)).toEqual([2 * INPUT + 1001]);
  expect(known.rowsOf(5000, 2 * INPUT + 300, 2 * INPUT + 302)).toEqual([300, 301, 302].map((row) => 2 * INPUT + row));
  expect(known.rowsOf(1002)).toEqual([]);
});

it("takes the links to an event out, and no others", () => {
  const known = fill();
  const before = [...known.links()];
  const isGone = ({ event }: KnownLink) => event === 2 || event === 5000;
  expect(known.take(new Set([2, 5000]))).toEqual(before.filter(isGone));
  expect([...known.links()]).toEqual(before.filter((link) => !isGone(link)));
});
