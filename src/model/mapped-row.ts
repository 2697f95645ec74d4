import type { Problem } from "./problem.js";
import type { Records } from "./records.js";

/**
 * What can be told of an invalid row's event, so that it holds no more than it must (HARD-CASES H13–H15).
 * An entry with `event: null` holds the whole document.
 */
export interface Placement {
  /** `documentId`: the service's id, where the mapping gives it. */
  document: { kind: string; key: string; documentId?: string | null };
  /** Name in the mapping; null when not even that could be told. */
  event: string | null;
  /** The parts of its key ([] for `once`); null when unreadable or by content. */
  keyParts: string[] | null;
  /** externalCreatedAt in ms; null when unreadable: then it holds everything of its document. */
  at: number | null;
}

/** A row, or a group of consecutive rows, after the mapping: whole, or not at all. */
export interface MappedRow {
  /** The row's number; of a group, its first row's. */
  row: number;
  /** Numbers of the further rows of a group, ascending; empty for a single row. */
  alsoRows: number[];
  /** Of a group from which one event by content is made: what tells it from others; absent or null: it is none. */
  group?: string | null;
  /** The input's `rowId` value; null when the mapping names none. */
  rowId: string | null;
  outcome:
    | { fate: "skipped"; reason: string }
    | { fate: "invalid"; problems: Problem[]; placements: Placement[] }
    | { fate: "valid"; records: Records; warnings: Problem[] };
}
