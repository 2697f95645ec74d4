import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GuessTable, guessMapping } from "../src/map/guess/guess-mapping.js";
import { checkMapping, loadMapping } from "../src/map/load-mapping.js";
import type { Dialect } from "../src/model/dialect.js";
import type { MappedRow } from "../src/model/mapped-row.js";
import type { CellKind, Row } from "../src/model/row.js";
import { openInput } from "../src/read/open-input.js";

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rowferry-guess-"));
});
afterAll(async () => rm(folder, { recursive: true }));

const csv: Dialect = {
  format: "csv",
  encoding: "utf-8",
  bom: false,
  delimiter: ";",
  quote: '"',
  escape: '"',
  lineEnding: "\n",
  compression: "none",
};

function table(header: string[], rows: (string | [string, CellKind])[][], more: Partial<GuessTable> = {}): GuessTable {
  const sample = rows.map(
    (cells, index): Row => ({
      number: index + 2,
      cells: cells.map((cell) => (typeof cell === "string" ? cell : cell[0])),
      kinds: cells.map((cell) => (typeof cell === "string" ? "text" : cell[1])),
      problems: null,
    }),
  );
  return { file: "data.csv", sheet: null, header, headerRow: 1, dialect: csv, sample, ...more };
}

async function save(yaml: string): Promise<string> {
  const path = join(folder, "guessed.yaml");
  await writeFile(path, yaml);
  return path;
}

/** Guesses from a fixture and stages it with the guess as it is, without an edited line. */
async function stageFixture(name: string, file: string) {
  const input = await openInput(join(fixtures, name, file));
  const tables: GuessTable[] = [];
  for (const { sheet, hidden } of input.sheets) {
    if (hidden) continue;
    const opened = await input.open(sheet === null ? {} : { excel: { sheet } });
    const sample: Row[] = [];
    for await (const rows of opened.rows()) sample.push(...rows);
    tables.push({
      file: input.name,
      sheet: opened.sheet,
      header: opened.header,
      headerRow: opened.headerRow,
      dialect: opened.dialect,
      sample,
    });
  }
  const guess = guessMapping(tables);
  const mapping = await loadMapping(await save(guess.yaml));
  const mapped: MappedRow[] = [];
  for (const { read, bind } of mapping.inputsFor(input.name)) {
    const opened = await input.open(read);
    const mapper = bind(opened.header, { file: input.name, sheet: opened.sheet });
    for await (const rows of opened.rows()) mapped.push(...mapper.map(rows));
    mapped.push(...mapper.end());
  }
  await input.close();
  return { guess, mapped };
}

async function expectedOf(name: string) {
  return JSON.parse(await readFile(join(fixtures, name, "expected.json"), "utf8")) as {
    rows: { [name: string]: number };
    documents: number;
    eventsByName: { [name: string]: number };
    participants: number;
    addresses: number;
    invalid: { row: number; codes: string[] }[];
  };
}

const fates = (mapped: MappedRow[], fate: MappedRow["outcome"]["fate"]) =>
  mapped.filter(({ outcome }) => outcome.fate === fate);

describe("the fixtures, with no line edited", () => {
  it("one row per event: every valid row is staged, drafts are skipped, and the events are those of the file", async () => {
    const { mapped } = await stageFixture("manifests", "manifests-2025-09.csv");
    const { rows, eventsByName, documents, participants, addresses } = await expectedOf("manifests");
    expect(fates(mapped, "invalid")).toEqual([]);
    expect(fates(mapped, "valid")).toHaveLength(rows["staged"] ?? 0);
    expect(fates(mapped, "skipped")).toHaveLength(rows["skipped"] ?? 0);
    const records = mapped.flatMap(({ outcome }) => (outcome.fate === "valid" ? [outcome.records] : []));
    const counted: { [name: string]: number } = {};
    for (const { name } of records.flatMap(({ events }) => events)) counted[name] = (counted[name] ?? 0) + 1;
    expect(counted).toEqual(eventsByName);
    expect(new Set(records.flatMap((record) => record.documents.map(({ key }) => key))).size).toBe(documents);
    expect(new Set(records.flatMap((record) => record.participants.map(({ natural }) => natural))).size).toBe(
      participants,
    );
    expect(
      new Set(
        records.flatMap((record) =>
          record.addresses.map(({ participant, identity }) => JSON.stringify([participant, identity])),
        ),
      ).size,
    ).toBe(addresses);
  });

  it("a file with mistakes: they are taken for mistakes, and every valid row is staged", async () => {
    const { mapped, guess } = await stageFixture("manifests-faulty", "manifests-2025-10.csv");
    const { rows, invalid } = await expectedOf("manifests-faulty");
    const wrong = new Set(invalid.map(({ row }) => row));
    expect(fates(mapped, "invalid").filter(({ row }) => !wrong.has(row))).toEqual([]);
    expect(fates(mapped, "valid").length).toBeGreaterThanOrEqual(rows["staged"] ?? 0);
    expect(fates(mapped, "invalid").length).toBeGreaterThanOrEqual(wrong.size - 1);
    expect(guess.unsure.join("\n")).toMatch(/"Coleta", "Dropoff"/);
  });

  it("a workbook of three sheets: organisations and places are found, and referred to by code", async () => {
    const { mapped, guess } = await stageFixture("organisations", "organisations-2025.xlsx");
    const { rows } = await expectedOf("organisations");
    expect(fates(mapped, "invalid")).toEqual([]);
    expect(mapped).toHaveLength(Object.values(rows).reduce((sum, count) => sum + count, 0));
    expect(guess.yaml).toContain("participant: { ref: organisation, key: { column: Gerador } }");
    expect(guess.yaml).toContain("address: { ref: place, key: { column: Local de Coleta } }");
    expect(guess.yaml).toContain("name: { column: Razão Social }");
  });
});

