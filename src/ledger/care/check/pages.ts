/** Pages that hold many rows each: cells of open rows, and known rows. Each can be read, and holds what its columns say. */
import type { LedgerDatabase } from "../../ledger-database.js";
import { unpackLinks } from "../../stage/known-rows.js";
import { cellPageAfter } from "../../stage/row-cells.js";
import { inputOf } from "../../rows.js";
import { IMPORT_AGAIN, type LedgerPromise, ONLY_CELLS } from "./promise.js";

const KNOWN_AGAIN =
  "What was sent is not touched by it. Edit the mapping (a comment will do, so that the file counts as new) and import the file again: its rows are known by their keys.";

/** Why a page of rows cannot be right; null: it can. `before`: the last row of the page before it. */
function faultOf(page: { first: number; last: number; ids: readonly number[] }, before: number): string | null {
  const { first, last, ids } = page;
  if (ids[0] !== first || ids.at(-1) !== last) return "does not hold the rows that it says";
  if (ids.some((id, index) => index > 0 && id < (ids[index - 1] ?? 0))) return "has its rows out of order";
  if (inputOf(first) !== inputOf(last)) return "holds rows of two files";
  return first <= before ? "overlaps the one before it" : null;
}

const pageName = (first: number): string => `the page from row ${first % 2 ** 32} of input ${inputOf(first)}`;

function* brokenCellPages(database: LedgerDatabase): Generator<string> {
  const firsts = database.values<number>("SELECT first_row FROM cell_pages ORDER BY first_row");
  let before = -1;
  for (const first of firsts) {
    let fault: string | null;
    try {
      const page = cellPageAfter(database, first - 1);
      fault =
        page === null
          ? null
          : faultOf(
              { ...page, ids: page.rows.flatMap(({ id, members }) => [id, ...members.map((member) => member.id)]) },
              before,
            );
      before = page?.last ?? before;
    } catch {
      fault = "cannot be read";
    }
    if (fault !== null) yield `${pageName(first)} ${fault}`;
  }
}

interface KnownPage {
  first_row: number;
  last_row: number;
  lowest_event: number;
  highest_event: number;
  links: Buffer;
}

function* brokenKnownPages(database: LedgerDatabase): Generator<string> {
  const pages = database.each<KnownPage>("SELECT * FROM known_rows ORDER BY first_row");
  let before = -1;
  for (const { first_row: first, last_row: last, lowest_event, highest_event, links } of pages) {
    const found = [...unpackLinks(first, links)];
    const fault = faultOf({ first, last, ids: found.map(({ row }) => row) }, before);
    const outside = found.some(({ event }) => event < lowest_event || event > highest_event);
    before = last;
    if (fault !== null) yield `${pageName(first)} ${fault}`;
    else if (outside) yield `${pageName(first)} names events outside of what it says`;
  }
}

export const pagePromises: readonly LedgerPromise[] = [
  { name: "every page of cells can be read, and holds its rows", remedy: ONLY_CELLS, broken: brokenCellPages },
  {
    name: "cells are of rows of a file that was imported",
    remedy: IMPORT_AGAIN,
    broken: `SELECT 'the page from row ' || (first_row & 4294967295) || ' of input ' || (first_row >> 32) FROM cell_pages
       WHERE NOT EXISTS (SELECT 1 FROM inputs WHERE id = first_row >> 32)`,
  },
  { name: "every page of known rows holds its rows", remedy: KNOWN_AGAIN, broken: brokenKnownPages },
  {
    name: "what known rows stand for has landed",
    remedy: KNOWN_AGAIN,
    broken: `SELECT 'row ' || (l.row_id & 4294967295) || ' of input ' || (l.row_id >> 32) FROM known_rows k
       JOIN known_links(k.first_row, k.links) l JOIN events_now e ON e.id = l.event_id
       WHERE NOT e.landed`,
  },
];
