/** Cells are kept of rows that are not landed (DESIGN section 3, P7). */
import { open, world } from "../nights/simulation/hard-case.js";
import { join } from "node:path";
import { writeRejects } from "../../src/desk/files.js";
import { eventRow, invalidRow, participantOf, rowInWords } from "../nights/simulation/story-rows.js";

it("show gives the cells of the file that was asked for, not of another one of its name", long, async () => {
  open();
  for (const night of ["1", "2"]) {
    const rows = [eventRow({ row: 2, document: `N${night}`, minute: 10 }), invalidRow(3, [{ key: `N${night}` }])];
    // The invalid row keeps the page from going at the run's end.
    rows.push(eventRow({ row: 4, document: `N${night}`, minute: 30 }));
    await world.import([{ name: "night.csv", contentHash: `n${night}`, rows }]);
  }
  const { rows } = await world.show("night.csv:2");
  expect(rows.map(({ cells }) => /"N\d"/.exec(cells?.["row"] ?? "")?.[0])).toEqual(['"N1"', '"N2"']);
});

it("at a run's end, cells of a row stay while a participant that it declared is refused, though its event has landed", async () => {
  open();
  const row = rowInWords("M1 10", 2);
  if (row.outcome.fate === "valid") row.outcome.records.participants.push(participantOf("", "Nobody"));
  await world.bring("a", [row]);
  const [shown] = (await world.show("a.csv:2")).rows;
  expect(shown?.events.map(({ state }) => state)).toEqual(["landed"]);
  expect((await writeRejects(world.target, {}, join(world.target.stateFolder, "r"))).rows).toHaveLength(1);
});
