/** A row that comes late while a link to its document is in doubt: a limit, and the way out of it (HARD-CASES H1, H13, H18). */
import { checkDoubt } from "../../src/desk/decide.js";
import { settleNamed } from "../support/decide.js";
import type { FaultAction } from "../../src/sandbox/index.js";
import {
  at,
  faults,
  giveUp,
  imported,
  lost,
  minutes,
  notThere,
  open,
  resumed,
  states,
  throughout,
  world,
} from "../nights/simulation/hard-case.js";

describe("a row that comes late behind a link in doubt", () => {
  const link = { document: "A", minute: 20, name: "RELATED", related: { document: "M1", bidirectional: true } };

  /** A's link to M1 has landed, or never arrived: no answer comes for a whole run. */
  async function loseLink(linkTime: "event" | "server", action: FaultAction = lost) {
    open({ sandbox: { linkTime }, settings: { linkTime } });
    await imported(...at(1), "A 2");
    throughout(action);
    expect((await imported(link)).exitCode).toBe(4);
    faults();
  }

  test.each([
    ["event", 10],
    ["server", 30],
  ] as const)(
    "goes first (linkTime %s), and came in time where the link is not there",
    long,
    async (linkTime, minute) => {
      await loseLink(linkTime, notThere);
      expect((await imported(...at(minute))).exitCode).toBe(0);
      expect(states()).toEqual(["landed", "landed", "landed", "landed"]);
      expect(minutes()).toEqual([1, minute]);
    },
  );

  test.each([
    ["event", 10],
    ["server", 30],
  ] as const)(
    "is refused by the service (linkTime %s) where the link is there; dismissed, it lets the link be asked about",
    long,
    async (linkTime, minute) => {
      await loseLink(linkTime);
      expect((await imported(...at(minute))).exitCode).toBe(3);
      expect(states().toSorted()).toEqual([
        "landed",
        "landed",
        "rejected: service-refused",
        "stalled: service-unanswered",
      ]);
      giveUp();
      expect(await resumed()).toBe(0);
      expect(states()).toContain("landed-without-id: duplicate-of-own-attempt");
      expect(minutes("A")).toEqual([2, 20]);
    },
  );

  test("and is in doubt itself keeps the link waiting for a person's word", async () => {
    await loseLink("event");
    faults({ nth: 1, action: lost });
    expect((await imported(...at(10))).exitCode).toBe(4);
    faults();
    expect(await resumed()).toBe(3);
    expect(states().slice(2)).toEqual(["stalled: doubt-unsettled", "stalled: service-unanswered"]);
    expect((await world.resume()).requests.sent).toBe(0);
    const doubt = checkDoubt(world.target, "M1", "not-landed");
    await settleNamed(world.target, "M1", doubt, "not-landed", { clock: world.clock, waitForLock: false });
    expect(await resumed()).toBe(3);
    giveUp();
    expect(await resumed()).toBe(0);
    expect(states().slice(2)).toEqual(["rejected: service-refused", "landed-without-id: duplicate-of-own-attempt"]);
  });
});
