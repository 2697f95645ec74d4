/** A participant of another dataset whose use the service refuses (open-points 28): about it, and about nothing else (F114). */
import type { Summary } from "../../src/model/summary.js";
import { linkedWorld } from "../support/linked.js";
import { person, tokenOf } from "../support/sandbox.world.js";

const FOREIGN = "11444777000161";
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

async function foreignWorld(settings: object = {}, foreign: "refuse" | "use" = "refuse") {
  const world = await linkedWorld({ sandbox: { foreign }, settings });
  const authorization = `Bearer ${await tokenOf(world.sandbox, "second")}`;
  const made = await world.sandbox.inject({
    method: "POST",
    path: "/participants",
    headers: { authorization },
    body: person(FOREIGN),
  });
  expect(made.status).toBe(201);
  world.write("rows-1.csv", [
    { doc: "A", at: 1, company: FOREIGN },
    ...["B", "C", "D", "E"].map((doc) => ({ doc, at: 1 })),
  ]);
  return { world, participant: (made.json() as { id: string }).id };
}

test(
  "is named with the setting that finds it beforehand; other documents land, and nothing says that the same command could go on",
  long,
  async () => {
    const { world, participant } = await foreignWorld();
    const { code, out } = await world.import("rows-1.csv");
    expect(code, out).toBe(3);
    // What stands in a cell is not repeated in a summary: the participant's id leads to it.
    expect(oneLine(out)).toContain(`(${participant}), which this client did not create`);
    expect((await world.typed("show", participant)).out).toContain(`CNPJ ${FOREIGN}`);
    expect(oneLine(out)).toContain("participants.foreign: refuse");
    expect(["B", "C", "D", "E"].map((key) => world.timeline(key))).toEqual(
      Array.from({ length: 4 }, () => ["1 Weighing"]),
    );
    const status = await world.typed("status");
    expect(status.out).toContain("rowferry rejects");
    expect(status.out).not.toContain("rowferry dismiss");
  },
);

test("the reads that tell the two apart are counted by their kind, and are in the ledger", long, async () => {
  const { world } = await foreignWorld();
  const before = world.sandbox.store.requests().length;
  const { out } = await world.import("rows-1.csv", "--json");
  const { requests } = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as Summary;
  const sent = world.sandbox.store
    .requests()
    .slice(before)
    .filter(({ path }) => path !== "/oauth/token").length;
  expect([requests.sent, Object.values(requests.byKind).reduce((sum, count) => sum + count, 0)]).toEqual([sent, sent]);
  expect(requests.byKind["read-participant"]).toBeGreaterThan(0);
  expect((await world.typed("show", "requests", "--since", "1d")).out).toContain("read-participant");
});

describe("a participant that rows give by its tax id alone", () => {
  const rows = [`A 1 hauled carrier=${FOREIGN}`, "B 1"];

  test("is looked up: the service has it, so the event lands with its id, and no participant is created for it", async () => {
    for (const settings of [{}, { references: "inline" }]) {
      const { world } = await foreignWorld(settings, "use");
      world.write("rows-2.csv", rows);
      const { code, out } = await world.import("rows-2.csv");
      expect(code, out).toBe(0);
      expect(world.timeline("A")).toEqual(["1 Hauled"]);
      const created = world.sandbox.store
        .requests()
        .filter(({ method, path }) => `${method} ${path}` === "POST /participants");
      // The owner's; the other one was registered for another dataset before.
      expect(created).toHaveLength(2);
    }
  });

  test("and that nobody knows is waited for, until a row of any file describes it", long, async () => {
    const world = await linkedWorld({});
    world.write("rows-1.csv", rows);
    const { code, out } = await world.import("rows-1.csv");
    expect([code, out]).toEqual([3, expect.stringContaining("participant-not-registered")]);
    expect([world.timelines("A"), world.timeline("B")]).toEqual([[], ["1 Weighing"]]);
    world.write("carriers-1.csv", [`- 1 weigh company=${FOREIGN} carrier=C depot=D`]);
    expect((await world.import("carriers-1.csv")).code).toBe(0);
    expect(world.timeline("A")).toEqual(["1 Hauled"]);
  });

  test("and that only a later row describes is registered with its data", long, async () => {
    const world = await linkedWorld({});
    world.write("rows-1.csv", [...rows, `C 1 weigh company=${FOREIGN}`]);
    const { code, out } = await world.import("rows-1.csv");
    expect([code, out]).toEqual([0, expect.not.stringContaining("differs")]);
    expect(["A", "C"].map((key) => world.timeline(key))).toEqual([["1 Hauled"], ["1 Weighing"]]);
  });
});

test("under participants.foreign: refuse nothing of it is sent", async () => {
  const { world } = await foreignWorld({ participants: { foreign: "refuse" } });
  const { code, out } = await world.import("rows-1.csv");
  expect([code, out]).toEqual([3, expect.stringContaining("participant-foreign")]);
  expect(world.sandbox.store.requests().filter(({ status }) => status === 403)).toEqual([]);
  expect(world.timeline("E")).toEqual(["1 Weighing"]);
});

test(
  "credentials that are refused altogether still stop the run, whatever participant a request refers to",
  long,
  async () => {
    const { world } = await foreignWorld();
    world.sandbox.setFaults([{ match: {}, probability: 1, action: { kind: "status", status: 403, when: "before" } }]);
    expect((await world.import("rows-1.csv")).code).toBe(4);
    world.sandbox.setFaults([]);
    await world.ends(3, "resume");
  },
);

test("tokens that end under two tries of a request are not taken for a refusal of its participant", long, async () => {
  const { world } = await foreignWorld({}, "use");
  expect((await world.import("rows-1.csv")).code).toBe(0);
  world.write("rows-2.csv", [{ doc: "A", at: 2, company: FOREIGN }]);
  world.sandbox.setFaults([
    { match: { path: "/documents/events" }, nth: 1, times: 2, action: { kind: "expire-token" } },
  ]);
  const { code, out } = await world.import("rows-2.csv");
  expect(code, out).toBe(0);
});
