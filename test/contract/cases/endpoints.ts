/**
 * Cases of the two event endpoints: what they answer, and Endpoints, Events 4 and 5.
 */
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, done, duplicate, PAYLOAD, REFERENCE, refused, saying, STATE, stringAt } from "../expect.js";
import type { Fields } from "../world.js";
import { dayAgo, documentFields, eventFields, newDocument, newPlace, send } from "../world.js";

const EXACTLY_ONE = "Exactly one of documentId or document must be provided";

export const endpointCases: ContractCase[] = [
  allows("Endpoints, Events 4", "documentId alone appends, document alone creates", async (service) => {
    const document = await newDocument(service);
    const events = [document.event(1)];
    const answer = done(await document.batch(...events));
    check(member(answer.json, "documentId") === document.id, `names another document: ${describeAnswer(answer)}`);
  }),
  forbids("Endpoints, Events 4", "both documentId and document are answered 400 with the message", async (service) => {
    const document = await newDocument(service);
    const events = [document.event(1)];
    const body = { documentId: document.id, document: documentFields(service, document), events };
    const answer = await service.post("/documents/events", body);
    refused(answer, [400]);
    await document.leftNoTrace(events[0] ?? {});
    return saying(answer, EXACTLY_ONE);
  }),
  forbids(
    "Endpoints, Events 4",
    "neither documentId nor document is answered 400 with the message",
    async (service) => {
      const place = await newPlace(service);
      const answer = await service.post("/documents/events", {
        events: [eventFields(service, place, dayAgo(service)(0))],
      });
      refused(answer, [400]);
      return saying(answer, EXACTLY_ONE);
    },
  ),

  allows(
    "Endpoints, Events 5",
    "every kind of event that goes singly goes in a batch, answered one by one",
    async (service) => {
      const document = await newDocument(service);
      const other = await newDocument(service, { place: document });
      const relatedDocument = { documentId: other.id, bidirectional: false };
      const names: Fields[] = [
        {},
        { name: "ACTOR" },
        { name: "UPDATE" },
        { name: "OUTPUT", target: document.target() },
        { name: "RELATED", relatedDocument },
        { name: "CLOSE" },
      ];
      const events = names.map((over, index) => document.event(index, over));
      const answer = done(await document.batch(...events));
      check(
        items(answer.json, "events").length === events.length,
        `should answer every event: ${describeAnswer(answer)}`,
      );
      events.forEach((_event, index) => stringAt(answer, "events", index, "eventId"));
    },
  ),
  forbids("Endpoints, Events 5", "an event refused singly is refused in the middle of a batch", async (service) => {
    const document = await newDocument(service);
    for (const over of [
      { name: "CANCEL" },
      { metadata: { attributes: [{ name: "Weight", value: "3" }] } },
      { isPublic: "no" },
      { externalCreatedAt: "yesterday" },
      { target: "downstream" },
    ])
      refused(await document.batch(...[{}, over, {}].map((each) => document.event(1, each))), PAYLOAD);
  }),
  allows("Open point 9", "a batch with a refused event is kept in part, or not at all", async (service) => {
    const document = await newDocument(service);
    const [good, bad] = [document.event(2), document.event(1)];
    const last = document.event(3);
    refused(await document.batch(good, bad, last), STATE);
    const again = await document.send(good);
    const kept = again.status >= 300;
    if (kept) duplicate(again, String(good["deduplicationId"]));
    // The event at fault has left nothing, its key included.
    done(await document.send({ ...bad, externalCreatedAt: document.at(2) }));
    done(await document.send(last));
    return { reading: kept ? "what came before the failing event is kept" : "all or nothing" };
  }),

  allows("Open point 9", "a batch with an event of another shape is kept in part, or not at all", async (service) => {
    const document = await newDocument(service);
    const good = document.event(2);
    const bad = document.event(2, { isPublic: "no" });
    refused(await document.batch(good, bad), PAYLOAD);
    const again = await document.send(good);
    if (again.status < 300) return { reading: "all or nothing" };
    duplicate(again, String(good["deduplicationId"]));
    return { reading: "what came before the failing event is kept" };
  }),

  allows("POST /documents/{documentId}/events", "answers documentId and eventId", async (service) => {
    const document = await newDocument(service);
    const answer = done(await document.send(document.event(1)));
    check(stringAt(answer, "documentId") === document.id, `names another document: ${describeAnswer(answer)}`);
    stringAt(answer, "eventId");
    return { reading: `answers ${answer.status}` };
  }),
  allows("POST /documents/events", "creates a document with its events in one request", async (service) => {
    const place = await newPlace(service);
    const at = dayAgo(service);
    const document = documentFields(service, place, { externalCreatedAt: at(0) });
    const events = [0, 1, 2].map((minute) => eventFields(service, place, at(minute)));
    const answer = done(await service.post("/documents/events", { document, events }));
    const id = stringAt(answer, "documentId");
    const ids = events.map((_event, index) => stringAt(answer, "events", index, "eventId"));
    check(
      new Set(ids).size === 3 && items(answer.json, "events").length === 3,
      `one entry per event: ${describeAnswer(answer)}`,
    );
    done(await send(service, id, eventFields(service, place, at(3))));
    return { reading: `answers ${answer.status}` };
  }),
  forbids("POST /documents/events", "a document nobody created is refused", async (service) => {
    const place = await newPlace(service);
    const answer = await send(
      service,
      service.unique("nothing"),
      eventFields(service, place, dayAgo(service)(0)),
      "batch",
    );
    return refused(answer, REFERENCE);
  }),
  forbids("POST /documents/events", "events of another shape than an array of objects are refused", async (service) => {
    const document = await newDocument(service);
    for (const events of [undefined, {}, "event", [1], [null], [[]]]) {
      const answer = await service.post("/documents/events", { documentId: document.id, events });
      refused(answer, PAYLOAD);
    }
  }),
  allows("Open point 24", "the entries of an answer come in the order of the events", async (service) => {
    const document = await newDocument(service);
    const events = [1, 2, 3].map((minute) => document.event(minute, minute === 2 ? { target: document.target() } : {}));
    const answer = done(await document.batch(...events));
    const entries = items(answer.json, "events");
    check(entries.length === 3, `should have one entry per event: ${describeAnswer(answer)}`);
    const carrying = entries.findIndex((entry) => typeof member(entry, "targetDocumentId") === "string");
    return { reading: carrying === 1 ? "as sent" : `the target's entry stands at ${carrying}` };
  }),
];
