/** Records of one row while they are made: how they are built, shared between rows, and referred to. */
import type {
  AddressRecord,
  AddressRef,
  DocumentRecord,
  ParticipantRecord,
  ParticipantRef,
} from "../../model/records.js";
import type { BoundColumns, ColumnUse } from "../value/columns.js";
import type { RowView } from "../value/row-view.js";

/** A record and how others refer to it. Shared by rows whose cells are the same; never changed. */
export interface Entity<Entry, Ref> {
  record: Entry;
  ref: Ref;
}

/** Undefined: it does not exist in this row. Null: it could not be made; why has been reported. */
export type Made<T> = T | undefined | null;

export type ParticipantEntity = Entity<ParticipantRecord, ParticipantRef>;
export type AddressEntity = Entity<AddressRecord, AddressRef>;

/** What one row has yielded so far, in the order of the mapping. */
export interface RowRecords {
  participants: Made<ParticipantEntity>[];
  addresses: Made<AddressEntity>[];
  documents: Made<DocumentRecord>[];
}

/** Part of a record, to be bound to a header. */
export interface Part<T> {
  /** Every column it depends on, those of the records it refers to included. */
  uses: ColumnUse[];
  bind(columns: BoundColumns): Build<T>;
}

export type Build<T> = (view: RowView, records: RowRecords) => Made<T>;

/** What a row's records can refer to by name alone. */
export interface Locals {
  /** In the order of the mapping; null: the definition has mistakes of its own. */
  participants: Map<string, Part<ParticipantEntity> | null>;
  addresses: Map<string, Part<AddressEntity> | null>;
  documents: Map<string, Part<DocumentRecord> | null>;
}

/** The first position of a name in a map's order; -1: not there. */
export function positionOf(names: ReadonlyMap<string, unknown>, name: string): number {
  let position = 0;
  for (const known of names.keys()) {
    if (known === name) return position;
    position++;
  }
  return -1;
}
