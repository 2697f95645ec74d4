/**
 * Cases of Endpoints, Events 1 to 3: exactly one participant and one address, the inline forms, the delegation of
 * single events to the batch, and the identity check across it.
 */
import { describeAnswer, items, member } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import {
  absence,
  check,
  done,
  duplicate,
  PAYLOAD,
  REFERENCE,
  refused,
  STATE,
  stringAt,
  doneOrRefused,
} from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import { type EventOf, refusesBatch, refusesEvents, takesEvents } from "../tables.js";
import type { Fields } from "../world.js";
import {
  addressFields,
  dayAgo,
  documentFields,
  ENDPOINTS,
  eventFields,
  newAddress,
  newDocument,
  newParticipant,
  newPlace,
  participantFields,
  naturalKey,
} from "../world.js";

/** Statuses by which two contents of one identity may be refused. */
const IDENTITY = [400, 409, 422];
/** What two addresses of one identity may differ in, whatever the identity is. */
const ADDRESS_DIFFERENCES: readonly (readonly [Fields, Fields])[] = [
  [{}, { street: "Rua Outra", number: "9" }],
  [{}, { name: "Another name" }],
  [{}, { city: "Campinas" }],
  [{ zipCode: "01304-001" }, { zipCode: "01310-100" }],
  [{ complement: "Sala 3" }, { complement: "Sala 4" }],
];

/** Looks up the id under the natural key of these fields. */
async function lookedUp(service: ServiceUnderTest, fields: Fields) {
  return stringAt(done(await service.get("/participants", { query: naturalKey(fields) })), "id");
}

/** Nobody is registered under the natural key of these fields. */
async function isNobody(service: ServiceUnderTest, fields: Fields) {
  const found = await service.get("/participants", { query: naturalKey(fields) });
  check(absence(found) !== null, `a participant of a refused request was kept: ${describeAnswer(found)}`);
}

/** How many addresses the participant has. */
async function addressCount(service: ServiceUnderTest, participantId: string) {
  return items(done(await service.get(`/participants/${participantId}/addresses`)).json).length;
}

/** An event that names its participant inline, and its address inline too. */
function inlineEvent(service: ServiceUnderTest, at: string, participant: Fields, address: Fields) {
  const nowhere = { participantId: "", addressId: "" };
  return eventFields(service, nowhere, at, { participantId: undefined, addressId: undefined, participant, address });
}

