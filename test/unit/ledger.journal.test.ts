/** The journal: written before the ledger commits, and enough to make a lost ledger anew (DESIGN section 3). */
import { dismiss, open, replace, world } from "../nights/simulation/hard-case.js";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import { openDurableFile } from "../../src/ledger/journal/durable-file.js";
import { openJournal, requireOwn } from "../../src/ledger/journal/journal.js";
import { findDocument } from "../../src/ledger/documents-named.js";
import { resolveNamed } from "../support/decide.js";
import { decideBeside } from "../../src/desk/access.js";
import { backup } from "../../src/desk/care.js";
import { rebuildLedger, restoreLedger } from "../../src/desk/restore.js";
import { answer } from "../../src/report/outcome.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { lostAnswers, type StoryFile, storyFile } from "../nights/simulation/world.js";
import { importText, weighingMapping } from "../nights/simulation/yaml-import.js";
import { folder } from "../support/cli.world.js";

let disk: string;
let journal: string;
beforeEach(() => {
  disk = folder();
  journal = join(disk, "journal.ndjson");
});
const lines = () =>
  readFileSync(journal, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { entry: string; kind?: string });
const rebuild = (from: string | null = null) => rebuildLedger(world.target, { journal, backup: from }, world.clock);
const isSound = () => world.withLedger((database) => checkLedger(database).filter(({ broken }) => broken.length > 0));

/** Twelve documents of three events each, some linked, one with a target. */
function story(): StoryFile {
  const rows = Array.from({ length: 36 }, (_, index) => {
    const document = `M${index % 12}`;
    const minute = 10 + Math.floor(index / 12) * 10;
    return eventRow({
      row: index + 2,
      document,
      minute,
      participant: index % 3 === 0 ? "11222333000181" : "11444777000161",
      ...(document === "M3" && minute === 20 ? { related: { document: "M4", bidirectional: true } } : {}),
      ...(document === "M5" && minute === 20 ? { name: "OUTPUT", target: "B1" } : {}),
    });
  });
  return storyFile("a", rows);
}

