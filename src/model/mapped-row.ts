import type { Problem } from "./problem.js";
import type { Records } from "./records.js";

/**
 * What an invalid row shows of its event, so that it holds no more than necessary (H13–H15). `event: null` holds the
 * whole document.
 */
export interface Placement {
  /** `documentId`: the service's id, if the mapping gives it. */
  document: { kind: string; key: string; documentId?: string | null };
  /** Null: unknown. */
  event: string | null;
  /** [] for `once`; null: unreadable, or by content. */
  keyParts: string[] | null;
  /** In ms; null: unreadable, so it holds everything of its document. */
  at: number | null;
  /** The document that the event would create: without it, rows of its own would. Absent: none, or unknown. */
  target?: { kind: string; key: string } | undefined;
}

/** A participant or address that an invalid row would bring, as other rows refer to it. */
export interface PromisedParty {
  party: "participant" | "address";
  kind: string;
  key: string;
}

/** A mapped row or group: whole, or not at all. */
export interface MappedRow {
  /** The first row's number. */
  row: number;
  /** The group's other rows, ascending. */
  alsoRows: number[];
  /** Identifies a group that makes one event by content, or over which something is computed; absent or null: not such a group. */
  group?: string | null;
  /** Null: the mapping has no `rowId`. */
  rowId: string | null;
  outcome:
    | { fate: "skipped"; reason: string; warnings: Problem[] }
    | { fate: "invalid"; problems: Problem[]; placements: Placement[]; parties: PromisedParty[] }
    | { fate: "valid"; records: Records; warnings: Problem[] };
}
