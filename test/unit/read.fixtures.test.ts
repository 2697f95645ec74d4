/** Every folder of fixtures/read-csv and fixtures/read-excel: an input, and what reading it gives or why it is refused. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadOptions } from "../../src/model/dialect.js";
import { RowferryError } from "../../src/model/error.js";
import { excelFixtureBytes, excelFixtures } from "../support/read/read-excel-fixture.js";
import { brief, readFile, temporaryFile } from "../support/read/read-file.js";

interface Expected {
  options?: ReadOptions;
  /** Instead of all that follows. `file`: absent where it is the input. `row`: absent where the whole file is at fault. */
  error?: { code: string; file?: string; row?: number };
  header?: string[];
  headerRow?: number | null;
  dialect?: Record<string, unknown>;
  /** Each is part of the note in its place; absent: not looked at. */
  notes?: string[];
  rows?: unknown[];
}

const folder = join(import.meta.dirname, "../../fixtures/read-csv");

/** What came of reading, in the form of `expected.json`. A note that contains what is expected of it is given as that. */
async function outcome(path: string, { options, notes }: Expected) {
  try {
    const table = await readFile(path, options);
    const told = table.notes.map((note, index) =>
      note.includes(notes?.[index] ?? note) ? (notes?.[index] ?? note) : note,
    );
    return { ...table, notes: told, rows: brief(table.rows) };
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    return { error: { code: error.code, ...error.place } };
  }
}

test.each(readdirSync(folder))(
  "a CSV file is read cell for cell, or refused with a code and its place: %s",
  async (name) => {
    const expected = JSON.parse(readFileSync(join(folder, name, "expected.json"), "utf8")) as Expected;
    const file = readdirSync(join(folder, name)).find((entry) => entry !== "expected.json") ?? "";
    const { options: _options, error, ...table } = expected;
    const wanted = error === undefined ? table : { error: { file, ...error } };
    expect(await outcome(join(folder, name, file), expected)).toMatchObject(wanted);
  },
);

test.each(excelFixtures())(
  "a workbook is read cell for cell: $name, $why",
  async ({ name, options, header, headerRow, notes, rows, kinds }) => {
    const table = await readFile(await temporaryFile(await excelFixtureBytes(name), `${name}.xlsx`), options);
    expect(table.header).toEqual(header);
    expect(table.headerRow).toBe(headerRow);
    expect(table.notes).toEqual(notes.map((note) => expect.stringContaining(note)));
    expect(brief(table.rows)).toEqual(rows);
    const found = table.rows.map((row) => row.kinds);
    expect(found).toEqual(kinds ?? found);
  },
);
