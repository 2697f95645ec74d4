/** Outages and interruptions in virtual time (DESIGN section 6). */
import { appendEvents, createWithEvents, readDocument } from "../../src/submit/calls.js";
import type { SubmitNotice } from "../../src/submit/submitter.js";
import {
  anAppend,
  append,
  lost,
  ok,
  register,
  type Scripted,
  type ScriptedOptions,
  scriptedService,
  throttleThat,
  unsent,
} from "../support/submit/scripted-service.js";

const minute = 60_000;

/**
 * A service that is out from 10 s to `untilMs` after the start, with so many lanes of so many calls each. `gaps`: between the
 * requests that it got while it was out, from some time on.
 */
function outage(
  untilMs: number,
  lanes: number,
  calls: number,
  options: Partial<ScriptedOptions> & { down?: Scripted } = {},
) {
  const notices: SubmitNotice[] = [];
  const service = scriptedService({
    latencyMs: 100,
    ...options,
    answer: () => {
      const at = service.clock.now() - begun;
      return at >= 10_000 && at < untilMs ? (options.down ?? { status: 503 }) : ok;
    },
    options: { notice: (notice) => notices.push(notice), ...options.options },
  });
  const begun = service.clock.now();
  const { work, results } = service.lanes(lanes, calls, 1_000);
  const gaps = (from: number) => {
    const probes = service.requests.map(({ at }) => at - begun).filter((at) => at > from && at < untilMs);
    return probes.slice(1).map((at, index) => at - (probes[index] ?? 0));
  };
  return { ...service, begun, notices, results, work, gaps };
}

