/** What the console's page asks for while a person corrects: tried, downloaded, uploaded, and what only looking leaves behind. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import exceljs from "exceljs";
import { mapping } from "../support/mapping.js";
import { loadsWith, parties, weighings, weighingsWith } from "../support/weighings.js";
import { endProcesses } from "../processes/processes.js";
import { badNight, longImport } from "./bad-night.js";
import { badMorning, type Folder, folder, type RunningConsole, startConsole } from "./console.js";

let at: Folder;
let ofAll: RunningConsole;
/** The one that is asked. */
let console: RunningConsole;
beforeAll(async () => {
  at = await badMorning();
  ofAll = await startConsole(at, "--allow-changes");
});
beforeEach(() => void (console = ofAll));
afterAll(() => {
  endProcesses();
  at.remove();
});

interface Page {
  tables: {
    input: number;
    header: string[];
    zones: (string | null)[];
    rows: {
      ref: string;
      row: number;
      cells: string[];
      spelt: object;
      draft: object;
      ready: boolean;
      problems: { hint: string | null }[];
      joins: string | null;
    }[];
    download: string;
  }[];
  tally: { rows: number; ready: number; undo: { step: string; label: string } | null; drafts: string };
}

/** Asked more often, the console would do nothing else. */
const UNHURRIED = { timeout: 60_000, interval: 500 };
const cause = { target: "sandbox", code: "tax-id-invalid", column: "CNPJ/CPF" };
const query = String(new URLSearchParams(cause));

async function page() {
  const [values, grid, tally] = await Promise.all(
    ["cause", "grid", "tally"].map((path) =>
      console.ask(`/api/${path}?${path === "tally" ? "target=sandbox" : query}`),
    ),
  );
  expect(values?.status, values?.body).toBe(200);
  expect(grid?.status, grid?.body).toBe(200);
  return {
    tables: JSON.parse(grid?.body ?? "") as Page["tables"],
    tally: JSON.parse(tally?.body ?? "") as Page["tally"],
  };
}

const change = (path: string, body: object) =>
  console.ask(`/api/${path}`, { method: "POST", body: { target: "sandbox", ...body } });

const got = async <Answer>(path: string) => JSON.parse((await console.ask(`/api/${path}`)).body) as Answer;

/** One of its own, for a test that changes the ledger. */
async function ownMorning() {
  const own = await badMorning();
  onTestFinished(own.remove);
  return own;
}

/** Held as another process that sends holds it. */
function held(own: Folder) {
  const lock = new Database(join(own.path, "state/sandbox/ledger.db.lock"));
  lock.pragma("locking_mode = EXCLUSIVE");
  lock.exec("BEGIN EXCLUSIVE");
  return lock;
}

/** Corrects every row of the first wrong tax id. */
async function corrected() {
  const { values } = await got<{ values: { value: string }[] }>(`cause?${query}`);
  const edit = { ...cause, from: values[0]?.value, to: "11.222.333/0001-81" };
  await post("edit-value", edit);
  const { ready } = (await page()).tally;
  expect(ready).toBeGreaterThan(0);
  return { edit, ready };
}

async function expectLocked(edit: object) {
  for (const [path, body] of [
    ["edit-value", edit],
    ["undo", { step: null }],
  ] as const) {
    const refused = await change(path, body);
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining("being imported")]);
  }
}

async function post<Answer>(path: string, more: object) {
  const answer = await change(path, more);
  expect(answer.status, answer.body).toBe(200);
  return JSON.parse(answer.body) as Answer;
}

it("whoever only looks leaves no file of drafts behind", async () => {
  expect((await console.ask("/api/overview")).status).toBe(200);
  expect((await page()).tally.ready).toBe(0);
  expect(existsSync(join(at.path, "state/sandbox/drafts.db"))).toBe(false);
});

it("a correction is judged while it is typed, and nothing is saved by that", async () => {
  const { tables } = await page();
  const from = tables[0]?.rows[0]?.cells[tables[0].header.indexOf(cause.column)] ?? "";
  const tried = (to: string) => post<{ ready: boolean }[]>("try-value", { ...cause, from, to });
  const wrong = await tried("11.222.333/0001-82");
  const right = await tried("11.222.333/0001-81");
  expect(wrong.map(({ ready }) => ready)).toEqual(wrong.map(() => false));
  expect(right.some(({ ready }) => ready)).toBe(true);
  expect((await page()).tally).toMatchObject({ ready: 0, undo: null });
});

