/**
 * The limit across kills (P6): whatever a killed run had sent, and whatever of that it had written down, the service's bucket
 * never runs out. In virtual time, with the arrivals judged by an exact bucket.
 */
import { describe, expect, test } from "vitest";
import { createWorld } from "../nights/simulation/world.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { seededRandom } from "../../src/sandbox/index.js";
import { refusedBy } from "../support/submit/exact-bucket.js";

/** Rows of documents of their own; `participants`: of how many, each looked up and made first. */
const rowsOf = (documents: number, participants: number) =>
  Array.from({ length: documents }, (_, index) =>
    eventRow({
      row: index + 2,
      document: `M${index}`,
      minute: index,
      participant: String(11222333000181 + (index % participants)),
    }),
  );

/** Kills each run at a request of its own, starts the next after a while, and tells when requests arrived. */
async function arrivalsAcrossKills(participants: number, seed: number): Promise<number[]> {
  const random = seededRandom(seed);
  const answerAfterMs = [20, 300, 1_500][seed % 3] ?? 0;
  const world = createWorld({ rate: 20, seed });
  try {
    const arrivals: number[] = [];
    const inject = world.sandbox.inject.bind(world.sandbox);
    world.sandbox.inject = async (sent) => {
      if (sent.path.startsWith("/oauth")) return inject(sent);
      arrivals.push(world.clock.now());
      const answer = await inject(sent);
      await world.clock.sleep(answerAfterMs);
      return answer;
    };
    const file = { name: "a.csv", contentHash: "a", rows: rowsOf(400, participants) };
    for (let kill = 0; kill < 4; kill += 1) {
      const request = 1 + Math.floor(random() * 120);
      const when = random() < 0.5 ? "before" : "after";
      expect(await world.run(kill === 0 ? [file] : null, { killAt: { request, when } })).toBeNull();
      await world.clock.advance(Math.floor(random() * 1_500));
    }
    await world.resume({ limits: { limitDocuments: 60 } });
    expect(arrivals.length).toBeGreaterThan(60);
    return arrivals;
  } finally {
    await world.close();
  }
}

describe("no request arrives over the limit, however often runs are killed and go on (P6)", () => {
  test("while documents are sent", async () => {
    expect(refusedBy(20, 30, await arrivalsAcrossKills(1, 1))).toBe(0);
  });
  test.each([2, 3])("while documents are sent (%d)", { tags: ["long"] }, async (seed) => {
    expect(refusedBy(20, 30, await arrivalsAcrossKills(1, seed))).toBe(0);
  });
  test("while participants are looked up and made", async () => {
    expect(refusedBy(20, 30, await arrivalsAcrossKills(100, 4))).toBe(0);
  });
  test.each([5, 6, 7, 8, 9, 10])("a mix of both (%d)", { tags: ["long"] }, async (seed) => {
    expect(refusedBy(20, 30, await arrivalsAcrossKills(seed * 40, seed))).toBe(0);
  });
});
