/** What `show` finds, as plain data: times in ISO 8601, ids and reasons as they stand in the ledger. */
import type { JsonObject } from "../../../model/json.js";

/** A row as SQLite gives it, with these columns of JSON text as what they hold. */
export function parsed<Row>(row: object, ...fields: (keyof Row & string)[]): Row {
  const json = fields.map((field) => [field, JSON.parse(String((row as Row)[field])) as unknown]);
  return { ...row, ...Object.fromEntries(json) } as Row;
}

export interface ShownAttempt {
  number: number;
  startedAt: string;
  durationMs: number;
  status: number | null;
  /** Why no answer came; null when one did. */
  failure: string | null;
  /** The service's codes, separated by blanks. */
  codes: string | null;
  message: string | null;
  /** The body of a refusal, up to 4 KiB. */
  raw: string | null;
  requestIds: string[];
  inDoubt: boolean;
}

export interface ShownRequest {
  id: number;
  run: string;
  kind: string;
  /** `manifest 123`, `participant CNPJ 11222333000181`. */
  subject: string;
  intendedAt: string;
  finishedAt: string | null;
  /** Null: no outcome was written; what it carried is in doubt. */
  result: string | null;
  /** How many events it carried. */
  events: number;
  /** Empty where they were pruned. */
  attempts: ShownAttempt[];
}

/** A person's word about something that was in doubt. */
export interface ShownDecision {
  at: string;
  by: string;
  said: "landed" | "not-landed" | "document-id";
}

export interface ShownEvent {
  document: { kind: string; key: string; generation: number; documentId: string | null };
  /** Name in the mapping. */
  event: string;
  keyParts: string[];
  /** The service's name. */
  name: string;
  /** When it took place (externalCreatedAt). */
  at: string;
  state: string;
  reason: string | null;
  /** What it waits for, in words; null: nothing. */
  waitsFor: string | null;
  dismissed: boolean;
  /** Of one that is `changed`: what differs from what has landed; empty: the ledger does not have what landed. */
  changes: { field: string; landed: string | null; now: string | null }[];
  deduplicationId: string;
  eventId: string | null;
  targetDocumentId: string | null;
  /** `march.csv, row 17`, of every input that held it. */
  rows: string[];
  /** What the service or the plan said of it, oldest first. */
  messages: string[];
  /** Oldest first. */
  decisions: ShownDecision[];
  /** When it was last sent; null: never, or its requests are in the archive. */
  sentAt: string | null;
  /** When its state was last decided; null: it is as staged. */
  decidedAt: string | null;
  /** Whether the ledger still has the body. */
  hasPayload: boolean;
}

export interface ShownDocument {
  kind: string;
  key: string;
  namespace: string;
  generation: number;
  /** Whether a later generation has taken its place. */
  replaced: boolean;
  state: string;
  reason: string | null;
  documentId: string | null;
  deduplicationId: string;
  /** The newest event known to be on its timeline. */
  lastAt: string | null;
  /** The row that declared it; null: none has. */
  declaredBy: string | null;
  messages: string[];
  /** About the document itself, oldest first. */
  decisions: ShownDecision[];
  /** Of all of them, by state. */
  eventCounts: { [state: string]: number };
  /** In time order, as the timeline has or will have them: the newest 50, or all where all were asked for. */
  events: ShownEvent[];
  /** Invalid rows that belong to it and were not settled. */
  holds: string[];
  /** Newest last; at most the last 50. */
  requests: ShownRequest[];
}

export interface ShownRow {
  file: string;
  sheet: string | null;
  row: number;
  path: string;
  /** Of the file; tells inputs of one name apart. */
  contentHash: string;
  mapping: string;
  stagedAt: string;
  /** `skipped`, `invalid`, `known`, `staged`. */
  fate: string;
  reason: string | null;
  /** `corrected`, `superseded`, `dismissed`; null: not settled by anything that came later. */
  settled: string | null;
  /** The row that has come instead, such as `march.csv, row 17`; null: none has, or it is not known. */
  settledBy: string | null;
  /** The first row of its group; null: it stands alone or is the first. */
  groupOf: number | null;
  problems: { severity: string; code: string; column: string | null; message: string; hint: string | null }[];
  /** By header, also from the archive; null where they are nowhere: all has landed. */
  cells: { [header: string]: string } | null;
  /** Also those of earlier and later generations. */
  events: ShownEvent[];
  records: ShownRegistration[];
}

export interface ShownRegistration {
  record: "participant" | "address";
  /** Its natural key, in words. */
  name: string;
  state: string;
  reason: string | null;
  id: string | null;
  snapshotId: string | null;
  /** `created`, `found`, `given`; null: not registered. */
  origin: string | null;
  data: JsonObject;
  geography: JsonObject | null;
  declaredBy: string | null;
  changedAt: string | null;
  messages: string[];
  requests: ShownRequest[];
}

export interface ShownRun {
  name: string;
  command: string;
  mapping: string | null;
  startedAt: string;
  /** Null while it goes on, or when it was killed. */
  finishedAt: string | null;
  exitCode: number | null;
  inputs: {
    name: string;
    sheet: string | null;
    read: number;
    skipped: number;
    invalid: number;
    known: number;
    staged: number;
  }[];
  /** Requests by kind. */
  requests: { [kind: string]: number };
  /** Events it sent, by the state they are in now. */
  events: { [state: string]: number };
}

export interface Shown {
  documents: ShownDocument[];
  rows: ShownRow[];
  registrations: ShownRegistration[];
  runs: ShownRun[];
  requests: ShownRequest[];
  /** The event that was asked for by an id of its own. */
  event: ShownEvent | null;
  /** Bodies of landed events that were pruned. */
  archived: JsonObject[];
}
