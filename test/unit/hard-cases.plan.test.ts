/** HARD-CASES of order and waiting: what goes, what waits for whom, and what can never go. */
import { documentRow, eventRow, invalidRow } from "../nights/simulation/story-rows.js";
import { TONIGHT } from "../nights/simulation/story.js";
import {
  answered,
  fileOf,
  giveUp,
  imported,
  notThere,
  on,
  open,
  refusals,
  related,
  resumed,
  standing,
  throughout,
  timeline,
  world,
} from "../nights/simulation/hard-case.js";
import { sampled } from "../support/sample.js";

describe("H11: after CLOSE only RELATED and CANCEL; after CANCEL nothing", () => {
  test("within one file, whatever the order of its rows", long, async () => {
    open();
    const close = "M1 20 CLOSE";
    const cancel = "M1 40 CANCEL reason=wrong";
    await imported(cancel, ...on("M1", 50, 30, 10), close, ...on("M2", 5), related("M1", 35, "M2"));
    expect(timeline("M1")).toEqual(["10 Weighing sent", "20 CLOSE sent", "35 RELATED sent", "40 CANCEL sent"]);
    expect(standing().slice(0, 6)).toEqual([
      "M1 10 landed",
      "M1 20 landed",
      "M1 30 rejected after-close",
      "M1 35 landed",
      "M1 40 landed",
      "M1 50 rejected after-cancel",
    ]);
    expect(refusals()).toBe(0);
  });

  test("across runs, and a back-reference to a cancelled document is not sent", long, async () => {
    open();
    await imported(...on("M1", 10), "M1 20 CANCEL reason=wrong");
    await imported(...on("M1", 30), ...on("M2", 5), related("M2", 30, "M1"), related("M3", 30, "M1", false));
    expect(standing().slice(2)).toEqual([
      "M1 30 rejected after-cancel",
      "M2 5 landed",
      "M2 30 held related-cancelled",
      "M3 30 landed",
    ]);
    expect(refusals()).toBe(0);
  });

  test("what was to follow a CLOSE that the service refuses is not lost", long, async () => {
    open();
    await imported(...on("M1", 10), "M1 20 CLOSE bad", ...on("M1", 30));
    expect(standing()).toEqual(["M1 10 landed", "M1 20 rejected service-refused", "M1 30 held behind-rejected"]);
    giveUp();
    await world.resume();
    expect(timeline("M1")).toEqual(["10 Weighing sent", "30 Weighing sent"]);
  });

  test(
    "what was refused without doubt is not sent after a CLOSE with an earlier time that came meanwhile",
    long,
    async () => {
      open();
      await imported(...on("M1", 10));
      throughout(answered(429));
      await imported(...on("M1", 30));
      expect(standing()).toEqual(["M1 10 landed", "M1 30 stalled service-unanswered"]);
      world.setFaults([]);
      const summary = await imported("M1 20 CLOSE");
      expect(standing()).toEqual(["M1 10 landed", "M1 20 landed", "M1 30 rejected after-close"]);
      expect([summary.exitCode, refusals()]).toEqual([3, 6]);
    },
  );

  const cutOff = (when: "before" | "after") =>
    world.setFaults([{ match: { path: "/documents/events" }, times: 6, action: { kind: "drop", when } }]);
  const close = "M1 20 CLOSE";
  const cancel = "M1 20 CANCEL reason=wrong";

  test.each(
    sampled(
      [
        ["a CLOSE that creates the document", "after-close", [close], []],
        ["a CANCEL behind the rows that create the document", "after-cancel", [...on("M1", 5, 10), cancel], []],
        ["a CANCEL on a document that is there", "after-cancel", [...on("M1", 15), cancel], on("M1", 10)],
      ],
      2,
    ),
  )("doubt ends with %s, of an earlier time: what it shuts out had not landed", async (_, reason, rows, before) => {
    open({ maxEventsPerRequest: 2 });
    if (before.length > 0) await imported(...before);
    cutOff("before");
    await imported(...on("M1", 30));
    expect(standing().at(-1)).toBe("M1 30 stalled service-unanswered");
    world.setFaults([]);
    const summary = await imported(...rows);
    expect(standing().at(-1)).toBe(`M1 30 rejected ${reason}`);
    expect([summary.exitCode, refusals()]).toEqual([3, 0]);
    expect(timeline("M1")).toHaveLength(before.length + rows.length);
  });

  test.each(
    sampled(
      [
        ["than its row has now", []],
        ["though its row came back with the first of two contents that were sent", ["M1 30 key=a"]],
      ],
      2,
    ),
  )("doubt about other content does not end with a CLOSE before it: %s", async (_, earlier) => {
    open();
    await imported(...on("M1", 10));
    cutOff("before");
    if (earlier.length > 0) await imported(...earlier);
    cutOff("after");
    await imported("M1 15 key=a");
    world.setFaults([]);
    await imported(close, "M1 30 key=a");
    expect(timeline("M1")).toEqual(["10 Weighing sent", "15 Weighing sent", "20 CLOSE sent"]);
    expect(standing().at(-1)).toBe("M1 30 changed changed");
  });

  test("a CLOSE that the service refuses as late ends no doubt", long, async () => {
    open();
    await imported(...on("M1", 10));
    cutOff("after");
    await imported(...on("M1", 30));
    world.setFaults([]);
    await imported(close);
    expect(timeline("M1")).toEqual(["10 Weighing sent", "30 Weighing sent"]);
    expect(standing().at(-1)).toBe("M1 30 stalled service-unanswered");
    giveUp();
    await world.resume();
    expect(standing().at(-1)).toBe("M1 30 landed-without-id duplicate-of-own-attempt");
  });
});

