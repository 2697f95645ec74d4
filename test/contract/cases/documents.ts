/**
 * Cases of documents: "What the service does" 3, the document table, POST /documents and GET /documents/{id}.
 */
import { describeAnswer, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, done, duplicate, envelope, PAYLOAD, REFERENCE, refused, doneOrRefused } from "../expect.js";
import type { Answer } from "../answer.js";
import { create, dayAgo, documentFields, eventFields, newDocument, newPlace, send } from "../world.js";

/** Open point 25: the id of a created document is `documentId`, else `id`. */
function documentIdOf(answer: Answer) {
  const id = member(done(answer).json, "documentId") ?? member(answer.json, "id");
  check(typeof id === "string" && id !== "", `carries no document id: ${describeAnswer(answer)}`);
  return id;
}

export const documentCases: ContractCase[] = [
  allows(["What the service does 3", "Document"], "every change is a new appended event", async (service) => {
    const document = await newDocument(service);
    const ids = [document.firstEventId];
    for (const minute of [1, 2]) ids.push(await document.append(document.event(minute)));
    check(new Set(ids).size === 3, "events share an id");
  }),
  forbids("What the service does 3", "documents and events know no PATCH, PUT or DELETE", async (service) => {
    const document = await newDocument(service);
    const before = done(await service.get(`/documents/${document.id}`));
    for (const method of ["PATCH", "PUT", "DELETE"]) {
      for (const path of [
        `/documents/${document.id}`,
        `/documents/${document.id}/events`,
        `/documents/${document.id}/events/${document.firstEventId}`,
      ]) {
        const answer = await service.send({ method, path, body: { name: "Changed", isPublic: true } });
        check([404, 405, 501].includes(answer.status), `should not exist: ${describeAnswer(answer)}`);
      }
    }
    const after = done(await service.get(`/documents/${document.id}`));
    check(before.text === after.text, "the document has changed");
  }),
  allows("What the service does 3", "a wrong document is cancelled and replaced by another", async (service) => {
    const place = await newPlace(service);
    const wrong = await newDocument(service, { place });
    const metadata = { attributes: [{ name: "reason", value: "wrong weight", isPublic: true }] };
    await wrong.append(eventFields(service, place, wrong.at(1), { name: "CANCEL", metadata }));
    const right = await newDocument(service, { place });
    check(right.id !== wrong.id, "the replacement has the cancelled document's id");
  }),

  forbids("Document", "a document of another shape than an object is refused", async (service) => {
    const place = await newPlace(service);
    for (const document of ["document", 1, []]) {
      refused(
        await service.post("/documents/events", {
          document,
          events: [eventFields(service, place, dayAgo(service)(0))],
        }),
        PAYLOAD,
      );
    }
  }),
  forbids("Document", "a document that is null is none: refused, and nothing is kept", async (service) => {
    const place = await newPlace(service);
    for (const nothing of [{ document: null }, { documentId: null }, { document: null, documentId: null }]) {
      const event = eventFields(service, place, dayAgo(service)(0));
      for (const events of [[], [event]]) {
        refused(await service.post("/documents/events", { ...nothing, events }), REFERENCE);
      }
      const document = await newDocument(service, { place });
      await document.append({ ...event, externalCreatedAt: document.at(1) });
    }
  }),
  allows(
    "Open point 26",
    "externalId and deduplicationId may be of another type than string, or not",
    async (service) => {
      const place = await newPlace(service);
      const readings: string[] = [];
      for (const over of [
        { externalId: {} },
        { externalId: "" },
        { externalId: null },
        { deduplicationId: 5 },
        { deduplicationId: ["a"] },
        { deduplicationId: "" },
      ]) {
        const answer = await create(service, place, over);
        doneOrRefused(answer, PAYLOAD);
        readings.push(`${JSON.stringify(over)} ${answer.status}`);
      }
      return { reading: readings.join(", ") };
    },
  ),
  allows("Document", "numbers of any length are kept to the last digit", async (service) => {
    const document = await newDocument(service);
    const values = ["12345678901234567890", "0.1234567890123456789", "1e400", "123456789012345.75", "1234567890123456"];
    for (const value of values) {
      const event = JSON.stringify(document.event(1));
      const raw = `${event.slice(0, -1)},"value":${value}}`;
      const headers = { "content-type": "application/json" };
      done(await service.send({ method: "POST", path: `/documents/${document.id}/events`, raw, headers }));
    }
    const { text } = done(await service.get(`/documents/${document.id}`));
    if (!text.includes(":1234567890123456")) return { reading: "the value cannot be read" };
    for (const value of values) check(text.includes(`:${value}`), `${value} has lost digits: ${text}`);
    return { reading: "the value is read as sent" };
  }),
  allows("Open point 26", "externalId must be unique, or need not be", async (service) => {
    const place = await newPlace(service);
    const { externalId } = await newDocument(service, { place });
    const answer = await create(service, place, { externalId });
    if (answer.status < 300) return { reading: "need not be unique" };
    return { reading: `must be unique, ${refused(answer, [409, ...PAYLOAD]).reading}` };
  }),
  allows("Open point 27", "whether a document must carry its participant and address", async (service) => {
    const place = await newPlace(service);
    const answer = await create(service, place, { participantId: undefined, addressId: undefined });
    if (answer.status < 300) return { reading: "they may be missing" };
    return refused(answer, PAYLOAD);
  }),

  allows(
    "POST /documents",
    "creates a document with deduplicationId and externalId, which then takes events",
    async (service) => {
      const place = await newPlace(service);
      const at = dayAgo(service);
      const answer = await service.post("/documents", documentFields(service, place, { externalCreatedAt: at(0) }));
      const id = documentIdOf(answer);
      done(await send(service, id, eventFields(service, place, at(1))));
      return {
        reading: `answers ${answer.status} with ${member(answer.json, "documentId") === id ? "documentId" : "id"}`,
      };
    },
  ),
  forbids("POST /documents", "a repeated deduplicationId is refused as a duplicate", async (service) => {
    const place = await newPlace(service);
    const fields = documentFields(service, place, { externalCreatedAt: dayAgo(service)(0) });
    const id = documentIdOf(await service.post("/documents", fields));
    return duplicate(await service.post("/documents", fields), String(fields["deduplicationId"]), [id]);
  }),
  forbids(
    "POST /documents",
    "a deduplicationId taken by a batch creation is refused, and the other way round",
    async (service) => {
      const document = await newDocument(service);
      const at = dayAgo(service);
      const again = documentFields(service, document, { deduplicationId: document.key, externalCreatedAt: at(0) });
      duplicate(await service.post("/documents", again), document.key, [document.id]);
      const events = [document.event(at(0))];
      return duplicate(await service.post("/documents/events", { document: again, events }), document.key, [
        document.id,
      ]);
    },
  ),
  forbids("POST /documents", "a refused creation leaves the document's key free", async (service) => {
    const place = await newPlace(service);
    const at = dayAgo(service);
    const unknown = service.unique("nobody");
    const fields = documentFields(service, place, { externalCreatedAt: at(0) });
    const refusal = await service.post("/documents", { ...fields, participantId: unknown });
    doneOrRefused(refusal, REFERENCE);
    if (refusal.status >= 300) documentIdOf(await service.post("/documents", fields));
    const batch = documentFields(service, place, { externalCreatedAt: at(0) });
    const late = [at(2), at(1)].map((time) => eventFields(service, place, time));
    const events = [eventFields(service, place, at(2))];
    for (const wrong of [[eventFields(service, place, at(1), { addressId: unknown })], [{}], late]) {
      const answer = await service.post("/documents/events", { document: batch, events: wrong });
      refused(answer, [...REFERENCE]);
    }
    const again = await service.post("/documents/events", { document: batch, events });
    if (again.status < 300) return undefined;
    // Open point 9: a batch that is kept in part has created its document.
    duplicate(again, String(batch["deduplicationId"]));
    const other = documentFields(service, place, { externalCreatedAt: at(0) });
    refused(await service.post("/documents/events", { document: other, events: [{}] }), PAYLOAD);
    return { reading: "a refused batch may have created its document" };
  }),
  forbids("POST /documents", "a body that is not an object is refused", async (service) => {
    for (const body of [[], "document", null]) refused(await service.post("/documents", body), PAYLOAD);
  }),
  allows("Open point 25", "an empty list of events in a batch is accepted, or refused", async (service) => {
    const place = await newPlace(service);
    const document = documentFields(service, place, { externalCreatedAt: dayAgo(service)(0) });
    const answer = await service.post("/documents/events", { document, events: [] });
    if (answer.status >= 300) return refused(answer, PAYLOAD);
    const id = documentIdOf(answer);
    done(await service.post("/documents/events", { documentId: id, events: [] }));
    return { reading: "accepted" };
  }),
  allows("Open point 18", "what a document shows of itself and its timeline", async (service) => {
    const place = await newPlace(service);
    const at = dayAgo(service);
    const document = documentFields(service, place, { externalCreatedAt: at(0), nested: { any: [1] } });
    const [one, other] = [await newDocument(service, { place }), await newDocument(service, { place })];
    const attributes = ["open", "secret"].map((name) => ({ name, value: "x", isPublic: name === "open" }));
    const events = [
      eventFields(service, place, at(1), { value: { a: 1 }, metadata: { attributes }, isPublic: true }),
      eventFields(service, place, at(2), { target: one.target() }),
    ];
    const answer = done(await service.post("/documents/events", { document, events }));
    const id = documentIdOf(answer);
    const bare = member((await service.post("/documents", { externalCreatedAt: at(0) })).json, "documentId");
    for (const [isPublic, preserveSensitiveData] of [
      [true, true],
      [false, false],
    ]) {
      const back = { isPublic, preserveSensitiveData, eventLabel: "Linked", isBackReference: isPublic };
      const link = one.related(at(3), other.id, isPublic ? back : { isPublic });
      done(await service.post(`/documents/${one.id}/events`, { ...link, metadata: { attributes } }));
    }
    const copy = eventFields(service, place, at(4), { propagateEvent: true, metadata: { attributes } });
    done(await service.post(`/documents/${one.id}/events`, { ...copy, deduplicationId: undefined }));
    const target = String(member(answer.json, "events", 1, "targetDocumentId"));
    const views: string[] = [];
    for (const each of [id, bare, target, one.id, other.id]) {
      views.push(service.nameless((await service.get(`/documents/${String(each)}`)).text));
    }
    return { reading: views.join("\n") };
  }),

  allows("GET /documents/{id}", "reads an existing document", async (service) => {
    const document = await newDocument(service);
    const answer = done(await service.get(`/documents/${document.id}`));
    check(answer.text.includes(document.id), `does not name the document: ${describeAnswer(answer)}`);
  }),
  forbids("GET /documents/{id}", "there is no lookup by externalId or deduplicationId", async (service) => {
    const document = await newDocument(service);
    for (const key of [document.externalId, document.key]) {
      const answer = await service.get(`/documents/${key}`);
      check(answer.status === 404, `finds a document by ${key}: ${describeAnswer(answer)}`);
      envelope(answer);
    }
    for (const query of [{ externalId: document.externalId }, { deduplicationId: document.key }]) {
      const answer = await service.get("/documents", { query });
      check(!answer.text.includes(document.id), `finds a document by query: ${describeAnswer(answer)}`);
    }
  }),
];
