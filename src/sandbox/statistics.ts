/** What came in and what went out, since the sandbox was made. */
import type { JsonObject } from "./json.js";

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

export class RequestLog {
  readonly #most: number;
  #records: RequestRecord[] = [];
  #statistics = none();

  /** `most`: how many records are kept, the newest. */
  constructor(most: number) {
    this.#most = most;
  }

  add(record: RequestRecord, rateLimited: boolean): void {
    this.#records.push(record);
    if (this.#records.length >= this.#most * 2) this.#records = this.#records.slice(-this.#most);
    const { statuses, endpoints } = this.#statistics;
    const endpoint = record.path === null ? "unknown path" : `${record.method} ${record.path}`;
    this.#statistics.requests += 1;
    statuses[record.status] = (statuses[record.status] ?? 0) + 1;
    const counts = (endpoints[endpoint] ??= {});
    counts[record.status] = (counts[record.status] ?? 0) + 1;
    if (rateLimited) this.#statistics.rateLimited += 1;
    if (record.fault !== null) this.#statistics.faults += 1;
  }

  /** The newest, oldest first. */
  records(): RequestRecord[] {
    return this.#records.slice(-this.#most);
  }

  statistics(): Statistics {
    return structuredClone(this.#statistics);
  }

  asJson(): JsonObject {
    return this.statistics() as unknown as JsonObject;
  }
}

const none = (): Statistics => ({ requests: 0, statuses: {}, endpoints: {}, rateLimited: 0, faults: 0 });
