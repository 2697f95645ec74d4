/** What the console's corrections do to a ledger, without a server. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import exceljs from "exceljs";
import { createCorrections } from "../../src/console/corrections.js";
import { createJobs } from "../../src/console/jobs.js";
import { createJudge } from "../../src/console/judge.js";
import { createTargets, overviewOf } from "../../src/console/overview.js";
import type { Status } from "../../src/model/summary.js";
import { resolveTarget } from "../../src/settings/target.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { loads, weighings, weighingsWith, weights } from "../support/weighings.js";

function correctionsOf(office: Office) {
  const target = resolveTarget({ flags: {}, env: office.world.env, cwd: office.world.cwd });
  const judge = createJudge();
  return { ...createCorrections(target, judge, () => office.world.now), mappings: judge.files };
}

/** As the console shows them. */
function shownOf(office: Office, target = "sandbox") {
  const { cwd, env, now } = office.world;
  return overviewOf(target, createTargets({ cwd, env }), cwd, now);
}

/** Imports all edits. */
async function sendAll(office: Office, corrections: ReturnType<typeof correctionsOf>) {
  const given: string[] = [];
  const { drafts } = await corrections.tally();
  await corrections.send(office.path("corrections"), drafts, (_, files) => given.push(...files));
  await office.import(...given);
}

const isWell = async (office: Office) => expect((await office.type("status")).out).toContain("all is well");

const rowsOf = (...rows: string[]) => ["Load,At,Gross", ...rows];
/** Loads with these weights. */
const weighed = (...rows: string[]) => rowsOf(...rows.map((row) => row.replace(" ", ",2026-01-01 10:00,")));
/** One event for each load, of all its rows. */
const grouped = weighingsWith({
  group: "=load",
  event: { key: "once", externalCreatedAt: "=first(at)", attributes: { public: { Gross: "=sum(gross)" } } },
});
/** Cells that are no number, and one of them. */
const unreadable = { code: "number-unreadable", column: "Gross", mistake: null };
const much = { ...unreadable, from: "much", shown: "much" };

it(
  "two imports of one input at the same moment are two files, because the first may not have been read yet",
  long,
  async () => {
    const office = openOffice(weighings);
    await office.brought("w.csv", weighed("A much", "B more"));
    const corrections = correctionsOf(office);
    const given: string[] = [];
    for (const from of ["much", "more"]) {
      await corrections.editValue({ ...unreadable, from, to: "5", shown: from });
      const { drafts } = await corrections.tally();
      await corrections.send(office.path("corrections"), drafts, (_, files, begun) => {
        given.push(...files);
        begun(process.pid);
      });
    }
    expect(new Set(given)).toHaveLength(2);
    expect(given.map((path) => /^[AB](?=,2026-01-01 10:00,5)/m.exec(readFileSync(path, "utf8"))?.[0])).toEqual([
      "A",
      "B",
    ]);
    expect(readdirSync(office.path("corrections"))).toHaveLength(2);
  },
);

it("of two consoles that import the same corrections at once, one is told that it imported nothing", long, async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", weighed("A much"));
  const consoles = [correctionsOf(office), correctionsOf(office)];
  await consoles[0]?.editValue({ ...much, to: "5" });
  let imports = 0;
  const sendOf = async ({ tally, send }: ReturnType<typeof correctionsOf>) => {
    const { drafts } = await tally();
    return () =>
      send(office.path("corrections"), drafts, (_, __, begun) => {
        imports += 1;
        begun(process.pid);
      });
  };
  const sends = await Promise.all(consoles.map(sendOf));
  const answers = await Promise.allSettled(sends.map((send) => send()));
  expect([imports, ...answers.map(({ status }) => status).toSorted()]).toEqual([1, "fulfilled", "rejected"]);
});

it(
  "whoever types the file's text again has no draft, and has typed nothing that is lost with its row",
  long,
  async () => {
    const office = openOffice(weighings);
    await office.brought("w.csv", weighed("A much"));
    const corrections = correctionsOf(office);
    await corrections.editValue({ ...much, to: "5" });
    expect(shownOf(office).draft).toMatchObject({ rows: 1, lost: [] });
    await corrections.editValue({ ...much, to: "much", shown: "5" });
    expect(shownOf(office).draft).toBeNull();
    await office.brought("w2.csv", weighed("A 7"));
    expect(shownOf(office).draft).toBeNull();
  },
);

