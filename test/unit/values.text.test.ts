/** Text from outside is never read as other text than it is: mappings, settings, lookup tables, spoilt cells (F4, F70, F71, F78, F80). */
import { writeFileSync } from "node:fs";
import iconv from "iconv-lite";
import exceljs from "exceljs";
import { mapping } from "../support/mapping.js";
import { type Cells, type Office, openOffice } from "../support/office.js";
import { parties } from "../support/weighings.js";

const source = {
  namespace: "test",
  defaults: { timezone: "UTC", decimal: ",", dates: ["yyyy-MM-dd HH:mm"], country: "BR", blank: ["", "-"] },
  inputs: {
    rows: {
      files: "rows.*",
      columns: { id: "Id", at: { header: "At", as: "timestamp" }, note: "Note" },
      ...parties,
      documents: { load: { key: "=id", participant: "owner", address: "site" } },
      events: {
        weighing: {
          name: "Pesagem não fiscal",
          key: "once",
          externalCreatedAt: "=at",
          isPublic: true,
          attributes: { public: { Note: "=note" } },
        },
      },
    },
  },
};

const withTable = (file: string, options: object = {}) => {
  const changed = structuredClone(source) as typeof source & { tables: object };
  changed.inputs.rows.events.weighing.attributes.public.Note = "=tables.places[note].name";
  changed.tables = { places: { file, key: "Código", columns: { name: "Cidade" }, ...options } };
  return changed;
};

const rows = (...cells: Cells[]) => ["Id,At,Note", ...cells];
const first = "L1,2025-01-01 10:00,SP";

const notes = (office: Office) =>
  office.documents().flatMap(({ events }) =>
    events.flatMap(({ body }) => {
      const metadata = body["metadata"] as { attributes?: { value: string }[] } | undefined;
      return (metadata?.attributes ?? []).map(({ value }) => value);
    }),
  );
const codes = (summary: { problems: { code: string }[] }) => summary.problems.map(({ code }) => code);

const encodings: [name: string, bytes: (text: string) => Buffer][] = [
  ["UTF-8 with a mark", (text) => Buffer.from(`\uFEFF${text}`)],
  ["UTF-16, little end first", (text) => iconv.encode(text, "utf-16le", { addBOM: true })],
  ["UTF-16, big end first", (text) => iconv.encode(text, "utf-16be", { addBOM: true })],
];
const latin = (text: string) => iconv.encode(text, "windows-1252");

describe("a mapping saved as", () => {
  test.each(encodings)("%s is read letter by letter", long, async (_name, bytes) => {
    const office = openOffice(source);
    writeFileSync(office.path("m.yaml"), bytes(mapping(source)));
    expect(await office.brought("rows.csv", rows(first))).toMatchObject({ exitCode: 0 });
    expect(office.documents()[0]?.events.map(({ name }) => name)).toEqual(["Pesagem não fiscal"]);
  });

  test("ANSI is refused with its line and what to do, before anything is sent", async () => {
    const office = openOffice(source);
    office.writeCsv("rows.csv", rows(first));
    const text = mapping(source);
    writeFileSync(office.path("m.yaml"), latin(text));
    const line = text.split("\n").findIndex((one) => one.includes("não")) + 1;
    for (const command of ["import", "plan", "check"]) {
      const { code, err, out } = await office.type(command, office.path("m.yaml"), office.path("rows.csv"));
      expect(code).toBe(2);
      expect(err + out).toContain(`line ${line}`);
      expect(err + out).toContain("UTF-8");
    }
  });
});

test("cases, settings, `.env`, a secret's file and rules of faults saved as ANSI are refused by their line", async () => {
  const office = openOffice(source);
  office.writeCsv("rows.csv", rows(first));
  const refused = async (name: string, ...argv: string[]) => {
    const { code, err, out } = await office.type(...argv);
    expect([name, code, err + out]).toEqual([name, 2, expect.stringMatching(/not UTF-8 text: line 2/)]);
  };
  const check = ["import", office.path("m.yaml"), office.path("rows.csv")];
  writeFileSync(office.path("m.cases.yaml"), latin("cases:\n  - name: não\n"));
  await refused("cases", "test", office.path("m.yaml"));
  writeFileSync(office.path(".env"), latin("ROWFERRY_RATE=5\nROWFERRY_SCOPE=não\n"));
  await refused(".env", ...check);
  writeFileSync(office.path(".env"), "");
  writeFileSync(office.path("rowferry.config.yaml"), latin("# settings\n# não\n"));
  await refused("settings", ...check);
  writeFileSync(office.path("rowferry.config.yaml"), "");
  writeFileSync(office.path("faults.json"), latin('[\n"não"]'));
  await refused("faults", "sandbox", "--faults", office.path("faults.json"));
});

