/** Generated workbooks, read by us and by exceljs's full load: no cell differs that exceljs reads right. */
import ExcelJS from "exceljs";
import { seededRandom } from "../../src/sandbox/clock.js";
import type { Random } from "../../src/model/clock.js";
import { columnLetters } from "../../src/model/formula.js";
import { readFile, temporaryFile } from "../support/read/read-file.js";
import { escapeXml, MAIN, type MadeWorkbook, OFFICE, writeWorkbook } from "../support/read/write-workbook.js";
import { entryText } from "../support/read/write-zip.js";
import { drawn } from "../support/sample.js";

const below = (random: Random, end: number) => Math.floor(random() * end);
const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)] as T;

const TEXTS = ["São Paulo", "a & b", "linha\nseguinte", "日本語", "007", "1.234,50", " x ", "😀", "<tag>", "N/A"];
const ERRORS = ["#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?"];
/** Built in, and with codes of their own. */
const DATES: (number | string)[] = [
  14,
  15,
  16,
  17,
  22,
  "dd/mm/yyyy",
  "[$-416]d\\-mmm\\-yy;@",
  "yyyy\\-mm\\-dd hh:mm",
  "mmm/yy",
];
const NUMBERS: (number | string)[] = [
  1,
  2,
  4,
  9,
  10,
  "#,##0.00",
  '0.0 "kg"',
  "[Red]-0.00;0.00",
  "_-* #,##0.00_-;-* #,##0.00_-",
];
const FORMATS = [...DATES, ...NUMBERS];

/** Shared strings as Excel writes them: plain, rich, with a phonetic guide. */
function sharedItem(random: Random): string {
  const text = escapeXml(pick(random, TEXTS));
  const space = ' xml:space="preserve"';
  const rich = `<si><r><rPr><b/></rPr><t${space}>${text}</t></r><r><t${space}> e mais</t></r></si>`;
  const phonetic = `<si><t${space}>${text}</t><rPh sb="0" eb="1"><t>よみ</t></rPh><phoneticPr fontId="0"/></si>`;
  return pick(random, [`<si><t${space}>${text}</t></si>`, rich, phonetic]);
}

