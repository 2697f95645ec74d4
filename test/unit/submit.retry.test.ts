/** The retry loop in virtual time (service.md, Errors: recommended client retry policy). */
import type { Attempt } from "../../src/model/attempt.js";
import type { Call } from "../../src/submit/call.js";
import { createWithEvents, readDocument } from "../../src/submit/calls.js";
import {
  append,
  envelope,
  lost,
  ok,
  register,
  type Scripted,
  scriptedService,
  unsent,
} from "../support/submit/scripted-service.js";

/** Sends one call against answers in order (the last one repeats) and tells the gaps between requests, in ms. */
async function play(call: Call, answers: [Scripted, ...Scripted[]], random = 0.5) {
  const service = scriptedService({
    answer: (_request, index) => answers[Math.min(index, answers.length - 1)] ?? answers[0],
    options: { random: () => random },
  });
  const noted: Attempt[] = [];
  const answer = await service.clock.run(service.submitter.send(call, { onAttempt: (a) => noted.push(a) }));
  const times = service.requests.map((request) => request.at);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return { answer, gaps, noted, ...service };
}

describe("backoff", () => {
  it("doubles from one second and gives up after five retries (service.md, Errors)", async () => {
    const { answer, gaps, requests } = await play(append, [{ status: 503 }], 0);
    expect(gaps).toEqual([1000, 2000, 4000, 8000, 16000]);
    expect(requests).toHaveLength(6);
    expect(answer).toMatchObject({ result: "unanswered", inDoubt: true, error: { status: 503 } });
  });

  it("is never longer than 30 s, chance included", async () => {
    const { gaps } = await play(append, [{ status: 500 }], 0.999);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30_000);
    expect(gaps[0]).toBeGreaterThan(1000);
  });

  it("of a pending process is between 2 and 5 seconds (service.md, Errors)", async () => {
    for (const random of [0, 0.999]) {
      const { answer, gaps } = await play(
        append,
        [{ status: 409, body: envelope("PENDING_PROCESS_CONFLICT_ERROR", "busy") }],
        random,
      );
      expect(gaps).toHaveLength(5);
      for (const gap of gaps) {
        expect(gap).toBeGreaterThanOrEqual(2000);
        expect(gap).toBeLessThanOrEqual(5000);
      }
      expect(answer).toMatchObject({ result: "unanswered", inDoubt: false });
    }
  });

  it.each([
    ["as long as Retry-After asks", "7", 7000],
    ["until the date that it names, by the service's clock", "Fri, 20 Nov 2026 02:00:20 GMT", 20_000],
    ["not for the hours that it asks", "86400", 120_000],
    ["no shorter than its own time", "0", 1000],
  ])("waits %s (open-points 17)", async (_, asked, gap) => {
    const { gaps } = await play(append, [{ status: 503, headers: { "retry-after": asked } }, ok], 0);
    expect(gaps).toEqual([gap]);
  });

  it("waits until the date that a Retry-After names, by the clock of the answer (open-points 17)", async () => {
    const headers = { date: "Fri, 20 Nov 2026 02:30:00 GMT", "retry-after": "Fri, 20 Nov 2026 02:30:20 GMT" };
    const { gaps } = await play(append, [{ status: 503, headers }, ok], 0);
    expect(gaps).toEqual([20_000]);
  });
});

it("a repeat carries the identical body (service.md, Errors: the same deduplicationId on every retry)", async () => {
  const { requests } = await play(append, [lost(), { status: 500 }, { status: 429 }, ok]);
  expect(new Set(requests.map((request) => request.body))).toEqual(new Set([append.body]));
  expect(requests).toHaveLength(4);
});

describe("doubt", () => {
  it.each([
    ["a 5xx", { status: 500 }],
    ["a lost answer", lost()],
    ["a redirect, which is not followed", { status: 307, headers: { location: "https://elsewhere.test/" } }],
  ] as [string, Scripted][])("about a registration after %s ends it at once (HARD-CASES H7)", async (_what, first) => {
    const { answer, requests } = await play(register, [first, ok]);
    expect(answer).toMatchObject({ result: "unanswered", inDoubt: true });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["429", { status: 429 }],
    ["PENDING", { status: 409, body: envelope("PENDING_PROCESS_CONFLICT_ERROR") }],
    ["a connection that was never made", unsent()],
  ] as [string, Scripted][])("does not arise from %s, so a registration is repeated", async (_what, first) => {
    const { answer, requests } = await play(register, [first, { status: 201, body: { id: "p1" } }]);
    expect(answer).toMatchObject({ result: "accepted", inDoubt: false });
    expect(requests).toHaveLength(2);
  });

  it("does not arise about a read", async () => {
    const { answer } = await play(readDocument("d1"), [{ status: 500 }, lost(), ok]);
    expect(answer).toMatchObject({ result: "accepted", inDoubt: false });
  });
});

describe("the account of attempts", () => {
  it("names each attempt in order, before the next one is made", async () => {
    const seen: number[] = [];
    const service = scriptedService({ answer: (_request, index) => (index < 2 ? { status: 503 } : ok) });
    const sending = service.submitter.send(append, {
      onAttempt: (attempt) => seen.push(attempt.number * 10 + service.requests.length),
    });
    const answer = await service.clock.run(sending);
    expect(seen).toEqual([11, 22, 33]);
    expect(answer.attempts.map((attempt) => attempt.status)).toEqual([503, 503, 200]);
    expect(service.submitter.counts).toEqual({ sent: 3, byKind: { "append-events": 3 }, rateLimited: 0, retries: 2 });
  });

  it("keeps failure, status, error and request ids (open-points 15)", async () => {
    const { answer } = await play(append, [
      lost("headers-timeout"),
      { status: 400, body: envelope("BAD", "no"), headers: { "x-request-id": "r-9", "x-other": "1" } },
    ]);
    expect(answer.attempts[0]).toMatchObject({ status: null, failure: "headers-timeout", error: null, requestIds: [] });
    expect(answer.attempts[1]).toMatchObject({
      status: 400,
      failure: null,
      error: { codes: ["BAD"], message: "no" },
      requestIds: ["x-request-id: r-9"],
    });
  });
});

describe("an answer", () => {
  it("too large to take in is not asked for again", async () => {
    const { answer, requests } = await play(readDocument("d1"), [lost("too-large"), ok]);
    expect(answer).toMatchObject({ result: "unanswered", failure: "too-large", inDoubt: false });
    expect(requests).toHaveLength(1);
  });

  it("gives creates minutes and everything else half a minute (DESIGN section 6)", async () => {
    const create = await play(createWithEvents("{}"), [ok]);
    const read = await play(readDocument("d1"), [ok]);
    expect(create.requests[0]?.timeouts.headersMs).toBe(300_000);
    expect(read.requests[0]?.timeouts.headersMs).toBe(30_000);
  });
});
