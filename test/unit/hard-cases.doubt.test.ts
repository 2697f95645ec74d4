/** Doubt that the service will not settle: it is asked twice, then a person says what is true (HARD-CASES H1, H5; P4). */
import { problemSections } from "../../src/cli/render/problems.js";
import { lines, plain } from "../../src/cli/render/text.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { overviewOf, type Targets } from "../../src/console/overview.js";
import { documentDeduplicationId } from "../../src/model/keys.js";
import { checkDoubt } from "../../src/desk/decide.js";
import { resolveNamed, settleNamed } from "../support/decide.js";
import { rebuildLedger } from "../../src/desk/restore.js";
import type { FaultAction } from "../../src/sandbox/index.js";
import {
  answered,
  at,
  begun,
  deduplicationIdOf,
  documentState,
  faults,
  file,
  imported,
  lost,
  minutes,
  notThere,
  on,
  open,
  replace,
  resumed,
  retryAll,
  states,
  throughout,
  world,
} from "../nights/simulation/hard-case.js";
import type { WorldOptions } from "../nights/simulation/world.js";
import { folder } from "../support/cli.world.js";

const refused: FaultAction = answered(400);

const say = (name: string, word: "landed" | "not-landed", journal: string | null = null) =>
  settleNamed(world.target, name, checkDoubt(world.target, name, word), word, {
    clock: world.clock,
    waitForLock: false,
    journal,
  });

const documentKey = (key: string) =>
  documentDeduplicationId({ namespace: "story", kind: "manifest", key, generation: 1 });

/** M1 with an event at minute 1; then these rows land, or what is at 10 and 20, and their answers are lost for a whole run. */
async function loseAnswers(rows: Parameters<typeof imported> = at(10, 20), options: WorldOptions = {}) {
  await begun({ sandbox: { checks: "order-first" }, ...options });
  throughout(lost);
  expect((await imported(...rows)).exitCode).toBe(4);
  faults();
}

/** M1's event at minute 10 was never carried out, but nobody can know; then it is refused until `faults()`. */
async function refuseInDoubt(action = refused, options: WorldOptions = {}) {
  await begun(options);
  throughout(notThere);
  await imported(...at(10));
  faults({ nth: 1, times: 9, action });
  expect(await resumed()).toBe(4);
  expect(await resumed()).toBe(3);
}

describe("what a service that answers everything else leaves open in the same way twice", () => {
  const down = (status: number, ...paths: string[]) =>
    world.setFaults(paths.map((path) => ({ match: { path }, nth: 1, times: 99, action: answered(status) })));

  test.each([500, 502])("needs a person, says what came, and is not asked about again (%s)", async (status) => {
    await begun();
    down(status, "/documents/events");
    expect((await imported(...at(10, 20))).exitCode).toBe(4);
    const summary = await world.resume();
    expect([summary.exitCode, ...states().slice(1)]).toEqual([
      3,
      "stalled: doubt-unsettled",
      "stalled: doubt-unsettled",
    ]);
    const problem = summary.problems.find(({ code }) => code === "doubt-unsettled");
    expect(problem?.example).toContain(String(status));
    expect(problem?.remedy).toContain("rowferry resolve manifest/M1 --landed --target simulated");
    const again = await world.resume();
    expect([again.requests.sent, again.exitCode]).toEqual([0, 3]);
    faults();
    await say("manifest/M1", "not-landed");
    expect([await resumed(), minutes()]).toEqual([0, [1, 10, 20]]);
  });

  test("of a creation needs a person, after it was tried without its events", async () => {
    await begun();
    down(500, "/documents/events", "/documents");
    expect((await imported(...on("M2", 10, 20))).exitCode).toBe(4);
    expect(await resumed()).toBe(4);
    const summary = await world.resume();
    expect([summary.exitCode, documentState("M2")]).toEqual([3, "stalled"]);
    expect(summary.problems.map(({ remedy }) => remedy ?? "").join()).toContain("--not-landed");
    const again = await world.resume();
    expect([again.requests.sent, again.exitCode]).toEqual([0, 3]);
    faults();
    await say("manifest/M2", "not-landed");
    expect([await resumed(), minutes("M2")]).toEqual([0, [10, 20]]);
  });

  test("of a creation with an event that it cannot take leaves only its events open", async () => {
    await begun();
    down(500, "/documents/events");
    await imported(...on("M2", 10, 20));
    expect(await resumed()).toBe(3);
    expect(world.sandbox.store.documentsByExternalId("M2")).toHaveLength(1);
    faults();
    await say("manifest/M2", "not-landed");
    expect([await resumed(), minutes("M2")]).toEqual([0, [10, 20]]);
  });

  test("waits for the next run where the service answers nothing, or answers differently", async () => {
    await begun();
    down(500, "/documents/events");
    await imported(...at(10));
    down(503, "/documents/events");
    expect([await resumed(), states()[1]]).toEqual([4, "stalled: service-unanswered"]);
    down(503, "/documents/events", "/documents/{id}");
    expect([await resumed(), states()[1]]).toEqual([4, "stalled: service-unanswered"]);
    faults();
    expect([await resumed(), minutes()]).toEqual([0, [1, 10]]);
  });
});

