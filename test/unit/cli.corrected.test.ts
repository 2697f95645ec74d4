/** The rejected file goes back the way it came, whatever the mapping says of the files that its rows came from (DESIGN section 7). */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import exceljs from "exceljs";
import iconv from "iconv-lite";
import { type Office, openOffice } from "../support/office.js";
import { loads, parties, weighingsWith, weights } from "../support/weighings.js";
import { sampled } from "../support/sample.js";

/** An input of orders; `names`: its columns, where they are not Order, Customer and Start. */
const input = (options: object, [order, customer, start] = ["Auftrag", "Kunde", "Beginn"]) => ({
  ...options,
  columns: { order, customer, start: { header: start, as: "timestamp" } },
  ...parties,
  documents: { order: { key: "=order", participant: "owner", address: "site" } },
  events: {
    start: {
      name: "Start",
      key: "once",
      externalCreatedAt: "=start",
      isPublic: false,
      attributes: { private: { Customer: "=customer" } },
    },
  },
});
const officeFor = (inputs: object) =>
  openOffice({
    namespace: "cooling",
    defaults: { timezone: "Europe/Berlin", dates: ["dd.MM.yyyy HH:mm"], decimal: ",", country: "DE" },
    inputs,
  });

const customers = (office: Office) =>
  office.documents().map(({ externalId, events: [event] }) => {
    const told = event?.body["metadata"] as { attributes: { name: string; value: string }[] } | undefined;
    return `${externalId} ${told?.attributes.find(({ name }) => name === "Customer")?.value}`;
  });

const ansi = (text: string) => iconv.encode(text, "windows-1252");
const titles = "Kälte Nord;;\r\nStand: 20.11.2025;;\r\n;;\r\n";
const bare = "A1;Weiß;01.10.2025 10:00\r\nA2;Käßbohrer;irgendwann\r\n";
const table = `Auftrag;Kunde;Beginn\r\n${bare}`;

/** Imports a file that has one bad row, and gives the path of what was rejected. */
async function rejectedOf(office: Office, name: string, content: Buffer) {
  writeFileSync(office.path(name), content);
  const { exitCode, files } = await office.import(name);
  expect(exitCode).toBe(3);
  return files.find(({ kind }) => kind === "rejected")?.path ?? "";
}

const corrected = (path: string) => {
  const text = iconv.decode(readFileSync(path), "windows-1252");
  expect(text).toContain("Käßbohrer");
  return text.replace("irgendwann;", "02.10.2025 10:00;");
};

const csv = { csv: { delimiter: ";", encoding: "windows-1252" } };
const orders = input({ files: ["orders*.csv"], ...csv, header: 4 });

