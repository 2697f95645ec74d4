/**
 * Cases of Endpoints, Events 10 and 11: RELATED events with their mirrors, and propagation.
 * A mirror or a copy is told from outside by its time: its document then refuses what would be earlier.
 */
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { AUTHORITY, check, done, PAYLOAD, REFERENCE, refused, STATE, stringAt, doneOrRefused } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import { type EventOf, refusesEvents, takesEvents } from "../tables.js";
import type { Document, Fields } from "../world.js";
import { ENDPOINTS, newDocument, newPlace, send } from "../world.js";

const RULE = "Endpoints, Events 10";

/** Two documents of one participant. */
async function pair(service: ServiceUnderTest): Promise<[Document, Document]> {
  const place = await newPlace(service);
  return [await newDocument(service, { place }), await newDocument(service, { place })];
}

/** Links two documents both ways, just now. */
async function link(service: ServiceUnderTest, from: Document, to: Document) {
  await from.append(from.related(await service.moment(), to.id));
}

/** RELATED events to the other document, with these fields of theirs and of `relatedDocument`. */
const links = (...related: readonly Fields[]): EventOf[] =>
  related.map((each) => (document, other) => document.related(0, other.id, each));

export const relatedCases: ContractCase[] = [
  allows(
    "Endpoints, Events 10",
    "a relatedDocument on an event of another name links, or does not",
    async (service) => {
      const readings: string[] = [];
      for (const related of [{ isPublic: true }, {}]) {
        const document = await newDocument(service);
        const other = await newDocument(service, { place: document });
        const event = document.related(5, other.id, related);
        const answer = await document.send({ ...event, name: "Pick-up" });
        const isLinked = await other.hasLaterThan(other.at(4));
        readings.push(`${answer.status}, ${isLinked ? "a mirror" : "no mirror"}`);
      }
      return { reading: readings.join("; ") };
    },
  ),
  allows(RULE, "bidirectional defaults to true: a mirror is written on the related document", async (service) => {
    for (const by of ENDPOINTS) {
      for (const related of [{ isPublic: true }, { isPublic: true, bidirectional: true }]) {
        const [one, other] = await pair(service);
        const before = await service.moment();
        await one.append(one.related(await service.moment(), other.id, related), by);
        check(await other.hasLaterThan(before), "no mirror was written");
      }
    }
  }),
  allows(
    RULE,
    "with bidirectional true eventName, eventLabel and preserveSensitiveData may be given",
    async (service) => {
      const [one, other] = await pair(service);
      const related = { isPublic: true, eventName: "LINKED", eventLabel: "Linked", preserveSensitiveData: true };
      await one.append(one.related(1, other.id, related));
      const read = done(await service.get(`/documents/${other.id}`));
      const names = items(read.json, "events").map((event) => member(event, "name"));
      return {
        reading: names.includes("LINKED") ? "the mirror carries eventName" : "the mirror's name cannot be read",
      };
    },
  ),
  allows(RULE, "a mirror is named RELATED by default", async (service) => {
    const [one, other] = await pair(service);
    await one.append(one.related(1, other.id));
    const events = items(done(await service.get(`/documents/${other.id}`)).json, "events");
    if (events.length === 0) return { reading: "the mirror cannot be read" };
    check(
      events.some((event) => member(event, "name") === "RELATED"),
      `no event is named RELATED: ${JSON.stringify(events)}`,
    );
    return { reading: "the mirror is named RELATED" };
  }),
  allows(RULE, "with bidirectional false only the addressed document receives the reference", async (service) => {
    for (const by of ENDPOINTS) {
      const [one, other] = await pair(service);
      const before = await service.moment();
      const event = one.related(await service.moment(), other.id, { bidirectional: false });
      await one.append(event, by);
      check(!(await other.hasLaterThan(before)), "a mirror was written");
      check(await one.hasLaterThan(before), "the addressed document has no reference");
    }
  }),
  refusesEvents(RULE, "a mirror needs relatedDocument.isPublic", links({}, { bidirectional: true })),
  ...Object.entries({
    eventName: "LINKED",
    eventLabel: "Linked",
    preserveSensitiveData: true,
    isBackReference: false,
    isPublic: true,
  }).map(([name, value]) =>
    refusesEvents(
      RULE,
      `with bidirectional false, relatedDocument.${name} is rejected`,
      links({ bidirectional: false, [name]: value }),
    ),
  ),
  refusesEvents(
    RULE,
    "the event's own isPublic is required, both ways and one way",
    [{ isPublic: true }, { bidirectional: false }].map((related) => (document, other) => ({
      ...document.related(0, other.id, related),
      isPublic: undefined,
    })),
  ),
  refusesEvents(
    RULE,
    "a related document nobody created is refused, both ways and one way",
    [{ isPublic: true }, { bidirectional: false }].map(
      (related) => (document) => document.related(0, "nothing-there", related),
    ),
    REFERENCE,
  ),
  forbids(
    RULE,
    "a related document of another dataset is refused, both ways and one way",
    async (service) => {
      const [one, other] = [await newDocument(service), await newDocument(service, { as: "second" })];
      for (const related of [{ isPublic: true }, { bidirectional: false }]) {
        const event = one.related(0, other.id, related);
        refused(await one.send(event), [...AUTHORITY, ...REFERENCE]);
        await one.leftNoTrace(event);
      }
    },
    ["second-credential"],
  ),
  refusesEvents(
    RULE,
    "a RELATED event without a related document is refused",
    [undefined, "other", {}, { documentId: 5, isPublic: true }].map((relatedDocument) => ({
      name: "RELATED",
      relatedDocument,
    })),
  ),
  refusesEvents(
    RULE,
    "relatedDocument fields of another type than boolean or string are refused",
    links({ bidirectional: "false", isPublic: true }, { isPublic: "true" }, { isPublic: true, eventName: 5 }),
  ),
  allows("Open point 30", "a mirror may be written on a closed document, or not", async (service) => {
    const [one, other] = await pair(service);
    await other.append(other.event(1, { name: "CLOSE" }));
    const answer = await one.send(one.related(2, other.id));
    if (answer.status >= 300) return refused(answer, STATE);
    return { reading: "may be written" };
  }),
  allows("Open point 11", "a mirror stands at its event's time, or at the service's", async (service) => {
    const [one, other] = await pair(service);
    await one.append(one.related(5, other.id));
    const soon = await other.send(other.event(6));
    if (soon.status < 300) return { reading: "at the event's externalCreatedAt" };
    refused(soon, STATE);
    done(await other.send(other.event(await service.moment())));
    return { reading: "at the service's time" };
  }),
  allows(
    "Open point 32",
    "a link earlier than the other document's last event is taken, or refused",
    async (service) => {
      const [one, other] = await pair(service);
      await other.append(other.event(9));
      const event = one.related(1, other.id);
      const answer = await one.send(event);
      if (answer.status >= 300) {
        const { reading } = refused(answer, STATE);
        await one.leftNoTrace(event);
        await one.append(one.related(2, other.id, { bidirectional: false }));
        const level = await one.send(one.related(other.at(9), other.id));
        return { reading: `${reading}, at the same time ${level.status}` };
      }
      // Moved, the mirror must not have moved the other timeline further than it was, nor back.
      refused(await other.send(other.event(8)), STATE);
      const soon = await other.send(other.event(9));
      return { reading: soon.status < 300 ? "taken at the other document's last time" : "taken at a later time" };
    },
  ),
  allows("Open point 34", "a RELATED event that points at its own document is taken, or refused", async (service) => {
    const readings: number[] = [];
    for (const related of [{ isPublic: true }, { bidirectional: false }]) {
      const document = await newDocument(service);
      const event = document.related(1, document.id, related);
      const answer = await document.send(event);
      if (answer.status >= 300) {
        refused(answer, REFERENCE);
        await document.leftNoTrace(event);
      }
      done(await document.send(document.event(await service.moment())));
      readings.push(answer.status);
    }
    return { reading: readings.join(", ") };
  }),
  forbids(RULE, "every link has its mirror, also the second one to the same document", async (service) => {
    const [one, other] = await pair(service);
    await link(service, one, other);
    const before = await service.moment();
    await link(service, one, other);
    check(await other.hasLaterThan(before), "the second link has no mirror");
  }),
  allows("Open point 29", "which names a mirror may have", async (service) => {
    const readings: string[] = [];
    for (const eventName of ["RELATED", "LINKED", "CLOSE", "CANCEL", "ACTOR", "UPDATE", "close", ""]) {
      const [one, other] = await pair(service);
      const related = { isPublic: true, eventName };
      const answer = await one.send(one.related(1, other.id, related));
      doneOrRefused(answer, PAYLOAD);
      const next = await other.send(other.event(await service.moment()));
      readings.push(`${eventName} ${answer.status} ${next.status}`);
    }
    return { reading: readings.join(", ") };
  }),
  allows(
    "Open point 39",
    "a propagated CLOSE or CANCEL is a copy, ends the related document, or is refused",
    async (service) => {
      const readings: string[] = [];
      for (const name of ["CLOSE", "CANCEL"]) {
        const [one, other] = await pair(service);
        await link(service, one, other);
        const metadata = { attributes: [{ name: "reason", value: "wrong", isPublic: false }] };
        const over = { name, propagateEvent: true, metadata };
        const answer = await one.send(one.event(await service.moment(), over));
        doneOrRefused(answer, PAYLOAD);
        const next = await other.send(other.event(await service.moment()));
        doneOrRefused(next, STATE);
        readings.push(`${name} ${answer.status}, then on the related document ${next.status}`);
      }
      return { reading: readings.join(", ") };
    },
  ),
  allows("Open point 40", "a document's propagated events reach its targets, or do not", async (service) => {
    const [document] = await pair(service);
    const event = document.event(await service.moment(), { target: document.target() });
    const id = stringAt(done(await document.send(event)), "targetDocumentId");
    const before = await service.moment();
    const propagated = async (): Promise<Fields> => document.event(await service.moment(), { propagateEvent: true });
    await document.append(await propagated());
    const isReached = (await send(service, id, document.event(before))).status >= 400;
    const between = await service.moment();
    done(await send(service, id, await propagated()));
    const isReachedBack = await document.hasLaterThan(between);
    return { reading: `from its source: ${isReached}, from the target: ${isReachedBack}` };
  }),
  allows("Open point 29", "propagation to a closed or cancelled document is left out, or refused", async (service) => {
    const readings: string[] = [];
    for (const name of ["CLOSE", "CANCEL"]) {
      const [one, other] = await pair(service);
      await link(service, one, other);
      const end = other.cancel(await service.moment(), { name });
      await other.append(end);
      const event = one.event(await service.moment(), { propagateEvent: true });
      const answer = await one.send(event);
      doneOrRefused(answer, STATE);
      const { text } = await service.get(`/documents/${other.id}`);
      readings.push(`${name} ${answer.status}, ${text.split('"eventId"').length - 1} events`);
    }
    return { reading: readings.join(", ") };
  }),

  allows("Endpoints, Events 11", "a propagated event reaches the related document", async (service) => {
    for (const by of ENDPOINTS) {
      const [one, other] = await pair(service);
      await link(service, one, other);
      const before = await service.moment();
      await one.append(one.event(await service.moment(), { propagateEvent: true }), by);
      check(await other.hasLaterThan(before), "nothing was propagated");
    }
  }),
  forbids("Endpoints, Events 11", "without propagateEvent nothing reaches the related document", async (service) => {
    const [one, other] = await pair(service);
    await link(service, one, other);
    const before = await service.moment();
    for (const over of [{}, { propagateEvent: false }]) {
      await one.append(one.event(await service.moment(), over));
    }
    check(!(await other.hasLaterThan(before)), "an event was propagated unasked");
  }),
  allows(
    "Endpoints, Events 11",
    "a propagated event reaches every related document, in either direction",
    async (service) => {
      const [one, other] = await pair(service);
      const [third, fourth] = await pair(service);
      await link(service, one, other);
      await link(service, one, third);
      await link(service, fourth, one);
      const before = await service.moment();
      await one.append(one.event(await service.moment(), { propagateEvent: true }));
      for (const each of [other, third, fourth]) {
        check(await each.hasLaterThan(before), "a related document was left out");
      }
    },
  ),
  forbids("Endpoints, Events 11", "propagation ends one level deep", async (service) => {
    const [one, other] = await pair(service);
    const third = await newDocument(service, { place: one });
    await link(service, one, other);
    await link(service, other, third);
    const before = await service.moment();
    await one.append(one.event(await service.moment(), { propagateEvent: true }));
    check(!(await third.hasLaterThan(before)), "the event went two levels deep");
    check(await other.hasLaterThan(before), "nothing was propagated");
  }),
  refusesEvents(
    "Endpoints, Events 11",
    "a propagated event cannot send value",
    [12.5, "12.5", { amount: 3 }, 0].map((value) => ({ propagateEvent: true, value })),
  ),
  takesEvents(
    "Endpoints, Events 11",
    "value may be any, as long as the event is not propagated",
    [12.5, "12.5", { amount: 3 }, [1], true].flatMap((value) => [{ value }, { value, propagateEvent: false }]),
  ),
  allows("Open point 29", "whether a one-way reference propagates", async (service) => {
    const [one, other] = await pair(service);
    await one.append(one.related(await service.moment(), other.id, { bidirectional: false }));
    const before = await service.moment();
    const answer = await one.send(one.event(await service.moment(), { propagateEvent: true }));
    check(answer.status < 300 || PAYLOAD.includes(answer.status), `unexpected: ${describeAnswer(answer)}`);
    if (answer.status >= 300) return refused(answer, PAYLOAD);
    return { reading: (await other.hasLaterThan(before)) ? "it propagates" : "it does not propagate" };
  }),
];