describe("what was refused once more", () => {
  test("needs a person, says what to look at and what to type, and is not asked about again", long, async () => {
    await loseAnswers();
    await imported("M1 40");
    const summary = await world.resume();
    expect(summary.exitCode).toBe(3);
    expect(states().slice(1)).toEqual([
      "stalled: doubt-unsettled",
      "stalled: refused-in-doubt",
      "held: behind-unsettled",
    ]);
    expect(summary.open.events).toEqual({ unsettled: 2, held: 1 });
    const problem = summary.problems.find(({ code }) => code === "doubt-unsettled");
    expect(problem?.count).toBe(2);
    const { target } = world;
    const targets: Targets = { names: () => [target.name], named: () => target, get: () => target, flags: () => [] };
    const [cause] = overviewOf(target.name, targets, target.stateFolder, world.clock.now()).decide;
    expect(cause?.count, "as on the terminal").toBe(2);
    expect(cause?.what, "the page has buttons for it").not.toContain("rowferry");
    expect(problem?.remedy).toContain("rowferry resolve manifest/M1 --landed --target simulated");
    expect(summary.problems.map(({ code }) => code)).toEqual(["doubt-unsettled"]);
    // However long the service's words and the ledger's path are, the command is whole.
    const [long] = summary.problems.map((one) => ({
      ...one,
      example: "words ".repeat(80),
      remedy: `${one.remedy} END`,
    }));
    expect(lines(plain(problemSections(long === undefined ? [] : [long])))).toContain("END");
    const again = await world.resume();
    expect([again.requests.sent, again.exitCode]).toEqual([0, 3]);
  });

  test(
    "is said of all its rows when their file comes again, and one word about their document ends it",
    long,
    async () => {
      const rows = [...at(10, 20, 30), "M1 40 CLOSE"] as const;
      await loseAnswers([...rows]);
      await world.resume();
      const { outcomes, problems } = await imported(...rows);
      expect([outcomes, problems]).toMatchObject([{ toDecide: 4, toSend: 0 }, [{ count: 4 }]]);
      await say("manifest/M1", "landed");
      expect([await resumed(), minutes()]).toEqual([0, [1, 10, 20, 30, 40]]);
    },
  );

  test("of a CANCEL is named by its key: the document's name is the next generation's", long, async () => {
    await begun();
    await replace("M1");
    throughout(notThere);
    await resumed();
    faults({ nth: 1, times: 9, action: refused });
    expect([await resumed(), await resumed()]).toEqual([4, 3]);
    const [problem] = (await world.resume()).problems;
    const [, name = ""] = /rowferry resolve (\S+) --not-landed/.exec(problem?.remedy ?? "") ?? [];
    faults();
    await say(name, "not-landed");
    expect([await resumed(), minutes()]).toEqual([0, [1, expect.any(Number), 1]]);
  });

  test("of one document keeps nothing of another from going on by the same command", long, async () => {
    await loseAnswers();
    await world.resume();
    await imported("M2 1");
    throughout(answered(503));
    expect((await imported("M2 5")).exitCode).toBe(4);
    faults();
    expect(await resumed()).toBe(3);
    expect(minutes("M2")).toEqual([1, 5]);
  });

  test("is asked about once more by `retry`, and with a corrected row under the same key (H9)", long, async () => {
    await refuseInDoubt();
    retryAll();
    expect((await world.resume()).requests.sent).toBe(1);
    expect(states()[1]).toBe("stalled: doubt-unsettled");
    faults();
    const summary = await imported("M1 10 weight=7");
    expect([summary.exitCode, states()[1]]).toEqual([0, "landed"]);
    expect(minutes()).toEqual([1, 10]);
  });
});