it("the rows of a cause go out as a file, and come back corrected as one step", async () => {
  const { tables } = await page();
  const [table] = tables;
  expect(table?.download).toBe("manifests-2025-10.to-correct.csv");
  const answer = await fetch(`http://127.0.0.1:${console.port}/api/rows?${query}&input=${table?.input}`, {
    headers: { authorization: `Bearer ${console.token}` },
  });
  // As it was: in windows-1252.
  const body = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  expect(body).toContain("rowferry_row");
  const position = table?.header.indexOf(cause.column) ?? -1;
  expect(table?.header.filter((_, column) => table.zones[column] === "America/Sao_Paulo")).toEqual([
    "Emissão",
    "Data/Hora",
  ]);
  let text = body;
  for (const { cells } of table?.rows ?? []) text = text.replaceAll(cells[position] ?? "", "11.222.333/0001-81");
  const send = (content: string) =>
    post<{ cells: number; told: string[] }>("upload", {
      name: "corrected.csv",
      content: Buffer.from(content, "latin1").toString("base64"),
    });
  const count = table?.rows.length ?? 0;
  expect(await send(text)).toMatchObject({ cells: count, told: [`${count} cells changed: ${count} in CNPJ/CPF.`] });
  const after = await page();
  expect(after.tables[0]?.rows.filter(({ draft }) => Object.keys(draft).length > 0)).toHaveLength(
    table?.rows.length ?? 0,
  );
  expect(after.tally.ready).toBeGreaterThan(0);
  expect(after.tally.undo?.label).toBe(`corrected.csv, ${table?.rows.length} cells`);
  const drafts = await console.ask("/api/grid?target=sandbox&code=");
  const numbers = (JSON.parse(drafts.body) as { rows: { row: number }[] }[])[0]?.rows.map(({ row }) => row) ?? [];
  expect(numbers, "as in the file").toEqual(numbers.toSorted((a, b) => a - b));
  await post("undo", { step: null });
  expect((await page()).tally).toMatchObject({ ready: 0, undo: null });

  const without = await change("upload", {
    name: "x.csv",
    content: Buffer.from("a;b\n1;2\n").toString("base64"),
  });
  expect(without.status).toBe(409);
  expect(without.body).toContain("rowferry_row");
  // A row of another ledger is nobody's here.
  const foreign = text.replaceAll(/[0-9a-f]{8}(-\d+:)/g, "00000000$1");
  expect(await send(foreign)).toMatchObject({
    cells: 0,
    told: ["No cell was changed.", expect.stringMatching(`^${count} rows left out: they are not, or no longer,`)],
  });
  expect((await page()).tally.undo).toBeNull();
});

it(
  "an upload tells what it takes and leaves out; a row that is there twice, and one that is no longer open, are refused",
  long,
  async () => {
    const own = await ownMorning();
    console = await startConsole(own, "--allow-changes");
    const [table] = (await page()).tables;
    const [one, two] = table?.rows ?? [];
    const position = (name: string) => table?.header.indexOf(name) ?? -1;
    const upload = (...lines: string[]) =>
      change("upload", {
        name: "x.csv",
        content: Buffer.from(`${lines.join("\n")}\n`).toString("base64"),
      });
    const told = async (...lines: string[]) => {
      const { status, body } = await upload(...lines);
      expect(status, body).toBe(200);
      return (JSON.parse(body) as { told: string[] }).told;
    };
    const names = "rowferry_row;MTR;CNPJ/CPF;Klass";
    expect(await told(names, `${one?.ref};7;11.222.333/0001-81;I`, ";7;x;I")).toEqual([
      "2 cells changed: 1 in MTR, 1 in CNPJ/CPF.",
      "1 row left out: they are not, or no longer, to be corrected here. Import new rows from a file of their own.",
      "Left out, because the rows here have no such column: Klass.",
    ]);
    // What was downloaded before does not take the correction back.
    expect(await told("rowferry_row;CNPJ/CPF", `${one?.ref};${one?.cells[position("CNPJ/CPF")]}`)).toEqual([
      "No cell was changed.",
      "1 cell corrected here since the download: the corrections here were kept.",
    ]);
    const retyped = { ref: one?.ref, column: "MTR", replaces: "7", value: "8" };
    await post("edit", { label: "MTR", edits: [retyped] });
    expect((await told("rowferry_row;MTR", `${one?.ref};7`))[1]).toContain("the corrections here were kept");
    await post("undo", { step: null });
    const twice = await upload("rowferry_row;MTR", `${two?.ref};a`, `${two?.ref};b`);
    expect([twice.status, twice.body]).toEqual([409, expect.stringContaining(`has row ${two?.ref} twice`)]);
    expect((await page()).tally.undo?.label).toBe("x.csv, 2 cells");

    await own.type("dismiss", "--row", two?.ref ?? "", "--yes");
    const edits = [{ ref: two?.ref, column: "MTR", replaces: two?.cells[position("MTR")], value: "z" }];
    const late = await change("edit", { label: "MTR", edits });
    expect([late.status, late.body]).toEqual([
      409,
      expect.stringContaining(`manifests-2025-10.csv, row ${two?.row} is no longer open`),
    ]);
  },
);

it("tens of thousands of rows are taken back as they were downloaded", {
  tags: ["long"],
  timeout: 30_000,
}, async () => {
  const [row] = (await page()).tables[0]?.rows ?? [];
  const lines = Array.from({ length: 30_000 }, () => `${row?.ref};${"x".repeat(400)}`);
  const content = Buffer.from(`rowferry_row;Other\n${lines.join("\n")}\n`).toString("base64");
  expect(await post("upload", { name: "many.csv", content })).toMatchObject({ cells: 0 });
});

it("a corrected key names the document that the row joins", async () => {
  const [table] = (await page()).tables;
  const [row] = table?.rows ?? [];
  const column = "MTR";
  const replaces = row?.cells[table?.header.indexOf(column) ?? -1];
  const edits = [{ ref: row?.ref, column, replaces, value: "MTR-OTHER" }];
  await post("edit", { label: column, edits });
  const [changed] = (await page()).tables[0]?.rows ?? [];
  expect(changed?.joins).toMatch(/MTR-OTHER$/i);
  await post("undo", { step: null });
  expect((await page()).tables[0]?.rows[0]?.joins).toBeNull();
});

