/** Times as a person types them for `show requests`. */
import { moment } from "../../src/cli/flags.js";

describe("a moment as typed", () => {
  const now = new Date(2026, 10, 20, 12, 0).getTime();
  it.each([
    ["02:13", new Date(2026, 10, 20, 2, 13).getTime()],
    ["23:59", new Date(2026, 10, 19, 23, 59).getTime()],
    ["90m", now - 90 * 60_000],
    ["2026-11-01", new Date(2026, 10, 1).getTime()],
    ["2026-11-01T02:13:00Z", Date.UTC(2026, 10, 1, 2, 13)],
  ])("%s", (text, wanted) => {
    expect(moment(text, now)).toBe(wanted);
  });
});
