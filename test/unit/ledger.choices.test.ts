/** What persons decided survives the loss of the whole state folder, where a journal is kept (HARD-CASES H23, H25, H26). */
import { forgetJournal } from "../../src/ledger/journal/own-journal.js";
import { openLedgerOfAnyone } from "../../src/ledger/open-ledger.js";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import type { Selectors } from "../../src/ledger/decide/selection.js";
import { tallyOpen } from "../../src/ledger/views/tally.js";
import { rebuildLedger } from "../../src/desk/restore.js";
import { deduplicationIdOf, dismiss, open, replace, world } from "../nights/simulation/hard-case.js";
import { participantOf, rowInWords, START } from "../nights/simulation/story-rows.js";
import { lostAnswers, storyFile } from "../nights/simulation/world.js";
import { importText, weighingMapping } from "../nights/simulation/yaml-import.js";
import { folder } from "../support/cli.world.js";
import { addByHand } from "../support/sandbox.world.js";

let journal: string;
beforeEach(() => {
  journal = join(folder(), "journal.ndjson");
  open({ journal });
});
const undo = (selectors: Selectors) => dismiss(selectors, true);

async function loseAllAndRebuild(copy: string | null = null) {
  for (const name of readdirSync(world.target.stateFolder))
    rmSync(join(world.target.stateFolder, name), { recursive: true });
  await rebuildLedger(world.target, { journal, backup: copy }, world.clock);
  expect(world.withLedger(checkLedger).filter(({ broken }) => broken.length > 0)).toEqual([]);
}
/** Its participant is refused. */
function ofNobody() {
  const row = rowInWords("M2 10", 4);
  if (row.outcome.fate === "valid") row.outcome.records.participants.push(participantOf("", "Nobody"));
  return row;
}
const timelines = () => world.documents().map(({ events }) => events.map(({ name }) => name));

