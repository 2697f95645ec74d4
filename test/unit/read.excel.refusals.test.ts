/** Hostile and damaged workbooks: refused with a code, quickly, in bounded memory. Never a hang (HARD-CASES H33). */
import { appendFile } from "node:fs/promises";
import { readSharedStrings } from "../../src/read/excel/shared-strings.js";
import { openFile } from "../../src/read/opened-file.js";
import { openInput } from "../../src/read/open-input.js";
import { openZip } from "../../src/read/zip.js";
import { temporaryFile } from "../support/read/read-file.js";
import { readWorkbook, readWorkbookBytes } from "../support/read/read-workbook.js";
import { DECLARATION, MAIN, type MadeWorkbook, writeWorkbook } from "../support/read/write-workbook.js";
import { writeZip } from "../support/read/write-zip.js";
import { workedMs } from "../support/cpu.js";
import { sampled } from "../support/sample.js";

const rows = '<row r="1"><c t="str"><v>a</v></c></row><row r="2"><c t="str"><v>b</v></c></row>';
const made: MadeWorkbook = { sheets: [{ name: "S", rows }], strings: ["<si><t>x</t></si>"] };

function damaged(name: string, data: string | Buffer) {
  return { ...made, parts: { [name]: data } };
}

describe("damage", () => {
  test("a workbook cut off anywhere is refused, never read in part", long, async () => {
    const bytes = await writeWorkbook({ ...made, change: (entry) => ({ ...entry, stored: true }) });
    for (let length = 40; length < bytes.length; length += 97) {
      await expect(readWorkbookBytes(bytes.subarray(0, length))).rejects.toMatchObject({
        code: expect.stringMatching(/^(file-corrupt|archive-ambiguous)$/),
      });
    }
  });

  test("what a program has written so is to be saved by another, not downloaded again", async () => {
    const cells = (row: number) => `<row r="${row}"><c r="A${row}"><v>1</v></c></row>`;
    const behind = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>';
    const sheets = [
      { name: "S", rows: cells(3) + cells(2), behind },
      { name: "S", rows: cells(2) + cells(2) },
    ];
    for (const sheet of sheets)
      await expect(readWorkbook({ sheets: [sheet] }, { header: "none" })).rejects.toMatchObject({
        code: "file-corrupt",
        hint: expect.stringContaining("save it"),
      });
  });

  test("a changed byte in a sheet's data fails the checksum", async () => {
    const bytes = await writeWorkbook({ ...made, change: (entry) => ({ ...entry, stored: true }) });
    const at = bytes.indexOf("<v>b</v>") + 3;
    bytes[at] = "c".charCodeAt(0);
    await expect(readWorkbookBytes(bytes)).rejects.toMatchObject({
      code: "file-corrupt",
      message: expect.stringContaining("checksum"),
    });
  });

  test.each(
    sampled(
      [
        ["cut-off XML", "xl/worksheets/sheet1.xml", `<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c><v>1</v>`],
        ["an empty part", "xl/worksheets/sheet1.xml", ""],
        ["another kind of part", "xl/worksheets/sheet1.xml", "<html/>"],
        ["text that is no XML", "xl/worksheets/sheet1.xml", "a;b;c"],
        ["bytes that are no UTF-8", "xl/sharedStrings.xml", Buffer.from("<sst><si><t>S\xe3o</t></si></sst>", "latin1")],
        ["an unknown entity", "xl/sharedStrings.xml", `<sst xmlns="${MAIN}"><si><t>&x;</t></si></sst>`],
        ["a control character", "xl/sharedStrings.xml", `<sst xmlns="${MAIN}"><si><t>a&#1;b</t></si></sst>`],
        ["an unknown encoding", "xl/styles.xml", '<?xml version="1.0" encoding="x-none"?><styleSheet/>'],
        ["elements without end", "xl/sharedStrings.xml", "<a>".repeat(10_000)],
        ["a text without end", "xl/sharedStrings.xml", `<sst>${" ".repeat(5 * 1024 ** 2)}</sst>`],
        [
          "a tag without end",
          "xl/sharedStrings.xml",
          `<sst ${Array.from({ length: 500_000 }, (_, index) => `a${index}=""`).join(" ")}`,
        ],
        [
          "namespaces without end",
          "xl/worksheets/sheet1.xml",
          `<worksheet xmlns="${MAIN}" ${Array.from({ length: 1001 }, (_, index) => `xmlns:p${index}="u"`).join(" ")}/>`,
        ],
        ["broken relationships", "xl/_rels/workbook.xml.rels", "<Relationships>"],
      ],
      2,
    ),
  )("%s", async (_, name, data) => {
    await expect(readWorkbook(damaged(name, data))).rejects.toMatchObject({
      code: "file-corrupt",
      hint: expect.stringMatching(/./),
    });
  });

  test("a sheet whose part is missing", async () => {
    await expect(readWorkbook({ ...made, parts: { "xl/worksheets/sheet1.xml": null } })).rejects.toMatchObject({
      code: "file-corrupt",
      place: { file: "input.xlsx", sheet: "S" },
    });
  });

  test("a part larger or smaller than the archive says", async () => {
    for (const size of [10, 100_000]) {
      const bytes = await writeWorkbook({
        ...made,
        change: (entry) => (entry.name.includes("sheet1") ? { ...entry, claims: { size } } : entry),
      });
      await expect(readWorkbookBytes(bytes)).rejects.toMatchObject({ code: "file-corrupt" });
    }
  });

  test("an unknown compression, an encrypted part", async () => {
    const method = await writeWorkbook({ ...made, change: (entry) => ({ ...entry, claims: { method: 12 } }) });
    await expect(readWorkbookBytes(method)).rejects.toMatchObject({ code: "file-refused", hint: "Unpack it first." });
    const encrypted = await writeWorkbook({ ...made, change: (entry) => ({ ...entry, claims: { flags: 1 } }) });
    await expect(readWorkbookBytes(encrypted)).rejects.toMatchObject({ code: "file-protected" });
  });

  test("a file that is written to while it is read", long, async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `<row><c><v>${index}</v></c></row>`);
    const path = await temporaryFile(await writeWorkbook({ sheets: [{ name: "S", rows: many }] }), "input.xlsx");
    const input = await openInput(path);
    const table = await input.open({ header: "none" });
    const reading = async () => {
      let first = true;
      for await (const _ of table.rows()) {
        if (first) await appendFile(path, "more");
        first = false;
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: "file-changed" });
    await input.close();
  });
});

