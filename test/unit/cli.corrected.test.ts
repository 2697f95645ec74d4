/** The rejected file goes back the way it came, whatever the mapping says of the files that its rows came from (DESIGN section 7). */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import exceljs from "exceljs";
import iconv from "iconv-lite";
import { pipeline } from "../../src/cli/pipeline.js";
import { systemClock } from "../../src/model/clock.js";
import type { Summary } from "../../src/model/summary.js";
import { type TestWorld, testWorld, type } from "../support/cli.world.js";

const records = `
    columns: { kunde: "@Kunde", auftrag: "@Auftrag", beginn: { header: "@Beginn", as: timestamp } }
    participants: { kunde: { taxIdType: VAT, taxId: DE136695976, name: =kunde, type: COMPANY } }
    addresses: { haus: { participant: kunde, name: Haus, street: Kai, number: "1", city: Kiel, countryState: SH } }
    documents: { auftrag: { key: =auftrag, participant: kunde, address: haus } }
    events:
      beginn: { name: Beginn, key: once, externalCreatedAt: =beginn, isPublic: false,
                attributes: { private: { Kunde: =kunde } } }`;

/** `@Kunde` in the records stands for whatever the input's header makes of it. */
const input = (options: string, column: (name: string) => string = (name) => name) =>
  options + records.replace(/"@(\w+)"/g, (_, name: string) => JSON.stringify(column(name)));

const mapping = (inputs: string) => `version: 2
namespace: kaelte
defaults: { timezone: Europe/Berlin, dates: ["dd.MM.yyyy HH:mm"], decimal: ",", country: DE }
inputs:${inputs}
`;

const titles = "Kälte Nord;;\r\nStand: 20.11.2025;;\r\n;;\r\n";
const table = "Auftrag;Kunde;Beginn\r\nA1;Weiß;01.10.2025 10:00\r\nA2;Käßbohrer;irgendwann\r\n";

function newWorld(yaml: string) {
  const world = testWorld({ files: { "m.yaml": mapping(yaml) }, pipeline });
  world.clock = { ...systemClock, now: () => world.now };
  return world;
}

const at = (world: TestWorld, name: string) => join(world.cwd, name);

/** Imports a file that has one bad row, and gives the path of what was rejected. */
async function rejectedOf(world: TestWorld, name: string, content: Buffer) {
  writeFileSync(at(world, name), content);
  expect(await type(world, "import", at(world, "m.yaml"), at(world, name))).toBe(3);
  const runs = at(world, "state/sandbox/runs");
  const run = join(runs, readdirSync(runs).toSorted()[0] ?? "");
  const rejected = readdirSync(run).find((file) => file.includes(".rejected."));
  return join(run, rejected ?? "");
}

/** Checks, plans and imports the corrected file. */
async function finish(world: TestWorld, path: string) {
  const check = await type(world, "check", at(world, "m.yaml"), path);
  const plan = await type(world, "plan", at(world, "m.yaml"), path);
  world.stdout.text = "";
  const code = await type(world, "import", at(world, "m.yaml"), path, "--json");
  const summary = JSON.parse(world.out.trimEnd().split("\n").at(-1) ?? "") as Summary;
  return { codes: [check, plan, code], rows: summary.rows, open: summary.open.rows };
}

const nothingLeft = { codes: [0, 0, 0], rows: { read: 1, skipped: 0, invalid: 0, known: 0, staged: 1 }, open: 0 };

const corrected = (path: string, encoding = "windows-1252") => {
  const text = iconv.decode(readFileSync(path), encoding);
  expect(text).toContain("Käßbohrer");
  return text.replace("irgendwann;", "02.10.2025 10:00;");
};

const csv = 'csv: { delimiter: ";", encoding: windows-1252 }';