it(
  "a row that waits for a document which no row brings can be corrected: what it refers to may be mistyped",
  long,
  async () => {
    const office = openOffice(
      weighingsWith({
        columns: { other: { header: "Other", optional: true } },
        event: {
          name: "RELATED",
          attributes: {},
          relatedDocument: { document: { ref: "load", key: "=other" }, bidirectional: false },
        },
      }),
    );
    await office.brought("w.csv", ["Load,At,Gross,Other", "A,2026-01-01 10:00,5,B", "B,2026-01-01 10:00,6,O"]);
    const corrections = correctionsOf(office);
    const [table] = await corrections.grid({ code: "reference-unknown", column: null, mistake: null });
    const [row] = table?.rows ?? [];
    expect(row?.cells).toEqual(["B", "2026-01-01 10:00", "6", "O"]);
    await corrections.edit({
      label: "Other",
      edits: [{ ref: row?.ref ?? "", column: "Other", replaces: "O", value: "A" }],
    });
    expect(await corrections.tally()).toMatchObject({ rows: 1, ready: 1 });
    await sendAll(office, corrections);
    await isWell(office);
  },
);

const parties = { participant: { ref: "owner", key: "=owner" }, address: { ref: "site", key: "=site" } };

/** Of parties with keys, which only rows of load A bring. `event`: its own ones; without them, it takes those of its document. */
function openTrips(event: object = {}) {
  const owner = { key: "=owner", taxIdType: "CNPJ", taxId: "11222333000181", name: "Alfa", type: "COMPANY" };
  const site = {
    key: "=site",
    participant: "owner",
    name: "Site",
    street: "A",
    number: "1",
    city: "B",
    countryState: "SP",
  };
  const { weighings: trips } = weighingsWith({
    columns: { owner: "Owner", site: "Site" },
    event,
    documents: { load: { key: "=load", ...parties } },
    participants: { owner: { when: '=load == "A"', ...owner } },
    addresses: { site: { when: '=load == "A"', ...site } },
  }).inputs;
  return openOffice({ ...weighings, inputs: { weighings: trips } });
}

it(
  "a row that waits for a participant or address which no row brings can be corrected, too, and then lands",
  long,
  async () => {
    const office = openTrips(parties);
    const lines = ["A,2026-01-01 10:00,5,O1,S1", "B,2026-01-01 10:00,6,o1,S1", "C,2026-01-01 10:00,7,O1,s9"];
    await office.brought("w.csv", ["Load,At,Gross,Owner,Site", ...lines]);
    expect(shownOf(office).waiting.map(({ code, canBeCorrected }) => [code, canBeCorrected])).toEqual([
      ["address-not-registered", true],
      ["participant-not-registered", true],
    ]);
    const corrections = correctionsOf(office);
    for (const [code, column, value] of [
      ["participant-not-registered", "Owner", "O1"],
      ["address-not-registered", "Site", "S1"],
    ] as const) {
      const [table] = await corrections.grid({ code, column: null, mistake: null });
      const [row] = table?.rows ?? [];
      expect(row?.problems).toMatchObject([{ code, column }]);
      const replaces = row?.cells[table?.header.indexOf(column) ?? -1] ?? "";
      await corrections.edit({ label: column, edits: [{ ref: row?.ref ?? "", column, replaces, value }] });
    }
    expect(await corrections.tally()).toMatchObject({ rows: 2, ready: 2 });
    await sendAll(office, corrections);
    await isWell(office);
    expect(weights(office)).toEqual(["A 0 5", "B 0 6", "C 0 7"]);
  },
);

it("a row that took its participant from another one goes when that one is corrected", long, async () => {
  const office = openTrips();
  const lines = ["A,2026-01-01 10:00,5,O1,S1", "B,2026-01-01 10:00,6,o1,S1", "B,2026-01-02 10:00,7,O1,S1"];
  await office.brought("w.csv", ["Load,At,Gross,Owner,Site", ...lines]);
  const corrections = correctionsOf(office);
  const waiting = { code: "participant-not-registered", column: null, mistake: null };
  const shown = (await corrections.grid(waiting)).flatMap(({ rows }) => rows);
  expect(shown.map(({ row, mayBeMeant }) => [row, mayBeMeant])).toEqual([
    [3, true],
    [4, true],
  ]);
  const ref = shown[0]?.ref ?? "";
  await corrections.edit({ label: "Owner", edits: [{ ref, column: "Owner", replaces: "o1", value: "O1" }] });
  await sendAll(office, corrections);
  await isWell(office);
  expect(weights(office)).toEqual(["A 0 5", "B 0 6", "B 0 7"]);
});