it(
  "what is being imported can be neither changed, taken back nor imported again; each of two imports says what it did",
  long,
  async () => {
    const own = await ownMorning();
    const yaml = readFileSync(join(own.path, "manifests.yaml"), "utf8");
    const other = yaml.replace(/^namespace: .*$/m, "namespace: other").replace("manifest:\n", "$&        was: none\n");
    writeFileSync(join(own.path, "other.yaml"), other);
    const csv = readFileSync(join(own.path, "manifests-2025-10.csv"), "latin1");
    writeFileSync(join(own.path, "other-manifests.csv"), `${csv}\r\n`, "latin1");
    await own.type("import", "other.yaml", "other-manifests.csv");
    console = await startConsole(own, "--allow-changes");
    const tally = () => got<{ ready: number; importing: number; drafts: string }>("tally?target=sandbox");
    const jobs = async () =>
      (await got<{ targets: { jobs: { said: string[] | null }[] }[] }>("overview")).targets[0]?.jobs;
    const { edit, ready } = await corrected();
    expect(ready).toBeGreaterThan(1);

    const lock = held(own);
    const { drafts } = await tally();
    const both = await Promise.all([change("import", { drafts }), change("import", { drafts })]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(await jobs()).toEqual([expect.objectContaining({ said: null }), expect.objectContaining({ said: null })]);
    expect(await tally()).toMatchObject({ ready: 0, importing: ready, undo: null });
    await expectLocked({ ...edit, to: "11.444.777/0001-61" });
    lock.close();
    await vi.waitFor(async () => expect((await jobs())?.every(({ said }) => said !== null)).toBe(true), UNHURRIED);
    expect(await jobs()).toHaveLength(2);
    expect(await tally()).toMatchObject({ ready: 0, importing: 0, undo: null });
    const { stdout } = await own.type("runs");
    expect(stdout.match(/ in the console/g), "who did it, and where").toHaveLength(2);
  },
);

it(
  "rows on their way stay so for the next console, where theirs was killed; an edit of that instant is refused, not dropped",
  long,
  async () => {
    const own = await ownMorning();
    console = await startConsole(own, "--allow-changes");
    const { edit, ready } = await corrected();
    const lock = held(own);
    const second = { ...edit, to: "11.444.777/0001-61", shown: edit.to };
    const { drafts } = (await page()).tally;
    const [imported, changed] = await Promise.all([change("import", { drafts }), change("edit-value", second)]);
    expect(new Set([imported.status, changed.status]), "whichever came first").toEqual(new Set([200, 409]));
    if (imported.status === 409) await post("import", { drafts: (await page()).tally.drafts });
    else expect(changed.body).toContain("being imported");
    await console.kill();

    console = await startConsole(own, "--allow-changes");
    expect((await page()).tally).toMatchObject({ ready: 0, importing: ready, undo: null });
    const { targets: during } = await got<{ targets: { draft: unknown }[] }>("overview");
    expect(during[0]?.draft, "nothing is said to be left to import").toBeNull();
    await expectLocked(second);
    lock.close();
    await vi.waitFor(async () => expect((await page()).tally).toMatchObject({ ready: 0, importing: 0 }), UNHURRIED);
    const { targets } = await got<{ targets: { draft: unknown }[] }>("overview");
    expect(targets[0]?.draft).toBeNull();
  },
);

/** Loads with a weight that is none, imported, with a console beside them. */
async function loadsToCorrect(lines: string[], by: object = weighings, columns: string[] = []) {
  const own = folder({
    "w.yaml": mapping(by),
    "w.csv": loadsWith(columns, ...lines)
      .map((cells) => cells.join(","))
      .join("\n"),
  });
  onTestFinished(own.remove);
  await own.type("import", "w.yaml", "w.csv");
  console = await startConsole(own, "--allow-changes");
  const ofWeight = String(new URLSearchParams({ target: "sandbox", code: "number-unreadable" }));
  const rows = async () => (await got<Page["tables"]>(`grid?${ofWeight}`)).flatMap((table) => table.rows);
  const type = async (row: number, column: string, replaces: string, value: string) =>
    post("edit", { label: column, edits: [{ ref: (await rows())[row]?.ref, column, replaces, value }] });
  const file = async (correct: (text: string) => string) => {
    const { targets } = await got<{ targets: { lastRun: { name: string } }[] }>("overview");
    const run = targets[0]?.lastRun.name ?? "";
    return correct(readFileSync(join(own.path, "state/sandbox/runs", run, "w.rejected.csv"), "utf8"));
  };
  const draft = async () => (await got<{ targets: { draft: unknown }[] }>("overview")).targets[0]?.draft;
  return { own, rows, type, file, draft };
}

it("what was typed follows its row where a colleague's file corrects another one; typed for a row that is settled, it is told and kept", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { own, rows, type, file, draft } = await loadsToCorrect(["L1 10 x", "L2 20 y"]);
  await type(0, "Gross", "x", "1");
  await type(1, "Gross", "y", "2");
  const [before] = await rows();
  writeFileSync(join(own.path, "w-terminal.csv"), await file((text) => text.replace(",x,", ",9,")));
  await own.type("import", "w.yaml", "w-terminal.csv");
  const [now, ...others] = await rows();
  expect([now?.draft, now?.ready, others]).toEqual([{ 2: "2" }, true, []]);
  expect(await draft()).toMatchObject({
    rows: 1,
    lost: [{ ref: before?.ref, place: "w.csv, row 2", column: "Gross", value: "1" }],
  });
  await post("forget", {});
  expect(await draft()).toMatchObject({ rows: 1, lost: [] });

  renameSync(join(own.path, "w.yaml"), join(own.path, "away.yaml"));
  const [table] = await got<{ failure: object; rows: object[] }[]>("grid?target=sandbox&code=");
  expect(table).toMatchObject({
    failure: { message: expect.stringMatching(/^w\.yaml: /) },
    rows: [{ draft: { 2: "2" }, ready: false, problems: [{ code: "number-unreadable" }] }],
  });
  writeFileSync(join(own.path, "w.yaml"), "version: 2\n  oops: [");
  const [unread] = await got<{ failure: { message: string } }[]>("grid?target=sandbox&code=");
  expect(unread?.failure.message).toMatch(/^w\.yaml:\d+:\d+: /);
});

