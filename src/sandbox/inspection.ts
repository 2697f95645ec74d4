/** Looking into the sandbox from outside: typed reads for tests, everything as JSON or as text, and what was asked of it. */
import { type DumpOptions, dumpTimelines } from "./dump.js";
import { type DocumentRecord, type EventRecord, naturalKey, placeOf } from "./records.js";
import type { Store } from "./store.js";

export interface RequestRecord {
  /** ms since 1970 by the injected clock, on arrival. */
  at: number;
  requestId: string;
  method: string;
  /** The endpoint's template; null for a path that the service does not know. */
  path: string | null;
  /** Null: the request carried no good token. */
  clientId: string | null;
  /** 0: dropped. */
  status: number;
  /** The kind of fault that befell it; null: none. */
  fault: string | null;
}

export interface Statistics {
  /** Requests to the service, token requests included, control requests not. */
  requests: number;
  /** Answers by status; 0 stands for dropped connections. */
  statuses: Record<string, number>;
  /** `POST /documents/events` to answers by status. */
  endpoints: Record<string, Record<string, number>>;
  /** 429s of the limiter (not those of faults). */
  rateLimited: number;
  /** Requests that a fault befell. */
  faults: number;
}

export type RequestLog = ReturnType<typeof requestLog>;

/** `most`: how many records are kept, the newest. */
export function requestLog(most: number) {
  let records: RequestRecord[] = [];
  const statistics: Statistics = { requests: 0, statuses: {}, endpoints: {}, rateLimited: 0, faults: 0 };
  return {
    statistics,
    /** The newest, oldest first. */
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

/** The same thing registered more than once in one dataset; `count` is 2 or more. */
export interface Doubled<Item> {
  first: Item;
  count: number;
}

export type Inspection = ReturnType<typeof inspectionOf>;

/** All lists are in order of registration. */
export function inspectionOf(store: Store, log: RequestLog) {
  const withTimeline = (one: DocumentRecord): DocumentWithTimeline => ({ ...one, events: store.eventsOf(one.id) });
  const inspection = {
    participants: () => store.participants(),
    /** Participants of one natural key in one dataset (open point 2). */
    twinParticipants: () => doubled(store.participants(), (one) => `${one.dataset} ${naturalKey(one)}`),
    addresses: () => store.addresses(),
    /** Addresses of one participant and place in one dataset (open point 5). */
    doubledAddresses: () => doubled(store.addresses(), (one) => `${one.dataset} ${one.participantId} ${placeOf(one)}`),
    documents: () => store.documents().map(withTimeline),
    document(id: string): DocumentWithTimeline | undefined {
      const found = store.document(id);
      return found && withTimeline(found);
    },
    /** Documents of any dataset with that externalId. */
    documentsByExternalId: (externalId: string) =>
      inspection.documents().filter((one) => one.externalId === externalId),
    /** Empty for a document without events, and for one that does not exist. */
    timeline: (documentId: string) => store.eventsOf(documentId),
    /** The newest requests, oldest first (option requestLog). */
    requests: () => log.records(),
    /** Since the sandbox was made. */
    statistics: () => structuredClone(log.statistics),
    /** Every timeline as stable text for diffs. */
    dump: (options: DumpOptions = {}) => dumpTimelines(store, options),
  };
  return inspection;
}

function doubled<Item>(items: readonly Item[], keyOf: (item: Item) => string): Doubled<Item>[] {
  const groups = new Map<string, Doubled<Item>>();
  for (const first of items) {
    const group = groups.get(keyOf(first)) ?? { first, count: 0 };
    group.count += 1;
    groups.set(keyOf(first), group);
  }
  return [...groups.values()].filter(({ count }) => count > 1);
}