describe("a rejected CSV file", () => {
  it.each(
    sampled(
      [
        ["does not quote", { quote: null }, `A1;5" pipe;01.10.2025 10:00`, `A2;7" pipe;irgendwann`, '7" pipe'],
        ["escapes with a backslash", { escape: "\\" }, 'A1;"x\\"";01.10.2025 10:00', 'A2;"L\\"ab";irgendwann', 'L"ab'],
        ["has blanks around its cells", { trim: true }, 'A1; "x" ;01.10.2025 10:00', 'A2; "L;ab" ;irgendwann', "L;ab"],
      ],
      3,
    ),
  )("of a file that %s is one for a spreadsheet", async (_title, options, good, bad, cell) => {
    const office = officeFor({ orders: input({ csv: { delimiter: ";", ...options } }) });
    const path = await rejectedOf(office, "orders.csv", Buffer.from(`Auftrag;Kunde;Beginn\n${good}\n${bad}\n`));
    const rows: string[][] = parse(readFileSync(path), { delimiter: ";" });
    expect(rows[1]?.slice(0, 3)).toEqual(["A2", cell, "irgendwann"]);
    // Saved by a spreadsheet; the new text holds what the file's own quoting could not.
    const mended = rows.map((row) =>
      row.map((one) => ({ [cell]: "5\"; b's", irgendwann: "02.10.2025 10:00" })[one] ?? one),
    );
    writeFileSync(office.path("mended.csv"), stringify(mended, { delimiter: ";" }));
    await office.ends(0, "import m.yaml mended.csv");
    expect(customers(office)).toEqual(expect.arrayContaining(["A2 5\"; b's"]));
  });

  it.each(
    sampled(
      [
        ["a quote that looks stray", 'A2;6";02.10.2025 10:00;', "A quote is in the wrong place"],
        ["a row whose last cell is missing", "A2;x;02.10.2025 10:00", "A row has fewer cells than the header"],
      ],
      3,
    ),
  )("with %s that came back unchanged says so; `ok` for its code accepts it as it is", async (_, bad, why) => {
    const office = officeFor({ orders: input({ csv: { delimiter: ";" } }) });
    const path = await rejectedOf(office, "orders.csv", Buffer.from(`Auftrag;Kunde;Beginn;Notiz\n${bad}\n`));
    const { code, said } = await office.type("import", "m.yaml", path);
    expect([code, said]).toEqual([3, expect.stringContaining(`it is unchanged since it was rejected: ${why}`)]);
    const rows: string[][] = parse(readFileSync(path), { delimiter: ";" });
    const at = rows[0]?.indexOf("rowferry_code") ?? -1;
    writeFileSync(
      office.path("mended.csv"),
      stringify([rows[0] ?? [], rows[1]?.with(at, "OK ") ?? []], { delimiter: ";" }),
    );
    expect(await office.import("mended.csv")).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(office.documents()).toHaveLength(1);
    await office.ends(0, "import m.yaml orders.csv");
  });

  it("shows the cells beyond the header; moved into the row's columns, they are corrected", long, async () => {
    const office = officeFor({ orders: input({ csv: { delimiter: ";" } }) });
    const bad = "A2;Rua A; sala 3;02.10.2025 10:00";
    const path = await rejectedOf(office, "orders.csv", Buffer.from(`Auftrag;Kunde;Beginn\n${bad}\n`));
    const rows: string[][] = parse(readFileSync(path), { delimiter: ";", relax_column_count: true });
    expect(rows[1]?.at(-1)).toBe("02.10.2025 10:00");
    expect(await office.import(path)).toMatchObject({ exitCode: 3, rows: { invalid: 1 } });
    const [id, street, room, ...own] = rows[1] ?? [];
    const mended = [rows[0] ?? [], [id, `${street};${room}`, own.pop(), ...own]];
    writeFileSync(office.path("mended.csv"), stringify(mended, { delimiter: ";" }));
    await office.ends(0, "import m.yaml mended.csv");
    expect(customers(office)).toEqual(["A2 Rua A; sala 3"]);
  });

  it.each<[string, object, string, Buffer]>([
    ["with titles above its header", orders, "orders.csv", ansi(titles + table)],
    [
      "whose header stands on two lines",
      input({ ...csv, header: [1, 2] }, ["Auftrag", "Kunde Name", "Termin Beginn"]),
      "orders.csv",
      ansi(`Auftrag;Kunde;Termin\r\n;Name;Beginn\r\n${bare}`),
    ],
    ["without a header", input({ ...csv, header: "none" }, ["A", "B", "C"]), "orders.csv", ansi(bare)],
    [
      "that is packed, as the only ones that the mapping names",
      input({ files: ["*.csv.gz"], ...csv, header: 4 }),
      "orders.csv.gz",
      gzipSync(ansi(titles + table)),
    ],
  ])("of a file %s is read by its own header", long, async (_, source, name, content) => {
    const office = officeFor({ orders: source });
    const path = await rejectedOf(office, name, content);
    writeFileSync(path, ansi(corrected(path)));
    expect((await office.type("check", "m.yaml", path)).code).toBe(0);
    expect(await office.import(path)).toMatchObject({
      exitCode: 0,
      rows: { read: 1, skipped: 0, invalid: 0, known: 0, staged: 1 },
      open: { rows: 0 },
    });
  });

  const returns = { ...input({ files: ["returns*.csv"], ...csv }), documents: { return: orders.documents.order } };

  it.each(
    sampled<[string, (text: string) => Buffer]>(
      [
        ["UTF-8", (text) => Buffer.from(text)],
        ["UTF-16", (text) => iconv.encode(text, "utf-16le", { addBOM: true })],
        ["tabs, and sep= above", (text) => Buffer.from(`sep=\t\r\n${text.replaceAll(";", "\t")}`)],
      ],
      3,
    ),
  )("may be saved in %s, under a name of its own", async (_how, save) => {
    const office = officeFor({ orders, returns });
    const path = await rejectedOf(office, "orders.csv", ansi(titles + table));
    writeFileSync(office.path("meine Korrektur.csv"), save(corrected(path)));
    expect((await office.import("meine Korrektur.csv")).exitCode).toBe(0);
    await office.ends(0, "show order/A2", "Start landed");
  });

  it("that fits several inputs, and none by its name, is refused where no ledger knows its rows", long, async () => {
    const office = officeFor({ orders, returns });
    const path = await rejectedOf(office, "orders.csv", ansi(titles + table));
    mkdirSync(office.path("elsewhere"));
    renameSync(path, office.path("elsewhere/x.csv"));
    expect(await office.type("plan", "m.yaml", "elsewhere/x.csv", "--ledger", "elsewhere/ledger.db")).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "these are corrected rows, but which input do they belong to? It may be any of orders, returns",
      ),
    });
  });
});

