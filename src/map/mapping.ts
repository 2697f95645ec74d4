/**
 * A compiled mapping: which input reads a file, and how rows become records. Pure: the same rows give the same records
 * on any machine.
 */
import type { ReadOptions } from "../model/dialect.js";
import type { MappedRow } from "../model/records.js";
import type { CellKind, CellLook, Row } from "../model/row.js";
import type { KeyMakers } from "./fingerprints.js";
import type { MappingProblem } from "./language/source.js";
import type { MappingSpec } from "./language/mapping-schema.js";

/** Stored with the inputs, so that `resume` needs no mapping. */
export type MappingSettings = MappingSpec["settings"];

export interface MappingInput {
  name: string;
  /** Patterns of the names of its files; null: any file of its format. */
  files: readonly string[] | null;
  read: ReadOptions;
  /** For each column the mapping's name, then its possible headers. */
  columns: readonly (readonly string[])[];
  /** The same rows in another file, or sheet, may be other records: its formulas name them. */
  names: { file: boolean; sheet: boolean };
  /**
   * `isPart`: a header of the columns that matter, as cases have it; sets of columns may then be empty.
   * @throws RowferryError naming every missing or ambiguous column, with the nearest header.
   */
  bind(header: string[], place: { file: string; sheet: string | null }, isPart?: boolean): RowMapper;
}

export interface RowMapper {
  /** In file order. */
  unmapped: string[];
  /** Optional columns that the file lacks. */
  absent: string[];
  /** By column of the file: `number`; null: not read. */
  types: (string | null)[];
  /** By column of the file: where its local times are from, `America/Manaus`; null: it holds no times. */
  zones: (string | null)[];
  /** What the mapping makes of a text, or a typed cell, in the column at that position; null: it reads no column there, or cannot read the text. Not while a row is mapped. */
  read(index: number, text: string, kind?: CellKind, look?: CellLook | null): string | null;
  /** A typed cell at that position as a person would type it there: a text of the same value, else the cell as it is. Not while a row is mapped. */
  spell(index: number, cell: string, kind: CellKind, look?: CellLook | null): string;
  /** In file order; a group still open at the end comes with a later call. */
  map(rows: readonly Row[]): MappedRow[];
  end(): MappedRow[];
}

export interface Mapping {
  path: string;
  name: string;
  namespace: string;
  inputs: MappingInput[];
  settings: MappingSettings;
  keyMakers: KeyMakers;
  /** Valid but seldom meant (`key: content`); shown by `check`. */
  warnings: readonly MappingProblem[];
  /** Paths of tables, function modules and mappings that it extends. */
  dependencies: readonly string[];
  /** Those of them that are tables. */
  tables: readonly string[];
  /**
   * Several only for sheets of one workbook; for a corrected file always one. @throws RowferryError if none fits, or
   * more than one.
   */
  inputsFor(fileName: string, corrected?: CorrectedOrigin): MappingInput[];
  /** By format, because standard input has no name. @throws RowferryError if that leaves several. */
  inputsForNameless(format: "csv" | "xlsx"): MappingInput[];
}

/** Where the rows of a corrected file come from. */
export interface CorrectedOrigin {
  /** Null: not known. */
  input: string | null;
  sheet: string | null;
}
