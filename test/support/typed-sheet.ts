/**
 * A worksheet with numbers, percentages, dates, codes and formulas, drawn at random; the same with mistakes in it; and a person
 * who corrects the rejected workbook that comes of it.
 */
import exceljs, { type CellValue } from "exceljs";
import type { Office } from "./office.js";

export const typedMapping = {
  namespace: "typed",
  defaults: { timezone: "UTC", decimal: ",", dates: ["dd/MM/yyyy HH:mm", "dd/MM/yyyy"], country: "DE" },
  inputs: {
    loads: {
      columns: {
        load: "Load",
        code: { header: "Code", pattern: "[0-9]{5}" },
        gross: { header: "Gross", as: "number" },
        tare: { header: "Tare", as: "number" },
        share: { header: "Share", as: "number" },
        day: { header: "Day", as: "date" },
        at: { header: "At", as: "timestamp" },
        clock: { header: "Clock", pattern: "[012][0-9]:[0-5][0-9]:00" },
        net: { header: "Net", as: "number" },
        label: "Label",
        charge: { header: "Charge", as: "number" },
        note: { header: "Note", optional: true },
      },
      participants: { owner: { taxIdType: "VAT", taxId: "DE136695976", name: "Owner", type: "COMPANY" } },
      addresses: {
        yard: { participant: "owner", name: "Yard", street: "Kai", number: "1", city: "Kiel", countryState: "SH" },
      },
      documents: { load: { key: "=load", participant: "owner", address: "yard" } },
      events: {
        weighing: {
          name: "Weighing",
          key: "once",
          externalCreatedAt: "=at",
          isPublic: true,
          attributes: {
            public: {
              Code: "=code",
              Gross: "=gross",
              Tare: "=tare",
              Share: "=share",
              Day: "=day",
              Clock: "=clock",
              Net: "=net",
              Label: "=label",
              Charge: "=charge",
              Note: "=note",
            },
          },
        },
      },
    },
  },
};

export interface TypedRow {
  load: string;
  code: number;
  gross: number;
  tare: number;
  share: number;
  /** Days after 2026-01-01. */
  day: number;
  /** Minutes after 2026-01-01. */
  at: number;
  /** Minutes of a day. */
  clock: number;
  note: string;
}

/** A column in which a mistake is made, and what stands there instead. */
export type Mistake = "code" | "gross" | "tare" | "share" | "day" | "at" | "clock";
const wrongTexts: { [column in Mistake]: string } = {
  code: "4x3",
  gross: "12,5O kg",
  tare: "s/ pesagem",
  share: "n/a",
  day: "31/02/2026",
  at: "ontem",
  clock: "25:99",
};

export interface TypedSheet {
  rows: readonly TypedRow[];
  /** By position of the row. */
  mistakes: ReadonlyMap<number, Mistake>;
  /** Empty rows above the header: formulas then stand in other rows than in the rejected file. */
  above: number;
  /** The formula of Net is written once for all rows, as Excel does when a cell is filled down. */
  shared: boolean;
}

export const twoRows: TypedSheet["rows"] = [
  { load: "L1", code: 43, gross: 10.5, tare: 0.5, share: 0.125, day: 1, at: 90, clock: 65, note: "" },
  { load: "L2", code: 7, gross: 20, tare: 1, share: 0.5, day: 2, at: 900, clock: 0, note: "007" },
];

const headers = [
  "Load",
  "Code",
  "Gross",
  "Tare",
  "Share",
  "Day",
  "At",
  "Clock",
  "Net",
  "Label",
  "Charge",
  "Note",
  "Running",
] as const;
const formats = [
  undefined,
  "00000",
  "#,##0.00",
  "0.0",
  "0.00%",
  "dd/mm/yyyy",
  "dd/mm/yyyy hh:mm",
  "hh:mm",
  "0.00",
  undefined,
  '"R$" 0.00',
  "@",
  undefined,
];
const widths = [12, 7, 22, 11, 9.5, 13, 19, 8, 11.5, 24, 12, 40, 12];
const RATE = 1.25;

const start = Date.UTC(2026, 0, 1);
const dayOf = ({ day }: TypedRow) => new Date(start + day * 86_400_000);
const instantOf = ({ at }: TypedRow) => new Date(start + at * 60_000);
const round = (value: number) => Number(value.toPrecision(12));

const typed = (row: TypedRow) => ({
  code: row.code,
  gross: row.gross,
  tare: row.tare,
  share: row.share,
  day: dayOf(row),
  at: instantOf(row),
  clock: row.clock / 1440,
});

const column = (name: (typeof headers)[number]) => headers.indexOf(name) + 1;

