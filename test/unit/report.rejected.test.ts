import { codes } from "../../src/model/codes.js";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import exceljs from "exceljs";
import * as fc from "fast-check";
import iconv from "iconv-lite";
import type { Dialect } from "../../src/model/dialect.js";
import type { Problem } from "../../src/model/problem.js";
import { writeRejectedFile } from "../../src/report/rejected-file.js";
import { rejectedFileName, type RejectedRow } from "../../src/report/rejected-row.js";
import { folder } from "../support/cli.world.js";
import { readFile } from "../support/read/read-file.js";

type Csv = Extract<Dialect, { format: "csv" }>;

const plain: Csv = {
  format: "csv",
  encoding: "windows-1252",
  bom: false,
  delimiter: ";",
  quote: '"',
  escape: null,
  lineEnding: "\r\n",
  compression: "none",
};

const place = (name: string) => join(folder(), "runs", name);

function problem(changes: Partial<Problem> = {}): Problem {
  return { code: "file-missing", message: "“x” is not a number", hint: "Write 1,5.", column: "Peso", ...changes };
}

function row(cells: string[], changes: Partial<RejectedRow> = {}): RejectedRow {
  return { ref: "a1b2c3d4-1:17", cells, kinds: null, problems: [problem()], ...changes };
}

/** As any other program reads it. */
function read(path: string, dialect: Csv): string[][] {
  return parse(iconv.decode(readFileSync(path), dialect.encoding), {
    delimiter: dialect.delimiter,
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
}

/** Writes rejected rows; what it said of it, and the file as any other program reads it. */
async function written(header: string[], rows: RejectedRow[], dialect: Csv = plain) {
  const path = place("m.rejected.csv");
  const result = await writeRejectedFile(path, { header, dialect, rows });
  return { path, result, lines: read(path, dialect) };
}

describe("a rejected CSV file (DESIGN section 7)", () => {
  it("has the original columns, order and text, then rowferry_row, _code, _message and _hint", async () => {
    const rows = [
      row([" São Paulo ", '=1+1;"x"']),
      row(["", "a\nb"], { problems: [problem({ column: null, hint: null })] }),
    ];
    const { path, result, lines } = await written(["Cidade", "Peso"], rows);
    expect(result).toEqual({ path, rows: 2, note: null });
    expect(lines).toEqual([
      ["Cidade", "Peso", "rowferry_row", "rowferry_code", "rowferry_message", "rowferry_hint"],
      [" São Paulo ", '=1+1;"x"', "a1b2c3d4-1:17", "file-missing", "Peso: “x” is not a number", "Write 1,5."],
      ["", "a\nb", "a1b2c3d4-1:17", "file-missing", "“x” is not a number", codes["file-missing"].remedy],
    ]);
    expect(readFileSync(path).includes(Buffer.from([0x53, 0xe3, 0x6f]))).toBe(true);
  });

  it("tells every problem of a row", async () => {
    const problems = [problem(), problem({ column: "Data", message: "no date", code: "usage" })];
    const [, cells = []] = (await written(["a"], [row(["1"], { problems })])).lines;
    expect(cells.slice(2)).toEqual(["file-missing; usage", "Peso: “x” is not a number | Data: no date", "Write 1,5."]);
  });

  const dialects: Csv[] = [
    plain,
    { ...plain, encoding: "utf8", bom: true, delimiter: ",", lineEnding: "\n" },
    { ...plain, encoding: "utf-16le", bom: true, delimiter: "\t", lineEnding: "\r\n" },
    { ...plain, encoding: "utf8", delimiter: "|", quote: "'", lineEnding: "\r" },
    { ...plain, encoding: "utf8", escape: "\\", lineEnding: "\n" },
    { ...plain, quote: null, escape: null },
  ];

  it.each(dialects)("gives every cell back as it was: $encoding $delimiter $lineEnding $escape", async (dialect) => {
    const alphabet = ["a", "é", ";", ",", "\t", "|", "'", '"', "\n", "\r", " ", "=", "\\", "-", "0"];
    const cell = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 6 });
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, async (cells) => {
        const rows = cells.map((line) => row(line));
        const [, ...lines] = (await written(["x", "y", "z"], rows, dialect)).lines;
        expect(lines.map((line) => line.slice(0, 3))).toEqual(cells);
      }),
      { numRuns: 25 },
    );
  });

  it(
    "becomes UTF-8 with a byte order mark where the encoding lacks a character of a cell, and says so",
    long,
    async () => {
      const path = place("m.rejected.csv");
      const before = Array.from({ length: 700 }, (_, index) => row([`ç${index}`]));
      const rows = [...before, row(["kg \u{FFFD} 饭"]), row(["é"])];
      const result = await writeRejectedFile(path, { header: ["Célula"], dialect: plain, rows });
      expect(result.note).toContain("UTF-8");
      expect(result.note).toContain("windows-1252");
      const bytes = readFileSync(path);
      expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
      const cells = read(path, { ...plain, encoding: "utf8" }).map(([first]) => first);
      expect(cells).toEqual(["Célula", ...before.map(({ cells: [cell] }) => cell), "kg \u{FFFD} 饭", "é"]);
      expect(readdirSync(join(path, ".."))).toEqual(["m.rejected.csv"]);
    },
  );

  it("keeps its encoding where only our own text has a character that it lacks", async () => {
    const rows = [row(["é"], { problems: [problem({ message: "“饭” → …" })] })];
    const { result, lines } = await written(["a"], rows, { ...plain, encoding: "latin1" });
    expect(result.note).toBeNull();
    expect(lines[1]?.[3]).toBe('Peso: "?" -> ...');
  });

  it("our own columns never begin like a formula; original cells are left alone (HARD-CASES H35)", async () => {
    const starts = ["=", "+", "-", "@", "\t=", "\r="];
    const rows = starts.map((start) =>
      row([`${start}cmd`], { problems: [problem({ column: null, message: `${start}cmd`, hint: `${start}do` })] }),
    );
    const [, ...lines] = (await written(["a"], rows, { ...plain, encoding: "utf8" })).lines;
    expect(lines.map(([cell]) => cell)).toEqual(starts.map((start) => `${start}cmd`));
    for (const line of lines) for (const cell of line.slice(1)) expect(cell).not.toMatch(/^\s*[=+\-@]/);
  });

  it("a corrected file that is still wrong has our columns once", async () => {
    const header = ["a", "rowferry_row", "rowferry_code", "rowferry_message", "rowferry_hint", "b"];
    const [names, cells] = (await written(header, [row(["1", "old", "old", "old", "old", "2"])])).lines;
    expect(names).toEqual(["a", "b", "rowferry_row", "rowferry_code", "rowferry_message", "rowferry_hint"]);
    expect(cells?.slice(0, 3)).toEqual(["1", "2", "a1b2c3d4-1:17"]);
  });
});

