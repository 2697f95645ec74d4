/** A row whose own CLOSE or CANCEL would shut out another of its events is corrected first: neither can be taken back. */
import { openOffice } from "../support/office.js";
import { weighingsWith } from "../support/weighings.js";

const end = { key: "once", externalCreatedAt: "=end", isPublic: true, when: "=filled(end)" };

function opened(name: "CLOSE" | "CANCEL", input: object = {}, own: object = {}) {
  const mapping = weighingsWith({ columns: { end: { header: "End", as: "timestamp" } }, ...input });
  const reason = name === "CANCEL" ? { attributes: { public: { reason: "=text(gross)" } } } : {};
  mapping.inputs.weighings.events["end"] = { ...end, ...reason, ...own, name };
  return openOffice(mapping);
}
const at = (time: string) => `2026-01-01 ${time}`;
const row = (load: string, begin: string, close: string) => [load, at(begin), "1", close === "" ? "" : at(close)];
const header = ["Load", "At", "Gross", "End"];
const names = (office: ReturnType<typeof opened>) =>
  office.documents().map(({ externalId, events }) => [externalId, ...events.map(({ name }) => name)]);

test.each(["CLOSE", "CANCEL"] as const)(
  "%s before the weighing of its row: nothing is sent until it is corrected",
  async (name) => {
    const office = opened(name);
    const rows = [row("L1", "14:00", "13:00"), row("L2", "14:00", "14:00"), row("L3", "14:00", "15:00")];
    const summary = await office.brought("day.csv", [header, ...rows]);
    expect(summary.problems).toMatchObject([{ code: "ends-too-early", count: 1 }]);
    expect(office.rejectedRows(summary).flat().join()).toContain(`give the ${name} a time of day`);
    const right = [
      ["L2", "Weighing", name],
      ["L3", "Weighing", name],
    ];
    expect(names(office)).toEqual(right);
    await office.brought("mended.csv", office.rejectedRows(summary, { [at("13:00")]: at("16:00") }));
    expect(names(office)).toEqual([...right, ["L1", "Weighing", name]]);
  },
);

it("says so of a group with its last end", long, async () => {
  const summed = { externalCreatedAt: "=last(end)", when: "=filled(last(end))" };
  const office = opened("CLOSE", { group: "=load", event: { each: "row" } }, summed);
  const rows = [row("L1", "14:00", ""), row("L1", "12:00", "13:00"), row("L2", "11:00", "12:00")];
  expect((await office.brought("day.csv", [header, ...rows])).problems).toMatchObject([{ code: "ends-too-early" }]);
  expect(names(office)).toEqual([["L2", "Weighing", "CLOSE"]]);
});

it("takes a cell's own name of an event, such as constructor, for one that ends nothing", async () => {
  const office = opened("CLOSE", { event: { name: "=load" } });
  await office.lands("day.csv", [header, row("constructor", "14:00", "15:00")]);
  expect(names(office)).toEqual([["constructor", "constructor", "CLOSE"]]);
});
