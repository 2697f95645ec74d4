/**
 * Cells as read, of rows that have not landed: what a rejected file is written from. Invalid rows, which come back one
 * by one, stand alone; staged rows, nearly all of which land and are asked for never, stand in compressed pages.
 */
import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Database } from "better-sqlite3";
import type { CellKind, Row } from "../../model/row.js";
import { createOpenRows, type OpenRows } from "../views/open-rows.js";

const ROWS_A_PAGE = 256;

/** In one transaction, where pages are dropped. */
const PAGES_A_TIME = 1000;

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

/** Itself and the further rows of its group. */
function* wholeGroup(row: PageRow): Generator<PageRow> {
  yield row;
  yield* row[3] ?? [];
}

function keptOf([, cells, kinds]: PageRow): KeptCells {
  return { cells, kinds: kinds === undefined || kinds === 0 ? null : kinds };
}

export interface CellKeeper {
  /** Of a staged row, and of the further rows of its group; ids must ascend. In the ledger after `flush`. */
  keep(id: number, row: Row, members?: readonly Row[]): void;
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
  let held = 0;

  const flush = (): void => {
    if (page.length === 0) return;
    addPage.run(first, last, pack(page));
    page = [];
    held = 0;
  };

  return {
    keep(id, row, members = []) {
      if (page.length === 0) first = id;
      const offset = id - first;
      const further = members.map((member) => pageRow(offset + member.number - row.number, member));
      page.push(pageRow(offset, row, further));
      last = first + (further.at(-1)?.[0] ?? offset);
      held += 1 + further.length;
      if (held >= ROWS_A_PAGE) flush();
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
      const rows = unpack(found.page);
      const all = rows.flatMap((kept) => [...wholeGroup(kept)]);
      open = { first: found.first_row, last: found.last_row, rows: new Map(all.map((kept) => [kept[0], kept])) };
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
      return kept === undefined ? null : keptOf(kept);
    },
  };
}

export interface CellPage {
  first: number;
  last: number;
  /** In the order of their ids. `members`: the further rows of a group. */
  rows: (KeptRow & { members: KeptRow[] })[];
}

export interface KeptRow {
  id: number;
  kept: KeptCells;
}

/** Pages one after the other, and taking rows out of them. */
export function createCellPages(database: Database) {
  const next = database.prepare<[number], { first_row: number; last_row: number; page: Buffer }>(
    "SELECT first_row, last_row, page FROM cell_pages WHERE first_row > ? ORDER BY first_row LIMIT 1",
  );
  const drop = database.prepare<[number]>("DELETE FROM cell_pages WHERE first_row = ?");
  const add = database.prepare<[number, number, Buffer]>(
    "INSERT INTO cell_pages (first_row, last_row, page) VALUES (?, ?, ?)",
  );
  return {
    /** The first page that begins after this row; null: there is none. */
    after(row: number): CellPage | null {
      const found = next.get(row);
      if (found === undefined) return null;
      const { first_row: first, last_row: last, page } = found;
      const given = (packed: PageRow): KeptRow => ({ id: first + packed[0], kept: keptOf(packed) });
      const rows = unpack(page).map((lead) => ({ ...given(lead), members: (lead[3] ?? []).map(given) }));
      return { first, last, rows };
    },

    /** Writes the page anew with what is left in it; nothing left: it goes. */
    keepOnly(page: CellPage, rows: CellPage["rows"]): void {
      drop.run(page.first);
      const [head] = rows;
      const tail = rows.at(-1);
      if (head === undefined || tail === undefined) return;
      const one = ({ id, kept }: KeptRow, members: PageRow[] = []) => pageRow(id - head.id, kept, members);
      const packed = rows.map((row) =>
        one(
          row,
          row.members.map((member) => one(member)),
        ),
      );
      add.run(head.id, tail.members.at(-1)?.id ?? tail.id, pack(packed));
    },
  };
}

/** Cells of rows that have all come to rest are needed no longer; `ledger prune` takes them out of the other pages. */
export function forgetLandedCells(database: Database): void {
  let open: OpenRows | null = null;
  const pages = database.prepare<[number, number], { first_row: number; last_row: number }>(
    "SELECT first_row, last_row FROM cell_pages WHERE first_row > ? ORDER BY first_row LIMIT ?",
  );
  const drop = database.prepare<[number]>("DELETE FROM cell_pages WHERE first_row = ?");
  const dropSome = database.transaction((after: number): number | null => {
    const some = pages.all(after, PAGES_A_TIME);
    for (const { first_row, last_row } of some) {
      open ??= createOpenRows(database);
      if (!open.anyWithin(first_row, last_row)) drop.run(first_row);
    }
    return some.length < PAGES_A_TIME ? null : (some.at(-1)?.first_row ?? null);
  });
  for (let after: number | null = 0; after !== null; ) after = dropSome(after);
}
