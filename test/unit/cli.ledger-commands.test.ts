/** The ledger's commands as typed: over the embedded sandbox, with the real pipeline. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../src/cli/pipeline.js";
import { jsonOf, type TestWorld, testWorld, type, typed as typedIn } from "../support/cli.world.js";
import { weighingMapping } from "../nights/simulation/yaml-import.js";

const mapping = weighingMapping({
  event: `
        key: =ticket
        externalCreatedAt: =date
        attributes: { public: { Weight: =kg } }`,
});
const rows = `MTR,CNPJ,Ticket,Date,Weight
M1,11222333000181,1,2026-01-01 10:00,5
M1,11222333000181,2,2026-01-01 11:00,\u001b[31mfive
M1,11222333000181,3,2026-01-01 12:00,6
M2,11222333000181,4,2026-01-01 10:00,7
`;

let world: TestWorld;
vi.stubEnv("LOGNAME", "ana");
beforeEach(async () => {
  world = testWorld({ files: { "weighings.yaml": mapping, "march.csv": rows }, pipeline });
  await type(world, "import", at("weighings.yaml"), at("march.csv"), "--journal", at("journal.ndjson"));
});

/** A path in the world's folder. */
function at(name: string) {
  return join(world.cwd, name);
}

const typed = (...argv: string[]) => typedIn(world, ...argv);
/** The last line of that type. */
const data = async (kind: string, ...argv: string[]): Promise<Record<string, unknown>> =>
  (await jsonOf(world, ...argv)).findLast((line) => line.type === kind) ?? {};

it.each(["resume", "retry", "verify", "ledger prune", "ledger backup copy.db --forget-journal", "ledger rebind"])(
  "%s of a mistyped ledger is refused, and leaves none there",
  async (words) => {
    const { code, err } = await typed(...words.split(" "), "--target", "sandbox", "--ledger", at("typo.db"));
    expect([code, err]).toEqual([2, expect.stringMatching(/no ledger here|sandbox keeps its records/)]);
    expect(readdirSync(world.cwd).filter((name) => /typo|copy/.test(name))).toEqual([]);
  },
);

describe("show", () => {
  it("of a row, a document, a participant and a run prints what became of them, harmless for a terminal (H35)", async () => {
    const row = await typed("show", "march.csv:3");
    expect([row.code, row.out]).toEqual([0, expect.stringContaining("march.csv, row 3: invalid")]);
    expect(row.out).toContain("␛[31mfive");
    expect(row.out).not.toContain("\u001b[31m");
    const document = await typed("show", "manifest/M1");
    expect(document.out).toContain("held (behind-invalid-row)");
    expect(document.out).toContain("waits for the correction of march.csv, row 3");
    expect((await typed("show", "11.222.333/0001-81")).out).toContain("participant CNPJ 11222333000181");
    expect((await typed("show", "2026-11-20T0200-import")).out).toContain(
      "4 = 0 skipped + 1 invalid + 0 known + 3 staged",
    );
  });

  it("requests says what was sent and what came back", async () => {
    const found = await typed("show", "requests", "--since", "2h");
    expect(found.out).toMatch(/create-with-events · manifest M1, 1 event: accepted/);
    expect(found.out).toMatch(/try 1: 201 after \d+ ms/);
    expect((await typed("show", "requests", "--since", "1999-01-01", "--before", "1999-01-02")).out).toContain(
      "Nothing was sent",
    );
    expect((await typed("show", "requests", "--since", "soon")).code).toBe(2);
  });

  it("of a row of a file with two columns of one name shows both", async () => {
    writeFileSync(
      at("april.csv"),
      "MTR,CNPJ,Ticket,Date,Weight,Note,Note\nM9,11222333000181,1,2026-01-01 10:00,x,one,two\n",
    );
    await type(world, "import", at("weighings.yaml"), at("april.csv"));
    expect((await typed("show", "april.csv:2")).out).toMatch(/Note \(column 6\): one\n\s+Note \(column 7\): two\n/);
  });

  it("--mapping prints the mapping as it was used for a row, with what it extends and without tables", async () => {
    writeFileSync(at("house.yaml"), "version: 2\ndefaults: { timezone: UTC }\n");
    writeFileSync(at("sites.csv"), "Site,Region\nNorth,N\n");
    const used = `${mapping}extends: house.yaml\ntables: { sites: { file: sites.csv, key: Site, columns: { region: Region } } }\n`;
    writeFileSync(at("weighings.yaml"), used);
    writeFileSync(at("april.csv"), "MTR,CNPJ,Ticket,Date,Weight\nM9,11222333000181,1,2026-01-01 10:00,7\n");
    await type(world, "import", at("weighings.yaml"), at("april.csv"));
    writeFileSync(at("weighings.yaml"), mapping);
    const [row] = (await data("show", "show", "april.csv:2", "--mapping"))["rows"] as { mappingText: string }[];
    expect(row?.mappingText).toBe(`${used}\n# house.yaml\nversion: 2\ndefaults: { timezone: UTC }\n`);
    const printed = (await typed("show", "april.csv:2", "--mapping")).out;
    expect(printed).toContain("weighings.yaml, as it was used");
    expect(printed).toContain("extends: house.yaml");
    const [plain] = (await data("show", "show", "april.csv:2"))["rows"] as { mappingText: null }[];
    expect(plain?.mappingText).toBeNull();
  });

  it("of something unknown says so and exits 2", async () => {
    const { code, err } = await typed("show", "nothing-like-it");
    expect([code, err]).toEqual([2, expect.stringContaining("The ledger knows nothing called nothing-like-it")]);
  });
});

