/** A fixed sample of scripts/fuzz-csv.ts, which runs for as long as one likes. */
import { join } from "node:path";
import { seededRandom } from "../../src/sandbox/clock.js";
import { csvSeeds, mutated } from "../../scripts/fuzz-csv.js";
import { fuzz } from "../../scripts/fuzz-reading.js";
import { drawn } from "../support/sample.js";

test("mutated files are read or refused, never anything else, and rows stay numbered and even (HARD-CASES H33)", async () => {
  const seeds = csvSeeds(join(import.meta.dirname, "../../fixtures/read-csv"));
  const all = drawn(60, 600);
  const random = seededRandom(20_261_120);
  const result = await fuzz(
    () => mutated(seeds, random),
    (cases) => cases === all,
  );
  expect(result.read + result.refused).toBe(all);
  expect(result.read).toBeGreaterThan(all / 3);
  expect(result.refused).toBeGreaterThan(all / 6);
}, 60_000);
