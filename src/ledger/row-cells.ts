/**
 * Cells as read, of rows that have not landed: what a rejected file is written from. Invalid rows, which come back one
 * by one, stand alone; staged rows, nearly all of which land and are asked for never, stand in compressed pages.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Database } from "better-sqlite3";
import type { CellKind, Row } from "../model/row.js";

const ROWS_A_PAGE = 256;

export interface KeptCells {
  cells: string[];
  /** Null: all text. */
  kinds: CellKind[] | null;
}

/** One row of a page: how far its id is beyond the first one's, cells, kinds where they are not all text. */
type PageRow = [offset: number, cells: string[], kinds?: CellKind[]];

export interface CellKeeper {
  /** Of a staged row; ids must ascend. In the ledger after `flush`. */
  keep(id: number, row: Row): void;
  /** Of a row that a person is likely to ask for. */
  keepAlone(id: number, row: Row): void;
  /** At the end of an input: writes what is left. */
  flush(): void;
}

export function createCellKeeper(database: Database): CellKeeper {
  const addCells = database.prepare<[number, string, string | null]>(
    "INSERT OR REPLACE INTO row_cells (row_id, cells, kinds) VALUES (?, ?, ?)",
  );
  const addPage = database.prepare<[number, number, Buffer]>(
    "INSERT OR REPLACE INTO cell_pages (first_row, last_row, page) VALUES (?, ?, ?)",
  );
  let page: PageRow[] = [];
  let first = 0;
  let last = 0;

  const flush = (): void => {
    if (page.length === 0) return;
    // The lowest level: half the time of the default one, for a tenth more bytes.
    addPage.run(first, last, deflateRawSync(JSON.stringify(page), { level: 1 }));
    page = [];
  };

  return {
    keep(id, row) {
      if (page.length === 0) first = id;
      last = id;
      page.push(row.kinds === null ? [id - first, row.cells] : [id - first, row.cells, row.kinds]);
      if (page.length >= ROWS_A_PAGE) flush();
    },
    keepAlone(id, row) {
      addCells.run(id, JSON.stringify(row.cells), row.kinds === null ? null : JSON.stringify(row.kinds));
    },
    flush,
  };
}

export interface CellReader {
  /** Null: the ledger does not have them (any more). Rows asked for in order cost one page each 256. */
  of(row: number): KeptCells | null;
}

export function createCellReader(database: Database): CellReader {
  const alone = database.prepare<[number], { cells: string; kinds: string | null }>(
    "SELECT cells, kinds FROM row_cells WHERE row_id = ?",
  );
  const paged = database.prepare<[number], { first_row: number; last_row: number; page: Buffer }>(
    "SELECT first_row, last_row, page FROM cell_pages WHERE first_row <= ? ORDER BY first_row DESC LIMIT 1",
  );
  let open: { first: number; last: number; rows: Map<number, PageRow> } | null = null;

  const pageOf = (row: number): PageRow | undefined => {
    if (open === null || row < open.first || row > open.last) {
      const found = paged.get(row);
      if (found === undefined || row > found.last_row) return undefined;
      const rows = JSON.parse(inflateRawSync(found.page).toString()) as PageRow[];
      open = { first: found.first_row, last: found.last_row, rows: new Map(rows.map((kept) => [kept[0], kept])) };
    }
    return open.rows.get(row - open.first);
  };

  return {
    of(row) {
      const own = alone.get(row);
      if (own !== undefined) {
        const kinds = own.kinds === null ? null : (JSON.parse(own.kinds) as CellKind[]);
        return { cells: JSON.parse(own.cells) as string[], kinds };
      }
      const kept = pageOf(row);
      return kept === undefined ? null : { cells: kept[1], kinds: kept[2] ?? null };
    },
  };
}

const stillOpen = (rows: string) =>
  `EXISTS (SELECT 1 FROM row_events re LEFT JOIN event_states s ON s.event_id = re.event_id
     WHERE re.row_id ${rows} AND (s.state IS NULL OR s.state NOT IN ('landed', 'landed-without-id')))`;

/** Cells of rows whose events have all landed are needed no longer; a page goes when this is so of all its rows. */
export function forgetLandedCells(database: Database): void {
  database.exec(
    `DELETE FROM row_cells WHERE row_id IN (
       SELECT c.row_id FROM row_cells c
       WHERE EXISTS (SELECT 1 FROM row_events re WHERE re.row_id = c.row_id)
         AND NOT ${stillOpen("= c.row_id")}
         AND NOT EXISTS (SELECT 1 FROM rows r WHERE r.id = c.row_id AND r.fate = 'invalid'));
     DELETE FROM cell_pages WHERE first_row IN (
       SELECT c.first_row FROM cell_pages c WHERE NOT ${stillOpen("BETWEEN c.first_row AND c.last_row")}
         AND NOT EXISTS (SELECT 1 FROM row_records r WHERE r.row_id BETWEEN c.first_row AND c.last_row))`,
  );
}
