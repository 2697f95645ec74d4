import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/model/clock.js";

describe("sleeping on a signal", () => {
  it("of hundreds at once leaves one listener, and none when it is over: Node warns the user of more than ten", async () => {
    const { signal } = new AbortController();
    const asleep = Array.from({ length: 200 }, (_, index) => systemClock.sleep(5 + (index % 7), signal));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.all(asleep);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("ends at once for all when it aborts, and for those that come later", async () => {
    const stop = new AbortController();
    const asleep = Array.from({ length: 20 }, () => systemClock.sleep(3_600_000, stop.signal));
    stop.abort();
    await Promise.all([...asleep, systemClock.sleep(3_600_000, stop.signal)]);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  });
});
