/** The forecast's short cut: what it passes over is exactly what the planner would have found free (DESIGN section 5). */
import { afterEach, describe, expect, test } from "vitest";
import type { LedgerDatabase } from "../../src/ledger/open-ledger.js";
import { createRegistrationStore } from "../../src/ledger/registrations.js";
import { createUnhindered } from "../../src/ledger/unhindered.js";
import { createWorkStore } from "../../src/ledger/work.js";
import type { MappedRow } from "../../src/model/mapped-row.js";
import { assumeRegistered } from "../../src/run/forecast.js";
import { groupDocuments, planComponent } from "../../src/plan/plan-work.js";
import { drawStory, type StoryRow } from "../nights/simulation/story.js";
import { eventRow, invalidRow } from "../nights/simulation/story-rows.js";
import { createWorld, type StoryFile, type World } from "../nights/simulation/world.js";
import { drawn } from "../support/sample.js";

let world: World;
afterEach(() => world.close());

const file = (contentHash: string, rows: MappedRow[]): StoryFile => ({ name: `${contentHash}.csv`, contentHash, rows });

interface Comparison {
  /** Documents on which the two disagree, with what each says. */
  differences: string[];
  passed: number;
  planned: number;
}

/** Both views of every open document that no link ties to another. */
function compare(
  database: LedgerDatabase,
  dueBefore: number,
  caps: { maxEvents: number; maxBytes: number },
): Comparison {
  const work = createWorkStore(database);
  const registrations = assumeRegistered(createRegistrationStore(database));
  const groups = groupDocuments(work.links());
  const unhindered = createUnhindered(database, { dueBefore, ...caps });
  const found: Comparison = { differences: [], passed: 0, planned: 0 };
  for (const document of work.openDocuments()) {
    const short = unhindered(document);
    if (groups.has(document)) continue;
    if (short === null) {
      found.planned += 1;
      continue;
    }
    found.passed += 1;
    const { assessments, requests } = planComponent(
      { work, registrations, dueBefore, caps, retryStalled: true, linkTimeOf: () => "event", retimingOf: () => null },
      [document],
    );
    const whole = {
      requests: requests.map(({ creates, events }) => ({ creates, events: events.length })),
      left: assessments.flatMap(({ held, deferred, refused }) => [...held, ...deferred, ...refused]).length,
      states: [...new Set(assessments.flatMap(({ ready }) => ready.map(({ state }) => state)))],
    };
    const wanted = { requests: [short], left: 0, states: ["planned"] };
    if (JSON.stringify(whole) !== JSON.stringify(wanted))
      found.differences.push(`document ${document}: ${JSON.stringify(short)} but ${JSON.stringify(whole)}`);
  }
  return found;
}

const mappedRow = (row: StoryRow): MappedRow => {
  if (row.is === "event") return eventRow(row);
  const { document, minute, event, key } = row;
  if (document === null) return invalidRow(row.row, []);
  const keyParts = key === null ? null : [key];
  return invalidRow(row.row, [{ key: document, event, keyParts, ...(minute === null ? {} : { minute }) }]);
};

/** Through all of a drawn night, faults and kills included; after every step as it is, and with the rows not yet sent. */
async function throughTheNight(seed: number): Promise<Comparison> {
  const { sandbox, settings, maxEventsPerRequest, steps } = drawStory(seed);
  world = createWorld({ seed, sandbox, settings, maxEventsPerRequest });
  const all: Comparison = { differences: [], passed: 0, planned: 0 };
  const look = () => {
    const caps = { maxEvents: maxEventsPerRequest, maxBytes: 1 << 20 };
    const seen = world.withLedger((database) => compare(database, world.clock.now() - 2000, caps));
    all.differences.push(...seen.differences);
    all.passed += seen.passed;
    all.planned += seen.planned;
  };
  for (const step of steps) {
    if (step.do === "wait") await world.clock.advance(step.minutes * 60_000);
    if (step.do !== "import" && step.do !== "resume") continue;
    if (step.do === "import") {
      const staged = file(step.file, step.rows.map(mappedRow));
      world.sandbox.setFaults([]);
      await world.run([staged], { limits: { until: 0 } });
      look();
    }
    world.sandbox.setFaults(step.faults, seed);
    await world.run(null, step.kill === null ? {} : { killAt: step.kill });
    look();
  }
  return all;
}

describe("a document that the forecast does not plan", () => {
  test("is one that the planner would send whole, in one request, whatever a night has done to it", async () => {
    const totals = { passed: 0, planned: 0 };
    for (let seed = 1; seed <= drawn(10, 40); seed++) {
      const { differences, passed, planned } = await throughTheNight(seed);
      await world.close();
      expect(differences, `seed ${seed}`).toEqual([]);
      totals.passed += passed;
      totals.planned += planned;
    }
    // Neither view is empty: the nights hold documents of both sorts.
    expect(totals.passed).toBeGreaterThan(drawn(10, 40));
    expect(totals.planned).toBeGreaterThan(drawn(25, 100));
  });

  const staged = async (rows: MappedRow[], settings = {}) => {
    world = createWorld({ settings });
    await world.import([file("a", rows)], { limits: { until: 0 } });
    return world.withLedger((database) => {
      const limits = { dueBefore: world.clock.now() - 2000, maxEvents: 10, maxBytes: 1 << 20 };
      const unhindered = createUnhindered(database, limits);
      return [...createWorkStore(database).openDocuments()].map((document) => unhindered(document));
    });
  };

  test("is not one with an invalid row in its way (H13)", async () => {
    const rows = [
      eventRow({ row: 2, document: "M1", minute: 10 }),
      invalidRow(3, [{ key: "M1", minute: 5 }]),
      eventRow({ row: 4, document: "M2", minute: 10 }),
    ];
    expect(await staged(rows)).toEqual([null, { creates: true, events: 1 }]);
  });

  test("is none at all where a row that could not be placed holds its input (H14)", async () => {
    const rows = [
      eventRow({ row: 2, document: "M1", minute: 10 }),
      invalidRow(3, []),
      eventRow({ row: 4, document: "M2", minute: 10 }),
    ];
    expect(await staged(rows, { unplacedRows: "hold" })).toEqual([null, null]);
    await world.close();
    expect(await staged(rows)).toEqual([
      { creates: true, events: 1 },
      { creates: true, events: 1 },
    ]);
  });

  test("is not one that refers to a participant or an address that the service refused", async () => {
    const rows = ["M1", "M2"].map((document, index) => eventRow({ row: index + 2, document, minute: 10 }));
    for (const table of ["participants", "addresses"]) {
      world = createWorld();
      await world.import([file("a", rows)], { limits: { until: 0 } });
      const found = world.withLedger((database) => {
        database.exec(`UPDATE ${table} SET state = 'sending'; UPDATE ${table} SET state = 'rejected'`);
        const limits = { dueBefore: world.clock.now() - 2000, maxEvents: 10, maxBytes: 1 << 20 };
        return createUnhindered(database, limits)(1);
      });
      expect(found, table).toBeNull();
      await world.close();
    }
  });

  test("is not one with a CLOSE, or with an event that is not due (H10, H11)", async () => {
    const rows = [
      eventRow({ row: 2, document: "M1", minute: 10, name: "CLOSE" }),
      eventRow({ row: 3, document: "M2", minute: 2_000_000 }),
    ];
    expect(await staged(rows)).toEqual([null, null]);
  });
});
