/** `verify`: every difference between ledger and service that reads can tell, and what they cannot (P11). */
import { open, world } from "../nights/simulation/hard-case.js";
import { checkDoubt } from "../../src/desk/decide.js";
import { settleNamed } from "../support/decide.js";
import { verify } from "../../src/desk/verify.js";
import { readStatus, showRuns } from "../../src/desk/status.js";
import type { Sandbox } from "../../src/sandbox/index.js";
import { unthrottled } from "../../src/submit/throttle.js";
import { sandboxTransport } from "../nights/simulation/sandbox-transport.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { createWorld, lostAnswers } from "../nights/simulation/world.js";

/** The service's reads of documents have these members in place of their own. */
function readDocumentsAs(members: (document: { events: { eventId: string }[] }) => object) {
  const { inject } = world.sandbox;
  world.sandbox.inject = async (request) => {
    const reply = await inject(request);
    if (!request.path.startsWith("/documents/")) return reply;
    const document = JSON.parse(reply.body);
    return { ...reply, body: JSON.stringify({ ...document, ...members(document) }) };
  };
}

const against = (sandbox: Sandbox, chosen = {}, interrupt = new AbortController()) =>
  world.clock.run(
    verify({
      chosen,
      target: world.target,
      clock: world.clock,
      random: () => 0.5,
      signal: interrupt.signal,
      observe: () => {},
      waitForLock: false,
      fresh: false,
      transport: sandboxTransport(sandbox, world.clock),
      throttle: unthrottled,
    }),
  );

async function imported() {
  open();
  await world.bring("a", ["M1 10", "M1 20 CLOSE", "M2 10"]);
}

