/** A sample of power losses (H33); `npm run soak -- --kills` goes through all of them. */
import { readFileSync, writeFileSync } from "node:fs";
import { damages, powerLoss } from "../processes/power-loss.js";
import type { Timelines } from "../processes/timelines.js";
import { files, undisturbed } from "./simulation/fault-positions.js";
import { createWorld } from "./simulation/world.js";
import { drawn, sampled } from "../support/sample.js";

describe("a power loss, with what was under way cut or garbled, leaves the timelines of an undisturbed run", () => {
  let timelines: Timelines;
  let requests: number;
  beforeAll(async () => {
    ({ timelines, requests } = await undisturbed());
  });

  test.each(
    sampled(
      damages.map((damage, index) => [damage.name, damage, index] as const),
      5,
    ),
  )("%s", async (_, damage, index) => {
    expect(requests).toBeGreaterThan(10);
    const broken: string[] = [];
    const positions = [2 + (index % (requests - 1)), 1, 2 + ((index * 5 + 3) % (requests - 1))];
    for (const request of positions.slice(0, drawn(1, 3))) {
      broken.push(...(await powerLoss(request, damage, timelines)));
    }
    expect(broken).toEqual([]);
  });
});

test("a ledger that no power loss explains: pages garbled that had long been written ends in a sentence that names a backup and the journal, and sends nothing", async () => {
  const world = createWorld();
  try {
    await world.import(files);
    const sent = world.sandbox.store.statistics().requests;
    const bytes = readFileSync(world.target.ledgerPath);
    bytes.fill(0xa5, 8192);
    writeFileSync(world.target.ledgerPath, bytes);
    await expect(world.import(files)).rejects.toMatchObject({
      code: "ledger-damaged",
      hint: expect.stringContaining("rebuild"),
    });
    expect(world.sandbox.store.statistics().requests).toBe(sent);
  } finally {
    await world.close();
  }
});
