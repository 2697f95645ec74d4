/** Which sheet, which rows and which columns of a workbook are read, and what is said about it. */
import type { Row } from "../../src/model/row.js";
import { openExcel } from "../../src/read/excel/open-excel.js";
import { openFile } from "../../src/read/opened-file.js";
import { openInput } from "../../src/read/open-input.js";
import { openZip } from "../../src/read/zip.js";
import { positionSuite } from "../support/read/position-suite.js";
import { temporaryFile } from "../support/read/read-file.js";
import { readWorkbook } from "../support/read/read-workbook.js";
import { columnLetters } from "../../src/model/formula.js";
import { type MadeSheet, textCell, writeWorkbook } from "../support/read/write-workbook.js";
import { entryText } from "../support/read/write-zip.js";
import { sampled } from "../support/sample.js";

/** A sheet of texts: `a b / 1 2`; a point stands for a blank cell, a dash for a row without any. */
function sheetOf(name: string, table: string | readonly (readonly string[])[], more: Partial<MadeSheet> = {}) {
  const cellsByRow =
    typeof table !== "string"
      ? table
      : table
          .split(" / ")
          .map((line) => (line === "-" ? [] : line.split(" ").map((cell) => (cell === "." ? "" : cell))));
  const rows = cellsByRow.map((cells, index) => {
    const elements = cells.map((cell, column) =>
      cell === "" ? "" : textCell(`${columnLetters(column + 1)}${index + 1}`, cell),
    );
    return cells.length === 0 ? "" : `<row r="${index + 1}">${elements.join("")}</row>`;
  });
  return { name, rows: rows.join(""), ...more };
}

/** `2: a b`, blank cells as points. */
function lines({ rows }: { rows: readonly Row[] }) {
  return rows.map(({ number, cells, problems }) => {
    expect(problems).toBeNull();
    return `${number}: ${cells.map((cell) => cell || ".").join(" ")}`;
  });
}

positionSuite("Excel", async (table) => {
  const bytes = await writeWorkbook({ sheets: [sheetOf("S", table)] });
  return { path: await temporaryFile(bytes, "input.xlsx") };
});

const small = "a b / 1 2";

