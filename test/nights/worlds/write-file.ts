/** A world's files, byte for byte: CSV in its dialect, or a workbook with typed cells. */
import { textCell, writeWorkbook } from "../../support/read/write-workbook.js";
import { writeCsv } from "../../support/read/write-csv.js";
import type { Cell, InputPlan, Row, WorldFile } from "./world.js";

export interface WrittenFile {
  bytes: Buffer;
  /** The number of each row, as a person sees it in the file. */
  numbers: number[];
}

function cellOf(row: Row, header: string, input: InputPlan) {
  const column = input.columns.find((one) => one.header === header);
  const cell = row.cells[column?.name ?? header];
  return cell ?? { text: row.extra?.[header] ?? "", means: null };
}

export async function writeFile(file: WorldFile, input: InputPlan): Promise<WrittenFile> {
  const { form, headers, rows } = file;
  const cells = rows.map((row) => headers.map((header) => cellOf(row, header, input)));
  if (form.kind === "xlsx") {
    const bytes = await writeWorkbook({
      sheets: [{ name: "Dados", rows: [headers.map(asText), ...cells].map(sheetRow).join("") }],
      formats: ["dd/mm/yyyy hh:mm"],
    });
    return { bytes, numbers: rows.map((_, index) => index + 2) };
  }
  const texts = [headers, ...cells.map((row) => row.map(({ text }) => text))];
  const { bytes, lines } = writeCsv(texts, { ...form, quote: '"', escape: "double" });
  return { bytes, numbers: lines.slice(1) };
}

const asText = (text: string) => ({ text, means: { text } });

function sheetRow(cells: Cell[], index: number) {
  const written = cells.map((cell, column) => sheetCell(cell, `${String.fromCharCode(65 + column)}${index + 1}`));
  return `<row r="${index + 1}">${written.join("")}</row>`;
}

function sheetCell({ text, typed }: Cell, reference: string) {
  if (typed === undefined) return text === "" ? "" : textCell(reference, text);
  if ("truth" in typed) return `<c r="${reference}" t="b"><v>${Number(typed.truth)}</v></c>`;
  if ("serial" in typed) return `<c r="${reference}" s="1"><v>${typed.serial}</v></c>`;
  return `<c r="${reference}"><v>${typed.number}</v></c>`;
}
