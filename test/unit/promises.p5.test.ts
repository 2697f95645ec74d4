/** P5: a duplicate 409 is a receipt only by evidence: an earlier attempt of the same event in this ledger. */
import { join } from "node:path";
import { seededRandom } from "../../src/sandbox/index.js";
import { type LinkRow, linkedWorld } from "../support/linked.js";

const [from, to] = (process.env["P5_SEEDS"] ?? "1-2").split("-").map(Number) as [number, number];
const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);

interface Shown {
  documents: { documentId: string; events: { at: string; state: string }[] }[];
}

test.each(seeds)(
  "P5: in the world of seed %i the ledger counts as landed what it sent, also where the answer was lost, and nothing that another ledger sent",
  { timeout: 120_000 },
  async (seed) => {
    const random = seededRandom(seed);
    const chance = (probability: number) => random() < probability;
    const world = await linkedWorld({
      sandbox: { partialBatches: chance(0.5), checks: chance(0.3) ? "order-first" : "duplicate-first" },
    });
    const loads = Array.from({ length: 10 }, (_, index) => `L${index}`);
    world.write(
      "rows-1.csv",
      loads.map((doc) => ({ doc, at: 1 })),
    );
    await world.import("rows-1.csv");
    const ids = new Map(loads.map((doc) => [doc, world.timelines(doc)[0]?.id ?? ""]));
    const rows = loads.flatMap((doc) =>
      Array.from({ length: 1 + Math.floor(random() * 5) }, (_, index) => ({ doc: ids.get(doc) ?? "", at: 10 + index })),
    );
    // Another ledger, of the same integrator, sends the first of some documents' events.
    const foreign = rows
      .filter(({ at }) => at < 12 && chance(0.3))
      .filter((row, _, all) => row.at === 10 || all.some((one) => one.doc === row.doc && one.at === 10));
    const own = world.env;
    world.env = { ...own, ROWFERRY_LEDGER: join(world.cwd, "other.db") };
    if (foreign.length > 0) {
      expect((await world.brought("ids-other.csv", foreign)).code).toBe(0);
    }
    world.env = own;
    // Where an answer is lost a foreign key cannot be told from our own: those documents get theirs.
    const isTaken = ({ doc }: LinkRow) => foreign.some((row) => row.doc === doc);
    world.write("ids-1.csv", rows.filter(isTaken));
    await world.import("ids-1.csv");
    world.sandbox.setFaults([
      { match: { path: "/documents/events" }, probability: 0.4, times: 30, action: { kind: "drop", when: "after" } },
      {
        match: { path: "/documents/events" },
        probability: 0.1,
        times: 10,
        action: { kind: "status", status: 503, when: "before" },
      },
    ]);
    world.write(
      "ids-2.csv",
      rows.filter((row) => !isTaken(row)),
    );
    await world.import("ids-2.csv");
    world.sandbox.setFaults([]);
    for (let round = 0; round < 4 && (await world.typed("resume")).code === 4; round += 1);

    const isForeign = (id: string, at: string) =>
      foreign.some((row) => row.doc === id && Date.parse(at) === Date.UTC(2026, 0, 1, 0, row.at));
    for (const [doc, id] of ids) {
      const { documents } = (await world.json("show", `load/${doc}`)) as unknown as Shown;
      const events = documents
        .flatMap((one) => one.events)
        .filter(({ at }) => Date.parse(at) > Date.UTC(2026, 0, 1, 0, 9));
      const sent = new Set(world.sandbox.store.document(id)?.events.map(({ at }) => at));
      for (const { at, state } of events) {
        const of = `${doc} ${at}: ${state}`;
        if (isForeign(id, at)) expect(["foreign", "held", "rejected"], of).toContain(state);
        else if (sent.has(Date.parse(at))) expect(["landed", "landed-without-id", "stalled"], of).toContain(state);
        else expect(["held", "rejected", "planned"], of).toContain(state);
      }
    }
  },
);
