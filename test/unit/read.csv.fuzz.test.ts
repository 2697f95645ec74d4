/** A fixed sample of scripts/fuzz-csv.ts, which runs for as long as one likes. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { seeded } from "../../bench/harness.js";
import { csvSeeds, fuzzCsv } from "../../scripts/fuzz-csv.js";

test("mutated files are read or refused, never anything else, and rows stay numbered and even (HARD-CASES H33)", async () => {
  const seeds = csvSeeds(join(import.meta.dirname, "../../fixtures/read-csv"));
  const result = await fuzzCsv(seeds, seeded(20_261_120), (cases) => cases === 600);
  expect(result.read + result.refused).toBe(600);
  expect(result.read).toBeGreaterThan(200);
  expect(result.refused).toBeGreaterThan(100);
}, 60_000);
