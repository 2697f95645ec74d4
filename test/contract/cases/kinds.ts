/**
 * Cases of the event table and of the section Events: the logical types, the schemas, and names not reserved.
 */
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { check, done, PAYLOAD, REFERENCE, refused, STATE } from "../expect.js";
import { refusesEvents, takesEvents } from "../tables.js";
import type { Document, Fields } from "../world.js";
import { ENDPOINTS, newDocument, newPlace } from "../world.js";

type Make = (document: Document, other: Document) => Fields;

const named =
  (name: string, over: Fields = {}): Make =>
  (document) =>
    document.event(0, { name, ...over });
const withTarget =
  (name: string): Make =>
  (document) =>
    document.event(0, { name, target: document.target() });
const withAttribute = (name: string, value: string): Fields => ({
  metadata: { attributes: [{ name, value, isPublic: true }] },
});

/** One valid event of each logical type. SPLIT and OUTPUT have no schema of their own: a target makes them. */
const TYPES: Readonly<Record<string, Make>> = {
  ACTOR: named("ACTOR", withAttribute("role", "Recycler")),
  CLOSE: named("CLOSE"),
  CANCEL: (document) => document.cancel(0),
  RELATED: (document, other) => document.related(0, other.id),
  UPDATE: named("UPDATE", withAttribute("searchable", "true")),
  OUTPUT: withTarget("OUTPUT"),
  SPLIT: withTarget("SPLIT"),
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

const typeCases = ([type, make]: [string, Make]): ContractCase[] => [
  takesEvents(`Events: ${type}`, `a ${type} event is accepted at both endpoints`, [make]),
  refusesEvents(
    `Events: ${type}`,
    `a ${type} event with a fault of its fields is refused, and nothing happens`,
    FAULTS.map((fault) => (document, other) => ({ ...make(document, other), ...fault })),
  ),
];

const refusesFields = (title: string, faults: readonly Fields[], among = PAYLOAD): ContractCase =>
  refusesEvents("Event", title, faults, among);

const attribute = (over: unknown): Fields => ({ metadata: { attributes: [over] } });

export const kindCases: ContractCase[] = [
  ...Object.entries(TYPES).flatMap(typeCases),

  takesEvents(
    "Events 1",
    "each of the six schemas takes its event",
    ["ACTOR", "UPDATE", "CUSTOM", "CLOSE", "RELATED", "CANCEL"].flatMap((type) => TYPES[type] ?? []),
  ),
  refusesEvents("Events 1", "the name chooses the schema: what one type requires another does not excuse", [
    { name: "CANCEL" },
    { name: "RELATED" },
  ]),
  takesEvents(
    "Events 2",
    "a name the service does not reserve is a custom event, whatever it spells",
    [
      ["Pick-up", "Pesagem à saída ⚖", "constructor", "toString", "__proto__", "hasOwnProperty", "0", "CLOSED"],
      ["OUTPUT", "SPLIT", "Pick-up"],
    ]
      .flat()
      .map((name) => ({ name })),
  ),
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

  takesEvents("Event", "an event with all the named fields is accepted", [
    {
      isPublic: true,
      value: 1250.5,
      metadata: {
        attributes: [
          { name: "Vehicle License Plate", value: "ABC1D23", isPublic: false },
          { name: "Gross Weight", value: "1250.5", isPublic: true },
          { name: "Note", value: "", isPublic: true },
        ],
      },
    },
  ]),
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
      const place = await newPlace(service);
      const readings: string[] = [];
      for (const name of ["name", "externalCreatedAt", "isPublic", "deduplicationId"]) {
        const document = await newDocument(service, { place });
        const answer = await document.send(document.event(1, { [name]: undefined }));
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
