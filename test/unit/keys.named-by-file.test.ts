/** Mappings whose formulas name the file: the same bytes under another name are other rows, and a corrected row stays its file's. */
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import exceljs from "exceljs";
import { openOffice } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loads, weighingsWith, weights } from "../support/weighings.js";

/** The load is in the file's name, `scale-A-2.csv`; the column `Load` is not read. */
const byFile = weighingsWith({ columns: { load: '=extract(file, "scale-([A-Z])")' } });
const bySheet = weighingsWith({ columns: { load: "=sheet" } });

describe("a file whose name the mapping reads", () => {
  it("with the bytes of another one is another one", async () => {
    const office = openOffice(byFile);
    for (const name of ["scale-A-1.csv", "scale-B-1.csv"]) office.writeCsv(name, loads("- 10 1"));
    await office.import("scale-A-1.csv", "scale-B-1.csv");
    await office.brought("scale-C-1.csv", loads("- 10 1"));
    expect(weights(office)).toEqual(["A 10 1", "B 10 1", "C 10 1"]);
    const again = await office.brought("scale-A-2.csv", loads("- 10 1"));
    expect(again.rows).toMatchObject({ read: 1, known: 1 });
  });

  it(
    "gives its name to the rows that correct its own, also in a corrected file of a corrected file",
    long,
    async () => {
      const office = openOffice(byFile);
      const night = await office.brought("scale-A-1.csv", loads("- 10 1", "- 20 x"));
      const wrong = await office.brought("mended.csv", office.rejectedRows(night, { x: "y" }));
      const right = await office.brought("mended-again.csv", office.rejectedRows(wrong, { y: "2" }));
      expect(right.exitCode).toBe(0);
      expect(weights(office)).toEqual(["A 10 1", "A 20 2"]);
      // The same once more, after all of it has landed.
      await office.lands("mended-3.csv", office.rejectedRows(wrong, { y: "2" }));
      expect(weights(office)).toEqual(["A 10 1", "A 20 2"]);
    },
  );

  const others: [when: string, first: string[], second: string[]][] = [
    ["that comes later", ["scale-A-1.csv"], ["scale-B-1.csv"]],
    ["of the same import", ["scale-A-1.csv", "scale-B-1.csv"], []],
  ];
  it.each(sampled(others, 2, 1))("settles no equal row of another file %s", async (_title, first, second) => {
    const office = openOffice(byFile);
    for (const name of ["scale-A-1.csv", "scale-B-1.csv"]) office.writeCsv(name, loads("- 10 1", "- 20 x", "- 30 3"));
    await office.import(...first);
    if (second.length > 0) await office.import(...second);
    const open = async () => (await office.run("resume")).open.rows;
    expect(await open()).toBe(2);
    await office.type("rejects", "--folder", office.path("out"), "--input", "scale-A-1.csv");
    const rows: string[][] = parse(readFileSync(office.path("out/scale-A-1.rejected.csv")));
    const mended = rows.map((row) => row.map((cell) => (cell === "x" ? "2" : cell)));
    await office.brought("mended.csv", mended);
    expect(await open()).toBe(1);
    // Its source still has the old text, under another name: the correction applies.
    await office.brought("scale-A-2.csv", loads("- 10 1", "- 20 x", "- 30 3"));
    await office.brought("scale-B-2.csv", loads("- 10 1", "- 20 x", "- 30 3"));
    expect(await open()).toBe(1);
    expect(weights(office)).toEqual(["A 10 1", "B 10 1", "A 20 2", "A 30 3"].toSorted());
  });

  it("may be a sheet's", long, async () => {
    const office = openOffice(bySheet);
    const write = async (name: string, sheet: string) => {
      const book = new exceljs.Workbook();
      book.addWorksheet(sheet).addRows(loads("- 10 1", "- 20 x"));
      await book.xlsx.writeFile(office.path(name));
    };
    await write("first.xlsx", "A");
    await write("second.xlsx", "B");
    const first = await office.import("first.xlsx");
    expect((await office.import("second.xlsx")).open.rows).toBe(2);
    const book = new exceljs.Workbook();
    await book.xlsx.readFile(first.files.find(({ kind }) => kind === "rejected")?.path ?? "");
    const [sheet] = book.worksheets;
    sheet?.getRow(2).eachCell((cell) => {
      if (cell.value === "x") cell.value = "2";
    });
    await book.xlsx.writeFile(office.path("mended.xlsx"));
    expect((await office.import("mended.xlsx")).open.rows).toBe(1);
    expect(weights(office)).toEqual(["A 10 1", "A 20 2", "B 10 1"]);
  });
});
