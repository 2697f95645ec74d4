/** A local clock that is days behind defers nothing that the service would take (F90, H10). */
import { open, world } from "../nights/simulation/hard-case.js";
import { eventRow, START } from "../nights/simulation/story-rows.js";

const DAY = 86_400_000;
test("a night that it would defer whole is sent all the same, row by row in order", long, async () => {
  open({ clockAhead: -3 * DAY });
  const file = (name: string, at: number, documents: number) => ({
    name: `${name}.csv`,
    contentHash: name,
    rows: Array.from({ length: documents }, (_, index) =>
      eventRow({ row: index + 2, document: `M${index}`, minute: Math.round((at - START) / 60_000) + index }),
    ),
  });
  await world.import([file("a", world.clock.now() - 10 * DAY, 1)]);
  // Yesterday for the service, in two days for this machine.
  const summary = await world.import([file("b", world.clock.now() + 2 * DAY, 20)]);
  expect(summary.open.events).toEqual({});
  expect(world.documents().flatMap(({ events }) => events)).toHaveLength(21);
});

test("what is really still to come stays deferred, and asking for the time registers nobody", async () => {
  open({ clockAhead: -3 * DAY });
  const row = (at: number) => eventRow({ row: 2, document: "M1", minute: Math.round((at - START) / 60_000) });
  await world.import([{ name: "a.csv", contentHash: "a", rows: [row(world.clock.now() - DAY)] }]);
  const later = { name: "b.csv", contentHash: "b", rows: [row(world.clock.now() + 5 * DAY)] };
  const { open: left, participants, requests } = await world.import([later]);
  expect([left.events, participants, requests.byKind]).toEqual([{ deferred: 1 }, {}, { "read-participant": 2 }]);
});
