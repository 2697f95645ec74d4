/** Cells of rows that have not landed are kept, so that a rejected file can be written from them (DESIGN section 3). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { LedgerDatabase } from "../../src/ledger/ledger-database.js";
import { schema } from "../../src/ledger/schema.js";
import { cellPageAfter, createCellKeeper, createCellReader, keepOnly } from "../../src/ledger/stage/row-cells.js";
import { forgetLandedCells } from "../../src/ledger/care/prune-cells.js";
import type { CellKind, Row } from "../../src/model/row.js";

let database: LedgerDatabase;
beforeEach(() => {
  database = new LedgerDatabase(":memory:");
  database.exec(schema);
});
afterEach(() => database.close());

const INPUT = 2 ** 32;
const row = (number: number, cells: string[], kinds: CellKind[] | null = null): Row => ({
  number,
  cells,
  kinds,
  problems: null,
});
const pages = () => database.prepare<[], number>("SELECT count(*) FROM cell_pages").pluck().get();

test("every row of several pages is given back as it was read, in any order", () => {
  const keeper = createCellKeeper(database);
  const hostile = ["", 'á\u0000\u001e\u001f\n"', "😀", "=1+1", "__proto__"];
  for (let number = 2; number < 702; number += 1)
    keeper.keep(INPUT + number, row(number, [String(number), ...hostile]));
  keeper.flush();
  expect(pages()).toBeGreaterThan(1);
  const reader = createCellReader(database);
  for (const number of [701, 2, 350, 2, 257, 258, 701])
    expect(reader.of(INPUT + number)).toEqual({ cells: [String(number), ...hostile], kinds: null });
});

test("kinds of Excel cells come back with them, also between rows of text", () => {
  const keeper = createCellKeeper(database);
  keeper.keep(INPUT + 2, row(2, ["a", "1"]));
  keeper.keep(INPUT + 3, row(3, ["2026-03-01", "2"], ["date", "number"]));
  keeper.flush();
  const reader = createCellReader(database);
  expect(reader.of(INPUT + 2)?.kinds).toBeNull();
  expect(reader.of(INPUT + 3)?.kinds).toEqual(["date", "number"]);
});

test("the further rows of a group stay and go with its first", () => {
  const keeper = createCellKeeper(database);
  keeper.keep(INPUT + 2, row(2, ["a"]), [row(4, ["b"]), row(5, ["c"], ["number"])]);
  keeper.keep(INPUT + 6, row(6, ["d"]));
  keeper.keep(INPUT + 7, row(7, ["e"], ["date"]), [row(9, ["f"])]);
  keeper.flush();
  const all = () => {
    const reader = createCellReader(database);
    return [2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => reader.of(INPUT + number)?.cells[0] ?? null);
  };
  expect(all()).toEqual(["a", null, "b", "c", "d", "e", null, "f", null]);
  expect(createCellReader(database).of(INPUT + 5)?.kinds).toEqual(["number"]);
  expect(createCellReader(database).of(INPUT + 7)?.kinds).toEqual(["date"]);
  const page = cellPageAfter(database, 0);
  if (page === null) throw new Error("there is no page");
  keepOnly(database, page, page.rows.slice(2));
  expect(all()).toEqual([null, null, null, null, null, "e", null, "f", null]);
  const left = cellPageAfter(database, 0);
  expect([left?.first, left?.last]).toEqual([INPUT + 7, INPUT + 9]);
});

test("a row that was not kept is not there: between rows, behind the last, before the first, in another input", () => {
  const keeper = createCellKeeper(database);
  for (const number of [5, 9]) keeper.keep(INPUT + number, row(number, ["x"]));
  keeper.flush();
  const reader = createCellReader(database);
  for (const id of [INPUT + 4, INPUT + 7, INPUT + 10, 2 * INPUT + 5]) expect(reader.of(id)).toBeNull();
});

test("a page stays as long as one of its rows has not landed", () => {
  const keeper = createCellKeeper(database);
  for (const number of [2, 3]) keeper.keep(INPUT + number, row(number, [`cell ${number}`]));
  keeper.flush();
  database.pragma("foreign_keys = OFF");
  const link = database.prepare("INSERT INTO row_events (row_id, event_id) VALUES (?, ?)");
  const event = database.prepare(
    `INSERT INTO events (id, document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref,
       address_ref, payload, input_id) VALUES (?, 1, randomblob(20), zeroblob(16), 'pickup', '[]', 'Pick-up', 0, 0, 1, 1, '{}', 1)`,
  );
  for (const id of [1, 2]) event.run(id);
  const land = database.prepare(
    "INSERT INTO event_states (document_id, event_id, state, changed_at) VALUES (1, ?, 'landed', 0)",
  );
  link.run(INPUT + 2, 1);
  link.run(INPUT + 3, 2);
  land.run(1);
  forgetLandedCells(database);
  expect(createCellReader(database).of(INPUT + 3)?.cells).toEqual(["cell 3"]);
  land.run(2);
  forgetLandedCells(database);
  expect(createCellReader(database).of(INPUT + 3)).toBeNull();
  expect(pages()).toBe(0);
});