async function sheet(path: string): Promise<exceljs.Worksheet> {
  const book = new exceljs.Workbook();
  await book.xlsx.readFile(path);
  const found = book.getWorksheet("Março");
  if (found === undefined) throw new Error("no such sheet");
  return found;
}

const workbook: Dialect = { format: "xlsx", sheet: "Março", date1904: false };

describe("a rejected workbook (DESIGN section 7)", () => {
  it("keeps numbers, dates and text as what they were, and colours the reason", long, async () => {
    const path = place("b.rejected.xlsx");
    const kinds: RejectedRow["kinds"] = [
      "number",
      "date",
      "date",
      "time",
      "duration",
      "boolean",
      "error",
      "text",
      "text",
    ];
    const cells = [
      "-1234.5",
      "2026-03-01",
      "2026-03-01T14:05:00",
      "14:05:00",
      "PT36H5M",
      "true",
      "#N/A",
      "=1+1",
      "007",
    ];
    const header = cells.map((_, index) => `c${index}`);
    expect(await writeRejectedFile(path, { header, dialect: workbook, rows: [row(cells, { kinds })] })).toMatchObject({
      rows: 1,
      note: null,
    });
    const found = await sheet(path);
    const line = found.getRow(2);
    const values = cells.map((_, index) => line.getCell(index + 1).value);
    expect(values[0]).toBe(-1234.5);
    expect(values[1]).toEqual(new Date("2026-03-01T00:00:00Z"));
    expect(values[2]).toEqual(new Date("2026-03-01T14:05:00Z"));
    expect(line.getCell(2).numFmt).toBe("yyyy-mm-dd");
    expect(line.getCell(3).numFmt).toBe("yyyy-mm-dd hh:mm:ss");
    expect(line.getCell(4).numFmt).toBe("hh:mm:ss");
    expect(line.getCell(5).numFmt).toBe("[h]:mm:ss");
    expect(values.slice(5)).toEqual([true, { error: "#N/A" }, "=1+1", "007"]);
    const own = [10, 11, 12, 13].map((column) => line.getCell(column));
    expect(own.map((cell) => cell.value)).toEqual([
      "a1b2c3d4-1:17",
      "file-missing",
      "Peso: “x” is not a number",
      "Write 1,5.",
    ]);
    for (const cell of own) expect(cell.fill).toMatchObject({ type: "pattern", pattern: "solid" });
    expect(found.autoFilter).toBe("A1:M2");
  });

  it.each(["12345678901234567890", "1e5", "0.10", "NaN"])(
    "a number that Excel would change stays text: %s",
    async (text) => {
      const path = place("b.rejected.xlsx");
      await writeRejectedFile(path, { header: ["a"], dialect: workbook, rows: [row([text], { kinds: ["number"] })] });
      expect((await sheet(path)).getCell("A2").value).toBe(text);
    },
  );

  it.each(["1900-01-00", "1900-01-01", "1900-02-28T06:00:00", "1900-02-29", "1900-03-01", "9999-12-31T23:59:59.999"])(
    "a date that spreadsheets count in their own way is read back as it was: %s",
    async (text) => {
      const path = place("b.rejected.xlsx");
      const kinds: RejectedRow["kinds"] = ["date"];
      await writeRejectedFile(path, { header: ["a"], dialect: workbook, rows: [row([text], { kinds })] });
      const { rows } = await readFile(path);
      expect([rows[0]?.cells[0], rows[0]?.kinds?.[0]]).toEqual([text, "date"]);
    },
  );

  it.each(["2026-02-31", "1850-05-01"])("a date that no spreadsheet can hold stays text: %s", async (text) => {
    const path = place("b.rejected.xlsx");
    await writeRejectedFile(path, { header: ["a"], dialect: workbook, rows: [row([text], { kinds: ["date"] })] });
    expect((await sheet(path)).getCell("A2").value).toBe(text);
  });

  it("says no more of a row than a cell of a spreadsheet holds", async () => {
    const path = place("b.rejected.xlsx");
    const problems = Array.from({ length: 900 }, (_, at) =>
      problem({ column: `Peso de todos os meses ${at}`, hint: `Write ${at}, which is its weight.` }),
    );
    await writeRejectedFile(path, { header: ["a"], dialect: workbook, rows: [row(["x"], { problems })] });
    const page = await sheet(path);
    const lengths = ["D2", "E2"].map((at) => page.getCell(at).text.length);
    expect(lengths.every((length) => length > 10_000 && length <= 32_767)).toBe(true);
    expect(page.getCell("D2").text).toMatch(/^Peso de todos os meses 0: .*…$/);
  });

  it("has cells beyond the header at the end of their row", async () => {
    const path = place("m.rejected.xlsx");
    const rows = [row(["a", "1", "", "late"]), row(["b", "2"])];
    await writeRejectedFile(path, { header: ["Cidade", "Peso"], dialect: workbook, rows });
    const book = await sheet(path);
    expect([2, 3].map((at) => [7, 8].map((column) => book.getRow(at).getCell(column).value))).toEqual([
      [null, "late"],
      [null, null],
    ]);
  });

  it.each(["a\r\nb", "a\rb", "a\nb", " a\tb "])("a text is read back as it was: %j", async (text) => {
    const path = place("b.rejected.xlsx");
    await writeRejectedFile(path, { header: ["a"], dialect: workbook, rows: [row([text])] });
    expect((await readFile(path)).rows[0]?.cells[0]).toBe(text);
  });

  it("holds control characters as Excel writes them", async () => {
    const path = place("b.rejected.xlsx");
    await writeRejectedFile(path, { header: ["a"], dialect: workbook, rows: [row(["a\u001bb _x0041_"])] });
    expect((await sheet(path)).getCell("A2").value).toBe("a_x001B_b _x005F_x0041_");
  });
});

