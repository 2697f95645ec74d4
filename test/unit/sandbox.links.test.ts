/** What an event causes on other documents (service.md, Events rules 6, 10 and 11; open points 11, 29 and 30). */
import { describe, expect, it } from "vitest";
import { NOON, openWorld, refusalOf, timelineOf } from "../support/sandbox.world.js";

const related = (documentId: string, more: Record<string, unknown> = { isPublic: true }) => ({
  relatedDocument: { documentId, ...more },
});
const reason = { metadata: { attributes: [{ name: "reason", value: "typo", isPublic: false }] } };

describe("targets (rule 6)", () => {
  it("create a downstream document whatever the event's name, reported by both endpoints", async () => {
    const { append, document, event, post, sandbox, participantId } = await openWorld();
    const id = await document();
    const target = { externalId: "T", deduplicationId: "t", any: { thing: true } };
    const single = (await append(id, event("Weighing", 1, { target }))).json();
    expect(Object.keys(single)).toEqual(["documentId", "eventId", "targetDocumentId"]);
    expect(sandbox.store.document(single.targetDocumentId)).toMatchObject({
      origin: "target",
      externalId: "T",
      participantId,
      fields: { any: { thing: true } },
    });
    const events = [event("SPLIT", 2, { target: {} }), event("X", 2)];
    const batch = (await post("/documents/events", { documentId: id, events })).json();
    expect(batch.events.map((one: object) => Object.keys(one).length)).toEqual([2, 1]);
    expect((await append(id, event("OUTPUT", 3, { target }))).status).toBe(409);
    expect(sandbox.store.documents()).toHaveLength(3);
  });

  it.each([
    ["event", Date.UTC(2026, 0, 1, 8, 30)],
    ["server", NOON],
  ] as const)("begin their timeline at the time that linkTime %s says (open point 11)", async (linkTime, first) => {
    const { append, document, event, sandbox } = await openWorld({ linkTime });
    const { targetDocumentId } = (await append(await document(), event("OUTPUT", 30, { target: {} }))).json();
    expect(sandbox.store.timeline(targetDocumentId)).toMatchObject([{ at: first, origin: "target", name: "OUTPUT" }]);
    expect((await append(targetDocumentId, event("X", 29))).status).toBe(400);
  });
});

