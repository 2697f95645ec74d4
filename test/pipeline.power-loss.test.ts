/** A sample of power losses (H33); `npm run soak -- --kills` goes through all of them. */
import { beforeAll, describe, expect, test } from "vitest";
import { damages, powerLoss, undisturbedNight } from "./kill/power-loss.js";
import type { Timelines } from "./kill/timelines.js";

describe("a power loss, with what was under way cut or garbled, leaves the timelines of an undisturbed run", () => {
  let timelines: Timelines;
  let requests: number;
  beforeAll(async () => {
    ({ timelines, requests } = await undisturbedNight());
  });

  test.each(damages.map((damage, index) => [damage.name, damage, index] as const))("%s", async (_, damage, index) => {
    expect(requests).toBeGreaterThan(10);
    const broken: string[] = [];
    for (const request of [1, 2 + (index % (requests - 1)), 2 + ((index * 5 + 3) % (requests - 1))]) {
      broken.push(...(await powerLoss(request, damage, timelines)));
    }
    expect(broken).toEqual([]);
  });
});
