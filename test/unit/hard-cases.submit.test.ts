/** HARD-CASES that the service's answers make: what each proves, and what it does not. */
import type { FaultAction, SandboxOptions } from "../../src/sandbox/index.js";
import {
  answered,
  at,
  begun,
  deduplicationIdOf,
  documentState,
  faults,
  file,
  imported,
  instead,
  lost,
  minutes,
  notThere,
  on,
  open,
  postAs,
  refusals,
  replace,
  resolveFound,
  resumed,
  standing,
  states,
  throughout,
  world,
} from "../nights/simulation/hard-case.js";
import { problemExamples } from "../../src/ledger/views/problems.js";
import { sampled } from "../support/sample.js";
import { START } from "../nights/simulation/story-rows.js";
import type { RunPlan, WorldOptions } from "../nights/simulation/world.js";
import { doubledAddresses, twinParticipants } from "../support/doubled.js";

/** Of each event with a state, in time order, whether it is in doubt (1). */
const doubts = () =>
  world.withLedger((database) =>
    database
      .prepare<[], number>("SELECT s.doubt FROM event_states s JOIN events e ON e.id = s.event_id ORDER BY e.at, e.id")
      .pluck()
      .all(),
  );

describe("H1: a refusal after doubt proves nothing", () => {
  const switches: [string, SandboxOptions][] = [true, false].flatMap((partialBatches) =>
    (["duplicate-first", "order-first"] as const).flatMap((checks) =>
      [true, false].map((terseErrors) => [
        `${partialBatches ? "partial" : "whole"} batches, ${checks}${terseErrors ? ", terse" : ""}`,
        { partialBatches, checks, terseErrors },
      ]),
    ),
  );

  test.each(sampled(switches, 3, 2))(
    "a batch that landed and lost its answer is never rejected (%s)",
    async (_, sandbox) => {
      await begun({ sandbox });
      throughout(lost);
      await imported(...at(10, 20, 30));
      expect(minutes()).toEqual([1, 10, 20, 30]);
      faults();
      const summary = await world.resume();
      for (const state of states().slice(1)) expect(state).toMatch(/^(landed-without-id|stalled)/);
      const tells = sandbox.checks === "duplicate-first" && sandbox.terseErrors === false;
      expect(summary.exitCode).toBe(tells ? 0 : 4);
      expect(minutes()).toEqual([1, 10, 20, 30]);
    },
  );

  test.each(sampled(switches, 3, 2))(
    "a batch refused for its last event settles what stood before it (%s)",
    async (_, sandbox) => {
      await begun({ sandbox });
      await imported(...at(10, 20), "M1 30 bad", "M1 40");
      const landed = new Set(minutes());
      const [, ...rest] = states();
      for (const [index, minute] of [10, 20, 30, 40].entries()) {
        const state = rest[index] ?? "";
        if (landed.has(minute)) expect(state).toMatch(/^(landed|stalled)/);
        else expect(state).toMatch(/^(rejected|held|stalled)/);
      }
      expect(landed.has(30) || landed.has(40)).toBe(false);
      if (sandbox.partialBatches !== true)
        expect(rest.map((state) => state.split(":")[0])).toEqual(["landed", "landed", "rejected", "held"]);
    },
  );

  const ends: { [how: string]: RunPlan } = {
    "a kill before it": { killAt: { request: 2, when: "before" } },
    "a kill after it": { killAt: { request: 2, when: "after" } },
    "Ctrl-C": { interruptAt: 2 },
  };
  const kills = switches.flatMap(([name, sandbox]) =>
    Object.entries(ends).map(([how, plan]): [string, string, RunPlan, SandboxOptions] => [how, name, plan, sandbox]),
  );
  test.each(sampled(kills, 4, 2))(
    "%s while the parts of a refused batch are sent leaves no doubt about a faulty event that is in none yet (%s)",
    async (how, _, plan, sandbox) => {
      await begun({ sandbox });
      await world.run([file(...at(10, 20, 30, 40), "M1 50 bad", "M1 60")], plan);
      expect(states()[5]).toMatch(how === "Ctrl-C" ? /^(planned|stalled: refused-with-others)$/ : /^sending$/);
      for (let run = 0; run < 3; run += 1) await world.resume();
      const landed = new Set(minutes());
      expect([landed.has(50), landed.has(60)]).toEqual([false, false]);
      for (const [index, minute] of [10, 20, 30, 40].entries())
        if (landed.has(minute)) expect(states()[index + 1], `${minute}`).toMatch(/^(landed|stalled)/);
      const { terseErrors, checks, partialBatches } = sandbox;
      const isTold = !terseErrors && checks === "duplicate-first";
      if (isTold || (!partialBatches && how !== "a kill after it"))
        expect(states().slice(5)).toEqual(["rejected: service-refused", expect.stringMatching(/^held/)]);
    },
  );

  test("a duplicate that is in time does not show that duplicates are checked before lateness", async () => {
    await begun({ sandbox: { checks: "order-first", partialBatches: true } });
    throughout(lost);
    await imported(...at(10));
    faults();
    await imported(...at(30, 40), "M1 50 bad");
    expect(minutes()).toEqual([1, 10, 30, 40]);
    for (const state of states().slice(2)) expect(state).not.toMatch(/^rejected/);
  });

  test("an event in doubt takes no correction under a new key, and holds its lane", long, async () => {
    await begun({ sandbox: { checks: "order-first" } });
    throughout(lost);
    await imported(...at(10, 20));
    faults();
    await imported(...at(50));
    expect(states()).toEqual([
      "landed",
      "stalled: refused-in-doubt",
      "stalled: refused-in-doubt",
      "held: behind-stalled",
    ]);
    expect(minutes()).toEqual([1, 10, 20]);
  });

  test("retries spent without doubt leave nothing in doubt", long, async () => {
    await begun();
    throughout(answered(429));
    const summary = await imported(...at(10), "M1 20 bad");
    expect(summary.exitCode).toBe(4);
    faults();
    expect(await resumed()).toBe(3);
    expect(states()).toEqual(["landed", "landed", "rejected: service-refused"]);
  });
});

