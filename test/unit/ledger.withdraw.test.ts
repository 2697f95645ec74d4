/** What was staged and never sent can be taken back, and comes again with its file (HARD-CASES H39). */
import { open, world } from "../nights/simulation/hard-case.js";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import { readStatus } from "../../src/desk/status.js";
import type { Selectors } from "../../src/ledger/decide/selection.js";
import { withdraw as withdrawRows } from "../../src/ledger/decide/withdraw.js";
import { replaceEach, withdrawSelected } from "../support/decide.js";
import { type Office, openOffice } from "../support/office.js";
import { loads, loadsWith, weighings, weighingsWith, weights } from "../support/weighings.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { lostAnswers, storyFile } from "../nights/simulation/world.js";
import { importText, weighingMapping } from "../nights/simulation/yaml-import.js";

const years = 3 * 365 * 24 * 60;

const withdraw = (selectors: Selectors) =>
  world.clock.run(withdrawSelected(world.target, selectors, { clock: world.clock, waitForLock: false }));
const timelines = () => world.documents().map(({ events }) => events.length);
const isSound = () => world.withLedger((database) => checkLedger(database).flatMap(({ broken }) => broken));

describe("the rest of a file that was imported with --limit", () => {
  const rows = [1, 2, 3].map((n) => eventRow({ row: n + 1, document: `M${n}`, minute: 10, participant: String(n) }));

  it("is taken back: nothing of it is sent or registered any more, and what landed stays", long, async () => {
    open();
    await world.bring("a", rows, { limits: { limitDocuments: 1 } });
    expect(await withdraw({ input: "a.csv" })).toMatchObject({ rows: 2, events: 2 });
    const after = await world.resume();
    expect([after.exitCode, after.requests.sent, after.open.events]).toEqual([0, 0, {}]);
    expect(timelines()).toEqual([1]);
    expect(isSound()).toEqual([]);
    expect((await world.show("a.csv:3")).rows[0]).toMatchObject({
      fate: "staged",
      settled: "withdrawn",
    });
  });

  it("takes back the registrations that only it needs", async () => {
    open();
    await world.bring("a", rows, { limits: { until: 0 } });
    expect(await withdraw({ document: "M2" })).toEqual({
      rows: 1,
      events: 1,
      participants: 1,
      replacements: 0,
      addresses: 1,
    });
    const after = await world.resume();
    expect([after.exitCode, after.participants]).toEqual([0, { registered: 2 }]);
    expect(timelines()).toEqual([1, 1]);
  });

  it("is staged again by the very same bytes; until then `status` names it", long, async () => {
    open();
    const takenBack = async () => (await readStatus({ target: world.target })).withdrawn;
    await world.bring("a", rows, { limits: { limitDocuments: 1 } });
    await withdraw({ input: "a.csv" });
    expect(await takenBack()).toEqual([{ input: "a.csv", rows: 2 }]);
    const again = await world.bring("a", rows);
    expect([again.exitCode, again.rows.known, again.rows.staged]).toEqual([0, 1, 2]);
    expect(await takenBack()).toEqual([]);
    expect(timelines()).toEqual([1, 1, 1]);
    expect(isSound()).toEqual([]);
  });
});

it(
  "a participant that the service refused goes with the rows that need it, and is tried again with their file",
  long,
  async () => {
    open();
    const action = { kind: "status", status: 422, when: "before" } as const;
    world.setFaults([{ match: { method: "POST", path: "/participants" }, times: 1, action }]);
    const first = await world.bring("a", ["M1 10", "M1 20 key=x"]);
    expect([first.exitCode, first.participants]).toEqual([3, { rejected: 1 }]);
    expect(await withdraw({ input: "a.csv" })).toMatchObject({ rows: 2, events: 2, participants: 1 });
    expect((await readStatus({ target: world.target })).problems).toEqual([]);
    const again = await world.bring("a", ["M1 10", "M1 20 key=x"]);
    expect([again.exitCode, timelines()]).toEqual([0, [2]]);
    expect(isSound()).toEqual([]);
  },
);