it("a run's problems name their rows and columns, and go once they are settled", long, async () => {
  const { own } = await loadsToCorrect(["L1 10 x", "L2 20 y"]);
  const problems = async () => {
    const { targets } = await got<{ targets: { lastRun: { name: string } }[] }>("overview");
    const run = await got<{ problems: { text: string }[] }>(`run?target=sandbox&run=${targets[0]?.lastRun.name}`);
    return run.problems.map(({ text }) => text);
  };
  const [y, x] = await problems();
  expect([y, x]).toEqual([expect.stringMatching(/^w\.csv, row 3: Gross: "y"/), expect.stringMatching(/row 2: Gross/)]);
  await own.type("dismiss", "--row", "w.csv:3", "--yes");
  expect(await problems()).toEqual([x]);
});

it("a key that a person types is imported as typed; one that a spreadsheet changed is left out of the upload", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { own, rows, type, file } = await loadsToCorrect(["7000 10 x", "008000 20 y"]);
  const upload = await file((text) => text.replace(",x,", ",1,").replace("008000", "8000").replace(",y,", ",2,"));
  const content = Buffer.from(upload).toString("base64");
  expect(await post("upload", { name: "back.csv", content })).toMatchObject({
    cells: 2,
    told: ["2 cells changed: 2 in Gross.", expect.stringMatching(/^1 cell left out \(1 in Load\), because .* case/)],
  });
  await type(0, "Load", "7000", "007000");
  expect((await rows()).map(({ ready, joins }) => [ready, joins])).toEqual([
    [true, "load 007000"],
    [true, null],
  ]);
  await post("import", { drafts: (await page()).tally.drafts });
  await vi.waitFor(async () => expect((await own.type("status")).stdout).toContain("all is well"), UNHURRIED);
  const { stdout } = await own.type("sandbox", "dump");
  expect(stdout.match(/^document "\d+"/gm)).toEqual(['document "007000"', 'document "008000"']);
});

it("a key that a spreadsheet changed before a terminal's import stays wrong, until it is typed again or `ok` is uploaded for it", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { own, rows, type, file } = await loadsToCorrect(["007 10 x"]);
  writeFileSync(join(own.path, "w-terminal.csv"), await file((text) => text.replace("007", "7")));
  await own.type("import", "w.yaml", "w-terminal.csv");
  await type(0, "Gross", "x", "1");
  const readiness = async () => (await rows()).map(({ ready }) => ready);
  expect(await readiness()).toEqual([false]);
  await type(0, "Load", "7", "007");
  expect(await readiness()).toEqual([true]);
  await post("undo", { step: null });
  const content = Buffer.from(`rowferry_row,rowferry_code\n${(await rows())[0]?.ref},ok\n`).toString("base64");
  await post("upload", { name: "ok.csv", content });
  expect(await readiness()).toEqual([true]);
});

it("drafts that cannot be read or written are said in place, beside what is open", long, async () => {
  const own = await ownMorning();
  const path = join(own.path, "state/sandbox/drafts.db");
  console = await startConsole(own, "--allow-changes");
  // As a full disk leaves it.
  writeFileSync(path, "");
  expect((await page()).tally).toMatchObject({ ready: 0, undo: null });
  writeFileSync(path, "not a database".repeat(1000));
  const { targets } = await got<{ targets: { failure: { message: string }; correct: object[] }[] }>("overview");
  expect(targets[0]?.failure.message).toContain("drafts.db cannot be read or written");
  expect(targets[0]?.correct).not.toEqual([]);
  const refused = await change("edit-value", { ...cause, from: "x", to: "y" });
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.stringContaining("If the file is damaged, you can only move it away"),
  ]);
});

