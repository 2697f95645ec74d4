/** A rejected workbook gives back what stood in the input: formats, widths, and formulas that can follow their row (F117). */
import exceljs from "exceljs";
import { createCorrections } from "../../src/console/corrections.js";
import { createJudge } from "../../src/console/judge.js";
import { columnLetters, columnsUsed, moveFormula } from "../../src/model/formula.js";
import { resolveTarget } from "../../src/settings/target.js";
import { type Office, openOffice } from "../support/office.js";
import { sampled } from "../support/sample.js";
import {
  bodiesOf,
  correctTyped,
  type Mistake,
  twoRows,
  typedMapping,
  type TypedSheet,
  writeTyped,
} from "../support/typed-sheet.js";

async function rejectedOf(office: Office) {
  const summary = await office.import("loads.xlsx");
  const [file] = summary.files.filter(({ kind }) => kind === "rejected");
  return file?.path ?? expect.fail("nothing was rejected");
}

const typed: TypedSheet = {
  rows: twoRows,
  mistakes: new Map([[1, "gross"]]),
  above: 2,
  shared: true,
};

describe("a rejected workbook", () => {
  it.each(
    sampled<[above: number, shared: boolean, mistakes: [row: number, column: Mistake][]]>(
      [
        [
          2,
          true,
          [
            [0, "code"],
            [1, "gross"],
          ],
        ],
        [
          0,
          false,
          [
            [0, "tare"],
            [1, "day"],
          ],
        ],
        [
          4,
          true,
          [
            [0, "at"],
            [1, "share"],
          ],
        ],
        [0, false, [[1, "clock"]]],
      ],
      4,
    ),
  )(
    "corrected, lands what its source would have landed had it been right: %i rows above, shared formulas %s, %j",
    async (above, shared, mistakes) => {
      const drawn = { ...typed, above, shared, mistakes: new Map(mistakes) };
      const right = openOffice(typedMapping);
      await writeTyped(right.path("loads.xlsx"), drawn, false);
      await right.ends(0, "import m.yaml loads.xlsx");
      const office = openOffice(typedMapping);
      await writeTyped(office.path("loads.xlsx"), drawn, true);
      const path = await rejectedOf(office);
      await correctTyped(path, drawn, { computed: true });
      await office.ends(0, `import m.yaml ${path}`);
      expect(bodiesOf(office)).toEqual(bodiesOf(right));
    },
  );

  it("whose formulas nobody has computed since is refused, row by row, and nothing wrong lands", long, async () => {
    const office = openOffice(typedMapping);
    await writeTyped(office.path("loads.xlsx"), typed, true);
    const path = await rejectedOf(office);
    await correctTyped(path, typed, { computed: false });
    const { code, out } = await office.type("import", "m.yaml", path, "--json");
    expect(code).toBe(3);
    expect(out).toContain("formula-without-value");
    expect(bodiesOf(office)).toHaveLength(1);
  });

  it("is read whole where rows or columns of it are hidden, also under `hidden: skip`", long, async () => {
    const { loads } = typedMapping.inputs;
    const office = openOffice({ ...typedMapping, inputs: { loads: { ...loads, excel: { hidden: "skip" } } } });
    const both: TypedSheet = { ...typed, mistakes: new Map([0, 1].map((row) => [row, "gross"])) };
    await writeTyped(office.path("loads.xlsx"), both, true);
    const path = await rejectedOf(office);
    await correctTyped(path, both, { computed: true });
    const book = new exceljs.Workbook();
    await book.xlsx.readFile(path);
    const page = book.getWorksheet("Loads") ?? expect.fail("no sheet");
    page.getRow(2).hidden = true;
    page.getColumn(12).hidden = true;
    await book.xlsx.writeFile(path);
    await office.ends(0, `import m.yaml ${path}`, "2 = 2 landed");
    expect(JSON.stringify(bodiesOf(office))).toContain('"Note"');
  });

  it("is known by its header, also below a title that somebody has written above it", long, async () => {
    const { loads } = typedMapping.inputs;
    const office = openOffice({ ...typedMapping, inputs: { loads: { ...loads, header: 3 } } });
    await writeTyped(office.path("loads.xlsx"), typed, true);
    const path = await rejectedOf(office);
    await correctTyped(path, typed, { computed: true });
    const book = new exceljs.Workbook();
    await book.xlsx.readFile(path);
    book.getWorksheet("Loads")?.insertRow(1, ["Corrected by Ana"]);
    await book.xlsx.writeFile(office.path("ana.xlsx"));
    await office.ends(0, "import m.yaml ana.xlsx", "1 = 1 landed");
  });

  it("that is still wrong is rejected again with its formulas", long, async () => {
    const office = openOffice(typedMapping);
    await writeTyped(office.path("loads.xlsx"), typed, true);
    const path = await rejectedOf(office);
    const again = await office.run("import", "m.yaml", path);
    const [file] = again.files.filter(({ kind }) => kind === "rejected");
    await correctTyped(file?.path ?? "", typed, { computed: true, again: true });
    expect((await office.run("import", "m.yaml", file?.path ?? "")).exitCode).toBe(0);
    expect(bodiesOf(office)).toHaveLength(2);
  });
});

