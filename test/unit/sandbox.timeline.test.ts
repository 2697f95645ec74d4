/** Documents, events, order, keys and states (service.md, Endpoints: Events, rules 1 to 9; States and transitions). */
import { describe, expect, it } from "vitest";
import { NOON, openWorld, person, place, refusalOf, timelineOf } from "../support/sandbox.world.js";

const attributes = (...list: unknown[]) => ({ metadata: { attributes: list } });
const at = (ms: number) => ({ externalCreatedAt: new Date(ms).toISOString() });

describe("documents", () => {
  it("are created empty, keep what came with them, and answer id and documentId (open points 7, 18, 25)", async () => {
    const { post, get, participantId, addressId } = await openWorld();
    const given = {
      externalId: "D1",
      deduplicationId: "k1",
      participantId,
      addressId,
      category: "MassID",
      deep: { a: [1] },
    };
    const created = await post("/documents", given);
    expect(created.status).toBe(201);
    const { id, documentId } = created.json();
    expect(documentId).toBe(id);
    expect((await get(`/documents/${id}`)).json()).toEqual({ ...given, id, documentId: id, state: "open", events: [] });
    expect(refusalOf(await post("/documents", given))).toBe(
      "409 CONFLICT_ERROR Document deduplicationId: (k1) already exists",
    );
  });

  it("are created with their events, or without any, by the batch endpoint", async () => {
    const { post, event, sandbox } = await openWorld();
    const answer = await post("/documents/events", {
      document: { externalId: "D1" },
      events: [event("Pick-up", 1), event("Weighing", 1)],
    });
    expect(answer.status).toBe(201);
    const { documentId, events } = answer.json();
    expect(events.map(Object.keys)).toEqual([["eventId"], ["eventId"]]);
    expect(timelineOf(sandbox, documentId)).toEqual(["Pick-up", "Weighing"]);
    expect((await post("/documents/events", { document: {}, events: [] })).json().events).toEqual([]);
  });

  it("that do not exist are 404 for reading, appending and batches", async () => {
    const { get, append, post, event } = await openWorld();
    expect((await get("/documents/none")).status).toBe(404);
    expect((await append("none", event("X", 1))).status).toBe(404);
    expect((await post("/documents/events", { documentId: "none", events: [event("X", 1)] })).status).toBe(404);
  });

  it("share an externalId, unless uniqueExternalId forbids it (open point 26)", async () => {
    const open = await openWorld();
    await open.document([], { externalId: "D1" });
    await open.document([], { externalId: "D1" });
    expect(open.sandbox.store.documentsByExternalId("D1")).toHaveLength(2);
    const strict = await openWorld({ uniqueExternalId: true });
    await strict.document([], { externalId: "D1" });
    expect((await strict.post("/documents", { externalId: "D1" })).status).toBe(409);
  });

  it.each(["PATCH", "PUT", "DELETE"])("have no %s (What the service does, 3)", async (method) => {
    const { send, document, sandbox } = await openWorld();
    const id = await document([], { externalId: "D1" });
    const answer = await send({ method, path: `/documents/${id}`, body: { externalId: "D2" } });
    expect(refusalOf(answer)).toContain("405 METHOD_NOT_ALLOWED");
    expect(answer.headers["allow"]).toBe("GET");
    expect(sandbox.store.document(id)?.externalId).toBe("D1");
  });
});