describe("a dismissal", () => {
  it("of a bad row is in force when tomorrow's full export brings it again", async () => {
    const rows = ["M1 10", "M1 20 invalid", "M1 30"];
    await world.bring("a", rows);
    dismiss({ input: "a.csv", row: ["3"] });
    await loseAllAndRebuild();
    const tomorrow = await world.bring("b", [...rows, "5: M1 40"]);
    expect([tomorrow.exitCode, tomorrow.open.rows, tomorrow.rows.known]).toEqual([0, 0, 1]);
    expect(timelines()).toEqual([["Weighing", "Weighing", "Weighing"]]);
  });

  it.each<[string, (dismissed: () => unknown) => Promise<void>, string[]]>([
    [
      "only waited",
      async (dismissed) => {
        await world.bring("a", ["M1 10", "M2 10", "M2 20"], { limits: { limitDocuments: 1 } });
        dismissed();
      },
      ["M1 10", "M2 20"],
    ],
    [
      "the service had refused, with what waited for it,",
      async (dismissed) => {
        await world.bring("a", ["M2 5"]);
        await world.bring("b", ["M1 10", "M2 10 bad", "M2 20"]);
        dismissed();
      },
      ["M2 5", "M2 20", "M1 10"],
    ],
  ])("of what %s is in force over an older backup too: the next run sends it no more", async (_, work, landed) => {
    const backup = join(folder(), "backup.db");
    await work(() => {
      copyFileSync(world.target.ledgerPath, backup);
      expect(dismiss({ row: ["3"], document: "M2" })).toMatchObject({ events: 1 });
    });
    await loseAllAndRebuild(backup);
    expect(Object.values(world.withLedger(tallyOpen).events)).toEqual([1]);
    expect((await world.resume()).exitCode).toBe(0);
    const minutes = (at: number) => Math.round((at - START) / 60_000);
    expect(
      world.documents().flatMap(({ externalId, events }) => events.map(({ at }) => `${externalId} ${minutes(at)}`)),
    ).toEqual(landed);
  });

  it("of a bad row is in force over a backup from before it, once its file is imported again", async () => {
    const event = "        key: =ticket\n        externalCreatedAt: =at\n        attributes: { public: { Kg: =kg } }";
    const mapping = weighingMapping({ event });
    const rows = ["10:00,a,5", "10:01,b,much", "10:02,c,7"].map((row) => `11222333000181,M1,2026-01-01 ${row}`);
    const bring = () =>
      importText(world, mapping, "a.csv", ["CNPJ,MTR,At,Ticket,Weight", ...rows].join("\n"), { journal });
    await bring();
    const backup = join(folder(), "backup.db");
    copyFileSync(world.target.ledgerPath, backup);
    dismiss({ input: "a.csv", row: ["3"] });
    expect((await world.resume()).exitCode).toBe(0);
    await loseAllAndRebuild(backup);
    const again = await bring();
    expect([again.exitCode, again.open.rows]).toEqual([0, 0]);
    expect(timelines()).toEqual([["Weighing", "Weighing"]]);
  });

  it("of an event that the service refused, of one that had landed otherwise, and of a participant", long, async () => {
    const bad = "M1 20 bad";
    const landed = (weight: string) => `M1 10 key=w weight=${weight}`;
    const nobody = ofNobody();
    await world.bring("a", [landed("5"), bad, nobody]);
    await world.bring("b", [landed("6")]);
    const given = dismiss({ input: "a.csv" });
    expect(given).toMatchObject({ participants: 1, events: 2 });
    await loseAllAndRebuild();
    const tomorrow = await world.bring("c", [landed("6"), bad, nobody]);
    expect([tomorrow.exitCode, tomorrow.open.events, tomorrow.open.participants]).toEqual([0, {}, {}]);
    expect(timelines().map((names) => names.length)).toEqual([1, 1]);
  });

  it(
    "of what something else has sent is in force for the events after it too, which a run accepts by itself",
    long,
    async () => {
      await world.bring("a", ["M1 5"]);
      const minutes = [10, 20, 30];
      const [document] = world.documents();
      for (const minute of minutes)
        await addByHand(world.sandbox, document?.id ?? "", {
          name: "Weighing",
          externalCreatedAt: new Date(START + minute * 60_000).toISOString(),
          deduplicationId: deduplicationIdOf("M1", minute),
        });
      const rows = minutes.map((minute) => `M1 ${minute}`);
      expect((await world.bring("b", rows)).open.events).toEqual({ foreign: 1, held: 2 });
      dismiss({ code: "foreign-collision" });
      expect((await world.resume()).open.events).toEqual({});
      await loseAllAndRebuild();
      const again = await world.bring("b", rows);
      expect([again.open.events, again.exitCode]).toEqual([{}, 0]);
    },
  );

  it("that a corrected row makes by itself is in force too", long, async () => {
    const bad = { ...rowInWords("M1 10 invalid", 2), rowId: "r1" };
    await world.bring("a", [bad]);
    await world.bring("b", ["M1 10 rowId=r1"]);
    await loseAllAndRebuild();
    expect((await world.bring("a", [bad])).open.rows).toBe(0);
  });
});

it("a bad row whose correction landed is corrected in a rebuilt ledger too, not given up; its correction still names it", async () => {
  const bad = storyFile("aaaaaaaa", ["M1 10 invalid", "M1 20"]);
  const good = { ...storyFile("b", ["M1 10"]), corrects: [{ ref: "aaaaaaaa-1:2", code: "value-unmapped" }] };
  const fates = async (row: string) => (await world.show(row)).rows.map(({ fate, settled }) => [fate, settled]);
  await world.import([bad]);
  await world.import([good]);
  await world.import([bad]);
  const before = await fates("aaaaaaaa.csv:2");
  await loseAllAndRebuild();
  const again = await world.import([bad]);
  expect(await fates("aaaaaaaa.csv:2")).toEqual(before);
  expect([again.exitCode, again.rows.known, again.rows.invalid]).toEqual([0, 2, 0]);
  expect((await world.import([good])).exitCode).toBe(0);
  expect((await world.show("aaaaaaaa.csv:2")).rows).toMatchObject([
    { settled: "corrected", settledBy: "b.csv, row 2" },
  ]);
  // Only one such row was corrected.
  const twice = await world.import([storyFile("c", ["M1 10 invalid", "M1 10 invalid", "M1 20"])]);
  expect([twice.open.rows, twice.rows.known]).toEqual([1, 2]);
  expect(world.withLedger(checkLedger).filter(({ broken }) => broken.length > 0)).toEqual([]);
});