it(
  "a stranded document is one thing to decide in the console and in `status`, however many events wait for its id",
  long,
  async () => {
    const sandbox = createSandbox();
    const office = await openOfficeAt(sandbox, weighings);
    const action = { kind: "drop", when: "after" } as const;
    sandbox.setFaults([{ match: { method: "POST", path: "/documents/events" }, nth: 1, action }]);
    await office.brought("w.csv", loads("A 11 1", "A 12 2", "A 13 3"));
    expect(shownOf(office, "env").answer).toBe("1 thing needs a decision. Nothing is lost.");
    expect((await office.type("status")).out).toContain("1 thing needs you.");
  },
);

it(
  "of a refused participant, every row that waits for it is counted, and what happened is said in words",
  long,
  async () => {
    const sandbox = createSandbox();
    const office = await openOfficeAt(sandbox, grouped);
    sandbox.setFaults([
      { match: { method: "POST", path: "/participants" }, action: { kind: "status", status: 422, when: "before" } },
    ]);
    await office.brought("w.csv", weighed("A 5", "A 5", "B 5"));
    const overview = shownOf(office, "env");
    expect(overview.correct.map(({ code, count }) => [code, count])).toEqual([["service-refused", 3]]);
    const corrections = correctionsOf(office);
    const page = corrections.page({ code: "service-refused", column: null, mistake: null });
    expect([page.count, page.what]).toEqual([3, expect.stringMatching(/^refused by the service: 422 · \w/)]);
    expect([overview.toCorrect, (await corrections.tally()).rows]).toEqual([3, 3]);
  },
);

it("what the service refused for different reasons is told, and corrected, as different causes", long, async () => {
  const sandbox = createSandbox();
  const office = await openOfficeAt(sandbox, weighings);
  await office.brought("w.csv", loads("A 11 1", "B 11 1", "C 11 1"));
  const refusals = [400, 422, 400].map((status, at) => {
    const action = { kind: "status", status, when: "before" } as const;
    return { match: { method: "POST", path: "/documents/events" } as const, nth: at + 1, action };
  });
  sandbox.setFaults(refusals);
  await office.brought("w2.csv", loads("A 12 1", "B 12 1", "C 12 1"));
  const { correct } = shownOf(office, "env");
  const corrections = correctionsOf(office);
  expect(correct.map((cause) => [cause.count, corrections.page(cause).what])).toEqual([
    [2, expect.stringContaining("refused by the service: 400")],
    [1, expect.stringContaining("refused by the service: 422")],
  ]);
  const [table] = await corrections.grid(correct[1] as (typeof correct)[number]);
  expect(table?.rows.map(({ row }) => row)).toEqual([3]);
});

it(
  "of a mapping that cannot be read, the page says the mistake in one line above its rows, and the mapping's files are watched",
  long,
  async () => {
    const office = openOffice(weighings);
    await office.brought("w.csv", weighed("A much"));
    const corrections = correctionsOf(office);
    await corrections.editValue({ ...much, to: "5" });
    writeFileSync(office.path("m.yaml"), readFileSync(office.path("m.yaml"), "utf8").replace("inputs:", "inputs: ["));
    const [table] = await corrections.grid(unreadable);
    expect(table?.failure?.message).toMatch(/^m\.yaml:\d+:\d+: [^\n]+$/);
    expect(corrections.mappings()).toEqual([office.path("m.yaml")]);
  },
);

it("a command that the console started and somebody killed says so", async () => {
  const jobs = createJobs({ cwd: ".", env: {}, now: Date.now, onChange: () => {} });
  const job = jobs.start("sandbox", ["resume"], (pid) => process.kill(pid, "SIGKILL"));
  await vi.waitFor(() => expect(job.said?.[0]).toBe("It was stopped before it had finished."));
});