describe("batches", () => {
  it("name exactly one of documentId and document (rule 4)", async () => {
    const { post, document, event } = await openWorld();
    const documentId = await document();
    const message = "400 VALIDATION_ERROR Exactly one of documentId or document must be provided";
    const events = [event("X", 1)];
    expect(refusalOf(await post("/documents/events", { events }))).toBe(message);
    expect(refusalOf(await post("/documents/events", { documentId, document: {}, events }))).toBe(message);
    expect((await post("/documents/events", { documentId, events })).status).toBe(201);
  });

  it("are all or nothing, the new document and inline records included (open point 9)", async () => {
    const { post, event, sandbox } = await openWorld();
    const inline = { participantId: undefined, participant: person("5") };
    const batch = { document: { deduplicationId: "d" }, events: [{ ...event("A", 2), ...inline }, event("B", 1)] };
    const kept = () => [sandbox.store.participants(), sandbox.store.addresses(), sandbox.store.documents()];
    const before = kept();
    expect((await post("/documents/events", batch)).status).toBe(400);
    expect(kept()).toEqual(before);
    batch.events.pop();
    expect((await post("/documents/events", batch)).status).toBe(201);
  });

  it("keep what came before the failing event under partialBatches (open point 9)", async () => {
    const { post, event, sandbox, document } = await openWorld({ partialBatches: true });
    const documentId = await document();
    const events = [event("A", 1), event("B", 2), { ...event("C", 3), isPublic: 1 }, event("D", 4)];
    expect((await post("/documents/events", { documentId, events })).status).toBe(422);
    expect(timelineOf(sandbox, documentId)).toEqual(["A", "B"]);
    const late = [event("E", 5), event("F", 1)];
    expect((await post("/documents/events", { documentId, events: late })).status).toBe(400);
    expect(timelineOf(sandbox, documentId)).toEqual(["A", "B", "E"]);
  });

  it("say which event is at fault", async () => {
    const { post, event } = await openWorld();
    const answer = await post("/documents/events", { document: {}, events: [event("A", 2), event("B", 1)] });
    expect(refusalOf(answer)).toContain("events[1].externalCreatedAt");
  });

  it("over maxEvents or maxBytes are 413 (open point 10)", async () => {
    const { post, event } = await openWorld({ maxEvents: 2, maxBytes: 2000 });
    const events = [event("A", 1), event("B", 2), event("C", 3)];
    expect(refusalOf(await post("/documents/events", { document: {}, events }))).toContain("413 PAYLOAD_TOO_LARGE");
    expect((await post("/documents/events", { document: {}, events: events.slice(1) })).status).toBe(201);
    expect((await post("/documents", { text: "é".repeat(999) })).status).toBe(413);
  });

  it("fail when one identity carries different data (rule 3), and so do single events (rule 2)", async () => {
    const { post, append, document, event, sandbox, participantId } = await openWorld();
    const as = (name: string) => ({ ...event("X", 1), participantId: undefined, participant: person("5", name) });
    const two = (...events: unknown[]) => post("/documents/events", { document: {}, events });
    expect(refusalOf(await two(as("Red"), as("Blue")))).toContain("409 CONFLICT_ERROR The same identity");
    expect(sandbox.store.participants()).toHaveLength(1);
    expect((await two(as("Red"), as("Red"))).status).toBe(201);
    const there = (zipCode: string) => ({
      ...event("X", 1),
      addressId: undefined,
      address: { ...place("5"), zipCode },
    });
    expect((await two(there("1"), there("2"))).status).toBe(409);
    expect((await two(there("1"), there("1"))).status).toBe(201);
    expect(sandbox.store.addresses().filter((one) => one.participantId === participantId)).toHaveLength(2);
    const target = { ...as("Red"), target: { participant: person("5", "Blue") } };
    expect((await append(await document(), target)).status).toBe(409);
  });
});

