/** Mishaps of ledgers and journals, played: the wrong one, none at all, one that knows less. */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { systemClock } from "../../src/model/clock.js";
import { createSandbox } from "../../src/sandbox/index.js";
import type { TestWorld } from "../support/cli.world.js";
import { openOffice, openOfficeAt } from "../support/office.js";
import { weighings } from "../support/weighings.js";
import { sampled } from "../support/sample.js";

const rows = [
  ["Load", "At", "Gross"],
  ["L1", "2026-01-01 10:00", "5"],
  ["L2", "2026-01-01 10:00", "much"],
];

/** That read or write a ledger. */
const commands = [
  "status",
  "runs",
  "resume",
  "dismiss --document L2",
  "plan m.yaml loads.csv",
  "import m.yaml loads.csv",
  "ledger check",
  "ledger backup copy.db",
  "ledger prune --keep-for 1d",
];

test(
  "an empty file in the ledger's place is no new ledger, to no command: its rows would be sent again",
  long,
  async () => {
    const office = await openOfficeAt(createSandbox({}), weighings);
    await office.brought("loads.csv", rows);
    const ledger = office.path("state/env/ledger.db");
    writeFileSync(ledger, "");
    for (const command of commands) {
      const { code, err } = await office.type(...command.split(" "));
      expect({ command, code, err }).toEqual({ command, code: 1, err: expect.stringContaining("file is empty") });
      expect(statSync(ledger).size, command).toBe(0);
    }
  },
);

describe("a ledger of another service (F94)", () => {
  const elsewhere = "http://127.0.0.1:9";

  test("is neither read nor written, by any command", long, async () => {
    const office = await openOfficeAt(createSandbox({}), weighings);
    await office.brought("loads.csv", rows);
    const home = office.world.env["ROWFERRY_BASE_URL"] ?? "";
    const before = readFileSync(office.path("state/env/ledger.db"));
    office.world.env["ROWFERRY_BASE_URL"] = elsewhere;
    for (const command of [
      ...commands,
      "show L1",
      "show requests --since 2026-01-01",
      "rejects",
      "report",
      "verify",
      "retry --code not-a-number",
      "resolve L1 --document-id doc-1 --yes",
      "replace L1 --reason wrong",
      "doctor",
    ]) {
      const { code, out, err } = await office.type(...command.split(" "));
      expect({ command, code, out, err }).toEqual({
        command,
        code: 2,
        out: "",
        err: expect.stringContaining(`This ledger belongs to ${home} as client sandbox, not to ${elsewhere} as client`),
      });
      for (const help of ["--target", "--ledger", "rowferry ledger rebind", "state/env/ledger.db"])
        expect(err, command).toContain(help);
      expect(readFileSync(office.path("state/env/ledger.db")).equals(before), command).toBe(true);
    }
  });
});

describe("a ledger that could not be given to another address", () => {
  async function moved() {
    const office = await openOfficeAt(createSandbox({}), weighings);
    await office.brought("loads.csv", rows);
    const before = readFileSync(office.path("state/env/ledger.db"));
    office.world.env["ROWFERRY_BASE_URL"] = "http://127.0.0.1:9";
    office.world.clock = {
      now: () => office.world.now,
      sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
    };
    const isUnchanged = () => readFileSync(office.path("state/env/ledger.db")).equals(before);
    return { ...office, isUnchanged };
  }
  const again = "`rowferry ledger rebind --target env`";

  it.each(
    sampled<[string, number, string, (world: TestWorld) => unknown]>(
      [
        ["where the service is down, which is said", 4, "does not answer", () => {}],
        ["after Ctrl-C", 130, "", (world) => setTimeout(() => world.send("SIGINT"), 100)],
        ["after refused credentials", 4, "", ({ env }) => (env["ROWFERRY_CLIENT_SECRET"] = "wrong")],
      ],
      2,
    ),
  )("names the command again %s", async (_, exitCode, said, mishap) => {
    const { type, world, isUnchanged } = await moved();
    mishap(world);
    const { code, err } = await type("ledger", "rebind");
    expect({ code, err }).toEqual({ code: exitCode, err: expect.stringContaining(again) });
    expect(err).toContain(said);
    expect(err).not.toContain("resume");
    expect(isUnchanged()).toBe(true);
  });
});