describe("verify", () => {
  it(
    "finds no difference after an import, writes nothing to the service, and stands in the ledger as a run",
    long,
    async () => {
      await imported();
      const before = world.sandbox.dump();
      const found = await against(world.sandbox);
      expect(found.differences).toEqual([]);
      expect(found.checked).toEqual({ participants: 1, addresses: 1, documents: 2, events: 3 });
      expect(found.stopped).toBeNull();
      expect(world.sandbox.dump()).toBe(before);
      expect(showRuns(world.target, 1)[0]).toMatchObject({
        command: "verify",
        exitCode: 0,
        requests: { "read-participant": 1, "list-addresses": 1, "read-document": 2 },
      });
    },
  );

  it("takes the service's own spelling for no difference", async () => {
    open();
    await world.bring("a", ["M1 10"]);
    world.withLedger((database) =>
      database.exec(
        "UPDATE registrations SET payload = json_set(payload, '$.name', 'CÔMPANY 11222333000181', '$.taxId', '11.222.333/0001-81') WHERE kind = 'participant'",
      ),
    );
    const found = await against(world.sandbox);
    expect(found.differences).toEqual([]);
  });

  it.each(["name", "type"])(
    "counts a participant found with another %s, of which the import has warned, and ends well",
    async (field) => {
      await imported();
      world.target.ledgerPath += "-new";
      const other = field === "name" ? { participantName: "Other" } : {};
      const rows = [eventRow({ row: 2, document: "M3", minute: 10, ...other })];
      const { inject } = world.sandbox;
      world.sandbox.inject = async (request) => {
        const reply = await inject(request);
        const isRead = field === "type" && request.method === "GET" && request.path.startsWith("/participants");
        return isRead ? { ...reply, body: reply.body.replace(/"type":"[^"]*"/, '"type":"ANOTHER"') } : reply;
      };
      const { warnings } = await world.import([{ name: "b.csv", contentHash: "b", rows }]);
      expect(warnings.map(({ code, example }) => [code, example])).toEqual([
        ["participant-differs", expect.stringContaining("is registered as")],
      ]);
      const { differences, unverifiable } = await against(world.sandbox);
      expect(differences).toEqual([]);
      expect(unverifiable).toEqual([{ text: expect.stringContaining("participant-differs"), count: 1 }]);
      expect(showRuns(world.target, 1)[0]).toMatchObject({ command: "verify", exitCode: 0 });
    },
  );

  it("compares a part on request, and says what it left out", long, async () => {
    await imported();
    const left = (kind: string, count: number) => ({ text: `${kind}s that were not asked for`, count });
    const one = await against(world.sandbox, { document: "M1" });
    expect(one.checked).toEqual({ participants: 1, addresses: 1, documents: 1, events: 2 });
    expect(one.unverifiable).toEqual([left("document", 1)]);
    const some = await against(world.sandbox, { sample: 1 });
    expect(some.checked).toMatchObject({ participants: 1, documents: 1 });
    const later = await against(world.sandbox, { since: world.clock.now() + 1 });
    expect(later.checked).toEqual({ participants: 0, addresses: 0, documents: 0, events: 0 });
    expect(later.unverifiable).toEqual([left("participant", 1), left("document", 2)]);
    await world.clock.run(world.clock.sleep(600_000));
    await world.bring("b", ["M2 30"]);
    expect((await against(world.sandbox, { since: world.clock.now() - 1000 })).checked).toMatchObject({ documents: 1 });
    await expect(against(world.sandbox, { document: "M9" })).rejects.toMatchObject({ code: "document-unknown" });
  });

  it("what it found is told by status, after other runs too, until a comparison of everything finds nothing", async () => {
    await imported();
    const told = async () => (await readStatus({ target: world.target })).differed;
    const { inject } = world.sandbox;
    readDocumentsAs(() => ({ events: [] }));
    expect(await against(world.sandbox)).toMatchObject({ differences: expect.arrayContaining([expect.anything()]) });
    const found = { name: expect.stringMatching(/-verify$/), at: expect.any(String) };
    expect(await told()).toEqual(found);
    world.sandbox.inject = inject;
    await world.bring("b", ["M2 30"]);
    expect((await against(world.sandbox, { sample: 1 })).differences).toEqual([]);
    expect(await told()).toEqual(found);
    expect((await against(world.sandbox)).differences).toEqual([]);
    expect(await told()).toBe(null);
  });

  it("lists what is not there, each with its id", long, async () => {
    await imported();
    const stranger = createWorld();
    const found = await against(stranger.sandbox);
    await stranger.close();
    expect(found.differences.map(({ subject, text }) => `${subject} ${text.split(" (")[0]}`)).toEqual([
      "participant is not there",
      "address is not in the participant's list",
      "document is not there",
      "document is not there",
    ]);
  });

  it("lists what differs in the ledger's own account: names, states and events", long, async () => {
    await imported();
    world.withLedger((database) => {
      database.exec(
        "UPDATE registrations SET payload = json_set(payload, '$.name', 'Another') WHERE kind = 'participant'",
      );
      database.exec("UPDATE registrations SET payload = json_set(payload, '$.street', 'Rua Z') WHERE kind = 'address'");
      database.exec("UPDATE document_states SET state = 'closed' WHERE state = 'open'");
      database.exec("UPDATE event_states SET service_event_id = 'lost' WHERE event_id = 1");
      database.exec("UPDATE events SET deduplication_id = zeroblob(20) WHERE id = 1");
    });
    const found = await against(world.sandbox);
    expect(found.differences.map(({ subject, text }) => [subject, text])).toEqual([
      ["participant", 'name is "Company 11222333000181" there, "Another" here'],
      ["address", 'street is "Rua A" there, "Rua Z" here'],
      ["event", expect.stringMatching(/^is not on the timeline \(.* in pages/)],
      ["document", "is open there, closed here"],
    ]);
    // Only what is lost is to be replaced.
    expect(found.differences.flatMap(({ subject, lost }) => (lost ? subject : []))).toEqual(["event"]);
  });

  it("says what reads cannot tell: a stranded document", long, async () => {
    open();
    world.setFaults(lostAnswers());
    await world.bring("a", ["M1 10"]);
    world.setFaults([]);
    const { unverifiable, differences } = await against(world.sandbox);
    expect(differences).toEqual([]);
    expect(unverifiable).toEqual([{ text: expect.stringMatching(/id is not known/), count: 1 }]);
  });

  it.each([
    ["all", 2, 0],
    ["one", 1, 1],
    ["none", 0, 2],
  ])(
    "misses what a person said had landed, and counts as compared only what was: of two events, %s had",
    async (_had, there, missed) => {
      open();
      await world.bring("a", ["M1 10"]);
      const action = { kind: "drop", when: "before" } as const;
      const paths = ["/documents/events", "/documents/{documentId}/events"];
      world.setFaults(paths.map((path) => ({ match: { path }, action })));
      await world.bring("b", ["M1 20", "M1 30"]);
      world.setFaults([]);
      const holding = { clock: world.clock, waitForLock: false };
      await settleNamed(world.target, "M1", checkDoubt(world.target, "M1", "landed"), "landed", holding);
      const others = Array.from({ length: there }, (_none, index) => ({ eventId: `other-${index}` }));
      readDocumentsAs(({ events }) => ({ events: [...events.map(({ eventId }) => ({ eventId })), ...others] }));
      const { differences, unverifiable, checked } = await against(world.sandbox);
      expect(differences.map(({ text }) => text.split(" (")[0])).toEqual(
        missed === 0 ? [] : [`lacks ${missed} of the 2 events whose ids are not known here`],
      );
      expect([checked.events, ...unverifiable.map(({ count }) => count)]).toEqual([
        3 - there,
        ...(there === 0 ? [] : [there]),
      ]);
    },
  );

  it.each([
    ["texts", (ids: string[]) => ids, 0],
    ["objects without ids", (ids: string[]) => ids.map(() => ({ name: "Weighing" })), 3],
  ])("takes no event for lost where documents list %s (open point 18)", async (_what, listed, unnamed) => {
    await imported();
    readDocumentsAs(({ events }) => ({ events: listed(events.map(({ eventId }) => eventId)) }));
    const { differences, unverifiable } = await against(world.sandbox);
    expect(differences).toEqual([]);
    expect(unverifiable.reduce((sum, { count }) => sum + count, 0)).toBe(unnamed);
  });

  it.each([
    ["nextCursor", { nextCursor: "abc" }, true],
    ["a link to the next page", { page: { links: { next: "/documents/1?page=2" } } }, true],
    ["hasMore", { hasMore: true }, true],
    ["no further page", { nextCursor: null, hasMore: false, nextOwner: "p" }, false],
  ])("takes no event for lost that may be on a later page, as %s shows", async (_what, more, isPage) => {
    await imported();
    readDocumentsAs(() => ({ events: [], ...more }));
    const { differences, unverifiable, checked } = await against(world.sandbox);
    const lost = isPage ? 0 : 3;
    expect([differences.length, checked.events]).toEqual([lost, lost]);
    expect(unverifiable).toEqual(isPage ? [{ text: expect.stringContaining("in pages"), count: 3 }] : []);
  });

  it.each(["gateway", "empty"] as const)(
    "takes no document for lost where a 404 (%s) carries no code of the service's",
    async (body) => {
      await imported();
      const match = { method: "GET", path: "/documents/{id}" } as const;
      world.setFaults([{ match, nth: 1, times: 9, action: { kind: "status", status: 404, when: "before", body } }]);
      const { differences, unread } = await against(world.sandbox);
      expect([differences, unread.map(({ text }) => text)]).toEqual([[], Array(2).fill("cannot be read (404)")]);
    },
  );

  it("says of a page in the place of an answer that it was none of the service's", long, async () => {
    await imported();
    const match = { method: "GET", path: "/documents/{id}" } as const;
    world.setFaults([
      { match, nth: 1, times: 99, action: { kind: "status", status: 404, when: "before", body: "html" } },
    ]);
    const { differences, unread } = await against(world.sandbox);
    const page = expect.stringMatching(/^was not read: the address answered 404, but not as the service does/);
    expect([differences, unread.map(({ text }) => text)]).toEqual([[], [page, page]]);
  });

  it("finds no difference in a document that an event in doubt has closed", long, async () => {
    open();
    await world.bring("a", ["M1 10"]);
    world.setFaults(lostAnswers(6));
    await world.bring("b", ["M1 20 CLOSE"]);
    world.setFaults([]);
    expect(world.sandbox.store.documents().map(({ state }) => state)).toEqual(["closed"]);
    const { differences, unverifiable } = await against(world.sandbox);
    expect(differences).toEqual([]);
    expect(unverifiable).toEqual([{ text: "events in doubt", count: 1 }]);
  });

  it("names what it could not read, and never takes it for agreement (F17)", async () => {
    open();
    await world.bring("a", ["M1 10"]);
    const match = { method: "GET", path: "/documents/{id}" } as const;
    world.setFaults([{ match, nth: 1, times: 6, action: { kind: "status", status: 500, when: "before" } }]);
    const found = await against(world.sandbox);
    expect(found.differences).toEqual([]);
    expect(found.unread).toEqual([
      {
        subject: "document",
        name: "manifest M1",
        document: "manifest/M1",
        id: expect.any(String),
        text: "was not read: the address answered 500",
      },
    ]);
    expect(showRuns(world.target, 1)[0]).toMatchObject({ command: "verify", exitCode: 3 });
  });

  it("names the documents that this client may not read, and compares the rest", async () => {
    open();
    await world.bring(
      "a",
      Array.from({ length: 45 }, (_, at) => `M${at} 10`),
    );
    const match = { method: "GET", path: "/documents/{id}" } as const;
    world.setFaults([{ match, times: 1000, action: { kind: "status", status: 403, when: "before" } }]);
    const found = await against(world.sandbox);
    expect(found).toMatchObject({
      checked: { participants: 1, addresses: 1, documents: 0 },
      differences: [],
      stopped: null,
    });
    expect(new Set(found.unread.map(({ name }) => name)).size).toBe(45);
    expect(new Set(found.unread.map(({ text }) => text))).toEqual(
      new Set(["cannot be read (403)", "was not asked for: none of the documents before it can be read (403)"]),
    );
    expect(showRuns(world.target, 1)[0]).toMatchObject({ command: "verify", exitCode: 3 });
  });

  it("never says that ledger and service agree where Ctrl-C came before all was asked for", async () => {
    await imported();
    const interrupt = new AbortController();
    const { inject } = world.sandbox;
    world.sandbox.inject = (request) => {
      if (request.path.startsWith("/participants/")) interrupt.abort({ exitCode: 130 });
      return inject(request);
    };
    const found = await against(world.sandbox, {}, interrupt);
    expect(found).toMatchObject({ checked: { documents: 0 }, stopped: expect.any(String) });
    expect(showRuns(world.target, 1)[0]).toMatchObject({ command: "verify", exitCode: 130 });
  });

  it("stops, and says so, when the credential is refused", async () => {
    await imported();
    world.setFaults([{ match: {}, times: 100, action: { kind: "status", status: 401, when: "before" } }]);
    expect((await against(world.sandbox)).stopped).toEqual(expect.any(String));
  });
});
