/** The rows below a sheet's header, as the pipeline takes them: merges applied, hidden ones left out, one cell a column. */
import type { Problem } from "../../model/problem.js";
import type { CellKind, Row } from "../../model/row.js";
import { columnLetters } from "../header.js";
import { corrupt, reasonOf } from "./fault.js";
import type { SheetHeader } from "./locate-header.js";
import { type Merge, MergeSweep } from "./merges.js";
import { isBlankText, type SheetRow } from "./sheet-row.js";
import { sheetBatches } from "./sheet-stream.js";
import type { Sheet, Workbook } from "./workbook.js";

/** Rows handed over at once: few, so that what is made of them dies young (see `readRows` of CSV). */
const BATCH_ROWS = 64;

export interface RowsSettings {
  header: SheetHeader;
  merges: readonly Merge[];
  fillMerged: boolean;
  /** As in the options; null: hidden rows are read, and that is said. */
  hidden: "read" | "skip" | null;
  /** Gets a sentence about hidden rows once all rows are read. */
  notes: string[];
}

/** @throws RowferryError where the rest cannot be read; what came before it is then worth nothing (HARD-CASES H14). */
export async function* sheetRows(workbook: Workbook, sheet: Sheet, settings: RowsSettings): AsyncGenerator<Row[]> {
  const finisher = new RowFinisher(settings);
  for await (const batch of sheetBatches(workbook, sheet, settings.header.width)) {
    let rows: Row[];
    try {
      rows = finisher.finish(batch.rows);
    } catch (cause) {
      throw corrupt(workbook.parts.file.name, reasonOf(cause), { sheet: sheet.name, cause });
    }
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      yield rows.length <= BATCH_ROWS ? rows : rows.slice(start, start + BATCH_ROWS);
    }
  }
  await workbook.parts.file.checkUnchanged();
  settings.notes.push(...finisher.notes());
}

class RowFinisher {
  readonly #settings: RowsSettings;
  readonly #sweep: MergeSweep;
  readonly #positions: Map<number, number>;
  /** Whether position and column are the same everywhere. */
  readonly #straight: boolean;
  readonly #pure: boolean;
  #hiddenRows = 0;
  #firstHidden = 0;
  #below = false;

  constructor(settings: RowsSettings) {
    this.#settings = settings;
    this.#sweep = new MergeSweep(settings.merges, settings.fillMerged);
    const { columns, width } = settings.header;
    this.#positions = new Map(columns.map((column, position) => [column, position]));
    this.#straight = columns.length === width;
    this.#pure = this.#straight && settings.merges.length === 0;
  }

  /** @throws Error (plain) when rows from above the header come below it. */
  finish(rows: SheetRow[]): Row[] {
    const { header, merges, hidden } = this.#settings;
    const finished: Row[] = [];
    for (const row of rows) {
      const wasBlank = merges.length > 0 && isBlankRow(row, this.#positions);
      this.#sweep.apply(row, header.width);
      if (header.lastRow !== null) {
        if (row.number === header.lastRow) this.#below = true;
        else if (row.number < header.lastRow && this.#below) {
          throw new Error(`row ${row.number} stands behind the header in row ${header.lastRow}`);
        }
        if (row.number <= header.lastRow) continue;
      }
      if (wasBlank) continue;
      if (row.hidden) this.#countHidden(row);
      this.#finishRow(row, finished, hidden === "skip" && row.hidden);
    }
    return finished;
  }

  notes(): string[] {
    const { hidden } = this.#settings;
    if (this.#hiddenRows === 0 || hidden === "read") return [];
    const what =
      this.#hiddenRows === 1
        ? `Row ${this.#firstHidden} is hidden`
        : `${this.#hiddenRows} rows are hidden, the first of them row ${this.#firstHidden}`;
    return [hidden === "skip" ? `${what}: skipped.` : `${what}: read; \`excel: { hidden: skip }\` skips hidden rows.`];
  }

  #countHidden(row: SheetRow): void {
    if (this.#hiddenRows++ === 0) this.#firstHidden = row.number;
  }

  #finishRow(row: SheetRow, finished: Row[], leftOut: boolean): void {
    const { columns } = this.#settings.header;
    if (!this.#straight) {
      const { cells, kinds } = row;
      row.cells = columns.map((column) => cells[column] ?? "");
      row.kinds = kinds === null ? null : columns.map((column) => kinds[column] ?? "text");
    } else {
      while (row.cells.length < columns.length) {
        row.cells.push("");
        row.kinds?.push("text");
      }
    }
    const problems = leftOut ? null : this.#problems(row);
    // Rows come filled; only columns left out, or covered by merges, can have blanked one.
    if (!this.#pure && problems === null && row.cells.every(isBlankText)) return;
    const kinds: CellKind[] | null = row.kinds;
    finished.push({
      number: row.number,
      cells: row.cells,
      kinds,
      problems,
      ...(leftOut ? { leftOut: "hidden in its sheet" } : {}),
    });
  }

  /** The faults of the columns that are read; those of hidden ones are left out with them. */
  #problems({ faults }: SheetRow): Problem[] | null {
    if (faults === null) return null;
    const { texts, isHidden } = this.#settings.header;
    const problems = faults.flatMap(({ column, code, message }) => {
      if (isHidden(column)) return [];
      const position = this.#positions.get(column);
      const header = position === undefined ? "" : (texts[position] ?? "");
      const hint = code === "row-long" ? "Give the column a heading, or clear the cell." : null;
      return [{ code, message, hint, column: header === "" ? columnLetters(column + 1) : header }];
    });
    return problems.length === 0 ? null : problems;
  }
}

function isBlankRow({ cells, faults }: SheetRow, positions: ReadonlyMap<number, number>): boolean {
  return faults === null && cells.every((cell, column) => isBlankText(cell) || !positions.has(column));
}