/** With `mistakes`, the results of formulas are what a spreadsheet would show: an error where a text stands in for a number. */
export async function writeTyped(path: string, sheet: TypedSheet, mistakes: boolean): Promise<void> {
  const book = new exceljs.Workbook();
  const rates = book.addWorksheet("Rates", { state: "hidden" });
  rates.getCell("A1").value = RATE;
  const page = book.addWorksheet("Loads");
  widths.forEach((width, index) => (page.getColumn(index + 1).width = width));
  page.getRow(sheet.above + 1).values = [...headers];
  const first = sheet.above + 2;
  let running = 0;
  sheet.rows.forEach((row, index) => {
    const at = first + index;
    const wrong = mistakes ? sheet.mistakes.get(index) : undefined;
    const cells = { ...typed(row), ...(wrong === undefined ? {} : { [wrong]: wrongTexts[wrong] }) };
    const results = resultsOf(row);
    const broken = wrong === "gross" ? { error: "#VALUE!" as const } : undefined;
    const net = wrong === "gross" || wrong === "tare" ? ({ error: "#VALUE!" } as const) : results.net;
    running = round(running + (broken === undefined ? row.gross : 0));
    page.getRow(at).values = [
      row.load,
      cells.code,
      cells.gross,
      cells.tare,
      cells.share,
      cells.day,
      cells.at,
      cells.clock,
      sheet.shared && index > 0
        ? { sharedFormula: `I${first}`, result: net }
        : { formula: `C${at}-D${at}`, result: net },
      { formula: `A${at}&"-"&TEXT($B${at},"00000")&" ""x"""`, result: results.label },
      { formula: `ROUND(C${at}*Rates!$A$1,2)`, result: broken ?? results.charge },
      row.note === "" ? null : row.note,
      { formula: `SUM(C$${first}:C${at})`, result: running },
    ] as CellValue[];
    formats.forEach((format, position) => {
      if (format !== undefined) page.getCell(at, position + 1).numFmt = format;
    });
  });
  await book.xlsx.writeFile(path);
}

function resultsOf(row: TypedRow) {
  return {
    net: round(row.gross - row.tare),
    label: `${row.load}-${String(row.code).padStart(5, "0")} "x"`,
    charge: Math.round(row.gross * RATE * 100) / 100,
  };
}

export interface CorrectOptions {
  /** What Net and Label come to; false: nobody has computed them, as where a script corrects the file. */
  computed: boolean;
  /** The file was rejected twice. */
  again?: boolean;
}

/** Types the right values over the wrong ones, as a person does who sees the formats of the cells. */
export async function correctTyped(
  path: string,
  sheet: TypedSheet,
  { computed, again = false }: CorrectOptions,
): Promise<void> {
  const book = new exceljs.Workbook();
  await book.xlsx.readFile(path);
  const page = book.getWorksheet("Loads") ?? expect.fail("the sheet has lost its name");
  expect(widths.map((_, index) => page.getColumn(index + 1).width)).toEqual(widths);
  expect(page.rowCount).toBe(sheet.mistakes.size + 1);
  for (let at = 2; at <= page.rowCount; at++) {
    const index = sheet.rows.findIndex(({ load }) => load === page.getCell(at, 1).value);
    const row = sheet.rows[index] ?? expect.fail("a row of nowhere");
    const wrong = sheet.mistakes.get(index) ?? expect.fail("a row without a mistake");
    formats.forEach((format, position) => {
      const where = `${headers[position] ?? ""} of ${row.load}`;
      if (format !== undefined) expect([where, page.getCell(at, position + 1).numFmt]).toEqual([where, format]);
    });
    page.getCell(at, column(titleOf(wrong))).value = typed(row)[wrong];
    const results = resultsOf(row);
    for (const [name, formula] of [
      ["Net", `C${at}-D${at}`],
      ["Label", `A${at}&"-"&TEXT(B${at},"00000")&" ""x"""`],
    ] as const) {
      const cell = page.getCell(at, column(name));
      expect(cell.formula).toBe(formula);
      const result = name === "Net" ? results.net : results.label;
      cell.value = computed ? { formula, result } : { formula };
    }
    for (const name of ["Charge", "Running"] as const) {
      // What was rejected again has been a value all along; and the first row's sum is of its own row.
      if (again || (name === "Running" && index === 0)) continue;
      const cell = page.getCell(at, column(name));
      expect([name, cell.formula, cell.fill]).toMatchObject([name, undefined, { pattern: "solid" }]);
      const hint = String(page.getCell(at, headers.length + 4).value);
      expect(hint).toContain(`"${name}"`);
    }
    // What does not follow is corrected by hand.
    page.getCell(at, column("Charge")).value = results.charge;
  }
  if (!again) expect(JSON.stringify(page.getCell(2, column("Charge")).note)).toContain("values here");
  await book.xlsx.writeFile(path);
}

const titleOf = (name: Mistake) =>
  headers.find((title) => title.toLowerCase() === name) ?? expect.fail("no such column");

/** What the service holds, without what it gave itself. */
export const bodiesOf = (office: Office) =>
  office
    .documents()
    .map(({ externalId, events }) => ({
      externalId,
      events: events.map(({ name, at, body }) => ({ name, at, body })),
    }))
    .toSorted((one, other) => String(one.externalId).localeCompare(String(other.externalId)));
