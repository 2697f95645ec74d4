/** `--max-errors`, while sending: once 100 events were sent, and only where more of them were refused than it allows. */
import { createWorld } from "../nights/simulation/world.js";
import { type LinkedWorld, linkedWorld } from "../support/linked.js";
import { openConsole } from "../support/console.js";
import { openOffice } from "../support/office.js";
import { loads, weighings, weights } from "../support/weighings.js";

/** The file comes with that row and a wrong one, is refused, and the wrong row given up: `status` names the file, and nothing else. */
async function refusedAfterAnEdit(world: LinkedWorld, file: string, edited: string) {
  world.sandbox.setFaults([]);
  world.write(file, [edited, "A 30 company=11222333000182"]);
  await world.ends(3, `import linked.yaml ${file} --max-errors 0`);
  await world.ends(0, `dismiss --row ${file}:3 --yes`);
  await world.ends(3, "resume");
  const { out } = await world.typed("status");
  expect(out).toMatch(/^env: 1 event waits for something that only you can settle/);
  expect(out).not.toContain("the next run settles");
  expect(out.match(/^rowferry .*$/gm)).toEqual([`rowferry import linked.yaml ${file} --target env`]);
}

describe("an import that --max-errors refused", () => {
  /** L1 has a valid row and an invalid one; L2 is valid. */
  async function refused() {
    const office = openOffice(weighings);
    office.writeCsv("bad.csv", loads("L1 10 1", "L2 10 2", "L2 20 x"));
    const typed = await office.type("import", "m.yaml", "bad.csv", "--max-errors", "0");
    expect([typed.code, typed.said]).toEqual([3, expect.stringContaining("nothing was sent")]);
    return { office, ...typed };
  }

  it("sends nothing with later files or resume, and says why", async () => {
    const { office, out } = await refused();
    expect(out).toContain("rowferry import m.yaml bad.csv --sandbox\n");
    expect(out).toContain("rowferry withdraw --input bad.csv --sandbox");
    await office.ends(3, "resume", "bad.csv, which --max-errors refused");
    await office.brought("good.csv", loads("L3 10 3"));
    expect(weights(office)).toEqual(["L3 10 3"]);
    await office.ends(0, "status", "import-refused");
  });

  it("holds what is later on its documents, and lets it go in order once the file is imported again", async () => {
    const { office } = await refused();
    await office.brought("later.csv", loads("L1 30 9", "L3 10 3"));
    expect(weights(office)).toEqual(["L3 10 3"]);
    expect((await office.import("bad.csv")).events).toEqual({ landed: 3 });
    expect(weights(office)).toEqual(["L3 10 3", "L1 10 1", "L1 30 9", "L2 10 2"]);
  });

  it("gives way to a corrected file, whatever its name", async () => {
    for (const name of ["bad.csv", "corrected.csv"]) {
      const { office } = await refused();
      const { exitCode } = await office.brought(name, loads("L1 10 1", "L2 10 7", "L2 20 8"));
      expect(weights(office), name).toEqual(["L1 10 1", "L2 10 7", "L2 20 8"]);
      if (name === "bad.csv") expect(exitCode).toBe(0);
    }
  });

  it("holds nothing once its rows are taken back, not even an event that another file brought before", async () => {
    const office = openOffice(weighings);
    await office.brought("first.csv", ["Load,At,Gross", "L1,2099-01-01 10:00,1"]);
    office.writeCsv("bad.csv", ["Load,At,Gross", "L1,2099-01-01 10:00,1", "L2,2026-01-01 10:00,x"]);
    await office.type("import", "m.yaml", "bad.csv", "--max-errors", "0");
    await office.ends(0, "status", "import-refused");
    await office.ends(0, "withdraw --input bad.csv --yes");
    expect((await office.type("status")).said).not.toContain("import-refused");
    await office.ends(0, "resume");
  });

  it("leaves what came later on its documents to the next run, once its rows are taken back", async () => {
    const { office } = await refused();
    await office.brought("later.csv", loads("L1 30 9"));
    await office.ends(0, "withdraw --input bad.csv --yes");
    await office.ends(0, "status", "rowferry resume");
    await office.ends(0, "resume");
    expect(weights(office)).toEqual(["L1 30 9"]);
  });

  it("names the file, and offers no way back, where it edited an event in doubt: the next run cannot ask about that", async () => {
    const world = await linkedWorld();
    await world.brings(0, "rows-1.csv", ["A 10"]);
    world.sandbox.setFaults([
      {
        match: { path: "/documents/events" },
        times: 9,
        action: { kind: "status", status: 500, when: "after" },
      },
    ]);
    await world.brings(4, "rows-2.csv", ["A 20"]);
    await refusedAfterAnEdit(world, "rows-2.csv", "A 20 weight=9");
    const [seen] = (await openConsole(world)).asks.overview.work({}).targets;
    expect(seen).toMatchObject({ canResume: false, decide: [], waiting: [{ code: "import-refused", count: 1 }] });
    await world.ends(3, "import linked.yaml rows-2.csv");
    await world.ends(0, "dismiss --code changed --yes");
    expect((await world.typed("status")).out).toContain("all is well");
  });

  it("names the file alone where it edited the first row of a creation in doubt: that is asked about with its first event", async () => {
    const world = await linkedWorld();
    world.sandbox.setFaults([
      { match: { path: "/documents/events" }, times: 9, action: { kind: "status", status: 500, when: "before" } },
    ]);
    await world.brings(4, "rows-1.csv", ["A 10"]);
    await refusedAfterAnEdit(world, "rows-1.csv", "A 10 weight=9");
    await world.ends(0, "import linked.yaml rows-1.csv");
    expect(world.timeline("A")).toEqual(["10 Weighing"]);
  });

  it("registers no participant that only its rows bring", async () => {
    const { office } = await refused();
    expect([office.participants(), office.addresses()]).toEqual([[], []]);
  });

  it("is refused again with the same bound, and known once it has landed", async () => {
    const { office } = await refused();
    await office.ends(3, "import m.yaml bad.csv --max-errors 0", "nothing was sent");
    expect(weights(office)).toEqual([]);
    await office.import("bad.csv");
    await office.import("bad.csv", "--max-errors", "0");
    expect(weights(office)).toEqual(["L1 10 1", "L2 10 2"]);
  });
});

it("a run stops where more than 40% are refused, and not where a tenth is", long, async () => {
  const world = createWorld();
  onTestFinished(() => world.close());
  const documents = Array.from({ length: 150 }, (_, at) => `M${at}`);
  const refused = { kind: "status", status: 400, when: "before" } as const;
  const refusing = async (probability: number, minute: number) => {
    world.setFaults([{ match: { path: "/documents/events" }, probability, action: refused }]);
    const rows = documents.map((document) => `${document} ${minute}`);
    const { exitCode, stopped, events } = await world.bring(`minute-${minute}`, rows, { limits: { maxErrors: "40%" } });
    const { landed = 0, rejected = 0 } = events;
    return { ends: [exitCode, stopped?.code], sent: landed + rejected };
  };
  await refusing(0, 10);
  expect(await refusing(0.1, 20)).toEqual({ ends: [3, undefined], sent: documents.length });
  const { ends, sent } = await refusing(1, 30);
  expect(ends).toEqual([4, "max-errors"]);
  expect(sent).toBeGreaterThanOrEqual(100);
  expect(sent).toBeLessThan(documents.length);
});
