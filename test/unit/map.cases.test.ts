import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCases } from "../../src/map/cases/run-cases.js";
import { RowferryError } from "../../src/model/error.js";
import { mappingWith } from "../support/map.support.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rowferry-cases-"));
  await writeFile(
    join(folder, "m.yaml"),
    mappingWith({
      columns: "kg: { header: Peso, as: number }\nout: Fora",
      attributes: "Kg: =kg",
      input: 'skip: =out == "x"',
    }),
  );
});
afterAll(async () => rm(folder, { recursive: true }));

async function run(cases: string) {
  await writeFile(join(folder, "m.cases.yaml"), cases);
  return runCases(join(folder, "m.yaml"));
}

const ROW = '{ Doc: "007", Day: 01/02/2026, Peso: "1,50" }';

describe("a case", () => {
  it("that fails says where, what was expected and what came", async () => {
    const report = await run(`
cases:
  - name: weight
    rows: [${ROW}]
    records: { events: [{ name: Stop, attributes: { Kg: "1.50" } }, { name: Other }] }
  - { name: code, rows: [${ROW.replace("1,50", "x")}], codes: ["tax-id-invalid"] }
  - { name: fate, rows: [${ROW.replace("1,50", "x")}], records: { events: [] } }
  - { name: in, rows: [${ROW}], skipped: true }
`);
    expect(report.results.map(({ passed, line }) => [passed, line])).toEqual([
      [false, 3],
      [false, 6],
      [false, 7],
      [false, 8],
    ]);
    const differences = report.results.flatMap((result) => result.differences);
    expect(differences).toContainEqual({ place: "events[0].attributes.Kg", expected: "1.50", actual: "1.5" });
    expect(differences).toContainEqual({ place: "events[1]", expected: '{"name":"Other"}', actual: null });
    expect(differences).toContainEqual(expect.objectContaining({ expected: "tax-id-invalid", actual: null }));
    expect(differences).toContainEqual(
      expect.objectContaining({ actual: expect.stringContaining("number-unreadable: Peso") }),
    );
    expect(differences).toContainEqual(expect.objectContaining({ expected: "skipped", actual: "valid" }));
  });

  it("takes each problem for one of its codes, in any order", async () => {
    const { results } = await run(
      'cases: [{ name: any, rows: [{ Peso: x }], codes: [value-required, "value-required: Doc", number-unreadable] }]',
    );
    expect(results[0]?.differences).toEqual([]);
  });

  it("says which header of its rows, or name in its records, is misspelt", async () => {
    const { results } = await run(`
cases:
  - { name: header, rows: [${ROW.replace("Peso", "Pezo")}], records: { events: [] } }
  - { name: field, rows: [${ROW}], records: { events: [{ isPublik: true, attributes: { Kgs: 1.5 } }] } }
  - { name: blank, rows: [${ROW}], records: { events: [{ relatedDocumnt: null }] } }
  - { name: others, rows: [${ROW.replace("{", '{ "Peso 2": x, ')}], records: { events: [{ attributes: { Kgs: null } }] } }
`);
    expect(results.map(({ differences }) => differences)).toEqual([
      [{ place: "header", expected: "Peso", actual: "Pezo, which no column reads" }],
      [
        { place: "events[0].isPublik", expected: "true", actual: "nothing; did you mean isPublic?" },
        { place: "events[0].attributes.Kgs", expected: "1.5", actual: "nothing; did you mean Kg?" },
      ],
      [{ place: "events[0].relatedDocumnt", expected: "null", actual: "nothing; did you mean relatedDocument?" }],
      [],
    ]);
  });

  it.each([
    ["an unknown member", "cases: [{ name: x, row: [] }]", { code: "mapping-unknown-key" }],
    ["two expectations", `cases: [{ name: x, rows: [${ROW}], skipped: true, codes: [a] }]`, { code: "mapping-value" }],
    [
      "an unknown input",
      `cases: [{ name: x, input: row, rows: [${ROW}], skipped: true }]`,
      { code: "mapping-reference", hint: 'Did you mean "rows"?' },
    ],
  ])("with %s is refused at its place", async (_title, cases, told) => {
    const error = await run(cases).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RowferryError);
    expect(error).toMatchObject(told);
  });

  it.each([
    ["{ num: 12 }", 'There is no setting "num"', "Known here: number, date, boolean."],
    ["[a]", "is a list; expected text", "Leave out the dashes or brackets."],
  ])("with the cell %s says what a cell may be", async (cell, message, hint) => {
    const error = await run(`cases: [{ name: x, rows: [{ Job: ${cell} }], skipped: true }]`).catch((e: unknown) => e);
    expect(error).toMatchObject({ message: expect.stringContaining(message) as string, hint });
  });
});