function cellXml(random: Random, reference: string, strings: number): string {
  const number = () =>
    pick(random, [below(random, 100_000), below(random, 1e9) / 100, -below(random, 500) / 8, 0.1, 1e-7]);
  const day = 40_000 + below(random, 6000) + below(random, 24) / 24;
  switch (below(random, 10)) {
    case 0:
      return `<c r="${reference}" s="${below(random, FORMATS.length)}"/>`;
    case 1:
    case 2:
      return `<c r="${reference}" t="s"><v>${below(random, strings)}</v></c>`;
    case 3:
      return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(pick(random, TEXTS))}</t></is></c>`;
    case 4:
      return `<c r="${reference}" s="${1 + below(random, DATES.length)}"><v>${day}</v></c>`;
    case 5:
      return `<c r="${reference}" s="${1 + DATES.length + below(random, NUMBERS.length)}"><v>${number()}</v></c>`;
    case 6:
      return `<c r="${reference}"><f>A1*2</f><v>${number()}</v></c>`;
    case 7:
      return `<c r="${reference}" t="str"><f>A1&amp;B1</f><v>${escapeXml(pick(random, TEXTS)).trim()}</v></c>`;
    case 8:
      return `<c r="${reference}" t="e"><f>1/0</f><v>${pick(random, ERRORS)}</v></c>`;
    default:
      return `<c r="${reference}" t="b"><v>${below(random, 2)}</v></c>`;
  }
}

function makeBook(random: Random): MadeWorkbook {
  const strings = Array.from({ length: 1 + below(random, 8) }, () => sharedItem(random));
  const [rows, columns] = [2 + below(random, 12), 1 + below(random, 7)];
  const line = (row: number) => {
    const cells = Array.from({ length: columns }, (_, column) =>
      random() < 0.15 ? "" : cellXml(random, `${columnLetters(column + 1)}${row}`, strings.length),
    );
    return `<row r="${row}"${random() < 0.1 ? ' hidden="1"' : ""}>${cells.join("")}</row>`;
  };
  const xml = Array.from({ length: rows }, (_, row) => (random() < 0.1 ? "" : line(row + 1))).join("");
  const merge = random() < 0.4 ? '<mergeCells><mergeCell ref="A1:B2"/></mergeCells>' : "";
  const hidden = random() < 0.3 ? '<cols><col min="2" max="2" width="9" hidden="1"/></cols>' : "";
  const strict = random() < 0.2;
  const missing = random() < 0.2;
  const other = { name: "Other", rows: '<row r="1"><c r="A1"><v>1</v></c></row>', state: "hidden" };
  return {
    sheets: [{ name: "S", rows: xml, behind: merge, before: hidden }, other],
    strings,
    formats: FORMATS,
    date1904: random() < 0.3,
    parts: missing ? { "xl/worksheets/sheet2.xml": null } : {},
    change: (entry) =>
      strict && entry.name.endsWith(".xml")
        ? {
            ...entry,
            data: entryText(entry)
              .replaceAll(MAIN, "http://purl.oclc.org/ooxml/spreadsheetml/main")
              .replaceAll(OFFICE, "http://purl.oclc.org/ooxml/officeDocument/relationships"),
          }
        : entry,
  };
}

/** A cell as exceljs gives it, in our notation; null: exceljs does not tell. */
function textOf(value: ExcelJS.CellValue | undefined): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString().replace(/(\.000)?Z$/, "");
  if (typeof value === "number")
    return Number(value.toPrecision(15)).toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20 });
  if (typeof value !== "object") return String(value);
  if ("richText" in value) return value.richText.map(({ text }) => text).join("");
  if ("error" in value) return value.error;
  return "result" in value ? textOf(value.result) : "";
}

async function theirs(bytes: Buffer): Promise<Map<string, string>> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer);
  const texts = new Map<string, string>();
  workbook.getWorksheet("S")?.eachRow((row) =>
    row.eachCell((cell) => {
      const text = cell.isMerged && cell.master.address !== cell.address ? "" : textOf(cell.value);
      if (text.trim() !== "") texts.set(cell.address, text);
    }),
  );
  return texts;
}

async function ours(bytes: Buffer): Promise<Map<string, string>> {
  const path = await temporaryFile(bytes, "book.xlsx");
  const { rows } = await readFile(path, { header: "none", excel: { hidden: "read", sheet: "S" } });
  const texts = new Map<string, string>();
  for (const { number, cells, kinds, problems } of rows) {
    expect(problems).toBeNull();
    for (const [column, cell] of cells.entries()) {
      // exceljs has one kind for days and instants.
      const text = kinds?.[column] === "date" && cell.length === 10 ? `${cell}T00:00:00` : cell;
      if (text.trim() !== "") texts.set(`${columnLetters(column + 1)}${number}`, text);
    }
  }
  return texts;
}

test("no cell of generated workbooks differs from what exceljs reads", { timeout: 120_000 }, async () => {
  const books = drawn(15, 200);
  let cells = 0;
  let dates = 0;
  for (let seed = 1; seed <= books; seed++) {
    const bytes = await writeWorkbook(makeBook(seededRandom(seed)));
    const wanted = await theirs(bytes);
    if (wanted.size === 0) continue;
    expect(Object.fromEntries(await ours(bytes)), `seed ${seed}`).toEqual(Object.fromEntries(wanted));
    cells += wanted.size;
    dates += [...wanted.values()].filter((text) => /^\d{4}-\d\d-\d\dT/.test(text)).length;
  }
  expect(cells).toBeGreaterThan(15 * books);
  expect(dates).toBeGreaterThan(books);
});
