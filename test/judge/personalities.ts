/** The services that a client of service.md may meet, each with its choices and its faults. */
import { type Change, type Personality, personality } from "./personality.js";

const changes: Change[] = [
  { name: "plain words: 200 everywhere, id, empty lookups", created: 200, createId: "id", miss: "empty", errors: "message-on-top", requestIdHeader: "x-amzn-RequestId" },
  { name: "null lookups, odd ids, strict addresses", miss: "null", ids: "odd", strictAddresses: true, requestIdHeader: "Trace-Id" },
  { name: "list lookups, no Date", miss: "list", clockOffset: null, requestIdHeader: "cf-ray" },
  { name: "204 lookups, terse refusals, batches in part, small batches", miss: "204", errors: "terse", batches: "partial", maxEvents: 3 },
  { name: "object lookups, small bodies, no POST /documents", miss: "object", maxBytes: 1_500, shell: "absent-404" },
  { name: "small batches, POST /documents not allowed", maxEvents: 3, shell: "absent-405" },
  { name: "small batches, POST /documents there", maxEvents: 3, shell: "present" },
  { name: "the exact limit without Retry-After", rate: 40, burst: 20, latency: [20, 100] },
  { name: "the exact limit under jitter, Retry-After", rate: 40, burst: 30, retryAfter: 1, latency: [20, 300] },
  { name: "two seconds an answer", rate: 40, burst: 30, latency: [1_500, 2_500] },
  { name: "tokens of two seconds, unannounced", tokenLife: 2_000, expiresIn: false, rate: 15, burst: 4, latency: [20, 300], tokenLatency: 300 },
  { name: "a token endpoint of three seconds", rate: 20, burst: 30, tokenLife: 4_000, expiresIn: false, tokenLatency: 3_000, latency: [20, 100] },
  { name: "a token revoked once", revokeAt: 2, rate: 20, burst: 30, latency: [20, 60] },
  { name: "tokens revoked", revokeEvery: 25, latency: [10, 60], rate: 40, burst: 10 },
  { name: "tokens revoked, errors", revokeEvery: 25, latency: [10, 60], rate: 40, burst: 10, faults: { errorBefore: 0.3 } },
  { name: "answers without events", batchAnswer: "no-events" },
  { name: "answers without events, dots for keys", batchAnswer: "no-events", duplicateNames: "dots", keyScope: "document" },
  { name: "answers without events, terse", batchAnswer: "no-events", errors: "terse" },
  { name: "errors before anything is done", faults: { errorBefore: 0.3 } },
  { name: "errors after everything is done, creates spared", faults: { errorAfter: 0.4, creates: false } },
  { name: "everything breaks, document keys named", faults: { errorBefore: 0.1, errorAfter: 0.08, dropBefore: 0.08, dropAfter: 0.08, halfBody: 0.08 } },
  { name: "everything breaks, event keys named", createDuplicate: "event", faults: { errorBefore: 0.1, errorAfter: 0.08, dropBefore: 0.08, dropAfter: 0.08, halfBody: 0.08 } },
  { name: "everything breaks, dots for keys", duplicateNames: "dots", faults: { errorAfter: 0.1, dropBefore: 0.1, dropAfter: 0.1, halfBody: 0.1 } },
  { name: "everything breaks, dots for keys, no POST /documents", duplicateNames: "dots", shell: "absent-404", faults: { errorAfter: 0.1, dropBefore: 0.1, dropAfter: 0.1, halfBody: 0.1 } },
  { name: "everything breaks, terse", errors: "terse", faults: { errorAfter: 0.1, dropBefore: 0.1, dropAfter: 0.1, halfBody: 0.1 } },
  { name: "everything breaks, plain text", errors: "text", miss: "list", faults: { errorAfter: 0.1, dropBefore: 0.1, dropAfter: 0.1, halfBody: 0.1 } },
  { name: "everything breaks, HTML", errors: "html", miss: "empty", faults: { errorAfter: 0.1, dropBefore: 0.1, dropAfter: 0.1, halfBody: 0.1 } },
  { name: "order first, batches in part, everything breaks", checks: "order-first", batches: "partial", maxEvents: 2, faults: { errorAfter: 0.1, dropAfter: 0.1, halfBody: 0.1 } },
  { name: "order first, atomic, everything breaks", checks: "order-first", maxEvents: 2, faults: { errorAfter: 0.1, dropAfter: 0.1, halfBody: 0.1, creates: false } },
  { name: "work done late", faults: { dropThenLate: 0.3, lateMs: 1_500 } },
  { name: "work done late, twins made", twins: "doubled", miss: "empty", faults: { dropThenLate: 0.3, lateMs: 2_000, creates: false } },
  { name: "registrations lost, twins made", twins: "doubled", faults: { errorAfter: 0.3, dropAfter: 0.3, creates: false } },
  { name: "background processes", maxEvents: 2, faults: { pending: 0.8, pendingMs: 4_000 } },
  { name: "connections closed when idle", idleClose: 15, latency: [0, 40], rate: 30, burst: 10 },
  { name: "connections closed at once", idleClose: 0 },
  { name: "a clock behind by a minute", clockOffset: -60_000 },
  { name: "a clock ahead by a minute", clockOffset: 60_000 },
  { name: "back-references at the service's time", linkTime: "server" },
];

/** All of them under one seed. */
export function personalities(seed: number): Personality[] {
  return changes.map((change) => personality({ ...change, seed }));
}