/** Files that come one after the other, and what stands where after each. */
type Nights = [rows: Parameters<typeof imported>, standing: string[], exit: number][];
async function expectNights(nights: Nights) {
  open();
  for (const [rows, there, exit] of nights) {
    const { exitCode } = await imported(...rows);
    expect([standing(), exitCode]).toEqual([there, exit]);
  }
}

describe("H12: only what could still be sent in place holds", () => {
  test.each<[string, ...Nights]>([
    [
      "a late row is reported and holds nothing",
      [["M1 20"], ["M1 20 landed"], 0],
      [["M1 10", "M1 30"], ["M1 10 rejected late", "M1 20 landed", "M1 30 landed"], 3],
    ],
    [
      "an invalid row that the timeline has passed holds nothing",
      [["M1 20"], ["M1 20 landed"], 0],
      [["M1 10 invalid", "M1 30"], ["M1 20 landed", "M1 30 landed"], 3],
    ],
    [
      "a changed row holds nothing",
      [["M1 10 weight=1"], ["M1 10 landed"], 0],
      [["M1 10 weight=2", "M1 20"], ["M1 10 changed changed", "M1 20 landed"], 3],
    ],
  ])("%s", async (_, ...nights) => expectNights(nights));
});

describe("H13: what holds, and for whom", () => {
  test.each<[string, ...Nights]>([
    [
      "a refused event, until it is corrected in place",
      [["M1 10 bad", "M1 20"], ["M1 10 rejected service-refused", "M1 20 held behind-rejected"], 3],
      [["M1 10"], ["M1 10 landed", "M1 20 landed"], 0],
    ],
    [
      "a reference to a key that nobody knows; the row that declares it ends the hold",
      [[related("M1", 10, "M2"), "M1 20"], ["M1 10 held reference-unknown", "M1 20 held behind-held"], 3],
      [["M2 5"], ["M1 10 landed", "M1 20 landed", "M2 5 landed"], 0],
    ],
    [
      "a relation waits for an earlier invalid row, or refused event, of the other document",
      [
        ["M2 10 invalid", "M2 5", related("M1", 20, "M2"), "M3 10 bad", related("M4", 20, "M3"), "M4 5"],
        [
          "M1 20 held behind-linked",
          "M2 5 landed",
          "M3 10 rejected service-refused",
          "M4 5 landed",
          "M4 20 held behind-linked",
        ],
        3,
      ],
    ],
  ])("%s", long, async (_, ...nights) => expectNights(nights));

  test("an invalid row whose time cannot be read holds all of its document; dismissed, nothing", long, async () => {
    await expectNights([[["M1 ? invalid", "M1 10"], ["M1 10 held behind-invalid-row"], 3]]);
    giveUp();
    expect(await resumed()).toBe(0);
  });

  test("a document that the service refuses", long, async () => {
    open({ sandbox: { uniqueExternalId: true } });
    await imported(...on("M1", 10));
    world.target.ledgerPath += "-other";
    world.setFaults([
      { match: { path: "/documents" }, action: answered(400) },
      { match: { path: "/documents/events" }, action: answered(400) },
    ]);
    await imported(...on("M9", 10, 20));
    expect(standing()).toEqual(["M9 10 held document-rejected", "M9 20 held document-rejected"]);
  });

  test("a refused participant", long, async () => {
    open();
    world.setFaults([{ match: { path: "/participants", method: "POST" }, action: answered(400) }]);
    await imported(...on("M1", 10));
    expect(standing()).toEqual(["M1 10 held behind-rejected"]);
  });
});