describe("the journal", () => {
  it("holds an intent before every call that writes, and what came back after it", long, async () => {
    open({ journal });
    await world.bring("a", ["M1 10"]);
    expect(lines().map(({ entry, kind }) => (kind === undefined ? entry : `${entry} ${kind}`))).toEqual([
      "journal",
      "intent create-participant",
      "registered",
      "end create-participant",
      "intent create-address",
      "registered",
      "end create-address",
      "intent create-with-events",
      "end create-with-events",
    ]);
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    // One that others could read, as an earlier program may have left it (F65).
    chmodSync(journal, 0o644);
    openDurableFile(journal).close();
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    expect(readFileSync(journal, "utf8")).not.toMatch(/secret|bearer/i);
  });

  it("keeps no decision that the ledger could not commit: the person is told that nothing was changed", async () => {
    open({ journal });
    await world.bring("a", ["M1 10"]);
    const before = readFileSync(journal, "utf8");
    const decide = (breaks: boolean) =>
      decideBeside(
        world.target,
        (database) => {
          database.pragma("defer_foreign_keys = ON");
          if (breaks) database.add("dismissals", { document_id: 999, at: 0 });
          return { done: null, entries: () => [{ entry: "dismissed", at: 1 }] };
        },
        { clock: world.clock, journal },
      );
    expect(() => decide(true)).toThrow(/FOREIGN KEY/);
    expect(readFileSync(journal, "utf8")).toBe(before);
    decide(false);
    expect(lines().at(-1)?.entry).toBe("dismissed");
  });

  describe("a decision that a kill kept from the ledger, which a rebuilt one would carry out", () => {
    it.each<[string, string, () => unknown]>([
      ["replacement", "replaced", () => replace("M1")],
      ["dismissal", "dismissed", () => dismiss({ row: ["3"] })],
    ])("is taken out of the journal by the next command that writes there: a %s", async (_, entry, decide) => {
      open({ journal });
      await world.bring("a", ["M1 10", "M2 10 invalid"]);
      await beforeCommit(decide);
      expect(lines().at(-1)).toMatchObject({ entry });
      await world.resume();
      expect(lines().map((line) => line.entry)).not.toContain(entry);
      await decide();
      expect(lines().filter((line) => line.entry === entry)).toHaveLength(1);
      await world.resume();
      expect(lines().map((line) => line.entry)).toContain(entry);
    });

    it.each(["whole", "torn"])("beside a running import is taken out by that import: a %s line", async (which) => {
      open({ journal, maxEventsPerRequest: 1 });
      await world.bring("a", ["M1 10", "M2 10 invalid"]);
      const former = readFileSync(journal, "utf8");
      const copy = world.copyOfLedger();
      dismiss({ input: "a.csv", row: ["3"] });
      const line = readFileSync(journal, "utf8").slice(former.length);
      writeFileSync(journal, former);
      world.target.ledgerPath = copy;
      const beside = async (request: number) => {
        if (request === 3) appendFileSync(journal, which === "torn" ? line.slice(0, 20) : line);
      };
      const sent = await world.bring("b", ["M1 20", "M1 30", "M1 40", "M1 50"], { beside });
      expect(sent).toMatchObject({ events: { landed: 4 }, exitCode: 3 });
      expect(lines().map(({ entry }) => entry)).not.toContain("dismissed");
      world.loseLedger();
      expect(await rebuild()).toMatchObject({ landed: 5, inDoubt: 0, unreadable: [] });
    });

    it("beside a running import stays, if the ledger has it", async () => {
      open({ journal, maxEventsPerRequest: 1 });
      await world.bring("a", ["M1 10", "M2 10 invalid"]);
      const beside = async (request: number) => {
        if (request === 2) dismiss({ input: "a.csv", row: ["3"] });
      };
      await world.bring("b", ["M1 20", "M1 30", "M1 40"], { beside });
      expect(lines().filter(({ entry }) => entry === "dismissed")).toHaveLength(1);
      expect(lines().at(-1)).toMatchObject({ entry: "end" });
    });

    it("is not carried out by a restore that comes before any other command, which says so", async () => {
      open({ journal });
      await world.bring("a", ["M1 10", "M2 10 invalid"]);
      const monday = join(disk, "monday.db");
      await backup(world.target, monday);
      await world.bring("b", ["M1 20"]);
      const isKept = () => lines().some((line) => line.entry === "dismissed");
      const restore = () => restoreLedger(world.target, { backup: monday, journal }, world.clock);
      await beforeCommit(() => dismiss({ row: ["3"] }));
      expect(await restore()).toMatchObject({ dropped: true });
      expect(isKept()).toBe(false);
      dismiss({ row: ["3"] });
      expect(await restore()).toMatchObject({ dropped: false });
      expect(isKept()).toBe(true);
    });

    it("is told from those of another ledger, which are kept: this one is an older copy", async () => {
      open({ journal });
      await world.bring("a", ["M1 10", "M2 10 invalid"]);
      await beforeCommit(async () => {
        dismiss({ row: ["3"] });
        await world.clock.advance(1_000);
        await replace("M1");
      });
      const before = readFileSync(journal, "utf8");
      await expect(replace("M1")).rejects.toMatchObject({ code: "ledger-behind-journal" });
      await expect(world.resume()).rejects.toMatchObject({ code: "ledger-behind-journal" });
      expect(readFileSync(journal, "utf8")).toBe(before);
    });

    it("is made in no older copy: what another ledger has sent since, and decided last, stays in the journal", async () => {
      open({ journal });
      await world.bring("a", ["M1 10", "M2 10 invalid"]);
      await beforeCommit(async () => {
        await world.bring("b", ["M1 20"]);
        dismiss({ input: "a.csv", row: ["3"] });
      });
      const before = readFileSync(journal, "utf8");
      await expect(replace("M1")).rejects.toMatchObject({ code: "ledger-behind-journal" });
      expect(readFileSync(journal, "utf8")).toBe(before);
    });

    /** Carries it out, and puts the former ledger back: only the journal has it then. */
    async function beforeCommit(decide: () => unknown) {
      const former = join(disk, "former.db");
      copyFileSync(world.target.ledgerPath, former);
      await world.clock.advance(1_000);
      await decide();
      copyFileSync(former, world.target.ledgerPath);
      for (const suffix of ["-wal", "-shm"]) rmSync(`${world.target.ledgerPath}${suffix}`, { force: true });
    }
  });

  it("in a device is refused: nothing could be rebuilt from it, and some never end", () => {
    const owner = { target: "a", baseUrl: "https://a.test", clientId: "a" };
    const refused = expect.objectContaining({ code: "journal-unreadable", message: expect.stringMatching(/a device/) });
    expect(() => openJournal("/dev/null", join(disk, "ledger.db"), owner)).toThrow(refused);
    expect(() => requireOwn("/dev/zero", owner)).toThrow(refused);
  });

  it("of another ledger's owner is refused, and the hint names what helps: another journal", () => {
    open();
    const owner = { target: "a", baseUrl: "https://a.test", clientId: "a" };
    openJournal(journal, world.target.ledgerPath, owner).close();
    expect(() => openJournal(journal, world.target.ledgerPath, { ...owner, clientId: "b" })).toThrow(
      expect.objectContaining({
        code: "ledger-of-another-target",
        hint: expect.stringMatching(/^Each target needs a journal of its own: name another file with --journal/),
      }),
    );
  });

  it("goes on after a line that a power loss tore, and rebuilding leaves that line out", long, async () => {
    open({ journal });
    await world.bring("a", ["M1 10"]);
    const tear = () => appendFileSync(journal, '{"entry":"intent","at":17');
    tear();
    await world.bring("b", ["M1 20"]);
    tear();
    world.loseLedger();
    const rebuilt = await rebuild();
    expect(rebuilt).toMatchObject({ documents: 1, landed: 2, inDoubt: 0, unreadable: [] });
  });

  it.each([
    ["damaged lines", 1, (line: string) => ["\0".repeat(line.length)], { unreadable: [2] }],
    [
      "JSON that is no entry that this program knows",
      0,
      () => ["null", "5", "[1]", '{"entry":"merged","at":1}'],
      { landed: 1, unreadable: [2, 3, 4, 5] },
    ],
  ])("says of %s that a rebuilt ledger leaves them out, and when the journal ends", async (_, gone, instead, told) => {
    open({ journal });
    await world.bring("a", ["M1 10"]);
    const [header = "", ...others] = readFileSync(journal, "utf8").split("\n");
    const { at } = JSON.parse(others.at(-2) ?? "") as { at: number };
    writeFileSync(journal, [header, ...instead(others[0] ?? ""), ...others.slice(gone)].join("\n"));
    world.loseLedger();
    expect(await rebuild()).toMatchObject({ ...told, until: new Date(at).toISOString() });
  });

  it("of a later version is refused, and stays as it is: this program would misread it", async () => {
    open({ journal });
    await world.bring("a", ["M1 10"]);
    const newer = readFileSync(journal, "utf8").replace('"version":1', '"version":2');
    writeFileSync(journal, newer);
    const refusal = expect.objectContaining({
      code: "journal-unreadable",
      message: expect.stringContaining("version 2"),
    });
    await expect(world.bring("b", ["M1 20"])).rejects.toThrow(refusal);
    world.loseLedger();
    await expect(rebuild()).rejects.toThrow(refusal);
    expect(readFileSync(journal, "utf8")).toBe(newer);
  });
});

