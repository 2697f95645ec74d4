/** A fixed sample of garbled answers (H6); `npm run fuzz` draws as many as one likes. */
import { expect, test } from "vitest";
import { garbledNight } from "./hostile/answers.js";

test.each([1, 2])("answers that say nothing, or anything, break no promise and no run (sample %i)", async (sample) => {
  const broken: string[] = [];
  for (let seed = sample * 100; seed < sample * 100 + 12; seed += 1) broken.push(...(await garbledNight(seed)));
  expect(broken).toEqual([]);
});
