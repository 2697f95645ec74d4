/** Statements of a ledger are compiled when they are first used, and shared by their text. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type LedgerDatabase, openLedger } from "../../src/ledger/open-ledger.js";

let folder: string;
let database: LedgerDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-statements-"));
  database = openLedger(join(folder, "ledger.db"), { target: "t", baseUrl: null, clientId: "c" }, 0);
  for (const json of ["a", "b", "c"]) database.prepare("INSERT INTO settings (json) VALUES (?)").run(json);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const text = "SELECT json FROM settings ORDER BY id";

describe("two statements of one text", () => {
  test("are two: one gives columns, the other rows", () => {
    const rows = database.prepare<[], { json: string }>(text);
    const columns = database.prepare<[], string>(text).pluck();
    expect([columns.get(), rows.get(), columns.all(), rows.all().length]).toEqual([
      "a",
      { json: "a" },
      ["a", "b", "c"],
      3,
    ]);
  });

  test("do not disturb each other while one of them is iterated", () => {
    const outer = database.prepare<[], string>(text).pluck();
    const found: string[] = [];
    for (const one of outer.iterate()) {
      found.push(one);
      expect(outer.get()).toBe("a");
      expect([...outer.iterate()]).toEqual(["a", "b", "c"]);
      expect(database.prepare<[], string>(text).pluck().all()).toEqual(["a", "b", "c"]);
    }
    expect(found).toEqual(["a", "b", "c"]);
  });

  test("see what happened between two uses, a table made anew included", () => {
    const count = database.prepare<[], number>("SELECT count(*) FROM temp.some").pluck();
    database.exec("CREATE TEMP TABLE some (a)");
    expect(count.get()).toBe(0);
    database.exec("DROP TABLE temp.some; CREATE TEMP TABLE some (a, b); INSERT INTO temp.some VALUES (1, 2)");
    expect(count.get()).toBe(1);
  });
});

test("a mistake in a statement's text is told at its first use", () => {
  const wrong = database.prepare("SELECT a FROM nowhere");
  expect(() => wrong.get()).toThrow(/no such table/);
});