describe("rows with several problems", () => {
  const mapping = weighingsWith({
    columns: { note: { header: "Note", pattern: "[A-Z].*" }, mark: { header: "Mark", oneOf: ["a", "b"] } },
    event: { attributes: { public: { Gross: "=gross", Note: "=note", Mark: "=mark" } } },
  });
  const rows = ["A,2026-01-01 10:00,5,Ok,a", "B,2026-02-31 10:00,5,bad,y", "C,2026-01-01 10:00,5,bad,y"];
  const marked = { code: "value-not-allowed", column: "Mark", mistake: null };

  async function opened() {
    const office = openOffice(mapping);
    const last = ["D,2026-01-01 10:00,5,Ok,z", "E,2026-01-01 10:00,5,Ok,y"];
    await office.brought("w.csv", ["Load,At,Gross,Note,Mark", ...rows, ...last]);
    return office;
  }

  async function told(office: Office) {
    const { out } = await office.type("status", "--json");
    const { problems, open } = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as Status;
    const overview = shownOf(office);
    const [terminal, console] = [problems, overview.correct].map((causes) =>
      causes.map(({ code, column, count }) => [code, column, count]),
    );
    return { terminal, console, overview, open };
  }

  it("one edit corrects every row that has the value, whatever else is wrong with it", long, async () => {
    const corrections = correctionsOf(await opened());
    expect(corrections.page(marked)).toMatchObject({
      count: 4,
      what: '"y" is none of a, b',
      values: [
        { value: "y", rows: 3 },
        { value: "z", rows: 1 },
      ],
    });
    expect(await corrections.editValue({ ...marked, from: "y", to: "a", shown: "y" })).toMatchObject({ cells: 3 });
    const [table] = await corrections.grid(marked);
    expect(table?.rows.map(({ row, ready }) => [row, ready])).toEqual([
      [3, false],
      [4, false],
      [5, false],
      [6, true],
    ]);
    expect(await corrections.tally()).toMatchObject({ rows: 4, ready: 1 });
  });

  it(
    "terminal and console give the same causes with the same numbers, and count each row once in all",
    long,
    async () => {
      const { terminal, console, overview, open } = await told(await opened());
      expect(terminal).toEqual([
        ["value-not-allowed", "Mark", 4],
        ["value-pattern", "Note", 2],
        ["date-impossible", "At", 1],
      ]);
      expect(console).toEqual(terminal);
      expect([overview.toCorrect, open.rows]).toEqual([4, 4]);
      expect(overview.answer).toBe("4 rows need a correction. Nothing is lost.");
    },
  );

  it("of grouped rows, all that wait for the correction are counted, and the one that is wrong is named", async () => {
    const office = openOffice(grouped);
    await office.brought("w.csv", weighed("A 5", "A much", "B 5", "B 5", "C much", "C more", "C 5"));
    const { terminal, console, overview } = await told(office);
    expect(terminal).toEqual([["number-unreadable", "Gross", 5]]);
    expect([console, overview.toCorrect]).toEqual([terminal, 5]);
    expect(overview.correct).toMatchObject([{ what: '"much" is not a number', place: "w.csv, row 3", values: 2 }]);
    expect(correctionsOf(office).page(unreadable)).toMatchObject({
      count: 5,
      atFault: 3,
      what: '"much" is not a number',
      place: "w.csv, row 3",
    });
    const { out } = await office.type("check", "m.yaml", "w.csv");
    expect(out).toMatch(/7 read = 0 skipped \+ 5 invalid .* 5 {2}row 3, column "Gross"/s);
  });

  it("cells that hold quotes have one mistake, as others do", long, async () => {
    const office = openOffice(weighings);
    const inches = ["much", '"12"" pipe"', '"say ""hi"""', '"14"""'].map((cell, at) => `${at} ${cell}`);
    await office.brought("w.csv", weighed(...inches));
    const { terminal, console } = await told(office);
    expect(terminal).toEqual([["number-unreadable", "Gross", 4]]);
    expect(console).toEqual(terminal);
  });

  it("a column whose messages differ in more than five ways is one cause, in the terminal too", long, async () => {
    const office = openOffice(weighings);
    await office.brought("w.csv", weighed(...["A", "B", "C", "D", "E", "F"].map((load) => `${load} much`)));
    const database = new Database(office.path("state/sandbox/ledger.db"));
    database.exec("UPDATE problems SET message = 'of a kind ' || char(64 + id)");
    database.close();
    const { terminal, console } = await told(office);
    expect(terminal).toEqual([["number-unreadable", "Gross", 6]]);
    expect(console).toEqual(terminal);
  });
});

