/**
 * Cells as read, of rows that have not landed: what a rejected file is written from. Invalid rows, which come back one
 * by one, stand alone; staged rows, nearly all of which land and are asked for never, stand in compressed pages.
 */
import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { CellKind, Row } from "../../model/row.js";
import type { LedgerDatabase } from "../ledger-database.js";

const ROWS_A_PAGE = 256;

/** The same cells give the same hash, wherever the row stands (HARD-CASES H23). Of a group: of all its rows' cells. */
export function cellHash(cells: readonly string[]): Buffer {
  return createHash("sha256").update(JSON.stringify(cells)).digest().subarray(0, 16);
}

export interface KeptCells {
  cells: string[];
  /** Null: all text. */
  kinds: CellKind[] | null;
}

/**
 * One row of a page: how far its id is beyond the first one's, cells, kinds where they are not all text (0: they are), and of
 * a group its further rows, which stay and go with the first.
 */
type PageRow = [offset: number, cells: string[], kinds?: CellKind[] | 0, members?: PageRow[]];

// The lowest level: half the time of the default one, for a tenth more bytes.
const pack = (rows: readonly PageRow[]): Buffer => deflateRawSync(JSON.stringify(rows), { level: 1 });
const unpack = (page: Buffer): PageRow[] => JSON.parse(inflateRawSync(page).toString()) as PageRow[];

function pageRow(offset: number, { cells, kinds }: KeptCells, members: PageRow[] = []): PageRow {
  if (members.length > 0) return [offset, cells, kinds ?? 0, members];
  return kinds === null ? [offset, cells] : [offset, cells, kinds];
}

function keptOf([, cells, kinds]: PageRow): KeptCells {
  return { cells, kinds: kinds === undefined || kinds === 0 ? null : kinds };
}

const addPage = (database: LedgerDatabase, first: number, last: number, rows: readonly PageRow[]): void =>
  void database.run("INSERT OR REPLACE INTO cell_pages (first_row, last_row, page) VALUES (@first, @last, @page)", {
    first,
    last,
    page: pack(rows),
  });

interface StoredPage {
  first_row: number;
  last_row: number;
  page: Buffer;
}

export function createCellKeeper(database: LedgerDatabase) {
  let page: PageRow[] = [];
  let first = 0;
  let last = 0;
  let held = 0;

  /** At the end of an input: writes what is left. */
  const flush = (): void => {
    if (page.length === 0) return;
    addPage(database, first, last, page);
    page = [];
    held = 0;
  };

  return {
    /** Of a staged row, and of the further rows of its group; ids must ascend. In the ledger after `flush`. */
    keep(id: number, row: Row, members: readonly Row[] = []): void {
      if (page.length === 0) first = id;
      const offset = id - first;
      const further = members.map((member) => pageRow(offset + member.number - row.number, member));
      page.push(pageRow(offset, row, further));
      last = first + (further.at(-1)?.[0] ?? offset);
      held += 1 + further.length;
      if (held >= ROWS_A_PAGE) flush();
    },

    /** Of a row that a person is likely to ask for. */
    keepAlone(id: number, row: Row): void {
      database.run("INSERT OR REPLACE INTO row_cells (row_id, cells, kinds) VALUES (@id, @cells, @kinds)", {
        id,
        cells: JSON.stringify(row.cells),
        kinds: row.kinds === null ? null : JSON.stringify(row.kinds),
      });
    },

    flush,
  };
}

export function createCellReader(database: LedgerDatabase) {
  let open: { first: number; last: number; rows: Map<number, PageRow> } | null = null;

  const pageOf = (row: number): PageRow | undefined => {
    if (open === null || row < open.first || row > open.last) {
      const found = database.row<StoredPage>(
        "SELECT * FROM cell_pages WHERE first_row <= @row ORDER BY first_row DESC LIMIT 1",
        { row },
      );
      if (found === undefined || row > found.last_row) return undefined;
      const all = unpack(found.page).flatMap((kept) => [kept, ...(kept[3] ?? [])]);
      open = { first: found.first_row, last: found.last_row, rows: new Map(all.map((kept) => [kept[0], kept])) };
    }
    return open.rows.get(row - open.first);
  };

  return {
    /** Null: the ledger does not have them (any more). Rows asked for in order cost one page each 256. */
    of(row: number): KeptCells | null {
      const own = database.row<StoredCells>("SELECT cells, kinds FROM row_cells WHERE row_id = @row", { row });
      if (own !== undefined) return parsedCells(own);
      const kept = pageOf(row);
      return kept === undefined ? null : keptOf(kept);
    },
  };
}

/** Of a row that stands alone, as JSON. */
export interface StoredCells {
  cells: string;
  kinds: string | null;
}

export const parsedCells = ({ cells, kinds }: StoredCells): KeptCells => ({
  cells: JSON.parse(cells) as string[],
  kinds: kinds === null ? null : (JSON.parse(kinds) as CellKind[]),
});

export interface KeptRow {
  id: number;
  kept: KeptCells;
}

export interface CellPage {
  first: number;
  last: number;
  /** In the order of their ids. `members`: the further rows of a group. */
  rows: (KeptRow & { members: KeptRow[] })[];
}

/** The first page that begins after this row; null: there is none. */
export function cellPageAfter(database: LedgerDatabase, row: number): CellPage | null {
  const after = "SELECT * FROM cell_pages WHERE first_row > @row ORDER BY first_row LIMIT 1";
  const found = database.row<StoredPage>(after, { row });
  if (found === undefined) return null;
  const { first_row: first, last_row: last, page } = found;
  const given = (packed: PageRow): KeptRow => ({ id: first + packed[0], kept: keptOf(packed) });
  const rows = unpack(page).map((lead) => ({ ...given(lead), members: (lead[3] ?? []).map(given) }));
  return { first, last, rows };
}

/** Writes the page anew with what is left in it; nothing left: it goes. */
export function keepOnly(database: LedgerDatabase, page: CellPage, rows: CellPage["rows"]): void {
  database.run("DELETE FROM cell_pages WHERE first_row = @first", { first: page.first });
  const [head] = rows;
  const tail = rows.at(-1);
  if (head === undefined || tail === undefined) return;
  const packed = ({ id, kept }: KeptRow, members: PageRow[] = []) => pageRow(id - head.id, kept, members);
  const left = rows.map((row) =>
    packed(
      row,
      row.members.map((member) => packed(member)),
    ),
  );
  addPage(database, head.id, tail.members.at(-1)?.id ?? tail.id, left);
}
