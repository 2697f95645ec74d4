/** What an input is staged with, and what the parts of its stager share. */
import type { Problem } from "../../model/problem.js";
import type { CellKind, CellLook, Row } from "../../model/row.js";
import type { KnownRows } from "../known-rows.js";
import type { FileStates } from "./earlier-files.js";
import type { References } from "./references.js";

export type IdentityPolicy = "first" | "last" | "reject";

/** The rows that an import has corrected, and those that correct them. `first`: the corrected one, in words. */
export type CorrectedByImport = Map<number, { input: number; first: string; place: string; cells: Buffer }>;

export interface StageOptions {
  inputId: number;
  namespace: string;
  settingsId: number;
  identity: IdentityPolicy;
  /** Absent: further address fields are kept, but not sent. */
  extendedFields?: boolean;
  /** What a row without a known document holds (H14). */
  unplacedRows: "report" | "hold";
  now: number;
  /** Two rows of one import that disagree on an event are both in question. */
  inputsOfImport: ReadonlySet<number>;
  /** Landed events that a row of this import contradicts: another row that repeats what landed does not settle that. */
  changedByImport: Set<number>;
  correctedByImport: CorrectedByImport;
  /** Our own columns (`rowferry_…`) identify a corrected file. */
  header: readonly string[];
  /** Whether formulas name the file or the sheet: equal cells of two documents are then two rows. */
  namesPlace: boolean;
  /** For messages. */
  place: { file: string; sheet: string | null };
  /** Whether the mapping has a use for a column of this name. */
  reads(heading: string): boolean;
  /** What the mapping makes of a text in the column at that position; null: it cannot read it, or reads no column there. */
  read(index: number, text: string): string | null;
  /** A text that it reads as a workbook's cell at that position. */
  spell(index: number, cell: string, kind: CellKind, look?: CellLook | null): string;
  /** Reports a warning before anything is sent. */
  notify?(problem: Problem): void;
}

export interface Staging extends StageOptions {
  references: References;
  knownRows: KnownRows;
  states: FileStates;
  /** The first of the rows being staged. */
  row(): number;
  /** Rows that the rows being staged replace. */
  superseded(): readonly number[];
  /** Earlier versions of the rows being staged, from which nothing was sent. */
  versions(): readonly number[];
  /** Whether the import that brought it was refused: what it declares may be wrong. */
  isRefused(row: number | null): boolean;
  /** Without our own columns. */
  originalCells(row: Readonly<Row>): string[];
  /** As an error it makes the row invalid. `of`: the record that it is about, as well as the row. */
  report(
    problem: Problem,
    severity: "error" | "warning",
    of?: { subject: "event" | "document"; subject_id: number },
  ): void;
}
