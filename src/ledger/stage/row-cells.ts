/** Cells of rows that have not landed, from which rejected files are written. */
import { createHash } from "node:crypto";
import type { DocumentName } from "../../model/keys.js";
import type { Row } from "../../model/row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { createPages } from "../pages.js";
import { EVENTS_OF_ROWS } from "../rows.js";

/**
 * Equal cells have equal hashes, wherever the row is (H23). A group's hash covers all its rows. `documents`: of the row, where
 * the cells alone do not tell.
 */
export function cellHash(cells: readonly string[], documents: readonly DocumentName[] = []): Buffer {
  const named = new Set(documents.map(({ kind, key }) => JSON.stringify([kind, key])));
  const text = JSON.stringify(cells) + [...named].toSorted().join("");
  return createHash("sha256").update(text).digest().subarray(0, 16);
}

export type KeptCells = Pick<Row, "cells" | "kinds" | "looks">;

export function createCells(database: LedgerDatabase) {
  const pages = createPages<KeptCells>(database, "cells");
  return {
    /** `first`: the id of the first row. Rows of a group stay together. */
    keep(first: number, rows: readonly Row[]) {
      const offset = first - (rows[0]?.number ?? 0);
      pages.add(rows.map(({ number, cells, kinds, looks }) => [offset + number, { cells, kinds, looks }]));
    },

    flush: pages.flush,

    /** Null: not, or no longer, in the ledger. */
    of: (row: number): KeptCells | null => pages.of(row) ?? null,
  };
}

/** For flat memory. */
const MOST_HASHES = 20_000;

/**
 * Finds open rows by their cells, each once and in ascending order: whoever finds one settles it. Thousands of rows may have
 * equal cells, and those before would be looked at again for each.
 */
export function eachOnce(find: (hash: Buffer, after: number) => number | null): (hash: Buffer) => number | null {
  const last = new Map<string, number>();
  return (hash) => {
    const name = hash.toString("latin1");
    const found = find(hash, last.get(name) ?? 0);
    if (last.size >= MOST_HASHES) last.clear();
    last.set(name, found ?? Number.MAX_SAFE_INTEGER);
    return found;
  };
}

/**
 * Selects `row_id` of rows from @first to @last that may still be needed: a record is unfinished, or a person must
 * change the row, also after `dismiss --undo`.
 */
const openRows = `
  SELECT re.row_id FROM ${EVENTS_OF_ROWS} AND e.dismissed = 0 AND NOT e.known
  UNION ALL SELECT r.id FROM rows r
    WHERE r.id BETWEEN @first AND @last AND r.fate = 'invalid' AND (r.settled IS NULL OR r.settled = 'dismissed')
  UNION ALL SELECT row_id FROM row_records_now
    WHERE row_id BETWEEN @first AND @last AND NOT done AND reason IS NOT 'dismissed' AND reason IS NOT 'replaced'
  UNION ALL SELECT row_id FROM temp.open_declarations WHERE row_id BETWEEN @first AND @last`;

/** Deletes pages of cells whose rows have all landed or been corrected. */
export function forgetLandedCells(database: LedgerDatabase): void {
  // Rows that declared a record which is not registered now, whatever became of their events.
  database.exec(`DROP TABLE IF EXISTS temp.open_declarations;
    CREATE TEMP TABLE open_declarations (row_id INTEGER PRIMARY KEY);
    INSERT OR IGNORE INTO temp.open_declarations
      SELECT row_id FROM open_registrations
      UNION ALL SELECT row_id FROM failed_documents WHERE state = 'rejected' AND row_id IS NOT NULL`);
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const pages = database.rows<{ first: number; last: number }>(
      `SELECT first_id AS first, last_id AS last FROM pages WHERE kind = 'cells' AND first_id > @from
       ORDER BY first_id LIMIT 1000`,
      { from },
    );
    database.atomic(() => {
      for (const page of pages)
        if (!database.has(openRows, page))
          database.run("DELETE FROM pages WHERE kind = 'cells' AND first_id = @first", page);
    });
    after = pages.at(-1)?.first;
  }
}