describe("H2, H3: a duplicate", () => {
  test("without a readable key is settled event by event, in order", async () => {
    await begun();
    faults({ nth: 1, times: 1, action: lost });
    const words = "deduplicationId (…) already exists";
    const plan = instead({
      2: () => ({ status: 409, body: { errors: [{ code: "CONFLICT_ERROR", message: words }] } }),
    });
    const summary = await world.import([file(...at(10, 20))], plan);
    expect(summary.exitCode).toBe(0);
    expect(states()).toEqual([
      "landed",
      "landed-without-id: duplicate-of-own-attempt",
      "landed-without-id: duplicate-of-own-attempt",
    ]);
  });

  const spellings: [string, (key: string) => string][] = [
    ["in quotes", (key) => JSON.stringify(key)],
    ["with the integrator in front", (key) => `acme:${key}`],
    ["cut short", (key) => `${key.slice(0, 12)}…`],
    ["in another form", (key) => Buffer.from(key).toString("base64")],
  ];
  test.each(spellings)("whose key the service gives %s is settled like any other", async (_, spelt) => {
    await begun();
    faults({ nth: 1, times: 1, action: lost });
    const rewrite: RunPlan["rewrite"] = (_request, reply) =>
      reply.status === 409
        ? {
            ...reply,
            body: reply.body.replace(/\((rf1-\w+)\)/, (_all, key: string) => `(${spelt(key)})`.replaceAll('"', '\\"')),
          }
        : reply;
    const summary = await world.import([file(...at(10, 20, 30))], { rewrite });
    expect(summary.exitCode).toBe(0);
    expect(states().slice(1)).toEqual(Array(3).fill("landed-without-id: duplicate-of-own-attempt"));
    expect(minutes()).toEqual([1, 10, 20, 30]);
  });

  test("CONFLICT_ERROR with other words is an ordinary refusal", long, async () => {
    await begun();
    const plan = instead({
      1: () => ({ status: 409, body: { errors: [{ code: "CONFLICT_ERROR", message: "busy" }] } }),
    });
    world.setFaults([{ match: { path: "/documents/events" }, nth: 1, action: answered(400) }]);
    await world.import([file(...at(10))], plan);
    expect(states()[1]).toBe("rejected: service-refused");
  });

  test(
    "of a key that this ledger never sent is foreign (P5): what precedes it goes, what follows is held",
    long,
    async () => {
      await begun();
      const mine = world.target.ledgerPath;
      // Another ledger of the same integrator has sent the event of minute 20 to a document of its own.
      world.target.ledgerPath = `${mine}-other`;
      await imported("M2 1");
      world.target.ledgerPath = mine;
      await postAs("M2", deduplicationIdOf("M1", 20));
      const summary = await imported(...at(10, 20, 30));
      expect(states()).toEqual(["landed", "landed", "foreign: foreign-collision", "held: behind-foreign"]);
      expect(summary.exitCode).toBe(3);
    },
  );
});

