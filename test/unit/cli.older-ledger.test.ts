/** A ledger restored from a copy that is older than what was sent: nothing is doubled, and the journal brings the rest back (H40). */
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createTargets, overviewOf } from "../../src/console/overview.js";
import type { Summary } from "../../src/model/summary.js";
import { openOffice } from "../support/office.js";
import { loads, loadsWith, weighings, weighingsWith, weights } from "../support/weighings.js";
import { sampled } from "../support/sample.js";

const rows = (...words: string[]) => loadsWith(["What"], ...words);
const first = "A1 10 1 Weighing";
const all = [first, "A1 20 1 Weighing", "A2 20 1 Weighing", "A2 30 1 CLOSE"];

/** An office with two nights behind it, and a copy of its ledger from between them. */
async function twoNights(second = all) {
  const office = openOffice(weighingsWith({ columns: { what: "What" }, event: { name: "=what" } }));
  const { world, path, type } = office;
  const imported = async (file: string, journal: string, ...flags: string[]) => {
    const { code, out } = await type("import", "m.yaml", file, "--journal", journal, "--json", ...flags);
    const last = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as Partial<Summary>;
    return { code, sent: last.requests?.sent ?? null, known: last.rows?.known ?? null };
  };
  const done = async (...argv: string[]) => expect((await type(...argv)).code).toBe(0);
  const lose = () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path("state/sandbox/ledger.db")}${end}`, { force: true });
  };
  office.writeCsv("first.csv", rows(first));
  office.writeCsv("all.csv", rows(...second));
  expect((await imported("first.csv", "journal.ndjson")).code).toBe(0);
  await done("ledger", "backup", "copy.db");
  expect((await imported("all.csv", "journal.ndjson")).code).toBe(0);
  return {
    ...office,
    world,
    lose,
    restore() {
      lose();
      copyFileSync(path("copy.db"), path("state/sandbox/ledger.db"));
    },
    forget: () => done("ledger", "backup", "now.db", "--forget-journal"),
    rebuild: () => done("ledger", "rebuild", "journal.ndjson", "copy.db"),
    bring: (journal = "journal.ndjson", ...flags: string[]) => imported("all.csv", journal, ...flags),
    dump: async () => (await type("sandbox", "dump")).out,
  };
}
const nothingNew = { code: 0, sent: 0, known: 4 };

describe("a backup is refused by its own name", () => {
  it("that is no ledger, and the ledger stays", async () => {
    const { path, type } = await twoNights();
    writeFileSync(path("notes.csv"), "Load,At,Gross\n".repeat(20));
    expect(await type("ledger", "restore", "notes.csv")).toMatchObject({
      code: 2,
      err: expect.stringContaining("notes.csv: This file is not a ledger."),
    });
    expect((await type("ledger", "check")).code).toBe(0);
  });

  it("of another target's ledger", long, async () => {
    const { world, type } = await twoNights();
    Object.assign(world.env, {
      ROWFERRY_BASE_URL: "http://127.0.0.1:9",
      ROWFERRY_TOKEN_URL: "http://127.0.0.1:9/token",
      ROWFERRY_CLIENT_ID: "x",
      ROWFERRY_CLIENT_SECRET: "y",
    });
    expect(await type("ledger", "restore", "copy.db")).toMatchObject({
      code: 2,
      err: expect.stringContaining("copy.db: This ledger belongs to "),
    });
  });
});

describe("a backup is put back", () => {
  it("with the journal that the ledger remembers: it knows what was sent since", long, async () => {
    const { path, type, bring, dump } = await twoNights();
    const sent = await dump();
    const restored = await type("ledger", "restore", "copy.db");
    expect(restored).toMatchObject({
      code: 0,
      out: expect.stringMatching(/journal\.ndjson supplied[^]*4 events landed/),
    });
    const status = await type("status");
    expect(status.out).toMatch(/nothing that this ledger knows of[^]*not sent may be missing[^]*rowferry import </);
    expect(status.out).not.toContain("It does not know");
    rmSync(path("state/sandbox/ledger.db"));
    expect((await type("ledger", "restore", "copy.db", "--journal", "journal.ndjson")).code).toBe(0);
    expect(await bring()).toEqual(nothingNew);
    expect((await type("status")).out).toContain("all is well. Nothing is open.");
    expect(await dump()).toBe(sent);
  });

  it("with an older copy of its journal: what was decided since stays, and both are to be kept", long, async () => {
    const office = openOffice(weighings);
    const { path, ends } = office;
    office.writeCsv("w.csv", loads("L1 10 x", "L1 20 2"));
    await ends(3, `import m.yaml w.csv --journal ${path("journal.ndjson")}`);
    await ends(0, "dismiss --row w.csv:2");
    copyFileSync(path("journal.ndjson"), path("older.ndjson"));
    await ends(0, "dismiss --undo --row w.csv:2");
    await ends(0, "ledger backup copy.db");
    copyFileSync(path("older.ndjson"), path("journal.ndjson"));
    await ends(0, "ledger restore copy.db", "Keep this backup for as long as the journal");
    await ends(3, "import m.yaml w.csv");
    expect(office.documents()).toEqual([]);
    // A later decision counts.
    await ends(0, "dismiss --row w.csv:2");
    await ends(0, "ledger restore copy.db");
    await ends(0, "import m.yaml w.csv");
    expect(weights(office)).toEqual(["L1 20 2"]);
    await ends(0, "ledger check");
  });

  it("says that what was withdrawn since is to be withdrawn again: no journal knows of it", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", loads("L1 10 1", "L2 10 1", "L2 20 1"));
    await office.ends(0, "import m.yaml w.csv --limit 1 --journal journal.ndjson");
    await office.ends(0, "ledger backup copy.db");
    await office.ends(0, "withdraw --input w.csv --yes");
    await office.ends(0, "ledger restore copy.db", "2 events of this backup wait to be sent.");
    await office.ends(0, "withdraw --input w.csv --yes");
    await office.ends(0, "ledger backup now.db");
    expect((await office.type("ledger", "restore", "now.db")).out).not.toContain("to be sent");
  });

  it("without one: `status` says what is unknown, and what it says to type works", long, async () => {
    const { path, type, bring } = await twoNights();
    renameSync(path("journal.ndjson"), path("away.ndjson"));
    await type("ledger", "restore", "copy.db");
    const status = await type("status");
    expect(status.out).not.toContain("all is well. Nothing");
    expect(status.out).toMatch(
      /restored from a backup of [^]*does not know[^]*rowferry ledger restore <backup> --journal/,
    );
    expect((await type("ledger", "restore", "copy.db", "--journal", "away.ndjson", "--sandbox")).code).toBe(0);
    expect(await bring("away.ndjson")).toEqual(nothingNew);
    expect((await type("status")).out).toContain("all is well. Nothing is open.");
  });

  it(
    "without one: nothing settles what is unknown but its files, and a verify of everything after them",
    long,
    async () => {
      const { world, path, type, bring, documents } = await twoNights();
      renameSync(path("journal.ndjson"), path("away.ndjson"));
      const { out: told } = await type("ledger", "restore", "copy.db");
      expect(told).toMatch(/its own, journal\.ndjson, is missing[^]*restore copy\.db --journal journal\.ndjson/);
      const here = createTargets({ cwd: world.cwd, env: {} });
      const isUnknown = async () => {
        const { restored } = overviewOf("sandbox", here, world.cwd, world.now);
        const { out } = await type("status");
        expect(restored !== null).toBe(out.includes("It does not know"));
        return restored !== null;
      };
      const id = documents().find(({ externalId }) => externalId === "A2")?.id ?? "";
      await type("verify");
      expect(await isUnknown()).toBe(true);
      expect((await bring("new.ndjson")).code).toBe(3);
      await type("resolve", "A2", "--document-id", id, "--yes");
      await type("dismiss", "--code", "foreign-collision", "--yes");
      await type("resume");
      await type("dismiss", "--code", "foreign-collision", "--yes");
      await type("verify", "--document", "A1");
      expect(await isUnknown()).toBe(true);
      await type("resume");
      // An accepted CLOSE closes its document, and no more once that is taken back.
      expect(await type("verify")).toMatchObject({
        code: 0,
        out: expect.stringContaining("agree, as far as reads can show"),
      });
      expect(await isUnknown()).toBe(false);
      for (const [flag, state] of [
        ["--undo", "open"],
        ["--yes", "closed"],
      ] as const) {
        await type("dismiss", "--code", "foreign-collision", flag);
        expect((await type("show", "load/A2")).out).toContain(`load A2: ${state}`);
      }
    },
  );

  it.each(
    sampled(
      [
        ["restore", "notes.csv"],
        ["restore", "copy.db", "--journal", "nowhere.ndjson"],
        ["rebuild", "journal.ndjson", "notes.csv"],
      ],
      3,
    ),
  )("or nothing is: %s of %s leaves no folder, and no file in one that was there", async (...command) => {
    const { world, path, type } = await twoNights();
    writeFileSync(path("notes.csv"), "Load,At,Gross\n".repeat(20));
    for (const ledger of ["new/deep/ledger.db", "ledger.db"]) {
      expect(await type("ledger", ...command, "--sandbox", "--ledger", path(ledger))).toMatchObject({ code: 2 });
      expect(readdirSync(world.cwd).filter((name) => /^new|^ledger/.test(name))).toEqual([]);
    }
  });
});

describe("a ledger older than its journal", () => {
  it("is refused before anything is sent; rebuilt over the copy, it knows all", long, async () => {
    const { world, restore, lose, bring, rebuild, dump } = await twoNights();
    const sent = await dump();
    for (const older of [restore, lose]) {
      older();
      expect(await bring()).toEqual({ code: 2, sent: null, known: null });
      expect(world.out + world.err).toContain("ledger-behind-journal");
      expect(await dump()).toBe(sent);
      lose();
      await rebuild();
      expect(await bring()).toEqual(nothingNew);
    }
    expect(await dump()).toBe(sent);
  });

  it("is its own backup for the command that the refusal names", long, async () => {
    const { world, type, restore, bring } = await twoNights();
    restore();
    await bring();
    const [, words = ""] = /`rowferry (ledger restore [^`]+)`/.exec(world.out + world.err) ?? [];
    expect((await type(...words.split(/\s+/))).code).toBe(0);
    expect(await bring()).toEqual(nothingNew);
  });

  it("is none where a journal is new, or the sandbox is emptied", long, async () => {
    const { path, bring, forget, dump } = await twoNights();
    await forget();
    expect(await bring("new.ndjson")).toEqual(nothingNew);
    expect((await bring("journal.ndjson", "--fresh")).code).toBe(0);
    expect(await bring()).toEqual(nothingNew);
    expect(await dump()).toContain("A2");
    expect(readFileSync(path("journal.ndjson"), "utf8")).toContain("landed");
  });
});
