/** Documents that other documents' events make (service.md, Event endpoints, rule 6; HARD-CASES H19), in every order of their rows. */
import { type LinkedWorld, linkedWorld } from "../support/linked.js";
import { sampled } from "../support/sample.js";

/** Every order of these. */
const orders = <Item>(items: readonly Item[]): Item[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));

/** A splits into B, and B into C; both have rows of their own, with loads of this number. */
const chain = (number: number) => [
  `A${number} 10 split B${number}`,
  `B${number} 20 split C${number}`,
  `B${number} 30`,
  `C${number} 40`,
];
const ends = (world: LinkedWorld, number: number) =>
  ["A", "B", "C"].map((key) => world.timelines(`${key}${number}`).map(({ events }) => events));
const chainEnds = [
  [["10 SPLIT"]],
  [["10 SPLIT target", "20 SPLIT", "30 Weighing"]],
  [["20 SPLIT target", "40 Weighing"]],
];
const every = orders([0, 1, 2, 3]);

describe("a document that a SPLIT makes, and its own rows", () => {
  test("a chain of three lands whole, in whatever order its rows stand in one file", async () => {
    const world = await linkedWorld();
    const some = sampled(every, 8, 1);
    world.write(
      "rows-1.csv",
      some.flatMap((order, number) => order.map((index) => chain(number)[index] as string)),
    );
    const { code, out, err } = await world.import("rows-1.csv");
    expect([code, world.refusals()], out + err).toEqual([0, []]);
    for (const number of some.keys()) expect(ends(world, number)).toEqual(chainEnds);
  });

  test(
    "wait for the correction of a row whose SPLIT makes it: without it they would make it, and the SPLIT could never follow",
    long,
    async () => {
      const world = await linkedWorld();
      await world.brings(3, "rows-1.csv", ["A 1", "A 10 split B company=123", "B 20"]);
      expect(world.timelines("B")).toEqual([]);
      await world.brings(0, "rows-1.csv", ["A 1", "A 10 split B", "B 20"]);
      expect([world.timeline("A"), world.timeline("B")]).toEqual([
        ["1 Weighing", "10 SPLIT"],
        ["10 SPLIT target", "20 Weighing"],
      ]);
      // It exists: another SPLIT into it can hold nothing of it.
      await world.brings(3, "rows-2.csv", ["A 30 split B company=123", "B 40"]);
      expect(world.timeline("B")).toHaveLength(3);
    },
  );

  test(
    "into itself, or a link to itself, is a problem of the row, and holds what follows it until it is given up (F109)",
    long,
    async () => {
      const world = await linkedWorld();
      const loads = ["A", "B", "C"];
      const itself = ["A 20 split A", "B 20 link B", "C 20 one-way C"];
      const rows = [...loads.map((load) => `${load} 10`), ...itself, ...loads.map((load) => `${load} 30`), "D 10"];
      const { code, out } = await world.brought("rows-1.csv", rows);
      expect(code).toBe(3);
      for (const named of [/^ +1 [^·]*· target-is-itself$/m, /^ +2 [^·]*· link-to-itself$/m])
        expect(out).toMatch(named);
      for (const load of [...loads, "D"]) expect(world.timeline(load)).toEqual(["10 Weighing"]);
      expect(world.refusals()).toEqual([]);
      await world.typed("dismiss", "--row", "rows-1.csv:5", "--row", "rows-1.csv:6", "--row", "rows-1.csv:7");
      await world.ends(0, "resume");
      for (const load of loads) expect(world.timeline(load)).toEqual(["10 Weighing", "30 Weighing"]);
    },
  );

  test(
    "a SPLIT into a load that exists is found by the plan, names both, and holds only what is later on its own load (F112)",
    long,
    async () => {
      const world = await linkedWorld();
      await world.brought("rows-1.csv", ["B 5"]);
      const rows = ["A 10", "A 20 split B", "A 30", "B 40"];
      world.write("rows-2.csv", rows);
      const plan = await world.plan("rows-2.csv");
      expect(plan.out).toContain("2 to send, 1 held, 1 that can never be sent");
      const { code, out } = await world.import("rows-2.csv");
      expect([code, out.replaceAll(/\s+/g, " ")]).toEqual([
        3,
        expect.stringContaining("split of load A: SPLIT would create load B, which exists already"),
      ]);
      expect([world.timeline("A"), world.timeline("B"), world.refusals()]).toEqual([
        ["10 Weighing"],
        ["5 Weighing", "40 Weighing"],
        [],
      ]);
      // The right key goes in its place.
      world.write("rows-2.csv", rows.with(1, "A 20 split C"));
      expect((await world.import("rows-2.csv")).code).toBe(0);
      expect([world.timeline("A"), world.timeline("C")]).toEqual([
        ["10 Weighing", "20 SPLIT", "30 Weighing"],
        ["20 SPLIT target"],
      ]);
    },
  );

  test(
    "a link to what a SPLIT has made waits for its id if only a duplicate confirms the SPLIT, and stops nothing else",
    long,
    async () => {
      const world = await linkedWorld();
      await world.brought("rows-1.csv", ["A 10", "C 10", "D 10"]);
      world.sandbox.setFaults([
        { match: { path: "/documents/events" }, nth: 1, times: 2, action: { kind: "drop", when: "after" } },
      ]);
      const { code, out, err } = await world.brought("rows-2.csv", [
        "A 20 split B",
        "A 25",
        "C 30 link B",
        "C 40",
        "D 40",
        "E 50 link B",
      ]);
      expect([code, out], err).toEqual([3, expect.stringContaining("rowferry resolve load/B")]);
      expect([world.timeline("A"), world.timeline("C"), world.timeline("D"), world.timelines("E")]).toEqual([
        ["10 Weighing", "20 SPLIT", "25 Weighing"],
        ["10 Weighing"],
        ["10 Weighing", "40 Weighing"],
        [],
      ]);
      const [{ id } = { id: "" }] = world.timelines("B");
      expect((await world.typed("resolve", "load/B", "--document-id", id, "--yes")).code).toBe(0);
      await world.ends(0, "resume");
      expect(world.timeline("B")).toEqual(["20 SPLIT target", "30 RELATED mirror", "50 RELATED mirror"]);
    },
  );
});

test("moved because it came late, an event still creates its target, which begins when it is sent", async () => {
  const world = await linkedWorld({ settings: { late: { attribute: "Took place", isPublic: false } } });
  await world.brings(0, "rows-1.csv", ["D 12"]);
  await world.brings(0, "rows-2.csv", ["D 4 split S", "S 5", "D 14"]);
  expect([world.timeline("D"), world.timeline("S")]).toEqual([
    ["12 Weighing", "12 SPLIT", "14 Weighing"],
    ["12 SPLIT target", "12 Weighing"],
  ]);
});
