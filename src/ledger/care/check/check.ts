/** `ledger check`: the file as SQLite sees it, and what this project promises of its content (P1, P7). Reads only. */
import type { LedgerDatabase } from "../../ledger-database.js";
import type { Entry } from "../../pages.js";
import { eventsIn } from "../../known-rows.js";
import { entriesOf, pagePromises } from "./pages.js";
import { type LedgerPromise, RESTORE } from "./promise.js";
import { referencePromises } from "./references.js";
import { rowPromises } from "./rows.js";
import { statePromises } from "./states.js";

export interface CheckResult {
  /** The promise, in words. */
  name: string;
  /** What to do where it is broken. */
  remedy: string;
  /** Where it is broken, at most ten; empty: it holds. */
  broken: string[];
}

/** `page_rows(kind, first_row, page)`: the rows on a page, of known rows with each event; a page that cannot be read has none. */
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

/** A page that a disk garbled ends one question, and not the others. */
function readable(ask: () => string[]): string[] {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_CORRUPT"))) throw error;
    return [`cannot be read: ${error.message}`];
  }
}

function casesOf(database: LedgerDatabase, { broken }: LedgerPromise): string[] {
  if (typeof broken === "string") return database.values<string>(`${broken} LIMIT ${MOST}`);
  const cases: string[] = [];
  for (const text of broken(database)) {
    cases.push(text);
    if (cases.length === MOST) break;
  }
  return cases;
}

export function checkLedger(database: LedgerDatabase): CheckResult[] {
  definePageRows(database);
  const integrity = () => database.pragma(`integrity_check(${MOST})`) as { integrity_check: string }[];
  const foreign = () => database.pragma("foreign_key_check") as { table: string; rowid: number; parent: string }[];
  const promises = [...rowPromises, ...statePromises, ...referencePromises, ...pagePromises];
  return [
    {
      name: "the file is whole, and every CHECK holds",
      remedy: RESTORE,
      broken: readable(() =>
        integrity()
          .map((row) => row.integrity_check)
          .filter((text) => text !== "ok"),
      ),
    },
    {
      name: "every reference leads somewhere",
      remedy: RESTORE,
      broken: readable(() =>
        foreign()
          .slice(0, MOST)
          .map(({ table, rowid, parent }) => `${table} ${rowid} → ${parent}`),
      ),
    },
    ...promises.map((promise) => ({
      name: promise.name,
      remedy: promise.remedy,
      broken: readable(() => casesOf(database, promise)),
    })),
  ];
}
