/** Nights drawn from seeds: P1–P5 and P7 hold under faults, kills, clock jumps and every switch of the open points. */
import { live } from "./simulation/night.js";
import { drawn } from "../support/sample.js";
import {
  drawStory,
  FIRST_OF_ALL_READINGS,
  FIRST_OF_CORRECTIONS,
  FIRST_OF_DECISIONS,
  FIRST_OF_REAL_SHAPES,
} from "./simulation/story.js";

const NIGHTS_A_TEST = 10;
/** Nights that once broke a promise. */
const once = [
  28, 61, 64, 74, 87, 157, 229, 255, 277, 386, 420, 504, 582, 664, 676, 786, 874, 907, 1038, 1344, 1932, 2316, 3512,
  4602, 5711, 12408, 15359, 15624, 19709, 22449, 28371, 31216, 31472, 36418, 40781, 47241, 50452, 56653, 57555, 60035,
  61073, 61720, 62840, 62857, 77198, 89178, 91291, 91384, 96645, 200157, 1009917, 1036087, 1048644, 2001355, 2108494,
  3000136, 3000199, 3000256, 3002374, 3002623, 4010780, 8002750, 8220327, 8301672, 8420321, 8421907, 8428237, 8520857,
  8705950, 8906644, 9005606, 9801717, 90010230, 90024539, 90028855, 90033574, 110101912, 110110172, 110120565,
  110140426, 110341846, 110450163,
];

/** The same of real shape, cut to 150 rows. */
const onceOfRealShape = [4_000_023, 4_000_050, 4_000_092, 4_000_174, 4_000_210];

async function brokenNights(seeds: readonly number[], rowsOfRealShape: number | null = null) {
  const broken: string[] = [];
  for (const seed of seeds) {
    const night = await live(drawStory(seed, rowsOfRealShape));
    broken.push(...night.broken.map((what) => `seed ${seed}: ${what}`));
  }
  return broken;
}

describe("a simulated night breaks no promise", () => {
  const starts = Array.from({ length: 8 }, (_, index) => index * NIGHTS_A_TEST + 1);
  const nightsFrom = (seed: number, length = NIGHTS_A_TEST) =>
    brokenNights(Array.from({ length }, (_, index) => seed + index));

  test("seeds from 1", async () => expect(await nightsFrom(1, drawn(4, NIGHTS_A_TEST))).toEqual([]));
  test.each(starts.slice(1))("seeds from %i", long, async (seed) => {
    expect(await nightsFrom(seed)).toEqual([]);
  });

  test("under every reading of docs/explanation/open-points.md", long, async () => {
    expect(await nightsFrom(FIRST_OF_ALL_READINGS)).toEqual([]);
  });

  test.each([1, 2, 3])("under every reading, part %i", long, async (part) => {
    expect(await nightsFrom(FIRST_OF_ALL_READINGS + part * NIGHTS_A_TEST)).toEqual([]);
  });

  test("in which a person decides, and files come back changed", async () => {
    expect(await nightsFrom(FIRST_OF_DECISIONS, drawn(3, NIGHTS_A_TEST))).toEqual([]);
  });

  test.each([1, 2])("in which a person decides, part %i", long, async (part) => {
    expect(await nightsFrom(FIRST_OF_DECISIONS + part * NIGHTS_A_TEST)).toEqual([]);
  });

  test("in which rejected rows are corrected", async () => {
    expect(await nightsFrom(FIRST_OF_CORRECTIONS, drawn(3, 2 * NIGHTS_A_TEST))).toEqual([]);
  });

  // Small ones; those of `npm run simulate` have 2,000 to 20,000 rows.
  test("of real shape, read from files", async () => {
    const seeds = [FIRST_OF_REAL_SHAPES, FIRST_OF_REAL_SHAPES + 1];
    expect(await brokenNights(seeds.slice(0, drawn(1, 2)), 150)).toEqual([]);
  });

  test.each([0, 1, 2])("of real shape, more of them, part %i", { tags: ["long"], timeout: 300_000 }, async (part) => {
    const seeds = Array.from({ length: 6 }, (_, index) => FIRST_OF_REAL_SHAPES + part * 6 + index);
    expect(await brokenNights(seeds, 150)).toEqual([]);
  });

  test("of real shape, those that once did", { tags: ["long"], timeout: 300_000 }, async () => {
    expect(await brokenNights(onceOfRealShape, 150)).toEqual([]);
  });

  test("some of those that once did", long, async () => {
    expect(await brokenNights(once.filter((_, index) => index % drawn(12, 4) === 0))).toEqual([]);
  });
  test.each([1, 2, 3])("those that once did, part %i", long, async (part) => {
    expect(await brokenNights(once.filter((_, index) => index % 4 === part))).toEqual([]);
  });
});

test("a seed gives the same night every time", async () => {
  expect(drawStory(7)).toEqual(drawStory(7));
  expect(await live(drawStory(7))).toEqual(await live(drawStory(7)));
});
