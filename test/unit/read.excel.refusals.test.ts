/** Hostile and damaged workbooks: refused with a code, quickly, in bounded memory. Never a hang (HARD-CASES H33). */
import { appendFile } from "node:fs/promises";
import { openExcel } from "../../src/read/excel/open-excel.js";
import { readSharedStrings } from "../../src/read/excel/shared-strings.js";
import { openFile } from "../../src/read/opened-file.js";
import { openInput } from "../../src/read/open-input.js";
import { openZip } from "../../src/read/zip.js";
import { temporaryFile } from "../support/read/read-file.js";
import { readWorkbook, readWorkbookBytes } from "../support/read/read-workbook.js";
import { DECLARATION, MAIN, type MadeWorkbook, writeWorkbook } from "../support/read/write-workbook.js";
import { workedMs } from "../support/cpu.js";

const rows = '<row r="1"><c t="str"><v>a</v></c></row><row r="2"><c t="str"><v>b</v></c></row>';
const made: MadeWorkbook = { sheets: [{ name: "S", rows }], strings: ["<si><t>x</t></si>"] };

function damaged(name: string, data: string | Buffer) {
  return { ...made, parts: { [name]: data } };
}

describe("damage", () => {
  test("a workbook cut off anywhere is refused, never read in part", async () => {
    const bytes = await writeWorkbook({ ...made, change: (entry) => ({ ...entry, stored: true }) });
    for (let length = 40; length < bytes.length; length += 97) {
      await expect(readWorkbookBytes(bytes.subarray(0, length))).rejects.toMatchObject({
        code: expect.stringMatching(/^(file-corrupt|archive-ambiguous)$/),
      });
    }
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

  test.each([
    ["cut-off XML", "xl/worksheets/sheet1.xml", `<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c><v>1</v>`],
    ["an empty part", "xl/worksheets/sheet1.xml", ""],
    ["bytes that are no UTF-8", "xl/sharedStrings.xml", Buffer.from("<sst><si><t>S\xe3o</t></si></sst>", "latin1")],
    ["an unknown entity", "xl/sharedStrings.xml", `<sst xmlns="${MAIN}"><si><t>&x;</t></si></sst>`],
    ["a control character", "xl/sharedStrings.xml", `<sst xmlns="${MAIN}"><si><t>a&#1;b</t></si></sst>`],
    ["elements without end", "xl/sharedStrings.xml", "<a>".repeat(10_000)],
    ["a text without end", "xl/sharedStrings.xml", `<sst>${" ".repeat(9 * 1024 ** 2)}</sst>`],
    [
      "a tag without end",
      "xl/sharedStrings.xml",
      `<sst ${Array.from({ length: 900_000 }, (_, index) => `a${index}=""`).join(" ")}`,
    ],
    [
      "namespaces without end",
      "xl/worksheets/sheet1.xml",
      `<worksheet xmlns="${MAIN}" ${Array.from({ length: 1001 }, (_, index) => `xmlns:p${index}="u"`).join(" ")}/>`,
    ],
  ])("%s", async (_, name, data) => {
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
    await expect(readWorkbookBytes(method)).rejects.toMatchObject({ code: "file-corrupt" });
    const encrypted = await writeWorkbook({ ...made, change: (entry) => ({ ...entry, claims: { flags: 1 } }) });
    await expect(readWorkbookBytes(encrypted)).rejects.toMatchObject({ code: "file-protected" });
  });

  test("a file that is written to while it is read", async () => {
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

  test.each(["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "xl/workbook.xml", "_rels/.rels", "xl/styles.xml"])(
    "a document type in %s is refused, so that no entity is ever defined",
    async (name) => {
      const reading = readWorkbook(damaged(name, `${DECLARATION}${laughs}<sst><si><t>&b;</t></si></sst>`));
      await expect(reading).rejects.toMatchObject({
        code: "file-refused",
        message: expect.stringContaining("document type"),
      });
    },
  );

  test("a sheet that unpacks to more than its size justifies", async () => {
    const bytes = await writeWorkbook({
      ...made,
      parts: { "xl/worksheets/sheet1.xml": pieces(" ".repeat(1024 ** 2), 40) },
    });
    expect(bytes.length).toBeLessThan(100_000);
    const start = workedMs();
    await expect(readWorkbookBytes(bytes)).rejects.toMatchObject({ code: "file-oversized" });
    expect(workedMs() - start).toBeLessThan(2000);
  });

  test("one that lies about its size is cut where the lie ends", async () => {
    const bytes = await writeWorkbook({
      ...made,
      parts: { "xl/worksheets/sheet1.xml": pieces(" ".repeat(1024 ** 2), 40) },
      change: (entry) => (entry.name.includes("sheet1") ? { ...entry, claims: { size: 2 * 1024 ** 2 } } : entry),
    });
    await expect(readWorkbookBytes(bytes)).rejects.toMatchObject({ code: "file-corrupt" });
  });

  test("more parts, larger parts or more text than any workbook has", async () => {
    const bytes = await writeWorkbook(made);
    const path = await temporaryFile(bytes, "input.xlsx");
    const file = await openFile(path);
    const opened = (limits: object) => openZip(file, limits);
    await expect(opened({ entries: 3 })).rejects.toMatchObject({ code: "file-oversized" });
    await expect(openExcel(await opened({ partBytes: 10 }), "")).rejects.toMatchObject({ code: "file-oversized" });
    const strings = readSharedStrings(await opened({}), "xl/sharedStrings.xml", 4);
    await expect(strings).rejects.toMatchObject({ code: "file-oversized" });
    await file.close();
  });

  test("a repetitive but genuine sheet is no bomb", async () => {
    const row = '<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>';
    const bytes = await writeWorkbook({ ...made, sheets: [{ name: "S", rows: pieces(row.repeat(1000), 40) }] });
    const file = await openFile(await temporaryFile(bytes, "input.xlsx"));
    const zip = await openZip(file, { ratioFrom: 1024 ** 2 });
    let size = 0;
    for await (const chunk of zip.read("xl/worksheets/sheet1.xml", "rows")) size += chunk.length;
    expect(size).toBeGreaterThan(2 * 1024 ** 2);
    await file.close();
  });
});

function pieces(text: string, count: number) {
  return Array.from({ length: count }, () => text);
}
