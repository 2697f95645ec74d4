/** What a draft says first, what it never takes for an event or a key, and how it reads what people write (F28, F121–F126). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ExcelJS from "exceljs";
import { parse } from "yaml";
import { pipeline } from "../../src/cli/pipeline.js";
import { checkMapping } from "../../src/map/load-mapping.js";
import { type TestWorld, testWorld, type } from "../support/cli.world.js";
import { dotted, makeCnpj, makeCpf } from "../../scripts/fixtures/tax-ids.js";
import { writeZip } from "../support/read/write-zip.js";

const cnpj = (seed: number) => dotted(makeCnpj(String(10_000_000 + seed * 7919)));
const cpf = (seed: number) => makeCpf(String(100_000_000 + seed * 7919));

// biome-ignore lint/suspicious/noExplicitAny: a mapping as it was drafted.
type Any = any;

/** Drafts files given as rows of cells joined by semicolons; the mapping loads, or the test fails. */
async function draft(files: { [name: string]: readonly string[] }, ...options: string[]) {
  const texts = Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, `${lines.join("\n")}\n`]));
  const world: TestWorld = testWorld({ pipeline, files: texts });
  expect(await type(world, "guess", ...Object.keys(files), "-o", "m.yaml", ...options)).toBe(0);
  const yaml = readFileSync(join(world.cwd, "m.yaml"), "utf8");
  expect((await checkMapping(join(world.cwd, "m.yaml"))).problems).toEqual([]);
  const mapping: Any = parse(yaml);
  const [input]: Any[] = Object.values(mapping.inputs);
  return { world, yaml, mapping, input, said: world.err };
}

const rows = (count: number, write: (at: number) => string) => Array.from({ length: count }, (_, at) => write(at));
const two = (value: number) => String(value).padStart(2, "0");

describe("what is unused or undecided is said first", () => {
  it("columns that nothing uses stand at the head of the file and of the screen (F121)", async () => {
    const { yaml, said } = await draft({
      "staff.csv": ["CNPJ;Empresa;Menge;Notas", ...rows(6, (at) => `${cnpj(at)};Acme ${at};${at},5;x${at}`)],
    });
    const told = "2 of 4 columns of staff.csv are not used: Menge, Notas";
    expect(yaml.split("\n").slice(0, 4).join("\n")).toContain(told);
    expect(said.split("\n")[1]).toContain(told);
  });

  it("a mapping without an event is a draft, which import takes to the sandbox only (F121)", async () => {
    const { mapping, world } = await draft({
      "staff.csv": ["CNPJ;Empresa", ...rows(6, (at) => `${cnpj(at)};Acme ${at}`)],
    });
    expect(mapping.draft).toBe(true);
    const target = {
      ROWFERRY_BASE_URL: "http://127.0.0.1:9",
      ROWFERRY_TOKEN_URL: "http://127.0.0.1:9/t",
      ROWFERRY_CLIENT_ID: "a",
      ROWFERRY_CLIENT_SECRET: "b",
    };
    expect(await type({ ...world, env: target }, "import", "m.yaml", "staff.csv")).toBe(2);
    expect(world.err).toContain("what happened, and when?");
  });

  it("dates of two digits make an event, and nothing is lost (F121)", async () => {
    const { input, said } = await draft({
      "jobs.csv": [
        "Auftrag;USt-IdNr;Kunde;Datum;Menge",
        ...rows(15, (at) => `A-${at};DE136695976;Müller;${two(10 + at)}.03.26;${at},5`),
      ],
    });
    expect(Object.keys(input.events)).toContain("event");
    expect(said).not.toContain("used by nothing");
    expect(said).toContain("15 of 15 rows would be staged");
  });
});

