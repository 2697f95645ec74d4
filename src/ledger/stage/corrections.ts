/** Finds out what the rows of a corrected file correct, by their `rowferry_row` column. */
import { RowferryError } from "../../model/error.js";
import { listed } from "../../model/fold.js";
import { isOwnColumn, ownPosition } from "../../model/own-columns.js";
import { describePlace } from "../../model/place.js";
import type { Row } from "../../model/row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import {
  describeRow,
  groupOf,
  headerBeside,
  inputOf,
  latestOf,
  leadOf,
  parseRowReference,
  rowId,
  rowNumberOf,
} from "../rows.js";
import { EVENTS_OF_ROW } from "../known-rows.js";
import { cellHash, createCells } from "./row-cells.js";
import type { Staging } from "./staging.js";
import type { CorrectedRow } from "./take-back.js";

/** `lead` and `others`: first rows of corrected groups, all of whose rows are among `rows`. */
export interface Correction {
  /** The row that the file names; `lead` is its newest version. */
  referred: number;
  lead: number;
  /** Other groups whose rows were joined into this one. */
  others: number[];
  rows: (CorrectedRow & { row: Row })[];
  /**
   * A person has written `ok` in place of its code: what could not be read with certainty, and its key, are as they
   * should be.
   */
  isConfirmed: boolean;
}

/** Null: the file has no such column. */
export function createCorrections(
  database: LedgerDatabase,
  { inputId, header, place, inputsOfImport, correctedByImport, originalCells }: Staging,
) {
  const column = ownPosition(header, "rowferry_row");
  if (column < 0) return null;
  const codeColumn = ownPosition(header, "rowferry_code");

  const placeOf = (row: number) => ({ file: place.file, sheet: place.sheet ?? undefined, row });

  /** In one file a row may be divided in two. @throws RowferryError `corrected-twice` */
  const refuseSecond = (leads: readonly number[], rows: readonly Row[]) => {
    const row = rows[0]?.number ?? 0;
    const cells = cellHash(rows.flatMap(originalCells));
    for (const lead of leads) {
      const before = correctedByImport.get(lead);
      if (before !== undefined && before.input !== inputId && !before.cells.equals(cells)) {
        const message = `this row and ${before.place} both correct ${before.first}, and differ`;
        throw new RowferryError("corrected-twice", message, { place: placeOf(row) });
      }
      // A row of another file of this import finds the newest version, which is this one.
      const first = before?.first ?? describeRow(database, lead);
      const own = { input: inputId, first, place: describePlace(placeOf(row)), cells };
      correctedByImport.set(lead, own).set(rowId(inputId, row), own);
    }
  };

  const incomplete = (row: number, first: number, missing: readonly number[]): RowferryError => {
    const isOne = missing.length === 1;
    const which = `${isOne ? "row" : "rows"} ${listed(missing.map(String), 20)} of it ${isOne ? "is" : "are"}`;
    const message = `these rows correct the group that began in row ${first} of its file, but ${which} not among them`;
    return new RowferryError("group-incomplete", message, { place: placeOf(row) });
  };

  /** A valid row of another file of this import is no version that these rows correct: the two may contradict each other. */
  const newest = (row: number) => {
    const latest = latestOf(database, row, inputId);
    const isBeside =
      inputsOfImport.has(inputOf(latest)) && inputOf(latest) !== inputId && !correctedByImport.has(latest);
    return isBeside && !database.has("SELECT 1 FROM invalid_rows WHERE id = @latest", { latest }) ? row : latest;
  };

  return {
    /**
     * Null: these rows correct nothing here. A group must come whole, because part of it may be valid and wrong.
     * @throws RowferryError `group-incomplete`, `corrected-twice`
     */
    of(rows: readonly Row[]): Correction | null {
      const corrected = rows.flatMap((row): Correction["rows"] => {
        const before = referredTo(database, row.cells[column] ?? "");
        return before === null ? [] : [{ before, cells: originalCells(row), row }];
      });
      const [lead, ...others] = new Set(corrected.map(({ before }) => leadOf(database, before)));
      if (lead === undefined) return null;
      const there = new Set(corrected.map(({ before }) => before));
      for (const first of [lead, ...others]) {
        const missing = groupOf(database, first)
          .filter((id) => !there.has(id))
          .map(rowNumberOf);
        if (missing.length > 0) throw incomplete(rows[0]?.number ?? 0, rowNumberOf(first), missing);
      }
      const [latest, ...joined] = [lead, ...others].map(newest);
      if (latest === undefined) return null;
      const confirmed = isConfirmed(rows.map(({ cells }) => cells[codeColumn]?.trim().toLowerCase() ?? ""));
      // Another person's copy of the rejected file, in which this row is as it was, corrects nothing.
      const isAsRejected = database
        .value<Buffer>("SELECT cell_hash FROM rows WHERE id = @lead", { lead })
        ?.equals(cellHash(rows.flatMap(originalCells)));
      if (confirmed || isAsRejected !== true) refuseSecond([latest, ...joined], rows);
      return {
        referred: lead,
        lead: latest,
        others: joined,
        rows: corrected.map((one) => ({ ...one, before: newest(one.before) })),
        isConfirmed: confirmed,
      };
    },
  };
}

