/**
 * The real command line against somebody else's service (test/nights/judge): other choices at every open point, other faults,
 * the same promises (P1, P2, P3, P6). The whole matrix, with a seed: `tsx scripts/judge.ts`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createClient } from "./judge/client.js";
import { crates, faultyManifests, manifests, root } from "./judge/inputs.js";
import { oneTrial } from "./judge/one-trial.js";
import { type Change, personality } from "./judge/personality.js";
import { Refusal } from "./judge/register.js";
import { type Judge, startJudge } from "./judge/service.js";
import { checkRegister, checkRequests, checkTimelines } from "./judge/verdict.js";

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
      crates(folder, 12, 1, { linkTime }),
    );
    expect(trial.disagreements).toEqual([]);
    expect(trial.ending.codes.at(-1)).toBe(exit);
    expect(trial.ending.undecided > 0).toBe(exit === 3);
    expect(trial.lastCode).toBe(0);
  }

  test.for(sampled)("%s gets every event once and in order", { timeout: 300_000 }, judged);
  test.for(others)("%s gets every event once and in order", { timeout: 300_000, tags: ["long"] }, judged);
});

describe("a judge of the fixtures", { timeout: 120_000 }, () => {
  let judge: Judge | undefined;
  let client: ReturnType<typeof createClient> | undefined;

  afterEach(async () => {
    client?.remove();
    await judge?.close();
  });

  async function begin(change: Omit<Change, "name"> = {}) {
    judge = await startJudge(personality({ name: "fixtures", ...change }));
    client = createClient(judge, { rate: 400, burst: 60 });
    return { judge, client };
  }

  test("finds the manifests whole, what hangs on them too, and nothing twice when they come again", {
    tags: ["long"],
  }, async () => {
    const { judge: service, client: rowferry } = await begin({
      createId: "id",
      miss: "list",
      ids: "odd",
      created: 200,
    });
    const input = manifests();
    expect((await rowferry.run(["import", ...input.args])).code).toBe(0);
    const ending = { codes: [0], ms: 0, stranded: new Set<string>(), open: new Set<string>(), undecided: 0 };
    expect([
      ...checkTimelines(service, input, ending),
      ...checkRegister(service),
      ...checkRequests(service, ending),
    ]).toEqual([]);
    expect(service.register.participants).toHaveLength(input.participants);
    expect(service.register.addresses).toHaveLength(input.addresses);

    // Targets, relations in both directions and a propagated event (service.md, Events, rules 6, 10 and 11).
    const files = [
      "mappings/relations.yaml",
      "fixtures/relations/lotes-2025-10.csv",
      "fixtures/relations/vendas-2025-10.csv",
    ];
    expect((await rowferry.run(["import", ...files.map((path) => join(root, path))])).code).toBe(0);
    const lots = service.timelines.docs.filter(({ isTarget }) => isTarget);
    const lines = lots.map(
      ({ externalId, events }) => `${externalId} ${events.map(({ name, by }) => `${name} ${by}`).join(", ")}`,
    );
    expect(lines.toSorted((a, b) => a.localeCompare(b))).toEqual([
      "L-0001 Sold caller, RELATED mirror",
      "L-0002 ",
      "L-0003 Sold caller, RELATED mirror",
    ]);

    const before = service.seen.length;
    expect((await rowferry.run(["import", ...input.args])).code).toBe(0);
    expect(service.seen).toHaveLength(before);
  });

  test("finds of a faulty file what can go, in order, and nothing behind what a person must mend", {
    tags: ["long"],
  }, async () => {
    const { judge: service, client: rowferry } = await begin({ errors: "message-on-top", checks: "order-first" });
    const input = faultyManifests();
    const { code } = await rowferry.run(["import", ...input.args]);
    expect(code).toBe(3);
    const open = new Set(rowferry.open().map(({ document }) => document));
    const ending = { codes: [code], ms: 0, stranded: rowferry.stranded(), open, undecided: 0 };
    expect([
      ...checkTimelines(service, input, ending),
      ...checkRegister(service),
      ...checkRequests(service, ending),
    ]).toEqual([]);
    // Among them a CLOSE whose day cannot be read holds nothing that is readable; a pick-up in words holds what is later.
    const landed = service.timelines.docs.flatMap(({ events }) => events).length;
    const valid = [...input.timelines.values()].flat().length;
    expect(landed).toBeLessThan(valid);
    expect(landed).toBeGreaterThan(valid * 0.75);
  });

  test("finds the workbook's collections, places and organisations", { tags: ["long"] }, async () => {
    const { judge: service, client: rowferry } = await begin({ strictAddresses: true, miss: "null" });
    const args = ["mappings/organisations.yaml", "fixtures/organisations/organisations-2025.xlsx"].map((path) =>
      join(root, path),
    );
    expect((await rowferry.run(["import", ...args])).code).toBe(0);
    const expected = JSON.parse(readFileSync(join(root, "fixtures/organisations/expected.json"), "utf8")) as {
      documents: number;
      events: number;
      participants: number;
      addresses: number;
    };
    const { timelines, register } = service;
    expect({
      documents: timelines.docs.length,
      events: timelines.docs.flatMap(({ events }) => events).length,
      participants: register.participants.length,
      addresses: register.addresses.length,
    }).toEqual({
      documents: expected.documents,
      events: expected.events,
      participants: expected.participants,
      addresses: expected.addresses,
    });
  });

  test("with a relation that is held gets nothing later on the other document (H13, H18)", {
    tags: ["long"],
  }, async () => {
    let isRefused = true;
    judge = await startJudge(personality({ name: "held relation" }), ({ method, path, body }) =>
      isRefused && method === "POST" && path === "/participants" && body?.["name"] === "Owner 2"
        ? new Refusal(400, "VALIDATION_ERROR", "Not this one")
        : null,
    );
    client = createClient(judge, { rate: 400, burst: 60 });
    const input = crates(client.folder, 8);
    expect((await client.run(["import", ...input.args])).code).toBe(3);
    isRefused = false;
    expect((await client.run(["retry"])).code).toBe(0);
    const ending = { codes: [3, 0], ms: 0, stranded: new Set<string>(), open: new Set<string>(), undecided: 0 };
    expect(checkTimelines(judge, input, ending)).toEqual([]);
  });

  // HARD-CASES H10: due means earlier than the service's time.
  test("whose clock is behind is not sent what has not happened there, and gets it later", {
    timeout: 60_000,
    tags: ["long"],
  }, async () => {
    const { judge: service, client: rowferry } = await begin({ clockOffset: -600_000 });
    const input = crates(rowferry.folder, 3, 5, { fresh: Date.now() - 1_000 });
    expect((await rowferry.run(["import", ...input.args])).code).toBe(0);
    const fresh = () =>
      service.timelines.docs.find(({ externalId }) => externalId === "CR-4")?.events.map(({ name }) => name);
    expect(fresh()).toEqual(["Step 1"]);
    // Ten minutes later.
    service.nature.clockOffset = 0;
    const due = Math.max(...(input.timelines.get("CR-4") ?? []).map(({ at }) => at)) + 3_500;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - service.now())));
    expect((await rowferry.run(["resume"])).code).toBe(0);
    expect(fresh()).toEqual(["Step 1", "Now"]);
    expect(
      checkRequests(service, { codes: [0, 0], ms: 0, stranded: new Set(), open: new Set(), undecided: 0 }),
    ).toEqual([]);
  });
});
