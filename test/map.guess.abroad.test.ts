/** Guesses from files as other countries write them: loaded as they are, every valid row is staged. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ExcelJS from "exceljs";
import { describe, expect, it, onTestFinished } from "vitest";
import { guessMapping } from "../src/map/guess/guess-mapping.js";
import { loadMapping } from "../src/map/load-mapping.js";
import type { MappedRow } from "../src/model/mapped-row.js";
import type { Row } from "../src/model/row.js";
import { openInput } from "../src/read/open-input.js";
import { recordsOf } from "./map.support.js";

async function stage(name: string, bytes: string | Uint8Array, placeholders: "accept" | "refuse" = "refuse") {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-abroad-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), bytes);
  const input = await openInput(join(folder, name));
  onTestFinished(() => input.close());
  const table = await input.open({});
  const { header, headerRow, sheet, dialect } = table;
  const sample: Row[] = [];
  for await (const rows of table.rows()) sample.push(...rows);
  const guess = guessMapping([{ file: input.name, sheet, header, headerRow, dialect, sample }]);
  await writeFile(join(folder, "m.yaml"), guess.yaml);
  const mapping = await loadMapping(join(folder, "m.yaml"), { placeholders });
  const mapped: MappedRow[] = [];
  for (const { read, bind } of mapping.inputsFor(input.name)) {
    const opened = await input.open(read);
    const mapper = bind(opened.header, { file: input.name, sheet: opened.sheet });
    for await (const rows of opened.rows()) mapped.push(...mapper.map(rows));
    mapped.push(...mapper.end());
  }
  return { ...guess, mapped, records: recordsOf(mapped) };
}

const german = `Kunde;Lieferschein;Vorgang;Datum;Uhrzeit;USt-IdNr;Straße;Hausnummer;PLZ;Ort;Bundesland;Gewicht
Müller Bau GmbH;LS-1001;Abholung;03.02.2026;08:15;DE136695976;Hauptstraße;3a;10115;Berlin;BE;1.250,5
Müller Bau GmbH;LS-1001;Abgabe;03.02.2026;11:40;DE136695976;Hauptstraße;3a;10115;Berlin;BE;1.248,0
Schäfer AG;LS-1002;Abholung;13.07.2026;07:05;DE129273398;Ringweg;12;50667;Köln;NW;800,25
Schäfer AG;LS-1002;Abgabe;13.07.2026;09:30;DE129273398;Ringweg;12;50667;Köln;NW;799,75
Müller Bau GmbH;LS-1003;Abholung;24.02.2026;14:00;DE136695976;Hauptstraße;3a;10115;Berlin;BE;2.000,0
Müller Bau GmbH;LS-1003;Abgabe;24.02.2026;16:45;DE136695976;Hauptstraße;3a;10115;Berlin;BE;1.990,5
`;
const american = `Customer,BOL,Shipment Status,Date,Time,EIN,Street,House Number,City,State,Zip,Weight
Acme Recycling Inc,B-77001,Picked up,01/15/2026,8:15 AM,04-2103594,Main St,12,Springfield,IL,62701,"1,250.5"
Acme Recycling Inc,B-77001,Delivered,01/15/2026,1:40 PM,04-2103594,Main St,12,Springfield,IL,62701,"1,248.0"
Blue River LLC,B-77002,Picked up,01/16/2026,12:05 PM,94-3177549,Oak Ave,400B,Portland,OR,97201,800.25
Blue River LLC,B-77002,Delivered,01/17/2026,9:30 AM,94-3177549,Oak Ave,400B,Portland,OR,97201,799.75
Acme Recycling Inc,B-77003,Picked up,01/28/2026,2:00 PM,04-2103594,Main St,12,Springfield,IL,62701,"2,000.0"
Acme Recycling Inc,B-77003,Delivered,01/28/2026,4:45 PM,04-2103594,Main St,12,Springfield,IL,62701,"1,990.5"
`;

describe("a German file", () => {
  it("with semicolons, decimal commas, a time beside the date and house numbers such as 3a", async () => {
    const { records, mapped, yaml } = await stage("lieferungen.csv", german);
    expect(mapped).toHaveLength(6);
    expect(new Set(records.documents.map(({ kind, key }) => `${kind} ${key}`))).toEqual(
      new Set(["lieferschein LS-1001", "lieferschein LS-1002", "lieferschein LS-1003"]),
    );
    expect(records.events[0]).toMatchObject({ name: "Abholung", at: Date.UTC(2026, 1, 3, 7, 15) });
    expect(records.events[0]?.attributes).toMatchObject([{ name: "Gewicht", value: "1250.5" }]);
    expect(records.events[2]?.at).toBe(Date.UTC(2026, 6, 13, 5, 5));
    expect(records.participants[0]).toMatchObject({
      data: { countryCode: "DE", taxIdType: "VAT", taxId: "136695976", name: "Müller Bau GmbH" },
    });
    expect(records.addresses[0]).toMatchObject({ data: { number: "3a", street: "Hauptstraße", city: "Berlin" } });
    expect(yaml).toContain("timezone: Europe/Berlin");
  });
});

describe("a file of the US", () => {
  it("with months first and times of twelve hours; which of its zones is asked", async () => {
    const { records, mapped, unsure } = await stage("shipments.csv", american);
    expect(mapped).toHaveLength(6);
    expect(records.events.map(({ name }) => name).slice(0, 2)).toEqual(["Picked up", "Delivered"]);
    expect(records.events[1]?.at).toBe(Date.UTC(2026, 0, 15, 18, 40));
    expect(records.events[2]?.at).toBe(Date.UTC(2026, 0, 16, 17, 5));
    expect(records.events[0]?.attributes).toMatchObject([{ name: "Weight", value: "1250.5" }]);
    expect(records.participants[0]).toMatchObject({
      data: { countryCode: "US", taxIdType: "EIN", taxId: "042103594" },
    });
    expect(records.addresses[2]).toMatchObject({ data: { number: "400B" } });
    expect(unsure.join("\n")).toMatch(/timezone: is it America\/New_York\?/);
  });

  it("with date and time in one cell", async () => {
    const joined = american.replace("Date,Time", "Date").replaceAll(/(\d{4}),(\d+:\d+ [AP]M)/g, "$1 $2");
    const { records, yaml } = await stage("shipments.csv", joined);
    expect(yaml).toContain('dates: ["MM/dd/yyyy h:mm a"]');
    expect(records.events[1]?.at).toBe(Date.UTC(2026, 0, 15, 18, 40));
  });
});

it("a workbook with a title above its header", async () => {
  const workbook = new ExcelJS.Workbook();
  const sheet = workbook.addWorksheet("Aufträge");
  sheet.addRow(["Auswertung Februar 2026"]);
  sheet.addRow([]);
  const [header = "", ...lines] = german.trim().split("\n");
  sheet.addRow(header.replace("Lieferschein", "Auftrag").replace("Kunde", "Firma").split(";"));
  for (const line of lines) {
    const cells: (string | number)[] = line.split(";");
    cells[11] = Number(String(cells[11]).replace(".", "").replace(",", "."));
    sheet.addRow(cells);
  }
  const { records, mapped, yaml } = await stage("auftraege.xlsx", new Uint8Array(await workbook.xlsx.writeBuffer()));
  expect(mapped).toHaveLength(6);
  expect(yaml).toContain("header: 3");
  expect(records.documents[0]).toMatchObject({ kind: "auftrag", key: "LS-1001" });
  expect(records.events[0]?.attributes).toMatchObject([{ name: "Gewicht", value: "1250.5" }]);
  expect(records.participants[0]).toMatchObject({ data: { name: "Müller Bau GmbH" } });
});

it("a plain table of orders gives a mapping, in which the ids are still to be written", async () => {
  const lines = [
    "A-1,Acme,In,01/15/2026",
    "A-1,Acme,Out,01/16/2026",
    "A-2,Beta,In,01/17/2026",
    "A-2,Beta,Out,01/18/2026",
  ];
  const plain = `Order,Customer,Event,Date\n${lines.join("\n")}\n`;
  await expect(stage("orders.csv", plain)).rejects.toMatchObject({ code: "mapping-invalid" });
  const { records, yaml } = await stage("orders.csv", plain, "accept");
  expect(yaml).toContain("key: { column: Order }");
  expect(records.events.map(({ name }) => name)).toEqual(["In", "Out", "In", "Out"]);
});

it("documents that have no time yet are staged, and the guess says so", async () => {
  const lines = Array.from({ length: 6 }, (_, row) => `A-${row},Acme,${row === 5 ? "" : `01/${15 + row}/2026`}`);
  const { records, yaml, unsure } = await stage(
    "orders.csv",
    `Order,Customer,Delivered\n${lines.join("\n")}\n`,
    "accept",
  );
  expect(yaml).toContain("rowsWithoutEvents: allow");
  expect(unsure.join("\n")).toContain("rowsWithoutEvents: rows with no time at all (1 of those seen)");
  expect([records.documents.length, records.events.length]).toEqual([6, 5]);
});
