/** What comes after the first correction: rows that come again, in corrected files and in tomorrow's export (HARD-CASES H23). */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import exceljs from "exceljs";
import { type Office, openOffice } from "../support/office.js";
import { loadsWith, weighings, weighingsWith, weights } from "../support/weighings.js";

const ticketed = {
  columns: { ticket: "Ticket", status: "Status" },
  skip: '=status == "draft"',
  event: { key: "=ticket" },
};
const rowsOf = (...rows: readonly string[]) => loadsWith(["Ticket", "Status"], ...rows);
/** The second row cannot be read, the third waits for it. */
const night = ["L1 10 1 T1", "L1 20 x T2 open", "L1 30 3 T3"];
const untold = ["L1 10 1 T1", "L1 20 x  open", "L1 30 3 T3"];

/** An office that has imported these rows as `night-1.csv`. */
async function firstNight(rows: readonly string[] = night, settings: object = {}) {
  const office = openOffice({ ...weighingsWith(ticketed), settings });
  await put(office, "night-1.csv", rowsOf(...rows));
  return office;
}

/** Imports a file of that name. */
async function put(office: Office, ...file: Parameters<Office["brought"]>) {
  const { exitCode: code, rows, open, events, files } = await office.brought(...file);
  const written = files.filter(({ kind }) => kind === "rejected").map(({ path }) => basename(path));
  return { code, rows, open: open.rows, held: open.events["held"] ?? 0, landed: events["landed"] ?? 0, written };
}

/** What `rejects` writes now, by file. */
async function rejectsOf(office: Office) {
  const folder = office.path(`rejects-${office.world.now}`);
  await office.type("rejects", "--folder", folder);
  return new Map(readdirSync(folder).map((file) => [file, parse(readFileSync(`${folder}/${file}`))]));
}

/** The rows of the only file that `rejects` writes now, with these cells changed. */
async function rejected(office: Office, mended: { [cell: string]: string } = {}) {
  const [rows = []] = (await rejectsOf(office)).values();
  return rows.map((row) => row.map((cell) => mended[cell] ?? cell));
}

const shown = async (office: Office, what: string) => (await office.type("show", what)).said;

const settled = (landed: number, rows: object = {}) =>
  expect.objectContaining({ code: 0, open: 0, held: 0, landed, rows: expect.objectContaining(rows) });
const waiting = (open: number, held: number) => expect.objectContaining({ code: 3, open, held });

