/** Times as a person types them. What could mean two things is refused: a guess would prune, or compare, something else. */
import { duration, moment } from "../../src/cli/flags.js";

describe("a moment as typed", () => {
  const now = new Date(2026, 10, 20, 12, 0).getTime();
  it.each([
    ["02:13", new Date(2026, 10, 20, 2, 13).getTime()],
    ["90m", now - 90 * 60_000],
    ["2026-11-01", new Date(2026, 10, 1).getTime()],
  ])("%s", (text, wanted) => {
    expect(moment(text, now)).toBe(wanted);
  });

  it.each(["7", "03/04/2026", "March 4", "2026-02-31", ""])(
    "is not %j, which JavaScript would read as some time",
    (text) => {
      expect(moment(text, now)).toBeNull();
    },
  );
});

describe("a period as typed", () => {
  it.each([
    ["90s", 90_000],
    ["90d", 90 * 86_400_000],
  ])("%s", (text, wanted) => {
    expect(duration(text)).toBe(wanted);
  });

  it.each(["180", "0", "d", "-90d"])("is not %j: the unit is never a guess", (text) => {
    expect(() => duration(text)).toThrow("It must be a time such as 90s, 30m, 2h, 90d or 26w.");
  });
});
