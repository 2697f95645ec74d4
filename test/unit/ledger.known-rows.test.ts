/** Known rows stand packed, and still say which events they are (HARD-CASES H24, P7). */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import fc from "fast-check";
import { createKnownRows, type KnownLink, packLinks, unpackLinks } from "../../src/ledger/stage/known-rows.js";
import { LedgerDatabase } from "../../src/ledger/ledger-database.js";
import { schema } from "../../src/ledger/schema.js";

const INPUT = 2 ** 32;
let database: LedgerDatabase;
beforeEach(() => {
  database = new LedgerDatabase(":memory:");
  database.exec(schema);
});
afterEach(() => database.close());
const pages = () => database.prepare<[], number>("SELECT count(*) FROM known_rows").pluck().get();

const links = fc
  .array(fc.record({ row: fc.integer({ min: 0, max: 2 ** 40 }), event: fc.integer({ min: 1, max: 2 ** 45 }) }))
  .map((some) => some.toSorted((one, other) => one.row - other.row));

describe("a page", () => {
  it("gives back what was packed", () => {
    fc.assert(
      fc.property(links, (some) => {
        expect([...unpackLinks(some[0]?.row ?? 0, packLinks(some))]).toEqual(some);
      }),
    );
  });

  it("takes two bytes a row where rows and events follow one another", () => {
    const some = Array.from({ length: 256 }, (_, index) => ({ row: INPUT + index, event: index + 1 }));
    expect(packLinks(some)).toHaveLength(512);
  });
});

describe("known rows", () => {
  /** Rows 2 to 1001 of two inputs; the second one brings the same events the other way round. */
  const fill = () => {
    const known = createKnownRows(database);
    for (let row = 2; row < 1002; row += 1) known.add(INPUT + row, [row]);
    for (let row = 2; row < 1002; row += 1) known.add(2 * INPUT + row, [1003 - row, 5000]);
    known.flush();
    return known;
  };

  it("are found by their row, and rows that are not there are not", () => {
    const known = fill();
    expect(pages()).toBeLessThan(20);
    for (const row of [2, 257, 258, 1001]) expect(known.eventsOf(INPUT + row)).toEqual([row]);
    expect(known.eventsOf(2 * INPUT + 2)).toEqual([1001, 5000]);
    for (const row of [1, 1002, INPUT - 1]) expect(known.eventsOf(INPUT + row)).toEqual([]);
  });

  it("are found by their event, also of one input", () => {
    const known = fill();
    expect(known.rowsOf(2)).toEqual([INPUT + 2, 2 * INPUT + 1001]);
    expect(known.rowsOf(2, 2 * INPUT, 3 * INPUT - 1)).toEqual([2 * INPUT + 1001]);
    expect(known.rowsOf(5000, 2 * INPUT + 300, 2 * INPUT + 302)).toEqual([300, 301, 302].map((row) => 2 * INPUT + row));
    expect(known.rowsOf(1002)).toEqual([]);
  });

  it("can be read while they are written", () => {
    const known = createKnownRows(database);
    known.add(INPUT + 2, [7]);
    expect(known.eventsOf(INPUT + 2)).toEqual([7]);
    known.add(INPUT + 3, [8, 9]);
    expect([...known.links(INPUT, 2 * INPUT - 1)].map(({ event }) => event)).toEqual([7, 8, 9]);
  });

  it("lose the links to an event, and no others", () => {
    const known = fill();
    const before = [...known.links(0, 3 * INPUT)];
    const isGone = ({ event }: KnownLink) => event === 2 || event === 5000;
    expect(known.take(new Set([2, 5000]))).toEqual(before.filter(isGone));
    expect([...known.links(0, 3 * INPUT)]).toEqual(before.filter((link) => !isGone(link)));
    expect(known.eventsOf(2 * INPUT + 1001)).toEqual([]);
  });
});
