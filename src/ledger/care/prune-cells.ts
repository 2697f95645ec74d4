/**
 * Cells of rows that a person need not see any more: pages of rows that have all landed are forgotten; `ledger prune` moves
 * the others to the archive, invalid rows that were settled one by one, staged rows out of the pages that they share.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { inputOf, rowNumberOf } from "../rows.js";
import {
  type CellPage,
  cellPageAfter,
  keepOnly,
  type KeptCells,
  parsedCells,
  type StoredCells,
} from "../stage/row-cells.js";
import { appendToArchive, type ArchivedEntry } from "./archive.js";

const CHUNK = 2000;
/** In one transaction, where pages are dropped. */
const PAGES_A_TIME = 1000;

/** What was dismissed waits for nobody. */
const openDocument =
  "(x.state IS NULL OR x.service_id IS NULL AND x.reason IS NOT 'dismissed' AND x.reason IS NOT 'replaced')";
const openRegistration = "p.state <> 'registered' AND p.reason IS NOT 'dismissed'";

/**
 * Selects `row_id`, of rows from @first to @last that may still be asked for: what they yielded is not finished, or a
 * person must change them. An event that has landed counts as open if it did so since @since (ms).
 */
const openRows = `
  SELECT re.row_id FROM row_events re JOIN events_now e ON e.id = re.event_id
    WHERE re.row_id BETWEEN @first AND @last AND (e.changed_at >= @since OR e.dismissed = 0 AND NOT e.known)
  UNION ALL SELECT r.id FROM rows r
    WHERE r.id BETWEEN @first AND @last AND r.fate = 'invalid' AND r.settled IS NULL
  UNION ALL SELECT r.row_id FROM row_records r JOIN registrations p ON p.id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind <> 'document' AND ${openRegistration}
  UNION ALL SELECT r.row_id FROM row_records r LEFT JOIN document_states x ON x.document_id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind = 'document' AND ${openDocument}
  UNION ALL SELECT row_id FROM temp.open_declarations WHERE row_id BETWEEN @first AND @last`;

/** Rows that declared a record of their own which is not registered, whatever became of their events; as things are now. */
function collectOpenDeclarations(database: LedgerDatabase): void {
  database.exec(`DROP TABLE IF EXISTS temp.open_declarations;
    CREATE TEMP TABLE open_declarations (row_id INTEGER PRIMARY KEY);
    INSERT OR IGNORE INTO temp.open_declarations
      SELECT p.row_id FROM registrations p WHERE p.row_id IS NOT NULL AND ${openRegistration}
      UNION ALL SELECT row_id FROM failed_documents WHERE state = 'rejected' AND row_id IS NOT NULL`);
}

/** Cells of finished rows are no longer needed. */
export function forgetLandedCells(database: LedgerDatabase): void {
  collectOpenDeclarations(database);
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const pages = database.rows<{ first: number; last: number }>(
      `SELECT first_row AS first, last_row AS last FROM cell_pages WHERE first_row > @from ORDER BY first_row LIMIT ${PAGES_A_TIME}`,
      { from },
    );
    database.atomic(() => {
      for (const page of pages)
        if (!database.has(openRows, { ...page, since: Number.MAX_SAFE_INTEGER }))
          database.run("DELETE FROM cell_pages WHERE first_row = @first", page);
    });
    after = pages.at(-1)?.first;
  }
}

type Archived = { at: number; entry: ArchivedEntry };

/** `before`: ms. Archive first, ledger second, as in prune.ts. @returns the number of rows */
export function pruneCells(database: LedgerDatabase, archive: string, before: number): number {
  return pruneAlone(database, archive, before) + prunePages(database, archive, before);
}

/** What goes to the archive of a row; null: its input came no longer ago than `before`. */
function archived(database: LedgerDatabase, id: number, { cells, kinds }: KeptCells, before: number): Archived | null {
  const input = inputOf(id);
  const found = database.row<{
    staged_at: number;
    name: string;
    sheet: string | null;
    content_hash: string;
    header: string;
  }>("SELECT staged_at, name, sheet, content_hash, header FROM inputs WHERE id = @input", { input });
  if (found === undefined || found.staged_at >= before) return null;
  return {
    at: found.staged_at,
    entry: {
      type: "cells",
      file: found.name,
      sheet: found.sheet,
      row: rowNumberOf(id),
      input,
      contentHash: found.content_hash,
      header: JSON.parse(found.header) as string[],
      cells,
      ...(kinds === null ? {} : { kinds }),
    },
  };
}

function pruneAlone(database: LedgerDatabase, archive: string, before: number): number {
  let count = 0;
  let after = 0;
  for (;;) {
    const found = database.rows<StoredCells & { id: number }>(
      `SELECT c.row_id AS id, c.cells, c.kinds FROM row_cells c JOIN rows r ON r.id = c.row_id
       WHERE c.row_id > @after AND r.settled IS NOT NULL ORDER BY c.row_id LIMIT ${CHUNK}`,
      { after },
    );
    const last = found.at(-1);
    if (last === undefined) return count;
    after = last.id;
    const moved = found.flatMap(({ id, ...stored }) => {
      const one = archived(database, id, parsedCells(stored), before);
      return one === null ? [] : [{ id, one }];
    });
    if (moved.length === 0) continue;
    appendToArchive(
      archive,
      moved.map(({ one }) => one),
    );
    database.atomic(() => moved.forEach(({ id }) => database.run("DELETE FROM row_cells WHERE row_id = @id", { id })));
    count += moved.length;
  }
}

function prunePages(database: LedgerDatabase, archive: string, before: number): number {
  collectOpenDeclarations(database);
  let count = 0;
  let moved: Archived[] = [];
  let rewritten: { page: CellPage; kept: CellPage["rows"] }[] = [];
  const write = (): void => {
    appendToArchive(archive, moved);
    database.atomic(() => rewritten.forEach(({ page, kept }) => keepOnly(database, page, kept)));
    count += moved.length;
    moved = [];
    rewritten = [];
  };
  for (let page = cellPageAfter(database, 0); page !== null; page = cellPageAfter(database, page.last)) {
    const { first, last } = page;
    const open = new Set(database.values<number>(openRows, { first, last, since: before }));
    const kept = page.rows.filter((row) => {
      const group = open.has(row.id) ? [] : [row, ...row.members];
      const gone = group.flatMap((one) => archived(database, one.id, one.kept, before) ?? []);
      moved.push(...gone);
      return gone.length === 0;
    });
    if (kept.length < page.rows.length) rewritten.push({ page, kept });
    if (moved.length >= CHUNK) write();
  }
  if (moved.length > 0) write();
  return count;
}
