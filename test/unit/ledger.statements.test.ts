/** Statements of a ledger are texts: whoever uses one, and however often, gets what it says now. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LedgerDatabase, openLedger } from "../../src/ledger/open-ledger.js";

let folder: string;
let database: LedgerDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-statements-"));
  database = openLedger(join(folder, "ledger.db"), { target: "t", baseUrl: null, clientId: "c" }, 0);
  for (const json of ["a", "b", "c"]) database.run("INSERT INTO settings (json) VALUES (@json)", { json });
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const text = "SELECT json FROM settings ORDER BY id";

test("one text gives columns here and rows there", () => {
  expect(database.value(text)).toBe("a");
  expect(database.row(text)).toEqual({ json: "a" });
  expect(database.values(text)).toEqual(["a", "b", "c"]);
  expect(database.rows(text)).toHaveLength(3);
});

test("one text is iterated, asked and iterated again meanwhile", () => {
  const found: unknown[] = [];
  for (const row of database.each(text)) {
    found.push(row);
    expect(database.row(text)).toEqual({ json: "a" });
    expect([...database.each(text)]).toHaveLength(3);
  }
  expect(found).toHaveLength(3);
});

test("a text is asked again of a table that was made anew", () => {
  const count = () => database.value("SELECT count(*) FROM temp.some");
  database.exec("CREATE TEMP TABLE some (a)");
  expect(count()).toBe(0);
  database.exec("DROP TABLE temp.some; CREATE TEMP TABLE some (a, b); INSERT INTO temp.some VALUES (1, 2)");
  expect(count()).toBe(1);
});

test("what fails in part changes nothing, also within another", () => {
  const remove = () => database.run("DELETE FROM settings WHERE json = @json", { json: "a" });
  const fail = () => {
    remove();
    throw new Error("no");
  };
  expect(() => database.atomic(fail)).toThrow("no");
  database.atomic(() => expect(() => database.atomic(fail)).toThrow("no"));
  expect(database.values(text)).toEqual(["a", "b", "c"]);
});
