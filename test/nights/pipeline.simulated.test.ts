import { eventRow } from "./simulation/story-rows.js";
import { createWorld, type World } from "./simulation/world.js";

let world: World;
afterEach(() => world.close());

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
