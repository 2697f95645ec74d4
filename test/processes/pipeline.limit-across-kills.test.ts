/**
 * The limit across kills (P6): whatever a killed run had sent, and whatever of that it had written down, the service's bucket
 * never runs out. In virtual time, with the arrivals judged by an exact bucket.
 */
import { seededRandom } from "../../src/sandbox/index.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { createWorld } from "../nights/simulation/world.js";
import { refusedBy } from "../support/submit/exact-bucket.js";

/** Kills each run at a request of its own, and starts the next after a while. Participants are looked up and made first. */
async function expectUnderTheLimit(participants: number, seed: number) {
  const random = seededRandom(seed);
  const answerAfterMs = [20, 300, 1_500][seed % 3] ?? 0;
  const rows = Array.from({ length: 400 }, (_, index) =>
    eventRow({
      row: index + 2,
      document: `M${index}`,
      minute: index,
      participant: String(11222333000181 + (index % participants)),
    }),
  );
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
    for (let kill = 0; kill < 4; kill += 1) {
      const request = 1 + Math.floor(random() * 120);
      const when = random() < 0.5 ? "before" : "after";
      const files = kill === 0 ? [{ name: "a.csv", contentHash: "a", rows }] : null;
      expect(await world.run(files, { killAt: { request, when } })).toBeNull();
      await world.clock.advance(Math.floor(random() * 1_500));
    }
    await world.resume({ limits: { limitDocuments: 60 } });
    expect(arrivals.length).toBeGreaterThan(60);
    expect(refusedBy(20, 30, arrivals)).toBe(0);
  } finally {
    await world.close();
  }
}

describe("no request arrives over the limit, however often runs are killed and go on (P6)", () => {
  test("while participants are looked up and made", long, () => expectUnderTheLimit(100, 4));
  test.each([1, 2, 3])("while documents are sent (%d)", long, (seed) => expectUnderTheLimit(1, seed));
  test.each([5, 6, 7])("a mix of both (%d)", long, (seed) => expectUnderTheLimit(seed * 40, seed));
});