describe("H4: a create answered 409", () => {
  test("that names the document's key leaves it stranded, with its events", long, async () => {
    open();
    faults({ nth: 1, action: lost });
    const summary = await imported(...at(10, 20));
    expect(documentState()).toBe("stranded");
    expect(states()).toEqual(["stalled: document-stranded", "stalled: document-stranded"]);
    expect(summary.exitCode).toBe(3);
  });

  test(
    "that names an event's key is repeated without events; the document is there, and the event is foreign",
    long,
    async () => {
      open();
      await imported("M2 1");
      await postAs("M2", deduplicationIdOf("M1", 20));
      await imported(...at(10, 20, 30));
      expect(documentState()).toBe("open");
      expect(states().slice(1)).toEqual(["landed", "foreign: foreign-collision", "held: behind-foreign"]);
      expect(minutes()).toEqual([10]);
    },
  );

  test("that names the key of a first event never sent from here: another ledger made the document", long, async () => {
    open();
    const mine = world.target.ledgerPath;
    world.target.ledgerPath = `${mine}-lost`;
    await imported(...at(10, 20));
    world.target.ledgerPath = mine;
    // A service may check the events' keys before the document's.
    const message = `Document deduplicationId: (${deduplicationIdOf("M1", 10)}) already exists`;
    const plan = instead({ 1: () => ({ status: 409, body: { errors: [{ code: "CONFLICT_ERROR", message }] } }) });
    const summary = await world.import([file(...at(10, 20))], plan);
    expect([documentState(), summary.exitCode]).toEqual(["stranded", 3]);
    expect(summary.problems.map(({ code }) => code)).toEqual(["foreign-collision"]);
    resolveFound("M1");
    await world.resume();
    expect(states()).toEqual(["foreign: foreign-collision", "held: behind-foreign"]);
  });

  test.each([true, false])("without words is repeated without events (committed: %s)", long, async (committed) => {
    open({ sandbox: { terseErrors: true } });
    faults({ nth: 1, action: committed ? lost : notThere });
    if (!committed) faults({ nth: 1, action: notThere }, { nth: 2, action: answered(409) });
    await imported(...at(10, 20));
    expect(documentState()).toBe(committed ? "stranded" : "open");
    expect(minutes()).toEqual([10, 20]);
    expect(world.documents()).toHaveLength(1);
  });

  test(
    "kept in part, its events become landed only after `resolve`, by the answer to their own keys",
    long,
    async () => {
      open({ sandbox: { partialBatches: true } });
      await imported(...at(10), "M1 20 bad");
      expect(documentState()).toBe("stranded");
      expect(states()[0]).toBe("stalled: document-stranded");
      resolveFound("M1");
      await world.resume();
      expect(states()[0]).toBe("landed-without-id: duplicate-of-own-attempt");
    },
  );
});

