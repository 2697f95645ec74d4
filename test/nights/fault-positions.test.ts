/** A fixed sample of faults × positions; `npm run soak -- --faults` goes through all of them. */
import { befallen, faultActions, undisturbed } from "./simulation/fault-positions.js";
import { drawn, sampled } from "../support/sample.js";

let expected: Awaited<ReturnType<typeof undisturbed>>;
beforeAll(async () => {
  expected = await undisturbed();
});

describe("a fault at any request leaves the timelines of an undisturbed run (P1, P2)", () => {
  test("which has requests enough to be worth it", () => {
    expect(expected.requests).toBeGreaterThan(10);
    expect([...expected.timelines.keys()].toSorted()).toEqual(["A", "B", "C", "T"]);
  });

  test.each(
    sampled(
      faultActions.map((action, index) => [JSON.stringify(action), index] as const),
      3,
    ),
  )("%s", async (_, index) => {
    const action = faultActions[index];
    if (action === undefined) throw new Error("no such fault");
    const broken: string[] = [];
    const step = drawn(16, 4);
    for (let position = 1 + (index % step); position <= expected.requests + 1; position += step) {
      broken.push(...(await befallen(action, position, 1, expected.timelines)));
    }
    broken.push(...(await befallen(action, 5 + (index % 7), 7, expected.timelines)));
    expect(broken).toEqual([]);
  });
});