describe("a corrected row", () => {
  it("that the mapping leaves out is given up, and what waited for it goes", long, async () => {
    const office = await firstNight();
    const left = await rejected(office, { open: "draft" });
    expect(await put(office, "k.csv", left)).toEqual(settled(1, { skipped: 1 }));
    expect(await shown(office, "night-1.csv:3")).toContain("since corrected by k.csv, row 2");
    expect(await put(office, "night-2.csv", rowsOf(...night, "L2 30 3 T9"))).toEqual(settled(1));
  });

  it("that takes the key of another row, which is still to be sent, is told; its own key is not", long, async () => {
    const office = await firstNight();
    const mended = await rejected(office, { x: "2" });
    const warningsOf = async (ticket: string) => {
      office.writeCsv(
        "k.csv",
        mended.map((row) => row.map((cell) => (cell === "T2" ? ticket : cell))),
      );
      return (await office.type("plan", "m.yaml", "k.csv")).said;
    };
    expect(await warningsOf("T2")).not.toContain("is sent as this row has it");
    expect(await warningsOf("T3")).toContain("is sent as this row has it, and not as night-1.csv, row 4 has it");
  });

  it("that changed what had landed stays corrected: its document is replaced, and tomorrow's export still has the old text", async () => {
    const office = await firstNight(["L1 10 1 T1"]);
    const changed = rowsOf("L1 10 2 T1");
    expect(await put(office, "night-2.csv", changed)).toMatchObject({ code: 3 });
    expect(await put(office, "k.csv", await rejected(office, { 2: "3" }))).toMatchObject({ code: 3 });
    await office.type("replace", "L1", "--reason", "wrong weight");
    expect(await put(office, "night-3.csv", [...changed, ...rowsOf("L9 10 9 T9").slice(1)])).toEqual(settled(3));
    expect(weights(office).toSorted()).toEqual(["L1 10 3", "L9 10 9"]);
  });

  it.each([
    ["another document", { L1: "L2" }, settled(1), ["L1 30 3", "L2 8 1"]],
    ["an unreadable weight", { 1: "x" }, expect.objectContaining({ code: 3, open: 1 }), ["L1 30 3"]],
  ])(
    "that came too late and is corrected once more, to %s, leaves no late event behind",
    long,
    async (_, mended, result, sent) => {
      const office = await firstNight(["L1 30 3 T3"]);
      const late = rowsOf("L1 10 1 T1");
      await put(office, "night-2.csv", late);
      await put(office, "k1.csv", await rejected(office, { "2026-01-01 10:10": "2026-01-01 10:08" }));
      expect(await put(office, "k2.csv", await rejected(office, mended))).toEqual(result);
      expect(await shown(office, "L1")).not.toContain("late");
      expect(await put(office, "night-3.csv", late)).toMatchObject({ landed: 0 });
      expect(weights(office)).toEqual(sent);
    },
  );

  it.each([
    ["`ok` says", [{ changed: "ok" }]],
    ["a second correction says", [{ 2: "3" }, { 3: "2" }]],
  ])("says again what it said before, where %s so", long, async (_, corrections) => {
    const office = await firstNight(["L1 10 1 T1"]);
    const source = (weight: number, at: number) =>
      put(office, `night-${at}.csv`, rowsOf(`L1 10 ${weight} T1`, `L9 1${at} 9 T9${at}`));
    expect(await source(2, 2)).toMatchObject({ code: 3 });
    for (const [count, mended] of corrections.entries())
      expect(await put(office, `k${count}.csv`, await rejected(office, mended))).toMatchObject({ code: 3 });
    expect(await source(1, 3), "as it landed").toMatchObject({ code: 0 });
    expect(await source(2, 4), "the corrected text, which has not landed").toMatchObject({ code: 3 });
  });

  it(
    "that changed what had landed is still told after its ledger was restored, as a copy that nobody corrected",
    long,
    async () => {
      const office = openOffice(weighingsWith(ticketed));
      office.writeCsv("night-1.csv", rowsOf("L1 10 1 T1"));
      await office.ends(0, "import m.yaml night-1.csv --journal j.ndjson");
      expect(await put(office, "night-2.csv", rowsOf("L1 10 2 T1"))).toMatchObject({ code: 3 });
      expect(await put(office, "k.csv", await rejected(office, { 2: "2.0" }))).toMatchObject({ code: 3 });
      await office.ends(0, "ledger backup b.db");
      await office.ends(0, "ledger restore b.db");
      expect(await put(office, "night-3.csv", rowsOf("L1 10 2 T1", "L9 10 9 T9"))).toMatchObject({
        code: 3,
        landed: 1,
      });
    },
  );

  it("may be divided in two", long, async () => {
    const office = await firstNight();
    const [columns = [], first = []] = await rejected(office, { x: "2", T2: "T2a" });
    const second = first.map((cell) => (cell === "T2a" ? "T2b" : cell));
    expect(await put(office, "k.csv", [columns, first, second])).toEqual(settled(3));
  });

  it(
    "that today's export has overtaken is told as changed, and not as applied when that export comes again",
    long,
    async () => {
      const office = await firstNight();
      const file = await rejected(office, { x: "2" });
      const today = rowsOf("L1 10 1 T1", "L1 20 7 T2", "L1 30 3 T3");
      expect(await put(office, "night-2.csv", today)).toEqual(settled(2));
      expect((await put(office, "k.csv", file)).code).toBe(3);
      expect(await put(office, "night-2.csv", today)).toEqual(settled(0, { known: 3 }));
      expect(office.world.out).not.toContain("the correction applies");
      expect(await shown(office, "night-2.csv:3")).not.toContain("since corrected");
    },
  );

  it("is known by its own column alone, in front, with tabs", async () => {
    const office = await firstNight();
    const rows = await rejected(office, { x: "2" });
    const moved = rows.map((row) => [row[5], ...row.slice(0, 5)].join("\t"));
    writeFileSync(office.path("k.csv"), `${moved.join("\n")}\n`);
    expect(await office.import("k.csv")).toMatchObject({ exitCode: 0, open: { rows: 0 }, events: { landed: 2 } });
    expect(await shown(office, "night-1.csv:3"), "what became of it").toMatch(/by k.csv, row 2 .*\[T2\] landed/);
  });
});

