/** `ledger check`: SQLite's own checks, and our promises about the content (P1, P7). Reads only. */
import type { LedgerDatabase } from "../../ledger-database.js";
import type { Entry } from "../../pages.js";
import { eventsIn } from "../../known-rows.js";
import { entriesOf, pagePromises } from "./pages.js";
import { type Broken, promises, RESTORE } from "./promises.js";

export interface CheckResult {
  name: string;
  remedy: string;
  /** At most ten cases; empty: the promise holds. */
  broken: string[];
}

/**
 * `page_rows(kind, first_row, page)`: the rows on a page, with each event for known rows; none for an unreadable page.
 */
function definePageRows(database: LedgerDatabase): void {
  database.table("page_rows", {
    columns: ["row_id", "event_id"],
    parameters: ["kind", "first_row", "page"],
    *rows(kind: unknown, first: unknown, page: unknown) {
      const entries = entriesOf(Number(first), page as Uint8Array) ?? [];
      for (const entry of entries)
        if (kind === "cells") yield [entry[0], null];
        else for (const event of eventsIn(entry as Entry<number[]>)) yield [entry[0], event];
    },
  });
}

const MOST = 10;

/** A garbled page must not stop the other questions. */
function casesOf(database: LedgerDatabase, broken: Broken): string[] {
  const cases: string[] = [];
  try {
    const found = typeof broken === "string" ? database.values<string>(`${broken} LIMIT ${MOST}`) : broken(database);
    for (const text of found) if (cases.push(text) === MOST) break;
    return cases;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_CORRUPT"))) throw error;
    return [`cannot be read: ${error.message}`];
  }
}

const ofTheFile: { [name: string]: Broken } = {
  "the file is whole, and every CHECK holds":
    "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
  "every reference leads somewhere": `SELECT "table" || ' ' || rowid || ' → ' || parent FROM pragma_foreign_key_check`,
};

export function checkLedger(database: LedgerDatabase): CheckResult[] {
  definePageRows(database);
  return [[RESTORE, ofTheFile] as const, ...promises, ...pagePromises].flatMap(([remedy, names]) =>
    Object.entries(names).map(([name, broken]) => ({ name, remedy, broken: casesOf(database, broken) })),
  );
}
