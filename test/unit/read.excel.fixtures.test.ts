/** Every folder of fixtures/read-excel, cell for cell. */
import { excelFixtureBytes, excelFixtures } from "../support/read/read-excel-fixture.js";
import { brief, readFile, temporaryFile } from "../support/read/read-file.js";

test.each(excelFixtures())("$name: $why", async ({ name, options, header, headerRow, notes, rows, kinds }) => {
  const table = await readFile(await temporaryFile(await excelFixtureBytes(name), `${name}.xlsx`), options);
  expect(table.header).toEqual(header);
  expect(table.headerRow).toBe(headerRow);
  expect(table.notes).toEqual(notes.map((note) => expect.stringContaining(note)));
  expect(brief(table.rows)).toEqual(rows);
  const found = table.rows.map((row) => row.kinds);
  expect(found).toEqual(kinds ?? found);
});