describe("the sheet", () => {
  const january = sheetOf("Manifestos Jan", small);
  const february = sheetOf("Manifestos Fev", "c / 3");
  const notes = sheetOf("Notas", "n / 4", { state: "hidden" });
  const secret = sheetOf("Segredo", "s / 5", { state: "veryHidden" });
  const empty = { name: "Plan3", rows: '<row r="1"><c r="A1" s="0"/></row>' };

  test("all of them are listed, in order, hidden ones marked", async () => {
    const path = await temporaryFile(await writeWorkbook({ sheets: [january, notes, secret, empty] }), "input.xlsx");
    const input = await openInput(path);
    expect(input.format).toBe("xlsx");
    expect(input.sheets).toEqual([
      { sheet: "Manifestos Jan", hidden: false },
      { sheet: "Notas", hidden: true },
      { sheet: "Segredo", hidden: true },
      { sheet: "Plan3", hidden: false },
    ]);
    await input.close();
    await input.close();
  });

  test("the only visible one with rows is taken, and what was left out is said", async () => {
    const table = await readWorkbook({ sheets: [empty, january, notes] });
    expect(table.header).toEqual(["a", "b"]);
    expect(table.dialect).toEqual({ format: "xlsx", sheet: "Manifestos Jan", date1904: false });
    expect(table.notes).toEqual([
      'Hidden sheets were left out: "Notas" (hidden).',
      'Of 2 sheets, only "Manifestos Jan" has rows.',
    ]);
  });

  test.each([
    ["by name", "Manifestos Fev", "c"],
    ["by name, without regard to case and blanks around it", " manifestos FEV", "c"],
    ["by position", 2, "c"],
    ["by pattern", "*Fev", "c"],
    ["hidden, but named outright", "Notas", "n"],
  ])("%s", async (_, sheet, header) => {
    const table = await readWorkbook({ sheets: [january, february, notes] }, { sheet });
    expect(table.header[0]).toBe(header);
    expect(table.notes).toEqual(header === "n" ? ['Sheet "Notas" is hidden in the workbook.'] : []);
  });

  test.each([
    ["several with rows, none named", undefined, "sheet-ambiguous"],
    ["a pattern that fits several", "Manifestos*", "sheet-ambiguous"],
    ["a pattern that fits a hidden one only", "Nota?", "sheet-missing"],
    ["an unknown name", "Março", "sheet-missing"],
    ["a position beyond the last", 9, "sheet-missing"],
  ])("%s is an error that lists the sheets", async (_, sheet, code) => {
    const reading = readWorkbook({ sheets: [january, february, notes] }, sheet === undefined ? {} : { sheet });
    await expect(reading).rejects.toMatchObject({ code, description: expect.stringContaining("input.xlsx") });
    const error = await reading.catch((caught: Error & { hint: string }) => caught.message + caught.hint);
    expect(error).toContain("Manifestos Jan");
  });

  test.each([
    ["Manifestos*", ["Manifestos Jan", "Manifestos Fev"]],
    ["*", ["Manifestos Jan", "Manifestos Fev"]],
    [
      ["notas", 2, "Manif*", "Maio"],
      ["Notas", "Manifestos Fev", "Manifestos Jan", "Maio"],
    ],
    ["Not?", ["Not?"]],
    [undefined, [undefined]],
  ])("%j names each sheet once, and what it does not find", async (sheet, names) => {
    const path = await temporaryFile(await writeWorkbook({ sheets: [january, february, notes] }), "input.xlsx");
    const input = await openInput(path);
    const each = await input.each({ excel: sheet === undefined ? {} : { sheet } });
    expect(each.map(({ excel }) => excel?.sheet)).toEqual(names);
    await input.close();
  });

  test("hidden ones take part when hidden things are to be read", async () => {
    expect((await readWorkbook({ sheets: [january, notes] }, { sheet: "Nota?", hidden: "read" })).header).toEqual([
      "n",
    ]);
    await expect(readWorkbook({ sheets: [january, notes] }, { hidden: "read" })).rejects.toMatchObject({
      code: "sheet-ambiguous",
    });
    await expect(readWorkbook({ sheets: [notes] })).rejects.toMatchObject({ code: "sheet-missing" });
  });

  test("a sheet of blank cells is empty", async () => {
    await expect(readWorkbook({ sheets: [empty] })).rejects.toMatchObject({
      code: "file-empty",
      place: { sheet: "Plan3" },
    });
  });

  test("chart sheets are not among the sheets", async () => {
    const bytes = await writeWorkbook({
      sheets: [january, { name: "Chart", rows: "<chartsheet/>" }],
      change: (entry) =>
        entry.name.endsWith("workbook.xml.rels")
          ? {
              ...entry,
              data: entryText(entry).replace(
                'worksheet" Target="worksheets/sheet2',
                'chartsheet" Target="worksheets/sheet2',
              ),
            }
          : entry,
    });
    const input = await openInput(await temporaryFile(bytes, "input.xlsx"));
    expect(input.sheets).toEqual([{ sheet: "Manifestos Jan", hidden: false }]);
    await input.close();
  });
});

describe("hidden rows and columns", () => {
  const sheet = sheetOf("S", "a b c d / 1 2 3 4 / 5 6 7 8 / . x . y / 9 10 11 12", {
    before: '<cols><col min="2" max="2" width="9" hidden="1"/><col min="4" max="16384" hidden="true"/></cols>',
  });
  sheet.rows = entryText({ name: "", data: sheet.rows }).replace('<row r="3">', '<row r="3" hidden="1">');

  test("are left out under `hidden: skip`, and that is said; rows come as skipped", async () => {
    const read = await readWorkbook({ sheets: [sheet] }, { hidden: "skip" });
    expect(read.header).toEqual(["a", "c"]);
    expect(lines(read)).toEqual(["2: 1 3", "3: 5 7", "5: 9 11"]);
    expect(read.rows.map(({ leftOut }) => leftOut)).toEqual([undefined, "hidden in its sheet", undefined]);
    expect(read.notes).toEqual(["Hidden columns are left out: B, D.", "Row 3 is hidden: skipped."]);
  });

  test("are read otherwise, which is said unless it was asked for", async () => {
    for (const hidden of [undefined, "read"] as const) {
      const read = await readWorkbook({ sheets: [sheet] }, hidden === undefined ? {} : { hidden });
      expect(read.header).toEqual(["a", "b", "c", "d"]);
      expect(read.rows.map(({ number }) => number)).toEqual([2, 3, 4, 5]);
      expect(read.notes.length).toBe(hidden === undefined ? 2 : 0);
    }
  });
});

