/**
 * Removes cells that are no longer needed. Pages whose rows have all landed or been corrected are deleted; `ledger
 * prune` moves other such rows from shared pages to the archive.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import type { Page } from "../pages.js";
import { inputOf, leadOf, rowNumberOf } from "../rows.js";
import { createCells, keptCells, type PackedCells } from "../stage/row-cells.js";
import { appendToArchive, type ArchivedEntry } from "./archive.js";

const CHUNK = 2000;

/** A dismissed record waits for nothing. */
const openDocument =
  "(x.state IS NULL OR x.service_id IS NULL AND x.reason IS NOT 'dismissed' AND x.reason IS NOT 'replaced')";
const openRegistration = "p.state <> 'registered' AND p.reason IS NOT 'dismissed'";

/**
 * Selects `row_id` of rows from @first to @last that may still be needed: a record is unfinished, or a person must
 * change the row, also after `dismiss --undo`. With @since (ms), landings since then count as unfinished.
 */
const openRows = `
  SELECT re.row_id FROM row_events re JOIN events_now e ON e.id = re.event_id
    WHERE re.row_id BETWEEN @first AND @last AND (e.changed_at >= @since OR e.dismissed = 0 AND NOT e.known)
  UNION ALL SELECT r.id FROM rows r
    WHERE r.id BETWEEN @first AND @last AND r.fate = 'invalid' AND (r.settled IS NULL OR r.settled = 'dismissed')
  UNION ALL SELECT r.row_id FROM row_records r JOIN registrations p ON p.id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind <> 'document' AND ${openRegistration}
  UNION ALL SELECT r.row_id FROM row_records r LEFT JOIN document_states x ON x.document_id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind = 'document' AND ${openDocument}
  UNION ALL SELECT row_id FROM temp.open_declarations WHERE row_id BETWEEN @first AND @last`;

/** Rows that declared a record which is not registered now, whatever became of their events. */
function collectOpenDeclarations(database: LedgerDatabase): void {
  database.exec(`DROP TABLE IF EXISTS temp.open_declarations;
    CREATE TEMP TABLE open_declarations (row_id INTEGER PRIMARY KEY);
    INSERT OR IGNORE INTO temp.open_declarations
      SELECT p.row_id FROM registrations p WHERE p.row_id IS NOT NULL AND ${openRegistration}
      UNION ALL SELECT row_id FROM failed_documents WHERE state = 'rejected' AND row_id IS NOT NULL`);
}

export function forgetLandedCells(database: LedgerDatabase): void {
  collectOpenDeclarations(database);
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const pages = database.rows<{ first: number; last: number }>(
      `SELECT first_row AS first, last_row AS last FROM row_pages WHERE kind = 'cells' AND first_row > @from
       ORDER BY first_row LIMIT 1000`,
      { from },
    );
    database.atomic(() => {
      for (const page of pages)
        if (!database.has(openRows, { ...page, since: null }))
          database.run("DELETE FROM row_pages WHERE kind = 'cells' AND first_row = @first", page);
    });
    after = pages.at(-1)?.first;
  }
}

type Archived = { at: number; entry: ArchivedEntry };

/** `before`: ms. Archives first, as prune.ts does. @returns the number of rows */
export function pruneCells(database: LedgerDatabase, archive: string, before: number): number {
  collectOpenDeclarations(database);
  const { pages } = createCells(database);
  let count = 0;
  let moved: Archived[] = [];
  let rewritten: { page: Page<PackedCells>; kept: Page<PackedCells>["entries"] }[] = [];
  const write = (): void => {
    appendToArchive(archive, moved);
    database.atomic(() => rewritten.forEach(({ page, kept }) => pages.keepOnly(page, kept)));
    count += moved.length;
    moved = [];
    rewritten = [];
  };
  for (const page of pages.between()) {
    const open = new Set(database.values<number>(openRows, { first: page.first, last: page.last, since: before }));
    const kept = page.entries.filter(([id, cells]) => {
      const one = open.has(leadOf(database, id)) ? null : archived(database, id, cells, before);
      if (one !== null) moved.push(one);
      return one === null;
    });
    if (kept.length < page.entries.length) rewritten.push({ page, kept });
    if (moved.length >= CHUNK) write();
  }
  if (moved.length > 0) write();
  return count;
}

/** A row's entry in the archive; null: its input is newer than `before`. */
function archived(database: LedgerDatabase, id: number, packed: PackedCells, before: number): Archived | null {
  const { cells, kinds } = keptCells(packed);
  const input = inputOf(id);
  const found = database.row<{ at: number; file: string; sheet: string | null; contentHash: string; header: string }>(
    "SELECT staged_at AS at, name AS file, sheet, content_hash AS contentHash, header FROM inputs WHERE id = @input",
    { input },
  );
  if (found === undefined || found.at >= before) return null;
  const { at, header, ...file } = found;
  const row = { row: rowNumberOf(id), input, header: JSON.parse(header) as string[], cells };
  return { at, entry: { type: "cells", ...file, ...row, ...(kinds === null ? {} : { kinds }) } };
}