it(
  "a unit that only a cell's format shows is read where the column has `units`, and in corrections of such rows",
  long,
  async () => {
    const office = openOffice(
      weighingsWith({ columns: { gross: { header: "Gross", as: "number", units: { kg: 1, t: 1000 } } } }),
    );
    const scaled = '[>=1000]#,##0.0,\\ "t";0" kg"';
    const tonnes = '0.0" t"';
    const book = new exceljs.Workbook();
    const sheet = book.addWorksheet("Loads");
    sheet.addRow(["Load", "At", "Gross"]);
    const add = (load: string, at: string, gross: number, format: string) =>
      (sheet.addRow([load, at, gross]).getCell(3).numFmt = format);
    add("A", "2026-01-01 10:00", 12.5, tonnes);
    add("B", "2026-01-01 10:00", 12_500, scaled);
    add("C", "2026-01-01 10:00", 500, scaled);
    add("D", "2026-01-01 10:00", 7, "General");
    add("G", "2026-01-01 10:00", -7, '0" kg";"-kg "0');
    add("E", "soon", 9, tonnes);
    add("F", "late", 1, '0" pcs"');
    await book.xlsx.writeFile(office.path("w.xlsx"));
    const { files } = await office.import("w.xlsx");
    const corrections = correctionsOf(office);
    const [table] = await corrections.grid({ code: "date-unreadable", column: "At", mistake: null });
    expect(table?.rows.map(({ spelt }) => spelt)).toEqual([{ 2: "9 t" }, { 2: "1 pcs" }]);
    const [row] = table?.rows ?? [];
    const at = { ref: row?.ref ?? "", column: "At", replaces: "soon", value: "2026-01-02 10:00" };
    await corrections.edit({ label: "At", edits: [at] });
    await sendAll(office, corrections);
    const rejected = files.find(({ kind }) => kind === "rejected")?.path ?? "";
    expect(await office.type("import", "m.yaml", rejected)).toMatchObject({ code: 3 });
    expect(weights(office)).toEqual(["A 0 12500", "B 0 12500", "C 0 500", "D 0 7", "G 0 -7", "E 0 9000"]);
  },
);

it(
  "a cell that a spreadsheet has changed stays to be corrected, whatever else is typed into its row",
  long,
  async () => {
    const note = { columns: { note: "Note" }, event: { attributes: { public: { Gross: "=gross", Note: "=note" } } } };
    const office = openOffice(weighingsWith(note));
    const rejected = await office.brought("w.csv", ["Load,At,Gross,Note", "A,2026-01-01 10:00,much,007"]);
    const still = await office.brought("back.csv", office.rejectedRows(rejected, { "007": "7" }));
    expect(still.problems.map(({ code }) => code).toSorted()).toEqual(["cell-rewritten", "number-unreadable"]);
    const corrections = correctionsOf(office);
    const ready = async () => (await corrections.tally()).ready;
    await corrections.editValue({ ...much, to: "5" });
    expect(await ready()).toBe(0);
    const cell = { code: "cell-rewritten", column: "Note", mistake: null, from: "7", shown: "7" };
    await corrections.editValue({ ...cell, to: "007" });
    expect(await ready()).toBe(1);
  },
);

it.each([
  ["a line that may be cut", ",", { csv: { endsWithNewline: "required" } }],
  ["a stray quote", ',"5" tank\n', {}],
  ["a row that is too short", "\n", {}],
])(
  "%s is not vouched for by an edit of another mistake in many rows: a person keeps the row, and it lands",
  long,
  async (_, end, more) => {
    const office = openOffice(weighingsWith({ columns: { note: "Note" }, ...more }));
    const lines = [
      "Load,At,Gross,Note",
      "A,2026-01-01 10:00,much,n",
      "C,2026-01-01 10:00,5,n",
      "B,2026-01-01 10:00,much",
    ];
    writeFileSync(office.path("w.csv"), `${lines.join("\n")}${end}`);
    await office.import("w.csv");
    const corrections = correctionsOf(office);
    await corrections.editValue({ ...much, to: "5" });
    expect(await corrections.tally()).toMatchObject({ rows: 2, ready: 1 });
    const open = (await corrections.grid(unreadable)).flatMap((table) => table.rows).find((row) => !row.ready);
    expect(open).toMatchObject({ row: 4, mayBeMeant: true });
    expect(shownOf(office).correct.map(({ remedy }) => remedy)).toContainEqual(
      expect.stringMatching(/choose it and press Keep/),
    );
    await corrections.edit({
      label: "kept",
      edits: [{ ref: open?.ref ?? "", column: "rowferry_code", replaces: "", value: "ok" }],
    });
    await sendAll(office, corrections);
    await isWell(office);
  },
);

