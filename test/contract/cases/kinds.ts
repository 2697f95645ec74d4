/**
 * Cases of the event table and of the section Events: the logical types, the schemas, and names not reserved.
 */
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, done, PAYLOAD, REFERENCE, refused, STATE } from "../expect.js";
import type { Document, Fields } from "../world.js";
import { ENDPOINTS, newDocument } from "../world.js";

type Make = (document: Document, other: Document, at: string) => Fields;

const named =
  (name: string, over: Fields = {}): Make =>
  (document, _other, at) =>
    document.event(at, { name, ...over });

/** One valid event of each logical type. SPLIT and OUTPUT have no schema of their own: a target makes them. */
const TYPES: Readonly<Record<string, Make>> = {
  ACTOR: named("ACTOR", { metadata: { attributes: [{ name: "role", value: "Recycler", isPublic: true }] } }),
  CLOSE: named("CLOSE"),
  CANCEL: (document, _other, at) => document.cancel(at),
  RELATED: (document, other, at) => document.related(at, other.id),
  UPDATE: named("UPDATE", { metadata: { attributes: [{ name: "searchable", value: "true", isPublic: true }] } }),
  OUTPUT: (document, _other, at) => document.event(at, { name: "OUTPUT", target: document.target() }),
  SPLIT: (document, _other, at) => document.event(at, { name: "SPLIT", target: document.target() }),
  CUSTOM: named("Weighing"),
};

/** What no event of any type may be. */
const FAULTS: readonly Fields[] = [
  { participantId: undefined },
  { addressId: undefined },
  { isPublic: "yes" },
  { externalCreatedAt: "soon" },
  { metadata: { attributes: [{ name: "reason", value: "no isPublic" }] } },
];

function typeCases(type: string, make: Make): ContractCase[] {
  return [
    allows(`Events: ${type}`, `a ${type} event is accepted at both endpoints`, async (service) => {
      for (const by of ENDPOINTS) {
        const document = await newDocument(service);
        const other = await newDocument(service, { place: document });
        await document.append(make(document, other, document.at(1)), by);
      }
    }),
    forbids(
      `Events: ${type}`,
      `a ${type} event with a fault of its fields is refused, and nothing happens`,
      async (service) => {
        const document = await newDocument(service);
        const other = await newDocument(service, { place: document });
        for (const fault of FAULTS) {
          const event = { ...make(document, other, document.at(0)), ...fault };
          refused(await document.send(event), PAYLOAD);
          await document.leftNoTrace(event);
        }
      },
    ),
  ];
}

function refusesFields(title: string, faults: readonly Fields[], among = PAYLOAD): ContractCase {
  return forbids("Event", title, async (service) => {
    const document = await newDocument(service);
    for (const fault of faults) {
      const event = document.event(1, fault);
      for (const by of ENDPOINTS) refused(await document.send(event, by), among);
    }
    await document.append(document.event(0));
  });
}

const attribute = (over: unknown): Fields => ({ metadata: { attributes: [over] } });