describe("events", () => {
  it("carry exactly one participant and exactly one address (rule 1)", async () => {
    const { append, document, event, participantId, addressId, sandbox } = await openWorld();
    const id = await document();
    const wrong = [
      { participantId: undefined },
      { participant: person("1") },
      { addressId: undefined },
      { address: place() },
    ];
    for (const more of wrong) expect((await append(id, { ...event("X", 1), ...more })).status).toBe(400);
    expect((await append(id, event("X", 1))).status).toBe(201);
    expect(sandbox.store.timeline(id)).toMatchObject([{ participantId, addressId }]);
  });

  it("find an inline participant and address, or create them (rule 1)", async () => {
    const { append, document, event, participantId, addressId, sandbox } = await openWorld();
    const id = await document();
    const inline = (taxId: string, number: string) => ({
      ...event("X", 1),
      participantId: undefined,
      addressId: undefined,
      participant: person(taxId),
      address: place(number),
    });
    await append(id, inline("1", "1"));
    await append(id, inline("2", "2"));
    await append(id, inline("2", "2"));
    const [first, second, third] = sandbox.store.timeline(id);
    expect(first).toMatchObject({ participantId, addressId });
    expect(second?.participantId).not.toBe(participantId);
    expect(third).toMatchObject({ participantId: second?.participantId, addressId: second?.addressId });
    expect(sandbox.store.participants()).toHaveLength(2);
    expect(sandbox.store.addresses()).toHaveLength(2);
  });

  it("refer to records that exist", async () => {
    const { append, document, event } = await openWorld();
    const id = await document();
    expect((await append(id, event("X", 1, { participantId: "nobody" }))).status).toBe(400);
    expect((await append(id, event("X", 1, { addressId: "nowhere" }))).status).toBe(400);
  });

  it("need a name, their own isPublic, a timestamp, and isPublic on every attribute", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const id = await document();
    const wrong: Record<string, unknown>[] = [
      { name: undefined },
      { name: "" },
      { isPublic: undefined },
      { externalCreatedAt: undefined },
      { externalCreatedAt: "2026-02-30T00:00:00Z" },
      { externalCreatedAt: "2026-01-01T00:00:00" },
      { externalCreatedAt: "yesterday" },
      attributes({ name: "a", value: "b" }),
      attributes({ value: "b", isPublic: true }),
    ];
    const statuses = async (list: Record<string, unknown>[]) => {
      const told: string[] = [];
      for (const more of list) {
        const { status } = await append(id, { ...event("X", 1), ...more });
        told.push(`${status} ${JSON.stringify(more)}`);
      }
      return told;
    };
    expect(await statuses(wrong)).toEqual(wrong.map((more) => `400 ${JSON.stringify(more)}`));
    // A field of the wrong type cannot be processed at all.
    const crooked: Record<string, unknown>[] = [
      { isPublic: "yes" },
      { metadata: [] },
      attributes({ name: "a", value: 5, isPublic: true }),
      { target: "T1" },
      { propagateEvent: "yes" },
    ];
    expect(await statuses(crooked)).toEqual(crooked.map((more) => `422 ${JSON.stringify(more)}`));
    expect(sandbox.store.timeline(id)).toEqual([]);
  });

  it("of a name that is not reserved are CUSTOM, case by case; unknown fields are ignored (types, rule 2; open point 8)", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const id = await document();
    const names = ["OUTPUT", "SPLIT", "close", "constructor", "Pesagem ✓", "ACTOR", "UPDATE"];
    for (const name of names) await append(id, event(name, 1, { anything: { goes: 1 } }));
    expect(timelineOf(sandbox, id)).toEqual(names);
    expect(sandbox.store.document(id)?.state).toBe("open");
    expect(sandbox.store.timeline(id)[0]?.body).not.toHaveProperty("anything");
  });
});

describe("time (rule 7, Limits 3)", () => {
  it("must be before now by the service's clock, and not before the last event; equal times are in order", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const id = await document();
    expect(refusalOf(await append(id, event("X", 1, at(NOON))))).toContain("before the current time");
    expect((await append(id, event("X", 1, at(NOON - 1)))).status).toBe(201);
    expect((await append(id, event("Y", 1, at(NOON - 1)))).status).toBe(201);
    expect(refusalOf(await append(id, event("Z", 1, at(NOON - 2))))).toContain("earlier than the last event");
    sandbox.setClockOffset(10);
    expect((await append(id, event("Z", 1, at(NOON + 9)))).status).toBe(201);
    expect(timelineOf(sandbox, id)).toEqual(["X", "Y", "Z"]);
  });

  it("is an instant, whatever the offset it is written with", async () => {
    const { append, document, event } = await openWorld();
    const id = await document();
    expect((await append(id, event("X", 1, { externalCreatedAt: "2026-05-01T09:00:00-03:00" }))).status).toBe(201);
    expect((await append(id, event("Y", 1, { externalCreatedAt: "2026-05-01T11:59:59Z" }))).status).toBe(400);
    expect((await append(id, event("Y", 1, { externalCreatedAt: "2026-05-01T12:00:00.000Z" }))).status).toBe(201);
  });
});