it(
  "numbers and dates of a workbook are shown, corrected and taken back in the mapping's format, and keep their values",
  long,
  async () => {
    const spec = {
      namespace: "loads",
      defaults: { timezone: "UTC", decimal: ",", grouping: true, dates: ["dd/MM/yyyy HH:mm"], country: "BR" },
      inputs: {
        loads: {
          columns: {
            load: "Load",
            state: { header: "State", as: "state" },
            at: { header: "At", as: "timestamp" },
            weight: { header: "Weight", as: "number" },
            scale: { header: "Scale", as: "number", decimal: "." },
            share: { header: "Share", as: "number", units: ["%"] },
            load_weight: { header: "Mass", as: "number", units: { kg: 1, t: 1000 } },
          },
          ...parties,
          addresses: { site: { ...parties.addresses.site, countryState: "=state" } },
          documents: { load: { key: "=load", participant: "owner", address: "site" } },
          events: {
            weighing: {
              name: "Weighing",
              key: "once",
              externalCreatedAt: "=at",
              isPublic: true,
              attributes: { public: { Weight: "=weight", Scale: "=scale", Share: "=share", Mass: "=load_weight" } },
            },
          },
        },
      },
    };
    const own = folder({ "loads.yaml": mapping(spec) });
    onTestFinished(own.remove);
    const book = new exceljs.Workbook();
    const sheet = book.addWorksheet("Loads");
    sheet.addRow(["Load", "State", "At", "Weight", "Scale", "Share", "Mass"]);
    sheet.addRow(["L1", "XX", new Date(Date.UTC(2026, 2, 1, 10)), 1.125, 2.5, 0.125, 9]);
    sheet.addRow(["L2", "XX", new Date(Date.UTC(2026, 2, 2, 10)), "a ton", 2.5, 0.125, 9]);
    sheet.getColumn(6).numFmt = "0.0%";
    sheet.getColumn(7).numFmt = '0 "t"';
    await book.xlsx.writeFile(join(own.path, "loads.xlsx"));
    await own.type("import", "loads.yaml", "loads.xlsx");
    console = await startConsole(own, "--allow-changes");
    const ofState = String(new URLSearchParams({ target: "sandbox", code: "state-unknown", column: "State" }));
    const rows = async () => (await got<Page["tables"]>(`grid?${ofState}`)).flatMap((table) => table.rows);
    const [first, second] = await rows();
    expect(first?.cells).toEqual(["L1", "XX", "2026-03-01T10:00:00", "1.125", "2.5", "0.125", "9"]);
    expect(first?.spelt, "what reads as the same value, where another form does").toEqual({
      2: "01/03/2026 10:00",
      3: "1,125",
      5: "12,5%",
      6: "9 t",
    });

    const edit = (ref: string, column: string, replaces: string, value: string) => ({ ref, column, replaces, value });
    const edits = [
      edit(first?.ref ?? "", "State", "XX", "SP"),
      edit(second?.ref ?? "", "State", "XX", "SP"),
      edit(second?.ref ?? "", "Weight", "a ton", "1,125"),
    ];
    await post("edit", { label: "pasted", edits });
    expect((await rows()).map(({ ready }) => ready)).toEqual([true, true]);

    const over = (replaces: string, value: string) => ({
      label: "Mass",
      edits: [edit(first?.ref ?? "", "Mass", replaces, value)],
    });
    await post("edit", over("9", "10"));
    const [bare] = await rows();
    expect([bare?.ready, bare?.problems[0]?.hint], "10 t or 10 kg").toEqual([false, 'Write "10 t", or another unit.']);
    await post("edit", over("10", "10 t"));
    await post("edit", { label: "Share", edits: [edit(first?.ref ?? "", "Share", "0.125", "14")] });
    expect((await rows())[0]?.ready, "with or without its sign, 14% is 14 in this column").toBe(true);
    await post("undo", { step: null });

    // A spreadsheet gives back numbers.
    const back = new exceljs.Workbook();
    const changed = back.addWorksheet("Loads");
    changed.addRow(["Load", "Weight", "Share", "rowferry_row"]);
    changed.addRow(["L1", 1.125, 0.125, first?.ref]);
    changed.addRow(["L2", 1.375, 0.14, second?.ref]);
    changed.getColumn(3).numFmt = "0.0%";
    const content = Buffer.from(await back.xlsx.writeBuffer()).toString("base64");
    expect(await post("upload", { name: "back.xlsx", content })).toMatchObject({
      told: ["2 cells changed: 1 in Weight, 1 in Share."],
    });
    expect((await rows()).map(({ draft }) => draft)).toEqual([
      { 1: "SP", 6: "10 t" },
      { 1: "SP", 3: "1,375", 5: "14%" },
    ]);
  },
);

it("Check counts no event of other rows that a run beside it has sent in the meantime", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const own = badNight();
  onTestFinished(own.remove);
  await own.type("import", "night.yaml", "night.csv");
  console = await startConsole(own, "--allow-changes");
  await post("edit-value", { code: "value-not-allowed", column: "Class", from: "III", to: "II", shown: "III" });
  const beside = longImport(own);
  onTestFinished(() => void beside.child.kill("SIGKILL"));
  const parts = async () =>
    (await got<{ targets: { live: { parts: string[] } | null }[] }>("overview")).targets[0]?.live?.parts.join();
  await expect.poll(parts, UNHURRIED).toMatch(/^Sending/);
  const said = (await post<string[]>("check", {})).join("\n");
  const [all = 0, others = 0] = [
    /Would send (\d+) events/,
    /What would be sent includes (\d+) events of other rows/,
  ].map((one) => Number(one.exec(said)?.[1]));
  expect(others, said).toBeGreaterThan(0);
  expect(others, said).toBeLessThanOrEqual(all);
});