describe("an outage", () => {
  it.each([
    ["of 503s", { status: 503 }],
    ["of connections refused", unsent()],
    ["of answers that never come", lost("headers-timeout")],
    ["of a login page with status 200", { status: 200, body: "<html><title>Sign in</title></html>" }],
  ] as [string, Scripted][])("%s for half an hour spends nobody's retries", async (_what, down) => {
    const { clock, work, results, notices } = outage(30 * minute, 8, 30, {
      down,
      options: { maxOutageMs: 60 * minute },
    });
    await clock.run(work);
    expect(results).toHaveLength(240);
    expect(new Set(results)).toEqual(new Set(["accepted"]));
    expect(notices.map((notice) => notice.code)).toEqual(["service-outage", null]);
  });

  it("is met by one probe at a time, with growing spacing up to 30 s", async () => {
    const { clock, work, gaps } = outage(10 * minute, 8, 20);
    await clock.run(work);
    const spacing = gaps(30_000);
    expect(spacing.length).toBeGreaterThan(10);
    expect(Math.min(...spacing)).toBeGreaterThanOrEqual(8_000);
    expect(Math.max(...spacing)).toBeLessThanOrEqual(30_200);
  });

  it("over its bound stops the run: nothing is lost, and nobody's retries are spent", async () => {
    const { clock, work, results, begun } = outage(300 * minute, 4, 30, { options: { maxOutageMs: 5 * minute } });
    await clock.run(work);
    expect(new Set(results)).toEqual(new Set(["accepted", "outage"]));
    expect(clock.now() - begun).toBeLessThan(7 * minute);
  });

  it.each([
    [20_000, /^The service has been unreachable for 3\d s: it answered 503$/],
    [5 * minute, /^The service has been unreachable for 5 min: it answered 503$/],
  ])("over its bound of %i ms is told with its length and its cause", async (maxOutageMs, told) => {
    const { sendAll } = scriptedService({ answer: () => ({ status: 503 }), options: { maxOutageMs } });
    const [answer] = await sendAll(5);
    expect(answer).toMatchObject({ result: "stopped", why: "outage", message: expect.stringMatching(told) as string });
  });

  it("is asked no sooner than its Retry-After says, within the bound", async () => {
    const down = { status: 503, headers: { "retry-after": "60" } };
    const { clock, work, gaps } = outage(20 * minute, 8, 20, { down, options: { maxOutageMs: 30 * minute } });
    await clock.run(work);
    const spacing = gaps(12_000);
    expect(spacing.length).toBeGreaterThan(10);
    expect(Math.min(...spacing)).toBeGreaterThanOrEqual(60_000);
  });

  it("is not longer for the hours in which the machine slept", async () => {
    const { clock, results, notices } = outage(Number.POSITIVE_INFINITY, 4, 30, {
      options: { maxOutageMs: 5 * minute },
    });
    await clock.advance(2 * minute);
    clock.set(clock.now() + 480 * minute);
    await clock.advance(2 * minute);
    expect(results).not.toContain("outage");
    await clock.advance(3 * minute);
    expect([results.includes("outage"), notices.length]).toEqual([true, 1]);
  });

  it("is not one call's bad luck: that one spends its retries, the others go on", async () => {
    const bad = appendEvents('{"bad":true}');
    const service = scriptedService({ answer: (request) => (request.body === bad.body ? { status: 500 } : ok) });
    const { work, results } = service.lanes(1, 60, 1_000);
    const [answer] = await service.clock.run(Promise.all([service.submitter.send(bad), work]));
    expect(new Set(results)).toEqual(new Set(["accepted"]));
    expect(answer.attempts).toHaveLength(6);
    expect(answer).toMatchObject({ result: "unanswered", inDoubt: true });
  });

  it.each([
    [500, 3 * minute],
    [302, 3 * minute],
    [503, 17 * minute],
  ])(
    "is not the bad luck of a few calls with nobody beside them: they end unanswered, and others go on (%i, P10)",
    async (status, most) => {
      const bad = ["1", "2", "3"].map((one) => appendEvents(`{"bad":${one}}`));
      const service = scriptedService({
        answer: ({ body, method }) =>
          body?.startsWith('{"bad"') === true ? { status } : method === "GET" ? { status: 404, body: {} } : ok,
      });
      const begun = service.clock.now();
      const answers = [...(await service.sendAll(bad)), await service.send()];
      expect(answers.map(({ result }) => result)).toEqual(["unanswered", "unanswered", "unanswered", "accepted"]);
      expect(service.clock.now() - begun).toBeLessThan(most);
    },
  );

  it("is not taken for one where the service has no read of documents, but answers a lookup", async () => {
    const page = { status: 404, body: "<!DOCTYPE html><pre>Cannot GET /documents</pre>" };
    const service = scriptedService({
      answer: ({ method, url }) => {
        if (method === "POST") return { status: 500 };
        return url.includes("/documents/") ? page : { status: 404, body: {} };
      },
    });
    expect((await service.sendAll(3)).map(({ result }) => result)).toEqual(["unanswered", "unanswered", "unanswered"]);
  });

  it("of 500s alone is waited for as long as any other where reads are answered 500 too", async () => {
    const service = scriptedService({
      answer: (_request, index) => (index > 0 && service.clock.now() - begun < 5 * minute ? { status: 500 } : ok),
    });
    const begun = service.clock.now();
    await service.send();
    expect((await service.sendAll(3)).map(({ result }) => result)).toEqual(["accepted", "accepted", "accepted"]);
  });

  it("ends with an answer that comes while something else is asked, and the next one has its whole time", async () => {
    const bad = ["1", "2"].map((one) => appendEvents(`{"bad":${one}}`));
    const slow = appendEvents('{"slow":1}');
    const notices: SubmitNotice[] = [];
    const service = scriptedService({
      answer: ({ body }) => (body?.startsWith('{"bad"') === true ? { status: 503 } : ok),
      options: {
        notice: (notice) => notices.push(notice),
        // The read begins after some 905 s, and is under way when the slow call is answered.
        async transport(request) {
          if (request.body === slow.body) await service.clock.sleep(940_000);
          if (request.method === "GET") await service.clock.sleep(60_000);
          return service.transport(request);
        },
      },
    });
    const begun = service.clock.now();
    const answers = await service.sendAll([slow, ...bad]);
    expect(answers.map(({ result }) => result)).toEqual(["accepted", "unanswered", "unanswered"]);
    expect(notices.map(({ message }) => message.split(/[,:0-9]/)[0]?.trim())).toEqual([
      "Pausing",
      "The service answers again after",
      "Pausing",
      "The service answers everything except",
    ]);
    expect(service.clock.now() - begun).toBeGreaterThan(30 * minute);
  });

  it("in which reads alone are answered stops the run at its bound, with the calls of one time around unanswered", async () => {
    const service = scriptedService({
      answer: ({ method }) => (method === "GET" ? { status: 404, body: {} } : { status: 503 }),
    });
    const begun = service.clock.now();
    const { work, results } = service.lanes(8, 20);
    await service.clock.run(work);
    const { sent, byKind } = service.submitter.counts;
    expect(byKind).toEqual({ "append-events": sent - 1, "read-document": 1 });
    expect(new Set(results)).toEqual(new Set(["unanswered", "outage"]));
    expect(results.filter((result) => result === "unanswered")).toHaveLength(8);
    expect(service.clock.now() - begun).toBeLessThan(17 * minute);
  });

  it("is probed by reads and appends before creates and registrations (HARD-CASES H7)", async () => {
    const service = scriptedService({ answer: (_request, index) => (index < 8 ? unsent() : ok) });
    const calls = [register, createWithEvents("{}"), append, readDocument("d1")];
    const answers = await service.sendAll(calls);
    expect(answers.map((answer) => answer.result)).toEqual(calls.map(() => "accepted"));
    expect(service.requests.slice(4, 9).map((request) => request.method)).toEqual(["GET", "GET", "GET", "GET", "GET"]);
  });

  it("goes on where a probe cannot leave, as on a full disk: the next call probes", async () => {
    const service = scriptedService({ answer: (_request, index) => (index < 6 ? unsent() : ok) });
    const full = () => {
      throw new Error("disk is full");
    };
    const send = (onLeaving?: () => boolean) =>
      service.submitter.send(anAppend(), onLeaving === undefined ? {} : { onLeaving });
    const before = Array.from({ length: 4 }, () => send());
    await service.clock.advance(500);
    const fails = send(full).catch((error: Error) => error.message);
    expect(await service.clock.run(fails)).toBe("disk is full");
    const answers = await service.clock.run(Promise.all(before));
    expect(answers.map(({ result }) => result)).toEqual(before.map(() => "accepted"));
  });

  it("leaves a registration whose probe was answered 5xx in doubt, at once", async () => {
    const service = scriptedService({ answer: (_request, index) => (index < 3 ? unsent() : { status: 500 }) });
    expect(await service.send(register)).toMatchObject({ result: "unanswered", inDoubt: true });
    expect(service.requests).toHaveLength(4);
  });
});

