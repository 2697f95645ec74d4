/** Documents that other documents' events make (service.md, Event endpoints, rule 6; HARD-CASES H19), in every order of their rows. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { type LinkedWorld, linkedWorld } from "../support/linked.js";

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
    world.write(
      "rows-1.csv",
      every.flatMap((order, number) => order.map((index) => chain(number)[index] as string)),
    );
    const { code, out, err } = await world.import("rows-1.csv");
    expect([code, world.refusals()], out + err).toEqual([0, []]);
    for (const number of every.keys()) expect(ends(world, number)).toEqual(chainEnds);
  });

  test("wait for the correction of a row whose SPLIT makes it: without it they would make it, and the SPLIT could never follow", async () => {
    const world = await linkedWorld();
    expect((await world.brought("rows-1.csv", ["A 1", "A 10 split B company=123", "B 20"])).code).toBe(3);
    expect(world.timelines("B")).toEqual([]);
    expect((await world.brought("rows-1.csv", ["A 1", "A 10 split B", "B 20"])).code).toBe(0);
    expect([world.timeline("A"), world.timeline("B")]).toEqual([
      ["1 Weighing", "10 SPLIT"],
      ["10 SPLIT target", "20 Weighing"],
    ]);
    // It exists: another SPLIT into it can hold nothing of it.
    expect((await world.brought("rows-2.csv", ["A 30 split B company=123", "B 40"])).code).toBe(3);
    expect(world.timeline("B")).toHaveLength(3);
  });

  test("a SPLIT into its own document is a problem of the row, and holds what follows it until it is corrected (F109)", async () => {
    const world = await linkedWorld();
    const { code, out } = await world.brought("rows-1.csv", ["A 10", "A 20 split A", "A 30", "B 10"]);
    expect([code, out]).toEqual([3, expect.stringContaining("target-is-itself")]);
    expect([world.timeline("A"), world.timeline("B"), world.refusals()]).toEqual([
      ["10 Weighing"],
      ["10 Weighing"],
      [],
    ]);
    await world.typed("dismiss", "--row", "rows-1.csv:3");
    expect((await world.typed("resume")).code).toBe(0);
    expect(world.timeline("A")).toEqual(["10 Weighing", "30 Weighing"]);
  });

  test("a SPLIT into a load that exists is found by the plan, names both, and holds only what is later on its own load (F112)", async () => {
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
  });

  test("that something else made: its rows wait for the id that a person looked up, and do not make it again", async () => {
    const world = await linkedWorld();
    const ledger = join(world.cwd, "ledger.db");
    world.env = { ...world.env, ROWFERRY_LEDGER: ledger };
    await world.brought("rows-1.csv", ["A 10"]);
    copyFileSync(ledger, `${ledger}.old`);
    await world.brought("rows-2.csv", ["A 20 split B"]);
    copyFileSync(`${ledger}.old`, ledger);
    const [{ id } = { id: "" }] = world.timelines("B");
    expect((await world.brought("rows-3.csv", ["A 20 split B", "B 30"])).code).toBe(3);
    await world.typed("dismiss", "--code", "foreign-collision", "--yes");
    const { code, out } = await world.typed("resume");
    expect([code, out]).toEqual([3, expect.stringContaining("rowferry resolve load/B")]);
    expect((await world.typed("status")).out).toContain("waits for load B");
    expect((await world.typed("resolve", "load/B", "--document-id", `${id}0`, "--yes")).err).toContain(
      "has no document",
    );
    expect((await world.typed("resolve", "load/B", "--document-id", id, "--yes")).code).toBe(0);
    expect((await world.typed("resume")).code).toBe(0);
    expect(world.timeline("B")).toEqual(["20 SPLIT target", "30 Weighing"]);
  });
});