it(
  "times of a workbook are shown as their column writes them, and come back in a CSV file unchanged, or left out without their seconds",
  long,
  async () => {
    const columns = {
      at: { header: "At", as: "timestamp", formats: ["dd.MM.yyyy HH:mm:ss"] },
      since: { header: "Since", as: "timestamp", formats: ["dd.MM.yyyy HH:mm"] },
    };
    const event = { attributes: { public: { Gross: "=gross", Since: "=since" } } };
    const own = folder({ "loads.yaml": mapping(weighingsWith({ columns, event })) });
    onTestFinished(own.remove);
    const book = new exceljs.Workbook();
    const time = new Date(Date.UTC(2026, 2, 1, 10, 20, 48));
    book.addWorksheet("Loads").addRows([
      ["Load", "At", "Gross", "Since"],
      ["L1", time, "x", time],
    ]);
    await book.xlsx.writeFile(join(own.path, "loads.xlsx"));
    await own.type("import", "loads.yaml", "loads.xlsx");
    console = await startConsole(own, "--allow-changes");
    const [row] = (await got<Page["tables"]>("grid?target=sandbox&code=number-unreadable"))[0]?.rows ?? [];
    expect(row?.spelt).toEqual({ 1: "01.03.2026 10:20:48" });
    const text = `Load;At;Gross;Since;rowferry_row\nL1;01.03.2026 10:20:48;5;01.03.2026 10:20;${row?.ref}\n`;
    expect(await post("upload", { name: "back.csv", content: Buffer.from(text).toString("base64") })).toMatchObject({
      told: ["1 cell changed: 1 in Gross.", expect.stringContaining("1 cell left out (1 in Since)")],
    });
  },
);

it("dates and numbers that a spreadsheet of another country has changed, or made unreadable, are left out of the upload, which says so", async () => {
  const defaults = { ...weighings.defaults, decimal: ",", dates: ["dd/MM/yyyy HH:mm", "dd/MM/yyyy"] };
  const columns = { tare: { header: "Tare", as: "number" }, since: { header: "Since", as: "date" } };
  const event = { attributes: { public: { Gross: "=gross", Tare: "=tare", Since: "=since" } } };
  const lines = ["L1 01/03/2026T10:00 x 1234 01/03/2026", "L2 02/03/2026T10:00 x 7 02/03/2026"];
  const { rows } = await loadsToCorrect(lines, { ...weighingsWith({ columns, event }), defaults }, ["Tare", "Since"]);
  const [one, other] = (await rows()).map(({ ref }) => ref);
  const upload = async (name: string, content: Uint8Array) =>
    (await post<{ told: string[] }>("upload", { name, content: Buffer.from(content).toString("base64") })).told;
  const book = new exceljs.Workbook();
  const sheet = book.addWorksheet("Rows");
  sheet.addRow(["At", "Gross", "rowferry_row"]);
  sheet.addRow([new Date(Date.UTC(2026, 0, 3, 10)), 5, one]);
  const leftOut = (what: string) => expect.stringContaining(` left out (${what}), because a spreadsheet`);
  expect(await upload("back.xlsx", new Uint8Array(await book.xlsx.writeBuffer()))).toEqual([
    "1 cell changed: 1 in Gross.",
    leftOut("1 in At"),
  ]);
  const header = "Load;At;Gross;Tare;Since;rowferry_row";
  const typed = `L1;03/01/2026 10:00;5;1,234;03/01/2026;${one}\nL2;02/03/2026 10:00:00 AM;6;8;02/03/2026;${other}`;
  expect(await upload("back.csv", Buffer.from(`${header}\n${typed}`))).toEqual([
    "2 cells changed: 1 in Gross, 1 in Tare.",
    leftOut("2 in At, 1 in Tare, 1 in Since"),
  ]);
  const cleared = `L2;02/03/2026 10:00;7;;02/03/2026;${other}`;
  expect(await upload("back.csv", Buffer.from(`${header}\n${cleared}`))).toEqual([
    "2 cells changed: 1 in Gross, 1 in Tare.",
  ]);
});

it("of a group, the cell at fault is listed and corrected, not that of its first row", long, async () => {
  const event = { key: "once", externalCreatedAt: "=first(at)", attributes: { public: { Gross: "=sum(gross)" } } };
  const lines = ["L1 10 10", "L1 20 ten", "L1 30 10", "L2 10 two"];
  const { rows } = await loadsToCorrect(lines, weighingsWith({ group: "=load", event }));
  const ofGross = { target: "sandbox", code: "number-unreadable", column: "Gross" };
  const words = String(new URLSearchParams(ofGross));
  expect(await got(`cause?${words}`)).toMatchObject({ values: [{ value: "ten" }, { value: "two" }] });
  const { targets } = await got<{ targets: { correct: { count: number }[] }[] }>("overview");
  expect(
    targets[0]?.correct.map(({ count }) => count),
    "every row of the groups",
  ).toEqual([4]);
  await post("edit-value", { ...ofGross, from: "ten", to: "20" });
  expect((await rows()).map(({ draft, ready }) => [draft, ready])).toEqual([
    [{}, true],
    [{ 2: "20" }, true],
    [{}, true],
    [{}, false],
  ]);
});