export const referenceCases: ContractCase[] = [
  takesEvents(["Endpoints, Events 1", "What the service does 2"], "an event refers to participantId and addressId", [
    {},
  ]),
  allows("Endpoints, Events 1", "the inline form creates the participant and the address", async (service) => {
    for (const by of ENDPOINTS) {
      const document = await newDocument(service);
      const participant = participantFields(service);
      await document.append(inlineEvent(service, document.at(1), participant, addressFields(service)), by);
      const id = await lookedUp(service, participant);
      check((await addressCount(service, id)) === 1, "the inline address is not kept under the inline participant");
    }
  }),
  allows(
    "Endpoints, Events 1",
    "the inline form finds the participant and the address that it named before",
    async (service) => {
      const document = await newDocument(service);
      const [participant, address] = [participantFields(service), addressFields(service)];
      await document.append(inlineEvent(service, document.at(1), participant, address));
      const id = await lookedUp(service, participant);
      await document.append(inlineEvent(service, document.at(2), participant, address), "batch");
      check((await lookedUp(service, participant)) === id, "the participant was created twice");
      check((await addressCount(service, id)) === 1, "the address was created twice");
    },
  ),
  allows("Endpoints, Events 1", "the inline form finds what was registered", async (service) => {
    for (const by of ENDPOINTS) {
      const document = await newDocument(service);
      const { id, fields } = await newParticipant(service);
      const address = await newAddress(service, id);
      await document.append(inlineEvent(service, document.at(1), fields, address.fields), by);
      check((await lookedUp(service, fields)) === id, "the participant was created twice");
      check((await addressCount(service, id)) === 1, "the address was created twice");
      // A new address of a twin would not be listed under the registered participant.
      await document.append(inlineEvent(service, document.at(2), fields, addressFields(service)), by);
      check((await addressCount(service, id)) === 2, "the inline participant was not the registered one");
    }
  }),
  allows(
    "Endpoints, Events 1",
    "an inline address of a participantId is found when it was registered",
    async (service) => {
      const document = await newDocument(service);
      const { id } = await newParticipant(service);
      const address = await newAddress(service, id);
      for (const by of ENDPOINTS) {
        const inline = { participantId: id, addressId: undefined, address: address.fields };
        const answer = await document.send(document.event(1, inline), by);
        if (answer.status >= 300) return refused(answer, REFERENCE);
      }
      check((await addressCount(service, id)) === 1, "the address was created twice");
      return undefined;
    },
  ),
  allows("Open point 33", "one reference may be inline and the other by id, or not", async (service) => {
    const document = await newDocument(service);
    const place = await newPlace(service);
    const address = { addressId: undefined, address: addressFields(service) };
    const one = await document.send(eventFields(service, place, document.at(1), address));
    if (one.status < 300) {
      const kept = await addressCount(service, place.participantId);
      check(kept === 2, "the inline address is not kept under participantId");
    } else {
      refused(one, REFERENCE);
    }
    const { fields } = await newParticipant(service);
    const participant = { participantId: undefined, participant: fields };
    const other = await document.send(eventFields(service, place, document.at(2), participant), "batch");
    doneOrRefused(other, REFERENCE);
    return { reading: `an inline address ${one.status}, an inline participant ${other.status}` };
  }),
  allows("Open point 33", "an addressId of another participant may be named, or not", async (service) => {
    const document = await newDocument(service);
    const [place, other] = [await newPlace(service), await newPlace(service)];
    const event = eventFields(service, place, document.at(1), { addressId: other.addressId });
    const answer = await document.send(event);
    if (answer.status < 300) return { reading: "may be named" };
    refused(answer, REFERENCE);
    await document.leftNoTrace(event);
    done(await document.send(eventFields(service, place, document.at(1))));
    return { reading: `refused with ${answer.status}` };
  }),
  ...Object.entries<EventOf>({
    "participantId and participant": (document, _, service) =>
      document.event(0, { participant: participantFields(service) }),
    "neither participantId nor participant": { participantId: undefined },
    "addressId and address": (document, _, service) => document.event(0, { address: addressFields(service) }),
    "neither addressId nor address": { addressId: undefined },
  }).map(([which, event]) =>
    refusesEvents("Endpoints, Events 1", `an event with ${which} is refused at both endpoints and leaves no trace`, [
      event,
    ]),
  ),
  refusesEvents("Endpoints, Events 1", "an inline participant or address of another shape is refused", [
    { participantId: undefined, participant: "acme" },
    { addressId: undefined, address: [] },
    (document, _, service) =>
      document.event(0, { participantId: undefined, participant: participantFields(service, { taxId: 12 }) }),
    (document, _, service) =>
      document.event(0, { addressId: undefined, address: addressFields(service, { city: 12 }) }),
  ]),
  refusesBatch(
    "Endpoints, Events 1",
    "the rule holds for every event of a batch",
    [{}, { participantId: undefined }],
    PAYLOAD,
  ),
  allows(
    "Open point 35",
    "an inline participant or address that differs from the registered one is found, or refused",
    async (service) => {
      const document = await newDocument(service);
      const { id, fields } = await newParticipant(service);
      const participant = { participantId: undefined, participant: { ...fields, name: "Another name" } };
      const event = inlineEvent(service, document.at(1), participant.participant, addressFields(service));
      const words: string[] = [];
      const answer = await document.send(event);
      check((await lookedUp(service, fields)) === id, "the natural key now finds another participant");
      const kept = done(await service.get(`/participants/${id}`));
      check(member(kept.json, "name") === fields["name"], "the registered participant has changed");
      if (answer.status >= 300) {
        words.push(refused(answer, IDENTITY).reading);
        await document.leftNoTrace(event);
      }
      const address = await newAddress(service, id);
      const extended = inlineEvent(service, document.at(1), fields, { ...address.fields, zipCode: "01304-001" });
      const other = await document.send(extended, "batch");
      if (other.status >= 300) words.push(refused(other, IDENTITY).reading);
      await document.append(inlineEvent(service, document.at(1), fields, address.fields));
      return { reading: [`a participant ${answer.status}, an address ${other.status}`, ...words].join("; ") };
    },
  ),

  ...[
    ["a single event lands as one of a batch would, and the batch knows it", "single", "batch"] as const,
    ["an event of a batch is known to the single-event endpoint", "batch", "single"] as const,
  ].map(([title, first, second]) =>
    allows("Endpoints, Events 2", title, async (service) => {
      const document = await newDocument(service);
      const event = document.event(1);
      const eventId = await document.append(event, first);
      return duplicate(await document.send(event, second), String(event["deduplicationId"]), [eventId]);
    }),
  ),
  refusesEvents(
    "Endpoints, Events 2",
    "a single event is refused for what a batch refuses",
    [{ participantId: undefined }, (document) => document.event(-5), { name: "CANCEL" }, { isPublic: "yes" }],
    STATE,
  ),

  forbids(
    "Endpoints, Events 2",
    "the single-event endpoint runs the batch's identity check itself",
    async (service) => {
      // One event can contradict itself only where its target names the same participant (open point 7: shape not shown).
      const document = await newDocument(service);
      const contradiction = () => {
        const participant = participantFields(service);
        const target = document.target({
          participantId: undefined,
          participant,
          addressId: undefined,
        });
        const other = { ...participant, name: "Another name" };
        return { ...inlineEvent(service, document.at(1), other, addressFields(service)), target };
      };
      const inBatch = await document.send(contradiction(), "batch");
      const alone = await document.send(contradiction(), "single");
      check(alone.status < 300 === inBatch.status < 300, `singly ${alone.status}, in a batch ${inBatch.status}`);
      if (alone.status < 300) return { reading: "the identity check does not look into targets" };
      return refused(alone, IDENTITY);
    },
  ),
  allows(
    "Endpoints, Events 3",
    "one identity with the same data may appear in several events of a batch",
    async (service) => {
      const document = await newDocument(service);
      const [participant, address] = [participantFields(service), addressFields(service)];
      const events = [1, 2, 3].map((minute) => inlineEvent(service, document.at(minute), participant, address));
      done(await document.batch(...events));
      const id = await lookedUp(service, participant);
      check((await addressCount(service, id)) === 1, "the address was created more than once");
    },
  ),
  forbids("Endpoints, Events 3", "the check reaches every event of a batch, whichever two differ", async (service) => {
    const document = await newDocument(service);
    for (const [one, other] of [
      [0, 4],
      [2, 3],
      [3, 4],
    ]) {
      const same = participantFields(service);
      const events = [0, 1, 2, 3, 4].map((index) => {
        const differs = index === other ? { ...same, name: "Another name" } : same;
        const participant = index === one || index === other ? differs : participantFields(service);
        return inlineEvent(service, document.at(0), participant, addressFields(service));
      });
      refused(await document.batch(...events), IDENTITY);
    }
  }),
  forbids("Endpoints, Events 3", "one owner named in two ways is one owner of an address", async (service) => {
    // Only what is refused of an owner named inline twice is an identity at all.
    const readings: string[] = [];
    for (const [over, other] of ADDRESS_DIFFERENCES) {
      const document = await newDocument(service);
      const outcomes: boolean[] = [];
      for (const isNamed of [false, true]) {
        const { id, fields } = await newParticipant(service);
        const address = addressFields(service, over);
        const inline = inlineEvent(service, document.at(0), fields, { ...address, ...other });
        const named = { participantId: id, addressId: undefined, address };
        const first = isNamed ? document.event(0, named) : inlineEvent(service, document.at(0), fields, address);
        for (const events of [
          [first, inline],
          [inline, first],
        ]) {
          const answer = await document.batch(...events);
          doneOrRefused(answer, REFERENCE);
          outcomes.push(answer.status < 300);
        }
      }
      const [one, two, three, four] = outcomes;
      if (one || two) continue;
      check(!three && !four, `${JSON.stringify(other)} passed where the owner was named by id`);
      readings.push(Object.keys(other).join(" and "));
    }
    return { reading: `one identity, refused with another ${readings.join("; ")}` };
  }),
  allows(
    "Open point 36",
    "a field that only one of two identities carries is a difference, or none",
    async (service) => {
      const document = await newDocument(service);
      const full = { email: "ops@example.com" };
      const participant = participantFields(service);
      const orders = [
        [participant, { ...participant, ...full }],
        [{ ...participant, ...full }, participant],
      ];
      const statuses: number[] = [];
      for (const order of orders) {
        const events = order.map((each) => inlineEvent(service, document.at(1), each, addressFields(service)));
        const answer = await document.batch(...events);
        doneOrRefused(answer, IDENTITY);
        statuses.push(answer.status);
      }
      return { reading: statuses.join(", ") };
    },
  ),
  allows(
    "Open point 36",
    "the document of a batch and its events with one identity and other data are refused, or not",
    async (service) => {
      const participant = participantFields(service);
      const place = { address: addressFields(service), addressId: undefined, participantId: undefined };
      const named = await newDocument(service);
      const document = { ...documentFields(service, named), ...place, participant };
      const events = [inlineEvent(service, named.at(0), { ...participant, name: "Another name" }, place.address)];
      const answer = await service.post("/documents/events", { document, events });
      if (answer.status >= 300) return refused(answer, IDENTITY);
      return { reading: `${answer.status}` };
    },
  ),
  forbids(
    "Endpoints, Events 1",
    "a refused request leaves no inline participant and no inline address",
    async (service) => {
      const document = await newDocument(service);
      const place = await newParticipant(service);
      for (const by of ENDPOINTS) {
        const participant = participantFields(service);
        const late = inlineEvent(service, document.at(-1), participant, addressFields(service));
        refused(await document.send(late, by), STATE);
        await isNobody(service, participant);
        const address = { participantId: place.id, addressId: undefined, address: addressFields(service) };
        refused(await document.send(document.event(-1, address), by), STATE);
        check((await addressCount(service, place.id)) === 0, "an address of a refused event was kept");
      }
      const participant = participantFields(service);
      const events = [inlineEvent(service, document.at(1), participant, addressFields(service)), document.event(0)];
      refused(await document.batch(...events), STATE);
      const again = document.event(0, { deduplicationId: events[0]?.["deduplicationId"] });
      const kept = (await document.send(again)).status >= 300;
      if (!kept) await isNobody(service, participant);
      const isCreated = participantFields(service);
      const creation = documentFields(service, document, {
        participantId: undefined,
        participant: isCreated,
        addressId: undefined,
        externalCreatedAt: document.at(0),
      });
      const future = document.event(new Date(service.now() + 3_600_000).toISOString());
      const answer = await service.post("/documents/events", { document: creation, events: [future] });
      check(answer.status >= 400, "an event of the future was accepted");
      if (!kept) await isNobody(service, isCreated);
      return { reading: kept ? "a refused batch is kept in part" : "all or nothing" };
    },
  ),
  allows("Open point 27", "a document may name participant and address twice, or inline, or not", async (service) => {
    const place = await newPlace(service);
    const readings: string[] = [];
    const named: Record<string, (known: Fields) => Fields> = {
      "both of a participant": () => ({ participant: participantFields(service) }),
      "both of an address": () => ({ address: addressFields(service) }),
      "inline both": () => ({
        participantId: undefined,
        participant: participantFields(service),
        addressId: undefined,
        address: addressFields(service),
      }),
      "an inline address alone": () => ({
        participantId: undefined,
        addressId: undefined,
        address: addressFields(service),
      }),
      "an inline address of another shape": () => ({ addressId: undefined, address: { city: 5 } }),
    };
    for (const [title, over] of Object.entries(named)) {
      const document = await newDocument(service);
      const at = document.at(0);
      const fields = () => documentFields(service, place, { externalCreatedAt: at, ...over({}) });
      const target = eventFields(service, place, document.at(1), { target: fields() });
      const answers = [
        await service.post("/documents", fields()),
        await service.post("/documents/events", { document: fields(), events: [eventFields(service, place, at)] }),
        await document.send(target),
      ];
      for (const answer of answers) doneOrRefused(answer, REFERENCE);
      readings.push(`${title} ${answers.map((answer) => answer.status).join(" ")}`);
    }
    return { reading: readings.join(", ") };
  }),
  forbids("Endpoints, Events 3", "one participant identity with different data in a batch fails", async (service) => {
    const document = await newDocument(service);
    const [participant, address] = [participantFields(service), addressFields(service)];
    for (const over of [{ name: "Another name" }, { type: "ANOTHER" }]) {
      const events = [
        inlineEvent(service, document.at(0), participant, address),
        inlineEvent(service, document.at(0), { ...participant, ...over }, address),
      ];
      const answer = await document.batch(...events);
      refused(answer, IDENTITY);
      await document.leftNoTrace(events[1] ?? {});
    }
  }),
  forbids("Endpoints, Events 3", "the check holds for a batch that creates its document", async (service) => {
    const place = await newPlace(service);
    const at = dayAgo(service);
    const [participant, address] = [participantFields(service), addressFields(service)];
    const document = documentFields(service, place, { externalCreatedAt: at(0) });
    const events = [
      inlineEvent(service, at(0), participant, address),
      inlineEvent(service, at(1), { ...participant, name: "Another name" }, address),
    ];
    return refused(await service.post("/documents/events", { document, events }), IDENTITY);
  }),
  forbids("Endpoints, Events 3", "one address identity with different data in a batch fails", async (service) => {
    // The specification does not say what identifies an address: its name, its place, or all that is sent on create;
    // in the last case only the fields of open point 4 can differ, and nothing can where these are refused.
    const readings: string[] = [];
    let extended = true;
    for (const [over, other] of ADDRESS_DIFFERENCES) {
      const document = await newDocument(service);
      const [participant, address] = [participantFields(service), addressFields(service, over)];
      const different = { ...address, ...other };
      const alone = await document.send(inlineEvent(service, document.at(1), participantFields(service), different));
      if (alone.status >= 300) {
        refused(alone, PAYLOAD);
        extended = false;
        continue;
      }
      const events = [address, different].map((each) => inlineEvent(service, document.at(2), participant, each));
      const answer = await document.batch(...events);
      if (answer.status < 300) continue;
      refused(answer, IDENTITY);
      readings.push(Object.keys(other).join(" and "));
    }
    const bites = readings.length > 0 || !extended;
    check(bites, "addresses that share a name, a place or all create fields were never taken for one identity");
    if (readings.length === 0) return { reading: "all create fields are the identity: nothing else can be sent" };
    return { reading: `one identity, refused with another ${readings.join("; ")}` };
  }),
];