describe("a rejected CSV file", () => {
  it("of a file with titles above its header is read by its own header", async () => {
    const world = newWorld(input(`\n  orders:\n    files: ["orders*.csv"]\n    ${csv}\n    header: 4`));
    const path = await rejectedOf(world, "orders.csv", iconv.encode(titles + table, "windows-1252"));
    writeFileSync(path, iconv.encode(corrected(path), "windows-1252"));
    expect(await finish(world, path)).toMatchObject(nothingLeft);
  });

  it("of a file whose header stands on two lines has one", async () => {
    const two = "Auftrag;Kunde;Termin\r\n;Name;Beginn\r\n" + table.slice(table.indexOf("A1"));
    const names: { [name: string]: string } = { Kunde: "Kunde Name", Beginn: "Termin Beginn" };
    const world = newWorld(input(`\n  orders:\n    ${csv}\n    header: [1, 2]`, (name) => names[name] ?? name));
    const path = await rejectedOf(world, "orders.csv", iconv.encode(two, "windows-1252"));
    writeFileSync(path, iconv.encode(corrected(path), "windows-1252"));
    expect(await finish(world, path)).toMatchObject(nothingLeft);
  });

  it("of a file without a header has one of letters", async () => {
    const letters: { [name: string]: string } = { Auftrag: "A", Kunde: "B", Beginn: "C" };
    const world = newWorld(input(`\n  orders:\n    ${csv}\n    header: none`, (name) => letters[name] ?? name));
    const bare = table.slice(table.indexOf("A1"));
    const path = await rejectedOf(world, "orders.csv", iconv.encode(bare, "windows-1252"));
    writeFileSync(path, iconv.encode(corrected(path), "windows-1252"));
    expect(await finish(world, path)).toMatchObject(nothingLeft);
  });

  for (const [how, save] of [
    ["UTF-8 with a byte order mark", (text: string) => Buffer.from(`\uFEFF${text}`)],
    ["UTF-8 without one", (text: string) => Buffer.from(text)],
    ["UTF-16", (text: string) => iconv.encode(text, "utf-16le", { addBOM: true })],
    [
      "commas, as Excel does in other countries",
      (text: string) => iconv.encode(stringify(parse(text, { delimiter: ";" })), "windows-1252"),
    ],
    ["tabs, and sep= above", (text: string) => Buffer.from(`sep=\t\r\n${text.replaceAll(";", "\t")}`)],
  ] as const) {
    it(`may be saved in ${how}, under a name of its own`, async () => {
      const world = newWorld(
        input(`\n  orders:\n    files: ["orders*.csv"]\n    ${csv}\n    header: 4`) +
          input(`\n  returns:\n    files: ["returns*.csv"]\n    ${csv}`).replace(
            "documents: { auftrag",
            "documents: { return",
          ),
      );
      const path = await rejectedOf(world, "orders.csv", iconv.encode(titles + table, "windows-1252"));
      const other = at(world, "meine Korrektur.csv");
      writeFileSync(other, save(corrected(path)));
      expect(await type(world, "import", at(world, "m.yaml"), other)).toBe(0);
      world.stdout.text = "";
      expect(await type(world, "show", "auftrag/A2")).toBe(0);
      expect(world.out).toMatch(/ Beginn +landed/);
      expect(await type(world, "rejects")).toBe(0);
    });
  }

  it("of packed files is found by a mapping that names only those", async () => {
    const { gzipSync } = await import("node:zlib");
    const world = newWorld(input(`\n  orders:\n    files: ["*.csv.gz"]\n    ${csv}\n    header: 4`));
    const path = await rejectedOf(world, "orders.csv.gz", gzipSync(iconv.encode(titles + table, "windows-1252")));
    writeFileSync(path, iconv.encode(corrected(path), "windows-1252"));
    expect(await finish(world, path)).toMatchObject(nothingLeft);
  });

  it("that fits several inputs, and none by its name, is refused where no ledger knows its rows", async () => {
    const world = newWorld(
      input(`\n  orders:\n    files: ["orders*.csv"]\n    ${csv}\n    header: 4`) +
        input(`\n  returns:\n    files: ["returns*.csv"]\n    ${csv}`),
    );
    const path = await rejectedOf(world, "orders.csv", iconv.encode(titles + table, "windows-1252"));
    mkdirSync(at(world, "elsewhere"));
    renameSync(path, at(world, "elsewhere/x.csv"));
    const ledger = ["--ledger", at(world, "elsewhere/ledger.db")];
    expect(await type(world, "plan", at(world, "m.yaml"), at(world, "elsewhere/x.csv"), ...ledger)).toBe(2);
    expect(world.err).toContain("these are corrected rows, but of which input? It may be any of orders, returns");
  });
});

