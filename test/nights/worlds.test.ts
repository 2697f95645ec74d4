/** Worlds drawn from seeds (test/nights/worlds): mappings, dirty files and nights. `npm run worlds` lives through more of them. */
import { drawWorld } from "./worlds/draw.js";
import { live } from "./worlds/live.js";
import { drawn } from "../support/sample.js";

async function differences(first: number, count: number) {
  const found: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const lived = await live(drawWorld(seed));
    found.push(...lived.differences.map((difference) => `seed ${seed}: ${difference}`));
  }
  return found;
}

describe("drawn worlds", () => {
  it("are on the service and in the counts what a careful person expects", async () => {
    expect(await differences(1, drawn(3, 30))).toEqual([]);
  });

  it("and many more of them", { timeout: 600_000, tags: ["long"] }, async () => {
    expect(await differences(94, 15)).toEqual([]);
  });
});