/** Three orders of two rows each; `more` are further cells by row. */
function orders(
  more: { header: string; cells: string[] }[],
  dates = [
    "05/01/2025 08:00",
    "06/01/2025 09:30",
    "13/01/2025 10:00",
    "14/01/2025 11:00",
    "25/01/2025 08:00",
    "26/01/2025 09:00",
  ],
) {
  const cells = dates.map((date, index) => [
    `P-${Math.floor(index / 2)}`,
    index % 2 === 0 ? "Saída" : "Chegada",
    date,
    Math.floor(index / 2) === 1 ? "90.114.207/0001-80" : "11.222.333/0001-81",
    ...more.map((column) => column.cells[index] ?? ""),
  ]);
  return table(["Pedido", "Evento", "Data", "CNPJ", ...more.map(({ header }) => header)], cells);
}

describe("evidence", () => {
  it("dialect, encoding and header row are written down, so that a later file that differs is noticed", () => {
    const { yaml } = guessMapping([{ ...orders([]), headerRow: 3 }]);
    expect(yaml).toContain('csv: { delimiter: ";", encoding: utf-8 }');
    expect(yaml).toContain("header: 3");
  });

  it("digits in a file's name may be others tomorrow", () => {
    const { yaml } = guessMapping([{ ...orders([]), file: "export_2025-01-31.csv" }]);
    expect(yaml).toContain('files: ["export_*.csv"]');
  });

  it.each([
    ["day first, because of a 25th", undefined, 'dates: ["dd/MM/yyyy HH:mm"]', false],
    [
      "month first, because of a 25th",
      ["01/05/2025", "01/06/2025", "01/13/2025", "01/14/2025", "01/25/2025", "01/26/2025"],
      "dates: [MM/dd/yyyy]",
      false,
    ],
    [
      "either, where no day tells: then it says so",
      ["05/01/2025", "06/01/2025", "07/01/2025", "08/01/2025", "09/01/2025", "10/01/2025"],
      'dates: ["dd/MM/yyyy"]',
      true,
    ],
  ])("dates: %s", (_, dates, written, doubtful) => {
    const { yaml, unsure } = guessMapping([orders([], dates)]);
    expect(yaml.replaceAll('"', "")).toContain(written.replaceAll('"', ""));
    expect(unsure.some((sentence) => sentence.startsWith("dates:"))).toBe(doubtful);
  });

  it.each([
    ["a comma", ["1.200,50", "3,25", "7,00", "8,10", "9", "10"], ",", false],
    ["a point", ["1,200.50", "3.25", "7.00", "8.10", "9", "10"], ".", false],
    ["nothing tells, so that it says so", ["1200", "3", "7", "8", "9", "10"], ",", true],
  ])("the decimal mark is %s", (_, cells, mark, doubtful) => {
    const { yaml, unsure } = guessMapping([orders([{ header: "Peso", cells }])]);
    expect(yaml).toContain(`decimal: "${mark}"`);
    expect(unsure.some((sentence) => sentence.startsWith("decimal:"))).toBe(doubtful);
  });

  it("units that are met are named, tonnes among kilograms as factors", () => {
    const { yaml } = guessMapping([
      orders([{ header: "Peso", cells: ["1.200,5 kg", "3,25 t", "7,5", "8,1", "2,5 kg", "9,5 t"] }]),
    ]);
    expect(yaml).toContain("units: { kg: 1, t: 1000 }");
  });

  it("an order number that looks like a number is no measure, and a number with leading zeros stays text", () => {
    const { yaml } = guessMapping([
      orders([{ header: "Lote", cells: ["0012", "0013", "0014", "0015", "0016", "0017"] }]),
    ]);
    expect(yaml).toContain("Lote: { column: Lote, isPublic: false }");
  });

  it("a CANCEL gets its reason, and a RELATED the column that names the other document", () => {
    const rows = ["A", "B", "C"].flatMap((key, index) => [
      [key, "ACTOR", `1${index}/01/2025`, "11.222.333/0001-81", "", ""],
      [
        key,
        index === 2 ? "RELATED" : "CANCEL",
        `2${index}/01/2025`,
        "11.222.333/0001-81",
        index === 2 ? "" : "enganado",
        index === 2 ? "A" : "",
      ],
    ]);
    const { yaml } = guessMapping([table(["Pedido", "Evento", "Data", "CNPJ", "Motivo", "Pedido Relacionado"], rows)]);
    expect(yaml).toContain("reason: { column: Motivo, isPublic: false }");
    expect(yaml).toContain(
      "relatedDocument: { document: { ref: pedido, key: { column: Pedido Relacionado } }, bidirectional: false }",
    );
  });

  it("an event that no guess knows is an error of its row and not left out", async () => {
    const path = await save(guessMapping([orders([])]).yaml);
    await expect(loadMapping(path)).rejects.toMatchObject({ code: "mapping-invalid" });
    const mapping = await loadMapping(path, { placeholders: "accept" });
    const [input] = mapping.inputsFor("data.csv");
    const mapper = input?.bind(["Pedido", "Evento", "Data", "CNPJ"], { file: "data.csv", sheet: null });
    const cells = ["P-9", "Devolução", "05/01/2025 08:00", "11.222.333/0001-81"];
    const [row] = mapper?.map([{ number: 2, cells, kinds: null, problems: null }]) ?? [];
    expect(row?.outcome).toMatchObject({
      fate: "invalid",
      problems: [{ code: "value-not-allowed", column: "Evento" }],
    });
  });

  it("files of one header are one input, and two columns of one name are used by none", () => {
    const one = orders([
      { header: "Peso", cells: [] },
      { header: "PESO", cells: [] },
    ]);
    const { yaml, unsure } = guessMapping([
      { ...one, file: "a-1.csv" },
      { ...one, file: "b-1.csv" },
    ]);
    expect(yaml).toContain('files: ["a-*.csv", "b-*.csv"]');
    expect(yaml.match(/^ {2}\w+:$/gm)).toHaveLength(1);
    expect(unsure.join("\n")).toMatch(/2 columns are called "Peso"/);
  });

  it("what is given is not guessed", () => {
    const { yaml, unsure } = guessMapping([orders([])], {
      namespace: "acme",
      timezone: "America/Manaus",
      country: "BR",
    });
    expect(yaml).toContain("namespace: acme");
    expect(yaml).toContain("timezone: America/Manaus");
    expect(unsure.some((sentence) => sentence.startsWith("timezone"))).toBe(false);
  });

  it("a table in which nothing is found is named, not guessed at", () => {
    const colours = table(
      ["Cor", "Tamanho"],
      [
        ["azul", "P"],
        ["verde", "M"],
      ],
      { file: "cores.csv" },
    );
    expect(guessMapping([orders([]), colours]).unsure.join("\n")).toMatch(/cores\.csv is left out/);
    expect(() => guessMapping([colours])).toThrowError(expect.objectContaining({ code: "guess-nothing" }));
  });

  it("every doubt stands in the file as a comment", () => {
    const { yaml, unsure } = guessMapping([orders([])]);
    expect(unsure.length).toBeGreaterThan(0);
    for (const sentence of unsure) expect(yaml).toContain(`# - ${sentence}`);
  });
});