it(
  "a text that the rows of a group share is listed with all of them, tried in whole groups, and corrected by one edit",
  long,
  async () => {
    const columns = { grade: { header: "Grade", oneOf: ["A", "B"] } };
    const attributes = { public: { Gross: "=sum(gross)", Grade: "=grade" } };
    const event = { key: "once", externalCreatedAt: "=first(at)", attributes };
    const lines = [
      "L1 10 1 C",
      "L1 20 1 C",
      "L2 10 1",
      "L2 20 1 C",
      "L3 10 1 A",
      "L3 20 1 B",
      "L4 10 1 C",
      "L4 20 ten C",
    ];
    await loadsToCorrect(lines, weighingsWith({ group: "=load", columns, event }), ["Grade"]);
    const of = (code: string) => ({ target: "sandbox", code, column: "Grade" });
    const words = (code: string) => String(new URLSearchParams(of(code)));
    expect(await got(`cause?${words("value-not-allowed")}`)).toMatchObject({ values: [{ value: "C", rows: 5 }] });
    const edit = { ...of("value-not-allowed"), from: "C", to: "B" };
    const tried = await post<{ row: number; ready: boolean }[]>("try-value", edit);
    expect(tried.map(({ row, ready }) => [row, ready])).toEqual([
      [2, true],
      [3, true],
      [5, true],
      [8, false],
      [9, false],
    ]);
    expect(await post("edit-value", edit)).toMatchObject({ cells: 5 });
    expect((await page()).tally).toMatchObject({ rows: 8, ready: 4 });
    expect(await got(`cause?${words("group-differs")}`), "the texts that contradict each other").toMatchObject({
      values: [{ value: "A" }, { value: "B" }],
    });
    await post("edit-value", { ...of("group-differs"), from: "A", to: "B" });
    expect((await page()).tally).toMatchObject({ rows: 8, ready: 6 });
    expect(await got("cause?target=sandbox&code="), "rows of whole groups, as the tally counts them").toMatchObject({
      count: 8,
    });
  },
);

it("a row that a newer mapping accepts says so, is imported once a person keeps it, and no other row counts as right", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const accepting = (...oneOf: string[]) =>
    weighingsWith({
      columns: { grade: { header: "Grade", oneOf } },
      event: { attributes: { public: { Gross: "=gross", Grade: "=grade" } } },
    });
  const { own } = await loadsToCorrect(["L1 10 1 C", "L2 10 1 D", "L2 20 1 A"], accepting("A", "B"), ["Grade"]);
  const rows = async () =>
    (await got<Page["tables"]>("grid?target=sandbox&code=value-not-allowed")).flatMap((table) => table.rows);
  writeFileSync(join(own.path, "w.yaml"), mapping(accepting("A", "C")));
  expect(await rows()).toMatchObject([
    { isAccepted: true, ready: false, problems: [] },
    { isAccepted: false, ready: false, problems: [{ message: expect.stringContaining("A, C") }] },
  ]);
  expect((await page()).tally).toMatchObject({ rows: 2, ready: 0 });
  const [{ ref } = { ref: "" }] = await rows();
  await post("edit", { label: "kept", edits: [{ ref, column: "rowferry_code", replaces: "", value: "ok" }] });
  const { tally } = await page();
  expect(tally).toMatchObject({ rows: 2, ready: 1 });
  await post("import", { drafts: tally.drafts });
  await vi.waitFor(async () => expect((await page()).tally).toMatchObject({ rows: 1, ready: 0 }), UNHURRIED);
});

it("Check counts what waits now once, within what would be sent; Undo names no row of a ledger that was emptied", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { own, type } = await loadsToCorrect(["L1 10 x", "L1 20 5", "L1 30 5"]);
  await type(0, "Gross", "x", "1");
  expect(await post<string[]>("check", {})).toEqual(
    expect.arrayContaining([
      expect.stringContaining("Would send 3 events"),
      "What would be sent includes 2 events that wait now.",
    ]),
  );
  expect((await page()).tally.undo).toMatchObject({ label: "Gross, 1 cell" });
  writeFileSync(join(own.path, "w.csv"), loadsWith([], "L2 10 y").join("\n"));
  await own.type("import", "w.yaml", "w.csv", "--fresh");
  expect((await page()).tally).toMatchObject({ rows: 1, ready: 0, undo: null });
});

it("Check says what could then never be sent, and does not count it as released", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { weighing } = weighings.inputs.weighings.events;
  const end = { name: "CLOSE", key: "once", externalCreatedAt: "=at", isPublic: true, when: "=filled(last)" };
  const events = { weighing, end };
  const closing = weighingsWith({ columns: { last: "Last" }, events });
  const { type } = await loadsToCorrect(["L1 10 x", "L1 20 5"], closing, ["Last"]);
  await type(0, "Gross", "x", "1");
  await type(0, "Last", "", "yes");
  const told = await post<string[]>("check", {});
  expect(told.join(" ")).toMatch(/Would send 2 events .* 1 event could never be sent, and would need a decision\./);
  expect(told.join(" ")).not.toContain("that waits now");
});

it("one edit corrects the rows that are left while others with the same text are being imported, and those are not given up either", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { own, rows, type } = await loadsToCorrect(["L1 10 x", "L2 20 x"]);
  await type(0, "Gross", "x", "1");
  const lock = held(own);
  await post("import", { drafts: (await page()).tally.drafts });
  const edit = { code: "number-unreadable", column: "Gross", from: "x", to: "2", shown: null };
  expect(await post("edit-value", edit)).toMatchObject({ cells: 1 });
  const [sent] = await rows();
  expect((await rows()).map(({ draft }) => draft)).toEqual([{ 2: "1" }, { 2: "2" }]);
  for (const what of [{ rows: [sent?.ref] }, { flags: { document: "load/L1" } }]) {
    const givenUp = await change("do", { action: "dismiss", ...what, dry: true });
    expect([givenUp.status, givenUp.body]).toEqual([409, expect.stringContaining("being imported")]);
  }
  const takenBack = await change("do", { action: "withdraw", flags: { input: "w.csv" }, dry: false });
  expect([takenBack.status, takenBack.body], "no option to type").toEqual([409, expect.not.stringContaining("--")]);
  lock.close();
  await vi.waitFor(async () => expect((await page()).tally).toMatchObject({ rows: 1, ready: 1 }), UNHURRIED);
});

