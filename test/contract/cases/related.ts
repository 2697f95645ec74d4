/**
 * Cases of Endpoints, Events 10 and 11: RELATED events with their mirrors, and propagation.
 * A mirror or a copy is told from outside by its time: its document then refuses what would be earlier.
 */
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { AUTHORITY, check, done, PAYLOAD, REFERENCE, refused, STATE } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import type { Document, Fields } from "../world.js";
import {
  append,
  cancelFields,
  ENDPOINTS,
  eventFields,
  hasLaterThan,
  leftNoTrace,
  newDocument,
  newPlace,
  relatedFields,
  send,
} from "../world.js";

const RULE = "Endpoints, Events 10";

/** Two documents of one participant. */
async function pair(service: ServiceUnderTest): Promise<[Document, Document]> {
  const place = await newPlace(service);
  return [await newDocument(service, { place }), await newDocument(service, { place })];
}

/** Links two documents both ways, just now. */
async function link(service: ServiceUnderTest, from: Document, to: Document): Promise<void> {
  await append(service, from.id, relatedFields(service, from, await service.moment(), to.id));
}

function forbidsOnOneWay(name: string, value: unknown): ContractCase {
  return forbids(RULE, `with bidirectional false, relatedDocument.${name} is rejected`, async (service) => {
    const [one, other] = await pair(service);
    for (const by of ENDPOINTS) {
      const event = relatedFields(service, one, one.at(0), other.id, { bidirectional: false, [name]: value });
      refused(await send(service, one.id, event, by), PAYLOAD);
      await leftNoTrace(service, one, event);
    }
  });
}