/** What a repeated key is answered where it would also be late, and where the document is closed. */
async function answers(checks: "duplicate-first" | "order-first"): Promise<string[]> {
  const { append, document, event } = await openWorld({ checks });
  const keyed = event("X", 1, { deduplicationId: "k" });
  const late = await document([keyed, event("Y", 2)]);
  const closed = await document([event("X", 1, { deduplicationId: "c" }), event("CLOSE", 1)]);
  return [
    refusalOf(await append(late, keyed)).slice(0, 25),
    refusalOf(await append(closed, event("X", 1, { deduplicationId: "c" }))),
  ];
}

describe("deduplicationId (rule 8)", () => {
  it("is refused a second time with the exact message, also on another document, also within one batch", async () => {
    const { append, document, event, post, sandbox } = await openWorld();
    const [one, two] = [await document(), await document()];
    const keyed = event("X", 1, { deduplicationId: "a (b) c" });
    expect((await append(one, keyed)).status).toBe(201);
    const message = "409 CONFLICT_ERROR Document deduplicationId: (a (b) c) already exists";
    const again = await append(one, keyed);
    expect(refusalOf(again)).toBe(message);
    expect(Object.keys(again.json())).toEqual(["errors"]);
    expect(refusalOf(await append(two, keyed))).toBe(message);
    const events = [event("Y", 2, { deduplicationId: "z" }), event("Z", 3, { deduplicationId: "z" })];
    expect((await post("/documents/events", { documentId: two, events })).status).toBe(409);
    expect(sandbox.store.timeline(two)).toEqual([]);
  });

  it("of a refused request is not taken", async () => {
    const { append, document, event } = await openWorld();
    const id = await document([event("A", 5)]);
    expect((await append(id, event("X", 1, { deduplicationId: "k" }))).status).toBe(400);
    expect((await append(id, event("X", 6, { deduplicationId: "k" }))).status).toBe(201);
  });

  it("is scoped to the document under keyScope document (open point 22), to the integrator's clients otherwise (H29)", async () => {
    const scoped = await openWorld({ keyScope: "document" });
    const [one, two] = [await scoped.document(), await scoped.document()];
    const keyed = scoped.event("X", 1, { deduplicationId: "k" });
    expect((await scoped.append(one, keyed)).status).toBe(201);
    expect((await scoped.append(two, keyed)).status).toBe(201);
    expect((await scoped.append(one, keyed)).status).toBe(409);
    const shared = await openWorld({
      credentials: ["sandbox", "second"].map((id) => ({
        clientId: id,
        clientSecret: id,
        dataset: id,
        integrator: "acme",
      })),
    });
    expect((await shared.post("/documents", { deduplicationId: "k" })).status).toBe(201);
    expect((await shared.post("/documents", { deduplicationId: "k" }, "second")).status).toBe(409);
    const apart = await openWorld();
    expect((await apart.post("/documents", { deduplicationId: "k" })).status).toBe(201);
    expect((await apart.post("/documents", { deduplicationId: "k" }, "second")).status).toBe(201);
  });

  it("is noticed before time and lifecycle, or after them under checks order-first (open point 19, H1)", async () => {
    expect(await answers("duplicate-first")).toEqual([
      "409 CONFLICT_ERROR Docume",
      "409 CONFLICT_ERROR Document deduplicationId: (c) already exists",
    ]);
    expect(await answers("order-first")).toEqual([
      "400 VALIDATION_ERROR exte",
      expect.stringMatching(/^409 CONFLICT_ERROR Document \S+ is closed$/),
    ]);
  });
});