it(
  "a row with a NUL character is right once the character is gone, whatever else is typed, and cannot be kept",
  long,
  async () => {
    const office = openOffice(weighingsWith({ columns: { note: "Note" } }));
    await office.brought("w.csv", ["Load,At,Gross,Note", "A,2026-01-01 10:00,much,a\0b"]);
    const corrections = correctionsOf(office);
    const look = async () =>
      (await corrections.grid({ code: "nul-character", column: "Note", mistake: null }))[0]?.rows[0];
    const type = async (column: string, replaces: string, value: string) =>
      corrections.edit({ label: column, edits: [{ ref: (await look())?.ref ?? "", column, replaces, value }] });
    await type("Gross", "much", "5");
    expect(await look()).toMatchObject({ ready: false, mayBeMeant: false, problems: [{ code: "nul-character" }] });
    await type("Note", "a\0b", "ab");
    await sendAll(office, corrections);
    await isWell(office);
  },
);

it("a row apart from its group is not said to be right, because its import alone would be refused", long, async () => {
  const office = openOffice(grouped);
  await office.brought("w.csv", weighed("A 5", "B 6", "A 7"));
  const corrections = correctionsOf(office);
  const look = async () =>
    (await corrections.grid({ code: "group-interrupted", column: null, mistake: null }))[0]?.rows[0];
  expect(await look()).toMatchObject({ row: 4, mayBeMeant: false });
  const { ref = "" } = (await look()) ?? {};
  await corrections.edit({ label: "Gross", edits: [{ ref, column: "Gross", replaces: "7", value: "8" }] });
  expect(await look()).toMatchObject({ ready: false });
  expect((await look())?.problems.map(({ code }) => code)).toContain("group-interrupted");
});

it(
  "two rows of one group that contradict each other are right neither as they are nor once something else is typed",
  long,
  async () => {
    const office = openOffice(weighingsWith({ group: "=load", event: { each: "row" } }));
    await office.brought("w.csv", loads("A 10 5", "A 10 6"));
    const corrections = correctionsOf(office);
    const twice = { code: "event-key-twice", column: null, mistake: null };
    const look = async () => (await corrections.grid(twice))[0]?.rows[1];
    expect(await look()).toMatchObject({ ready: false, mayBeMeant: false });
    const { ref = "" } = (await look()) ?? {};
    await corrections.edit({ label: "Gross", edits: [{ ref, column: "Gross", replaces: "6", value: "7" }] });
    expect(await look()).toMatchObject({ ready: false, mayBeMeant: false });
    expect((await look())?.problems[0]?.hint).toContain("delete the wrong row in its source file");
    await office.brought("w.csv", loads("A 10 5"));
    expect(weights(office)).toEqual(["A 10 5"]);
    await isWell(office);
  },
);

it("the overview says of each cause how many of its rows have an edit that was not imported", long, async () => {
  const office = openOffice(weighings);
  const rows = ["A,2026-01-01 10:00,much", "B,2026-01-01 10:00,more", "C,2026-13-01 10:00,much", "D,2026-01-01,5"];
  await office.brought("w.csv", rowsOf(...rows));
  const corrections = correctionsOf(office);
  const edited = () => {
    const { correct, draft } = shownOf(office);
    return correct.map(({ code, count }, at) => [code, count, draft?.edited[at] ?? 0]);
  };
  await corrections.editValue({ ...much, to: "5" });
  expect(edited()).toEqual([
    ["number-unreadable", 3, 2],
    ["date-impossible", 1, 0],
    ["date-unreadable", 1, 0],
  ]);
});

it("of an uploaded workbook with several sheets, none with the column that names rows, the remedy is the page's", async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", weighed("A much"));
  const book = new exceljs.Workbook();
  for (const name of ["May", "June"]) book.addWorksheet(name).addRows([["Load"], ["A"]]);
  await book.xlsx.writeFile(office.path("up.xlsx"));
  await expect(correctionsOf(office).take(office.path("up.xlsx"))).rejects.toMatchObject({
    hint: "Download the rows here, correct them, and upload that file.",
  });
});