it("in the console, a cell that the file computes from a corrected one has to be typed too", long, async () => {
  const office = openOffice(typedMapping);
  await writeTyped(office.path("loads.xlsx"), { ...typed, mistakes: new Map([[1, "tare"]]) }, true);
  await rejectedOf(office);
  const corrections = createCorrections(
    resolveTarget({ flags: { sandbox: true }, cwd: office.world.cwd, env: {} }),
    createJudge(),
    Date.now,
  );
  const cause = { code: "number-unreadable", column: "Tare", mistake: null };
  const ref = (await corrections.grid(cause))[0]?.rows[0]?.ref ?? "";
  await corrections.edit({ label: "1", edits: [{ ref, column: "Tare", replaces: "s/ pesagem", value: "1" }] });
  const problems = async () => (await corrections.grid(cause))[0]?.rows[0]?.problems.map(({ column }) => column);
  expect(await problems()).toContain("Net");
  await corrections.edit({ label: "2", edits: [{ ref, column: "Net", replaces: "#VALUE!", value: "19" }] });
  expect(await problems()).toEqual([]);
});

/** To row 9, one column to the right, from row 2; null: it cannot come along. */
const moved = (formula: string) =>
  moveFormula(
    formula,
    ({ column, row: number }) => (number === 2 ? `${columnLetters(column + 2)}9` : null),
    (title) => (title === "Gross [kg]" ? "X9" : null),
  );

it.each([
  ["B2-C2", "C9-D9"],
  ["$B$2*1.5E-3%", "C9*1.5E-3%"],
  ["SUM(B2:D2)", "SUM(C9:E9)"],
  ["LOG10(B2)+LOG10(C2)", "LOG10(C9)+LOG10(D9)"],
  ['IF(B2>=1,"B3 ""x""",TRUE)', 'IF(C9>=1,"B3 ""x""",TRUE)'],
  ["T1[[#This Row],[Gross '[kg']]]*2", "X9*2"],
  ["_xlfn.XOR(aa2,B2)", "_xlfn.XOR(AB9,C9)"],
  ["T1[[#This Row],[Net]]", null],
  ["T1[Gross]", null],
  ["B3", null],
  ["SUM(B2:B9)", null],
  ["SUM(B:B)", null],
  ["SUM(2:2)", null],
  ["Sheet2!B2", null],
  ["A2!B2", null],
  ["'My sheet'!B2", null],
  ["Rate*B2", null],
  ["OFFSET(B2,1,0)", null],
  ['INDIRECT("B2")', null],
  ["ROW()-1", null],
  ["_xlfn.RANDARRAY(2)", null],
  ["cmd|'/c calc'!A0", null],
  ['WEBSERVICE("http://x")', null],
  ["#REF!+B2", null],
  ["{1,2}", null],
  ["B2#", null],
  ["B2".padEnd(8193, "+B2"), null],
])("a formula and its row: %s", (formula, expected) => {
  expect(moved(formula)).toBe(expected);
});

it("what a formula uses of its row", () => {
  const used = columnsUsed('SUM(B1:D1)+F1&"H1"+T[[#This Row],[Net]]', ["Load", "", "", "", "", "", "Net"]);
  expect(used).toEqual(new Set([1, 2, 3, 5, 6]));
});