describe("what is never taken for an event or a key", () => {
  it.each(["Data de Nascimento", "Birth date", "Geburtsdatum", "Validade", "Vencimento", "Due date", "Expiry date"])(
    "%s is no event unless a person says so (F122)",
    async (header) => {
      const file = {
        "people.csv": [
          `Matrícula;CPF;Nome;${header}`,
          ...rows(8, (at) => `M-${at};${cpf(at)};Ana ${at};${two(13 + at)}/04/1980`),
        ],
      };
      const { mapping, input, yaml } = await draft(file);
      expect(input.events).toBeUndefined();
      expect(JSON.stringify(input.documents ?? {})).not.toContain("externalCreatedAt");
      expect(mapping.draft).toBe(true);
      expect(yaml).toMatch(/# decide: (when did something happen|what happened)/);
      const both = await draft({
        "people.csv": [
          `Pedido;Data;CPF;Nome;${header}`,
          ...rows(8, (at) => `P-${at};${two(13 + at)}/04/2026;${cpf(at)};Ana ${at};${two(13 + at)}/05/1980`),
        ],
      });
      expect(both.input.events.event.externalCreatedAt).toBe("=data");
    },
  );

  it.each([
    ["Check-out", (at: number) => `${two(at % 24)}:${two((at * 7) % 60)}`],
    ["Telefone", (at: number) => `(11) 9${8000 + at}-${1000 + at}`],
    ["SKU", (at: number) => `SKU-${at}`],
    ["Valor", (at: number) => String(1000 + at)],
  ])("%s is no document's key, though no two rows share it (F123)", async (header, cell) => {
    const lines = rows(20, (at) => `${cell(at)};${two(1 + at)}/03/2026;${cnpj(at % 4)};Acme ${at % 4}`);
    const { yaml, input } = await draft({ "visits.csv": [`${header};Data;CNPJ;Empresa`, ...lines] });
    expect(input.documents).toBeUndefined();
    expect(yaml).toMatch(/# decide: which column names the document\? none/);
  });

  it("a key that is chosen is listed with its rivals (F123)", async () => {
    const lines = rows(12, (at) => `P-${at};L-${at};${two(1 + at)}/03/2026;${cnpj(at % 4)}`);
    const { yaml } = await draft({ "orders.csv": ["Pedido;Gaveta;Data;CNPJ", ...lines] });
    expect(yaml).toContain('# which column names the document? "Pedido" (no two of 12 rows share it); not "Gaveta"');
  });

  it("values of a column are no events where there are many (F123)", async () => {
    const lines = rows(
      60,
      (at) => `P-${Math.floor(at / 3)};${two(1 + (at % 28))}/03/2026;Situation ${at % 30};${cnpj(1)}`,
    );
    const { input } = await draft({ "orders.csv": ["Pedido;Data;Status;CNPJ", ...lines] });
    expect(Object.keys(input.events)).toEqual(["defaults", "event"]);
  });
});

describe("totals and footers are skipped, never allowed in (F124, F126)", () => {
  it.each(["Grand Total", "Total", "Subtotal", "Total Geral", "* Summe", "Ergebnis", "TOTAL"])("%s", async (word) => {
    const lines = rows(10, (at) => `P-${at};${two(1 + at)}/03/2026;${cnpj(at % 3)};${at},5`);
    const { input, said } = await draft({ "orders.csv": ["Pedido;Data;CNPJ;Peso", ...lines, `${word};;;99,0`] });
    expect(input.rowsWithoutEvents).toBeUndefined();
    expect(input.skip).toMatch(/^=blank\(data\) && startsWith\(fold\(pedido\), "/);
    expect(said).toContain("10 of 11 rows would be staged, 1 skipped");
  });

  it("a footer of another width, whose text is another tomorrow", async () => {
    const lines = rows(10, (at) => `P-${at};${two(1 + at)}/03/2026;${cnpj(at % 3)};${at},5`);
    const { said } = await draft({ "orders.csv": ["Pedido;Data;CNPJ;Peso", ...lines, "Total de registros: 10"] });
    expect(said).toContain("10 of 11 rows would be staged, 1 skipped");
  });

  it.each([
    ["dates", "Emissão", (at: number) => `${two(1 + at)}/03/2026`],
    ["numbers", "Volume", (at: number) => `${at * 7},5`],
    ["tax ids", "CNPJ", (at: number) => cnpj(at)],
    ["truth values", "Ativo", (at: number) => (at % 2 ? "Sim" : "Não")],
    ["states", "UF", (at: number) => (at % 2 ? "SP" : "RJ")],
  ])("a word among %s is read as text", async (_, header, first) => {
    const lines = rows(10, (at) => `${first(at)};P-${at};${two(1 + at)}/04/2026;${at},5`);
    const { said } = await draft({ "orders.csv": [`${header};Pedido;Entrega;Peso`, ...lines, "Summe;;;99,0"] });
    expect(said).toContain("10 of 11 rows would be staged, 1 skipped");
  });

  it("a customer called Total is none", async () => {
    const lines = rows(10, (at) => `P-${at};Total Energies;${two(1 + at)}/03/2026;${cnpj(at % 3)}`);
    const { input, said } = await draft({ "orders.csv": ["Pedido;Cliente;Data;CNPJ", ...lines] });
    expect(input.skip).toBeUndefined();
    expect(said).toContain("10 of 10 rows would be staged");
  });

  it("rows without a date are asked about, not let in for ever", async () => {
    const lines = rows(10, (at) => `P-${at};${at === 4 ? "" : `${two(1 + at)}/03/2026`};${cnpj(at % 3)}`);
    const { mapping, yaml } = await draft({ "orders.csv": ["Pedido;Entrega;CNPJ", ...lines] });
    expect(mapping.draft).toBe(true);
    expect(yaml).toMatch(/# decide: what are rows without any date \(1 of those seen\)\?/);
  });
});

describe("day and month (F125)", () => {
  const file = (one: (at: number) => string, other: (at: number) => string) => ({
    "orders.csv": ["Pedido;Emissão;Entrega;CNPJ", ...rows(9, (at) => `P-${at};${one(at)};${other(at)};${cnpj(1)}`)],
  });
  const doubtful = (at: number) => `0${1 + (at % 9)}/04/2026`;

  it("the column that is certain decides for its neighbours", async () => {
    const month = await draft(file(doubtful, (at) => `03/${13 + at}/2026`));
    expect(month.mapping.defaults.dates).toEqual(["MM/dd/yyyy"]);
    expect(month.yaml).not.toContain("which comes first");
    const day = await draft(file(doubtful, (at) => `${13 + at}/03/2026`));
    expect(day.mapping.defaults.dates).toEqual(["dd/MM/yyyy"]);
    expect(day.yaml).not.toContain("which comes first");
  });

  it("where none is certain, a person is asked", async () => {
    const { yaml, mapping } = await draft(file(doubtful, doubtful));
    expect(yaml).toMatch(/# decide: which comes first in a date, day or month\? .*day \(01\/02 is 1 February\); month/);
    expect(mapping.draft).toBe(true);
  });

  it("a column that contradicts its neighbour keeps its own format", async () => {
    const { input, mapping } = await draft(
      file(
        (at) => `${13 + at}/03/2026`,
        (at) => `03/${13 + at}/2026`,
      ),
    );
    expect(mapping.defaults.dates).toHaveLength(1);
    expect([input.columns.emissao.formats, input.columns.entrega.formats].filter(Boolean)).toHaveLength(1);
  });
});

describe("what a careful eye sees", () => {
  const flat = (text: string) => text.replace(/\s+/g, " ");

  it("repeated headers and page lines are no evidence about the columns", async () => {
    const page = (at: number) => [`Page ${at};;;`, "Order;Date;Customer;Qty", `A${at};0${at}.02.2026;Acme;${at},5`];
    const { input } = await draft({ "pages.csv": rows(5, (at) => page(at + 1).join("\n")) });
    expect(input.columns).toMatchObject({ date: { as: "timestamp" }, qty: { as: "number" } });
    expect(input.events.event.externalCreatedAt).toBe("=date");
  });

  it("a year of two digits in front is asked about, and taken where it varies less than the day", async () => {
    const { mapping, yaml } = await draft({
      "a.csv": ["Order,Date,Qty", ...rows(5, (at) => `A${at},25-02-${two(at + 1)},${at}`)],
    });
    expect(mapping.defaults.dates).toEqual(["yy-MM-dd"]);
    expect(yaml).toMatch(/# decide: what is 25-02-01 in "Date"\? 2025-02-01 \(.*\); 2001-02-25/);
  });

  it.each([
    ["AM and PM beside the time", "Date;Time;AM/PM", "02/13/2026;1:15;PM", "2026-02-13T18:15:00.000Z"],
    ["a time without colons", "Date;BON_ZEIT;Note", "02/13/2026;131500;x", "2026-02-13T18:15:00.000Z"],
    ["a time with a point", "Date;Uhrzeit;Note", "02/13/2026;13.15;x", "2026-02-13T18:15:00.000Z"],
    ["a time with an h", "Date;Heure;Note", "02/13/2026;13h15;x", "2026-02-13T18:15:00.000Z"],
    ["a duration beside the date", "Date;Stunden;Note", "02/13/2026;01:15;x", "2026-02-13T05:00:00.000Z"],
  ])("%s", async (_, header, cells, time) => {
    const { world } = await draft(
      { "a.csv": [`Order;${header}`, ...rows(5, (at) => `A${at};${cells}`)] },
      "--country",
      "US",
    );
    expect(await type(world, "check", "m.yaml", "a.csv")).toBe(0);
    expect(world.out).toContain(`externalCreatedAt: ${time}`);
  });

  it("times with and without an offset in one column, and a column of time zones, are told", async () => {
    const lines = rows(6, (at) => `A${at};2026-02-13T1${at}:15:00${at % 2 ? "Z" : ""};America/New_York`);
    const said = flat((await draft({ "a.csv": ["Order;Created;Time zone", ...lines] })).said);
    expect(said).toContain('some times of "Created" have an offset (or Z); the others are read in the time zone');
    expect(said).toContain('"Time zone" may say otherwise');
  });

  it("numbers with and without a unit, and a time of day whose heading says none, are told", async () => {
    const lines = rows(6, (at) => `A${at};2026-02-1${at};0${at}:30;${at % 2 ? "7.5%" : "0.075"};${at}.5 kg`);
    const { said } = await draft({ "a.csv": ["Order;Date;Ramp;Rate;Net", ...lines] });
    expect(flat(said)).toContain('"Ramp" is read as the time of day of "Date"');
    expect(flat(said)).toContain('some numbers of "Rate" have a unit (%) and others none, such as 0.075');
    expect(said).not.toContain('"Net" have a unit');
  });

  it("ids that a spreadsheet rounded are told, by guess and by check; codes with zeros in front stay text", async () => {
    const lines = rows(4, (at) => `00${at}.123;1234567890123${at}5000;2026-02-13`);
    const { input, said, world } = await draft({ "a.csv": ["Posten;Tracking;Datum", ...lines] });
    expect(input.columns).toMatchObject({ posten: "Posten", tracking: "Tracking" });
    const told = 'll numbers of "Tracking" with more than 15 digits end in zeros, such as 123456789012305000';
    expect(flat(said)).toContain(told);
    await type(world, "check", "m.yaml", "a.csv");
    expect(flat(world.out)).toContain(told);
  });

  it("dates that a spreadsheet of another country swapped are told, where the others stayed texts", async () => {
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet("S");
    const days = [new Date(Date.UTC(2026, 0, 2)), "2/13/2026", new Date(Date.UTC(2026, 4, 2)), "2/25/2026"];
    sheet.addRows([["Order", "Date"], ...days.map((day, at) => [`A${at}`, day])]);
    const world = testWorld({ pipeline });
    await book.xlsx.writeFile(join(world.cwd, "a.xlsx"));
    await type(world, "guess", "a.xlsx", "-o", "m.yaml");
    expect(flat(world.err)).toContain("may have swapped day and month of the dates");
  });

  it("no column is absent because another has its name", async () => {
    const lines = rows(5, (at) => `A${at};${two(at + 14)}.02.2026;${at},5;${two(at + 14)}.03.2026;${at},7`);
    const { world } = await draft({ "a.csv": ["Order;Date;Weight;Date;Weight", ...lines] });
    await type(world, "check", "m.yaml", "a.csv");
    expect(world.out).toContain("5 found, 0 not read");
    expect(world.out).not.toContain("absent");
  });

  it("a draft without records does not pass for one that sends something", async () => {
    const { world } = await draft({ "a.csv": ["Posten", "x", "x"] });
    await type(world, "check", "m.yaml", "a.csv");
    expect(flat(world.out)).toContain("describes no records, so nothing of its rows is sent");
  });
});

describe("what is called like a part of an address, and is none", () => {
  const place = (at: number) => `${cnpj(at % 3)};Acme ${at % 3};Rua ${at % 3}`;
  const only = (one: Any) => Object.values(one)[0] as Any;

  it.each([
    ["in front", "Num;Data;CNPJ;Empresa;Rua", (at: number) => `${1000 + at};${two(1 + at)}/03/2026;${place(at)}`],
    [
      "next to the street",
      "CNPJ;Empresa;Num;Rua;Data",
      (at: number) => `${cnpj(at)};Acme ${at};${1000 + at};Rua ${at};${two(1 + at)}/03/2026`,
    ],
    [
      "behind the street",
      "CNPJ;Empresa;Rua;Num;Data",
      (at: number) => `${place(at)};${1000 + at};${two(1 + at)}/03/2026`,
    ],
    [
      "with letters",
      "CNPJ;Empresa;Rua;Nº;Data",
      (at: number) => `${cnpj(at)};Acme ${at};Rua ${at};NF-${9 * at};${two(1 + at)}/03/2026`,
    ],
  ])("numbers of documents are no numbers of houses: %s", async (_, header, line) => {
    const { input } = await draft({ "notas.csv": [`${header};Cidade;UF`, ...rows(20, (at) => `${line(at)};Rio;RJ`)] });
    expect(only(input.documents).key).toMatch(/^=(num|no_)$/);
    expect(only(input.addresses).number).toBe("S/N");
  });

  it.each([
    ["behind the street", "Rua;Nº", (at: number) => `Rua ${at};${(at * 37) % 90}`],
    ["in front of it", "No;Street", (at: number) => `${(at * 37) % 90};Street ${at}`],
    ["of several forms", "Rua;Número", (at: number) => `Rua ${at};${["12", "S/N", "14 A", "7-9", ""][at]}`],
  ])("numbers of houses stay: %s", async (_, header, line) => {
    const data = (at: number) => `P-${at};${two(1 + at)}/03/2026;${cnpj(at % 5)};${line(at % 5)};Rio;RJ`;
    const { input } = await draft({ "pedidos.csv": [`Pedido;Data;CNPJ;${header};Cidade;UF`, ...rows(20, data)] });
    expect(only(input.addresses).number).toMatch(/^=(default\()?(n|no_|numero)\b/);
  });

  it.each([
    ["before the state", "BR", "Estado;UF", (at: number) => `${at % 2 ? "Emitida" : "Anulada"};SP`, "=uf"],
    ["alone", "BR", "Estado", (at: number) => (at % 2 ? "Aberto" : "Fechado"), "SP"],
    ["elsewhere", "MX", "Estado;Provincia", (at: number) => `${at % 2 ? "Vigente" : "Anulada"};Jalisco`, "=provincia"],
    ["in English", "US", "State;Provincia", (at: number) => `${at % 2 ? "Open" : "Closed"};Texas`, "=provincia"],
  ])("the state of a document is no state of a country: %s", async (_, country, header, line, state) => {
    const data = (at: number) => `${1000 + at};${two(1 + at)}/03/2026;${cnpj(at % 3)};Rua ${at % 3};Rio;${line(at)}`;
    const lines = [`Pedido;Data;CNPJ;Rua;Cidade;${header}`, ...rows(20, data)];
    const { input } = await draft({ "pedidos.csv": lines }, "--country", country);
    expect(only(input.addresses).countryState).toBe(state);
  });

  it.each([
    ["BR", "Estado", ["SP", "RJ", "MG"]],
    ["BR", "Estado", ["São Paulo", "Rio de Janeiro", "?"]],
    ["MX", "Estado", ["Jalisco", "Puebla", "Jalisco"]],
    ["US", "State", ["Colorado", "Nevada", "TX"]],
  ])("the state of a country stays: %s, %s %j", async (country, header, states) => {
    const data = (at: number) =>
      `${1000 + at};${two(1 + at)}/03/2026;Acme ${at % 3};Rua ${at % 3};City ${at % 3};${states[at % 3]}`;
    const lines = [`Pedido;Data;Cliente;Rua;Cidade;${header}`, ...rows(20, data)];
    const { input } = await draft({ "pedidos.csv": lines }, "--country", country);
    expect(only(input.addresses).countryState).toBe(header === "State" ? "=state" : "=estado");
  });
});

describe("what people write (F28)", () => {
  it.each([
    ["14-Jan-2011", ["d-MMM-yyyy"], "en"],
    ["14 fev 2011 08:30", ["d MMM yyyy HH:mm"], "pt"],
    ["14 ene 2011", ["d MMM yyyy"], "es"],
    ["3 de dezembro de 2025", ["d 'de' MMMM 'de' yyyy"], "pt"],
    ["Jan 14, 2011", ["MMM d, yyyy"], "en"],
    ["1295000000", ["UNIX"], undefined],
    ["1295000000123", ["UNIX_MS"], undefined],
  ])("%s is a date of its column", async (cell, formats, language) => {
    const { input, said } = await draft({
      "a.csv": ["Pedido;Data;CNPJ", ...rows(5, (at) => `P-${at};${cell};${cnpj(1)}`)],
    });
    expect(input.columns.data).toMatchObject({ as: "timestamp", formats });
    expect(input.columns.data.language).toBe(language);
    expect(said).toContain("5 of 5 rows would be staged");
  });

  it.each([
    ["2011-01-14 08:30:00.123", "yyyy-MM-dd HH:mm:ss.SSS"],
    ["2011-01-14 08:30:00.1234567", "yyyy-MM-dd HH:mm:ss.u"],
    ["2011-01-14T08:30:00", "yyyy-MM-dd'T'HH:mm:ss"],
    ["20110114", "yyyyMMdd"],
    ["2011/1/14", "yyyy/M/d"],
    ["14/01/11", "dd/MM/yy"],
    ["14.1.2011", "d.M.yyyy"],
    ["2011-01-14T08:30:00.5+02:00", "ISO"],
  ])("%s is read as %s", async (cell, format) => {
    const { mapping, said } = await draft({
      "a.csv": ["Pedido;Data;CNPJ", ...rows(5, (at) => `P-${at};${cell};${cnpj(1)}`)],
    });
    expect(mapping.defaults.dates).toEqual([format]);
    expect(mapping.defaults.twoDigitYears).toBe(format === "dd/MM/yy" ? true : undefined);
    expect(said).toContain("5 of 5 rows would be staged");
  });

  it("date and time in two columns are one moment", async () => {
    const lines = rows(5, (at) => `P-${at};${two(14 + at)}/01/2011;${two(8 + at)}:30;${cnpj(1)}`);
    const { input, said } = await draft({ "a.csv": ["Pedido;Data;Hora;CNPJ", ...lines] });
    expect(input.columns.data_at).toBe('=timestamp(data + " " + hora)');
    expect(input.events.event.externalCreatedAt).toBe("=data_at");
    expect(said).toContain("5 of 5 rows would be staged");
  });

  it("so are date and time of a workbook", async () => {
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet("S");
    sheet.addRow(["Pedido", "Data", "Hora", "CNPJ"]);
    for (let at = 0; at < 9; at++) {
      const row = sheet.addRow([`P-${at}`, new Date(Date.UTC(2026, 2, at + 1)), (8 + at / 60) / 24, cnpj(1)]);
      row.getCell(2).numFmt = "dd/mm/yyyy";
      row.getCell(3).numFmt = "hh:mm";
    }
    const world = testWorld({ pipeline });
    await book.xlsx.writeFile(join(world.cwd, "a.xlsx"));
    expect(await type(world, "guess", "a.xlsx", "-o", "m.yaml")).toBe(0);
    expect(readFileSync(join(world.cwd, "m.yaml"), "utf8")).toContain("externalCreatedAt: =data_at");
    await type(world, "check", "m.yaml", "a.xlsx");
    expect(world.out).toContain("9 read = 0 skipped + 0 invalid + 9 valid");
    expect(world.out).toContain("externalCreatedAt: 2026-03-01T11:00:00.000Z");
  });

  it("decimal marks of two columns differ, and each is read as it is written", async () => {
    const lines = rows(6, (at) => `P-${at};${two(14 + at)}/01/2011;${cnpj(1)};1.${at}00,5${at + 1};${at}.5${at + 1}`);
    const { input, mapping, said } = await draft({ "a.csv": ["Pedido;Data;CNPJ;Peso;Preço", ...lines] });
    expect(mapping.defaults.decimal).toBe(",");
    expect(input.columns.preco).toMatchObject({ as: "number", decimal: "." });
    expect(said).toContain("6 of 6 rows would be staged");
  });

  const either = rows(6, (at) => `P-${at};${two(14 + at)}/01/2011;${cnpj(1)};1.${at}00,5;1.34${at}`);
  const doubt = { "a.csv": ["Pedido;Data;CNPJ;Peso;Densidade", ...either] };

  it("a column of which no number tells thousands from fractions is told, by guess and by check (F75)", async () => {
    const { world, said } = await draft(doubt);
    expect(said.replace(/\s+/g, " ")).toContain('all of "Densidade" with a mark are like 1.340, read as a thousand');
    expect(said).not.toContain('"Peso" with a mark');
    const before = world.out.length;
    expect(await type(world, "check", "m.yaml", "a.csv")).toBe(0);
    const checked = world.out.slice(before).replace(/\s+/g, " ");
    expect(checked).toContain('All marked numbers of "Densidade" are like "1.340", which is read as 1340.');
    expect(checked).not.toContain('numbers of "Peso"');
  });

  it("where no column tells, thousands are asked about, naming the columns (F75)", async () => {
    const lines = doubt["a.csv"].map((line) => line.replace(/;1\.(\d)00,5;/, ";$1,5;"));
    const { mapping, yaml, said } = await draft({ "a.csv": lines });
    expect(said).toContain('what is 1.234 in "Densidade"?');
    expect(yaml).toMatch(
      /# decide: what is 1.234 in "Densidade"\? a thousand; a fraction; not a number: such cells are errors/,
    );
    expect(mapping.defaults.grouping).toBe(true);
  });

  it("units become one, or the column stays text and says why", async () => {
    const lines = rows(
      6,
      (at) =>
        `P-${at};${two(14 + at)}/01/2011;${cnpj(1)};${at + 1},5 ${at % 2 ? "t" : "kg"};${at + 1} ${at % 2 ? "un" : "cx"}`,
    );
    const { input, yaml } = await draft({ "a.csv": ["Pedido;Data;CNPJ;Peso;Volumes", ...lines] });
    expect(input.columns.peso).toMatchObject({ as: "number", units: { kg: 1, t: 1000 } });
    expect(yaml).toContain("volumes: Volumes # text: no one unit for cx, un; ");
  });

  it("a megagram is no milligram", async () => {
    const lines = rows(
      6,
      (at) => `P-${at};${two(14 + at)}/01/2011;${cnpj(1)};${at + 1},5 Mg;${at + 1},5 ${at % 2 ? "Mg" : "mg"}`,
    );
    const { input, yaml } = await draft({ "a.csv": ["Pedido;Data;CNPJ;Peso;Dose", ...lines] });
    expect(input.columns.peso).toMatchObject({ as: "number", units: ["Mg"] });
    expect(yaml).toContain("dose: Dose # text: no one unit for mg, Mg; ");
  });

  it("what is no unit at all is text: weeks, codes, names with numbers, ids of which a spreadsheet spoilt some", async () => {
    const lines = rows(30, (at) => {
      const key = at % 9 === 0 ? "3,52601E+43" : `352601${"0".repeat(36)}${two(at)}`;
      const texts = `2026-W${two(at + 1)};${at}-A${at};Op ${at % 3};VIR ${at};${key}`;
      return `P-${at};${texts};EUR ${at},50;${two(1 + (at % 28))}/03/2026;${cnpj(1)}`;
    });
    const header = "Pedido;Semana;Posição;Operador;Texto;Chave;Preço;Data;CNPJ";
    const { input, said } = await draft({ "a.csv": [header, ...lines] });
    const texts = { semana: "Semana", posicao: "Posição", operador: "Operador", texto: "Texto", chave: "Chave" };
    expect(input.columns).toMatchObject({ ...texts, preco: { as: "number", units: ["eur"] } });
    expect(said).toContain("26 of 30 rows would be staged");
    expect(said.replace(/\s+/g, " ")).toContain("its other digits are not in the file");
  });

  it("what programs write for nothing is blank: NaN, \\\\N", async () => {
    const lines = rows(
      30,
      (at) => `P-${at};${two(1 + (at % 28))}/03/2026;${cnpj(1)};${at % 5 ? at : "NaN"};${at % 4 ? "a" : "\\N"}`,
    );
    const { mapping, said } = await draft({ "a.csv": ["Pedido;Data;CNPJ;Peso;Nota", ...lines] });
    expect(mapping.defaults.blank).toEqual(["", "\\N", "NaN"]);
    expect(said).toContain("30 of 30 rows would be staged");
    expect(said.replace(/\s+/g, " ")).toContain(
      '"Data" does not say what happened; write its name in the place of "Event"',
    );
  });

  it("what stands in brackets in a heading of times is no name of an event", async () => {
    const events = async (header: string) =>
      (
        await draft({
          "a.csv": [`Pedido;${header};CNPJ`, ...rows(30, (at) => `P-${at};01/03/2026 08:${two(at)};${cnpj(1)}`)],
        })
      ).yaml;
    expect(await events("Data/Hora (local)")).toContain("name: Event");
    expect(await events("Data da Coleta (dd/mm/aaaa)")).toContain("name: Coleta");
  });

  it("SAP's 00000000 is blank beside days, and stays what it is beside other numbers", async () => {
    const sap = (other: string) =>
      draft({
        "a.csv": [
          "Beleg;Datum;Storno",
          ...rows(30, (at) => `B${at};202601${two(1 + (at % 28))};${at % 6 ? "00000000" : other}`),
        ],
      });
    expect((await sap("20260301")).mapping.defaults.blank).toEqual(["", "00000000"]);
    expect((await sap("00004711")).mapping.defaults.blank).toEqual([""]);
  });

  it("dates that begin with a weekday are dates", async () => {
    const formats = async (text: (day: number, weekday: number) => string) => {
      const lines = rows(28, (at) => `B${at};${text(at + 1, (at + 4) % 7)};1,5`);
      const { mapping } = await draft({ "a.csv": ["Beleg;Datum;Menge", ...lines] });
      return Object.values<{ columns: Record<string, unknown> }>(mapping.inputs)[0]?.columns["datum"];
    };
    const short = ["So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"];
    const long = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    const dates = { header: "Datum", as: "timestamp" };
    expect(await formats((day, weekday) => `${short[weekday]}, ${two(day)}.01.2026`)).toEqual({
      ...dates,
      formats: ["EEE, dd.MM.yyyy"],
      language: "de",
    });
    expect(await formats((day, weekday) => `${long[weekday]} January ${day} 2026`)).toEqual({
      ...dates,
      formats: ["EEEE MMMM d yyyy"],
      language: "en",
    });
  });

  it("CPF and CNPJ in one column: the type follows the number", async () => {
    const lines = rows(6, (at) => `P-${at};${two(14 + at)}/01/2011;${at % 2 ? cpf(at) : cnpj(at)};Acme ${at}`);
    const { input, said } = await draft({ "a.csv": ["Pedido;Data;CPF/CNPJ;Cliente", ...lines] });
    expect(input.columns.cpf_cnpj).toEqual({ header: "CPF/CNPJ", as: "taxId" });
    expect(input.participants.organisation.type).toBe('=iff(cpf_cnpj.type == "CPF", "PERSON", "COMPANY")');
    expect(said).toContain("6 of 6 rows would be staged");
  });

  it.each(["Lieferant", "Vendor", "Fornecedor", "Proveedor", "Kunde", "Cliente"])(
    "%s beside a tax id is its name (F126)",
    async (header) => {
      const { input } = await draft({
        "a.csv": [
          `N° facture;Date;CNPJ;${header}`,
          ...rows(6, (at) => `F-${at};${two(14 + at)}/01/2011;${cnpj(at)};Acme ${at}`),
        ],
      });
      expect(Object.values<Any>(input.participants)[0].name).toBe(`=${header.toLowerCase()}`);
      expect(Object.keys(input.documents)).toEqual(["n_facture"]);
    },
  );

  it("a file without a header is read by letters, and its key is asked for", async () => {
    const { input, mapping, said } = await draft({
      "a.csv": rows(8, (at) => `P-${at};${two(14 + at)}/01/2011;${cnpj(at)};${at},5`),
    });
    expect(input.header).toBe("none");
    expect(Object.values(input.columns)[0]).toBe("A");
    expect(mapping.draft).toBe(true);
    expect(said).toContain("seems to have no header");
    expect(said).toContain("8 of 8 rows would be staged");
  });

  it.each([
    ["one column", ["Cor", "azul", "verde", "preto"]],
    ["one row", ["Pedido;Data;CNPJ", `P-1;14/01/2026;${cnpj(1)}`]],
    ["a header alone", ["Pedido;Data;CNPJ"]],
    ["debit and credit", ["Numéro;Date;Débit;Crédit", ...rows(6, (at) => `${at};${two(14 + at)}/01/2011;${at},5;`)]],
    ["a pivot", ["Produto;Jan;Fev;Mar", ...rows(6, (at) => `Item ${at};${at},1;${at},2;${at},3`)]],
    ["ISO weeks", ["Semana;Peso", ...rows(6, (at) => `2026-W0${at + 1};${at},5`)]],
  ])("%s: every column stands in the mapping, and what is open is marked", async (_, lines) => {
    const { input, yaml, mapping } = await draft({ "a.csv": lines });
    expect(Object.keys(input.columns)).toHaveLength((lines[0] ?? "").split(";").length);
    expect(mapping.draft === true).toBe(yaml.includes("# decide: "));
  });

  it("three samples stand beside each column", async () => {
    const { yaml } = await draft({
      "a.csv": ["Pedido;Data;CNPJ", ...rows(9, (at) => `P-${at};${two(14 + at)}/01/2011;${cnpj(1)}`)],
    });
    expect(yaml).toContain("pedido: Pedido # P-0 | P-4 | P-8\n");
  });

  it("files of one header are one input; another kind's file fits no pattern of theirs", async () => {
    const one = ["Pedido;Data;CNPJ", ...rows(5, (at) => `P-${at};${two(14 + at)}/01/2011;${cnpj(1)}`)];
    const other = ["Ticket;Hora;CNPJ", ...rows(5, (at) => `T-${at};${two(14 + at)}:30;${cnpj(2)}`)];
    const { mapping, said } = await draft({ "export-1.csv": one, "export-2.csv": one, "export-3.csv": other });
    const patterns = Object.values<Any>(mapping.inputs).map((input) => JSON.stringify(input.files));
    expect(patterns.toSorted()).toEqual(['"export-3.csv"', '["export-1.csv","export-2.csv"]']);
    expect(said).not.toContain("fits");
  });

  it("the files of an archive fit the patterns of their draft", async () => {
    const lines = rows(6, (at) => `P-${at};${two(13 + at)}/01/2026;${cnpj(1)}`);
    const text = ["Pedido;Data;CNPJ", ...lines, ""].join("\n");
    const world = testWorld({ pipeline });
    const zip = await writeZip(["orders-1.csv", "orders-2.csv"].map((name) => ({ name, data: text })));
    writeFileSync(join(world.cwd, "in.zip"), zip);
    expect(await type(world, "guess", "in.zip", "-o", "m.yaml")).toBe(0);
    expect(await type(world, "check", "m.yaml", "in.zip")).toBe(0);
    expect(world.out).toContain("2 files: 12 read = 0 skipped + 0 invalid + 12 valid");
  });

  it("37 files at once, one of them empty, one of them no table: the others are drafted (F25)", async () => {
    const files = Object.fromEntries(
      rows(35, (at) => at.toString()).map((at) => [
        `lote-${at}.csv`,
        ["Pedido;Data;CNPJ", `P-${at};14/01/2026;${cnpj(1)}`],
      ]),
    );
    const { said, input } = await draft({ ...files, "empty.csv": [""], "photo.csv": ["%PDF-1.4 no table"] });
    expect(said).toMatch(/^Left out:\n {2}- /);
    expect(input.files).toBe("lote-*.csv");
  });
});

describe("what exports of other programs show", () => {
  it("rows that end early are read, and told, where the program that wrote them ends most so", async () => {
    const short = rows(8, (at) => `T-${at};${two(13 + at)}/01/2026;12,${at}`);
    const { input, said } = await draft({
      "bank.csv": ["Ticket;Data;Peso;Retorno", ...short, "T-9;22/01/2026;1,5;23/01/2026"],
    });
    expect(input.csv.shortRows).toBe("blank");
    expect(input.columns.peso).toEqual({ header: "Peso", as: "number" });
    expect(Object.values<Any>(input.events).map(({ when }) => when)).toContain("=filled(retorno)");
    expect(said).toContain("9 of 9 rows would be staged");
    expect(said.replace(/\s+/g, " ")).toContain("8 of 9 rows seen end early");
  });

  it("so are those of a file without a header", async () => {
    const lines = rows(9, (at) => `T-${at};${two(13 + at)}/01/2026;12,${at}${at % 2 === 0 ? "" : ";late"}`);
    const { input, said } = await draft({ "bank.csv": lines });
    expect([input.csv.shortRows, input.header]).toEqual(["blank", "none"]);
    expect(input.columns.d).toBe("D");
    expect(said).toContain("9 of 9 rows would be staged");
  });

  it("notes below the table are no rows that end early", async () => {
    const lines = rows(3, (at) => `T-${at};${two(13 + at)}/01/2026;12,${at};x`);
    const { input } = await draft({
      "bank.csv": ["Ticket;Data;Peso;Nota", ...lines, "3 rows", "Printed by Ana", "Page 1"],
    });
    expect(input.csv.shortRows).toBeUndefined();
  });

  it("a day stays a time where no event is drafted, for the person who writes it", async () => {
    const lines = rows(6, (at) => `${two(13 + at)}/01/2026;${"a note of many words ".repeat(4)}${at};${at},5`);
    const { input } = await draft({ "bank.csv": ["Data;Nota;Peso", ...lines] });
    expect([input.events, input.columns.data]).toEqual([undefined, { header: "Data", as: "timestamp" }]);
  });

  it("a row that is torn is no habit", async () => {
    const lines = rows(8, (at) => `T-${at};${two(13 + at)}/01/2026;12,${at};x`);
    const { input, said } = await draft({
      "bank.csv": ["Ticket;Data;Peso;Nota", ...lines, "T-9;22/01", "/2026;1,5;x"],
    });
    expect(input.csv.shortRows).toBeUndefined();
    expect(said.replace(/\s+/g, " ")).toContain("2 cells where the header has 4");
  });

  it("columns of one value follow from every other, so they show no document", async () => {
    const lines = rows(9, (at) => `${at % 3};${100 + at};${two(13 + at)}/01/2026;PES;1,00;0,00;Loja`);
    const { input } = await draft({
      "iva.csv": ["Punto de Venta;Comprobante;Data;Moneda;Cambio;Exento;Tienda", ...lines],
    });
    expect(Object.values<Any>(input.documents)[0].key).toBe("=comprobante");
  });

  it.each(["2026.03.14.", "14.03.2026.", "14. 3. 2026", "2026. 03. 14."])("%s is a date", async (text) => {
    const lines = rows(9, (at) => `R-${at};${text.replace("14", two(14 + at))};${at},5`);
    const { input, mapping } = await draft({ "export.csv": ["Pedido;Data;Peso", ...lines] });
    expect(input.columns.data).toEqual({ header: "Data", as: "timestamp" });
    expect(mapping.defaults.dates).toHaveLength(1);
  });

  it("a day that is no event's time stays a day: an instant of it would be the day before elsewhere", async () => {
    const lines = rows(8, (at) => `M-${at};${cpf(at)};Ana ${at};${two(13 + at)}/04/1980;${two(13 + at)}/04/2026`);
    const { input } = await draft({ "people.csv": ["Pedido;CPF;Nome;Data de Nascimento;Admissão", ...lines] });
    expect(input.columns.data_de_nascimento).toEqual({ header: "Data de Nascimento", as: "date" });
    expect(input.columns.admissao).toEqual({ header: "Admissão", as: "timestamp" });
  });

  it.each(["Saldo anterior", "Solde en fin de période", "Opening balance", "Balance at end of period", "Kontostand"])(
    "a balance is no row of its own: %s",
    async (text) => {
      const lines = rows(3, (at) => `${two(13 + at)}/01/2026;OP-${at};${at},50;`);
      const { input, said } = await draft({
        "konto.csv": ["Data;Documento;Debito;Credito", ...lines, `${text};;;500,00`],
      });
      expect(input.columns.data).toEqual({ header: "Data", as: "timestamp" });
      expect(said).toContain("3 of 4 rows would be staged, 1 skipped");
    },
  );

  it.each(["05/03/2024", "123456789"])("%s in every row is no tax id, though its last digit fits one", async (text) => {
    const lines = rows(6, (at) => `P-${at};${text};${two(14 + at)}/01/2026;${at},5`);
    const { input } = await draft({ "export.csv": ["Pedido;Remessa;Data;Peso", ...lines] });
    expect(input.columns.remessa.as).not.toBe("taxId");
    expect(Object.keys(input.events)).toHaveLength(text.includes("/") ? 3 : 2);
  });

  it.each([
    ["10-fev-2026", "pt"],
    ["10 Feb 2026", "en"],
    ["10. Oktober 2026", "de"],
  ])("%s and the time of day in the column beside it are one time", async (text) => {
    const lines = rows(9, (at) => `R-${at};${text.replace("10", String(10 + at))};${two(8 + at)}:30;${at},5;Sim`);
    const { said, input } = await draft({ "export.csv": ["Pedido;Data;Hora;Peso;Público", ...lines] });
    expect(said).toContain("9 of 9 rows would be staged");
    expect(input.columns.data_at).toContain("timestamp(data");
  });

  it.each([
    ["below", ["Pedido;Data;Peso;;Gerador;", ";;Bruto;Tara;Código;Nome"]],
    ["above", ["Pedido;Data;;;;", ";;Bruto;Tara;Código;Nome"]],
  ])("names of columns in the row %s are joined to the header", async (_, header) => {
    const lines = rows(9, (at) => `R-${at};${two(10 + at)}/02/2026;${at},5;1,5;C${at};Acme ${at}`);
    const { input, said } = await draft({ "export.csv": [...header, ...lines] });
    expect(input.header).toEqual([1, 2]);
    expect(said).toContain("9 of 9 rows would be staged");
    expect(Object.keys(input.columns)).toContain("tara");
  });

  it.each([
    ["DE", "Buchungstag;Betrag;Währung"],
    ["US", "Order date;Amount;Currency"],
    ["ES", "Fecha;Importe;Moneda"],
    ["BR", "Data;Valor;Moeda"],
  ])("where nothing names a country, the words of headers propose %s", async (country, header) => {
    const lines = rows(9, (at) => `${two(14 + at)}.02.2026;${at},50;EUR`);
    const { mapping } = await draft({ "bank.csv": [header, ...lines] });
    expect([mapping.draft, mapping.defaults.country]).toEqual([true, country]);
  });

  it("8:15 p. m., as Spanish programs write it, is a time of day", async () => {
    const lines = rows(9, (at) => `R-${at};${two(14 + at)}/03/2026;8:1${at} p. m.`);
    const { input } = await draft({ "export.csv": ["Pedido;Fecha;Hora", ...lines] });
    expect(input.columns.fecha_at).toContain("timestamp(fecha");
  });

  it.each(["Zona horaria", "Fuseau horaire", "Fuso orario"])("%s may say another zone", async (header) => {
    const lines = rows(5, (at) => `R-${at};${two(14 + at)}/03/2026 10:00;Europe/Berlin`);
    const { said } = await draft({ "export.csv": [`Pedido;Data;${header}`, ...lines] });
    expect(said.replace(/\s+/g, " ")).toContain(`"${header}" may say otherwise, and is not used for that`);
  });
});