it("20,000 rows that only open documents are taken back at once, beside as many of another file", {
  tags: ["long"],
  timeout: 10_000,
}, async () => {
  open();
  await world.bring("a", [eventRow({ row: 2, document: "M1", minute: 10, participant: "1" })]);
  const done = world.withLedger((database) => {
    database.exec(`BEGIN;
      INSERT INTO documents (namespace, kind, key, declared, mode, create_empty, row_id)
        SELECT 'n', 'load', 'K' || value, 1, 'create', 1, iif(value > 20000, 2, 1) * 4294967296 + value
        FROM (WITH RECURSIVE n (value) AS (VALUES (10) UNION ALL SELECT value + 1 FROM n WHERE value < 40009) SELECT * FROM n);
      INSERT INTO row_records SELECT row_id, 'document', id FROM documents WHERE namespace = 'n'`);
    const taken = withdrawRows(database, { input: "a.csv" }, 0);
    database.exec("ROLLBACK");
    return taken;
  });
  expect(done).toMatchObject({ rows: 19_991, events: 0 });
});

it("a row dated years ahead by mistake is taken back, and what it held goes", long, async () => {
  open();
  const rows = ["M1 10", eventRow({ row: 3, document: "M1", minute: years }), "M1 20 key=x"];
  const first = await world.bring("a", rows);
  expect(first.open.events).toMatchObject({ deferred: 1 });
  expect(await withdraw({ input: "a.csv", row: ["3"] })).toMatchObject({ rows: 1, events: 1 });
  expect((await world.resume()).open.events).toEqual({});
  expect(timelines()).toEqual([2]);
});

it(
  "an invalid row holds nothing once its input is taken back, and holds again when the file comes again",
  long,
  async () => {
    open();
    const bad = "2: M1 5 invalid";
    await world.import([storyFile("bad", [bad]), storyFile("good", ["M1 10"])]);
    expect(timelines()).toEqual([]);
    expect(await withdraw({ input: "bad.csv" })).toMatchObject({ rows: 1, events: 0 });
    const after = await world.resume();
    expect([after.exitCode, timelines()]).toEqual([0, [1]]);
    const again = await world.bring("bad", [bad]);
    expect([again.exitCode, again.rows.invalid]).toEqual([3, 1]);
  },
);

it("an event that rows of two files give stays as long as one of them stands", long, async () => {
  open();
  const event = "        key: once\n        externalCreatedAt: =at";
  const rows = "MTR,CNPJ,At\nM1,11222333000181,2035-10-01 10:00\n";
  await importText(world, weighingMapping({ event }), "a.csv", rows);
  await importText(world, weighingMapping({ event }), "b.csv", `${rows}M2,11222333000181,2035-10-01 10:00\n`);
  expect(await withdraw({ input: "a.csv" })).toMatchObject({ rows: 1, events: 0 });
  expect((await world.resume()).open.events).toEqual({ deferred: 2 });
  expect(isSound()).toEqual([]);
});

describe("what cannot be taken back", () => {
  it("is what was sent, or may have been: nothing fits, and what there is is said", long, async () => {
    open();
    world.setFaults(lostAnswers(50));
    await world.bring("a", ["M1 10"]);
    world.setFaults([]);
    await world.bring("b", [eventRow({ row: 2, document: "M2", minute: years })]);
    await expect(withdraw({ input: "a.csv" })).rejects.toMatchObject({
      code: "usage",
      hint: "There are unsent events from b.csv (1).",
    });
    await expect(withdraw({ document: "M1" })).rejects.toMatchObject({ code: "usage" });
    await expect(withdraw({})).rejects.toMatchObject({ code: "usage" });
  });

  it("is the CANCEL of a replacement without its document: no file is named that would not fit either", async () => {
    open();
    await world.bring("a", ["M1 10"]);
    await replaceEach(world.target, ["M1"], "wrong", { clock: world.clock, waitForLock: false });
    await expect(withdraw({ input: "a.csv" })).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("`rowferry withdraw --document <document>` takes one back"),
    });
  });

  it(
    "is one row number that several files have: the choices are named, and only a name of one row does anything",
    long,
    async () => {
      open();
      await world.bring("a", [eventRow({ row: 2, document: "M1", minute: years })]);
      const other = storyFile("b", [eventRow({ row: 2, document: "M2", minute: years })]);
      await world.import([{ ...other, contentHash: "b0b0b0b0b0" }]);
      await expect(withdraw({ row: ["2"] })).rejects.toThrow(/a\.csv:2 .*b\.csv:2/);
      expect((await world.resume()).open.events).toEqual({ deferred: 2 });
      await expect(withdraw({ row: ["b0b0b0b1-2:2"] })).rejects.toMatchObject({ code: "usage" });
      expect(await withdraw({ row: ["b0b0b0b0-2:2"] })).toMatchObject({ events: 1 });
      expect((await world.resume()).open.events).toEqual({ deferred: 1 });
    },
  );
});