export const kindCases: ContractCase[] = [
  ...Object.entries(TYPES).flatMap(([type, make]) => typeCases(type, make)),

  allows("Events 1", "each of the six schemas takes its event", async (service) => {
    const document = await newDocument(service);
    const other = await newDocument(service, { place: document });
    let minute = 0;
    for (const type of ["ACTOR", "UPDATE", "CUSTOM", "RELATED", "CLOSE", "CANCEL"]) {
      const make = TYPES[type] ?? named(type);
      minute = type === "CLOSE" ? 0 : minute + 1;
      const at = type === "CLOSE" || type === "CANCEL" ? await service.moment() : document.at(minute);
      await document.append(make(document, other, at));
    }
  }),
  forbids(
    "Events 1",
    "the name chooses the schema: what one type requires another does not excuse",
    async (service) => {
      const document = await newDocument(service);
      for (const name of ["CANCEL", "RELATED"]) {
        const event = document.event(0, { name });
        refused(await document.send(event), PAYLOAD);
        await document.leftNoTrace(event);
      }
    },
  ),
  allows("Events 2", "a name the service does not reserve is a custom event, whatever it spells", async (service) => {
    const document = await newDocument(service);
    for (const name of [
      "Pick-up",
      "Pesagem à saída ⚖",
      "constructor",
      "toString",
      "__proto__",
      "hasOwnProperty",
      "0",
      "CLOSED",
    ]) {
      await document.append(document.event(1, { name }));
    }
    await document.append(document.event(1));
  }),
  allows("Events 2", "OUTPUT and SPLIT without a target are custom events", async (service) => {
    const document = await newDocument(service);
    for (const name of ["OUTPUT", "SPLIT"]) await document.append(document.event(1, { name }));
  }),
  allows("Events 2", "a reserved name in lower case is a custom event, or not", async (service) => {
    const document = await newDocument(service);
    const answer = await document.send(document.event(1, { name: "close" }));
    if (answer.status >= 300) return refused(answer, PAYLOAD);
    const next = await document.send(document.event(2));
    return { reading: next.status < 300 ? "a custom event" : "handled as the reserved one" };
  }),
  forbids("Events 2", "a reserved name is not handled as a custom event", async (service) => {
    const document = await newDocument(service);
    refused(await document.send(document.event(1, { name: "CANCEL" })), [400]);
    await document.append(document.event(1, { name: "CLOSE" }));
    refused(await document.send(document.event(2)), STATE);
  }),
  allows("Events 3", "both endpoints append to one timeline, and a RELATED event appends to two", async (service) => {
    const document = await newDocument(service);
    const other = await newDocument(service, { place: document });
    const ids = [];
    for (const by of ENDPOINTS) ids.push(await document.append(document.event(1), by));
    const before = await service.moment();
    ids.push(await document.append(document.related(await service.moment(), other.id)));
    check(new Set(ids).size === 3, "events share an id");
    for (const each of [document, other]) check(await each.hasLaterThan(before), "the link is missing on a timeline");
  }),
  forbids("Events 3", "an ordinary event appends to its own document only", async (service) => {
    const document = await newDocument(service);
    const other = await newDocument(service, { place: document });
    const before = await service.moment();
    await document.append(document.event(await service.moment()));
    check(!(await other.hasLaterThan(before)), "another document of the participant has the event too");
  }),

  allows("Event", "an event with all the named fields is accepted", async (service) => {
    const document = await newDocument(service);
    const metadata = {
      attributes: [
        { name: "Vehicle License Plate", value: "ABC1D23", isPublic: false },
        { name: "Gross Weight", value: "1250.5", isPublic: true },
        { name: "Note", value: "", isPublic: true },
      ],
    };
    await document.append(document.event(1, { metadata, isPublic: true, value: 1250.5 }));
  }),
  refusesFields("a name that is no string is refused", [
    { name: 5 },
    { name: null },
    { name: ["CLOSE"] },
    { name: { CLOSE: 1 } },
  ]),
  refusesFields("isPublic that is no boolean is refused", [{ isPublic: "true" }, { isPublic: 1 }, { isPublic: null }]),
  refusesFields("a deduplicationId that is no string is refused", [
    { deduplicationId: 5 },
    { deduplicationId: {} },
    { deduplicationId: ["a"] },
  ]),
  refusesFields("propagateEvent that is no boolean is refused", [{ propagateEvent: "true" }, { propagateEvent: 1 }]),
  refusesFields(
    "references of another type than string are refused",
    [{ participantId: 5 }, { addressId: {} }],
    REFERENCE,
  ),
  refusesFields("every attribute requires its own isPublic", [
    attribute({ name: "Weight", value: "3" }),
    {
      metadata: {
        attributes: [
          { name: "A", value: "1", isPublic: true },
          { name: "B", value: "2" },
        ],
      },
    },
    attribute({ name: "Weight", value: "3", isPublic: "true" }),
  ]),
  refusesFields("attributes carry a name and a value that are strings", [
    attribute({ name: "Weight", value: 3, isPublic: true }),
    attribute({ name: 3, value: "3", isPublic: true }),
    attribute({ value: "3", isPublic: true }),
    attribute("Weight"),
    { metadata: { attributes: "Weight" } },
    { metadata: "Weight" },
  ]),
  allows(
    "Open point 8",
    "which of name, externalCreatedAt, isPublic and deduplicationId an event may lack",
    async (service) => {
      const document = await newDocument(service);
      const readings: string[] = [];
      for (const name of ["name", "externalCreatedAt", "isPublic", "deduplicationId"]) {
        const fresh = await newDocument(service, { place: document });
        const answer = await fresh.send(fresh.event(1, { [name]: undefined }));
        if (answer.status < 300) readings.push(`${name} may be missing`);
        else refused(answer, PAYLOAD);
      }
      return { reading: readings.join(", ") || "all four are required" };
    },
  ),
  allows("Open point 8", "fields that are not named are ignored, or refused", async (service) => {
    const document = await newDocument(service);
    const answer = await document.send(document.event(1, { colour: "green" }));
    if (answer.status >= 300) return refused(answer, PAYLOAD);
    return { reading: "ignored or kept" };
  }),
  allows("Open point 7", "a target may carry fields of any name", async (service) => {
    const document = await newDocument(service);
    const target = document.target({ measurementUnit: "kg", nested: { any: [1, "2"] } });
    const answer = await document.send(document.event(1, { name: "OUTPUT", target }));
    if (answer.status >= 300) return refused(answer, PAYLOAD);
    done(answer);
    return { reading: "any object will do" };
  }),
];