describe("a rejected workbook", () => {
  const workbook = async () => {
    const book = new exceljs.Workbook();
    for (const name of ["Offen", "Erledigt"]) {
      const sheet = book.addWorksheet(name);
      sheet.addRow(["Kälte Nord"]);
      sheet.addRow([]);
      sheet.addRow(["Auftrag", "Kunde", "Termin"]);
      sheet.addRow(["", "Name", "Beginn"]);
      sheet.addRow([`${name}-1`, "Weiß", new Date("2025-10-01T10:00:00Z")]);
      sheet.addRow([`${name}-2`, "Käßbohrer", name === "Offen" ? new Date("2025-10-01T10:00:00Z") : "irgendwann"]);
    }
    return Buffer.from(await book.xlsx.writeBuffer());
  };
  const names: { [name: string]: string } = { Kunde: "Kunde Name", Beginn: "Termin Beginn" };
  const sheets = (first: string, second: string) =>
    input(
      `\n  offen:\n    files: ["book.xlsx"]\n    excel: { sheet: ${first} }\n    header: [3, 4]`,
      (name) => names[name] ?? name,
    ) +
    input(
      `\n  erledigt:\n    files: ["book.xlsx"]\n    excel: { sheet: ${second} }\n    header: [3, 4]`,
      (name) => names[name] ?? name,
    );

  for (const [how, yaml] of [
    ["by name", sheets("Offen", "Erledigt")],
    ["by position", sheets("1", "2")],
  ] as const) {
    it(`of one of two sheets that the mapping tells ${how} is read by that one's input`, async () => {
      const world = newWorld(yaml);
      const path = await rejectedOf(world, "book.xlsx", await workbook());
      const book = new exceljs.Workbook();
      await book.xlsx.readFile(path);
      const sheet = book.worksheets[0];
      expect(sheet?.getCell("A2").value).toBe("Erledigt-2");
      if (sheet !== undefined) sheet.getCell("C2").value = new Date("2025-10-02T10:00:00Z");
      await book.xlsx.writeFile(path);
      expect(await type(world, "import", at(world, "m.yaml"), path)).toBe(0);
      world.stdout.text = "";
      expect(await type(world, "show", "auftrag/Erledigt-2")).toBe(0);
      expect(world.out).toMatch(/2025-10-02 08:00:00 {2}Beginn +landed/);
    });
  }
});