describe("a person's word", () => {
  test(
    "that events have landed releases what waits behind them; who said so and when stands in `show`",
    long,
    async () => {
      await loseAnswers();
      await world.resume();
      expect(await say("M1", "landed")).toEqual({ landed: 2, changed: 0, notLanded: 0 });
      const summary = await imported("M1 30");
      expect([summary.exitCode, summary.requests.sent]).toEqual([0, 1]);
      expect(states().slice(1)).toEqual(["landed-without-id: resolved", "landed-without-id: resolved", "landed"]);
      expect(minutes()).toEqual([1, 10, 20, 30]);
      const [document] = (await world.show("M1")).documents;
      const said = document?.events.map(({ decisions }) => decisions.map(({ by, said: word }) => `${by}: ${word}`));
      expect(said).toEqual([[], ["anna: landed"], ["anna: landed"], []]);
      expect(document?.events[1]?.decisions[0]?.at).toMatch(/^20\d\d-/);
    },
  );

  test("may be about one event by its key, or a row; the rest is asked about by the next run", long, async () => {
    await loseAnswers();
    await world.resume();
    const [row] = (await world.show("M1")).documents[0]?.events[1]?.rows ?? [];
    await say((row ?? "").replace(", row ", ":"), "landed");
    expect(states().slice(1)).toEqual(["landed-without-id: resolved", "stalled: refused-in-doubt"]);
    expect(await resumed()).toBe(0);
    expect(states()[2]).toBe("landed-without-id: duplicate-of-own-attempt");
  });

  test("that an event has not landed sends it, and no other", long, async () => {
    await refuseInDoubt();
    faults();
    await say(deduplicationIdOf("M1", 10), "not-landed");
    expect(states()[1]).toBe("planned");
    expect(await resumed()).toBe(0);
    expect(minutes()).toEqual([1, 10]);
  });

  test(
    "is believed of a wrong row too, which goes alone then: a refusal without words would leave it in doubt for ever",
    long,
    async () => {
      await begun({ sandbox: { terseErrors: true } });
      await imported("M1 10 bad", ...at(20, 30));
      expect(states()[1]).toBe("stalled: refused-in-doubt");
      expect(await resumed()).toBe(3);
      expect(states()[1]).toBe("stalled: doubt-unsettled");
      await say("M1", "not-landed");
      await world.resume();
      expect(states().slice(1)).toEqual([
        "rejected: service-refused",
        "held: behind-rejected",
        "held: behind-rejected",
      ]);
      expect(minutes()).toEqual([1]);
    },
  );

  test("is believed where a conflict without words, which may be a duplicate, refuses it again", long, async () => {
    await refuseInDoubt(answered(409), { sandbox: { terseErrors: true } });
    await say("M1", "not-landed");
    await world.resume();
    expect(states()[1]).toBe("rejected: service-refused");
  });

  test("that was wrong doubles nothing: the duplicate answer is still about our own attempt (P5)", long, async () => {
    await begun();
    throughout(lost);
    await imported(...at(10));
    faults();
    await say("manifest/M1", "not-landed");
    expect(await resumed()).toBe(0);
    expect(states()[1]).toBe("landed-without-id: duplicate-of-own-attempt");
    expect(minutes()).toEqual([1, 10]);
  });

  test("is taken right after a kill, before any run has found what was on the wire", long, async () => {
    await begun();
    await world.run([file("M1 10")], { killAt: { request: 1, when: "after" } });
    expect(await say("M1", "landed")).toMatchObject({ landed: 1 });
    expect(states()[1]).toBe("landed-without-id: resolved");
    await world.run([file("M2 10")], { killAt: { request: 1, when: "before" } });
    expect(await say("M2", "not-landed")).toMatchObject({ notLanded: 1 });
    expect([documentState("M2"), await resumed(), minutes("M2")]).toEqual(["planned", 0, [10]]);
  });

  test("about a CLOSE closes the document", long, async () => {
    await loseAnswers(["M1 10 CLOSE key=once"]);
    await world.resume();
    await say("M1", "landed");
    expect(documentState()).toBe("closed");
    const summary = await imported("M1 20");
    expect([summary.requests.sent, states()[2]]).toEqual([0, "rejected: after-close"]);
  });

  test("about an event whose row was corrected meanwhile says that the earlier content landed", async () => {
    await loseAnswers(["M1 10 weight=5", ...at(20)]);
    await imported("M1 10 weight=6");
    expect(await say("M1", "landed")).toMatchObject({ landed: 1, changed: 1 });
    expect(states().slice(1)).toEqual(["changed: changed", "landed-without-id: resolved"]);
  });

  test("is settled anew on a document whose earlier doubt a person has settled, and is told as done only then", async () => {
    await loseAnswers();
    await world.resume();
    expect(await say("M1", "landed")).toMatchObject({ landed: 2 });
    const again = () => checkDoubt(world.target, "M1", "landed");
    expect(again).toThrow(expect.objectContaining({ code: "already-done" }));
    expect(() => checkDoubt(world.target, "M1", "not-landed")).toThrow(
      expect.objectContaining({ code: "not-in-doubt" }),
    );
    throughout(lost);
    await imported(...at(30, 40));
    faults();
    await world.resume();
    expect(await say("M1", "landed")).toMatchObject({ landed: 2 });
    expect(again).toThrow(expect.objectContaining({ code: "already-done" }));
  });

  test("is not taken for what is not in doubt, unknown, or stranded by evidence", long, async () => {
    await begun();
    faults({ nth: 1, action: lost });
    await imported("M2 5");
    expect(documentState("M2")).toBe("stranded");
    for (const [name, word, code] of [
      ["M1", "landed", "not-in-doubt"],
      ["M9", "landed", "document-unknown"],
      ["M2", "landed", "not-in-doubt"],
      ["M2", "not-landed", "not-in-doubt"],
    ] as const)
      expect(() => checkDoubt(world.target, name, word)).toThrow(expect.objectContaining({ code }));
  });

  test("survives the loss of the ledger's disk by way of the journal", long, async () => {
    const journal = join(folder(), "journal.ndjson");
    await loseAnswers(at(10, 20), { journal });
    await world.resume();
    await say("M1", "landed", journal);
    expect(readFileSync(journal, "utf8")).toContain('"by":"anna"');
    world.loseLedger();
    await rebuildLedger(world.target, { journal, backup: null }, world.clock);
    expect(states().slice(1)).toEqual(["landed-without-id: resolved", "landed-without-id: resolved"]);
    const [document] = (await world.show("M1")).documents;
    expect(document?.events.at(-1)?.decisions).toMatchObject([{ by: "anna", said: "landed" }]);
  });
});

