import { afterEach, expect, test } from "vitest";
import { eventRow, invalidRow } from "../nights/simulation/story-rows.js";
import { createWorld, type World } from "../nights/simulation/world.js";

let world: World;
afterEach(() => world.close());

const file = {
  name: "a.csv",
  contentHash: "a",
  rows: [
    eventRow({ row: 2, document: "M1", minute: 10 }),
    invalidRow(3, []),
    eventRow({ row: 4, document: "M1", minute: 20 }),
    eventRow({ row: 5, document: "M2", minute: 20 }),
  ],
};

test("an invalid row whose document cannot be told holds nothing by default, and is reported (H14)", async () => {
  world = createWorld();
  const summary = await world.import([file]);
  expect(summary.events).toEqual({ landed: 3 });
  expect([summary.open.rows, summary.exitCode]).toEqual([1, 3]);
});

test("with unplacedRows: hold it holds what is later in its input (H14)", async () => {
  world = createWorld({ settings: { unplacedRows: "hold" } });
  const summary = await world.import([file]);
  expect(summary.events).toEqual({ landed: 1 });
  expect(summary.open.events).toEqual({ held: 2 });
  const other = { name: "b.csv", contentHash: "b", rows: [eventRow({ row: 2, document: "M3", minute: 5 })] };
  expect((await world.import([other])).events).toEqual({ landed: 1 });
});
