/** What the sandbox keeps and no endpoint of the service shows. All else is asked over HTTP, by the contract suite. */
import * as fc from "fast-check";
import { drawn } from "../support/sample.js";
import { NOON, openWorld, person, place, timelineOf } from "../support/sandbox.world.js";

const related = (documentId: string, more: Record<string, unknown> = { isPublic: true }) => ({
  relatedDocument: { documentId, ...more },
});

it("a propagated copy has the event's time and no key (rule 11)", async () => {
  const { append, document, event, sandbox } = await openWorld();
  const [a, b] = [await document(), await document()];
  await append(a, event("RELATED", 1, related(b)));
  await append(a, event("UPDATE", 3, { propagateEvent: true, deduplicationId: "k" }));
  expect(timelineOf(sandbox, b).at(-1)).toBe("UPDATE (propagated)");
  expect(sandbox.store.timeline(b).at(-1)).toMatchObject({ deduplicationId: null, at: Date.UTC(2026, 0, 1, 8, 3) });
});

it.each([
  ["event", Date.UTC(2026, 0, 1, 8, 30)],
  ["server", NOON],
] as const)("targets and mirrors stand at the time that linkTime %s says (open point 11)", async (linkTime, at) => {
  const { append, document, event, sandbox, participantId } = await openWorld({ linkTime });
  const [id, other] = [await document(), await document()];
  const target = { externalId: "T", any: { thing: true } };
  const { targetDocumentId } = (await append(id, event("OUTPUT", 30, { target }))).json();
  await append(id, event("RELATED", 30, related(other)));
  expect(sandbox.store.timeline(targetDocumentId)).toMatchObject([{ at, origin: "target", name: "OUTPUT" }]);
  expect(sandbox.store.timeline(other)).toMatchObject([{ at }]);
  expect(sandbox.store.document(targetDocumentId)).toMatchObject({
    origin: "target",
    externalId: "T",
    participantId,
    fields: { any: { thing: true } },
  });
});

it("twins of participants and doubles of addresses are counted (open points 2 and 5)", async () => {
  const { post, sandbox, participantId } = await openWorld({ twinParticipants: true });
  await post("/participants", person("1"));
  for (let time = 0; time < 2; time += 1) await post(`/participants/${participantId}/addresses`, place());
  expect(sandbox.store.twinParticipants()).toMatchObject([{ count: 2 }]);
  expect(sandbox.store.doubledAddresses()).toMatchObject([{ count: 3, first: { number: "1" } }]);
});

it("what a refused batch had begun is nowhere, unless partialBatches keeps what came first (open point 9)", async () => {
  for (const [partialBatches, left] of [
    [false, []],
    [true, ["A"]],
  ] as const) {
    const { post, event, sandbox, document } = await openWorld({ partialBatches });
    const documentId = await document();
    const before = sandbox.store.participants().length;
    const inline = { participantId: undefined, participant: person("5") };
    const events = [event("A", 1), { ...event("B", 2), ...inline, isPublic: 1 }, event("C", 3)];
    expect((await post("/documents/events", { documentId, events })).status).toBe(422);
    expect(timelineOf(sandbox, documentId)).toEqual(left);
    expect(sandbox.store.participants()).toHaveLength(before);
  }
});

it("whatever JSON it is: never a 500, and a batch that is refused leaves no trace", async () => {
  const { post, sandbox, event, participantId } = await openWorld();
  const names = ["events", "document", "documentId", "participant", "metadata", "attributes", "target", "name"];
  const key = fc.oneof(fc.constantFrom(...names, "relatedDocument", "isPublic", "externalCreatedAt"), fc.string());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 3 }),
    object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  }));
  const paths = ["/participants", "/documents", "/documents/events", `/participants/${participantId}/addresses`];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), value, fc.dictionary(key, value), async (path, body, more) => {
      const alone = await post(path, body);
      expect([201, 400, 409, 415, 422]).toContain(alone.status);
      const before = sandbox.dump({ ids: true });
      const batch = { document: { externalId: "D" }, events: [event("X", 1), { ...event("Y", 2), ...more }] };
      const answer = await post("/documents/events", batch);
      expect([201, 400, 409, 422]).toContain(answer.status);
      const untouched = sandbox.dump({ ids: true }) === before;
      expect(untouched).toBe(answer.status !== 201);
    }),
    { numRuns: drawn(50, 150), seed: 3 },
  );
});