describe("a rejected group", () => {
  const yaml = `version: 2
namespace: groups
defaults: { timezone: Europe/Berlin, dates: ["dd.MM.yyyy HH:mm"], decimal: ",", country: DE }
inputs:
  g:
    csv: { delimiter: ";" }
    group: =auftrag
    columns: { auftrag: Auftrag, zeit: { header: Zeit, as: timestamp }, betrag: { header: Betrag, as: number } }
    participants: { k: { taxIdType: VAT, taxId: DE136695976, name: K, type: COMPANY } }
    addresses: { h: { participant: k, name: Haus, street: Kai, number: "1", city: Kiel, countryState: SH } }
    documents: { d: { key: =auftrag, participant: k, address: h } }
    events:
      s: { name: Summe, key: once, externalCreatedAt: =zeit, isPublic: false,
           attributes: { private: { Betrag: =sum(betrag) } } }
`;
  const rows = `Auftrag;Zeit;Betrag
A1;01.10.2025 10:00;1
A2;01.10.2025 10:00;3
A2;;zwei
A2;;4
A3;01.10.2025 10:00;5
`;
  async function rejectedGroup(content = rows) {
    const world = newWorld("");
    writeFileSync(at(world, "m.yaml"), yaml);
    const path = await rejectedOf(world, "g.csv", Buffer.from(content));
    return { world, path, text: readFileSync(path, "utf8") };
  }
  const cells = (text: string) =>
    parse(text, { delimiter: ";" })
      .slice(1)
      .map(([order, , amount, row]) => [order, amount, row?.split(":")[1]]);
  async function typed(world: TestWorld, ...argv: string[]) {
    world.stdout.text = "";
    world.stderr.text = "";
    const code = await type(world, ...argv);
    return `${code}\n${world.out}${world.err}`;
  }

  it("comes with all its rows: the first alone would be valid, and land a wrong sum for ever", async () => {
    const { world, path, text } = await rejectedGroup();
    expect(cells(text)).toEqual([
      ["A2", "3", "3"],
      ["A2", "zwei", "4"],
      ["A2", "4", "5"],
    ]);
    expect(text).toContain('row 4: ""zwei"" is not a number');
    expect(await type(world, "import", at(world, "m.yaml"), path)).toBe(3);
    writeFileSync(path, text.replace("A2;;zwei", "A2;;2"));
    expect(await type(world, "import", at(world, "m.yaml"), path)).toBe(0);
    expect(await typed(world, "sandbox", "dump")).toMatch(/document "A2" open[^]*?"value":"9"/);
    expect(await typed(world, "status", "--json")).toContain('"rows":0');
    expect(await typed(world, "ledger", "check")).toMatch(/^0\n/);
  });

  it("that comes back in part is refused with its file, and can be written again", async () => {
    const { world, path, text } = await rejectedGroup();
    for (const part of [/^A2;;4.*\n/m, /^A2;01.*\n/m]) {
      writeFileSync(path, text.replace("A2;;zwei", "A2;;2").replace(part, ""));
      const refused = await typed(world, "import", at(world, "m.yaml"), path);
      expect(refused).toMatch(/^3\n[^]*correct the group that began in row 3 of its file, but row [35] of it/);
    }
    expect(await typed(world, "rejects")).toMatch(/^3\n/);
    const again = readFileSync(at(world, "state/sandbox/rejects/g.rejected.csv"), "utf8");
    expect(cells(again)).toEqual(cells(text));
    writeFileSync(path, again.replace("A2;;zwei", "A2;;2"));
    expect(await type(world, "import", at(world, "m.yaml"), path)).toBe(0);
  });

  it("that a row without its key may belong to is corrected with that row, and no part of its sum lands before", async () => {
    const { world, path, text } = await rejectedGroup(rows.replace("A2;;zwei", ";;2"));
    expect(cells(text).map(([order]) => order)).toEqual(["A2", "", "A2"]);
    expect(await typed(world, "sandbox", "dump")).not.toContain('document "A2"');
    writeFileSync(path, text.replace(/^;;2/m, "A2;;2"));
    expect(await type(world, "import", at(world, "m.yaml"), path)).toBe(0);
    expect(await typed(world, "sandbox", "dump")).toMatch(/document "A2" open[^]*?"value":"9"/);
  });

  it("whose rows were two groups is corrected as one, and a dismissal takes it whole", async () => {
    const { world, path, text } = await rejectedGroup(rows.replace("A2;;4", "A-2;;4"));
    expect(cells(text).map(([order]) => order)).toEqual(["A2", "A2", "A-2"]);
    writeFileSync(path, text.replace("A2;;zwei", "A2;;2").replace("A-2;;4", "A2;;4"));
    expect(await type(world, "import", at(world, "m.yaml"), path)).toBe(0);
    expect(await typed(world, "sandbox", "dump")).toMatch(/document "A2" open[^]*?"value":"9"/);
    expect(await typed(world, "show", "g.csv:5")).toContain("g.csv, row 5: invalid (value-required) since corrected");
    const other = await rejectedGroup();
    expect(await typed(other.world, "dismiss", "--row", "g.csv:3")).toContain("Dismissed: 1 row.");
    expect(await typed(other.world, "status", "--json")).toContain('"rows":0');
  });
});