describe("H4: what rides with a create for the first time, while an earlier create of its document is in doubt", () => {
  beforeEach(async () => {
    open();
    throughout(lost);
    await imported(...at(30));
    faults();
  });

  test("is not in doubt when the document's key is taken: that request wrote nothing", long, async () => {
    await imported(...at(10));
    expect([documentState(), ...states()]).toEqual([
      "stranded",
      "held: document-stranded",
      "stalled: document-stranded",
    ]);
    expect(minutes()).toEqual([30]);
    resolveFound("M1");
    await world.resume();
    // Late behind what was in doubt: only the service could tell, and its first word is enough.
    expect(states()[0]).toBe("rejected: service-refused");
  });

  test("is not in doubt when no try of it was taken up", long, async () => {
    throughout(answered(429));
    await imported(...at(10));
    expect(documentState()).toBe("stalled");
    expect(doubts()).toEqual([0, 1]);
  });
});

describe("H6: an accepted answer of the wrong shape", () => {
  const created = (body: object) => ({ status: 201, body });
  const oneEvent = (body: string) => created({ ...JSON.parse(body), events: [{ eventId: "e" }] });
  const noEvents = (body: string) => created({ documentId: JSON.parse(body).documentId });
  const unread = () => created({});

  test.each([
    ["another number of events", oneEvent],
    ["no events at all", noEvents],
  ])(
    "with %s leaves them in doubt; asked again in the same run, the duplicates settle them",
    long,
    async (_, answer) => {
      open();
      for (const rows of [at(1, 2), at(10, 20)])
        expect((await world.import([file(...rows)], instead({ 1: answer }))).exitCode).toBe(0);
      expect(new Set(states())).toEqual(new Set(["landed-without-id: duplicate-of-own-attempt"]));
      expect(minutes()).toEqual([1, 2, 10, 20]);
      const times = world.sandbox.store.requests().map(({ at: when }) => when);
      // service.md, Errors: a second of backoff before it is asked again.
      expect((times.at(-2) ?? 0) - (times.at(-3) ?? 0)).toBeGreaterThanOrEqual(1000);
    },
  );

  test("that stays unreadable is left in doubt, and the next run asks again", long, async () => {
    await begun();
    const summary = await world.import([file(...at(10, 20))], instead({ 1: unread, 2: unread }));
    expect(states().slice(1)).toEqual(["stalled: answer-unreadable", "stalled: answer-unreadable"]);
    expect(summary.exitCode).toBe(4);
    expect(await resumed()).toBe(0);
    expect(minutes()).toEqual([1, 10, 20]);
  });

  test("to a create without a readable documentId leaves it stranded", async () => {
    open();
    await world.import([file(...at(10))], instead({ 1: unread }));
    expect(documentState()).toBe("stranded");
  });

  test("with an event that has no id is landed all the same, and no id is invented", async () => {
    await begun();
    const withoutId = (body: string) => created({ ...JSON.parse(body), events: [{}] });
    await world.import([file(...at(10))], instead({ 1: withoutId }));
    expect(states()[1]).toBe("landed-without-id: answer-without-id");
  });
});

test.each(["/participants", "/participants/{participantId}/addresses"])(
  "H7: registrations have no key nothing at %s is created twice after a lost answer",
  async (path) => {
    open({ sandbox: { twinParticipants: true } });
    world.setFaults([{ match: { method: "POST", path }, nth: 1, action: lost }]);
    expect((await imported(...at(10))).exitCode).toBe(0);
    expect([...twinParticipants(world.sandbox.store), ...doubledAddresses(world.sandbox.store)]).toEqual([]);
    const kinds = world.sandbox.store.requests().map(({ method, at: when }) => ({ method, when }));
    const [post] = kinds.filter(({ method }) => method === "POST").slice(1);
    const look = kinds.find(({ method, when }) => method === "GET" && when > (post?.when ?? 0));
    expect((look?.when ?? 0) - (post?.when ?? 0)).toBeGreaterThanOrEqual(3000);
  },
);

