/** A fixed sample of scripts/fuzz-excel.ts, which runs for as long as one likes. */
import { expect, test } from "vitest";
import { seededRandom } from "../../src/sandbox/clock.js";
import { excelSeeds, fuzzExcel } from "../../scripts/fuzz-excel.js";

test("mutated workbooks are read or refused, never anything else, and rows stay even (HARD-CASES H33)", {
  tags: ["long"],
}, async () => {
  const result = await fuzzExcel(excelSeeds(), seededRandom(20_261_120), (cases) => cases === 800);
  expect(result.read + result.refused).toBe(800);
  expect(result.read).toBeGreaterThan(150);
  expect(result.refused).toBeGreaterThan(200);
});