describe("a wrong row that comes again in tomorrow's export", () => {
  it("from whose file an optional column was deleted is told what was in it", long, async () => {
    const office = openOffice(
      weighingsWith({
        columns: { note: { header: "Note", optional: true } },
        event: { attributes: { public: { Gross: "=gross", Note: "=note" } } },
      }),
    );
    await put(office, "w.csv", loadsWith(["Note", "Unread"], "L1 10 x bent u", "L1 20 y  u"));
    const without = async (...gone: string[]) => {
      const [header = [], ...rows] = await rejected(office, { x: "1", y: "2" });
      const keep = (cells: string[]) => cells.filter((_, at) => !gone.includes(header[at] ?? ""));
      return [header, ...rows].map(keep);
    };
    expect(await put(office, "k.csv", await without("Note", "Unread"))).toEqual(waiting(1, 1));
    expect(await shown(office, "k.csv:2")).toContain('the row had "bent" in it');
    expect(await put(office, "k2.csv", await without("Unread"))).toEqual(settled(2));
  });

  it("is to be corrected once", long, async () => {
    const office = await firstNight();
    expect(await put(office, "night-2.csv", rowsOf(...night, "L1 40 4 T4"))).toEqual(waiting(1, 2));
    expect([...(await rejectsOf(office)).keys()]).toEqual(["night-2.rejected.csv"]);
    expect(await shown(office, "night-1.csv:3")).toContain("since superseded by night-2.csv, row 3");
    expect(await put(office, "k.csv", await rejected(office, { x: "2" }))).toEqual(settled(3));
    expect(await put(office, "night-3.csv", rowsOf(...night, "L1 50 5 T5"))).toEqual(settled(1));
  });

  it.each([
    ["late", "L1 10 1 T0", "late"],
    ["changed", "L1 20 7 T1", "changed"],
    ["refused by the service", "L1 30 1 T5 nowhere", "service-refused"],
  ] as const)("is in one rejected file, the newest night's, where it is %s", long, async (_what, wrong, code) => {
    const good = "L1 20 1 T1";
    const office = await firstNight([good]);
    const { weighing } = weighings.inputs.weighings.events;
    const reference = {
      when: "=filled(status)",
      name: "RELATED",
      key: "once",
      externalCreatedAt: "=at",
      isPublic: false,
      relatedDocument: { document: { id: "=status" }, bidirectional: false },
    };
    office.writeMapping(
      weighingsWith({ ...ticketed, events: { reference, weighing: { ...weighing, key: "=ticket" } } }),
    );
    let last: string[] = [];
    for (const day of [2, 3]) {
      const rows = code === "changed" ? rowsOf(wrong) : rowsOf(good, wrong);
      ({ written: last } = await put(office, `night-${day}.csv`, rows, { end: "\n".repeat(day) }));
    }
    expect(last).toEqual(["night-3.rejected.csv"]);
    const files = await rejectsOf(office);
    expect([...files.keys()]).toEqual(last);
    expect(
      files
        .get("night-3.rejected.csv")
        ?.flat()
        .filter((cell) => cell.split("; ").includes(code)),
    ).toHaveLength(1);
    if (code !== "service-refused") return;
    const mended = await rejected(office, { T5: "T6", nowhere: "" });
    expect(await put(office, "k.csv", mended)).toEqual(settled(1));
  });

  it("is corrected by yesterday's rejected file, also where its event cannot be told", long, async () => {
    const office = await firstNight(untold);
    const mended = await rejected(office, { "": "T2", x: "2" });
    await put(office, "night-2.csv", rowsOf(...untold, "L1 40 4 T4"));
    expect(await put(office, "k.csv", mended)).toEqual(settled(3));
  });

  it("is two rows where one import brings it twice", long, async () => {
    const office = await firstNight();
    const [first = "", bad = "", last = ""] = night;
    expect(await put(office, "night-2.csv", rowsOf(first, bad, bad, last))).toEqual(waiting(2, 1));
  });
});

