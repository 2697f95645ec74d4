/** `ledger check`: SQLite's own checks, and our promises about the content (P1, P7). Reads only. */
import { type Broken, ONLY_CELLS, promises, type Promises, RESTORE } from "./promises.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { type Entry, entriesOf, eventsIn, READABLE, rowsOn } from "../../pages.js";
import { inputOf, rowName, rowNumberOf } from "../../rows.js";

export interface CheckResult {
  name: string;
  remedy: string;
  /** At most ten cases; empty: the promise holds. */
  broken: string[];
}

const MOST = 10;

/** A garbled page must not stop the other questions. */
function casesOf(database: LedgerDatabase, broken: Broken) {
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
  "every reference points to something that exists": `SELECT "table" || ' ' || rowid || ' → ' || parent FROM pragma_foreign_key_check`,
};

export function checkLedger(database: LedgerDatabase): CheckResult[] {
  return [[RESTORE, ofTheFile] as const, ...promises, ...pagePromises].flatMap(([remedy, names]) =>
    Object.entries(names).map(([name, broken]) => ({ name, remedy, broken: casesOf(database, broken) })),
  );
}

const KNOWN_AGAIN =
  "This does not affect what was sent. Edit the mapping (a comment will do, so that the file counts as new) and import the file again: its rows are known by their keys.";

interface Page {
  kind: "cells" | "known";
  first: number;
  last: number;
  lowest: number;
  highest: number;
  page: Buffer;
}

/** Null: no fault. `entries` null: unreadable. `before`: the rows of the previous page. */
function faultOf(
  { kind, first, last, lowest, highest }: Page,
  entries: Entry<unknown>[] | null,
  before: ReadonlySet<number>,
) {
  if (entries === null) return "cannot be read";
  if (entries[0]?.[0] !== first || entries.at(-1)?.[0] !== last) return "does not hold the rows that it should";
  if (entries.some(([row], index) => row <= (entries[index - 1]?.[0] ?? -1))) return "has its rows out of order";
  if (inputOf(first) !== inputOf(last)) return "holds rows of two files";
  if (entries.some(([row]) => before.has(row))) return "holds rows of the page before it";
  if (kind !== "known") return null;
  const events = entries.flatMap((entry) => eventsIn(entry as Entry<number[]>));
  return events.some((event) => event < lowest || event > highest) ? "names events outside its range" : null;
}

function* brokenPages(database: LedgerDatabase, kind: Page["kind"]): Generator<string> {
  const pages = database.each<Page>(
    `SELECT kind, first_id AS first, last_id AS last, lowest_event AS lowest, highest_event AS highest, page FROM pages
     WHERE kind = @kind ORDER BY first_id`,
    { kind },
  );
  let before = new Set<number>();
  for (const page of pages) {
    const entries = entriesOf(page.first, page.page);
    const fault = faultOf(page, entries, before);
    before = new Set(entries?.map(([row]) => row));
    if (fault !== null) yield `the page from row ${rowNumberOf(page.first)} of input ${inputOf(page.first)} ${fault}`;
  }
}

/** Of pages: cells of open rows, and known rows. */
const pagePromises: Promises = new Map<string, { [name: string]: Broken }>([
  [ONLY_CELLS, { "every page of cells can be read, and holds its rows": (database) => brokenPages(database, "cells") }],
  [
    KNOWN_AGAIN,
    {
      "every page of known rows holds its rows": (database) => brokenPages(database, "known"),
      "everything that known rows refer to has landed": `SELECT ${rowName("l.row_id")}
        FROM (${rowsOn("known", READABLE)}) l JOIN events_now e ON e.id = l.event_id WHERE NOT e.landed`,
    },
  ],
]);
