/** A rejected file as a person hands it back: some of its rows, in another order, with other cells where they were mended. */
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import exceljs from "exceljs";
import iconv from "iconv-lite";
import { writeCsv } from "../../support/read/write-csv.js";
import type { Cell, Form, InputPlan, Row } from "./world.js";

/** A row by its number in the file that it was rejected from; as it was there, and as it comes back. */
export interface Change {
  number: number;
  row: Row;
  before: Row;
}

interface HandedBack {
  back: Change[];
  /** The number of each row in the file that was written. */
  lines: number[];
}

type Edit = (position: number, cell: Cell) => void;

const numberOf = (reference: string) => Number(/:(\d+)(?:#\d+)?$/.exec(reference)?.[1]);

/** Cells that the person types anew. */
function edits({ row, before }: Change, header: readonly string[], input: InputPlan, edit: Edit) {
  for (const [position, title] of header.entries()) {
    const column = input.columns.find((one) => one.header === title);
    const cell = row.cells[column?.name ?? ""];
    if (cell !== undefined && JSON.stringify(cell) !== JSON.stringify(before.cells[column?.name ?? ""]))
      edit(position, cell);
  }
}

export function handBack(
  from: string,
  to: string,
  form: Form,
  input: InputPlan,
  changes: readonly Change[],
): Promise<HandedBack> | HandedBack {
  return form.kind === "csv" ? handBackCsv(from, to, form, input, changes) : handBackWorkbook(from, to, input, changes);
}

function handBackCsv(from: string, to: string, form: Form, input: InputPlan, changes: readonly Change[]) {
  const text = iconv.decode(readFileSync(from), form.encoding);
  const [header = [], ...lines] = parse(text, { delimiter: form.delimiter, bom: true });
  const reference = header.indexOf("rowferry_row");
  const back: Change[] = [];
  const texts: string[][] = [];
  for (const change of changes) {
    const line = lines.find((cells) => numberOf(cells[reference] ?? "") === change.number);
    if (line === undefined) continue;
    const cells = [...line];
    edits(change, header, input, (position, cell) => (cells[position] = cell.text));
    back.push(change);
    texts.push(cells);
  }
  const written = writeCsv([header, ...texts], { ...form, quote: '"', escape: "double" });
  writeFileSync(to, written.bytes);
  return { back, lines: written.lines.slice(1) };
}

async function handBackWorkbook(from: string, to: string, input: InputPlan, changes: readonly Change[]) {
  const rejected = new exceljs.Workbook();
  await rejected.xlsx.readFile(from);
  const [sheet] = rejected.worksheets;
  if (sheet === undefined) throw new Error(`${from} has no sheet`);
  const header = (sheet.getRow(1).values as (string | undefined)[]).slice(1).map((title) => title ?? "");
  const reference = header.indexOf("rowferry_row") + 1;
  const all = sheet.getRows(2, sheet.rowCount - 1) ?? [];
  const book = new exceljs.Workbook();
  const handed = book.addWorksheet(sheet.name);
  handed.addRow(header);
  const back: Change[] = [];
  for (const change of changes) {
    const found = all.find((row) => numberOf(row.getCell(reference).text) === change.number);
    if (found === undefined) continue;
    back.push(change);
    const line = handed.addRow([]);
    found.eachCell((cell, column) => {
      line.getCell(column).value = cell.value;
      line.getCell(column).numFmt = cell.numFmt;
    });
    edits(change, header, input, (position, { text, typed }) => {
      const cell = line.getCell(position + 1);
      if (typed === undefined) cell.value = text === "" ? null : text;
      else if ("truth" in typed) cell.value = typed.truth;
      else cell.value = Number("serial" in typed ? typed.serial : typed.number);
      if (typed !== undefined) cell.numFmt = "serial" in typed ? "dd/mm/yyyy hh:mm" : "General";
    });
  }
  await book.xlsx.writeFile(to);
  return { back, lines: back.map((_, index) => index + 2) };
}
