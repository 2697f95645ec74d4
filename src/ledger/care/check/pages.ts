/** Checks pages of many rows: cells of open rows, and known rows. */
import type { LedgerDatabase } from "../../ledger-database.js";
import { type Entry, unpack } from "../../pages.js";
import { eventsIn } from "../../known-rows.js";
import { inputOf } from "../../rows.js";
import { type Broken, IMPORT_AGAIN, ONLY_CELLS, type Promises, rowName } from "./promises.js";

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

/** Null: the page is garbled. */
export function entriesOf(first: number, page: Uint8Array): Entry<unknown>[] | null {
  try {
    return unpack(first, page);
  } catch {
    return null;
  }
}

/** Null: no fault. `entries` null: unreadable. `before`: the rows of the previous page. */
function faultOf(
  { kind, first, last, lowest, highest }: Page,
  entries: Entry<unknown>[] | null,
  before: ReadonlySet<number>,
): string | null {
  if (entries === null) return "cannot be read";
  if (entries[0]?.[0] !== first || entries.at(-1)?.[0] !== last) return "does not hold the rows that it should";
  if (entries.some(([row], index) => row <= (entries[index - 1]?.[0] ?? -1))) return "has its rows out of order";
  if (inputOf(first) !== inputOf(last)) return "holds rows of two files";
  if (entries.some(([row]) => before.has(row))) return "holds rows of the page before it";
  if (kind === "cells") return null;
  const events = entries.flatMap((entry) => eventsIn(entry as Entry<number[]>));
  return events.some((event) => event < lowest || event > highest) ? "names events outside its range" : null;
}

function* brokenPages(database: LedgerDatabase, kind: Page["kind"]): Generator<string> {
  const pages = database.each<Page>(
    `SELECT kind, first_row AS first, last_row AS last, lowest_event AS lowest, highest_event AS highest, page FROM row_pages
     WHERE kind = @kind ORDER BY first_row`,
    { kind },
  );
  let before = new Set<number>();
  for (const page of pages) {
    const entries = entriesOf(page.first, page.page);
    const fault = faultOf(page, entries, before);
    before = new Set(entries?.map(([row]) => row));
    if (fault !== null) yield `the page from row ${page.first % 2 ** 32} of input ${inputOf(page.first)} ${fault}`;
  }
}

export const pagePromises: Promises = new Map<string, { [name: string]: Broken }>([
  [ONLY_CELLS, { "every page of cells can be read, and holds its rows": (database) => brokenPages(database, "cells") }],
  [
    IMPORT_AGAIN,
    {
      "cells and known rows are of a file that was imported": `SELECT 'the page from ' || ${rowName("first_row")}
        FROM row_pages WHERE NOT EXISTS (SELECT 1 FROM inputs WHERE id = first_row >> 32)`,
    },
  ],
  [
    KNOWN_AGAIN,
    {
      "every page of known rows holds its rows": (database) => brokenPages(database, "known"),
      "everything that known rows refer to has landed": `SELECT ${rowName("l.row_id")}
        FROM row_pages k JOIN page_rows(k.kind, k.first_row, k.page) l JOIN events_now e ON e.id = l.event_id
        WHERE k.kind = 'known' AND NOT e.landed`,
    },
  ],
]);