describe("a document in doubt", () => {
  /** Its creation was never carried out; then every request is refused. */
  async function refuseCreation() {
    open();
    throughout(notThere);
    await imported(...at(10, 20));
    world.setFaults([
      { match: { path: "/documents/events" }, action: refused },
      { match: { path: "/documents" }, action: refused },
    ]);
    expect(await resumed()).toBe(4);
    const summary = await world.resume();
    expect(summary.exitCode).toBe(3);
    expect(summary.open.documents).toEqual({ unsettled: 1 });
    expect(new Set(summary.problems.map(({ code }) => code))).toEqual(new Set(["doubt-unsettled"]));
    expect(summary.problems.map(({ remedy }) => remedy).join("\n")).toContain(
      `rowferry resolve ${documentKey("M1")} --document-id <id> --target simulated`,
    );
    expect((await world.resume()).requests.sent).toBe(0);
    world.setFaults([]);
  }

  test("that is not there, as a person says, is created with its events", long, async () => {
    await refuseCreation();
    await say(documentKey("M1"), "not-landed");
    expect(await resumed()).toBe(0);
    expect(minutes()).toEqual([10, 20]);
  });

  test("that is there gets its id", long, async () => {
    await refuseCreation();
    const document = { ...checkDoubt(world.target, "M1", "not-landed").document };
    const check = { document, documentId: "doc-elsewhere", findings: [], body: null };
    resolveNamed(world.target, check, world.clock, { by: "anna" });
    expect(documentState()).toBe("open");
    const [shown] = (await world.show("M1")).documents;
    expect(shown?.decisions).toMatchObject([{ by: "anna", said: "document-id" }]);
  });
});