it.each([
  ["in the middle", (whole: string) => whole.slice(0, 20)],
  ["so that zeros stand there", (whole: string) => "\0".repeat(whole.length - 1)],
])("a journal whose first line a power loss tore: %s begins again; another file is left alone", async (_, tear) => {
  open({ journal });
  const owner = { target: "a", baseUrl: "https://a.test", clientId: "a" };
  openJournal(journal, world.target.ledgerPath, owner).close();
  const whole = readFileSync(journal, "utf8");
  writeFileSync(journal, tear(whole));
  openJournal(journal, world.target.ledgerPath, owner).close();
  expect(readFileSync(journal, "utf8")).toBe(whole);
  writeFileSync(journal, "notes");
  expect(() => openJournal(journal, world.target.ledgerPath, owner)).toThrow(
    expect.objectContaining({ code: "journal-unreadable" }),
  );
  expect(readFileSync(journal, "utf8")).toBe("notes");
});

const golden = join(import.meta.dirname, "../../fixtures/journal/version-1.ndjson");

/** Every kind of entry: registered, created, landed, refused, dismissed, corrected, stranded and resolved, replaced. */
async function everything() {
  const mapping = (eventKey: string) =>
    weighingMapping({
      event: `
        key: ${eventKey}
        externalCreatedAt: =date
        attributes: { public: { Weight: =weight } }`,
    });
  const rows = ["M1,11222333000181,1,2026-01-01 10:00,5", "M1,11222333000181,2,2026-01-01 11:00,6"];
  const run = async (key: string, name: string, cells: string[]) => {
    await world.clock.run(world.clock.sleep(60_000));
    await importText(world, mapping(key), name, ["MTR,CNPJ,Ticket,Date,Weight", ...cells, ""].join("\n"), {
      journal,
    });
  };
  const byTicket = "=ticket";
  await run(byTicket, "march.csv", [...rows, "M2,11222333000181,3,soon,7", "M4,11222333000181,5,soon,7"]);
  dismiss({ input: "march.csv", row: ["4"] });
  world.setFaults(lostAnswers());
  await run(byTicket, "april.csv", ["M3,11222333000181,4,2026-01-02 10:00,8"]);
  world.setFaults([]);
  await run(byTicket, "may.csv", ["M4,11222333000181,5,2026-01-03 10:00,7"]);
  const documentId = world.documents().find(({ externalId }) => externalId === "M3")?.id ?? "";
  const document = world.withLedger((database) => findDocument(database, "M3"));
  resolveNamed(world.target, { document, documentId }, world.clock, {
    by: "a person",
    journal,
  });
  await replace("M1");
  await world.resume();
}

