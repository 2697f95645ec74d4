/** Rows stand packed in pages, and each is found again, in whatever order they came (HARD-CASES H24, P7). */
import fc from "fast-check";
import { LedgerDatabase } from "../../src/ledger/ledger-database.js";
import { createPages, type Entry, READABLE, rowsOn } from "../../src/ledger/pages.js";
import { schema } from "../../src/ledger/schema.js";
import { anyText } from "../support/sample.js";

const INPUT = 2 ** 32;
let database: LedgerDatabase;
beforeEach(() => {
  database = new LedgerDatabase(":memory:");
  database.exec(schema);
});
afterEach(() => database.close());

const given = fc.uniqueArray(fc.tuple(fc.integer({ min: 2, max: 2 ** 31 }), fc.array(anyText())), {
  selector: ([row]) => row,
});

it("gives back what it was given, whatever it is, and nothing of rows that it was not given", () => {
  fc.assert(
    fc.property(given, (some) => {
      database.run("DELETE FROM pages");
      const pages = createPages<string[]>(database, "cells");
      const entries = some.map(([row, cells]): Entry<string[]> => [INPUT + row, cells]);
      for (const entry of entries) pages.add([entry]);
      for (const [row, cells] of entries) expect(pages.of(row)).toEqual(cells);
      const rows = database.values<number>(`SELECT row_id FROM (${rowsOn("cells", READABLE)}) ORDER BY 1`);
      expect(rows).toEqual(entries.map(([row]) => row).toSorted((a, b) => a - b));
      for (const row of [INPUT, INPUT + 1, 2 * INPUT]) expect(pages.of(row)).toBeUndefined();
    }),
  );
});
