/** Fixed samples of what `npm run fuzz` tries for as long as one likes: files that are polluted or mutated (HARD-CASES H33). */
import { join } from "node:path";
import { csvSeeds, mutated as mutatedCsv } from "../../scripts/fuzz-csv.js";
import { excelSeeds, mutated as mutatedWorkbook } from "../../scripts/fuzz-excel.js";
import { pollute } from "../../scripts/fuzz-pollution.js";
import { fuzz } from "../../scripts/fuzz-reading.js";
import { seededRandom } from "../../src/sandbox/clock.js";
import { drawn } from "../support/sample.js";

test("of polluted tables none comes out wrong in silence, and clean ones are read exact and without a word (npm run fuzz: 5,000)", async () => {
  const { verdicts, clean, silent } = await pollute({ tables: drawn(50, 250), seed: 7 });
  expect(silent).toEqual([]);
  expect(Math.min(verdicts.exact, verdicts.refused, verdicts.told)).toBeGreaterThan(drawn(3, 20));
  expect(clean.exact).toBe(clean.tables);
  expect(clean.quiet).toBeGreaterThanOrEqual(clean.tables * 0.98);
}, 120_000);

/** So many mutated files are read or refused, never anything else, and rows stay numbered and even; of either at least such a share. */
async function expectEither(next: Parameters<typeof fuzz>[0], all: number, read: number, refused: number) {
  const result = await fuzz(next, (cases) => cases === all);
  expect(result.read + result.refused).toBe(all);
  expect(result.read).toBeGreaterThan(all * read);
  expect(result.refused).toBeGreaterThan(all * refused);
}

test("mutated CSV files are read or refused", async () => {
  const [seeds, random] = [csvSeeds(join(import.meta.dirname, "../../fixtures/read-csv")), seededRandom(20_261_120)];
  await expectEither(() => mutatedCsv(seeds, random), drawn(60, 600), 1 / 3, 1 / 6);
}, 60_000);

test("mutated workbooks are read or refused", async () => {
  const [seeds, random] = [excelSeeds(), seededRandom(20_261_120)];
  await expectEither(() => mutatedWorkbook(seeds, random), drawn(30, 300), 0.18, 1 / 4);
}, 180_000);