test("P10: participants whose lookup always fails hold up their own rows only", async () => {
  open();
  const rewrite: RunPlan["rewrite"] = (request, reply) =>
    request.method === "GET" && /taxId=(11444777000161|33000167000101)/.test(request.url)
      ? { ...reply, status: 500, body: "{}" }
      : reply;
  const rows = ["M1 1 participant=11444777000161", "M2 1 participant=33000167000101", "M3 1", "M4 2"];
  const summary = await world.import([file(...rows)], { rewrite });
  expect(standing()).toEqual([
    expect.stringMatching(/^M1 1 held/),
    expect.stringMatching(/^M2 1 held/),
    "M3 1 landed",
    "M4 2 landed",
  ]);
  expect([summary.exitCode, summary.stopped]).toEqual([4, null]);
  expect(await resumed()).toBe(0);
  expect(standing()).toEqual(["M1 1 landed", "M2 1 landed", "M3 1 landed", "M4 2 landed"]);
});

const page: FaultAction = { kind: "status", status: 404, when: "before", body: "html" };

test.each([
  ["a web page", page],
  ["JSON", { ...page, body: "gateway" }],
  ["nothing", { ...page, body: "empty" }],
] as const)(
  "%s with status 404 and no code is not the service's: its documents are not gone, and all goes on afterwards",
  async (_what, answer) => {
    await begun();
    throughout(answer);
    expect((await imported(...at(10, 20))).exitCode).toBe(4);
    expect(states()).toEqual(["landed", "stalled: service-unanswered", expect.stringMatching(/^(stalled|held)/)]);
    faults();
    expect(await resumed()).toBe(0);
    expect(minutes()).toEqual([1, 10, 20]);
  },
);

test.each([
  ["a read still finds", []],
  [
    "a read names with a gateway's 404",
    [{ match: { method: "GET", path: "/documents/{id}" }, action: { ...page, body: "gateway" } }],
  ],
] as const)(
  "a document that %s is not gone: the service's 404 is about something else in the event",
  async (_what, reads) => {
    await begun();
    const match = { method: "POST", path: "/documents/events" } as const;
    world.setFaults([{ match, action: { ...page, body: "envelope" } }, ...reads]);
    expect((await imported(...at(10))).exitCode).toBe(3);
    expect(states()).toEqual(["landed", "rejected: service-refused"]);
  },
);

test(
  "a web page with status 404 in place of a lookup makes no participant absent, and corrects no row",
  long,
  async () => {
    await begun();
    world.setFaults([{ match: { path: "/participants" }, action: page }]);
    const { exitCode, problems } = await imported(...at(10), {
      document: "M2",
      minute: 10,
      participant: "44555666000172",
    });
    expect([exitCode, problems.map(({ code }) => code)]).toEqual([4, ["lookup-unanswered"]]);
    world.setFaults([]);
    expect(await resumed()).toBe(0);
    expect(minutes()).toEqual([1, 10]);
  },
);

describe("H8: where the service has never answered", () => {
  const html = "<!DOCTYPE html><title>Nothing here</title>";
  const envelope = JSON.stringify({ errors: [{ code: "NOT_FOUND", id: "1", timestamp: "2026-11-20T02:00:00.000Z" }] });

  test.each([
    ["a web page with status 404", 404, html, /answered 404, but not as the service does.*Check it/],
    ["a redirect", 301, "", /answered 301, a redirect.*Check it/],
    ["the start page of a web site", 200, html, /answered 200, but not as the service does.*Check it/],
    [
      "a list in an envelope of another kind",
      200,
      '{"items":[]}',
      /answered 200 with JSON in which Rowferry .*Check it/,
    ],
    ["404 in the service's own envelope", 404, envelope, /no POST \/participants.*check the path of baseUrl/],
    ["404 and no word", 404, "", /no POST \/participants.*check the path of baseUrl/],
  ])("%s stops the run within seconds: the address is wrong, and no row is", async (_, status, body, told) => {
    open();
    const rewrite: RunPlan["rewrite"] = ({ url }, reply) =>
      url.includes("/participants") ? { ...reply, status, body } : reply;
    const begin = world.clock.now();
    const { stopped, exitCode, problems } = await world.import([file(...at(10))], { rewrite });
    expect([stopped?.code, exitCode, problems]).toEqual(["service-path-unknown", 4, []]);
    expect(stopped?.message).toMatch(told);
    expect(world.clock.now() - begin).toBeLessThan(10_000);
    expect(await resumed()).toBe(0);
    expect(minutes()).toEqual([10]);
  });
});