test("H13, H18: a relation that stands open holds what is later on the other document", long, async () => {
  open();
  await imported(...on("A", 1), ...on("B", 1));
  throughout(notThere);
  await imported(related("A", 20, "B"), ...on("B", 30));
  expect(standing()).toEqual([
    "A 1 landed",
    "A 20 stalled service-unanswered",
    "B 1 landed",
    "B 30 held behind-linked",
  ]);
  await world.resume();
  expect(timeline("B")).toEqual(["1 Weighing sent", "20 RELATED mirror", "30 Weighing sent"]);
});

describe("H14, H15: invalid rows", () => {
  test("H14: one whose document cannot be told holds nothing by default", long, async () => {
    open();
    const summary = await world.import([fileOf([invalidRow(2, []), "M1 10"])]);
    expect([standing(), summary.exitCode]).toEqual([["M1 10 landed"], 3]);
  });

  test("H14: with `unplacedRows: hold` it holds what is later in its input, until it is dismissed", long, async () => {
    open({ settings: { unplacedRows: "hold" } });
    const rows = ["M1 10", invalidRow(3, []), "M2 10"];
    await world.import([fileOf(rows)]);
    expect(standing()).toEqual(["M1 10 landed", "M2 10 held behind-invalid-row"]);
    expect((await imported("M3 5")).events).toEqual({ landed: 1 });
    giveUp();
    expect(await resumed()).toBe(0);
  });

  test("H15: one whose event has landed holds nothing", long, async () => {
    open();
    await imported("M1 10 key=k");
    await world.import([fileOf([invalidRow(2, [{ key: "M1", event: "weighing", keyParts: ["k"] }]), "M1 20"])]);
    expect(standing()).toEqual(["M1 10 landed", "M1 20 landed"]);
  });
});
describe("H20, H28: the future, and documents without events", () => {
  test("H20: what waits only for the future, in however many steps, needs nobody tonight", long, async () => {
    open();
    const later = TONIGHT + 5000;
    await imported(
      ...on("M1", later),
      ...on("M2", 10, 30),
      related("M2", 20, "M1", false),
      ...on("M3", 10),
      related("M3", 40, "M2"),
      ...on("M3", 50),
    );
    const tonight = await world.resume();
    expect([tonight.open.events, tonight.exitCode]).toEqual([{ deferred: 1, waiting: 4 }, 0]);
    expect(standing()).toContain("M2 20 held related-not-created");
    // What waits for something else as well is told as ever.
    const summary = await imported(related("M4", 10, "nobody's"));
    expect([summary.open.events, summary.exitCode]).toEqual([{ deferred: 1, held: 1, waiting: 4 }, 3]);
    await world.clock.advance(later * 60_000);
    expect((await world.resume()).open.events).toEqual({ held: 1 });
  });

  test("H20: nothing later is sent before a deferred event", long, async () => {
    open();
    const summary = await imported(...on("M1", 10, TONIGHT + 10, TONIGHT + 20));
    expect(standing()).toEqual([
      "M1 10 landed",
      `M1 ${TONIGHT + 10} deferred not-yet-past`,
      `M1 ${TONIGHT + 20} deferred not-yet-past`,
    ]);
    expect(summary.exitCode).toBe(0);
    await world.clock.advance(3_600_000);
    await world.resume();
    expect(timeline("M1")).toHaveLength(3);
  });

  test(
    "H28: a document without a due event is created with its first one, unless the mapping says createEmpty",
    long,
    async () => {
      open();
      const { outcomes } = await world.import([
        fileOf([
          documentRow({ row: 2, document: "M1" }),
          documentRow({ row: 3, document: "M2", createEmpty: true }),
          eventRow({ row: 4, document: "M3", minute: TONIGHT + 10 }),
        ]),
      ]);
      expect(outcomes).toMatchObject({ landed: 1, later: 1, eventless: 1 });
      expect(world.documents().map(({ externalId }) => externalId)).toEqual(["M2"]);
      await world.clock.advance(3_600_000);
      expect(await resumed()).toBe(0);
      expect(world.documents().map(({ externalId }) => externalId)).toEqual(["M2", "M3"]);
    },
  );
});
