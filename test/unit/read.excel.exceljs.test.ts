/** Why workbooks are not read with exceljs (docs/decisions/excel-on-saxes.md): the day its reader is mended, this fails. */
import ExcelJS from "exceljs";
import { expect, test } from "vitest";
import { readFile, temporaryFile } from "../support/read/read-file.js";
import { writeWorkbook } from "../support/read/write-workbook.js";

const texts = Array.from({ length: 6000 }, (_, index) => `${"çãé€".repeat(5)}${"x".repeat(index % 7)}${index}`);
const books = {
  "texts within their cells": {
    sheets: [
      {
        name: "S",
        rows: texts
          .map(
            (text, index) =>
              `<row r="${index + 1}"><c r="A${index + 1}" t="inlineStr"><is><t>${text}</t></is></c></row>`,
          )
          .join(""),
      },
    ],
  },
  "shared texts": {
    sheets: [
      {
        name: "S",
        rows: texts
          .map((_, index) => `<row r="${index + 1}"><c r="A${index + 1}" t="s"><v>${index}</v></c></row>`)
          .join(""),
      },
    ],
    strings: texts.map((text) => `<si><t>${text}</t></si>`),
  },
};

test.each(Object.entries(books))(
  "exceljs's streaming reader corrupts letters of several bytes, ours does not: %s",
  async (_, book) => {
    const path = await temporaryFile(await writeWorkbook(book), "letters.xlsx");
    const theirs: string[] = [];
    const reader = new ExcelJS.stream.xlsx.WorkbookReader(path, { sharedStrings: "cache", worksheets: "emit" });
    for await (const sheet of reader) for await (const row of sheet) theirs.push(row.getCell(1).text);
    expect(theirs.length).toBe(texts.length);
    expect(theirs.filter((text) => text.includes("\uFFFD")).length).toBeGreaterThan(0);
    const { rows } = await readFile(path, { header: "none" });
    expect(rows.map(({ cells }) => cells[0])).toEqual(texts);
  },
);