describe("the way out of a rejected row", () => {
  it("rejects writes the file to correct and names the command; importing it finishes the job", async () => {
    const listed = await typed("rejects");
    expect([listed.code, listed.out]).toEqual([3, expect.stringContaining("march.csv, row 3")]);
    expect(listed.out).toContain("rowferry import weighings.yaml state/sandbox/rejects/march.rejected.csv --sandbox");
    const path = join(world.cwd, "state/sandbox/rejects/march.rejected.csv");
    writeFileSync(path, readFileSync(path, "utf8").replace(/^(M1,[^,]*,2,[^,]*),[^,]*/m, "$1,9"));
    expect(await type(world, "import", at("weighings.yaml"), path)).toBe(0);
    const none = await typed("rejects");
    expect([none.code, none.out]).toEqual([0, expect.stringContaining("No row to correct.")]);
  });

  it("rejects offers no correction of late rows, but the decision about them", async () => {
    const late = "M3,11222333000181,5,2026-01-01 10:00,5\n";
    writeFileSync(at("first.csv"), `MTR,CNPJ,Ticket,Date,Weight\n${late}`);
    writeFileSync(at("late.csv"), `MTR,CNPJ,Ticket,Date,Weight\n${late.replace(",5,", ",6,").replace("10:", "09:")}`);
    await type(world, "import", at("weighings.yaml"), at("first.csv"));
    const { out } = await typed("import", at("weighings.yaml"), at("late.csv"));
    expect(out).toContain("march.rejected.csv");
    expect(out).not.toContain("late.rejected.csv");
    const listed = await typed("rejects");
    expect(listed.out).toContain("rowferry import weighings.yaml state/sandbox/rejects/march.rejected.csv --sandbox");
    expect(listed.out).not.toContain("late.rejected.csv");
    expect(listed.out).toMatch(
      /rowferry status --sandbox\s+see what to decide about 1 row that no correction can send/,
    );
  });

  it("rejects has a row that was dismissed, pruned and reopened", async () => {
    await typed("dismiss", "--row", "march.csv:3");
    world.now += 1000;
    expect((await typed("ledger", "prune", "--keep-for", "0d")).code).toBe(0);
    await typed("dismiss", "--undo", "--row", "march.csv:3");
    expect((await typed("rejects")).out).toContain("correct 1 row in that file");
    expect((await typed("ledger", "check")).code).toBe(0);
  });

  it.each([
    ["--input", "marhc.csv", 'There is no input "marhc.csv". Did you mean "march.csv"?'],
    ["--input", "april.csv", 'There is no input "april.csv".'],
    ["--run", "2026-01-01T0000-import", 'There is no run "2026-01-01T0000-import".'],
    ["--code", "latee", 'There is no code "latee". Did you mean "late"?'],
    ["--document", "M9", "The ledger has no document M9."],
  ])("%s %s names nothing, which is a mistake of every command that selects", async (flag, name, said) => {
    for (const command of ["rejects", "retry", "dismiss", "withdraw", "replace"]) {
      if (command === "withdraw" && flag === "--code") continue;
      if (command === "replace" && flag === "--document") continue;
      const more = command === "replace" ? ["--reason", "x"] : command === "withdraw" ? ["--yes"] : [];
      const { code, out, err } = await typed(command, flag, name, ...more);
      expect([command, code, err]).toEqual([command, 2, expect.stringContaining(said)]);
      expect(out).toBe("");
    }
    expect((await typed("rejects", "--input", "april.csv")).err).toContain("There are march.csv.");
    // A name that is known selects nothing where nothing is open: that is no mistake of a list.
    expect((await typed("rejects", "--code", "late")).code).toBe(0);
  });

  it("dismiss needs a selector, is foreseen and kept with who did it, and releases what waited", async () => {
    expect((await typed("dismiss")).code).toBe(2);
    const foreseen = (await typed("dismiss", "--row", "march.csv:3", "--dry-run")).out;
    expect(foreseen).toContain("Nothing was changed. It would do this:");
    expect(foreseen).toMatch(/Dismissed: 1 row\..*Would send 1 event on 1 document with 1 request/s);
    expect((await typed("rejects")).code, "nothing was done").toBe(3);
    expect((await typed("dismiss", "--row", "march.csv:3")).out).toContain("Dismissed: 1 row.");
    expect(await type(world, "resume")).toBe(0);
    expect(await data("runs", "runs")).toMatchObject({
      runs: [
        { command: "resume", exitCode: 0 },
        { command: "dismiss", did: expect.stringMatching(/^dismissed: 1 row .*march.csv/), startedBy: "ana" },
        { command: "import" },
      ],
    });
    expect((await typed("runs")).out).toContain("-dismiss");
    expect((await typed("runs")).out).toContain("All by ana.");
  });

  it("dismiss asks before it gives up more than a handful of rows, and needs --yes where nobody can be asked", async () => {
    const wrong = Array.from({ length: 6 }, (_, index) => `X${index},11222333000181,${index},2026-01-01 10:00,x`);
    writeFileSync(at("many.csv"), ["MTR,CNPJ,Ticket,Date,Weight", ...wrong].join("\n"));
    expect(await type(world, "import", at("weighings.yaml"), at("many.csv"))).toBe(3);
    const open = async () => (await data("rejects", "rejects"))["rows"];
    const all = ["dismiss", "--input", "many.csv"];
    const before = await open();
    const refused = await typed(...all);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--yes")]);
    const questions: string[] = [];
    const answer = (text: string) => (question: string) => Promise.resolve((questions.push(question), text));
    world.ask = answer("5");
    expect((await typed(...all)).code).toBe(2);
    expect(questions).toEqual([expect.stringContaining("This gives up 6 rows on 6 documents.")]);
    expect(await open()).toEqual(before);
    world.ask = answer("6");
    expect((await typed(...all)).out).toContain("Dismissed: 6 rows.");
    expect((await typed("dismiss", "--undo", "--input", "many.csv")).code).toBe(0);
    delete world.ask;
    expect((await typed(...all, "--yes")).out).toContain("Dismissed: 6 rows.");
  });
});