describe("404 to an address of a participant that is there", () => {
  const addresses = (body: "empty" | "envelope") =>
    world.setFaults([
      { match: { method: "POST", path: "/participants/{participantId}/addresses" }, action: { ...page, body } },
    ]);

  test("without a code stops the run: the service has no such path, and no row is at fault", async () => {
    open();
    addresses("empty");
    const { stopped, exitCode, problems } = await imported(...at(10));
    expect([stopped?.code, exitCode, problems]).toEqual(["service-path-unknown", 4, []]);
    expect(stopped?.message).toMatch(/no POST \/participants\/[^/]+\/addresses at this address \(404\)/);
    world.setFaults([]);
    expect(await resumed()).toBe(0);
    expect(minutes()).toEqual([10]);
  });

  test("with a code is about the address", async () => {
    open();
    addresses("envelope");
    const { exitCode, problems } = await imported(...at(10));
    expect([exitCode, problems.map(({ code }) => code)]).toEqual([3, ["service-refused"]]);
  });
});

test("404 to an address of a participant that is gone says so", async () => {
  open();
  world.setFaults([
    { match: { method: "POST", path: "/participants/{participantId}/addresses" }, action: { ...page, body: "empty" } },
    { match: { method: "GET", path: "/participants/{id}" }, action: { ...page, body: "envelope" } },
  ]);
  const { exitCode, problems } = await imported(...at(10));
  expect([exitCode, problems.map(({ code }) => code)]).toEqual([3, ["service-refused"]]);
  const [told] = world.withLedger((database) => problemExamples(database, 1));
  expect(told?.message).toMatch(/does not know the participant \S+, under which/);
});

test("H8: a revoked credential stops the run and rejects no row", long, async () => {
  await begun();
  world.setFaults([{ match: { path: "/documents/events" }, action: answered(403) }]);
  const summary = await imported(...at(10), "M2 10");
  expect(summary.stopped?.code).toBe("credentials-refused");
  expect(summary.exitCode).toBe(4);
  expect(states().slice(1)).toEqual(["planned", "planned"]);
  world.setFaults([]);
  expect(await resumed()).toBe(0);
});

test(
  "H9: a correction of an event in doubt goes out under the same key; a duplicate means that the earlier content landed",
  long,
  async () => {
    await begun();
    throughout(lost);
    await imported("M1 10 weight=5");
    faults();
    const corrected = file("M1 10 weight=6");
    const summary = await world.import([corrected]);
    expect(states()[1]).toBe("changed: changed");
    expect(summary.exitCode).toBe(3);
    // The correction again is no news, and it has not landed.
    await imported("M1 10 weight=6");
    expect(states()[1]).toBe("changed: changed");
    // The row as it landed is.
    const back = await imported("M1 10 weight=5");
    expect([states()[1], back.exitCode]).toEqual(["landed-without-id", 0]);
  },
);

test.each<[string, WorldOptions, () => void, string[]]>([
  ["the call was tried again", {}, () => faults({ nth: 1, times: 1, action: lost }), []],
  ["the run before sent it too", {}, () => throughout(lost), []],
  ["its batch may have been kept up to it", { sandbox: { partialBatches: true } }, () => faults(), ["M1 20 bad"]],
])(
  "H9: if the correction may have landed as well, because %s, nobody can tell which did",
  async (_, options, fail, rest) => {
    await begun(options);
    throughout(notThere);
    await imported("M1 10 weight=5", ...rest);
    expect(states()[1]).toBe("stalled: service-unanswered");
    fail();
    await imported("M1 10 weight=6", ...rest);
    faults();
    await world.resume();
    expect(states()[1]).toBe("changed: changed");
    // It landed with the weight 6, and the ledger must not believe this row.
    await imported("M1 10 weight=5");
    expect(states()[1]).toBe("changed: changed");
  },
);

