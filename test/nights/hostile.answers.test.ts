/** A fixed sample of garbled answers (P10, H6); `npm run fuzz` draws as many as one likes. */
import { answerFields, garbledNight, hostileNight, hostileValues } from "../support/hostile/answers.js";
import { drawn, sampled } from "../support/sample.js";

test.each(sampled([1, 2], 2))(
  "answers that say nothing, or anything, break no promise and no run (sample %i)",
  async (sample) => {
    const broken: string[] = [];
    for (let seed = sample * 100; seed < sample * 100 + drawn(3, 12); seed += 1)
      broken.push(...(await garbledNight(seed)));
    expect(broken).toEqual([]);
  },
);

/** In a sample every third field holds every eighth value. */
const fields = answerFields.map((field, index) => [field, index] as const);

test.each(sampled(fields, 3))(
  "whatever %s holds in every answer breaks no promise and no run (F61)",
  async (field, index) => {
    const broken: string[] = [];
    // Another document's id that could be one cannot be told from a true one.
    const values = Object.values(hostileValues).filter(
      (value) => field !== "documentId" || !/^"(a\/b|__proto__)"$/.test(value),
    );
    for (const value of sampled(values, 8, index)) broken.push(...(await hostileNight(field, value)));
    expect(broken).toEqual([]);
  },
);
