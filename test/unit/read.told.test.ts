/** Files that are not what they seem are refused by name, or read and told (F45, F46); and what csv-parse keeps to itself (F34). */
import iconv from "iconv-lite";
import { readFile, temporaryFile } from "../support/read/read-file.js";
import { readWorkbook } from "../support/read/read-workbook.js";
import { textCell, writeWorkbook } from "../support/read/write-workbook.js";

describe("what is no plain table", () => {
  it("another encoding than the fallback is hinted at, and its bytes are no part of a heading", async () => {
    const path = await temporaryFile(iconv.encode("注文番号,日付\nJ1,2026年\n", "shift_jis"));
    const table = await readFile(path);
    expect(table.header.join()).not.toContain("\uFDD0");
    expect(table.notes[0]).toMatch(
      /if its letters look wrong, name another in `csv: \{ encoding \}`, such as .*shift_jis/u,
    );
    expect(table.notes.join()).toContain("The header has bytes that are not text in the file's encoding");
    expect((await readFile(path, { csv: { encoding: "shift_jis" } })).header).toEqual(["注文番号", "日付"]);
  });

  it.each([
    ["of names that R writes without a heading is told", "1,P-1,5\n2,P-2,6\n", true],
    ["that one row has is none of them", "1,P-1,5\n2,P-2\n", false],
    ["of blanks is none of them", "P-1,5,\nP-2,6,\n", false],
  ])("a cell more than the header has, %s", async (_, below, isTold) => {
    const { notes } = await readFile(await temporaryFile(`order,amount\n${below}`));
    expect(notes.join().includes("Every row has one more cell than the header: R writes")).toBe(isTold);
  });

  it.each([
    ["are told", ["000123", "000124", "125"], "but row 4 has 125: a spreadsheet may have dropped the zeros"],
    ["are none where widths differ", ["000123", "0124", "125"], null],
    ["are none of a CPF among CNPJs", ["00000000000191", "00635017000115", "12345678909"], null],
  ])("zeros that some numbers of a column have lost %s", async (_, texts, said) => {
    const { notes } = await readFile(
      await temporaryFile(`ticket;n\n${texts.map((one, n) => `${one};${n}\n`).join("")}`),
    );
    expect(notes).toEqual(said === null ? [] : [expect.stringContaining(said)]);
  });

  it("a header with lines in its cells that comes again is skipped", async () => {
    const header = '"Pedido\nnº";"Data da\ncoleta";Motorista;\n';
    const path = await temporaryFile(`${header}1;01/02/2026;Ana;\n${header}2;02/02/2026;Rui;\n`);
    const table = await readFile(path);
    expect(table.header).toEqual(["Pedido nº", "Data da coleta", "Motorista", ""]);
    expect(table.rows.map(({ leftOut }) => leftOut)).toEqual([undefined, "it repeats the header", undefined]);
  });

  it.each([
    ["with a byte order mark of its own", "\uFEFFCódigo;Nome;Cidade"],
    ["with blanks", "Código ; Nome;Cidade"],
  ])("a header that comes again %s is skipped", async (_, again) => {
    const path = await temporaryFile(`Código;Nome;Cidade\nA-1;Ana;Rio\n${again}\nB-1;Davi;Belém\n`);
    expect((await readFile(path)).rows.map(({ leftOut }) => leftOut)).toEqual([
      undefined,
      "it repeats the header",
      undefined,
    ]);
  });

  it.each([
    ["a line break in a last cell without quotes", "1;a\r\n2;cut\nrest\r\n3;b\r\n", [3]],
    ["one of an old Macintosh", "1;cut\rrest\r\n2;a\r\n3;b\r\n", [2]],
    ["one and a blank line", "1;a\r\n2;cut\n\r\nrest\r\n3;b\r\n", [3]],
    ["none: quotes around a line break", '1;"a\nb"\r\n2\r\n3;c\r\n', []],
    ["none: lines of two kinds", "1;a\n2;b\r\n3;c\n4;d\r\n5;e\r\n", []],
    ["none: a short row alone", "1;a\r\n2\r\n3;b\r\n", []],
    ["many of them, over pieces and batches", `${"1;cut\nrest\r\n".repeat(2000)}${"2;a\r\n".repeat(3000)}`, null],
  ])("the row that %s has cut is invalid, as the rest of it is", async (_, text, expected) => {
    const { rows } = await readFile(await temporaryFile(`id;note\r\n${text}`));
    const cut = rows.filter(({ problems }) => problems?.some(({ code }) => code === "line-cut"));
    if (expected === null) expect(cut).toHaveLength(2000);
    else expect(cut.map(({ number }) => number)).toEqual(expected);
  });

  it("a workbook with bytes in front of it is called so", async () => {
    const book = await writeWorkbook({ sheets: [{ name: "S", rows: `<row r="1">${textCell("A1", "a")}</row>` }] });
    const path = await temporaryFile(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\n\n"), book]), "input.xlsx");
    await expect(readFile(path)).rejects.toMatchObject({ message: expect.stringContaining("other bytes before it") });
  });

  it("a sheet whose rows are all hidden is not called blank", async () => {
    const rows = [1, 2].map((row) => `<row r="${row}" hidden="1">${textCell(`A${row}`, "a")}</row>`).join("");
    await expect(readWorkbook({ sheets: [{ name: "S", rows }] }, { hidden: "skip" })).rejects.toMatchObject({
      code: "file-empty",
      message: expect.stringContaining("all rows of the sheet are hidden"),
      hint: expect.stringContaining("hidden: read"),
    });
  });

  it.each([
    ["id,kg\n1,5\n2,6\n\nname,city\nAnn,Porto\n", 5],
    ["id,day,who,kg\n1,2026-02-01,Ann,5\n2,2026-02-02,Eve,6\n\nItem,Price,,\nBolt,5,,\n", 5],
  ])("a second table below the first is told, in a file of a few rows too: %j", async (text, row) => {
    const { notes } = await readFile(await temporaryFile(text));
    expect(notes).toContain(
      `Row ${row} reads like a header: another table may begin there, or the header has several rows.`,
    );
  });

  it("cells merged over several rows of a worksheet are told, unless they are filled", async () => {
    const rows = ["id", "a", "", "b"]
      .map((text, at) => `<row r="${at + 1}">${textCell(`A${at + 1}`, text)}${textCell(`B${at + 1}`, "x")}</row>`)
      .join("");
    const behind = '<mergeCells><mergeCell ref="A1:A1"/><mergeCell ref="A2:A3"/></mergeCells>';
    const sheet = { sheets: [{ name: "S", rows, behind }] };
    const told =
      "Cell A2 is merged over several rows: only the first has its value; `excel: { fillMerged: true }`, or `fill: down` in the column, fills the others";
    expect((await readWorkbook(sheet)).notes.join()).toContain(told);
    expect((await readWorkbook(sheet, { fillMerged: true })).notes.join()).not.toContain("merged");
  });
});
