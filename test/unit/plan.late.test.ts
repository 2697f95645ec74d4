import { open, world } from "../nights/simulation/hard-case.js";
import { storyFile } from "../nights/simulation/world.js";

const first = storyFile("a", ["M1 60"]);
const late = storyFile("b", ["M1 10 key=late", "M1 90"]);

describe("an event that took place before the last one on its timeline", () => {
  test("moves to the earliest permitted time where the mapping says so, and keeps its own in an attribute", async () => {
    open({ settings: { late: { refuse: false, attribute: "Original Time", isPublic: false } } });
    await world.import([first]);
    const summary = await world.import([late]);
    expect(summary.exitCode).toBe(0);
    const events = world.documents()[0]?.events ?? [];
    const minutes = events.map(({ at }) => (at - Date.parse("2026-01-01T00:00:00Z")) / 60_000);
    expect(minutes).toEqual([60, 60, 90]);
    expect(events[1]?.body["metadata"]).toEqual({
      attributes: [{ name: "Original Time", value: "2026-01-01T00:10:00.000Z", isPublic: false }],
    });
    const again = await world.import([late]);
    expect([again.requests.sent, again.rows.known]).toEqual([0, 2]);
  });
});
