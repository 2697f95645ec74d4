/** The schemas of requests. Required fields that service.md does not show follow open points 1, 4, 7, 8 and 27. */
import { z } from "zod";
import { timestamp } from "./instants.js";
import { Refusal } from "./refusal.js";

/** For the description of the interface. */
export const described = z.registry<{ id: string }>();

const text = z.string().min(1);
/** Participant: international format with a leading plus. */
const phone = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be in international format: a plus and 7 to 15 digits");

/** The create request; accepts the returned fields too. */
export const participantInput = z
  .object({
    countryCode: text,
    name: text,
    taxId: text,
    taxIdType: text,
    type: text,
    businessName: z.string().optional(),
    email: z.string().optional(),
    mobileNumber: phone.optional(),
    telephoneNumber: phone.optional(),
  })
  .register(described, { id: "NewParticipant" });

export const naturalKeyInput = participantInput.pick({ countryCode: true, taxIdType: true, taxId: true });

const sixFields = { city: text, countryCode: text, countryState: text, name: text, number: text, street: text };

/** The create request, with further fields that may be accepted (open point 4). */
export const addressInput = z
  .object({
    ...sixFields,
    complement: z.string().optional(),
    neighborhood: z.string().optional(),
    zipCode: z.string().optional(),
    latitude: z.number().min(-90).max(90).optional(),
    longitude: z.number().min(-180).max(180).optional(),
  })
  .register(described, { id: "NewAddress" });

/** Only the six fields (strictAddresses). */
export const strictAddressInput = z.strictObject(sixFields);

const references = {
  participantId: text.optional(),
  participant: participantInput.optional(),
  addressId: text.optional(),
  /** Checked when it is used. */
  address: z.record(z.string(), z.unknown()).optional(),
};

/** Keeps all other fields. Also the shape of an event's target. */
export const documentInput = z
  .looseObject({ ...references, externalId: text.optional(), deduplicationId: text.optional() })
  .register(described, { id: "NewDocument" });

const attribute = z
  .object({ name: text, value: z.string(), isPublic: z.boolean() })
  .register(described, { id: "Attribute" });

const relatedDocument = z
  .object({
    documentId: text,
    bidirectional: z.boolean().optional(),
    isPublic: z.boolean().optional(),
    eventName: text.optional(),
    eventLabel: z.string().optional(),
    preserveSensitiveData: z.boolean().optional(),
    isBackReference: z.boolean().optional(),
  })
  .register(described, { id: "RelatedDocument" });

const eventFields = {
  externalCreatedAt: timestamp,
  isPublic: z.boolean(),
  deduplicationId: text.optional(),
  ...references,
  metadata: z.object({ attributes: z.array(attribute).optional() }).optional(),
  target: documentInput.optional(),
  propagateEvent: z.boolean().optional(),
  value: z.unknown().optional(),
};

const named = <Name extends string>(name: Name, id: string) =>
  z
    .object({ name: z.literal(name), ...eventFields, relatedDocument: relatedDocument.optional() })
    .register(described, { id });

/** Events (types), rule 1: the six discriminated schemas. */
const closeEvent = named("CLOSE", "CloseEvent");
const actorEvent = named("ACTOR", "ActorEvent");
const cancelEvent = named("CANCEL", "CancelEvent");
const updateEvent = named("UPDATE", "UpdateEvent");
const relatedEvent = z
  .object({ name: z.literal("RELATED"), ...eventFields, relatedDocument })
  .register(described, { id: "RelatedEvent" });
const customEvent = z
  .object({ name: text, ...eventFields, relatedDocument: relatedDocument.optional() })
  .register(described, { id: "CustomEvent" });

/** For the description only; a request's name chooses its schema. */
const eventInput = z
  .union([closeEvent, actorEvent, cancelEvent, relatedEvent, updateEvent, customEvent])
  .register(described, { id: "Event" });
z.object({
  documentId: text.optional().describe("Exactly one of documentId and document."),
  document: documentInput.optional(),
  events: z.array(eventInput),
}).register(described, { id: "Batch" });

export type ParticipantInput = z.output<typeof participantInput>;
export type AddressInput = z.output<typeof addressInput>;
export type DocumentInput = z.output<typeof documentInput>;
export type RelatedDocument = z.output<typeof relatedDocument>;
/** As any of the six schemas returns it. */
export type EventInput = z.output<typeof customEvent>;

const reserved: ReadonlyMap<unknown, z.ZodType> = new Map<unknown, z.ZodType>([
  ["CLOSE", closeEvent],
  ["ACTOR", actorEvent],
  ["CANCEL", cancelEvent],
  ["RELATED", relatedEvent],
  ["UPDATE", updateEvent],
]);

/** All other names, OUTPUT and SPLIT included, are CUSTOM events (Events (types), rule 2). */
export const isReserved = (name: unknown): boolean => reserved.has(name);

export const eventSchemaFor = (name: unknown): z.ZodType => reserved.get(name) ?? customEvent;

const MOST_MESSAGES = 20;

/**
 * A field of the wrong type cannot be processed (422); anything else is a validation error (400). `at`: the value's
 * name in messages, "" for the body. @throws Refusal
 */
export function checked<Schema extends z.ZodType>(schema: Schema, input: unknown, at = ""): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { issues } = result.error;
  const structural = issues.some((issue) => issue.code === "invalid_type" && valueAt(input, issue.path) !== undefined);
  const messages = issues.slice(0, MOST_MESSAGES).map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
    const where = `${at}${steps.join("")}`.replace(/^\./, "");
    return where === "" ? message : `${where}: ${message}`;
  });
  throw new Refusal(structural ? 422 : 400, messages);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[step];
  return value;
}