describe("bombs", () => {
  const laughs = `<!DOCTYPE sst [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, index) => `<!ENTITY ${"b".repeat(index + 1)} "&a;&a;">`).join("")}]>`;

  test.each(
    sampled(["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "xl/workbook.xml", "_rels/.rels", "xl/styles.xml"], 2),
  )("a document type in %s is refused, so that no entity is ever defined", async (name) => {
    const reading = readWorkbook(damaged(name, `${DECLARATION}${laughs}<sst><si><t>&b;</t></si></sst>`));
    await expect(reading).rejects.toMatchObject({
      code: "file-refused",
      message: expect.stringContaining("document type"),
    });
  });

  test("a sheet that unpacks to more than its size justifies", long, async () => {
    const bytes = await writeWorkbook({
      ...made,
      parts: { "xl/worksheets/sheet1.xml": pieces(" ".repeat(1024 ** 2), 40) },
    });
    expect(bytes.length).toBeLessThan(100_000);
    const start = workedMs();
    await expect(readWorkbookBytes(bytes)).rejects.toMatchObject({ code: "file-oversized" });
    expect(workedMs() - start).toBeLessThan(2000);
  });

  test("more parts, larger parts or more text than any workbook has", long, async () => {
    const parts = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`xl/${at}.xml`, ""]));
    const oversized = { code: "file-oversized" };
    await expect(readWorkbookBytes(await writeWorkbook({ ...made, parts }))).rejects.toMatchObject(oversized);
    const claims = { size: 1024 ** 3 + 1 };
    const large = await writeWorkbook({ ...made, change: (entry) => ({ ...entry, claims }) });
    await expect(readWorkbookBytes(large)).rejects.toMatchObject(oversized);
    const file = await openFile(await temporaryFile(await writeWorkbook(made), "input.xlsx"));
    const strings = readSharedStrings(await openZip(file), "xl/sharedStrings.xml", 4);
    await expect(strings).rejects.toMatchObject(oversized);
    await file.close();
  });

  test("a repetitive but genuine sheet is no bomb", long, async () => {
    const row = '<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>';
    const bytes = await writeWorkbook({ ...made, sheets: [{ name: "S", rows: pieces(row.repeat(1000), 700) }] });
    const file = await openFile(await temporaryFile(bytes, "input.xlsx"));
    const zip = await openZip(file);
    let size = 0;
    for await (const chunk of zip.read("xl/worksheets/sheet1.xml", "rows")) size += chunk.length;
    expect(size).toBeGreaterThan(32 * 1024 ** 2);
    await file.close();
  });
});

describe("other files", () => {
  async function openDirectly(content: string | Buffer) {
    const path = await temporaryFile(content, "input.xlsx");
    return openInput(path);
  }

  /** As programs wrote workbooks before .xlsx, with a stream of this name. */
  const compoundFile = (stream: string) =>
    Buffer.concat([
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      Buffer.alloc(1024),
      Buffer.from(stream, "utf16le"),
      Buffer.alloc(512),
    ]);

  test.each(
    sampled(
      [
        ["a protected workbook", compoundFile("EncryptedPackage"), "file-protected"],
        ["an old .xls", compoundFile("Workbook"), "file-refused"],
        ["text", "a;b\n1;2\n", "file-refused"],
        ["a web page", "<html><table></table></html>", "file-refused"],
        ["nothing", "", "file-empty"],
      ],
      2,
    ),
  )("%s", async (_, content, code) => {
    await expect(openDirectly(content)).rejects.toMatchObject({ code });
  });

  test("a zip without a workbook, a binary workbook, a document", async () => {
    const plain = await writeZip([{ name: "a.txt", data: "x" }]);
    await expect(openDirectly(plain)).rejects.toMatchObject({ code: "file-refused" });
    const binary = await writeZip([{ name: "xl/workbook.bin", data: "x" }]);
    await expect(openDirectly(binary)).rejects.toMatchObject({
      code: "file-refused",
      message: expect.stringContaining(".xlsb"),
    });
    const root = await writeWorkbook(damaged("xl/workbook.xml", "<document/>"));
    await expect(openDirectly(root)).rejects.toMatchObject({ code: "file-refused" });
  });

  test("a workbook without sheets", async () => {
    await expect(readWorkbook({ sheets: [] })).rejects.toMatchObject({
      code: "sheet-missing",
      hint: expect.stringContaining("Excel"),
    });
  });
});

function pieces(text: string, count: number) {
  return Array.from({ length: count }, () => text);
}