/** `intent.events[].key` and so on, of all entries; what a null might have held is unknown. */
function membersIn(path: string) {
  const found = new Set<string>();
  const walk = (name: string, value: unknown) => {
    if (Array.isArray(value)) for (const one of value) walk(`${name}[]`, one);
    else if (value !== null && typeof value === "object")
      for (const [member, inner] of Object.entries(value)) walk(`${name}.${member}`, inner);
    else found.add(name);
  };
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const { entry, ...members } = JSON.parse(line) as { entry: string };
    walk(entry, members);
  }
  return [...found].toSorted();
}

describe("the journal's format, version 1", () => {
  it("is the one that was frozen: no kind of entry and no member is added, left out or renamed", long, async () => {
    open({ journal });
    await everything();
    expect(membersIn(journal)).toEqual(membersIn(golden));
  });

  it("is read by this program: what landed, what was replaced, and what was decided", async () => {
    open();
    world.loseLedger();
    await rebuildLedger(world.target, { journal: golden, backup: null }, world.clock);
    expect(isSound()).toEqual([]);
    const [old, next] = (await world.show("M1")).documents;
    expect([old?.state, next?.state]).toEqual(["cancelled", "open"]);
    expect(next?.events.map(({ state }) => state)).toEqual(["landed", "landed"]);
    expect((await world.show("M3")).documents[0]).toMatchObject({ state: "open" });
    const count = (table: string) =>
      world.withLedger((database) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    expect([count("dismissals"), count("fingerprints")]).toEqual([2, 2]);
  });
});

it(
  "a ledger that missed an answer takes it from its journal: the document has its id, and nothing is left in doubt",
  long,
  async () => {
    open({ journal });
    await world.bring("a", ["M0 10"]);
    // Like a kill or a full disk, this comes between the journal's entry and the ledger's commit.
    world.withLedger((database) =>
      database.exec(
        `CREATE TABLE room (id INTEGER PRIMARY KEY, more INTEGER REFERENCES room (id) DEFERRABLE INITIALLY DEFERRED);
         CREATE TRIGGER no_room AFTER UPDATE OF result ON requests WHEN NEW.kind = 'create-with-events'
           BEGIN INSERT INTO room (more) VALUES (-1); END`,
      ),
    );
    await expect(world.bring("b", ["M1 10", "M1 20", "M2 10"])).rejects.toThrow("FOREIGN KEY");
    world.withLedger((database) => database.exec("DROP TRIGGER no_room; DROP TABLE room"));
    const last = lines().findLast(({ kind, entry }) => entry === "end" && kind === "create-with-events");
    // As after a full disk, where the run journals an answer once more while it ends.
    appendFileSync(journal, `${JSON.stringify(last)}\n`);
    const before = world.sandbox.dump();
    const notices: string[] = [];
    const { requests, open: left, exitCode } = await world.resume({ notices });
    expect([requests.sent, left.documents, left.events, exitCode]).toEqual([0, {}, {}, 0]);
    expect(notices).toContain("2 documents in doubt have their ids from the journal.");
    expect(world.sandbox.dump()).toBe(before);
    expect(isSound()).toEqual([]);
    const again = await world.bring("c", ["M1 30", "M2 5"]);
    expect(again.events).toEqual({ landed: 1 });
    expect(again.open.events).toEqual({ rejected: 1 });
  },
);

describe("a rebuilt ledger", () => {
  it("knows all that landed: the same rows cost no request", long, async () => {
    open({ journal });
    await world.import([story()]);
    const before = world.sandbox.dump();
    const ids = (await world.show("M5")).documents[0]?.events.map(({ eventId }) => eventId);
    world.loseLedger();
    expect(await rebuild()).toMatchObject({ participants: 2, addresses: 2, documents: 13, landed: 36, inDoubt: 0 });
    expect(isSound()).toEqual([]);
    const indexes = "SELECT count(*) FROM sqlite_master WHERE name LIKE '%rebuild%'";
    expect(world.withLedger((database) => database.prepare(indexes).pluck().get())).toBe(0);
    const again = await world.import([story()]);
    expect([again.requests.sent, again.rows.known, again.exitCode]).toEqual([0, 36, 0]);
    expect(isSound()).toEqual([]);
    expect(world.sandbox.dump()).toBe(before);
    const [document] = (await world.show("M5")).documents;
    expect(document?.events.map(({ eventId }) => eventId)).toEqual(ids);
    expect((await world.show("B1")).documents[0]?.documentId).toEqual(expect.any(String));
  });

  it("knows how far copies of others have moved a timeline on", long, async () => {
    open({ journal });
    const related = { document: "M2", bidirectional: true };
    await world.bring("a", ["M2 10", eventRow({ row: 3, document: "M1", minute: 20, name: "RELATED", related })]);
    await world.bring("b", ["M2 40 propagate"]);
    world.loseLedger();
    await rebuild();
    const late = await world.bring("c", ["M1 30"]);
    // The copy on M1 took place at minute 40: nothing is sent to be refused.
    expect(late.problems.map(({ code }) => code)).toEqual(["late"]);
  });

  it("says of what was stranded that a person is needed, as the lost one did", long, async () => {
    open({ journal });
    world.setFaults(lostAnswers());
    const one = [storyFile("a", ["M1 10"])];
    const before = await world.import(one);
    world.loseLedger();
    await rebuild();
    const after = await world.import(one);
    expect([before.exitCode, before.open]).toEqual([3, after.open]);
    expect(after.exitCode).toBe(3);
  });

  it("leaves a late event in doubt alone until its row brings its body again (H9)", long, async () => {
    const settings = { late: { refuse: false as const, attribute: "Original time", isPublic: true } };
    const first = [storyFile("a", ["M1 10"])];
    const late = [storyFile("b", ["M1 5"])];
    open({ journal, settings });
    await world.import(first);
    world.setFaults(lostAnswers(50));
    await world.import(late);
    world.setFaults([]);
    world.loseLedger();
    await rebuild();
    const waits = await world.import(first);
    expect([waits.exitCode, waits.open.events]).toEqual([3, { held: 1 }]);
    expect(answer(waits)).toBe("1 event waits for something that only you can settle. Nothing is lost.");
    expect((await world.bring("c", ["M2 10"])).events).toEqual({ landed: 1 });
    expect(await world.import(late)).toMatchObject({ exitCode: 0, open: { events: {} } });
    expect(world.documents()[0]?.events).toHaveLength(2);
  });

  it.each(["and its answer was lost", "and its process was killed"])(
    "does not know which of two contents landed that it sent, %s: no row in between is called late (H9)",
    async (mishap) => {
      const own = (minute: number, key: string) => eventRow({ row: minute, document: "M1", minute, key });
      const codes = async (file: StoryFile) => (await world.import([file])).problems.map(({ code }) => code);
      open({ journal });
      await world.bring("a", ["M1 10"]);
      world.setFaults(lostAnswers(50));
      await world.import([storyFile("b", [own(40, "b")])]);
      await world.import([storyFile("c", [own(60, "b")])]);
      world.setFaults([]);
      world.loseLedger();
      const text = readFileSync(journal, "utf8");
      if (mishap.includes("killed")) writeFileSync(journal, text.slice(0, text.trimEnd().lastIndexOf("\n") + 1));
      await rebuild();
      expect(await codes(storyFile("c", [own(60, "b")]))).toEqual(["changed"]);
      expect((await world.import([storyFile("d", [own(50, "d")])])).events).toEqual({ landed: 1 });
      expect(world.documents()[0]?.events.map(({ at }) => new Date(at).getUTCMinutes())).toEqual([10, 40, 50]);
      expect(await codes(storyFile("b", [own(40, "b")]))).toEqual(["changed"]);
      // What had changed when the ledger was lost is not taken for what landed.
      world.loseLedger();
      await rebuild();
      expect(await codes(storyFile("c", [own(60, "b")]))).toEqual(["changed"]);
    },
  );

  it("knows of timelines from before 1970 how far they have come", long, async () => {
    open({ journal });
    const rows = [-30e6, -20e6].map((minute, row) => eventRow({ row, document: "M1", minute }));
    await world.bring("a", rows);
    world.loseLedger();
    await rebuild();
    expect(isSound()).toEqual([]);
    const late = await world.bring("b", [eventRow({ row: 2, document: "M1", minute: -25e6 })]);
    expect(late.problems.map(({ code }) => code)).toEqual(["late"]);
  });

  it("takes no other ledger's place, and no other file for a journal", long, async () => {
    open({ journal });
    await world.bring("a", ["M1 10"]);
    await expect(rebuild()).rejects.toMatchObject({ code: "ledger-there-already" });
    world.loseLedger();
    const other = join(disk, "other.csv");
    writeFileSync(other, "a;b\n1;2\n");
    await expect(rebuildLedger(world.target, { journal: other, backup: null }, world.clock)).rejects.toMatchObject({
      code: "journal-unreadable",
    });
    expect(existsSync(world.target.ledgerPath)).toBe(false);
    appendFileSync(journal, "");
    await rebuild();
    expect(existsSync(world.target.ledgerPath)).toBe(true);
  });
});
