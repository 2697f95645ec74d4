/** HARD-CASES of linked documents: one order for all, no circles, and what one event writes on other timelines. */
import {
  faults,
  giveUp,
  imported,
  lost,
  on,
  open,
  refusals,
  related,
  resolveFound,
  resumed,
  standing,
  timeline,
} from "../nights/simulation/hard-case.js";

describe("H16, H17: linked documents", () => {
  test("H16: equal times on both sides follow one total order", async () => {
    open();
    const summary = await imported(...on("A", 10), ...on("B", 10), related("A", 10, "B"), related("B", 10, "A"));
    expect([summary.exitCode, refusals()]).toEqual([0, 0]);
    expect(timeline("A").map((event) => event.replace("10 ", ""))).toEqual([
      "Weighing sent",
      "RELATED sent",
      "RELATED mirror",
    ]);
    expect(timeline("B").map((event) => event.replace("10 ", ""))).toEqual([
      "Weighing sent",
      "RELATED mirror",
      "RELATED sent",
    ]);
  });

  test("H17: a batch that would close a circle is cut", long, async () => {
    open();
    const rows = [...on("A", 5), related("A", 10, "B"), ...on("B", 6), "B 20", related("A", 30, "B"), ...on("B", 40)];
    const summary = await imported(...rows);
    expect([summary.exitCode, refusals()]).toEqual([0, 0]);
    expect(timeline("B")).toEqual([
      "6 Weighing sent",
      "10 RELATED mirror",
      "20 Weighing sent",
      "30 RELATED mirror",
      "40 Weighing sent",
    ]);
  });
});

describe("H18: what one event writes on other timelines", () => {
  test("linkTime event: a back-reference stands at its event's own time", long, async () => {
    open();
    const summary = await imported(...on("B", 5, 30), ...on("A", 1), related("A", 20, "B"));
    expect([summary.exitCode, refusals()]).toEqual([0, 0]);
    expect(timeline("B")).toEqual(["5 Weighing sent", "20 RELATED mirror", "30 Weighing sent"]);
  });

  test(
    "linkTime server: the other document's pending events go first, and what comes later is late",
    long,
    async () => {
      open({ sandbox: { linkTime: "server" }, settings: { linkTime: "server" } });
      await imported(...on("B", 5, 30), ...on("A", 1), related("A", 20, "B"));
      expect(timeline("B").map((event) => event.split(" ").slice(-2).join(" "))).toEqual([
        "Weighing sent",
        "Weighing sent",
        "RELATED mirror",
      ]);
      await imported(...on("B", 40));
      expect(standing().at(-1)).toBe("B 40 rejected late");
      expect(refusals()).toBe(0);
    },
  );

  test(
    "linkTime server: what a lost answer left to be confirmed by a duplicate took place since it was first sent",
    long,
    async () => {
      open({ sandbox: { linkTime: "server" }, settings: { linkTime: "server" } });
      await imported(...on("B", 5), ...on("A", 1));
      faults({ nth: 1, action: lost });
      await imported(related("A", 20, "B"), "A 30 target=T");
      resolveFound("T");
      await imported(...on("B", 40), "T 50 onTarget");
      expect(standing().filter((state) => !state.startsWith("A "))).toEqual([
        "B 5 landed",
        "B 40 rejected late",
        "T 50 rejected late",
      ]);
    },
  );

  test("a propagated event meets every related document, and moves it on", long, async () => {
    open();
    const propagated = "A 30 propagate";
    await imported(...on("B", 5, 20, 40), ...on("A", 1), related("A", 10, "B"), propagated);
    expect(timeline("B")).toEqual([
      "5 Weighing sent",
      "10 RELATED mirror",
      "20 Weighing sent",
      "30 Weighing propagated",
      "40 Weighing sent",
    ]);
    await imported("A 60 propagate");
    await imported(...on("B", 50));
    expect(standing().filter((state) => state.startsWith("B 50"))).toEqual(["B 50 rejected late"]);
    expect(refusals()).toBe(0);
  });

  test(
    "a copy along a one-way relation is met within a plan; of rows that come later only the service can tell",
    long,
    async () => {
      open();
      const propagated = "A 30 propagate";
      await imported(...on("B", 5, 20, 40), related("A", 10, "B", false), propagated);
      expect(timeline("B").slice(1)).toEqual(["20 Weighing sent", "30 Weighing propagated", "40 Weighing sent"]);
      await imported("A 60 propagate");
      await imported(...on("B", 50, 70));
      // Believed, it would refuse good rows of a service that copies the other way, or not at all (open-points 29).
      expect(standing().slice(-2)).toEqual(["B 50 rejected service-refused", "B 70 held behind-rejected"]);
      giveUp();
      expect(await resumed()).toBe(0);
      expect(timeline("B").slice(-2)).toEqual(["60 Weighing propagated", "70 Weighing sent"]);
    },
  );

  test.each([true, false])(
    "a copy to what the document has made is met within a plan, where the service makes one: %s",
    long,
    async (propagateToTargets) => {
      open({ sandbox: { propagateToTargets } });
      const onTarget = (minute: number) => ({ document: "T", minute, key: String(minute), onTarget: true });
      await imported("A 10 target=T");
      const propagated = [40, 60].map((minute) => ({ document: "A", minute, propagate: true }));
      // The last makes one more, and is copied to the first alone.
      await imported(...[20, 50, 70].map(onTarget), ...propagated, {
        document: "A",
        minute: 80,
        target: "U",
        propagate: true,
      });
      const copies = timeline("T").filter((event) => event.endsWith("propagated"));
      expect([copies.length, refusals()]).toEqual([propagateToTargets ? 3 : 0, 0]);
      expect(timeline("T").filter((event) => event.endsWith("sent"))).toEqual(
        [20, 50, 70].map((minute) => `${minute} Weighing sent`),
      );
      expect(standing().filter((state) => !state.endsWith("landed"))).toEqual([]);
    },
  );
});