describe("a row that could not be placed, under `unplacedRows: hold`,", () => {
  const unplaced = ["L1 10 1 T1", " 20 x T2 open", "L1 30 3 T3"];
  const hold = { unplacedRows: "hold" };

  it("goes on holding what is later in its input while its corrections are wrong", long, async () => {
    const office = await firstNight(unplaced, hold);
    const mended = await rejected(office, { "": "L1", x: "2" });
    expect(await put(office, "k.csv", await rejected(office, { x: "y" }))).toEqual(waiting(1, 1));
    expect(await put(office, "k2.csv", mended)).toEqual(settled(2));
  });

  it("goes on holding it when it comes again tomorrow", long, async () => {
    const office = await firstNight(unplaced, hold);
    expect(await put(office, "night-2.csv", rowsOf(...unplaced.slice(0, 2)))).toEqual(waiting(1, 1));
  });
});

describe("what a spreadsheet did to a rejected file", () => {
  const mapping = weighingsWith({
    csv: { delimiter: ";" },
    columns: { note: "Note", tax: { header: "Tax", as: "taxId", type: "CNPJ" } },
    event: { key: "once", attributes: { public: { Gross: "=gross", Note: "=note", Tax: "=tax" } } },
  });
  const dates = ["dd/MM/yyyy HH:mm:ss", "dd/MM/yyyy HH:mm"];
  const defaults = { ...mapping.defaults, dates, decimal: ",", grouping: true };
  const office = () => openOffice({ ...mapping, defaults });
  const wrong = "L1;05/01/2026 10:00:30;12.000;00123;11222333000180";
  const right = wrong.replace("180", "181");
  /** Its own night, with `row` in place of the rejected one. */
  async function corrected(row: string) {
    const here = office();
    writeFileSync(here.path("w.csv"), `Load;At;Gross;Note;Tax\n${wrong}\n`);
    const path = (await here.import("w.csv")).files.find(({ kind }) => kind === "rejected")?.path ?? "";
    const mend = async (file: string, from: string, to: string) => {
      writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
      return here.import(file);
    };
    return { ...here, file: path, mend, summary: await mend(path, wrong, row) };
  }
  const sent = (here: Office) =>
    here.documents().flatMap(({ events }) => events.map(({ at, body }) => JSON.stringify([at, body["metadata"]])));

  it("is told, and not sent", async () => {
    const { summary } = await corrected(right.replace("00123", "123"));
    expect(summary).toMatchObject({ exitCode: 3, events: {}, problems: [{ code: "cell-rewritten" }] });
  });

  it.each([
    ["the leading zeros of a text", ";00123;", ";123;"],
    ["the zeros of a number, whose point it took for a decimal mark", "12.000", "12"],
    ["a number's decimal mark", "12.000", "12,000"],
    ["the seconds of a time", "10:00:30", "10:00"],
    ["the order of day and month", "05/01/2026", "01/05/2026"],
  ])("is told until it is mended: %s", long, async (_, before, after) => {
    const here = await corrected(right.replace(before, after));
    expect(here.summary).toMatchObject({ exitCode: 3, problems: [{ code: "cell-rewritten" }] });
    const again = here.summary.files.find(({ kind }) => kind === "rejected")?.path ?? "";
    expect(await here.import(again)).toMatchObject({ exitCode: 3, problems: [{ code: "cell-rewritten" }] });
    expect(sent(here)).toEqual([]);
    // As it was, in the first file.
    expect(await here.mend(here.file, after, before)).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(sent(here)).toEqual(sent(await corrected(right)));
  });

  it("is told of a workbook, too, whose cells have become numbers and dates", long, async () => {
    const here = await corrected(wrong);
    const typed = { "00123": 123, "12.000": 12, "05/01/2026 10:00:30": new Date("2026-05-01T10:00:30Z") };
    const rows: string[][] = parse(readFileSync(here.file), { delimiter: ";" });
    const mended = rows.map((row) =>
      row.map((cell) => typed[cell as keyof typeof typed] ?? cell.replace("180", "181")),
    );
    const workbook = new exceljs.Workbook();
    workbook.addWorksheet("w").addRows(mended);
    await workbook.xlsx.writeFile(here.path("w.rejected.xlsx"));
    for (const _ of ["first", "again"]) {
      const { problems } = await here.import("w.rejected.xlsx");
      expect(problems.map(({ code, column }) => `${column} ${code}`).toSorted()).toEqual(
        ["At", "Gross", "Note"].map((column) => `${column} cell-rewritten`),
      );
    }
    expect(sent(here)).toEqual([]);
  });

  /** A night with a workbook, of whose row only the tax id is wrong; gives its rejected file. */
  async function rejectedWorkbook(here: Office, gross = 12.5, format = "0") {
    const workbook = new exceljs.Workbook();
    const sheet = workbook.addWorksheet("w");
    sheet.addRow(["Load", "At", "Gross", "Note", "Tax"]);
    const line = sheet.addRow(["L1", new Date("2026-01-05T10:00:30Z"), gross, 42, "11222333000180"]);
    const formats = ["mm/dd/yyyy hh:mm", format, '"OS-"00000'];
    for (const [index, code] of formats.entries()) line.getCell(index + 2).numFmt = code;
    await workbook.xlsx.writeFile(here.path("w.xlsx"));
    const file = (await here.import("w.xlsx")).files.find(({ kind }) => kind === "rejected")?.path ?? "";
    const opened = new exceljs.Workbook();
    await opened.xlsx.readFile(file);
    const page = opened.worksheets[0] ?? expect.fail("no sheet");
    page.getCell("E2").value = "11222333000181";
    const own = [6, 7, 8, 9].map((column) => [1, 2].map((row) => page.getCell(row, column).text));
    const saveAsText = (...cells: string[]) => {
      const [titles, texts] = [0, 1].map((at) => own.map((pair) => pair[at] ?? ""));
      const lines = [
        ["Load", "At", "Gross", "Note", "Tax", ...(titles ?? [])],
        [...cells, ...(texts ?? [])],
      ];
      writeFileSync(here.path("text.csv"), stringify(lines, { delimiter: ";" }));
      return here.import("text.csv");
    };
    return { saveAsText, page, save: () => opened.xlsx.writeFile(here.path("again.xlsx")) };
  }

  it("is told where a workbook is saved as text, as its cells are shown", long, async () => {
    const here = office();
    const { saveAsText } = await rejectedWorkbook(here);
    const told = await saveAsText("L1", "01/05/2026 10:00", "13", "OS-00042", "11222333000181");
    expect(told).toMatchObject({ exitCode: 3, events: {} });
    expect(told.problems.map(({ code, column }) => `${column} ${code}`)).toEqual(
      ["At", "Gross"].map((one) => `${one} cell-rewritten`),
    );
    const whole = ["L1", "05/01/2026 10:00:30", "12,5", "OS-00042", "11222333000181"];
    expect(await saveAsText(...whole)).toMatchObject({ exitCode: 0, open: { rows: 0 } });
  });

  it.each([
    ["a code", "D2", "Note", "OS-00042", 12.5, "0"],
    ["a percentage", "C2", "Gross", "12,5%", 0.125, "0.0%"],
    ["a number of tonnes", "C2", "Gross", "12,5 t", 12500, '0.0,"t"'],
  ] as const)("is told where %s has lost its format", long, async (_, at, column, text, gross, format) => {
    const units = /%|t/.exec(text);
    const columns = {
      ...mapping.inputs.weighings.columns,
      gross: { header: "Gross", as: "number", ...(units && { units: [units[0]] }) },
    };
    const here = openOffice({ ...mapping, defaults, inputs: { weighings: { ...mapping.inputs.weighings, columns } } });
    const { page, save } = await rejectedWorkbook(here, gross, format);
    page.getCell(at).numFmt = "General";
    await save();
    expect(await here.import("again.xlsx")).toMatchObject({
      exitCode: 3,
      events: {},
      problems: [{ code: "cell-rewritten", column }],
    });
    page.getCell(at).value = text;
    await save();
    expect(await here.import("again.xlsx")).toMatchObject({ exitCode: 0, open: { rows: 0 } });
  });

  it("is told where a program has not calculated what uses a corrected cell", long, async () => {
    const columns = { extra: { header: "Extra", as: "number" }, sum: { header: "Sum", as: "number" } };
    const here = openOffice(
      weighingsWith({ columns, event: { attributes: { public: { Gross: "=gross", Sum: "=sum" } } } }),
    );
    const workbook = new exceljs.Workbook();
    const formula = { formula: "SUM(C2:D2)", result: 5 };
    workbook.addWorksheet("w").addRows([
      ["Load", "At", "Gross", "Extra", "Sum"],
      ["L1", "2026-01-01 10:10", "1x", 5, formula],
    ]);
    await workbook.xlsx.writeFile(here.path("w.xlsx"));
    const file = (await here.import("w.xlsx")).files.find(({ kind }) => kind === "rejected")?.path ?? "";
    const opened = new exceljs.Workbook();
    await opened.xlsx.readFile(file);
    const page = opened.worksheets[0] ?? expect.fail("no sheet");
    page.getCell("C2").value = 1;
    await opened.xlsx.writeFile(here.path("again.xlsx"));
    for (const _ of ["first", "again"]) {
      const { exitCode, problems } = await here.import("again.xlsx");
      expect([exitCode, problems]).toMatchObject([3, [{ code: "cell-rewritten", column: "Sum" }]]);
      page.getCell("G2").value = null;
      await opened.xlsx.writeFile(here.path("again.xlsx"));
    }
    page.getCell("E2").value = { ...formula, result: 6 };
    await opened.xlsx.writeFile(here.path("again.xlsx"));
    expect(await here.import("again.xlsx")).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(sent(here)).toEqual([expect.stringContaining('"6"')]);
  });

  it(
    "is sent where a person says `ok`, and what a person changed is nothing that a spreadsheet did",
    long,
    async () => {
      const meant = await corrected(right.replace(";00123;", ";123;"));
      const again = meant.summary.files.find(({ kind }) => kind === "rejected")?.path ?? "";
      expect(await meant.mend(again, "cell-rewritten", "ok")).toMatchObject({ exitCode: 0, open: { rows: 0 } });
      expect(sent(meant)).toHaveLength(1);
      const own = await corrected("L1;06/01/2026 10:02;12.500;Bridge 2;11222333000181");
      expect([own.summary.exitCode, sent(own).length]).toEqual([0, 1]);
    },
  );
});
