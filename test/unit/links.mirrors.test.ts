/** H38: a link whose mirror is earlier than the last event of the document that it links to (service.md, Event endpoints, rules 7 and 10). */
import { linkedWorld } from "../support/linked.js";

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
const late = ["A 20 link B", "A 40", "B 50", "C 10"];

test(
  "the plan says beforehand that the service may refuse it, and names both documents; one that moves the mirror takes it",
  long,
  async () => {
    const world = await linkedWorld();
    await world.brought("rows-1.csv", ["B 30"]);
    world.write("rows-2.csv", late);
    const { code, out } = await world.plan("rows-2.csv");
    expect([code, oneLine(out)]).toEqual([0, expect.stringContaining("4 to send")]);
    expect(oneLine(out)).toContain(
      "1 event link of load A (planned), rows-2.csv, row 2: earlier than the last event of load B (open) mirror-early",
    );
    expect((await world.import("rows-2.csv")).code).toBe(0);
    expect(world.timeline("B")).toEqual(["30 Weighing", "30 RELATED mirror", "50 Weighing"]);
  },
);

test(
  "refused, it is rejected with both documents named, and holds only what is later on its own document",
  long,
  async () => {
    const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
    await world.brought("rows-1.csv", ["B 30"]);
    const { code, out } = await world.brought("rows-2.csv", late);
    const id = (key: string) => world.timelines(key)[0]?.id;
    expect([code, oneLine(out)]).toEqual([
      3,
      expect.stringContaining(`on load A (${id("A")}), to load B (${id("B")})`),
    ]);
    expect(["A", "B", "C"].map((key) => world.timeline(key))).toEqual([
      [],
      ["30 Weighing", "50 Weighing"],
      ["10 Weighing"],
    ]);
    // Given up, the rest goes; or both are sent again in order.
    await world.typed("dismiss", "--row", "rows-2.csv:2");
    await world.ends(0, "resume");
    expect(world.timeline("A")).toEqual(["40 Weighing"]);
  },
);

test("within one import the mirror goes in its place, whatever the order of rows", long, async () => {
  const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
  const { code } = await world.brought("rows-1.csv", ["B 50", "B 10", ...late]);
  expect([code, world.refusals(), world.timeline("B")]).toEqual([
    0,
    [],
    ["10 Weighing", "20 RELATED mirror", "50 Weighing"],
  ]);
});

test(
  "to a closed document: the plan says beforehand that the service may refuse it; refused, it holds its own document alone",
  long,
  async () => {
    const world = await linkedWorld({ sandbox: { closedMirrors: "refuse" } });
    await world.brought("rows-1.csv", ["B 30", "B 35 close"]);
    world.write("rows-2.csv", ["A 10", "A 60 link B", "A 70", "C 20 link D", "C 30", "D 10", "D 15 close"]);
    const plan = await world.plan("rows-2.csv");
    expect(oneLine(plan.out)).toContain(
      "2 event link of load A (planned), rows-2.csv, row 3: later than the CLOSE of load B (closed) mirror-closed",
    );
    const { code, out } = await world.import("rows-2.csv");
    const id = (key: string) => world.timelines(key)[0]?.id;
    expect([code, oneLine(out)]).toEqual([
      3,
      expect.stringContaining(`on load A (${id("A")}), to load B (${id("B")})`),
    ]);
    expect(["A", "C", "D"].map((key) => world.timeline(key))).toEqual([
      ["10 Weighing"],
      [],
      ["10 Weighing", "15 CLOSE"],
    ]);
    for (const row of [3, 5]) await world.typed("dismiss", "--row", `rows-2.csv:${row}`);
    await world.ends(0, "resume");
    expect(["A", "C"].map((key) => world.timeline(key))).toEqual([["10 Weighing", "70 Weighing"], ["30 Weighing"]]);
  },
);

test("links of several documents to one go in their order, so that none of their mirrors is early", long, async () => {
  const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
  const links = Array.from({ length: 12 }, (_, index) => ({
    doc: `L${index}`,
    at: 100 - 7 * index,
    what: "link" as const,
    other: "B",
  }));
  const { code } = await world.brought("rows-1.csv", [...links, "B 5"]);
  expect([code, world.refusals(), world.timeline("B").length]).toEqual([0, [], 13]);
});

test("a copy that one document propagates goes after an earlier link of another, which would be refused behind it (H38)", async () => {
  const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
  const { code, out, err } = await world.brought("rows.csv", [
    "A 1 link X",
    "A 10 copied",
    "X 1 key=x",
    "B 2",
    "B 5 link X",
  ]);
  expect([code, world.refusals()], out + err).toEqual([0, []]);
});

test.each(["pending-process", "drop"] as const)(
  "behind a link that only stalled (%s), later links of other documents wait for the next run, or it would be early for ever",
  long,
  async (kind) => {
    const world = await linkedWorld({ sandbox: { earlyMirrors: "refuse" } });
    await world.brought("rows-1.csv", ["A 1", "B 1", "C 1"]);
    const action = kind === "drop" ? ({ kind, when: "before" } as const) : { kind };
    world.sandbox.setFaults([{ match: { path: "/documents/events" }, times: 6, action }]);
    const { code } = await world.brought("rows-2.csv", ["B 2 link A", "C 3 link A", "A 4"]);
    expect([code, world.timeline("A")]).toEqual([4, ["1 Weighing"]]);
    await world.ends(0, "resume");
    expect(world.timeline("A")).toEqual(["1 Weighing", "2 RELATED mirror", "3 RELATED mirror", "4 Weighing"]);
  },
);