/** In a group, only the first row has a code. */
function isConfirmed(codes: readonly string[]): boolean {
  return codes.includes("ok") && codes.every((code) => code === "ok" || code === "");
}

/** Null: this ledger has no such row. */
function referredTo(database: LedgerDatabase, cell: string): number | null {
  const reference = parseRowReference(cell);
  if (reference === null) return null;
  const { hashPrefix: hash, row } = reference;
  const isThere = database.has(
    `SELECT 1 FROM inputs WHERE id = @input AND substr(content_hash, 1, 8) = @hash AND (
       EXISTS (SELECT 1 FROM rows WHERE id = @row) OR EXISTS (SELECT 1 FROM row_records WHERE row_id = @row)
       OR EXISTS (${EVENTS_OF_ROW}))`,
    { input: inputOf(row), hash, row },
  );
  return isThere ? row : null;
}

/**
 * Where the rows of a corrected file were first, for formulas that name the place: a corrected file of a corrected file leads
 * back to the same row. Null: the file corrects nothing. A row gets undefined if this ledger does not know it.
 */
export function createFirstPlaces(database: LedgerDatabase, header: readonly string[]) {
  const column = ownPosition(header, "rowferry_row");
  if (column < 0) return null;
  const kept = createCells(database);
  const inputs = new Map<number, { file: string; sheet: string | null; own: number } | null>();
  const inputAt = (id: number) => {
    const known = inputs.get(id);
    if (known !== undefined) return known;
    const select = "SELECT name AS file, sheet, header FROM inputs WHERE id = @id";
    const found = database.row<{ file: string; sheet: string | null; header: string }>(select, { id });
    const input = found && { ...found, own: referencePosition(found.header) };
    inputs.set(id, input);
    return input;
  };
  const find = (row: number | null): Row["corrects"] => {
    const input = row === null ? null : inputAt(inputOf(row));
    if (row === null || input === null) return undefined;
    const { file, sheet, own } = input;
    if (own < 0) return { file, sheet, row: rowNumberOf(row) };
    const cell = kept.of(row)?.cells[own];
    // A correction is younger than what it corrects.
    const before =
      cell === undefined
        ? database.value<number>("SELECT min(id) FROM rows WHERE settled_by = @row AND id < @row", { row })
        : referredTo(database, cell);
    return before === null || before >= row ? undefined : find(before);
  };
  return ({ cells }: Pick<Row, "cells">) => find(referredTo(database, cells[column] ?? ""));
}

export function withoutOwnColumns(header: readonly string[]): (cells: readonly string[]) => string[] {
  const own = new Set(header.flatMap((name, position) => (isOwnColumn(name) ? [position] : [])));
  return (cells) => cells.filter((_, position) => !own.has(position));
}

/** The same for rows of that row's file. */
export function originalCellsBeside(database: LedgerDatabase, row: number): ReturnType<typeof withoutOwnColumns> {
  return withoutOwnColumns(headerBeside(database, row) ?? []);
}

/** `header`: a JSON array, as the ledger keeps it. */
const referencePosition = (header: string): number => ownPosition(JSON.parse(header) as string[], "rowferry_row");

export const isReferenceHeader = (header: string): boolean => referencePosition(header) >= 0;
