import { drawn } from "../support/sample.js";
import { pollute } from "../../scripts/fuzz-pollution.js";

test("of polluted tables none comes out wrong in silence, and clean ones are read exact and without a word (npm run fuzz: 5,000)", async () => {
  const { verdicts, clean, silent } = await pollute({ tables: drawn(50, 250), seed: 7 });
  expect(silent).toEqual([]);
  expect(Math.min(verdicts.exact, verdicts.refused, verdicts.told)).toBeGreaterThan(drawn(3, 20));
  expect(clean.exact).toBe(clean.tables);
  expect(clean.quiet).toBeGreaterThanOrEqual(clean.tables * 0.98);
}, 120_000);