describe("RELATED (rule 10)", () => {
  it("writes a mirror on the related document, RELATED by default, and by default in both directions", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [a, b] = [await document(), await document()];
    expect((await append(a, event("RELATED", 1, related(b, { isPublic: false })))).status).toBe(201);
    const named = { isPublic: true, eventName: "Linked", eventLabel: "link", bidirectional: true };
    expect((await append(a, event("RELATED", 2, related(b, named)))).status).toBe(201);
    expect(timelineOf(sandbox, b)).toEqual(["RELATED (mirror)", "Linked (mirror)"]);
    expect(sandbox.store.timeline(b)).toMatchObject([
      { isPublic: false, body: { relatedDocument: { documentId: a, isBackReference: true } } },
      { isPublic: true, body: { relatedDocument: { eventLabel: "link" } } },
    ]);
  });

  it("takes private attributes along only with preserveSensitiveData", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [a, b] = [await document(), await document()];
    const attributes = [
      { name: "open", value: "1", isPublic: true },
      { name: "secret", value: "2", isPublic: false },
    ];
    for (const preserveSensitiveData of [false, true]) {
      const link = related(b, { isPublic: true, preserveSensitiveData });
      await append(a, event("RELATED", 1, { ...link, metadata: { attributes } }));
    }
    const kept = sandbox.store.timeline(b).map(({ body }) => body["metadata"]);
    expect(kept).toEqual([{ attributes: attributes.slice(0, 1) }, { attributes }]);
  });

  it("needs relatedDocument, its isPublic when bidirectional, and the event's own isPublic", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [a, b] = [await document(), await document()];
    expect((await append(a, event("RELATED", 1))).status).toBe(400);
    expect((await append(a, event("RELATED", 1, related(b, {})))).status).toBe(400);
    expect((await append(a, event("RELATED", 1, related(b, { bidirectional: true })))).status).toBe(400);
    expect((await append(a, event("RELATED", 1, { ...related(b), isPublic: undefined }))).status).toBe(400);
    expect(sandbox.store.timeline(b)).toEqual([]);
  });

  it.each(["eventName", "eventLabel", "preserveSensitiveData", "isBackReference", "isPublic"])(
    "refuses %s when bidirectional is false, and then writes on the addressed document only",
    async (field) => {
      const { append, document, event, sandbox } = await openWorld();
      const [a, b] = [await document(), await document()];
      const value = field.startsWith("event") ? "Linked" : true;
      const oneWay = { bidirectional: false };
      expect((await append(a, event("RELATED", 1, related(b, { ...oneWay, [field]: value })))).status).toBe(400);
      expect((await append(a, event("RELATED", 1, related(b, oneWay)))).status).toBe(201);
      expect(timelineOf(sandbox, a)).toEqual(["RELATED"]);
      expect(timelineOf(sandbox, b)).toEqual([]);
    },
  );

  it("needs both documents in one dataset", async () => {
    const { append, document, event, post, sandbox } = await openWorld();
    const foreign = (await post("/documents", {}, "second")).json().id;
    const id = await document();
    expect((await append(id, event("RELATED", 1, related(foreign)))).status).toBe(400);
    expect((await append(id, event("RELATED", 1, related("none")))).status).toBe(400);
    expect(sandbox.store.timeline(id)).toEqual([]);
    expect(sandbox.store.timeline(foreign)).toEqual([]);
  });

  it("is refused whole when the related document is cancelled, but not when it is closed (open point 30)", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [a, closed] = [await document(), await document([event("CLOSE", 1)])];
    const cancelled = await document([event("CANCEL", 1, reason)]);
    expect(refusalOf(await append(a, event("RELATED", 1, related(cancelled))))).toContain("409 CONFLICT_ERROR");
    expect(timelineOf(sandbox, a)).toEqual([]);
    const oneWay = related(cancelled, { bidirectional: false });
    expect((await append(a, event("RELATED", 1, oneWay))).status).toBe(201);
    expect((await append(a, event("RELATED", 1, related(closed)))).status).toBe(201);
    expect(timelineOf(sandbox, closed)).toEqual(["CLOSE", "RELATED (mirror)"]);
    expect(sandbox.store.document(closed)?.state).toBe("closed");
  });

  it("mirrors at the event's time, not before the other document's last event; later ones of that document must follow (H18)", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [a, early, late] = [await document(), await document([event("X", 1)]), await document([event("X", 59)])];
    await append(a, event("RELATED", 30, related(early)));
    await append(a, event("RELATED", 30, related(late)));
    const minutes = (id: string) => sandbox.store.timeline(id).map(({ at }) => new Date(at).getUTCMinutes());
    expect(minutes(early)).toEqual([1, 30]);
    expect(minutes(late)).toEqual([59, 59]);
    expect((await append(early, event("X", 29))).status).toBe(400);
  });

  it("refuses a link whose mirror would be earlier than the other document's last event, under earlyMirrors refuse (H38)", async () => {
    const { append, document, event, sandbox } = await openWorld({ earlyMirrors: "refuse" });
    const [a, b] = [await document(), await document([event("X", 30)])];
    const early = event("RELATED", 29, { ...related(b), deduplicationId: "k" });
    const answer = await append(a, early);
    expect(refusalOf(answer)).toMatch(/^400 VALIDATION_ERROR relatedDocument: /);
    expect(answer.body).toContain(b);
    expect([timelineOf(sandbox, a), timelineOf(sandbox, b)]).toEqual([[], ["X"]]);
    expect((await append(a, { ...early, ...related(b, { bidirectional: false }) })).status).toBe(201);
    expect((await append(a, event("RELATED", 30, related(b)))).status).toBe(201);
    expect((await append(a, event("RELATED", 31, related(a)))).status).toBe(201);
  });

  it("never finds a mirror early that stands at the service's time (open point 11)", async () => {
    const { append, document, event } = await openWorld({ earlyMirrors: "refuse", linkTime: "server" });
    const b = await document([event("X", 30)]);
    expect((await append(await document(), event("RELATED", 29, related(b)))).status).toBe(201);
  });

  it("mirrors at the service's time under linkTime server (open point 11)", async () => {
    const { append, document, event, sandbox } = await openWorld({ linkTime: "server" });
    const [a, b] = [await document(), await document()];
    await append(a, event("RELATED", 30, related(b)));
    expect(sandbox.store.timeline(b)).toMatchObject([{ at: NOON }]);
    expect(sandbox.store.timeline(a)).toMatchObject([{ at: Date.UTC(2026, 0, 1, 8, 30) }]);
  });

  it("may point at its own document", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const a = await document();
    expect((await append(a, event("RELATED", 1, related(a)))).status).toBe(201);
    expect(timelineOf(sandbox, a)).toEqual(["RELATED", "RELATED (mirror)"]);
    expect((await append(a, event("X", 2))).status).toBe(201);
  });
});

describe("propagation (rule 11)", () => {
  it("copies the event to related documents, one level deep, without its key", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [a, b, c] = [await document(), await document(), await document()];
    await append(a, event("RELATED", 1, related(b)));
    await append(b, event("RELATED", 2, related(c)));
    const sent = await append(a, event("UPDATE", 3, { propagateEvent: true, deduplicationId: "k" }));
    expect(sent.status).toBe(201);
    expect(timelineOf(sandbox, b).at(-1)).toBe("UPDATE (propagated)");
    expect(timelineOf(sandbox, c)).toEqual(["RELATED (mirror)"]);
    expect(sandbox.store.timeline(b).at(-1)).toMatchObject({ deduplicationId: null, at: Date.UTC(2026, 0, 1, 8, 3) });
    expect((await append(a, event("UPDATE", 4, { propagateEvent: false }))).status).toBe(201);
    expect(timelineOf(sandbox, b)).toHaveLength(3);
  });

  it("refuses value on a propagated event, and keeps it on others", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const id = await document();
    expect((await append(id, event("X", 1, { propagateEvent: true, value: 0 }))).status).toBe(400);
    expect((await append(id, event("X", 1, { value: { any: [1] } }))).status).toBe(201);
    expect(sandbox.store.timeline(id)[0]?.body["value"]).toEqual({ any: [1] });
  });

  it("moves no state of the documents it reaches, and passes those by that are closed or cancelled", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [a, b, closed] = [await document(), await document(), await document([event("CLOSE", 1)])];
    await append(a, event("RELATED", 1, related(b)));
    await append(a, event("RELATED", 1, related(closed)));
    expect((await append(a, event("CLOSE", 2, { propagateEvent: true }))).status).toBe(201);
    expect(sandbox.store.document(b)).toMatchObject({ state: "open", eventCount: 2 });
    expect(timelineOf(sandbox, closed)).toEqual(["CLOSE", "RELATED (mirror)"]);
  });
});