test(
  "H4: what rode with a create that was lost is in doubt no more once its document is created without it",
  long,
  async () => {
    open();
    throughout(notThere);
    await imported("M1 30");
    expect([documentState(), ...states()]).toEqual(["stalled", "stalled: service-unanswered"]);
    faults();
    const related = { name: "RELATED", related: { document: "M1", bidirectional: true } };
    await imported("M2 10 bad", { document: "M2", minute: 20, ...related });
    expect([documentState(), minutes()]).toEqual(["open", []]);
    expect(states()).toEqual(["rejected: service-refused", "held: behind-rejected", "held: behind-linked"]);
    expect(doubts()).not.toContain(1);
  },
);

describe("H10: the service's clock decides", () => {
  const forgetClock = () =>
    world.withLedger((database) => database.exec("DELETE FROM facts WHERE name = 'service-ahead'"));
  /** M1 has landed, and this machine's clock is an hour ahead, which the ledger does not know; the service's time. */
  async function ahead(options: WorldOptions = {}, clockAhead = 3_600_000) {
    await begun({ clockAhead, ...options });
    forgetClock();
    return (world.clock.now() - clockAhead - START) / 60_000;
  }
  /** An hour and more later, in the next run. */
  async function later(hours = 1) {
    faults();
    await world.clock.advance(hours * 3_600_000);
    await world.resume();
  }

  test.each([
    ["fast", 3_600_000],
    ["slow", -3_600_000],
  ])("a %s local clock turns no good row into a refusal", long, async (_, clockAhead) => {
    const now = await ahead({}, clockAhead);
    // Without registrations before them, the first request is the first word of the service's clock.
    const summary = await imported(...at(now - 120, now - 30, now + 30));
    expect(states()).toEqual(["landed", "landed", "landed", "deferred: not-yet-past"]);
    expect(summary.exitCode).toBe(0);
    await later(3);
    expect(states()[3]).toBe("landed");
  });

  test("where answers carry no Date, an error's timestamp tells it", long, async () => {
    const now = await ahead();
    const { inject } = world.sandbox;
    world.sandbox.inject = async (request) => {
      const {
        headers: { date: _, ...headers },
        ...reply
      } = await inject(request);
      return { ...reply, headers };
    };
    await imported(...at(now + 20, now + 30));
    expect(states().slice(1)).toEqual(["deferred: not-yet-past", "deferred: not-yet-past"]);
    await later();
    expect(states().slice(1)).toEqual(["landed", "landed"]);
  });

  test("what was sent too early and refused without doubt is deferred: it stalls nothing", long, async () => {
    const now = await ahead();
    throughout(answered(429));
    const first = await imported(...at(now + 20, now + 30));
    expect(states().slice(1)).toEqual(["deferred: not-yet-past", "deferred: not-yet-past"]);
    expect(first.exitCode).toBe(0);
    await later();
    expect(states().slice(1)).toEqual(["landed", "landed"]);
  });

  test(
    "the next run knows the service's clock before its first answer: nothing is sent too early, nor a CANCEL dated too late",
    long,
    async () => {
      await begun({ clockAhead: 3_600_000 });
      const now = (world.clock.now() - 3_600_000 - START) / 60_000;
      const before = refusals();
      const summary = await imported(...on("M2", now + 20, now + 30));
      expect(standing().slice(1)).toEqual([
        `M2 ${now + 20} deferred not-yet-past`,
        `M2 ${now + 30} deferred not-yet-past`,
      ]);
      expect([refusals() - before, summary.requests.byKind]).toEqual([0, { "read-participant": 2 }]);
      await replace("M1");
      await world.clock.advance(1000);
      expect([await resumed(), documentState("M1"), refusals() - before]).toEqual([0, "open", 0]);
      expect(minutes("M1")).toEqual([1, expect.any(Number), 1]);
    },
  );

  test("a clock that has been set right since defers nothing for a night", long, async () => {
    await begun({ clockAhead: -3_600_000 });
    world.withLedger((database) => database.exec("UPDATE facts SET value = -7200000 WHERE name = 'service-ahead'"));
    await imported(...at(5));
    expect(states()[1]).toBe("landed");
  });

  test(
    "no document is created without its events because they are still to come (H28), though only the refusal tells the time",
    long,
    async () => {
      const now = await ahead();
      for (const rows of [on("M2", now - 10, now + 30), on("M3", now + 40)]) {
        forgetClock();
        expect((await imported(...rows)).exitCode).toBe(0);
      }
      expect(standing().slice(1)).toEqual([
        `M2 ${now - 10} landed`,
        `M2 ${now + 30} deferred not-yet-past`,
        `M3 ${now + 40} deferred not-yet-past`,
      ]);
      expect([documentState("M2"), documentState("M3"), world.documents().length]).toEqual(["open", "planned", 2]);
      await later();
      expect([minutes("M2"), minutes("M3")]).toEqual([[now - 10, now + 30], [now + 40]]);
    },
  );

  test("what a service kept of such a creation (open point 9) is ours: its document is stranded, not foreign", async () => {
    const now = await ahead({ sandbox: { partialBatches: true } });
    const summary = await imported(...on("M2", now - 10, now + 30));
    expect([documentState("M2"), summary.exitCode]).toEqual(["stranded", 3]);
    expect(summary.problems.map(({ code }) => code)).not.toContain("foreign-collision");
  });

  test("what was sent too early cannot have landed where a CANCEL of an earlier time did", long, async () => {
    const now = await ahead({ maxEventsPerRequest: 1 });
    await world.run([file(...at(now + 30))], { killAt: { request: 1, when: "after" } });
    const summary = await imported("M1 20 CANCEL reason=wrong");
    expect(states()).toEqual(["landed", "landed", "rejected: after-cancel"]);
    expect(summary.exitCode).toBe(3);
  });

  test(
    "what is still to come cannot have landed, though its answers were lost: it is deferred, not in doubt",
    long,
    async () => {
      const now = await ahead();
      throughout(lost);
      const summary = await imported(...at(now + 30));
      expect([states()[1], summary.exitCode]).toEqual(["stalled: service-unanswered", 4]);
      faults();
      for (let night = 0; night < 3; night += 1) expect(await resumed()).toBe(0);
      expect(states()[1]).toBe("deferred: not-yet-past");
      await later();
      expect([states()[1], minutes()]).toEqual(["landed", [1, now + 30]]);
    },
  );
});

test("H6: where no answer to a creation holds an id, the run stops before it strands every document", async () => {
  open();
  const withoutIds = (reply: { body: string }) => {
    const { documentId: _, ...rest } = JSON.parse(reply.body) as { [name: string]: unknown };
    return { status: 201, body: JSON.stringify({ data: rest }) };
  };
  const rows = Array.from({ length: 400 }, (_, index) => ({ document: `N${index}`, minute: 10 }));
  const summary = await world.import([file(...rows)], {
    rewrite: (request, reply) =>
      request.url.endsWith("/documents/events") && reply.status < 300 ? { ...reply, ...withoutIds(reply) } : reply,
  });
  expect([summary.exitCode, summary.stopped?.code]).toEqual([4, "creations-without-id"]);
  const { stranded = 0 } = summary.open.documents;
  expect([stranded >= 3, stranded <= 100]).toEqual([true, true]);
  // One answer without an id, among others, stops nothing.
  await begun();
  const plan = instead({ 1: () => ({ status: 201, body: {} }) });
  const other = await world.import([file(...on("M2", 10), ...on("M3", 10))], plan);
  expect([other.stopped, other.open.documents]).toEqual([null, { stranded: 1 }]);
});