it.each<[string, Dialect]>([
  ["m.rejected.csv", plain],
  ["b.rejected.xlsx", workbook],
])("%s is there whole or not at all, and its owner's only (P9, HARD-CASES H33)", async (name, dialect) => {
  const path = place(name);
  await writeRejectedFile(path, { header: ["a"], dialect, rows: [row(["1"])] });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  const before = readFileSync(path);
  const broken = (function* () {
    yield row(["2"]);
    throw new Error("the disk is gone");
  })();
  await expect(writeRejectedFile(path, { header: ["a"], dialect, rows: broken })).rejects.toThrow("the disk is gone");
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(join(path, ".."))).toEqual([name]);
});

it.each([
  ["nightly.csv", null, "csv", "nightly.rejected.csv"],
  ["nightly.csv.gz", null, "csv", "nightly.rejected.csv"],
  ["nightly.tab.zst", null, "csv", "nightly.rejected.csv"],
  ["nightly.rejected.csv", null, "csv", "nightly.rejected.csv"],
  ["book.xlsx", "Março", "xlsx", "book.Março.rejected.xlsx"],
  ["book.Março.rejected.xlsx", "Março", "xlsx", "book.Março.rejected.xlsx"],
  ["book.a_b.rejected.xlsx", "a/b", "xlsx", "book.a_b.rejected.xlsx"],
  ["book.rejected.xlsx", "Março", "xlsx", "book.Março.rejected.xlsx"],
  ["book.May.xlsx", "May", "xlsx", "book.May.May.rejected.xlsx"],
  ["stdin", null, "csv", "stdin.rejected.csv"],
  ["../../etc/passwd", "a/b", "xlsx", "__.._etc_passwd.a_b.rejected.xlsx"],
  ["evil\u001b[2J.csv", null, "csv", "evil_[2J.rejected.csv"],
  ["b&\u202ex\u2028\ud800.csv", null, "csv", "b&_x__.rejected.csv"],
] as const)("the rejected rows of %s, sheet %s, are in a file of this folder", (input, sheetName, format, name) => {
  expect(rejectedFileName(input, sheetName, format)).toBe(name);
});
