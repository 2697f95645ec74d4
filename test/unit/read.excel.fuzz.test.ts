/** A fixed sample of scripts/fuzz-excel.ts, which runs for as long as one likes. */
import { seededRandom } from "../../src/sandbox/clock.js";
import { drawn } from "../support/sample.js";
import { excelSeeds, mutated } from "../../scripts/fuzz-excel.js";
import { fuzz } from "../../scripts/fuzz-reading.js";

test("mutated workbooks are read or refused, never anything else, and rows stay even (HARD-CASES H33)", {
  timeout: 180_000,
}, async () => {
  const all = drawn(30, 300);
  const [seeds, random] = [excelSeeds(), seededRandom(20_261_120)];
  const result = await fuzz(
    () => mutated(seeds, random),
    (cases) => cases === all,
  );
  expect(result.read + result.refused).toBe(all);
  expect(result.read).toBeGreaterThan(all * 0.18);
  expect(result.refused).toBeGreaterThan(all / 4);
});