describe("an interruption (drain)", () => {
  it("lets the request under way finish and counts its answer", async () => {
    const service = scriptedService({ answer: () => ok, latencyMs: 5_000 });
    const sending = service.submitter.send(anAppend());
    await service.clock.advance(6_000);
    service.submitter.drain();
    service.submitter.drain();
    expect(await service.clock.run(sending)).toMatchObject({ result: "accepted" });
  });

  it("spends no attempt: what waits for its turn answers interrupted, with nothing sent", async () => {
    const service = scriptedService({
      answer: () => ok,
      options: throttleThat((signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve()))),
    });
    const waiting = Array.from({ length: 100 }, () => service.submitter.send(anAppend()));
    await service.clock.advance(1_000);
    service.submitter.drain();
    for (const answer of await service.clock.run(Promise.all(waiting)))
      expect(answer).toMatchObject({ result: "stopped", why: "interrupted", attempts: [], inDoubt: false });
    expect(service.requests).toHaveLength(0);
  });

  it("ends a backoff at once and keeps its doubt", async () => {
    const service = scriptedService({ answer: () => ({ status: 503 }) });
    const sending = service.submitter.send(anAppend());
    await service.clock.advance(2_000);
    const at = service.clock.now();
    service.submitter.drain();
    const answer = await service.clock.run(sending);
    expect(answer).toMatchObject({ result: "stopped", why: "interrupted", inDoubt: true });
    expect(answer.attempts.length).toBe(service.requests.length);
    expect(service.clock.now()).toBe(at);
  });

  it("ends the waiting in an outage at once", async () => {
    const { clock, submitter, work, results } = outage(60 * minute, 6, 100);
    await clock.advance(5 * minute);
    submitter.drain();
    await clock.advance(200);
    expect(results.filter((result) => result === "interrupted")).toHaveLength(6);
    await clock.run(work);
    expect(new Set(results)).toEqual(new Set(["accepted", "interrupted"]));
  });
});
