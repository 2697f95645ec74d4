/**
 * The real command line against somebody else's service (test/nights/judge): other choices at every open point, other faults,
 * the same promises (P1, P2, P3, P6). The whole matrix, with a seed: `tsx scripts/judge.ts`.
 */
import { crates } from "./judge/inputs.js";
import { oneTrial } from "./judge/one-trial.js";
import { type Change, personality } from "./judge/personality.js";

const broken = { errorAfter: 0.12, dropBefore: 0.08, dropAfter: 0.12, halfBody: 0.08, mostPerRequest: 1 };

type Service = [title: string, change: Omit<Change, "name">, exit: number];

describe.concurrent("a service that", () => {
  const sampled: Service[] = [
    [
      "says little (200 everywhere, id, empty lookups, message on top)",
      { created: 200, createId: "id", miss: "empty", errors: "message-on-top", requestIdHeader: "Trace-Id" },
      0,
    ],
  ];
  const others: Service[] = [
    [
      "counts 30 requests a second exactly, with tokens of two seconds that say nothing of it",
      { rate: 30, burst: 20, latency: [20, 300], tokenLife: 2_000, expiresIn: false },
      0,
    ],
    ["revokes its tokens half-way", { rate: 60, burst: 10, latency: [10, 60], revokeEvery: 25 }, 0],
    [
      "loses registrations and would make twins",
      { twins: "doubled", miss: "object", faults: { ...broken, creates: false } },
      0,
    ],
    ["loses answers of creates", { faults: { errorAfter: 0.2, halfBody: 0.2, mostPerRequest: 1 } }, 3],
    [
      "speaks in chunks, with members that nobody has heard of, and answers lookups with a search",
      { wire: "chunked", extras: true, miss: "others", ids: "uuid", errors: "message-in-list" },
      0,
    ],
    [
      "compresses what nobody asked it to, and loses answers of appends",
      { wire: "gzip", extras: true, maxEvents: 4, faults: { ...broken, creates: false }, errors: "message-in-list" },
      0,
    ],
    [
      "has ids that mean something in a path, refuses unknown fields and tells no time",
      { ids: "odd", strictAddresses: true, miss: "null", clockOffset: null },
      0,
    ],
    [
      "takes three events and small bodies, has no POST /documents and keeps batches in part",
      { maxEvents: 3, maxBytes: 2_000, shell: "absent-405", batches: "partial", miss: "204" },
      0,
    ],
    ["answers without events and writes dots for keys", { batchAnswer: "no-events", duplicateNames: "dots" }, 0],
    [
      "is busy with what it has just created, and loses answers of appends",
      { maxEvents: 4, faults: { ...broken, pending: 0.5, creates: false, registrations: false } },
      0,
    ],
    [
      "does the work after the connection broke",
      { miss: "empty", faults: { dropThenLate: 0.3, creates: false, mostPerRequest: 1 } },
      0,
    ],
    [
      "looks at the time before the key, speaks plain text, and loses answers of appends",
      {
        checks: "order-first",
        errors: "text",
        maxEvents: 2,
        faults: { dropAfter: 0.2, mostPerRequest: 1, creates: false },
      },
      3,
    ],
    [
      "loses answers of creates and names event keys",
      { createDuplicate: "event", faults: { dropAfter: 0.3, mostPerRequest: 1 } },
      3,
    ],
    [
      "loses answers of creates and writes dots for keys",
      { duplicateNames: "dots", faults: { dropAfter: 0.3, mostPerRequest: 1 } },
      3,
    ],
  ];

  async function judged([title, change, exit]: Service) {
    const trial = await oneTrial(personality({ name: title, ...change }), (folder, { linkTime }) =>
      crates(folder, 12, 1, linkTime),
    );
    expect(trial.disagreements).toEqual([]);
    expect(trial.ending.codes.at(-1)).toBe(exit);
    expect(trial.ending.undecided > 0).toBe(exit === 3);
    expect(trial.lastCode).toBe(0);
  }

  test.for(sampled)("%s gets every event once and in order", { timeout: 300_000 }, judged);
  test.for(others)("%s gets every event once and in order", { timeout: 300_000, tags: ["long"] }, judged);
});
