/** What follows a document into its next generation: holds, dismissals and new keys (HARD-CASES H15, H23, H25, H26). */
import { dismiss, open, replace, world } from "../nights/simulation/hard-case.js";
import { existsSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { join, dirname } from "node:path";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import { replaceEach } from "../support/decide.js";
import { sampled } from "../support/sample.js";
import { documentRow, eventRow, invalidRow, minuteOf } from "../nights/simulation/story-rows.js";
import { lostAnswers } from "../nights/simulation/world.js";

const statesOf = async (document: string) =>
  (await world.show(document)).documents.at(-1)?.events.map(({ at, state }) => [at.slice(14, 16), state]);

it(
  "several documents that are replaced at once are all left as they were when one of them cannot be written, in the ledger and in the journal",
  long,
  async () => {
    open();
    await world.bring("a", ["M1 10", "M2 10"]);
    const journal = join(dirname(world.target.ledgerPath), "replacements.ndjson");
    const replaceBoth = (confirm: () => void) =>
      replaceEach(
        world.target,
        ["M1", "M2"],
        "wrong weight",
        { clock: world.clock, waitForLock: false, journal },
        async () => confirm(),
      );
    const asLedger = (text: string) => new Database(world.target.ledgerPath).exec(text).close();
    const stopped = replaceBoth(() =>
      asLedger(`CREATE TRIGGER disk_full BEFORE INSERT ON documents WHEN NEW.key = 'M2'
        BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`),
    );
    await expect(stopped).rejects.toThrow("the disk is full");
    const generations = async () =>
      Promise.all(["M1", "M2"].map(async (name) => (await world.show(name)).documents.length));
    expect(await generations()).toEqual([1, 1]);
    expect(existsSync(journal) ? readFileSync(journal, "utf8") : "").not.toContain("replaced");
    asLedger("DROP TRIGGER disk_full");
    await replaceBoth(() => {});
    expect(await generations()).toEqual([2, 2]);
    expect(readFileSync(journal, "utf8").match(/"entry":"replaced"/g)).toHaveLength(2);
  },
);

describe("an invalid row of a document that is replaced (H15, H26)", () => {
  const bad = (row: number, minute: number) =>
    invalidRow(row, [{ key: "M1", event: "weighing", keyParts: [String(minute)], minute }]);

  it(
    "goes on holding what is later there, until its event comes right: by its key, in another file",
    long,
    async () => {
      open();
      await world.bring("a", ["M1 10", bad(3, 15), "M1 20"]);
      await replace("M1");
      await world.resume();
      expect(await statesOf("M1")).toEqual([
        ["10", "landed"],
        ["20", "held"],
      ]);
      const right = await world.bring("b", ["M1 15"]);
      expect([right.exitCode, right.open.rows]).toEqual([0, 0]);
      expect((await statesOf("M1"))?.map(([, state]) => state)).toEqual(["landed", "landed", "landed"]);
    },
  );

  it("keeps its place among the events of its instant", async () => {
    open();
    const broken = invalidRow(4, [{ key: "M1", event: "weighing", keyParts: ["b"], minute: 10 }]);
    const last = invalidRow(6, [{ key: "M1", event: "weighing", keyParts: ["d"], minute: 10 }]);
    await world.bring("a", ["M1 5", "M1 10 key=a", broken, "M1 10 key=c", last, "M1 10 key=e"]);
    await replace("M1");
    await world.resume();
    await world.bring("b", ["M1 10 key=d", "M1 10 key=b"]);
    const { documents } = await world.show("M1");
    expect(documents.at(-1)?.events.map(({ keyParts, state }) => [keyParts[0], state])).toEqual(
      ["5", "a", "b", "c", "d", "e"].map((key) => [key, "landed"]),
    );
  });

  it(
    "whose event had landed holds that event in the next generation, where it can be corrected in place (P3)",
    long,
    async () => {
      open();
      await world.bring("a", ["M1 10 weight=5"]);
      await world.bring("b", [bad(2, 10), "M1 20"]);
      await replace("M1");
      const summary = await world.resume();
      expect(summary.open.events).toEqual({ held: 2 });
      const right = await world.bring("c", ["M1 10 weight=6"]);
      expect([right.exitCode, right.open.events]).toEqual([0, {}]);
      const [, next] = world.documents();
      expect(JSON.stringify(next?.events[0])).toContain('"6"');
    },
  );
});

it(
  "what was dismissed on a document that is replaced (H23) stays dismissed on its next generation when tomorrow's full export brings it again",
  long,
  async () => {
    open();
    const rows = ["M1 10", "M1 20 bad"];
    await world.bring("a", rows);
    dismiss({ row: ["3"], input: "a.csv" });
    await replace("M1");
    await world.resume();
    const again = await world.bring("b", [...rows, "4: M1 30"]);
    expect([again.exitCode, again.open.events]).toEqual([0, {}]);
    expect(again.rows).toMatchObject({ known: 1, staged: 2 });
    expect(world.documents().map(({ events }) => events.length)).toEqual([2, 2]);
    const [row] = (await world.show("a.csv:2")).rows;
    expect(row?.events.map(({ document }) => document.generation)).toEqual([1, 2]);
  },
);

it(
  "a link in doubt to a document that was replaced, corrected since (H9, H26) lets rows of the next generation come in: what landed linked to the first",
  long,
  async () => {
    open();
    const link = (weight: string) =>
      eventRow({
        row: 2,
        document: "M1",
        minute: 40,
        name: "RELATED",
        weight,
        related: { document: "M3", bidirectional: true },
      });
    await world.bring("a", ["M1 5", "M3 10"]);
    world.setFaults(lostAnswers(50));
    expect((await world.bring("b", [link("5")])).open.events).toEqual({ stalled: 1 });
    world.setFaults([]);
    await replace("M3");
    expect((await world.bring("c", [link("6")])).open.events).toEqual({ changed: 1 });
    const later = await world.bring("d", ["M3 20"]);
    expect([later.events, later.open.events]).toEqual([{ landed: 1 }, { changed: 1 }]);
    // So it does where the row is put back as it landed.
    expect((await world.bring("e", [link("5")])).open.events).toEqual({});
    expect((await world.bring("f", ["M3 30"])).events).toEqual({ landed: 1 });
  },
);

it("events of one instant keep their order in the next generation", async () => {
  open();
  const keys = ["e", "b", "h", "a", "g", "c", "f", "d"];
  await world.bring(
    "a",
    keys.map((key) => `M1 10 key=${key}`),
  );
  const orderOf = async () => (await world.show("M1")).documents.at(-1)?.events.map(({ keyParts }) => keyParts[0]);
  expect(await orderOf()).toEqual(keys);
  await replace("M1");
  await world.resume();
  expect(await orderOf()).toEqual(keys);
});

it(
  "a document that has made others is not replaced, for they would be made twice: nothing is cancelled, nothing planned",
  long,
  async () => {
    open();
    await world.bring("a", ["M1 10 target=B1"]);
    await expect(replace("M1")).rejects.toMatchObject({
      code: "document-has-made-others",
      message: expect.stringContaining("(batch B1)") as string,
      hint: expect.stringMatching(/`rowferry dismiss --document \w+\/M1`/) as string,
    });
    const summary = await world.resume();
    expect([summary.exitCode, summary.requests.sent]).toEqual([0, 0]);
    expect(await statesOf("M1")).toEqual([["10", "landed"]]);
  },
);

describe("a row that was edited while its event was in doubt (H9)", () => {
  const checked = () => world.withLedger((database) => checkLedger(database).filter(({ broken }) => broken.length > 0));
  const eventOf = async () => (await world.show("M1")).documents[0]?.events.find(({ keyParts }) => keyParts[0] === "w");

  /** Weight 5 at minute 20 has landed, and its answer is lost; then the row says this. */
  async function edited(row: string) {
    open();
    await world.bring("a", ["M1 5"]);
    world.setFaults(lostAnswers(50));
    await world.bring("b", ["M1 20 key=w weight=5"]);
    world.setFaults([]);
    expect((await world.bring("c", [row])).open.events).toEqual({ changed: 1 });
    expect((await eventOf())?.body).toBeNull();
  }

  it.each(sampled(["M1 30 key=w weight=6", "M1 10 key=w weight=6"], 2, 1))(
    "and is put back as it landed (%s), is what landed, and what a replacement sends",
    async (row) => {
      await edited(row);
      const back = await world.bring("d", ["M1 20 key=w weight=5"]);
      expect([back.exitCode, back.open.events]).toEqual([0, {}]);
      expect(await eventOf()).toMatchObject({ state: "landed-without-id", at: "2026-01-01T00:20:00.000Z" });
      expect(JSON.stringify((await eventOf())?.body)).toContain('"5"');
      expect(checked()).toEqual([]);
      expect((await world.bring("e", ["M1 15"])).problems.map(({ code }) => code)).toEqual(["late"]);
      await replace("M1");
      await world.resume();
      const [, next] = world.documents();
      expect(next?.events.map(({ at }) => minuteOf(at))).toEqual([5, 15, 20]);
      expect(JSON.stringify(next?.events[2])).toContain('"5"');
    },
  );

  it(
    "and once more since, is sent by a replacement as it is now, whether a person has kept what landed or not: nobody knows what that was",
    long,
    async () => {
      await edited("M1 30 key=w weight=6");
      await world.bring("d", ["M1 30 key=w weight=7"]);
      expect((await eventOf())?.changes).toEqual([]);
      dismiss({ code: "changed" });
      await replace("M1");
      await world.resume();
      expect(JSON.stringify(world.documents()[1]?.events[1])).toContain('"7"');
    },
  );
});

it("a document that was given by its id cannot be replaced while no row has said whose it is, and where", async () => {
  open();
  const given = documentRow({ row: 2, document: "M1", onTarget: true });
  if (given.outcome.fate === "valid") for (const one of given.outcome.records.documents) one.documentId = "elsewhere";
  await world.bring("a", [given]);
  await expect(replace("batch/M1")).rejects.toMatchObject({ code: "document-not-replaceable" });
});