it("an import that is interrupted while it reads is to be typed again: `resume` has nothing to go on with, and would say that all is well", async () => {
  const many = Array.from({ length: 30 }, (_, index) => `N${index},11222333000181,${index},2026-01-01 10:00,5`);
  writeFileSync(at("may.csv"), `MTR,CNPJ,Ticket,Date,Weight\n${many.join("\n")}\n`);
  world.stderr.text = "";
  const ended = type(world, "import", at("weighings.yaml"), at("may.csv"));
  world.send("SIGINT");
  expect(await ended).toBe(130);
  expect(world.err).toContain("Run the same command again: it reads the files from the beginning.");
  expect(world.err).not.toContain("resume");
  expect((await typed("status")).out.replace(/\s+/g, " ")).toMatch(
    /-import-2 has not staged its rows: .* run that import again/,
  );
  expect((await typed("runs")).out).not.toContain("can resume");
  const resumed = await typed("resume");
  expect(resumed.code).toBe(3);
  expect(resumed.out.replace(/\s+/g, " ")).toContain("none of them is in the ledger. Run that import again.");
  await type(world, "import", at("weighings.yaml"), at("may.csv"));
  expect((await typed("status")).out).not.toContain("has not staged");
});

describe("replace, resolve and verify", () => {
  it("replace plans, says what will happen, and the next run sends it", async () => {
    const { code, out } = await typed("replace", "manifest/M2", "--reason", "wrong weight");
    expect([code, out]).toEqual([0, expect.stringContaining("manifest M2: generation 2 is planned with 1 event.")]);
    expect(out).toContain("Nothing was sent yet.");
    await type(world, "resume");
    expect((await typed("show", "M2")).out).toMatch(
      /manifest M2, generation 1: cancelled, replaced[^]*generation 2: open/,
    );
    expect((await typed("replace", "M2")).code).toBe(2);
  });

  it("resolve asks a person, takes no other word than the key, and needs --yes where nobody is there", async () => {
    const ledger = join(world.cwd, "state/sandbox/ledger.db");
    const { default: Database } = await import("better-sqlite3");
    const database = new Database(ledger);
    const strand = () =>
      database.exec(`DELETE FROM document_states WHERE document_id = (SELECT id FROM documents WHERE key = 'M2');
        INSERT INTO document_states (document_id, state, reason, changed_at) SELECT id, 'stranded', 'document-stranded', 0 FROM documents WHERE key = 'M2'`);
    const id = String(
      database
        .prepare("SELECT service_id FROM document_states s JOIN documents d ON d.id = s.document_id WHERE d.key = 'M2'")
        .pluck()
        .get(),
    );
    strand();
    const resolve = () => typed("resolve", "M2", "--document-id", id);
    expect(await resolve()).toMatchObject({
      code: 2,
      err: expect.stringContaining("Not a terminal, so nobody can confirm"),
    });
    world.ask = () => Promise.resolve("yes");
    expect((await resolve()).code).toBe(2);
    const questions: string[] = [];
    world.ask = (question) => Promise.resolve(questions.push(question) > 0 ? "M2" : null);
    expect((await resolve()).code).toBe(0);
    expect(questions[0]).toContain(`manifest M2 gets the id ${id}; this cannot be undone.`);
    strand();
    expect((await typed("resolve", "M2", "--document-id", "nowhere", "--yes")).code).toBe(2);
    expect((await typed("resolve", "M2", "--document-id", id, "--yes")).out).toContain(
      "agrees: deduplicationId is rf1-",
    );
    database.close();
  });

  it("resolve takes a person's word on what is in doubt, asks first, and keeps who said so", async () => {
    const { default: Database } = await import("better-sqlite3");
    const database = new Database(join(world.cwd, "state/sandbox/ledger.db"));
    database.exec(
      `DELETE FROM event_states WHERE event_id = 1;
       INSERT INTO event_states (document_id, event_id, state, reason, doubt, changed_at)
         SELECT document_id, id, 'stalled', 'doubt-unsettled', 1, 0 FROM events WHERE id = 1`,
    );
    database.close();
    for (const words of [[], ["--landed", "--not-landed"], ["--landed", "--document-id", "x"]])
      expect(await typed("resolve", "march.csv:2", ...words)).toMatchObject({
        code: 2,
        err: expect.stringContaining("one of --document-id, --landed and --not-landed"),
      });
    expect((await typed("resolve", "march.csv:2", "--landed")).err).toContain("Not a terminal, so nobody can confirm");
    const questions: string[] = [];
    world.ask = (question) => Promise.resolve(questions.push(question) > 0 ? "M1" : null);
    const { code, out } = await typed("resolve", "march.csv:2", "--landed", "--by", "Anna\u001b[31m");
    expect([code, out]).toEqual([0, expect.stringContaining("In doubt on manifest M1 (documentId ")]);
    expect(out).toMatch(/2026-01-01 \d\d:00:00 {2}Weighing {2}rf1-[0-9a-f]{40}/);
    expect(questions[0]).toContain("You have seen this event on the timeline of manifest M1");
    const shown = await typed("show", "march.csv:2");
    expect(shown.out).toContain("looked at the service: it has landed");
    expect(shown.out).toContain("Anna␛[31m");
    expect(await typed("resolve", "march.csv:2", "--landed", "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Nothing of march.csv:2 is in doubt."),
    });
  });
});

describe("ledger", () => {
  it("backup, check and prune say what they did; a second backup overwrites nothing", async () => {
    expect((await typed("ledger", "backup", "copy.db")).out).toContain("Backed up to copy.db");
    expect((await typed("ledger", "backup", "copy.db")).code).toBe(2);
    expect(await typed("ledger", "check")).toMatchObject({ code: 0, out: expect.not.stringContaining("BROKEN") });
    expect((await typed("ledger", "prune", "--keep-for", "90d")).out).toContain("0 bodies");
    expect((await typed("ledger", "prune", "--keep-for", "soon")).code).toBe(2);
    expect((await typed("ledger")).code).toBe(0);
  });
});

it("`ledger rebind` without a target says that the sandbox has nothing to bind, and nothing of another tenant", async () => {
  const here = testWorld({ pipeline });
  expect(await type(here, "ledger", "rebind")).toBe(2);
  expect(here.err).toContain("with --target");
  expect(here.err).not.toContain("another tenant");
});