test("a file of another program in the ledger's place (F65) is neither adopted nor changed, by any command", async () => {
  const office = await openOfficeAt(createSandbox({}), weighings);
  office.writeCsv("loads.csv", rows);
  const theirs = office.path("state/env/ledger.db");
  mkdirSync(dirname(theirs), { recursive: true, mode: 0o700 });
  const other = new Database(theirs);
  other.exec("CREATE TABLE facts (name TEXT, value TEXT); PRAGMA user_version = 1");
  other.close();
  chmodSync(theirs, 0o644);
  const before = readFileSync(theirs);
  for (const command of [...commands, "ledger rebind"]) {
    const { code, err } = await office.type(...command.split(" "));
    expect({ command, code, err }).toEqual({
      command,
      code: 2,
      err: expect.stringContaining("This file belongs to another program"),
    });
    expect(readFileSync(theirs).equals(before), command).toBe(true);
    expect(statSync(theirs).mode & 0o777, command).toBe(0o644);
    expect(readdirSync(dirname(theirs)).filter((name) => /-wal|-shm|part/.test(name))).toEqual([]);
  }
  expect(office.documents()).toEqual([]);
});

describe("a journal with a hole (F91)", () => {
  async function kept() {
    const office = openOffice(weighings);
    office.writeCsv("loads.csv", rows);
    office.writeCsv("more.csv", ["Load,At,Gross", "L3,2026-01-01 10:00,5"]);
    const journal = office.path("journal.ndjson");
    const importing = (name: string, ...flags: string[]) =>
      office.type("import", "m.yaml", office.path(name), ...flags);
    expect((await importing("loads.csv", "--journal", journal)).code).toBe(3);
    return { ...office, journal, importing };
  }

  it.each(
    sampled<[string, (journal: string) => string[]]>(
      [
        ["none is named, and it is gone", (journal) => (rmSync(journal), [])],
        ["it is gone", (journal) => (rmSync(journal), ["--journal", journal])],
        ["it is empty", (journal) => (writeFileSync(journal, ""), ["--journal", journal])],
        ["it is shorter", (journal) => (truncateSync(journal, statSync(journal).size - 20), ["--journal", journal])],
        ["it is another one", (journal) => ["--journal", `${journal}.2`]],
      ],
      2,
    ),
  )("is noticed before anything is sent or given up: %s", async (_, mishap) => {
    const { journal, importing, type, documents } = await kept();
    const flags = mishap(journal);
    for (const run of [
      () => importing("more.csv", ...flags),
      () => type("dismiss", "--document", "L2", ...flags),
      () => type("resume", ...flags),
    ]) {
      const { code, err } = await run();
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("journal.ndjson") });
      expect(err).toContain("--forget-journal");
      expect(documents()).toHaveLength(1);
    }
  });

  it("that lost its first line is told by status and doctor as by the next run; a restore names the way on", async () => {
    const { journal, type } = await kept();
    const [first = ""] = readFileSync(journal, "utf8").split("\n");
    expect((await type("ledger", "backup", "monday.db")).code).toBe(0);
    writeFileSync(journal, readFileSync(journal, "utf8").replace(first, "\0".repeat(first.length)));
    const words = "If this is the ledger's own journal, and damaged, make a backup that replaces it";
    expect((await type("resume")).said).toContain(words);
    expect((await type("status")).said).toContain(words);
    expect((await type("doctor")).said).toContain(words);
    expect(await type("ledger", "restore", "monday.db")).toMatchObject({
      code: 2,
      said: expect.stringContaining("move this file away"),
    });
    rmSync(journal);
    expect((await type("ledger", "restore", "monday.db")).code).toBe(0);
    expect((await type("resume")).code).toBe(3);
  });

  it("goes on where a command names none, and elsewhere when it was moved there", long, async () => {
    const { journal, importing, path, type, documents } = await kept();
    const before = statSync(journal).size;
    expect((await importing("more.csv")).code).toBe(3);
    expect(statSync(journal).size).toBeGreaterThan(before);
    copyFileSync(journal, path("elsewhere.ndjson"));
    appendFileSync(path("elsewhere.ndjson"), '{"entry":"int');
    expect((await type("dismiss", "--document", "L2", "--journal", path("elsewhere.ndjson"))).code).toBe(0);
    expect((await type("resume", "--journal", journal)).code).toBe(2);
    expect(documents()).toHaveLength(2);
  });

  it("names a lost ledger, leaves no new one behind, and the command that is printed makes it anew", long, async () => {
    const { journal, importing, path, type, documents } = await kept();
    for (const end of ["", "-wal", "-shm"]) rmSync(path(`state/sandbox/ledger.db${end}`), { force: true });
    const { code, err } = await importing("loads.csv", "--journal", journal);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("There is no ledger here") });
    expect(readdirSync(path("state/sandbox")).filter((name) => /^ledger\.db(-wal|-shm)?$/.test(name))).toEqual([]);
    const [, command = ""] = /Run `rowferry (ledger rebuild [^`]+)`/.exec(err.replaceAll(/\s+/g, " ")) ?? [];
    expect((await type(...command.split(" "))).code).toBe(0);
    expect((await importing("more.csv")).code).toBe(0);
    expect(documents()).toHaveLength(2);
  });

  it(
    "of a damaged ledger, the remedy that is printed works while the damaged file is there, and keeps it",
    long,
    async () => {
      const { journal, importing, path, type, documents } = await kept();
      expect((await type("ledger", "backup", "monday.db")).code).toBe(0);
      const ledger = path("state/sandbox/ledger.db");
      writeFileSync(ledger, readFileSync(ledger).fill("x", 4096, 8192));
      const { code, err } = await type("ledger", "check");
      const [, command = ""] = /`rowferry (ledger [^`]+)`/.exec(err.replaceAll(/\s+/g, " ")) ?? [];
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("damaged") });
      const typed = command.replace("<backup>", "monday.db").split(" ");
      expect((await type(...typed, "--journal", journal)).code).toBe(0);
      expect(readdirSync(dirname(ledger)).some((name) => name.startsWith("ledger.db.before-"))).toBe(true);
      expect((await importing("more.csv")).code).toBe(3);
      expect(documents()).toHaveLength(2);
    },
  );

  it("stays with its address where the ledger is given to another", long, async () => {
    const sandbox = createSandbox({});
    const office = await openOfficeAt(sandbox, weighings);
    office.writeCsv("loads.csv", rows);
    const journal = office.path("journal.ndjson");
    expect((await office.type("import", "m.yaml", "loads.csv", "--journal", journal)).code).toBe(3);
    office.world.env["ROWFERRY_BASE_URL"] = (office.world.env["ROWFERRY_BASE_URL"] ?? "").replace(
      "127.0.0.1",
      "localhost",
    );
    office.world.env["ROWFERRY_TOKEN_URL"] = (office.world.env["ROWFERRY_TOKEN_URL"] ?? "").replace(
      "127.0.0.1",
      "localhost",
    );
    const { code, out } = await office.type("ledger", "rebind");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("rowferry ledger backup <file>") });
    await office.ends(0, "ledger backup copy.db");
    await office.ends(3, "resume");
    expect((await office.type("resume", "--journal", office.path("new.ndjson"))).code).toBe(3);
  });

  it("of a lost one the ledger is backed up, a new one begins, and both rebuild the ledger", long, async () => {
    const { journal, importing, path, type, documents } = await kept();
    rmSync(journal);
    expect((await type("ledger", "backup", "copy.db", "--forget-journal")).code).toBe(0);
    expect((await importing("more.csv", "--journal", journal)).code).toBe(3);
    for (const end of ["", "-wal", "-shm"]) rmSync(path(`state/sandbox/ledger.db${end}`), { force: true });
    expect((await type("ledger", "rebuild", journal, "copy.db")).out).toContain("2 events landed");
    expect((await importing("more.csv", "--journal", journal)).code).toBe(3);
    expect(documents()).toHaveLength(2);
  });
});