describe("a lookup table", () => {
  const table = (delimiter: string) => `Código${delimiter}Cidade\nSP${delimiter}São Paulo\nBA${delimiter}Camaçari\n`;

  test.each(
    [...encodings, ["windows-1252", latin] as const].map(
      ([name, bytes], at) => [name, ";\t|,"[at] ?? ",", bytes] as const,
    ),
  )("in %s, with %j between its cells, gives its letters", async (_name, delimiter, bytes) => {
    const office = openOffice(withTable("places.csv"));
    writeFileSync(office.path("places.csv"), bytes(table(delimiter)));
    expect(await office.brought("rows.csv", rows(first, "L2,2025-01-01 10:00,ba"))).toMatchObject({ exitCode: 0 });
    expect(notes(office).toSorted()).toEqual(["Camaçari", "São Paulo"]);
  });

  test.each([
    ["a longer row", "Código,Cidade\nSP,São Paulo\nBA,Camaçari, Bahia\n", "row 3"],
    ["a shorter row", "Código,Cidade\nSP\nBA,Camaçari\n", "row 2"],
    ["text behind a quote", 'Código,Cidade\nSP,"São" Paulo\nBA,Camaçari\n', "row 2"],
    ["two values for one text", "Código,Cidade\nSP,São Paulo\nsp,Santos\n", '"SP" and "sp"'],
    ["one value twice and then another", "Código,Cidade\nSP,São Paulo\nSP,São Paulo\nSP,Santos\n", '"SP"'],
  ])("with %s is refused when the mapping loads", async (_title, text, place) => {
    const office = openOffice(withTable("places.csv"));
    writeFileSync(office.path("places.csv"), text);
    office.writeCsv("rows.csv", rows(first));
    const { code, err, out } = await office.type("import", "m.yaml", "rows.csv");
    expect(code).toBe(2);
    expect(err + out).toContain("places.csv");
    expect(err + out).toContain(place);
  });
});

describe("what a spreadsheet made of a value", () => {
  const spoilt = [
    "#REF!",
    "#N/A",
    "#VALUE!",
    "#DIV/0!",
    "#N/D",
    "#VALOR!",
    "1,23457E+17",
    "1.23457E+17",
    "-1E+12",
    "########",
    "Err:509",
  ];

  test("as an id, or as other text, is a problem of its row, and of no other", long, async () => {
    const office = openOffice(source);
    const bad = spoilt.flatMap((text, at): Cells[] => [
      [text, "2025-01-01 10:00", "a"],
      [`L${at}`, "2025-01-01 10:00", text],
    ]);
    const summary = await office.brought("rows.csv", rows(...bad, ["L99", "2025-01-01 10:00", "fine"]));
    expect(summary).toMatchObject({ exitCode: 3, rows: { invalid: bad.length, staged: 1 } });
    expect(new Set(codes(summary))).toEqual(new Set(["cell-damaged"]));
    expect(notes(office)).toEqual(["fine"]);
  });

  test("shortened to few zeros, is a problem of an id alone, as a laboratory writes it", long, async () => {
    const office = openOffice(source);
    const summary = await office.brought(
      "rows.csv",
      rows(
        ["1E+05", "2025-01-01 10:00", "a"],
        ["1e+05", "2025-01-01 10:00", "b"],
        ["L1", "2025-01-01 10:00", "2.4E+05"],
      ),
    );
    expect(summary).toMatchObject({ exitCode: 3, rows: { invalid: 2, staged: 1 } });
    expect(codes(summary)).toEqual(["cell-damaged"]);
    expect(notes(office)).toEqual(["2.4E+05"]);
  });

  test("may be kept as text, or be blank, where the mapping says so; never as an id", long, async () => {
    const keeping = structuredClone(source) as typeof source & { defaults: { spreadsheetErrors: string } };
    keeping.defaults.spreadsheetErrors = "keep";
    keeping.defaults.blank = ["", "#N/A"];
    const office = openOffice(keeping);
    expect(
      await office.brought(
        "rows.csv",
        rows("#REF!,2025-01-01 10:00,a", "L2,2025-01-01 10:00,#VALUE!", "L3,2025-01-01 10:00,#N/A"),
      ),
    ).toMatchObject({ exitCode: 3, rows: { invalid: 1, staged: 2 } });
    expect(notes(office)).toEqual(["#VALUE!"]);
  });

  test("of more than fifteen digits, in a number cell, is a problem of its row; fifteen are kept", long, async () => {
    const office = openOffice(source);
    const book = new exceljs.Workbook();
    book.addWorksheet("Sheet1").addRow(["Id", "At", "Note"]);
    const sheet = book.getWorksheet("Sheet1");
    for (const id of [999_999_999_999_999, 1_000_000_000_000_000, 1.2345678901234567e19, 4.2e20])
      sheet?.addRow([id, "2025-01-01 10:00", String(id)]);
    await book.xlsx.writeFile(office.path("rows.xlsx"));
    const summary = await office.import("rows.xlsx");
    expect(summary).toMatchObject({ exitCode: 3, rows: { invalid: 3, staged: 1 } });
    expect(codes(summary)).toEqual(["cell-damaged"]);
    expect(office.documents().map(({ externalId }) => externalId)).toEqual(["999999999999999"]);
  });

  test("is told where the file itself holds the character for lost letters, and is sent as it stands", async () => {
    const office = openOffice(source);
    const summary = await office.brought("rows.csv", rows("L1,2025-01-01 10:00,S\uFFFDo Paulo"));
    expect(summary.warnings.map(({ code }) => code)).toContain("text-replaced");
    expect(notes(office)).toEqual(["S\uFFFDo Paulo"]);
  });
});