it(
  "what is decided is what was foretold: a decision that would do something else by now is refused",
  long,
  async () => {
    const { own } = await loadsToCorrect(["L1 10 x", "L1 20 y", "L2 10 z"]);
    const decision = { action: "dismiss", flags: { document: "load/L1" } };
    const foretold = await post<{ stamp: string }>("do", { ...decision, dry: true });
    await own.type("dismiss", "--row", "w.csv:2", "--yes");
    const refused = await change("do", { ...decision, stamp: foretold.stamp, dry: false });
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining("has changed since")]);
    const { stamp } = await post<{ stamp: string }>("do", { ...decision, dry: true });
    expect(await post("do", { ...decision, stamp, dry: false })).toMatchObject({
      said: ["Settled without sending: 1 row."],
    });
    const again = await change("do", { ...decision, dry: true });
    expect([again.status, again.body], "without a command to type").toEqual([409, expect.not.stringContaining("`")]);
  },
);

it("what a restored ledger cannot know is told with its time as the page tells times", long, async () => {
  const { own } = await loadsToCorrect(["L1 10 1"]);
  await own.type("ledger", "backup", "before.db");
  await own.type("ledger", "restore", "before.db");
  const { targets } = await got<{ targets: { restored: string }[] }>("overview");
  expect(targets[0]?.restored).toMatch(/from a backup of \d{4}-\d\d-\d\dT[\d:.]+Z /);
});

it(
  "of two columns with one header, the one at fault is shown, typed into, and taken back from a file",
  long,
  async () => {
    const lines = ["L1 10 5 x", "L2 20 5 x", "L3 30 5 5"];
    const gross = { header: "Gross", as: "number", nth: "2 of 2" };
    const { rows, file } = await loadsToCorrect(lines, weighingsWith({ columns: { gross } }), ["Gross"]);
    const [ofGross, first] = [
      { target: "sandbox", code: "number-unreadable", column: "Gross (column 4)" },
      "Gross (column 3)",
    ];
    expect(await got(`cause?${String(new URLSearchParams(ofGross))}`)).toMatchObject({
      values: [{ value: "x", rows: 2 }],
    });
    await post("edit-value", { ...ofGross, from: "x", to: "7" });
    expect((await rows()).map(({ draft, ready }) => [draft, ready])).toEqual([
      [{ 3: "7" }, true],
      [{ 3: "7" }, true],
    ]);
    const upload = await file((text) => text.replace("L1,2026-01-01 10:10,5,x", "L1,2026-01-01 10:10,6,x"));
    const content = Buffer.from(upload).toString("base64");
    expect(await post("upload", { name: "back.csv", content })).toMatchObject({
      told: [`1 cell changed: 1 in ${first}.`, expect.stringContaining("2 cells corrected here since the download")],
    });
    expect((await rows()).map(({ draft }) => draft)).toEqual([{ 2: "6", 3: "7" }, { 3: "7" }]);
  },
);

it("a decision about a row that was corrected here names the row of the night's file", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { own, type } = await loadsToCorrect(["L1 20 1"]);
  writeFileSync(join(own.path, "v.csv"), loadsWith([], "L1 10 x").join("\n"));
  await own.type("import", "w.yaml", "v.csv");
  await type(0, "Gross", "x", "2");
  await post("import", { drafts: (await page()).tally.drafts });
  const late = () => got<{ records: object[] }>("decisions?target=sandbox&code=late");
  const decided = async () => expect((await late()).records).toMatchObject([{ place: "v.csv, row 2, as corrected" }]);
  await vi.waitFor(decided, UNHURRIED);
});

it("of two rows that contradict each other, the one that is kept says that it takes the other's place, and lands", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const { own } = await loadsToCorrect(["L1 10 1", "L1 10 2", "L2 20 1", "L2 20 2"]);
  const all = () =>
    got<{ rows: { ref: string; ready: boolean; replaces: string | null; problems: object[] }[] }[]>(
      "grid?target=sandbox&code=event-key-twice",
    );
  const rows = async () => (await all()).flatMap((table) => table.rows);
  const [one, other] = await rows();
  expect(one?.problems, "what differs, and what to press for either").toMatchObject([
    {
      message: expect.stringMatching(/in w\.csv, row 2: Gross "1"$/),
      hint: expect.stringMatching(/^If this row is right, press Keep; if the other one is, give this one up\./),
    },
  ]);
  const keep = { column: "rowferry_code", replaces: "", value: "ok" };
  await post("edit", { label: "kept", edits: [{ ...keep, ref: one?.ref }] });
  await post("edit", { label: "Gross", edits: [{ ref: other?.ref, column: "Gross", replaces: "2", value: "3" }] });
  expect(await rows()).toMatchObject([
    { ready: true, replaces: expect.stringContaining("w.csv, row 2") },
    { ready: true, replaces: expect.stringContaining("w.csv, row 4") },
  ]);
  await post("import", { drafts: (await page()).tally.drafts });
  await vi.waitFor(async () => expect((await own.type("status")).stdout).toContain("all is well"), UNHURRIED);
  const { stdout } = await own.type("sandbox", "dump");
  expect(stdout.match(/Gross.*/g)).toEqual([expect.stringContaining("2"), expect.stringContaining("3")]);
});
