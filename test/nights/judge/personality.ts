/**
 * How one service of this specification may behave: a choice at every point that service.md leaves open, and the
 * faults that it has. Written without a look at Rowferry's own sandbox, so that the two can disagree.
 */

/** What a create (document, participant, address) commits, and what the caller gets to see of it. */
export interface Faults {
  /** 500, 502, 503 or 504 although nothing was done. Probabilities are per attempt, 0 to 1. */
  errorBefore: number;
  /** The same, although everything was done. */
  errorAfter: number;
  /** The connection breaks before or after the work. */
  dropBefore: number;
  dropAfter: number;
  /** The answer breaks off half-way. */
  halfBody: number;
  /** The connection breaks, and the work is done `lateMs` later. */
  dropThenLate: number;
  lateMs: number;
  /** 409 PENDING_PROCESS_CONFLICT_ERROR on a document for `pendingMs` after its creation. */
  pending: number;
  pendingMs: number;
  /** At most so many faults meet one and the same request. */
  mostPerRequest: number;
  /** Whether reads and registrations, and creates of documents, meet faults too. */
  reads: boolean;
  registrations: boolean;
  creates: boolean;
}

export interface Personality {
  name: string;
  seed: number;
  /** Requests per second and bucket; the limit is met exactly (service.md, Limits). Null: none. */
  rate: number | null;
  burst: number;
  /** Sent with 429, in seconds; null: no Retry-After. */
  retryAfter: number | null;
  /** ms from and to, half before the work and half after it. */
  latency: [number, number];
  /** Lookup of a participant nobody knows (open-points 3). */
  miss: "404" | "empty" | "null" | "list" | "204" | "object" | "others";
  /** Status of successful creates (open-points 16). */
  created: 200 | 201;
  /** Name of the id in create answers (open-points 25). */
  createId: "documentId" | "id";
  /** Shape of refusals (open-points 14, 23). */
  errors: "message-in-item" | "message-on-top" | "message-in-list" | "terse" | "text" | "html";
  /** What the duplicate's message names in its brackets. */
  duplicateNames: "key" | "dots";
  /** Of a repeated create with events, whose key is found first. */
  createDuplicate: "document" | "event";
  /** POST /documents (open-points 25). */
  shell: "present" | "absent-404" | "absent-405" | "needs-externalId";
  requestIdHeader: string;
  /** Order of the checks (open-points 19). */
  checks: "duplicate-first" | "order-first";
  /** open-points 9. */
  batches: "atomic" | "partial";
  /** Answers of batches: whole, without `events`, without eventIds, or without targetDocumentId. */
  batchAnswer: "whole" | "no-events" | "no-target";
  keyScope: "integrator" | "document";
  /** ms that a token lives; null: for ever. */
  tokenLife: number | null;
  expiresIn: boolean;
  /** ms that the token endpoint takes. */
  tokenLatency: number;
  /** All tokens are revoked after every so many requests; null: never. */
  revokeEvery: number | null;
  /** And once, at the request of this number; null: not. */
  revokeAt: number | null;
  faults: Faults;
  /** Idle keep-alive connections are closed after so many ms, without announcement; null: kept. */
  idleClose: number | null;
  maxEvents: number | null;
  maxBytes: number | null;
  /** Unknown members of addresses are refused (open-points 4). */
  strictAddresses: boolean;
  /** A second POST of one natural key (open-points 2). */
  twins: "409" | "doubled";
  /** ids: plain, or with characters that mean something in a path. */
  ids: "plain" | "odd" | "uuid";
  /** How answers travel: at once, in pieces that cut characters, compressed unasked, or each on a connection of its own. */
  wire: "plain" | "chunked" | "gzip" | "closing";
  /** Members that nobody has heard of, in front of the others, in reverse order. */
  extras: boolean;
  /** The service's clock against this machine's, ms; null: it tells no Date at all. */
  clockOffset: number | null;
  /** When a back-reference takes place (open-points 11). */
  linkTime: "event" | "server";
}

export const noFaults: Faults = {
  errorBefore: 0,
  errorAfter: 0,
  dropBefore: 0,
  dropAfter: 0,
  halfBody: 0,
  dropThenLate: 0,
  lateMs: 1_500,
  pending: 0,
  pendingMs: 2_500,
  mostPerRequest: 2,
  reads: true,
  registrations: true,
  creates: true,
};

export const calm: Personality = {
  name: "calm",
  seed: 1,
  rate: null,
  burst: 30,
  retryAfter: null,
  latency: [0, 0],
  miss: "404",
  created: 201,
  createId: "documentId",
  errors: "message-in-item",
  duplicateNames: "key",
  createDuplicate: "document",
  shell: "present",
  requestIdHeader: "x-request-id",
  checks: "duplicate-first",
  batches: "atomic",
  batchAnswer: "whole",
  keyScope: "integrator",
  tokenLife: null,
  expiresIn: true,
  tokenLatency: 0,
  revokeEvery: null,
  revokeAt: null,
  faults: noFaults,
  idleClose: null,
  maxEvents: null,
  maxBytes: null,
  strictAddresses: false,
  twins: "409",
  ids: "plain",
  wire: "plain",
  extras: false,
  clockOffset: 0,
  linkTime: "event",
};

export type Change = Partial<Omit<Personality, "faults">> & { name: string; faults?: Partial<Faults> };

export function personality({ faults, ...change }: Change): Personality {
  return { ...calm, ...change, faults: { ...noFaults, ...faults } };
}

/** Numbers from 0 to 1 that depend on `text` alone: the same request meets the same fate, whenever it comes. */
export function chance(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
