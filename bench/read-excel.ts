/**
 * Our rows against yauzl + saxes walking the same XML, and against exceljs's streaming reader; peak memory on a
 * workbook of one size and of four times that.
 * `tsx bench/read-excel.ts [--rows 200000] [--columns 25] [--repetitions 3] [--long 800000 --wide 25]`.
 */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import ExcelJS from "exceljs";
import { SaxesParser } from "saxes";
import { openPromise } from "yauzl";
import { columnLetters } from "../src/model/formula.js";
// Loaded beforehand: what is measured is reading, not loading modules.
import "../src/read/excel/open-excel.js";
import { openInput } from "../src/read/open-input.js";
import { escapeXml, writeWorkbook } from "../test/support/read/write-workbook.js";
import {
  figure,
  interleaved,
  madeRow,
  measure,
  megabytes,
  ratioFigure,
  runContender,
  withTemporaryFolder,
} from "./harness.js";
import { seededRandom } from "../src/sandbox/clock.js";

const WALK_GOAL = 2;
const EXCELJS_GOAL = 0.7;
const MEMORY_GOAL_BYTES = 256 * 1024 * 1024;
const FIRST_DATE = 45_000;

const contenders = {
  /** Everything that an import pays: hash, shared strings, styles, header, rows. */
  ours: async ([path = ""]: string[]) => {
    const input = await openInput(path);
    const table = await input.open({});
    let rows = 0;
    for await (const batch of table.rows()) rows += batch.length;
    await input.close();
    return rows;
  },
  /** Every element and text of the strings and the sheet, and nothing made of them but a count. */
  "yauzl + saxes walking": async ([path = ""]: string[]) => {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    let rows = -1;
    for await (const entry of zip.eachEntry()) {
      if (!/sharedStrings|sheet1\.xml$/.test(entry.fileName)) continue;
      const parser = new SaxesParser({ position: false });
      let texts = 0;
      parser.on("opentag", ({ name }) => {
        if (name === "row") rows++;
      });
      parser.on("text", (text) => (texts += text.length));
      parser.on("closetag", () => texts++);
      const stream = await zip.openReadStreamPromise(entry);
      stream.setEncoding("utf8");
      for await (const text of stream) parser.write(String(text));
      parser.close();
    }
    zip.close();
    return rows;
  },
  "exceljs streaming": async ([path = ""]: string[]) => {
    const reader = new ExcelJS.stream.xlsx.WorkbookReader(path, {
      worksheets: "emit",
      sharedStrings: "cache",
      styles: "cache",
      hyperlinks: "ignore",
      entries: "ignore",
    });
    let rows = -1;
    for await (const sheet of reader) for await (const _ of sheet) rows++;
    return rows;
  },
};

/** Texts shared, numbers, and dates by style, in the proportions of the CSV benchmark's rows. */
async function writeMadeWorkbook(path: string, rows: number, columns: number): Promise<void> {
  const random = seededRandom(1);
  const strings = new Map<string, number>();
  const shared = (text: string) => {
    const index = strings.get(text) ?? strings.size;
    strings.set(text, index);
    return `t="s"><v>${index}</v></c>`;
  };
  const cell = (text: string, column: number, index: number, letters: string) => {
    const start = `<c r="${letters}${index + 2}" `;
    if (text === "") return "";
    if (column % 8 === 0) return `${start}><v>${text}</v></c>`;
    if (column % 8 === 2) return `${start}><v>${Number(text.replace(",", "."))}</v></c>`;
    if (column % 8 === 5) return `${start}s="1"><v>${FIRST_DATE + (index % 1000) + (index % 24) / 24}</v></c>`;
    return start + shared(text);
  };
  const letters = Array.from({ length: columns }, (_, column) => columnLetters(column + 1));
  function* sheet() {
    yield `<row r="1">${letters.map((name, column) => `<c r="${name}1" ${shared(`Coluna ${column + 1}`)}`).join("")}</row>`;
    for (let index = 0; index < rows; index++) {
      const cells = madeRow(index, columns, random).map((text, column) =>
        cell(text, column, index, letters[column] ?? ""),
      );
      yield `<row r="${index + 2}" spans="1:${columns}">${cells.join("")}</row>`;
    }
  }
  // The sheet comes first in the zip, so that its strings are known when their part is written.
  const stringsPart = {
    *[Symbol.iterator]() {
      yield '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">';
      for (const text of strings.keys()) yield `<si><t>${escapeXml(text)}</t></si>`;
      yield "</sst>";
    },
  };
  const bytes = await writeWorkbook({
    sheets: [{ name: "Manifestos", rows: { [Symbol.iterator]: sheet } }],
    formats: ["dd/mm/yyyy hh:mm"],
    parts: { "xl/sharedStrings.xml": null, "xl/sharedStrings.XML": stringsPart },
    change: (entry) => ({ ...entry, name: entry.name.replace(/XML$/, "xml") }),
  });
  await writeFile(path, bytes);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "200000" },
      columns: { type: "string", default: "25" },
      repetitions: { type: "string", default: "3" },
      /** Rows and columns of the workbook that memory is measured on; default: four times the rows. */
      long: { type: "string" },
      wide: { type: "string" },
    },
  });
  const rows = Number(values.rows);
  const columns = Number(values.columns);
  await withTemporaryFolder(async (folder) => {
    const path = join(folder, "rows.xlsx");
    await writeMadeWorkbook(path, rows, columns);
    const medians = await interleaved(
      import.meta.filename,
      Object.keys(contenders),
      [path],
      Number(values.repetitions),
    );
    const ours = medians.get("ours");
    const walking = medians.get("yauzl + saxes walking");
    const exceljs = medians.get("exceljs streaming");
    if (ours === undefined || walking === undefined || exceljs === undefined) throw new Error("a contender is missing");
    for (const { result } of [...ours.runs, ...walking.runs, ...exceljs.runs]) {
      if (result !== rows) throw new Error(`${JSON.stringify(result)} rows read of ${rows}`);
    }
    console.log(
      `${rows.toLocaleString("en")} rows × ${columns} columns, CPU, median of ${values.repetitions} interleaved runs`,
    );
    ratioFigure(ours, "yauzl + saxes walking", walking, WALK_GOAL);
    ratioFigure(ours, "exceljs streaming", exceljs, EXCELJS_GOAL);
    console.log(
      `     peak memory: ours ${megabytes(ours.peakBytes)}, walking ${megabytes(walking.peakBytes)}, exceljs ${megabytes(exceljs.peakBytes)}`,
    );
    const long = join(folder, "long.xlsx");
    await writeMadeWorkbook(long, Number(values.long ?? rows * 4), Number(values.wide ?? columns));
    const { size } = await stat(long);
    const fourfold = await measure(import.meta.filename, "ours", [long]);
    figure(
      fourfold.peakBytes <= MEMORY_GOAL_BYTES,
      `peak memory of ours on a workbook of ${megabytes(size)} ${megabytes(fourfold.peakBytes)}, goal ≤ ${megabytes(MEMORY_GOAL_BYTES)}`,
    );
  });
}

const [first] = process.argv.slice(2);
await (first !== undefined && first in contenders ? runContender(contenders, process.argv.slice(2)) : main());
