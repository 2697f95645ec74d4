/** What in a table is evidence of what. */
import { describe, expect, it } from "vitest";
import { guessMapping } from "../src/map/guess/guess-mapping.js";
import { loadMapping } from "../src/map/load-mapping.js";
import { orders, save, table } from "./map.guess-table.js";

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
