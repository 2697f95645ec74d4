/** Looking into the sandbox from outside: typed reads for tests, and everything as JSON or as text. */
import { type DumpOptions, dumpTimelines } from "./dump.js";
import type { Json } from "./json.js";
import type { AddressRecord, DocumentRecord, EventRecord, ParticipantRecord } from "./records.js";
import { naturalKey, placeOf } from "./records.js";
import type { RequestLog, RequestRecord, Statistics } from "./statistics.js";
import type { Store } from "./store.js";

export interface DocumentWithTimeline extends DocumentRecord {
  events: EventRecord[];
}

/** The same thing registered more than once in one dataset; `count` is 2 or more. */
export interface Doubled<Item> {
  first: Item;
  count: number;
}

export class Inspection {
  readonly #store: Store;
  readonly #log: RequestLog;

  constructor(store: Store, log: RequestLog) {
    this.#store = store;
    this.#log = log;
  }

  /** In order of registration, like all lists here. */
  participants(): ParticipantRecord[] {
    return this.#store.participants();
  }

  /** Participants of one natural key in one dataset (open point 2). */
  twinParticipants(): Doubled<ParticipantRecord>[] {
    return doubled(this.#store.participants(), (one) => `${one.dataset} ${naturalKey(one)}`);
  }

  addresses(): AddressRecord[] {
    return this.#store.addresses();
  }

  /** Addresses of one participant and place in one dataset (open point 5). */
  doubledAddresses(): Doubled<AddressRecord>[] {
    return doubled(this.#store.addresses(), (one) => `${one.dataset} ${one.participantId} ${placeOf(one)}`);
  }

  documents(): DocumentWithTimeline[] {
    return this.#store.documents().map((one) => ({ ...one, events: this.timeline(one.id) }));
  }

  document(id: string): DocumentWithTimeline | undefined {
    const found = this.#store.document(id);
    return found === undefined ? undefined : { ...found, events: this.timeline(id) };
  }

  /** Documents of any dataset with that externalId. */
  documentsByExternalId(externalId: string): DocumentWithTimeline[] {
    return this.documents().filter((one) => one.externalId === externalId);
  }

  /** Empty for a document without events, and for one that does not exist. */
  timeline(documentId: string): EventRecord[] {
    return [...this.#store.eventsOf(documentId)];
  }

  /** The newest requests, oldest first (option requestLog). */
  requests(): RequestRecord[] {
    return this.#log.records();
  }

  statistics(): Statistics {
    return this.#log.statistics();
  }

  /** Everything that is kept, tokens excepted. */
  state(): Json {
    const doubledCount = this.doubledAddresses().reduce((sum, { count }) => sum + count - 1, 0);
    const everything = {
      participants: this.participants(),
      addresses: this.addresses(),
      doubledAddresses: doubledCount,
      documents: this.documents(),
      statistics: this.statistics(),
    };
    return everything as unknown as Json;
  }

  /** Every timeline as stable text for diffs. */
  dump(options: DumpOptions = {}): string {
    return dumpTimelines(this.#store, options);
  }
}

function doubled<Item>(items: readonly Item[], keyOf: (item: Item) => string): Doubled<Item>[] {
  const groups = new Map<string, Doubled<Item>>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: item, count: 1 });
    else group.count += 1;
  }
  return [...groups.values()].filter(({ count }) => count > 1);
}
