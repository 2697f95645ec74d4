import { eventRow } from "./simulation/story-rows.js";
import { createWorld, type World } from "./simulation/world.js";

let world: World;
afterEach(() => world.close());

test("an undisturbed import lands every event once, in time order, in the fewest requests", async () => {
  world = createWorld();
  const rows = ["M1 30 CLOSE", "M1 10", "M2 10", "M1 20"];
  const summary = await world.bring("a", rows);
  expect(summary.exitCode).toBe(0);
  expect(summary.rows).toEqual({ read: 4, skipped: 0, invalid: 0, known: 0, staged: 4 });
  expect(summary.events).toEqual({ landed: 4 });
  expect(summary.requests.byKind).toEqual({
    "lookup-participant": 1,
    "create-participant": 1,
    "create-address": 1,
    "create-with-events": 2,
  });
  expect(world.sandbox.dump()).toMatchSnapshot();
});

test("in a run, what its files touch goes before what was pending, old documents among it (DESIGN section 2)", async () => {
  world = createWorld();
  const pending = ["M1", "M2", "M3", "M4"].map((document, at) => eventRow({ row: at + 2, document, minute: 10 }));
  const left = await world.bring("a", pending, { limits: { limitDocuments: 0 } });
  expect(left.requests.byKind["create-with-events"] ?? 0).toBe(0);
  const tonight = ["M9 10", "M3 20", "M8 10"];
  const externalIds = () => world.documents().map(({ externalId }) => externalId ?? "");
  await world.bring("b", tonight, { limits: { limitDocuments: 3 } });
  expect(externalIds().toSorted()).toEqual(["M3", "M8", "M9"]);
  await world.resume();
  expect(externalIds().toSorted()).toEqual(["M1", "M2", "M3", "M4", "M8", "M9"]);
});
