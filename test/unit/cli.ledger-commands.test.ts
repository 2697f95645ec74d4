/** The ledger's commands as typed: over the embedded sandbox, with the real pipeline. */
import { appendFileSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import exceljs from "exceljs";
import { openDrafts } from "../../src/ledger/drafts.js";
import { lockLedger } from "../../src/ledger/care/lock.js";
import { systemClock } from "../../src/model/clock.js";
import { hurried, jsonOf } from "../support/cli.world.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { mapping } from "../support/mapping.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { loads, loadsWith, weighings, weighingsWith } from "../support/weighings.js";
import { sampled } from "../support/sample.js";

let office: Office;
vi.stubEnv("LOGNAME", "ana");
beforeEach(async () => {
  office = openOffice(weighings);
  office.writeCsv("march.csv", loads("L1 10 5", "L1 20 \u001b[31mfive", "L1 30 6", "L2 10 7"));
  await typed("import", "m.yaml", "march.csv", "--journal", "journal.ndjson");
});

const typed: Office["type"] = (...argv) => office.type(...argv);
/** The last line of that type. */
const data = async (kind: string, ...argv: string[]): Promise<Record<string, unknown>> =>
  (await jsonOf(office.world, ...argv)).findLast((line) => line.type === kind) ?? {};
const refused = (said: string) => expect.objectContaining({ code: 2, err: expect.stringContaining(said) });
const shows = (said: string) => expect.objectContaining({ code: 0, said: expect.stringContaining(said) });

/** A person at the terminal who gives these words; what was asked. */
function answering(word: string) {
  const questions: string[] = [];
  office.world.ask = (question) => Promise.resolve((questions.push(question), word));
  return questions;
}

/** Changes the ledger by hand. */
function inLedger<Found>(work: (database: Database.Database) => Found) {
  const database = new Database(office.path("state/sandbox/ledger.db"));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

it("a row that two sheets of a workbook have is asked for by a name that only one has", async () => {
  office.writeMapping({
    ...weighings,
    inputs: { weighings: { ...weighings.inputs.weighings, excel: { sheet: ["May", "June"] } } },
  });
  const workbook = new exceljs.Workbook();
  for (const name of ["May", "June"]) workbook.addWorksheet(name).addRows(loads(`${name} 10 five`));
  await workbook.xlsx.writeFile(office.path("months.xlsx"));
  await office.ends(3, "import m.yaml months.xlsx");
  const { code, said } = await typed("dismiss", "--row", "months.xlsx:2");
  const june = /--row (\S+) for months\.xlsx, sheet "June", row 2/.exec(said)?.[1] ?? expect.fail(said);
  expect(code).toBe(2);
  await office.ends(0, `dismiss --row ${june} --yes`, "Dismissed: 1 row.");
  expect((await typed("rejects")).said).toContain('months.xlsx, sheet "May", row 2');
});

it("a forecast counts what the decision would make unsendable, not what is late already", long, async () => {
  office.writeCsv("late.csv", loads("L1 05 1", "L1 06 1"));
  expect((await typed("import", "m.yaml", "late.csv")).code).toBe(3);
  const { said } = await typed("dismiss", "--row", "march.csv:3", "--dry-run");
  expect(said).toContain("Would send 1 event");
  expect(said).not.toContain("could never be sent");
  await office.ends(0, "dismiss --row march.csv:3 --yes");
  await office.ends(3, "resume");
  // Its document, at which nothing is to be done otherwise, is looked at again.
  expect((await typed("dismiss", "--row", "late.csv:2", "--dry-run")).said).not.toContain("could never be sent");
});

it(
  "what a console imports as corrected there is neither given up nor taken back before that has ended",
  long,
  async () => {
    const ref = inLedger((database) =>
      database.prepare("SELECT substr(content_hash, 1, 8) || '-' || id || ':3' FROM inputs").pluck().get(),
    ) as string;
    const drafts = openDrafts(office.path("state/sandbox/drafts.db"));
    onTestFinished(drafts.close);
    drafts.send([ref], process.pid);
    for (const which of ["--row march.csv:3", "--document load/L1", "--input march.csv", "--code number-unreadable"]) {
      expect(await typed("dismiss", ...which.split(" "), "--yes"), which).toEqual(refused("are being imported"));
      if (which.startsWith("--code")) continue;
      expect(await typed("withdraw", ...which.split(" "), "--yes"), which).toEqual(refused("are being imported"));
    }
    expect((await typed("dismiss", "--row", "march.csv:4", "--yes")).code).toBe(0);
  },
);

it("a mistyped ledger is refused by every command, and none is left there", long, async () => {
  const commands = [
    "resume",
    "retry",
    "verify",
    "ledger prune",
    "ledger backup copy.db --forget-journal",
    "ledger rebind",
  ];
  for (const words of commands) {
    const { code, err } = await typed(...words.split(" "), "--target", "sandbox", "--ledger", "typo.db");
    expect([words, code, err]).toEqual([words, 2, expect.stringMatching(/no ledger here|sandbox keeps its records/)]);
  }
  expect(readdirSync(office.world.cwd).filter((name) => /typo|copy/.test(name))).toEqual([]);
});

it("a command that finds the ledger in use names --wait only where it takes it", long, async () => {
  await typed("ledger", "backup", "copy.db");
  const lock = await lockLedger(office.path("state/sandbox/ledger.db"), { wait: false, clock: systemClock });
  for (const words of ["ledger restore copy.db", "ledger rebuild journal.ndjson", "ledger prune", "retry"]) {
    const { code, err } = await typed(...words.split(" "));
    const takes = (await typed(...words.split(" "), "--help")).out.includes("--wait");
    expect([words, code, /add --wait/.test(err)]).toEqual([words, 5, takes]);
  }
  lock.release();
});

describe("show", () => {
  it(
    "of a row, a document, a participant and a run prints what became of them, harmless for a terminal (H35)",
    long,
    async () => {
      const row = await typed("show", "march.csv:3");
      expect(row).toEqual(shows("march.csv, row 3: invalid"));
      expect(row.out).toContain("␛[31mfive");
      expect(row.out).not.toContain("\u001b[31m");
      const document = await typed("show", "load/L1");
      expect(document).toEqual(shows("held (behind-invalid-row)"));
      expect(document).toEqual(shows("waits for the correction of march.csv, row 3"));
      await office.ends(0, "show 11.222.333/0001-81", "participant CNPJ 11222333000181");
      const run = await typed("show", "2026-11-20T0201-import");
      expect(run).toEqual(shows("4 = 0 skipped + 1 invalid + 0 known + 3 staged"));
      expect(await typed("show", "nothing-like-it")).toEqual(refused("The ledger has nothing called nothing-like-it"));
    },
  );

  it("requests says what was sent and what came back", long, async () => {
    const requests = (...since: string[]) => typed("show", "requests", "--since", ...since);
    expect((await requests("2h")).said).toMatch(
      /create-with-events · load L1, 1 event: accepted.*try 1: 201 after \d+ ms/,
    );
    expect(await requests("1999-01-01", "--before", "1999-01-02")).toEqual(shows("Nothing was sent"));
    expect(await requests("30m", "--before", "1h")).toEqual(refused("later than --before"));
    expect((await requests("soon")).code).toBe(2);
  });

  it("of a row of a file with two columns of one name shows both", async () => {
    await office.brought("april.csv", loadsWith(["Note", "Note"], "L9 10 x one two"));
    expect(await typed("show", "april.csv:2")).toMatchObject({
      said: expect.stringContaining("Note (column 4): one Note (column 5): two"),
    });
  });

  it(
    "--mapping prints the mapping as it was used for a row, with what it extends and without tables",
    long,
    async () => {
      writeFileSync(office.path("house.yaml"), "version: 2\ndefaults: { timezone: UTC }\n");
      writeFileSync(office.path("sites.csv"), "Site,Region\nNorth,N\n");
      const tables = { sites: { file: "sites.csv", key: "Site", columns: { region: "Region" } } };
      const used = mapping({ ...weighings, extends: "house.yaml", tables });
      office.writeMapping(used);
      await office.brought("april.csv", loads("L9 10 7"));
      office.writeMapping(weighings);
      const textOf = async (...argv: string[]) =>
        (await data("show", "show", "april.csv:2", ...argv))["rows"] as { mappingText: string | null }[];
      expect(await textOf("--mapping")).toMatchObject([
        { mappingText: `${used}\n# house.yaml\nversion: 2\ndefaults: { timezone: UTC }\n` },
      ]);
      expect(await textOf()).toMatchObject([{ mappingText: null }]);
      const printed = await typed("show", "april.csv:2", "--mapping");
      for (const words of ["m.yaml, as it was used", "extends: house.yaml"]) expect(printed).toEqual(shows(words));
    },
  );
});

describe("the way out of a rejected row", () => {
  const offered = "rowferry import m.yaml state/sandbox/rejects/march.rejected.csv --sandbox";

  it("rejects writes the file to correct and names the command; importing it finishes the job", long, async () => {
    const { code, out } = await typed("rejects");
    expect([code, out]).toEqual([3, expect.stringContaining("march.csv, row 3")]);
    expect(out).toContain(offered);
    const path = "state/sandbox/rejects/march.rejected.csv";
    writeFileSync(office.path(path), readFileSync(office.path(path), "utf8").replace(/^(L1,[^,]*:20),[^,]*/m, "$1,9"));
    expect((await typed("import", "m.yaml", path)).code).toBe(0);
    await office.ends(0, "rejects", "No row to correct.");
  });

  it("rejects keeps what a person has corrected in its file so far, and says where", async () => {
    await typed("rejects");
    const path = office.path("state/sandbox/rejects/march.rejected.csv");
    const written = readFileSync(path, "utf8");
    expect((await typed("rejects")).out).not.toContain("Kept");
    writeFileSync(path, written.replace(/^(L1,[^,]*:20),[^,]*/m, "$1,9"));
    const { said } = await typed("rejects");
    expect(said).toContain("Kept, because its content had changed: state/sandbox/rejects/march.rejected.csv.former");
    expect([readFileSync(path, "utf8"), readFileSync(`${path}.former`, "utf8")]).toEqual([
      written,
      expect.stringMatching(/^L1,[^,]*:20,9/m),
    ]);
    // Nothing has changed since.
    expect((await typed("rejects")).out).not.toContain("Kept");
  });

  it("rejects offers no correction of late rows, but the decision about them", long, async () => {
    await office.brought("first.csv", loads("L3 20 5"));
    office.writeCsv("late.csv", loads("L3 10 6"));
    const { out } = await typed("import", "m.yaml", "late.csv");
    expect(out).toContain("Earlier imports left");
    const listed = await typed("rejects");
    expect(listed.out).toContain(offered);
    for (const said of [out, listed.out]) expect(said).not.toContain("late.rejected.csv");
    expect(listed.said).toContain(
      "rowferry status --sandbox see what to decide about 1 row that no correction can send",
    );
  });

  it("rejects counts a row that contradicts another as status does, and writes both", async () => {
    await office.brought("twins.csv", loads("L8 10 5", "L8 10 6"));
    await office.ends(3, "rejects", "2 rows need you.");
    await office.ends(0, "status", "2 things need you.");
    expect(readFileSync(office.path("state/sandbox/rejects/twins.rejected.csv"), "utf8").match(/^L8/gm)).toHaveLength(
      2,
    );
  });

  it("rejects has a row that was dismissed and reopened", long, async () => {
    await typed("dismiss", "--row", "march.csv:3");
    await typed("dismiss", "--undo", "--row", "march.csv:3");
    expect((await typed("rejects")).out).toContain("correct 1 row in that file");
    await office.ends(0, "ledger check");
  });

  it.each(
    sampled(
      [
        ["--input", "marhc.csv", 'There is no input "marhc.csv". Did you mean "march.csv"?'],
        ["--input", "in/march.csv", 'There is no input "in/march.csv". Did you mean "march.csv"?'],
        ["--input", "april.csv", 'There is no input "april.csv".'],
        ["--run", "2026-01-01T0000-import", 'There is no run "2026-01-01T0000-import".'],
        ["--code", "latee", 'There is no code "latee". Did you mean "late"?'],
        ["--document", "L9", "The ledger has no document L9."],
      ],
      2,
    ),
  )("%s %s names nothing, which is a mistake of every command that selects", async (flag, name, said) => {
    for (const [command, not, ...more] of [
      ["rejects", ""],
      ["retry", ""],
      ["dismiss", ""],
      ["withdraw", "--code", "--yes"],
      ["replace", "--document", "--reason", "x"],
    ] as const)
      if (flag !== not) {
        const answer = await typed(command, flag, name, ...more);
        expect(answer, command).toEqual(refused(said));
        expect(answer.out).toBe("");
      }
  });

  it("a name that is known selects nothing where nothing is open: that is no mistake of a list", long, async () => {
    expect((await typed("rejects", "--input", "april.csv")).err).toContain("There are march.csv.");
    await office.ends(0, "rejects --code late");
  });

  it("dismiss needs a selector, is foreseen and kept with who did it, and releases what waited", long, async () => {
    await office.ends(2, "dismiss");
    const foreseen = await typed("dismiss", "--row", "march.csv:3", "--dry-run");
    expect(foreseen.said).toMatch(
      /Nothing was changed\. This would happen:.*Dismissed: 1 row\..*Would send 1 event on 1 document with 1 request/,
    );
    expect((await typed("rejects")).code, "nothing was done").toBe(3);
    await office.ends(0, "dismiss --row march.csv:3", "Dismissed: 1 row.");
    await office.ends(0, "resume");
    expect(await data("runs", "runs")).toMatchObject({
      runs: [
        { command: "resume", exitCode: 0 },
        { command: "dismiss", did: expect.stringMatching(/^dismissed: 1 row .*march.csv/), startedBy: "ana" },
        { command: "import" },
      ],
    });
    expect((await typed("runs")).said).toMatch(/-dismiss.*All by ana\./);
  });

  it(
    "dismiss asks before it gives up more than a handful of rows, and needs --yes where nobody can be asked",
    long,
    async () => {
      const wrong = Array.from({ length: 6 }, (_, index) => `X${index} 10 x`);
      expect((await office.brought("many.csv", loads(...wrong))).exitCode).toBe(3);
      const open = async () => (await data("rejects", "rejects"))["rows"];
      const all = ["dismiss", "--input", "many.csv"];
      const before = await open();
      expect(await typed(...all)).toEqual(refused("--yes"));
      const questions = answering("5");
      expect((await typed(...all)).code).toBe(2);
      expect(questions).toEqual([expect.stringContaining("This gives up 6 rows on 6 documents.")]);
      expect(await open()).toEqual(before);
      answering("6");
      expect(await typed(...all)).toEqual(shows("Dismissed: 6 rows."));
      await office.ends(0, "dismiss --undo --input many.csv");
      delete office.world.ask;
      expect(await typed(...all, "--yes")).toEqual(shows("Dismissed: 6 rows."));
    },
  );
});

it(
  "an import that is interrupted while it reads is to be typed again: `resume` has nothing to go on with, and would say that all is well",
  long,
  async () => {
    office.writeCsv("may.csv", loads(...Array.from({ length: 30 }, (_, index) => `N${index} 10 5`)));
    const ended = typed("import", "m.yaml", "may.csv");
    office.world.send("SIGINT");
    const { code, err } = await ended;
    expect([code, err]).toEqual([
      130,
      expect.stringContaining("Run the same command again: it reads the files from the beginning."),
    ]);
    expect(err).not.toContain("resume");
    expect((await typed("status")).said).toMatch(
      /-import was stopped before its rows were staged: .* Run that import again/,
    );
    expect((await typed("runs")).out).not.toContain("can resume");
    const resumed = await typed("resume");
    expect([resumed.code, resumed.said]).toEqual([
      3,
      expect.stringContaining("none of them is in the ledger. Run that import again."),
    ]);
    await typed("import", "m.yaml", "may.csv");
    expect((await typed("status")).out).not.toContain("before its rows");
  },
);

it("a refused file is told as that, and not as an import that still reads or was stopped", long, async () => {
  writeFileSync(office.path("june.xlsx"), "no workbook");
  await office.ends(3, "import m.yaml june.xlsx");
  const words =
    /-import-?\d* was refused before its rows were staged: none .* Correct what it named, then run that import/;
  const { said } = await typed("status");
  expect(said).toMatch(words);
  expect(said).toMatch(/Last run .*: needed a person; nothing was staged\./);
  const name = /\S+-import\S*/.exec(said)?.[0] ?? "";
  expect((await typed("report", name)).said).toContain(
    `there is no report of ${name}: the run is under way, was killed, or ended`,
  );
  expect(await typed("resume")).toMatchObject({ code: 3, said: expect.stringMatching(words) });
});

describe("replace, resolve and verify", () => {
  it("replace plans, says what will happen, and the next run sends it", long, async () => {
    const planned = await typed("replace", "load/L2", "--reason", "wrong weight");
    expect(planned).toEqual(shows("load L2: generation 2 is planned with 1 event."));
    expect(planned).toEqual(shows("Nothing was sent yet."));
    await typed("resume");
    expect((await typed("show", "L2")).said).toMatch(/load L2, generation 1: cancelled, replaced.*generation 2: open/);
    await office.ends(2, "replace L2");
  });

  it("replace says which row gives other fields of the document, which its file brings when it is imported again", async () => {
    const { load } = weighings.inputs.weighings.documents;
    const documents = { load: { ...load, fields: { type: "=kind" } } };
    office.writeMapping(weighingsWith({ columns: { kind: "Kind" }, documents }));
    await office.brought("may.csv", loadsWith(["Kind"], "L9 10 7 I", "L9 20 7 I"));
    await office.brought("june.csv", loadsWith(["Kind"], "L9 10 8 II", "L9 20 7 II", "L90 10 7 I"));
    await office.brought("july.csv", loadsWith(["Kind"], "L90 10 7 II"));
    const planned = await typed("replace", "L9", "--reason", "wrong weight");
    expect(planned).toEqual(shows("It keeps its fields and parties, although june.csv, row 2 gives others."));
    expect(planned.said).toMatch(/rowferry import <mapping> <file>.*rowferry resume/);
    await typed("import", "m.yaml", "june.csv");
    expect(office.documents().at(-1)?.fields).toMatchObject({ type: "II" });
    expect((await typed("replace", "L9", "--reason", "again")).said).not.toContain("gives others");
  });

  it(
    "resolve asks a person, takes no other word than the key, and needs --yes where nobody is there",
    long,
    async () => {
      const strand = () =>
        inLedger((database) => {
          const there = database.prepare<[], { document_id: number; service_id: string }>(
            "DELETE FROM document_states WHERE document_id = (SELECT id FROM documents WHERE key = 'L2') RETURNING *",
          );
          const { document_id, service_id } = there.get() ?? expect.fail("no document");
          database
            .prepare(
              "INSERT INTO document_states (document_id, state, reason, changed_at) VALUES (?, 'stranded', 'document-stranded', 0)",
            )
            .run(document_id);
          return service_id;
        });
      const id = strand();
      const resolve = (...more: string[]) => typed("resolve", "L2", "--document-id", id, ...more);
      expect(await resolve()).toEqual(refused("Not a terminal, so nobody can confirm"));
      answering("yes");
      expect((await resolve()).code).toBe(2);
      const questions = answering("L2");
      expect((await resolve()).code).toBe(0);
      expect(questions[0]).toContain(`load L2 gets the id ${id}; this cannot be undone.`);
      strand();
      await office.ends(2, "resolve L2 --document-id nowhere --yes");
      expect(await resolve("--yes")).toEqual(shows("agrees: deduplicationId is rf1-"));
      expect(await resolve("--yes")).toEqual(shows("load L2 has this id already."));
      strand();
      await office.ends(2, "replace --input march.csv --reason lost --yes");
      const all = "replace --code document-stranded --reason lost --yes";
      await office.ends(0, all, "load L2: generation 2 is planned with 1 event");
    },
  );

  it("resolve takes a person's word on what is in doubt, asks first, and keeps who said so", long, async () => {
    inLedger((database) =>
      database.exec(
        `DELETE FROM event_states WHERE event_id = 1;
         INSERT INTO event_states (document_id, event_id, state, reason, doubt, changed_at)
           SELECT document_id, id, 'stalled', 'doubt-unsettled', 1, 0 FROM events WHERE id = 1`,
      ),
    );
    const resolve = (...words: string[]) => typed("resolve", "march.csv:2", ...words);
    for (const words of [[], ["--landed", "--not-landed"], ["--landed", "--document-id", "x"]])
      expect(await resolve(...words)).toEqual(refused("one of --document-id, --landed and --not-landed"));
    expect(await resolve("--landed")).toEqual(refused("Not a terminal, so nobody can confirm"));
    const questions = answering("L1");
    const answer = await resolve("--landed", "--by", "Anna\u001b[31m");
    expect(answer).toEqual(shows("In doubt on load L1 (documentId "));
    expect(answer.out).toMatch(/2026-01-01 \d\d:10:00 {2}Weighing {2}rf1-[0-9a-f]{40}/);
    expect(questions[0]).toContain("You have seen 1 event on the timeline of load L1");
    const shown = await typed("show", "march.csv:2");
    for (const words of ["looked at the service: it has landed", "Anna␛[31m"]) expect(shown).toEqual(shows(words));
    expect(await resolve("--landed", "--yes")).toEqual(
      shows("What was in doubt about march.csv:2 is settled as you say."),
    );
    expect(await resolve("--not-landed", "--yes")).toEqual(refused("Nothing about march.csv:2 is in doubt."));
  });
});

/** The first is as a stopped command would have made it; the second is told so. */
async function eachTypedTwice(decisions: readonly [decision: string, again: string][]) {
  for (const [decision, again] of decisions) {
    await office.ends(0, decision);
    await office.ends(0, decision, again);
  }
}

it("a decision that a stopped command had made already is told as done", long, async () => {
  await office.brought("may.csv", loads("L7 2999-01-01T10:00 5"));
  await eachTypedTwice([
    ["dismiss --row march.csv:3", "All that these selectors match is dismissed already."],
    ["dismiss --undo --row march.csv:3", "What these selectors match is open; none of it is dismissed."],
    ["replace load/L2 --reason wrong", "Generation 2 of load L2 is planned already, and not sent yet."],
    ["withdraw --input may.csv --yes", "What these selectors match was taken back already."],
  ]);
  await office.ends(2, "dismiss --row march.csv:2", "No open record matches");
});

it("a decision whose selectors fit nothing any more, because a stopped command made it, is told as done", async () => {
  await office.brought("late.csv", loads("L2 05 1", "L1 25 4", "L3 2999-01-01T10:00 5"));
  await eachTypedTwice([
    ["dismiss --code behind-invalid-row --document load/L1 --yes", "The last decision was this: dismissed: 2 events"],
    ["withdraw --document load/L3 --yes", "The last decision was this: taken back: 1 row, 1 event"],
    ["replace --code late --reason wrong --yes", "The last decision was this: load L2: generation 2 planned (wrong)."],
    ["withdraw --document load/L2 --yes", "The last decision was this: taken back: 1 replacement (document load/L2)."],
  ]);
  await office.ends(0, "dismiss --row march.csv:3");
  await office.ends(0, "withdraw --document load/L2 --yes", "Taken back: 1 row, 1 event");
  await office.ends(2, "replace --code late --reason wrong --yes", "No open record matches these selectors.");
});

it.each(["/participants", "/participants/{participantId}/addresses"])(
  "the forecast of a retry counts the second looks: %s",
  async (path) => {
    const sandbox = createSandbox({});
    const there = await openOfficeAt(sandbox, weighings);
    sandbox.setFaults([{ match: { method: "POST", path }, action: { kind: "status", status: 400, when: "before" } }]);
    expect((await there.brought("march.csv", loads("L1 10 5"))).exitCode).toBe(3);
    sandbox.setFaults([]);
    hurried(there.world);
    const [foreseen] = (await jsonOf(there.world, "retry", "--dry-run")).slice(-1);
    const { byKind } = (await there.run("retry")).requests;
    const sent = Object.entries(foreseen?.["requests"] as { [kind: string]: number }).filter(([, count]) => count > 0);
    expect(Object.fromEntries(sent)).toEqual(byKind);
  },
);

it("dismiss asks also before it gives up the rows that wait for a stranded document, and counts them", async () => {
  const sandbox = createSandbox({});
  const there = await openOfficeAt(sandbox, weighings);
  hurried(there.world);
  const match = { method: "POST", path: "/documents/events" } as const;
  sandbox.setFaults([{ match, times: 100, action: { kind: "drop", when: "after" } }]);
  await there.brought("first.csv", loads("L1 10 5"));
  sandbox.setFaults([]);
  await there.brought("more.csv", loads(...Array.from({ length: 7 }, (_, at) => `L1 2${at} 5`)));
  expect((await there.type("status")).said).toContain("document-stranded");
  await there.ends(2, "dismiss --document load/L1", "This gives up 8 rows on 1 document.");
  await there.ends(0, "dismiss --document load/L1 --yes", "Dismissed: 7 events, 1 document.");
});

it("dismiss counts a row once that came again with its file", async () => {
  const late = Array.from({ length: 6 }, (_, at) => `L2 0${at} 5`);
  await office.brought("late.csv", loads(...late));
  await office.brought("late.csv", loads(...late, "L2 40 5"));
  await office.ends(2, "dismiss --code late", "This gives up 6 rows on 1 document.");
});

it("a dismissal by what rows waited for is undone by the selectors that --undo names", async () => {
  await office.ends(0, "dismiss --code behind-invalid-row");
  await office.ends(2, "dismiss --undo --code behind-invalid-row", "write --code dismissed");
  await office.ends(0, "dismiss --undo --code dismissed", "Open again: 1 event.");
});

it("a rebuild that was stopped when its ledger was in place already is told as done, and no other ledger is", async () => {
  await office.ends(0, "ledger backup monday.db");
  rmSync(office.path("state"), { recursive: true });
  for (const line of ["ledger rebuild journal.ndjson", "ledger rebuild journal.ndjson monday.db"]) {
    await office.ends(0, line, "rowferry import");
    await office.ends(0, line, "rebuilt from this journal already");
    await office.ends(
      2,
      line.endsWith("db") ? "ledger rebuild journal.ndjson" : `${line} monday.db`,
      "already a ledger",
    );
    await office.ends(3, "import m.yaml march.csv");
    await office.ends(2, line, "already a ledger");
    rmSync(office.path("state"), { recursive: true });
  }
});

it("ledger backup, check and prune say what they did; a second backup overwrites nothing", long, async () => {
  await office.ends(0, "ledger backup copy.db", "Backed up to copy.db");
  await office.ends(2, "ledger backup copy.db");
  expect(await typed("ledger", "check")).toMatchObject({ code: 0, out: expect.not.stringContaining("BROKEN") });
  await office.ends(0, "ledger prune --keep-for 90d", "folders of 0 runs");
  expect(await typed("ledger", "backup", "backups/")).toEqual(refused("there is no folder backups/"));
  // Six months, to whoever types it.
  for (const wrong of ["soon", "6m", "12h", "180"])
    expect((await typed("ledger", "prune", "--keep-for", wrong)).code, wrong).toBe(2);
  await office.ends(0, "ledger");
});

it.each([
  ["a page of it is lost", (whole: Buffer) => whole.fill(0, whole.length / 2, whole.length / 2 + 4096)],
  ["its end is missing", (whole: Buffer) => whole.subarray(0, 5000)],
])("a backup is refused, and named as damaged instead of the ledger, if %s", long, async (_, damage) => {
  await typed("ledger", "backup", "copy.db");
  writeFileSync(office.path("copy.db"), damage(readFileSync(office.path("copy.db"))));
  for (const words of ["ledger restore copy.db", "ledger rebuild journal.ndjson copy.db --ledger new.db"]) {
    const { code, err } = await typed(...words.split(" "));
    expect([words, code, err]).toEqual([words, 1, expect.stringMatching(/^rowferry: copy\.db: .*damaged/)]);
    expect(err).toContain("Nothing was changed.");
  }
  expect((await typed("ledger", "check")).code).toBe(0);
  expect(readdirSync(office.path("state/sandbox")).filter((name) => /new|before/.test(name))).toEqual([]);
});

it("ledger rebuild says of an empty journal that there was nothing", async () => {
  const header = { entry: "journal", version: 1, owner: "the embedded sandbox" };
  writeFileSync(office.path("journal.ndjson"), `${JSON.stringify(header)}\n`);
  await office.ends(
    0,
    "ledger rebuild journal.ndjson --ledger new.db",
    "Rebuilt what was sent: nothing; the journal knows of no request.",
  );
});

describe("with --wait, while another process holds the ledger,", () => {
  /** What happens while the command waits; then the ledger is free. */
  async function meanwhile(work: () => void) {
    const lock = await lockLedger(office.path("state/sandbox/ledger.db"), { wait: false, clock: systemClock });
    const sleep = () => {
      work();
      lock.release();
      office.world.clock.sleep = () => Promise.resolve();
      return Promise.resolve();
    };
    office.world.clock = { now: () => office.world.now, sleep };
  }

  it.each(["import m.yaml march.csv", "verify"])(
    "a signal ends `%s` as interrupted, not as a ledger in use",
    long,
    async (words) => {
      await meanwhile(() => office.world.send("SIGTERM"));
      const { code, err } = await typed(...words.split(" "), "--wait");
      expect([code, err]).toEqual([143, expect.stringContaining("Stopped while waiting")]);
    },
  );

  it("a mapping that is edited is not taken for the one that the import read", long, async () => {
    office.writeCsv("april.csv", loads("L5 10 5"));
    await meanwhile(() => appendFileSync(office.path("m.yaml"), "# edited meanwhile\n"));
    expect((await typed("import", "m.yaml", "april.csv", "--wait")).err).toContain("Waiting until another");
    const used = async () => (await typed("show", "april.csv:2", "--mapping")).out;
    expect(await used()).not.toContain("edited meanwhile");
    await typed("import", "m.yaml", "april.csv");
    expect(await used()).toContain("edited meanwhile");
  });

  it("prune keeps a folder in which a person has begun to work", long, async () => {
    const [run = ""] = readdirSync(office.path("state/sandbox/runs"));
    office.world.now = Date.now() + 86_400_000;
    await typed("dismiss", "--row", "march.csv:3");
    await office.ends(0, "ledger prune --keep-for 0d --dry-run", "folders of 1 run");
    const later = new Date(office.world.now + 60_000);
    await meanwhile(() => utimesSync(office.path(`state/sandbox/runs/${run}/summary.json`), later, later));
    await office.ends(0, "ledger prune --keep-for 0d --wait --yes", "folders of 0 runs");
  });
});