it.each([
  ["was still wrong", "M1 15 invalid"],
  ["was never sent", `M1 ${400 * 24 * 60}`],
])("a bad row whose correction %s is asked for again: nobody has given it up", async (_, corrected) => {
  const bad = storyFile("aaaaaaaa", ["M1 10 invalid"]);
  await world.import([bad]);
  await world.import([{ ...storyFile("b", [corrected]), corrects: [{ ref: "aaaaaaaa-1:2", code: "value-unmapped" }] }]);
  await loseAllAndRebuild();
  expect((await world.import([bad])).open.rows).toBe(1);
  // Imported again in their order, files find the rows that they correct.
  await world.import([{ ...storyFile("b", ["M1 10"]), corrects: [{ ref: "aaaaaaaa-1:2", code: "value-unmapped" }] }]);
  expect((await world.resume()).open.rows).toBe(0);
});

it("a bad row is not settled by a correction that is still wrong, whatever came of that one since", async () => {
  const bad = storyFile("aaaaaaaa", ["M1 10 invalid"]);
  const wrong = (name: string, ref: string) => ({
    ...storyFile(name, ["M1 15 invalid"]),
    corrects: [{ ref, code: "value-unmapped" }],
  });
  await world.import([bad]);
  await world.import([wrong("bbbbbbbb", "aaaaaaaa-1:2")]);
  await world.import([wrong("cccccccc", "bbbbbbbb-2:2")]);
  expect((await world.import([bad])).rows.invalid).toBe(1);
});

describe("a dismissal that was taken back", () => {
  it(
    "is in force no more: what it gave up is open again, and goes or holds as if nothing had been said",
    long,
    async () => {
      const later = `5: M2 ${60 * 24 * 400}`;
      const rows = ["M1 10", "M1 20 invalid", "M1 30", later];
      const first = await world.bring("a", rows);
      expect(first.open.events).toMatchObject({ held: 1, deferred: 1 });
      expect(dismiss({ row: ["3", "a.csv:4", "a.csv:5"] })).toMatchObject({ left: 0 });
      expect(world.withLedger(tallyOpen)).toMatchObject({ events: {}, rows: 0 });
      undo({ input: "a.csv", row: ["3", "4", "5"] });
      expect(() => undo({ input: "a.csv", row: ["3"] })).toThrow(expect.objectContaining({ code: "already-done" }));
      const resumed = await world.resume();
      expect([resumed.open.events, resumed.open.rows]).toEqual([first.open.events, 1]);
      await loseAllAndRebuild();
      const tomorrow = await world.bring("b", rows);
      expect([tomorrow.open.events, tomorrow.open.rows]).toEqual([first.open.events, 1]);
    },
  );

  it("of planned work that was never sent, by the row that a person names", long, async () => {
    const rows = ["M1 10", "M2 10"];
    await world.bring("a", rows, { limits: { limitDocuments: 1 } });
    expect(dismiss({ input: "a.csv", row: ["3"] })).toMatchObject({ events: 1, left: 0 });
    expect((await world.resume()).requests.sent).toBe(0);
    undo({ input: "a.csv", row: ["3"] });
    await world.resume();
    expect(timelines()).toEqual([["Weighing"], ["Weighing"]]);
  });
});

describe("an event that was corrected before it was sent", () => {
  const rows = (weight: number) => ["M1 10", `M2 10 weight=${weight}`];

  it.each([true, false])(
    "landed as it was sent, whatever a backup (%s) or an earlier file says",
    async (isOverBackup) => {
      if (isOverBackup) await world.bring("a", rows(5), { limits: { limitDocuments: 1 } });
      else await world.run([storyFile("a", rows(5))], { killAt: { request: 4, when: "before" } });
      const backup = join(folder(), "backup.db");
      copyFileSync(world.target.ledgerPath, backup);
      expect((await world.bring("b", rows(6))).exitCode).toBe(0);
      await loseAllAndRebuild(isOverBackup ? backup : null);
      expect((await world.bring("a", rows(5))).open.events).toEqual({ changed: 1 });
      const newest = await world.bring("b", rows(6));
      expect([newest.exitCode, newest.open.events]).toEqual([0, {}]);
    },
  );
});