export const relatedCases: ContractCase[] = [
  allows(RULE, "bidirectional defaults to true: a mirror is written on the related document", async (service) => {
    for (const by of ENDPOINTS) {
      const [one, other] = await pair(service);
      const before = await service.moment();
      await append(service, one.id, relatedFields(service, one, await service.moment(), other.id), by);
      check(await hasLaterThan(service, other, before), "no mirror was written");
    }
  }),
  allows(RULE, "with bidirectional true a mirror is written on the related document", async (service) => {
    const [one, other] = await pair(service);
    const before = await service.moment();
    const related = { bidirectional: true, isPublic: true };
    await append(service, one.id, relatedFields(service, one, await service.moment(), other.id, related));
    check(await hasLaterThan(service, other, before), "no mirror was written");
  }),
  allows(
    RULE,
    "with bidirectional true eventName, eventLabel and preserveSensitiveData may be given",
    async (service) => {
      const [one, other] = await pair(service);
      const related = { isPublic: true, eventName: "LINKED", eventLabel: "Linked", preserveSensitiveData: true };
      await append(service, one.id, relatedFields(service, one, one.at(1), other.id, related));
      const read = done(await service.get(`/documents/${other.id}`));
      const names = items(read.json, "events").map((event) => member(event, "name"));
      return {
        reading: names.includes("LINKED") ? "the mirror carries eventName" : "the mirror's name cannot be read",
      };
    },
  ),
  allows(RULE, "a mirror is named RELATED by default", async (service) => {
    const [one, other] = await pair(service);
    await append(service, one.id, relatedFields(service, one, one.at(1), other.id));
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
      const event = relatedFields(service, one, await service.moment(), other.id, { bidirectional: false });
      await append(service, one.id, event, by);
      check(!(await hasLaterThan(service, other, before)), "a mirror was written");
      check(await hasLaterThan(service, one, before), "the addressed document has no reference");
    }
  }),
  forbids(RULE, "a mirror needs relatedDocument.isPublic", async (service) => {
    const [one, other] = await pair(service);
    for (const related of [{}, { bidirectional: true }]) {
      for (const by of ENDPOINTS) {
        const event = relatedFields(service, one, one.at(0), other.id, related);
        refused(await send(service, one.id, event, by), PAYLOAD);
        await leftNoTrace(service, one, event);
      }
    }
  }),
  forbidsOnOneWay("eventName", "LINKED"),
  forbidsOnOneWay("eventLabel", "Linked"),
  forbidsOnOneWay("preserveSensitiveData", true),
  forbidsOnOneWay("isBackReference", false),
  forbidsOnOneWay("isPublic", true),
  forbids(RULE, "the event's own isPublic is required, both ways and one way", async (service) => {
    const [one, other] = await pair(service);
    for (const related of [{ isPublic: true }, { bidirectional: false }]) {
      const event = { ...relatedFields(service, one, one.at(0), other.id, related), isPublic: undefined };
      refused(await send(service, one.id, event), PAYLOAD);
      await leftNoTrace(service, one, event);
    }
  }),
  forbids(RULE, "a related document nobody created is refused, both ways and one way", async (service) => {
    const one = await newDocument(service);
    for (const related of [{ isPublic: true }, { bidirectional: false }]) {
      const event = relatedFields(service, one, one.at(0), service.unique("nothing"), related);
      refused(await send(service, one.id, event), REFERENCE);
      await leftNoTrace(service, one, event);
    }
  }),
  forbids(
    RULE,
    "a related document of another dataset is refused, both ways and one way",
    async (service) => {
      const [one, other] = [await newDocument(service), await newDocument(service, { as: "second" })];
      for (const related of [{ isPublic: true }, { bidirectional: false }]) {
        const event = relatedFields(service, one, one.at(0), other.id, related);
        refused(await send(service, one.id, event), [...AUTHORITY, ...REFERENCE]);
        await leftNoTrace(service, one, event);
      }
    },
    ["second-credential"],
  ),
  forbids(RULE, "a RELATED event without a related document is refused", async (service) => {
    const one = await newDocument(service);
    for (const relatedDocument of [undefined, "other", {}, { documentId: 5, isPublic: true }]) {
      refused(
        await send(service, one.id, eventFields(service, one, one.at(1), { name: "RELATED", relatedDocument })),
        PAYLOAD,
      );
    }
  }),
  forbids(RULE, "relatedDocument fields of another type than boolean or string are refused", async (service) => {
    const [one, other] = await pair(service);
    const wrongs: Fields[] = [
      { bidirectional: "false", isPublic: true },
      { isPublic: "true" },
      { isPublic: true, eventName: 5 },
    ];
    for (const related of wrongs) {
      refused(await send(service, one.id, relatedFields(service, one, one.at(1), other.id, related)), PAYLOAD);
    }
  }),
  forbids(RULE, "a link is refused whole when the related document cannot take its mirror", async (service) => {
    const [one, other] = await pair(service);
    await append(service, other.id, cancelFields(service, other, other.at(1)));
    const event = relatedFields(service, one, one.at(0), other.id);
    refused(await send(service, one.id, event), STATE);
    await leftNoTrace(service, one, event);
  }),
  allows("Open point 30", "a mirror may be written on a closed document, or not", async (service) => {
    const [one, other] = await pair(service);
    await append(service, other.id, eventFields(service, other, other.at(1), { name: "CLOSE" }));
    const answer = await send(service, one.id, relatedFields(service, one, one.at(2), other.id));
    if (answer.status >= 300) return refused(answer, STATE);
    return { reading: "may be written" };
  }),
  allows("Open point 11", "a mirror stands at its event's time, or at the service's", async (service) => {
    const [one, other] = await pair(service);
    await append(service, one.id, relatedFields(service, one, one.at(5), other.id));
    const soon = await send(service, other.id, eventFields(service, other, other.at(6)));
    if (soon.status < 300) return { reading: "at the event's externalCreatedAt" };
    refused(soon, STATE);
    done(await send(service, other.id, eventFields(service, other, await service.moment())));
    return { reading: "at the service's time" };
  }),
  allows(
    "Open point 11",
    "a link earlier than the other document's last event is taken, or refused",
    async (service) => {
      const [one, other] = await pair(service);
      await append(service, other.id, eventFields(service, other, other.at(9)));
      const answer = await send(service, one.id, relatedFields(service, one, one.at(1), other.id));
      if (answer.status >= 300) return refused(answer, STATE);
      return { reading: "taken" };
    },
  ),

  allows("Endpoints, Events 11", "a propagated event reaches the related document", async (service) => {
    for (const by of ENDPOINTS) {
      const [one, other] = await pair(service);
      await link(service, one, other);
      const before = await service.moment();
      await append(service, one.id, eventFields(service, one, await service.moment(), { propagateEvent: true }), by);
      check(await hasLaterThan(service, other, before), "nothing was propagated");
    }
  }),
  forbids("Endpoints, Events 11", "without propagateEvent nothing reaches the related document", async (service) => {
    const [one, other] = await pair(service);
    await link(service, one, other);
    const before = await service.moment();
    for (const over of [{}, { propagateEvent: false }]) {
      await append(service, one.id, eventFields(service, one, await service.moment(), over));
    }
    check(!(await hasLaterThan(service, other, before)), "an event was propagated unasked");
  }),
  forbids("Endpoints, Events 11", "propagation ends one level deep", async (service) => {
    const [one, other] = await pair(service);
    const third = await newDocument(service, { place: one });
    await link(service, one, other);
    await link(service, other, third);
    const before = await service.moment();
    await append(service, one.id, eventFields(service, one, await service.moment(), { propagateEvent: true }));
    check(!(await hasLaterThan(service, third, before)), "the event went two levels deep");
    check(await hasLaterThan(service, other, before), "nothing was propagated");
  }),
  forbids("Endpoints, Events 11", "a propagated event cannot send value", async (service) => {
    const [one, other] = await pair(service);
    await link(service, one, other);
    for (const by of ENDPOINTS) {
      for (const value of [12.5, "12.5", { amount: 3 }, 0]) {
        const event = eventFields(service, one, await service.moment(), { propagateEvent: true, value });
        refused(await send(service, one.id, event, by), PAYLOAD);
      }
    }
  }),
  allows("Endpoints, Events 11", "value may be any, as long as the event is not propagated", async (service) => {
    const document = await newDocument(service);
    for (const value of [12.5, "12.5", { amount: 3 }, [1], true]) {
      await append(service, document.id, eventFields(service, document, document.at(1), { value }));
      await append(
        service,
        document.id,
        eventFields(service, document, document.at(1), { value, propagateEvent: false }),
      );
    }
  }),
  allows("Open point 29", "whether a one-way reference propagates", async (service) => {
    const [one, other] = await pair(service);
    await append(
      service,
      one.id,
      relatedFields(service, one, await service.moment(), other.id, { bidirectional: false }),
    );
    const before = await service.moment();
    const answer = await send(
      service,
      one.id,
      eventFields(service, one, await service.moment(), { propagateEvent: true }),
    );
    check(answer.status < 300 || PAYLOAD.includes(answer.status), `unexpected: ${describeAnswer(answer)}`);
    if (answer.status >= 300) return refused(answer, PAYLOAD);
    return { reading: (await hasLaterThan(service, other, before)) ? "it propagates" : "it does not propagate" };
  }),
];
