/** What requests must look like. Required fields that service.md does not show follow open-points.md 1, 4, 7, 8 and 27. */
import { z } from "zod";

const text = z.string().min(1);
const timestamp = z.iso.datetime({ offset: true, error: "must be an ISO 8601 timestamp with Z or an offset" });

/** Participant: the create request; the fields that are returned on read are taken as well. */
export const participantInput = z
  .object({
    countryCode: text,
    name: text,
    taxId: text,
    taxIdType: text,
    type: text,
    businessName: z.string().optional(),
    email: z.string().optional(),
    mobileNumber: z.string().optional(),
    telephoneNumber: z.string().optional(),
  })
  .meta({ id: "NewParticipant" });

const sixFields = { city: text, countryCode: text, countryState: text, name: text, number: text, street: text };

/** Address: the create request with what may or may not be accepted beside it (open point 4). */
export const addressInput = z
  .object({
    ...sixFields,
    complement: z.string().optional(),
    neighborhood: z.string().optional(),
    zipCode: z.string().optional(),
    latitude: z.number().min(-90).max(90).optional(),
    longitude: z.number().min(-180).max(180).optional(),
  })
  .meta({ id: "NewAddress" });

/** The same with nothing beside the six fields (option strictAddresses). */
export const strictAddressInput = z.strictObject(sixFields);

const references = {
  participantId: text.optional(),
  participant: participantInput.optional(),
  addressId: text.optional(),
  /** Checked by `addressInput` or `strictAddressInput` when it is used. */
  address: z.record(z.string(), z.unknown()).optional(),
};

/** Document: everything else is kept as it comes. Also the shape of an event's target. */
export const documentInput = z
  .looseObject({ ...references, externalId: text.optional(), deduplicationId: text.optional() })
  .meta({ id: "NewDocument" });

const attribute = z.object({ name: text, value: z.string(), isPublic: z.boolean() }).meta({ id: "Attribute" });

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
  .meta({ id: "RelatedDocument" });

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
  z.object({ name: z.literal(name), ...eventFields, relatedDocument: relatedDocument.optional() }).meta({ id });

/** Events (types), rule 1: the six discriminated schemas. */
export const closeEvent = named("CLOSE", "CloseEvent");
export const actorEvent = named("ACTOR", "ActorEvent");
export const cancelEvent = named("CANCEL", "CancelEvent");
export const updateEvent = named("UPDATE", "UpdateEvent");
export const relatedEvent = z
  .object({ name: z.literal("RELATED"), ...eventFields, relatedDocument })
  .meta({ id: "RelatedEvent" });
export const customEvent = z
  .object({ name: text, ...eventFields, relatedDocument: relatedDocument.optional() })
  .meta({ id: "CustomEvent" });

/** For the description of the interface; requests are checked by the one schema that their name chooses. */
export const eventInput = z
  .union([closeEvent, actorEvent, cancelEvent, relatedEvent, updateEvent, customEvent])
  .meta({ id: "Event" });

export type ParticipantInput = z.output<typeof participantInput>;
export type AddressInput = z.output<typeof addressInput>;
export type DocumentInput = z.output<typeof documentInput>;
export type RelatedDocument = z.output<typeof relatedDocument>;
/** An event as any of the six schemas gives it. */
export type EventInput = z.output<typeof customEvent>;

const reserved: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["CLOSE", closeEvent],
  ["ACTOR", actorEvent],
  ["CANCEL", cancelEvent],
  ["RELATED", relatedEvent],
  ["UPDATE", updateEvent],
]);

/** Names with a schema of their own; every other name, OUTPUT and SPLIT included, is a CUSTOM event (Events (types), rule 2). */
export const isReserved = (name: string): boolean => reserved.has(name);

export function eventSchemaFor(name: unknown): z.ZodType {
  return (typeof name === "string" ? reserved.get(name) : undefined) ?? customEvent;
}