describe("a replacement", () => {
  it("that was decided and not yet sent is finished: cancelled once, sent again once, and known", long, async () => {
    const rows = ["M1 10", "M1 20"];
    await world.bring("a", rows);
    await replace("M1");
    await loseAllAndRebuild();
    expect((await world.bring("a", rows)).exitCode).toBe(0);
    expect(timelines()).toEqual([
      ["Weighing", "Weighing", "CANCEL"],
      ["Weighing", "Weighing"],
    ]);
    await loseAllAndRebuild();
    const again = await world.bring("b", rows);
    expect([again.requests.sent, again.rows.known]).toEqual([0, 2]);
    const [old, next] = (await world.show("M1")).documents;
    expect([old?.state, next?.state, next?.generation]).toEqual(["cancelled", "open", 2]);
  });
});

it(
  "a replacement of a document whose id a kill kept from the ledger cancels it once the journal is all that is left: it knows the id",
  long,
  async () => {
    world.setFaults(lostAnswers());
    const rows = ["M1 10"];
    await world.bring("a", rows);
    world.setFaults([]);
    // Killed between the journal's line and the ledger's commit: the answer stands in the journal alone.
    const [there] = world.documents();
    const [event] = there?.events ?? [];
    const document = { document: ["story", "manifest", "M1", 1], mode: "create", state: "open", reason: null };
    const landed = { key: event?.deduplicationId, state: "landed", reason: null, id: event?.eventId, targetId: null };
    const lines = readFileSync(journal, "utf8").trimEnd().split("\n");
    const intent = lines.findIndex((line) => line.includes('"entry":"intent"') && line.includes('"M1"'));
    const end = { entry: "end", at: world.clock.now(), kind: "create-with-events", record: "document" };
    const documents = [{ ...document, id: there?.id, lastAt: there?.lastAt }];
    lines.splice(intent + 1, 0, JSON.stringify({ ...end, documents, events: [landed] }));
    writeFileSync(journal, `${lines.join("\n")}\n`);
    // The line was put in behind the ledger's back.
    const database = openLedgerOfAnyone(world.target.ledgerPath);
    forgetJournal(database);
    database.close();
    await replace("M1");
    await world.resume();
    expect(timelines()).toEqual([["Weighing"], ["Weighing"]]);
    await loseAllAndRebuild();
    const again = await world.bring("a", rows);
    expect([again.exitCode, again.open.events, again.open.documents]).toEqual([0, {}, {}]);
    expect(timelines()).toEqual([["Weighing", "CANCEL"], ["Weighing"]]);
    await loseAllAndRebuild();
    expect((await world.bring("b", rows)).requests.sent).toBe(0);
  },
);

describe("keys of a changed mapping (H25)", () => {
  const mapping = (eventKey: string, documentKey = "=mtr") =>
    weighingMapping({
      documentKey,
      event: `
        key: ${eventKey}
        externalCreatedAt: =date
        attributes: { public: { Weight: =weight } }`,
    });
  const byTicket = "=ticket";
  const byBoth = "[=ticket, =date]";
  const text = (...weights: number[]) =>
    [
      "MTR,CNPJ,Ticket,Date,Weight",
      ...weights.map((weight, index) => `M1,11222333000181,${index + 1},2026-01-01 10:00,${weight}`),
      "",
    ].join("\n");
  const run = async (yaml: string, name: string, rows: string) => {
    await world.clock.run(world.clock.sleep(60_000));
    return importText(world, yaml, name, rows, { journal });
  };

  it("an edit that would double what landed is refused after the rebuild as before it", long, async () => {
    await run(mapping(byTicket), "march.csv", text(5, 6));
    await loseAllAndRebuild();
    await expect(run(mapping(byBoth), "march.csv", text(5, 6))).rejects.toMatchObject({ code: "keys-changed" });
    expect(timelines().map((names) => names.length)).toEqual([2]);
  });
});
