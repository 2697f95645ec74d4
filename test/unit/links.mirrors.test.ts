/** H38: a link whose mirror is earlier than the last event of the document that it links to (service.md, Event endpoints, rules 7 and 10). */
import { expect, test } from "vitest";
import { type LinkRow, linkedWorld } from "../support/linked.js";

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
const late: LinkRow[] = [
  { doc: "A", at: 20, what: "link", other: "B" },
  { doc: "A", at: 40 },
  { doc: "B", at: 50 },
  { doc: "C", at: 10 },
];

test("the plan says beforehand that the service may refuse it, and names both documents", async () => {
  const world = await linkedWorld();
  world.write("rows-1.csv", [{ doc: "B", at: 30 }]);
  await world.import("rows-1.csv");
  world.write("rows-2.csv", late);
  const { code, out } = await world.plan("rows-2.csv");
  expect([code, oneLine(out)]).toEqual([0, expect.stringContaining("4 to send")]);
  expect(oneLine(out)).toContain(
    "1 event link of load A (planned), rows-2.csv, row 2: earlier than the last event of load B (open) mirror-early",
  );
});

test("a service that moves the mirror takes it", async () => {
  const world = await linkedWorld();
  world.write("rows-1.csv", [{ doc: "B", at: 30 }]);
  await world.import("rows-1.csv");
  world.write("rows-2.csv", late);
  expect((await world.import("rows-2.csv")).code).toBe(0);
  expect(world.timeline("B")).toEqual(["30 Weighing", "30 RELATED mirror", "50 Weighing"]);
});

test("refused, it is rejected with both documents named, and holds only what is later on its own document", async () => {
  const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
  world.write("rows-1.csv", [{ doc: "B", at: 30 }]);
  await world.import("rows-1.csv");
  world.write("rows-2.csv", late);
  const { code, out } = await world.import("rows-2.csv");
  const id = (key: string) => world.timelines(key)[0]?.id;
  expect([code, oneLine(out)]).toEqual([3, expect.stringContaining(`on load A (${id("A")}), to load B (${id("B")})`)]);
  expect(["A", "B", "C"].map((key) => world.timeline(key))).toEqual([
    [],
    ["30 Weighing", "50 Weighing"],
    ["10 Weighing"],
  ]);
  // Given up, the rest goes; or both are sent again in order.
  await world.typed("dismiss", "--row", "rows-2.csv:2");
  expect((await world.typed("resume")).code).toBe(0);
  expect(world.timeline("A")).toEqual(["40 Weighing"]);
});

test("within one import the mirror goes in its place, whatever the order of rows", async () => {
  const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
  world.write("rows-1.csv", [{ doc: "B", at: 50 }, { doc: "B", at: 10 }, ...late]);
  const { code } = await world.import("rows-1.csv");
  expect([code, world.refusals(), world.timeline("B")]).toEqual([
    0,
    [],
    ["10 Weighing", "20 RELATED mirror", "50 Weighing"],
  ]);
});

test("to a closed document: the plan says beforehand that the service may refuse it; refused, it holds its own document alone", async () => {
  const world = await linkedWorld({ sandbox: { closedMirrors: "refuse" } });
  world.write("rows-1.csv", [
    { doc: "B", at: 30 },
    { doc: "B", at: 35, what: "close" },
  ]);
  await world.import("rows-1.csv");
  world.write("rows-2.csv", [
    { doc: "A", at: 10 },
    { doc: "A", at: 60, what: "link", other: "B" },
    { doc: "A", at: 70 },
    { doc: "C", at: 20, what: "link", other: "D" },
    { doc: "C", at: 30 },
    { doc: "D", at: 10 },
    { doc: "D", at: 15, what: "close" },
  ]);
  const plan = await world.plan("rows-2.csv");
  expect(oneLine(plan.out)).toContain(
    "2 event link of load A (planned), rows-2.csv, row 3: later than the CLOSE of load B (closed) mirror-closed",
  );
  const { code, out } = await world.import("rows-2.csv");
  const id = (key: string) => world.timelines(key)[0]?.id;
  expect([code, oneLine(out)]).toEqual([3, expect.stringContaining(`on load A (${id("A")}), to load B (${id("B")})`)]);
  expect(["A", "C", "D"].map((key) => world.timeline(key))).toEqual([["10 Weighing"], [], ["10 Weighing", "15 CLOSE"]]);
  for (const row of [3, 5]) await world.typed("dismiss", "--row", `rows-2.csv:${row}`);
  expect((await world.typed("resume")).code).toBe(0);
  expect(["A", "C"].map((key) => world.timeline(key))).toEqual([["10 Weighing", "70 Weighing"], ["30 Weighing"]]);
});

test("links of several documents to one go in their order, so that none of their mirrors is early", async () => {
  const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
  const links = Array.from({ length: 12 }, (_, index) => ({
    doc: `L${index}`,
    at: 100 - 7 * index,
    what: "link" as const,
    other: "B",
  }));
  world.write("rows-1.csv", [...links, { doc: "B", at: 5 }]);
  const { code } = await world.import("rows-1.csv");
  expect([code, world.refusals(), world.timeline("B").length]).toEqual([0, [], 13]);
});

test("a copy that one document propagates goes after an earlier link of another, which would be refused behind it (H38)", async () => {
  const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
  world.write("rows.csv", [
    { doc: "A", at: 1, what: "link", other: "X" },
    { doc: "A", at: 10, what: "copied" },
    { doc: "X", at: 1, key: "x" },
    { doc: "B", at: 2 },
    { doc: "B", at: 5, what: "link", other: "X" },
  ]);
  const { code, out, err } = await world.import("rows.csv");
  expect([code, world.refusals()], out + err).toEqual([0, []]);
});
