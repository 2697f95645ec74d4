/** A long document is planned piece by piece, and the pieces are the plan of the whole (P8). */
import type { LedgerDatabase } from "../../src/ledger/open-ledger.js";
import { createRegistrationStore } from "../../src/ledger/registrations.js";
import { createWorkStore } from "../../src/ledger/work.js";
import { assumeRegistered } from "../../src/run/forecast.js";
import {
  type Component,
  groupDocuments,
  planComponent,
  type PlanContext,
  planPieces,
} from "../../src/plan/plan-work.js";
import { seededRandom } from "../../src/sandbox/index.js";
import { eventRow, invalidRow } from "../nights/simulation/story-rows.js";
import { createWorld, type World } from "../nights/simulation/world.js";
import { drawn } from "../support/sample.js";

const told = (plans: Component[]) => ({
  requests: plans.flatMap(({ requests }) =>
    requests.map(({ creates, events }) => [creates, events.map(({ id }) => id)]),
  ),
  held: plans.flatMap(({ assessments }) =>
    assessments.flatMap(({ held }) => held.map(({ event, reason, waitsFor }) => [event.id, reason, waitsFor])),
  ),
  deferred: plans.flatMap(({ assessments }) => assessments.flatMap(({ deferred }) => deferred.map(({ id }) => id))),
  refused: plans.flatMap(({ assessments }) =>
    assessments.flatMap(({ refused }) => refused.map(({ event, reason }) => [event.id, reason])),
  ),
});

/** Both views of every document without links. @returns how many came in several pieces */
function compare(database: LedgerDatabase, dueBefore: number, maxEvents: number, late: boolean) {
  const work = createWorkStore(database);
  const context: PlanContext = {
    work,
    registrations: assumeRegistered(createRegistrationStore(database)),
    dueBefore,
    caps: { maxEvents, maxBytes: 2_000 },
    retryStalled: true,
    linkTimeOf: () => "event",
    retimingOf: () => (late ? { attribute: "Original", isPublic: true } : null),
  };
  const groups = groupDocuments(work.links());
  let several = 0;
  for (const document of work.openDocuments()) {
    if (groups.has(document)) continue;
    const pieces = [...planPieces(context, [document], 1)];
    expect(told(pieces)).toEqual(told([planComponent(context, [document])]));
    if (pieces.length > 1) several += 1;
  }
  return several;
}

/** Long documents with late rows, rows that close them in the middle, invalid rows, refusals, and times to come. */
async function someDocuments(seed: number): Promise<World> {
  const random = seededRandom(seed);
  const world = createWorld({ seed, maxEventsPerRequest: 3 });
  for (const file of ["a", "b"]) {
    const rows = Array.from({ length: 120 }, (_, index) => {
      const row = index + 2;
      const document = `M${Math.floor(random() * 3)}`;
      const minute = Math.floor(random() * 400) + (random() < 0.03 ? 10_000_000 : 0);
      if (random() < 0.02) return invalidRow(row, [{ key: document, minute }]);
      return eventRow({ row, document, minute, bad: random() < 0.02, ...(random() < 0.01 ? { name: "CLOSE" } : {}) });
    });
    const limits = file === "b" ? { until: 0 } : {};
    await world.import([{ name: `${file}.csv`, contentHash: file, rows }], { limits });
  }
  return world;
}

test(
  "the pieces of a document are its plan: requests, what is held and for whom, deferred, refused",
  long,
  async () => {
    let several = 0;
    for (let seed = 1; seed <= drawn(2, 6); seed += 1) {
      const world = await someDocuments(seed);
      for (const maxEvents of [1, 2, 5])
        for (const late of [false, true])
          several += world.withLedger((database) => compare(database, world.clock.now() - 2000, maxEvents, late));
      await world.close();
    }
    expect(several).toBeGreaterThan(drawn(8, 25));
  },
);

it("two documents with hundreds of thousands of links each are one group once they are linked", long, () => {
  const linked = (hub: number) =>
    Array.from({ length: 150_000 }, (_, at) => ({ document: hub, other: hub * 1e6 + at }));
  const groups = groupDocuments([...linked(1), ...linked(2), { document: 1, other: 2 }]);
  expect([groups.size, groups.get(1)?.length]).toEqual([300_002, 300_002]);
});
