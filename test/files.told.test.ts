/** What a file holds is read, refused or told: nothing of it is lost or changed in silence. With the real commands. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pipeline } from "../src/cli/pipeline.js";
import { systemClock } from "../src/model/clock.js";
import type { Summary } from "../src/model/summary.js";
import { readTable } from "../src/read/read-table.js";
import { testWorld, type } from "./cli.world.js";
import { temporaryFile } from "./read/read-file.js";
import { readCells } from "./read/read-workbook.js";
import { writeWorkbook } from "./read/write-workbook.js";

const mapping = (options: string, column = (name: string) => name) => `version: 1
namespace: told
defaults: { timezone: UTC, dates: ["dd/MM/yyyy"], decimal: ",", country: BR }
inputs:
  rows:
    files: ["rows*"]
${options}
    participants: { p: { countryCode: BR, taxIdType: CNPJ, taxId: "11222333000181", name: Acme, type: COMPANY } }
    addresses: { a: { participant: p, name: Casa, street: Rua, number: "1", city: Recife, countryState: PE, countryCode: BR } }
    documents: { job: { key: { column: ${column("id")} }, participant: p, address: a } }
    events:
      step: { name: Step, key: once, externalCreatedAt: { column: ${column("day")} }, isPublic: false,
              attributes: { Note: { column: ${column("note")}, isPublic: false } } }
`;

/** Imports one file on the sandbox. */
async function imported(name: string, content: Buffer | string, options = "", column?: (name: string) => string) {
  const world = testWorld({ files: { "m.yaml": mapping(options, column) }, pipeline });
  world.clock = { ...systemClock, now: () => world.now };
  const path = join(world.cwd, name);
  writeFileSync(path, content);
  const exit = await type(world, "import", join(world.cwd, "m.yaml"), path, "--json");
  const lines = world.stdout.text.trimEnd().split("\n");
  const { rows } = JSON.parse(lines.at(-1) ?? "{}") as Summary;
  return { exit, rows, told: world.stderr.text + lines.slice(0, -1).join("\n") };
}

const cell = (text: string) => `<c t="str"><v>${text}</v></c>`;
const line = (number: number, cells: readonly string[], more = "") =>
  `<row r="${number}"${more}>${cells.map(cell).join("")}</row>`;
const book = (rows: string[], before = "") => writeWorkbook({ sheets: [{ name: "S", rows: rows.join(""), before }] });
const header = line(1, ["id", "day", "note"]);

describe("a workbook", () => {
  const hiddenRows = () =>
    book([
      header,
      line(2, ["a", "01/10/2025", "x"]),
      line(3, ["b", "01/10/2025", "x"], ' hidden="1"'),
      line(4, ["c", "01/10/2025", "x"], ' hidden="1"'),
      line(5, ["d", "01/10/2025", "x"]),
    ]);

  test("rows that a forgotten filter hides are read, and that is said (F72)", async () => {
    const { exit, rows, told } = await imported("rows.xlsx", await hiddenRows());
    expect([exit, rows]).toEqual([0, { read: 4, skipped: 0, invalid: 0, known: 0, staged: 4 }]);
    expect(told).toContain("2 rows are hidden, the first of them row 3: read");
  });

  test("`hidden: skip` counts them as skipped, and says so (F72, P7)", async () => {
    const { exit, rows, told } = await imported("rows.xlsx", await hiddenRows(), "    excel: { hidden: skip }");
    expect([exit, rows]).toEqual([0, { read: 4, skipped: 2, invalid: 0, known: 0, staged: 2 }]);
    expect(told).toContain("2 rows are hidden, the first of them row 3: skipped");
  });

  test("hidden columns are read, and that is said (F72)", async () => {
    const columns = '<cols><col min="3" max="3" width="9" hidden="1"/></cols>';
    const { exit, told } = await imported(
      "rows.xlsx",
      await book([header, line(2, ["a", "01/10/2025", "x"])], columns),
    );
    expect(exit).toBe(0);
    expect(told).toContain("Hidden columns are read: C");
  });

  test("rows in any order are imported (F84)", async () => {
    const rows = [header, ...[9, 4, 700, 2, 650].map((number) => line(number, [`k${number}`, "01/10/2025", "x"]))];
    const { exit, rows: counts } = await imported("rows.xlsx", await book(rows));
    expect([exit, counts.staged]).toEqual([0, 5]);
  });

  test.each([
    ["7780.4000000000005", "7780.4"],
    ["42.000000000000007", "42"],
    ["1.1000000000000001", "1.1"],
    ["0.30000000000000004", "0.3"],
    ["-1417.2499999999998", "-1417.25"],
    ["999999999999999.9", "1000000000000000"],
    ["1.2345678901234567E+19", "12345678901234600000"],
    ["123456789012345678", "123456789012345678"],
    ["123456789012345", "123456789012345"],
  ])("a number is read with the fifteen digits that a spreadsheet shows: %s is %s (F81)", async (stored, read) => {
    expect(await readCells(`<row r="1"><c><v>${stored}</v></c></row>`)).toEqual([[`number ${read}`]]);
  });
});

describe("a table beside a mapping is read as strictly as any file (F4, F80)", () => {
  test("in any encoding that the readers know", async () => {
    const path = await temporaryFile(Buffer.from("Código;Cidade\n1;São Paulo\n", "latin1"), "cities.csv");
    const { header: names, rows } = await readTable(path);
    expect([names, ...rows.map(({ cells }) => cells)]).toEqual([
      ["Código", "Cidade"],
      ["1", "São Paulo"],
    ]);
  });

  test("one row of another width refuses it, with its line", async () => {
    const path = await temporaryFile("code,name\n1,one\n2,two,three\n", "codes.csv");
    await expect(readTable(path)).rejects.toMatchObject({ code: "row-long", place: { file: "codes.csv", row: 3 } });
  });

  test("what is too large is refused before it is read", async () => {
    const path = await temporaryFile("code,name\n1,one\n", "codes.csv");
    await expect(readTable(path, {}, { bytes: 5 })).rejects.toMatchObject({ code: "file-oversized" });
  });
});
