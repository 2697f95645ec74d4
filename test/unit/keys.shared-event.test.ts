/** Rows that share an event and bring one of their own each: an unreadable one is settled by no row but its own (HARD-CASES H14). */
import { openOffice } from "../support/office.js";
import { loads, weighings, weighingsWith, weights } from "../support/weighings.js";

const { weighing } = weighings.inputs.weighings.events;
const opened = {
  name: "Opened",
  key: "once",
  externalCreatedAt: "2026-01-01 10:00",
  isPublic: true,
  attributes: { public: { Gross: "0" } },
};
const mapping = weighingsWith({ events: { opened, weighing } });

describe("an unreadable row that shares an event with others", () => {
  it("of its own file stays open, and holds what is later", long, async () => {
    const office = openOffice(mapping);
    const { exitCode, rows, open } = await office.brought("w.csv", loads("A 10 1", "A 20 x", "A 30 3"));
    expect({ exitCode, rows, open: open.rows }).toMatchObject({ exitCode: 3, rows: { invalid: 1 }, open: 1 });
    expect(weights(office)).toEqual(["A 0 0", "A 10 1"]);
    // Its own row settles it, from another file too.
    await office.lands("v.csv", loads("A 20 2"));
    expect(weights(office)).toEqual(["A 0 0", "A 10 1", "A 20 2", "A 30 3"]);
  });

  it("stays open when another file brings the shared event", async () => {
    const office = openOffice(mapping);
    await office.brought("w1.csv", loads("A 20 x"));
    expect((await office.brought("w2.csv", loads("A 30 3"))).open.rows).toBe(1);
    const again = await office.import("w1.csv");
    expect({ exitCode: again.exitCode, invalid: again.rows.invalid }).toEqual({ exitCode: 3, invalid: 1 });
  });
});

it("of two rows that contradict each other, one that comes again later is no old text of the other: its change is told", async () => {
  const office = openOffice(weighings);
  await office.brought("both.csv", loads("L1 10 4", "L1 10 77"));
  await office.brought("one.csv", loads("L1 10 4"));
  expect(weights(office)).toEqual(["L1 10 4"]);
  expect((await office.brought("other.csv", loads("L1 10 77"))).problems).toMatchObject([{ code: "changed" }]);
});
