/** Reads the sandbox from outside: typed for tests, as JSON or text, and its request log. */
import { type DumpOptions, dumpTimelines, timelinesOf } from "./dump.js";
import type { DocumentRecord, EventRecord } from "./records.js";
import type { Store } from "./store.js";

export interface RequestRecord {
  /** On arrival, ms by the injected clock. */
  at: number;
  requestId: string;
  method: string;
  /** The endpoint's template; null: unknown path. */
  path: string | null;
  /** Null: no good token. */
  clientId: string | null;
  /** 0: dropped. */
  status: number;
  /** Null: none. */
  fault: string | null;
}

export interface Statistics {
  /** Includes token requests, but no control requests. */
  requests: number;
  /** 0: dropped connections. */
  statuses: Record<string, number>;
  /** Answers by status, for each endpoint such as `POST /documents/events`. */
  endpoints: Record<string, Record<string, number>>;
  /** Without those of faults. */
  rateLimited: number;
  faults: number;
}

export type RequestLog = ReturnType<typeof requestLog>;

/** `most`: keeps the newest so many. */
export function requestLog(most: number) {
  let records: RequestRecord[] = [];
  const statistics: Statistics = { requests: 0, statuses: {}, endpoints: {}, rateLimited: 0, faults: 0 };
  return {
    statistics,
    records: (): RequestRecord[] => records.slice(-most),
    add(record: RequestRecord): void {
      records.push(record);
      if (records.length >= most * 2) records = records.slice(-most);
      const { statuses, endpoints } = statistics;
      const endpoint = record.path === null ? "unknown path" : `${record.method} ${record.path}`;
      const counts = (endpoints[endpoint] ??= {});
      for (const count of [statuses, counts]) count[record.status] = (count[record.status] ?? 0) + 1;
      statistics.requests += 1;
      statistics.rateLimited += Number(record.status === 429 && record.fault === null);
      statistics.faults += Number(record.fault !== null);
    },
  };
}

export interface DocumentWithTimeline extends DocumentRecord {
  events: EventRecord[];
}

export type Inspection = ReturnType<typeof inspectionOf>;

/** In order of registration. */
export function inspectionOf(store: Store, log: RequestLog) {
  const withTimeline = (one: DocumentRecord): DocumentWithTimeline => ({ ...one, events: store.eventsOf(one.id) });
  const inspection = {
    participants: () => store.participants(),
    addresses: () => store.addresses(),
    documents: () => store.documents().map(withTimeline),
    document(id: string): DocumentWithTimeline | undefined {
      const found = store.document(id);
      return found && withTimeline(found);
    },
    /** In any dataset. */
    documentsByExternalId: (externalId: string) =>
      inspection.documents().filter((one) => one.externalId === externalId),
    /** The newest, oldest first (option requestLog). */
    requests: () => log.records(),
    statistics: () => structuredClone(log.statistics),
    /** For diffs. */
    dump: (options: DumpOptions = {}) => dumpTimelines(store, options),
    timelines: (options: DumpOptions = {}) => timelinesOf(store, options),
  };
  return inspection;
}
