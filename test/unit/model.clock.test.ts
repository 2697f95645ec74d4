import { getEventListeners } from "node:events";
import { systemClock } from "../../src/model/clock.js";

describe("sleeping on a signal", () => {
  it("of hundreds at once makes Node warn of nothing, and leaves no listener when it is over", async () => {
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    const asleep = Array.from({ length: 200 }, (_, index) => systemClock.sleep(5 + (index % 7), signal));
    await Promise.all(asleep);
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
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