describe("merged cells", () => {
  const table = "Gerador . MTR / CNPJ Nome . / 1 ACME x / . stale y / 2 Beta .";
  const behind =
    '<autoFilter ref="A1:C5"/><mergeCells count="4"><mergeCell ref="A1:B1"/><mergeCell ref="C1:C2"/><mergeCell ref="A3:B4"/><mergeCell ref="C4:C5"/></mergeCells>';
  const merged = { sheets: [sheetOf("S", table, { behind })] };

  test("a heading over several columns heads each of them where header rows are joined, without `fillMerged`", async () => {
    const read = await readWorkbook(merged, { header: [1, 2] });
    expect(read.header).toEqual(["Gerador CNPJ", "Gerador Nome", "MTR"]);
    expect((await readWorkbook(merged, { header: 1 })).header).toEqual(["Gerador", "", "MTR"]);
  });

  test("the value stands in the first cell; what a merge covers is not shown, and not read", async () => {
    const read = await readWorkbook(merged, { header: [1, 2] });
    expect(lines(read)).toEqual(["3: 1 . x", "4: . . y", "5: 2 Beta ."]);
  });

  test("`fillMerged` gives every cell the first one's value, headers included", async () => {
    const read = await readWorkbook(merged, { header: [1, 2], fillMerged: true });
    expect(read.header).toEqual(["Gerador CNPJ", "Gerador Nome", "MTR MTR"]);
    expect(lines(read)).toEqual(["3: 1 1 x", "4: 1 1 y", "5: 2 Beta y"]);
  });

  test("the row below a heading merged over several columns is joined to it where it names values", async () => {
    const behindRows = '<mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="A1:A2"/></mergeCells>';
    const measured = "P Measured . R / . pH °C . / a 7.1 20 . / b 7.2 21 .";
    const read = await readWorkbook({ sheets: [sheetOf("S", measured, { behind: behindRows })] });
    expect(read.header).toEqual(["P", "Measured pH", "Measured °C", "R"]);
    expect(read.joinedRows).toEqual([1, 2]);
    const apart = await readWorkbook({
      sheets: [sheetOf("S", measured.replace("R / ", "R / - / "), { behind: behindRows })],
    });
    expect(apart.joinedRows).toEqual([1, 3]);
    expect(lines(read)).toEqual(["3: a 7.1 20 .", "4: b 7.2 21 ."]);
    expect(read.notes).toEqual([
      "The header is in rows 1 and 2, joined: it has a heading merged over several columns.",
    ]);
    // Words above words may be a row.
    const words = "P Address . R / 1 Main Rome . / 2 Side Oslo . / 3 Long Bonn .";
    const plain = await readWorkbook({
      sheets: [sheetOf("S", words, { behind: '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>' })],
    });
    expect(plain.joinedRows).toBeNull();
    expect(plain.rows).toHaveLength(3);
  });

  test("the row above the header is joined to it where it alone heads a filled column, beside merged headings", async () => {
    const behindRows = '<mergeCells><mergeCell ref="B2:E2"/><mergeCell ref="A2:A3"/></mergeCells>';
    const grouped = "Relatório / MTR Gerador . . . Data / . CNPJ Nome Rua UF . / a 7 x r SP 1 / b 8 y s RJ 2";
    const read = await readWorkbook({ sheets: [sheetOf("S", grouped, { behind: behindRows })] });
    expect(read.header).toEqual(["MTR", "Gerador CNPJ", "Gerador Nome", "Gerador Rua", "Gerador UF", "Data"]);
    expect(read.joinedRows).toEqual([2, 3]);
    expect(lines(read)).toEqual(["4: a 7 x r SP 1", "5: b 8 y s RJ 2"]);
    // A title beside a blank corner is none.
    const titled = grouped.replace("MTR Gerador . . . Data", "Relatório . . . . Março").replace("UF .", "UF Peso");
    const apart = '<mergeCells><mergeCell ref="A2:E2"/></mergeCells>';
    const plain = await readWorkbook({ sheets: [sheetOf("S", titled, { behind: apart })] });
    expect(plain.joinedRows).toBeNull();
  });

  test.each(
    sampled(
      [
        ["a comment", "<!-- ", " -->"],
        ["an instruction", "<?old ", "?>"],
        ["a foreign extension's text", "<extLst><ext><![CDATA[", "]]></ext></extLst>"],
      ],
      3,
    ),
  )("what %s says is no merge, however long it is", async (_, open, close) => {
    const said = '<mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells>';
    for (const filler of ["", "x".repeat(150_000)]) {
      const hidden = `${open}${filler}${said}${filler}${close}`;
      const book = {
        sheets: [
          sheetOf("S", "a b / 1 2 / 3 4", { behind: `${hidden}<mergeCells><mergeCell ref="A3:B3"/></mergeCells>` }),
        ],
      };
      expect(lines(await readWorkbook(book))).toEqual(["2: 1 2", "3: 3 ."]);
    }
  });

  test("a row that holds nothing but what a merge gives it is blank", async () => {
    const behindRows = '<mergeCells><mergeCell ref="A2:A4"/></mergeCells>';
    const made = { sheets: [sheetOf("S", "a b / 1 2 / - / . 3", { behind: behindRows })] };
    expect(lines(await readWorkbook(made, { fillMerged: true }))).toEqual(["2: 1 2", "4: 1 3"]);
  });

  test("a title merged over the whole width is a preamble, filled or not", async () => {
    const behindRows = '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>';
    const made = { sheets: [sheetOf("S", "Relatório / a b c / 1 2 3 / 4 5 6", { behind: behindRows })] };
    for (const fillMerged of [false, true]) {
      const read = await readWorkbook(made, { fillMerged });
      expect(read.header).toEqual(["a", "b", "c"]);
      expect(read.notes).toEqual(["The header is in row 2; row 1 was skipped."]);
    }
  });

  test("ranges that are none are left alone, ones that overlap end", async () => {
    const ranges = '<mergeCell ref="A2"/><mergeCell ref="x"/><mergeCell/><mergeCell ref="B2:A2"/>';
    const made = { sheets: [sheetOf("S", small, { behind: `<mergeCells>${ranges}</mergeCells>` })] };
    expect(lines(await readWorkbook(made))).toEqual(["2: 1 ."]);
    const many = `<mergeCell ref="A1:XFD1048576"/>`.repeat(2);
    const hostile = { sheets: [sheetOf("S", small, { behind: `<mergeCells>${many}</mergeCells>` })] };
    await expect(readWorkbook(hostile)).rejects.toMatchObject({ code: "file-corrupt" });
  });
});

test("each sheet is searched once for corrected rows, however many are opened", async () => {
  const sheets = Array.from({ length: 20 }, (_, at) => sheetOf(`Day ${at}`, "a b / 1 2"));
  const file = await openFile(await temporaryFile(await writeWorkbook({ sheets }), "input.xlsx"));
  const zip = await openZip(file);
  const parts: string[] = [];
  const read: typeof zip.read = (name, kind) => {
    parts.push(name);
    return zip.read(name, kind);
  };
  const input = await openExcel({ ...zip, read }, "");
  for (const { sheet } of input.sheets) await input.open({ excel: { sheet: sheet ?? "" } });
  await input.close();
  expect(parts.filter((name) => /sheet1\.xml$/i.test(name)).length).toBeLessThan(5);
});
