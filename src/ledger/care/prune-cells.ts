/**
 * Moves cells of rows that have come to rest to the archive: invalid rows that were settled stand alone, staged rows
 * share pages with open ones, which are written anew without them.
 */
import type { Database } from "better-sqlite3";
import type { CellKind } from "../../model/row.js";
import { appendToArchive, type ArchivedEntry } from "./archive.js";
import { createOpenRows } from "../views/open-rows.js";
import { type CellPage, createCellPages, type KeptCells } from "../stage/row-cells.js";
import { inputOf, rowNumberOf } from "../row-id.js";

const CHUNK = 2000;

type Archived = { at: number; entry: ArchivedEntry };

/** `before`: ms. Archive first, ledger second, as in prune.ts. @returns the number of rows */
export function pruneCells(database: Database, archive: string, before: number): number {
  const archived = createArchivedCells(database);
  return pruneAlone(database, archive, before, archived) + prunePages(database, archive, before, archived);
}

/** What goes to the archive of a row; null: its input came no longer ago than `before`. */
function createArchivedCells(database: Database) {
  const input = database.prepare<
    [number],
    { staged_at: number; name: string; sheet: string | null; content_hash: string; header: string }
  >("SELECT staged_at, name, sheet, content_hash, header FROM inputs WHERE id = ?");
  let last: { id: number; found: ReturnType<typeof input.get> } | null = null;
  return (id: number, { cells, kinds }: KeptCells, before: number): Archived | null => {
    if (last?.id !== inputOf(id)) last = { id: inputOf(id), found: input.get(inputOf(id)) };
    const { found } = last;
    if (found === undefined || found.staged_at >= before) return null;
    return {
      at: found.staged_at,
      entry: {
        type: "cells",
        file: found.name,
        sheet: found.sheet,
        row: rowNumberOf(id),
        input: inputOf(id),
        contentHash: found.content_hash,
        header: JSON.parse(found.header) as string[],
        cells,
        ...(kinds === null ? {} : { kinds }),
      },
    };
  };
}

type ArchivedCells = ReturnType<typeof createArchivedCells>;

function pruneAlone(database: Database, archive: string, before: number, archived: ArchivedCells): number {
  const settled = database.prepare<[number], { id: number; cells: string; kinds: string | null }>(
    `SELECT c.row_id AS id, c.cells, c.kinds FROM row_cells c JOIN rows r ON r.id = c.row_id
     WHERE c.row_id > ? AND r.settled IS NOT NULL ORDER BY c.row_id LIMIT ${CHUNK}`,
  );
  const remove = database.prepare<[number]>("DELETE FROM row_cells WHERE row_id = ?");
  let count = 0;
  let after = 0;
  for (;;) {
    const found = settled.all(after);
    const last = found.at(-1);
    if (last === undefined) return count;
    after = last.id;
    const moved = found.flatMap(({ id, cells, kinds }) => {
      const kept = {
        cells: JSON.parse(cells) as string[],
        kinds: kinds === null ? null : (JSON.parse(kinds) as CellKind[]),
      };
      const one = archived(id, kept, before);
      return one === null ? [] : [{ id, one }];
    });
    if (moved.length === 0) continue;
    appendToArchive(
      archive,
      moved.map(({ one }) => one),
    );
    database.transaction(() => moved.forEach(({ id }) => remove.run(id))).immediate();
    count += moved.length;
  }
}

function prunePages(database: Database, archive: string, before: number, archived: ArchivedCells): number {
  const pages = createCellPages(database);
  const open = createOpenRows(database);
  let count = 0;
  let moved: Archived[] = [];
  let rewritten: { page: CellPage; kept: CellPage["rows"] }[] = [];
  const write = (): void => {
    appendToArchive(archive, moved);
    database.transaction(() => rewritten.forEach(({ page, kept }) => pages.keepOnly(page, kept))).immediate();
    count += moved.length;
    moved = [];
    rewritten = [];
  };
  for (let page = pages.after(0); page !== null; page = pages.after(page.last)) {
    const stillOpen = open.within(page.first, page.last, before);
    const kept: CellPage["rows"] = [];
    for (const row of page.rows) {
      const group = stillOpen.has(row.id) ? [] : [row, ...row.members].map((one) => archived(one.id, one.kept, before));
      const gone = group.filter((one) => one !== null);
      if (gone.length === 0) kept.push(row);
      else moved.push(...gone);
    }
    if (kept.length < page.rows.length) rewritten.push({ page, kept });
    if (moved.length >= CHUNK) write();
  }
  if (moved.length > 0) write();
  return count;
}
