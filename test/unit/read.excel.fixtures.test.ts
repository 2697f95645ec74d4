/** Every folder of fixtures/read-excel, and what exceljs (full load) makes of the same files: each difference is listed. */
import ExcelJS from "exceljs";
import { describe, expect, test } from "vitest";
import { columnLetters } from "../../src/read/header.js";
import { excelFixtureBytes, excelFixtures } from "../support/read/read-excel-fixture.js";
import { brief, readFile, temporaryFile } from "../support/read/read-file.js";

const fixtures = excelFixtures();

describe("a workbook is read cell for cell", () => {
  test.each(fixtures)("$name: $why", async ({ name, options, header, headerRow, notes, rows, kinds }) => {
    const table = await readFile(await temporaryFile(await excelFixtureBytes(name), `${name}.xlsx`), options);
    expect(table.header).toEqual(header);
    expect(table.headerRow).toBe(headerRow);
    expect(table.notes).toEqual(notes.map((note) => expect.stringContaining(note)));
    expect(brief(table.rows)).toEqual(rows);
    const found = table.rows.map((row) => row.kinds);
    expect(found).toEqual(kinds ?? found);
  });
});

/** Where exceljs reads something else, and why ours is meant. Anything not listed here is a failure. */
const differences: Record<string, { cells: string[]; reason: string }[]> = {
  "as-excel-writes-it": [
    { cells: ["B4"], reason: "leading zeros of a format of zeros are kept here, exceljs gives the number" },
  ],
  "as-libreoffice-writes-it": [
    { cells: ["C2", "C3"], reason: "durations are durations here, dates of 1899 and 1900 there" },
  ],
  "as-openpyxl-writes-it": [{ cells: ["A3"], reason: "whole numbers of 18 digits keep all of them here" }],
  "as-open-xml-sdk-writes-it": [
    { cells: ["A1", "B1", "A2", "B2", "A3", "B3"], reason: "exceljs cannot open a workbook with namespace prefixes" },
  ],
  "dates-from-1904": [],
  "report-with-merged-headers": [],
  "strict-with-iso-dates": [
    { cells: ["B2", "B3"], reason: "exceljs gives ISO cells as dates without telling day from instant" },
  ],
};

/** Cell texts by reference, as exceljs gives them, in our notation; none where it fails. */
async function oracle(bytes: Buffer): Promise<Map<string, string>> {
  const workbook = new ExcelJS.Workbook();
  try {
    await workbook.xlsx.load(bytes as unknown as ArrayBuffer);
  } catch {
    return new Map();
  }
  const texts = new Map<string, string>();
  const sheet = workbook.worksheets[0];
  sheet?.eachRow((row) => {
    row.eachCell((cell) => {
      const text = oracleText(cell.value);
      const covered = cell.isMerged && cell.master.address !== cell.address;
      if (text !== "" && !covered) texts.set(cell.address, text);
    });
  });
  return texts;
}

function oracleText(value: ExcelJS.CellValue | undefined): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date)
    return value
      .toISOString()
      .slice(0, -1)
      .replace(/\.000$/, "");
  if (typeof value !== "object") return String(value);
  if ("richText" in value) return value.richText.map(({ text }) => text).join("");
  if ("error" in value) return value.error;
  if ("result" in value) return oracleText(value.result);
  return "";
}

async function ours(bytes: Buffer, name: string): Promise<Map<string, string>> {
  const path = await temporaryFile(bytes, `${name}.xlsx`);
  const table = await readFile(path, { header: "none", excel: { hidden: "read", sheet: 1 } });
  const texts = new Map<string, string>();
  for (const { number, cells, kinds } of table.rows) {
    for (const [column, cell] of cells.entries()) {
      const kind = kinds?.[column] ?? "text";
      // exceljs has dates for times of day and for days without a time.
      const text =
        kind === "time" ? `1899-12-30T${cell}` : kind === "date" && cell.length === 10 ? `${cell}T00:00:00` : cell;
      if (text !== "") texts.set(`${columnLetters(column + 1)}${number}`, text);
    }
  }
  return texts;
}

describe("exceljs, loading the whole file, reads the same", () => {
  test.each(fixtures)("$name, but for what is listed", async ({ name }) => {
    const bytes = await excelFixtureBytes(name);
    const [theirs, mine] = [await oracle(bytes), await ours(bytes, name)];
    const differing = [...new Set([...theirs.keys(), ...mine.keys()])].filter(
      (cell) => theirs.get(cell) !== mine.get(cell),
    );
    const listed = (differences[name] ?? []).flatMap(({ cells }) => cells);
    expect(
      differing.toSorted(),
      JSON.stringify(differing.map((cell) => [cell, theirs.get(cell), mine.get(cell)])),
    ).toEqual(listed.toSorted());
  });
});