it("whatever stands in a table, the guess loads (H35: cells and headers are never interpreted)", async () => {
  const word = fc.oneof(
    fc.constantFrom(
      "",
      "-",
      "CNPJ",
      "Data",
      "Evento",
      "CLOSE",
      "CANCEL",
      "RELATED",
      "__proto__",
      "constructor",
      "# x",
      "a: b",
      '"',
      "{{x}}",
      "\u0000\u001b[31m",
      "11.222.333/0001-81",
      "05/01/2025",
      "1.200,5 kg",
      "true",
      "null",
    ),
    fc.string({ unit: "binary", maxLength: 12 }),
  );
  const anyTable = fc
    .array(word, { minLength: 1, maxLength: 6 })
    .chain((header) =>
      fc
        .array(fc.array(word, { minLength: header.length, maxLength: header.length }), { maxLength: 12 })
        .map((rows) => table(header, rows)),
    );
  await fc.assert(
    fc.asyncProperty(anyTable, async (one) => {
      // Beside one that yields something, so that there is a mapping to load.
      const { yaml } = guessMapping([{ ...one, file: "any.csv" }, orders([])]);
      const { problems } = await checkMapping(await save(yaml));
      expect(problems).toEqual([]);
    }),
    { numRuns: 120 },
  );
});

it("tables that look like documents load too, whatever their headers are called", async () => {
  const header = fc.string({ unit: "binary", minLength: 1, maxLength: 16 }).filter((text) => text.trim() !== "");
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(header, { minLength: 5, maxLength: 5 }),
      fc.constantFrom("CLOSE", "Cancel", "RELATED", "__proto__", "Saída: 1 # a"),
      async (headers, event) => {
        const one = orders([{ header: "Peso", cells: ["1,5", "2,5", "3,5", "4,5", "5,5", "6,5"] }]);
        const sample = one.sample.map((row, index) => ({
          ...row,
          cells: row.cells.map((cell, column) => (column === 1 && index % 2 === 0 ? event : cell)),
        }));
        const { yaml } = guessMapping([{ ...one, header: headers, sample }]);
        const { problems } = await checkMapping(await save(yaml));
        expect(problems).toEqual([]);
      },
    ),
    { numRuns: 80 },
  );
});