it("a key to which a program has added decimals is told, and sent as it is", async () => {
  const office = openOffice(source);
  const summary = await office.brought(
    "rows.csv",
    rows(["1929.0", "2025-01-01 10:00", "a"], ["1930,00", "2025-01-01 10:00", "b"], ["1.5", "2025-01-01 10:00", "c"]),
  );
  expect(summary.warnings.map(({ code, count }) => [code, count])).toEqual([["key-has-decimals", 2]]);
  await office.ends(0, "check m.yaml rows.csv", "1929.0 may be load 1929");
  expect(office.documents().map(({ externalId }) => externalId)).toEqual(["1929.0", "1930,00", "1.5"]);
});

describe("one attribute with two writers", () => {
  const measured = (changes: (event: { [name: string]: unknown }) => void, settings?: object) => {
    const changed = structuredClone(source) as unknown as {
      settings?: object;
      inputs: { rows: { columns: object; events: { weighing: { [name: string]: unknown } } } };
    };
    changed.inputs.rows.columns = { ...changed.inputs.rows.columns, all: { headers: "N*" } };
    changes(changed.inputs.rows.events.weighing);
    if (settings !== undefined) changed.settings = settings;
    return changed;
  };
  const refusal = async (office: Office) => {
    const { code, err, out } = await office.type("import", "m.yaml", "rows.csv");
    return { code, said: err + out, sent: office.documents() };
  };

  test("a set of columns beside an attribute of another column is refused with both names", async () => {
    const office = openOffice(measured((event) => (event["attributes"] = { public: { Note: "=id", "*": "=all" } })));
    office.writeCsv("rows.csv", rows(first));
    expect(await refusal(office)).toEqual({ code: 2, said: expect.stringContaining('"Note"'), sent: [] });
  });

  test("a set of columns beside an attribute made of the same column is one writer", async () => {
    const office = openOffice(
      measured((event) => (event["attributes"] = { public: { Note: "=upper(note)", "*": "=all" } })),
    );
    expect(await office.brought("rows.csv", rows("L1,2025-01-01 10:00,sp"))).toMatchObject({ exitCode: 0 });
    expect(notes(office)).toEqual(["SP"]);
  });

  test("`settings.late` beside an attribute, or a column of a set, of its name is refused", long, async () => {
    const late = { late: { attribute: "Note", isPublic: true } };
    const explicit = openOffice(measured((event) => (event["attributes"] = { public: { Note: "=note" } }), late));
    explicit.writeCsv("rows.csv", rows(first));
    const said = expect.stringContaining("settings.late");
    expect(await refusal(explicit)).toEqual({ code: 2, said, sent: [] });
    const set = openOffice(measured((event) => (event["attributes"] = { public: { "*": "=all" } }), late));
    set.writeCsv("rows.csv", rows(first));
    expect(await refusal(set)).toEqual({ code: 2, said, sent: [] });
  });
});
