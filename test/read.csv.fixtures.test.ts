/** Every folder of fixtures/read-csv: an input, and what reading it gives or why it is refused. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ReadOptions } from "../src/model/dialect.js";
import { RowferryError } from "../src/model/error.js";
import { brief, readFile } from "./read/read-file.js";

interface Expected {
  options?: ReadOptions;
  error?: { code: string; row?: number };
  header?: string[];
  headerRow?: number | null;
  dialect?: Record<string, unknown>;
  /** Each is part of the note in its place; absent: not looked at. */
  notes?: string[];
  rows?: unknown[];
}

const folder = join(import.meta.dirname, "../fixtures/read-csv");

describe("a CSV file is read cell for cell, or refused with a code and a line", () => {
  test.each(readdirSync(folder))("%s", async (name) => {
    const expected = JSON.parse(readFileSync(join(folder, name, "expected.json"), "utf8")) as Expected;
    const input = readdirSync(join(folder, name)).find((file) => file !== "expected.json") ?? "";
    const reading = readFile(join(folder, name, input), expected.options);
    if (expected.error !== undefined) {
      const error = await reading.then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(RowferryError);
      const { code, place } = error as RowferryError;
      const row = expected.error.row === undefined ? {} : { row: place.row };
      expect({ code, ...row }).toEqual(expected.error);
      if (expected.error.code !== "encoding-unknown" && expected.error.code !== "dialect-invalid") {
        expect(place.file).toBe(input);
      }
      return;
    }
    const table = await reading;
    expect({ header: table.header, headerRow: table.headerRow, rows: brief(table.rows) }).toEqual({
      header: expected.header,
      headerRow: expected.headerRow,
      rows: expected.rows,
    });
    expect(table.dialect).toMatchObject(expected.dialect ?? {});
    if (expected.notes === undefined) return;
    expect(table.notes).toEqual(expected.notes.map((part) => expect.stringContaining(part)));
  });
});
