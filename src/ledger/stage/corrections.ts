/** What the rows of a corrected file correct, told by their own column (DESIGN section 7). */
import { RowferryError } from "../../model/error.js";
import type { Row } from "../../model/row.js";
import { parseRowReference, rowNumberOf } from "../row-id.js";
import type { CorrectedRow, RowWithdrawal } from "./withdraw-rows.js";

/** `lead` and `others`: first rows of what is corrected, each with all rows of its group among `rows`. */
export interface Correction {
  /** The row that its own column names; `lead` is what has come instead of it since, if anything has. */
  referred: number;
  lead: number;
  /** Further groups, whose rows came together in this one. */
  others: number[];
  rows: CorrectedRow[];
}

export interface CorrectionContext {
  header: readonly string[];
  place: { file: string; sheet: string | null };
  /** A row's cells without our own columns. */
  originalCells(row: Row): string[];
  withdrawal: Pick<RowWithdrawal, "rowReferredTo" | "leadOf" | "latestOf">;
  membersOf(lead: number): number[];
}

/** Null: the file has no such column. */
export function createCorrections(context: CorrectionContext) {
  const { header, originalCells, withdrawal, membersOf } = context;
  const column = header.findIndex((name) => name.trim().toLowerCase() === "rowferry_row");
  if (column < 0) return null;

  const incomplete = (row: number, first: number, missing: readonly number[]): RowferryError => {
    const shown = missing.slice(0, 20).join(", ") + (missing.length > 20 ? " …" : "");
    const which = `${missing.length === 1 ? "row" : "rows"} ${shown}`;
    const message = `these rows correct the group that began in row ${first} of its file, but ${which} of it are not among them`;
    const { file, sheet } = context.place;
    return new RowferryError("group-incomplete", message, {
      place: { file, ...(sheet === null ? {} : { sheet }), row },
    });
  };

  /** What has come instead of a row since; of a group, the row that stands in the same place of it. */
  const latestOf = (row: number): number => {
    const lead = withdrawal.leadOf(row);
    const latest = withdrawal.leadOf(withdrawal.latestOf(lead));
    return row === lead ? latest : (membersOf(latest)[membersOf(lead).indexOf(row)] ?? row);
  };

  return {
    /**
     * Null: these rows, of one group, correct nothing that this ledger knows. A group is corrected whole, for what is left of
     * one may be valid, and wrong. @throws RowferryError `group-incomplete`
     */
    of(rows: readonly Row[]): Correction | null {
      const corrected = rows.flatMap((row): CorrectedRow[] => {
        const reference = parseRowReference(row.cells[column] ?? "");
        const before = reference === null ? null : withdrawal.rowReferredTo(reference);
        return before === null ? [] : [{ before, cells: originalCells(row) }];
      });
      const [lead, ...others] = new Set(corrected.map(({ before }) => withdrawal.leadOf(before)));
      if (lead === undefined) return null;
      const there = new Set(corrected.map(({ before }) => before));
      for (const first of [lead, ...others]) {
        const missing = [first, ...membersOf(first)].filter((id) => !there.has(id)).map(rowNumberOf);
        if (missing.length > 0) throw incomplete(rows[0]?.number ?? 0, rowNumberOf(first), missing);
      }
      return {
        referred: lead,
        lead: latestOf(lead),
        others: others.map(latestOf),
        rows: corrected.map(({ before, cells }) => ({ before: latestOf(before), cells })),
      };
    },
  };
}
