/** What the sandbox keeps and no endpoint of the service shows. All else is asked over HTTP, by the contract suite. */
import * as fc from "fast-check";
import { drawn } from "../support/sample.js";
import { openWorld, person, place } from "../support/sandbox.world.js";
import { doubledAddresses, twinParticipants } from "../support/doubled.js";

it("twins of participants and doubles of addresses are counted (open points 2 and 5)", async () => {
  const { post, sandbox, participantId } = await openWorld({ twinParticipants: true });
  await post("/participants", person("1"));
  for (let time = 0; time < 2; time += 1) await post(`/participants/${participantId}/addresses`, place());
  expect(twinParticipants(sandbox.store)).toMatchObject([{ count: 2 }]);
  expect(doubledAddresses(sandbox.store)).toMatchObject([{ count: 3, first: { number: "1" } }]);
});

it("whatever JSON it is: never a 500, and a batch that is refused leaves no trace", long, async () => {
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