it.each([
  ["by name", "Open", "Done"],
  ["by position", 1, 2],
])(
  "a rejected workbook of one of two sheets that the mapping tells %s is read by that one's input",
  long,
  async (_how, ...sheets) => {
    const [open, done] = sheets.map((sheet) =>
      input({ files: ["book.xlsx"], excel: { sheet }, header: [3, 4] }, ["Order", "Customer Name", "Start At"]),
    );
    const office = officeFor({ open, done });
    const book = new exceljs.Workbook();
    const good = new Date("2025-10-01T10:00:00Z");
    for (const name of ["Open", "Done"])
      book
        .addWorksheet(name)
        .addRows([
          ["Cooling North"],
          [],
          ["Order", "Customer", "Start"],
          ["", "Name", "At"],
          [`${name}-1`, "White", good],
          [`${name}-2`, "Black", name === "Open" ? good : "some day"],
        ]);
    const path = await rejectedOf(office, "book.xlsx", Buffer.from(await book.xlsx.writeBuffer()));
    const returned = new exceljs.Workbook();
    await returned.xlsx.readFile(path);
    const sheet = returned.worksheets[0] ?? expect.fail("no sheet");
    expect(sheet.getCell("A2").value).toBe("Done-2");
    sheet.getCell("C2").value = new Date("2025-10-02T10:00:00Z");
    await returned.xlsx.writeFile(path);
    expect((await office.import(path)).exitCode).toBe(0);
    await office.ends(0, "show order/Done-2", "2025-10-02 10:00:00 Start landed");
  },
);

describe("a rejected group", () => {
  const attributes = { public: { Gross: "=sum(gross)" } };
  const grouped = weighingsWith({ group: "=load", event: { key: "once", attributes } });
  const group = ["A2 10 3", "A2  x", "A2  4"];
  /** The rows of the rejected file, and the same with their mistake mended. */
  async function rejectedGroup(...rows: string[]) {
    const office = openOffice(grouped);
    const summary = await office.brought("g.csv", loads("A1 10 1", ...rows, "A3 10 5"));
    expect(summary.exitCode).toBe(3);
    const mended = (cells: { [cell: string]: string } = { x: "2" }) => office.rejectedRows(summary, cells);
    return { office, summary, rows: mended({}), mended };
  }
  const cells = (rows: string[][]) =>
    rows.slice(1).map(([load, , gross, row]) => `${load} ${gross} ${row?.split(":")[1]}`);
  const whole = ["A1 10 1", "A3 10 5", "A2 10 9"];

  it("comes with all its rows: the first alone would be valid, and land a wrong sum for ever", async () => {
    const { office, rows, mended } = await rejectedGroup(...group);
    expect(cells(rows)).toEqual(["A2 3 3", "A2 x 4", "A2 4 5"]);
    expect(rows.flat()).toContainEqual(expect.stringContaining('row 4: "x" is not a number'));
    expect((await office.brought("again.csv", rows)).exitCode).toBe(3);
    expect(await office.brought("mended.csv", mended())).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(weights(office)).toEqual(whole);
    await office.ends(0, "ledger check");
  });

  it("comes with all its rows, skipped ones between them or not, and is settled as a whole", long, async () => {
    const skipping = weighingsWith({ group: "=load", skip: "=gross == 0", event: { key: "once", attributes } });
    const office = openOffice(skipping);
    const summary = await office.brought("g.csv", loads("A2 10 3", "A9 10 0", "A2  x", "A2  0", "A2  4", "A3 10 5"));
    expect(cells(office.rejectedRows(summary))).toEqual(["A2 3 2", "A2 x 4", "A2 4 6"]);
    const mended = await office.brought("mended.csv", office.rejectedRows(summary, { x: "2" }));
    expect(mended).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(weights(office)).toEqual(["A3 10 5", "A2 10 9"]);
    await office.ends(0, "ledger check");
  });

  it("is told by its row where a spreadsheet has changed a cell that needed no correction", long, async () => {
    const { office, mended } = await rejectedGroup("A2 10 30", "A2  x", "A2  12.5");
    const still = await office.brought("mended.csv", mended({ x: "2", "12.5": "125" }));
    const [problem] = still.problems;
    expect(problem).toMatchObject({ code: "cell-rewritten", column: "Gross", count: 3 });
    const again = office.rejectedRows(still);
    expect(again.flat()).toContainEqual(expect.stringContaining('row 4: "12.5" became "125", perhaps'));
    expect((await office.brought("again.csv", again)).problems).toMatchObject([{ code: "cell-rewritten", count: 3 }]);
    const right = again.map((row) => row.map((cell) => (cell === "125" ? "12.5" : cell)));
    await office.lands("right.csv", right);
    expect(weights(office)).toContain("A2 10 44.5");
  });

  it(
    "that a row without its key may belong to is corrected with that row, and no part of its sum lands before",
    long,
    async () => {
      const { office, rows, mended } = await rejectedGroup("A2 10 3", "  2", "A2  4");
      expect(cells(rows)).toEqual(["A2 3 3", " 2 4", "A2 4 5"]);
      expect(weights(office)).not.toContain(expect.stringContaining("A2"));
      const keyed = mended({}).map(([load, ...more]) => [load === "" ? "A2" : (load ?? ""), ...more]);
      await office.lands("mended.csv", keyed);
      expect(weights(office)).toEqual(whole);
    },
  );
});
