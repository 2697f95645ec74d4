/** One document, whatever its rows call it: by its key, or by the id that the service gave it. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type LinkedWorld, linkedWorld } from "../support/linked.js";

const idOf = (world: LinkedWorld, key: string) => world.timelines(key)[0]?.id ?? "";

describe("rows by key and rows by documentId (F110)", () => {
  test("go out in one order, whichever file brings them", long, async () => {
    const world = await linkedWorld();
    await world.brought("rows-1.csv", ["A 1"]);
    const id = idOf(world, "A");
    world.write(
      "rows-2.csv",
      [10, 30, 50].map((at) => ({ doc: "A", at })),
    );
    world.write(
      "ids-2.csv",
      [20, 40, 60].map((at) => ({ doc: id, at })),
    );
    const plan = await world.plan("ids-2.csv", "rows-2.csv");
    expect(plan.out).toContain("Would send 6 events on 1 document");
    const { code, out } = await world.import("ids-2.csv", "rows-2.csv");
    expect([code, world.refusals()], out).toEqual([0, []]);
    expect(world.timeline("A")).toEqual([1, 10, 20, 30, 40, 50, 60].map((at) => `${at} Weighing`));
    // The same rows again are known.
    const again = await world.import("rows-2.csv", "ids-2.csv");
    expect([again.code, world.timeline("A").length]).toEqual([0, 7]);
  });

  test("share their lifecycle: after a CLOSE by one name nothing is sent by the other", async () => {
    const world = await linkedWorld();
    await world.brought("rows-1.csv", ["A 1"]);
    world.write("rows-2.csv", ["A 10 close"]);
    world.write("ids-2.csv", [{ doc: idOf(world, "A"), at: 20 }]);
    const { code, out } = await world.import("ids-2.csv", "rows-2.csv");
    expect([code, out, world.refusals()]).toEqual([3, expect.stringContaining("after-close"), []]);
    expect(world.timeline("A")).toEqual(["1 Weighing", "10 CLOSE"]);
  });

  test("an invalid row by id holds what is later by key, until it is corrected", long, async () => {
    const world = await linkedWorld();
    await world.brought("rows-1.csv", ["A 1"]);
    const header = "Doc,What,At,Key,Other,Company,Carrier,Depot,Weight\n";
    const row = (company: string) =>
      `${header}${idOf(world, "A")},split,2026-01-01 00:20,20,${company},11222333000181,,,1\n`;
    world.write("ids-2.csv", row(""));
    world.write("rows-2.csv", ["A 30"]);
    expect((await world.import("ids-2.csv", "rows-2.csv")).code).toBe(3);
    expect(world.timeline("A")).toEqual(["1 Weighing"]);
    world.write("ids-2.csv", row("B"));
    expect((await world.import("ids-2.csv")).code).toBe(0);
    expect(world.timeline("A")).toEqual(["1 Weighing", "20 SPLIT", "30 Weighing"]);
  });

  test(
    "a link by id to a document of ours waits for what is earlier there, and follows it into its next generation",
    long,
    async () => {
      const world = await linkedWorld();
      await world.brought("rows-1.csv", ["B 1"]);
      const first = idOf(world, "B");
      await world.brings(0, "rows-2.csv", [{ doc: "A", at: 20, what: "link-id", other: first }, "B 10", "B 30"]);
      expect([world.timeline("B"), world.refusals()]).toEqual([
        ["1 Weighing", "10 Weighing", "20 RELATED mirror", "30 Weighing"],
        [],
      ]);
      await world.typed("replace", "B", "--reason", "wrong");
      await world.brings(0, "rows-3.csv", [{ doc: "C", at: 20, what: "link-id", other: first }]);
      expect(
        world.timelines("B").map(({ state, events }) => [state, events.filter((one) => one.includes("mirror"))]),
      ).toEqual([
        ["cancelled", ["20 RELATED mirror"]],
        ["open", ["20 RELATED mirror"]],
      ]);
    },
  );

  test(
    "a stranded document takes the id that rows have named it by, and both names are one lane from then on",
    long,
    async () => {
      const world = await linkedWorld();
      world.sandbox.setFaults([
        { match: { path: "/documents/events" }, nth: 1, action: { kind: "drop", when: "after" } },
      ]);
      await world.brings(3, "rows-1.csv", ["A 10"]);
      const id = idOf(world, "A");
      await world.brought("ids-1.csv", [{ doc: id, at: 20 }]);
      expect((await world.typed("resolve", "load/A", "--document-id", id, "--yes")).code).toBe(0);
      world.write("rows-2.csv", ["A 30"]);
      world.write("ids-2.csv", [
        { doc: id, at: 40, what: "close" },
        { doc: id, at: 35 },
      ]);
      const { code, out, err } = await world.import("ids-2.csv", "rows-2.csv");
      expect([code, world.refusals().filter(({ status }) => status !== 409)], out + err).toEqual([0, []]);
      expect(world.timeline("A")).toEqual(["10 Weighing", "20 Weighing", "30 Weighing", "35 Weighing", "40 CLOSE"]);
      await world.ends(0, "ledger check");
      // Replaced, all of it follows, by whichever name it came.
      await world.typed("replace", "load/A", "--reason", "wrong");
      await world.ends(0, "resume");
      expect((await world.import("ids-1.csv", "ids-2.csv", "rows-1.csv", "rows-2.csv")).code).toBe(0);
      expect(world.timelines("A").map(({ state, events }) => [state, events.length])).toEqual([
        ["cancelled", 6],
        ["closed", 5],
      ]);
    },
  );

  test.each([
    ["", []],
    [", over a backup that knows both names", ["backup.db"]],
  ])(
    "a stranded document resolved so is one in its journal, too, and in a ledger rebuilt from it%s",
    long,
    async (_, backup) => {
      const world = await linkedWorld();
      const ends = async (code: number, ...argv: string[]) => {
        const typed = await world.typed(...argv);
        expect(typed.code, typed.said).toBe(code);
      };
      const files = ["rows-1.csv", "ids-1.csv", "rows-2.csv", "ids-2.csv"];
      const bring = (code: number, ...some: string[]) =>
        ends(code, "import", "linked.yaml", ...some, "--journal", "journal.ndjson");
      world.sandbox.setFaults([
        { match: { path: "/documents/events" }, nth: 1, action: { kind: "drop", when: "after" } },
      ]);
      world.write("rows-1.csv", ["A 10"]);
      await bring(3, "rows-1.csv");
      const id = idOf(world, "A");
      world.write("ids-1.csv", [{ doc: id, at: 20 }]);
      await bring(3, "ids-1.csv");
      await ends(0, "resolve", "load/A", "--document-id", id, "--yes");
      await ends(0, "ledger", "backup", "backup.db");
      await ends(0, "resume");
      rmSync(join(world.cwd, "state/env/ledger.db"));
      await ends(0, "ledger", "rebuild", "journal.ndjson", ...backup);
      await ends(0, "ledger", "check");
      world.write("rows-2.csv", ["A 30", "A 50"]);
      world.write("ids-2.csv", [
        { doc: id, at: 40 },
        { doc: id, at: 60 },
      ]);
      await bring(0, ...files);
      expect(world.timeline("A")).toEqual([10, 20, 30, 40, 50, 60].map((at) => `${at} Weighing`));
    },
  );
});