describe("a corrected file that was taken back is as if it had not come", () => {
  it.each([
    ["what was still wrong is to correct again", { x: "y" }, "--input corrected.csv", 2],
    ["what was right comes again with its first file", { x: "7" }, "--input corrected.csv", 1],
    ["with its document, all comes again with its first file", { x: "y" }, "--document L1", 0],
    ["with its document, what was right too", { x: "7" }, "--document L1", 0],
  ])("%s", async (_, mended, selector, left) => {
    const office = openOffice(weighings);
    const bad = loads("L1 05 z", "L1 10 x", "L1 20 5");
    const summary = await office.brought("bad.csv", bad);
    office.writeCsv("corrected.csv", office.rejectedRows(summary, mended));
    await office.import("corrected.csv");
    await office.ends(0, `withdraw ${selector} --yes`);
    const { out } = await office.type("status", "--json");
    expect(JSON.parse(out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      open: { rows: left },
      withdrawn: [...(left === 2 ? [] : [{ input: "bad.csv" }]), { input: "corrected.csv" }],
    });
    expect((await office.import("bad.csv")).rows.invalid).toBe(2);
    expect(weights(office)).toEqual([]);
  });
});

describe("an unsent event that a later file changed, once that file says nothing of it any more", () => {
  const skipped = { ...weighings.inputs.weighings, skip: "=gross > 70" };
  it.each([
    ["is taken back", (office: Office) => office.ends(0, "withdraw --input b.csv --yes")],
    [
      "skips its row under an edited mapping",
      async (office: Office) => {
        office.writeMapping({ ...weighings, inputs: { weighings: skipped } });
        await office.import("b.csv");
        office.writeMapping(weighings);
      },
    ],
  ])(
    "waits for what the earlier one says, with all of its document, since its time may be any: %s",
    async (_, sayNothing) => {
      const office = openOffice(weighings);
      await office.brought("a.csv", loads("L1 05 z", "L1 10 4", "L1 20 5", "L1 30 6"));
      await office.brought("b.csv", loads("L1 20 77"));
      await sayNothing(office);
      await office.ends(0, "dismiss --row a.csv:2 --yes");
      await office.type("resume");
      expect(weights(office)).toEqual([]);
      expect((await office.type("status")).out).toContain("import m.yaml a.csv");
      await office.import("a.csv");
      expect(weights(office)).toEqual(["L1 10 4", "L1 20 5", "L1 30 6"]);
    },
  );
});

it("a document that a later file declared otherwise waits, once that file is taken back, for what the earlier one declares", async () => {
  const documents = {
    load: { key: "=load", participant: "owner", address: "site", fields: { category: "=category" } },
  };
  const office = openOffice(weighingsWith({ columns: { category: "Category" }, documents }));
  const rows = (category: string, ...more: string[]) => loadsWith(["Category"], ...more, `L1 20 5 ${category}`);
  await office.brought("a.csv", rows("Sand", "L1 05 z Sand"));
  await office.brought("b.csv", rows("Gravel"));
  await office.ends(0, "withdraw --input b.csv --yes");
  await office.ends(0, "dismiss --row a.csv:2 --yes");
  await office.type("resume");
  expect(weights(office)).toEqual([]);
  await office.import("a.csv");
  expect(office.documents().map(({ fields }) => fields["category"])).toEqual(["Sand"]);
});

it(
  "a replacement waits for what the earlier files say, once a correction moves the changed row to another document",
  long,
  async () => {
    const office = openOffice(weighings);
    await office.brought("a.csv", loads("L1 20 5"));
    await office.brought("known.csv", loads("L1 20 5", "L3 20 5"));
    const changed = await office.brought("b.csv", loads("L1 20 77"));
    await office.ends(0, "replace L1 --reason wrong --yes");
    office.writeCsv("corrected.csv", office.rejectedRows(changed, { L1: "L2" }));
    await office.import("corrected.csv");
    expect(weights(office)).toEqual(["L1 20 5", "L3 20 5", "L2 20 77"]);
    await office.import("a.csv");
    expect(weights(office)).toEqual(["L3 20 5", "L2 20 77", "L1 20 5"]);
  },
);
