/**
 * A mapping file, compiled: which input a file belongs to, and a function from rows to records. Pure: touches no
 * network and no ledger, and gives the same records for the same rows on any machine.
 */
import type { ReadOptions } from "../model/dialect.js";
import type { MappedRow } from "../model/mapped-row.js";
import type { Row } from "../model/row.js";
import type { KeyMakers } from "./fingerprints.js";
import type { MappingProblem } from "./language/source.js";
import type { SettingsSpec } from "./language/mapping-schema.js";

/** Choices that a mapping makes for staging, planning and submitting. Stored with the inputs, so that `resume` needs no mapping. */
export interface MappingSettings {
  /** One natural key with different data: which one stands (DESIGN section 5). Default `first`. */
  identity: "first" | "last" | "reject";
  /** Send participantId/addressId, or the inline objects. Default `registered`. */
  references: "registered" | "inline";
  creation: "with-events" | "shell-first";
  linkTime: "event" | "server";
  participants: { strategy: "lookup-first" | "create-first"; foreign: "use" | "create" | "refuse" };
  addresses: { extendedFields: boolean };
  /** HARD-CASES H14. */
  unplacedRows: "report" | "hold";
  /** externalId from the second generation on, with `{externalId}` and `{generation}` in it; null: as before (open-points 26). */
  replacementExternalId: string | null;
  /** Late rows: refused (default), or moved to the earliest permitted time, keeping the original in an attribute of this name. */
  late: { refuse: true } | { refuse: false; attribute: string; isPublic: boolean };
}

export interface MappingInput {
  /** Its name under `inputs:`. */
  name: string;
  read: ReadOptions;
  /** Whether rows name themselves with `rowId`. */
  hasRowId: boolean;
  /** The columns that its fields read: for each the mapping's own name, then other headers under which it may come. */
  columns: readonly (readonly string[])[];
  /**
   * Binds the mapping's columns to a table's header.
   * @throws RowferryError naming every column that is missing or ambiguous, with the nearest header.
   */
  bind(header: string[], place: { file: string; sheet: string | null }): RowMapper;
}

export interface RowMapper {
  /** Headers of the table that no field uses, in file order. */
  unmapped: string[];
  /** How the mapping reads each column of the table, in file order: `number`; null: not at all. */
  types: (string | null)[];
  /** What the mapping makes of a text in the column at that position; null: it reads no column there, or cannot read the text. Not while a row is mapped. */
  read(index: number, text: string): string | null;
  /** Rows in file order; a group still open at the end of `rows` comes with a later call. */
  map(rows: readonly Row[]): MappedRow[];
  /** Closes the last group. */
  end(): MappedRow[];
}

export interface Mapping {
  path: string;
  /** File name without folder and extension. */
  name: string;
  namespace: string;
  inputs: MappingInput[];
  settings: MappingSettings;
  /**
   * Fingerprint of what makes the keys of one kind of event, or of one kind of document (HARD-CASES H25): namespace,
   * key fields, conversions, zone, algorithm version. By `manifest` (document) or `manifest/pickup` (event).
   */
  fingerprints: ReadonlyMap<string, string>;
  /** What else keys are made of. */
  keyMakers: KeyMakers;
  /** What is valid and yet seldom meant (`key: content`), with its place; `check` shows it. */
  warnings: readonly MappingProblem[];
  /** The module of functions that it runs; null: none. */
  functions: string | null;
  /** Files beside the mapping that it uses (tables, function modules), as paths. */
  dependencies: readonly string[];
  /**
   * The inputs that read this file (several only for the sheets of one workbook); of a corrected file always one, whose
   * rows it holds. @throws RowferryError when none or an ambiguous number fits.
   */
  inputsFor(fileName: string, corrected?: CorrectedOrigin): MappingInput[];
  /** The same for standard input, whose name says nothing: by its kind, where that tells. @throws RowferryError when it does not. */
  inputsForNameless(format: "csv" | "xlsx"): MappingInput[];
}

/** What is known of where the rows of a corrected file come from, beside its name. */
export interface CorrectedOrigin {
  /** The input of this mapping that had read them; null: not known. */
  input: string | null;
  sheet: string | null;
}

export function fillSettings(spec: SettingsSpec = {}): MappingSettings {
  return {
    identity: spec.identity ?? "first",
    references: spec.references ?? "registered",
    creation: spec.creation ?? "with-events",
    linkTime: spec.linkTime ?? "event",
    participants: {
      strategy: spec.participants?.strategy ?? "lookup-first",
      foreign: spec.participants?.foreign ?? "use",
    },
    addresses: { extendedFields: spec.addresses?.extendedFields ?? false },
    unplacedRows: spec.unplacedRows ?? "report",
    replacementExternalId: spec.replacementExternalId ?? null,
    late: spec.late === undefined || spec.late === "refuse" ? { refuse: true } : { refuse: false, ...spec.late },
  };
}
