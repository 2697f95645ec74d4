/** Participants, addresses and documents in a mapping, and how records refer to each other. */
import { z } from "zod";
import { conditionSchema, fieldSchema, jsonFieldsSchema, keyFieldSchema } from "./field-schema.js";

const naturalSchema = z.strictObject({ countryCode: fieldSchema, taxIdType: fieldSchema, taxId: fieldSchema });

export const participantRefSchema = z
  .union([
    z.string().min(1),
    z.strictObject({
      ref: z
        .string()
        .min(1)
        .optional()
        .meta({ description: "A participant of another row or input, by its name in the mapping …" }),
      key: keyFieldSchema.optional().meta({ description: "… and the value of its `key:`." }),
      natural: naturalSchema
        .optional()
        .meta({ description: "Any participant ever registered, by countryCode, taxIdType and taxId." }),
      id: fieldSchema.optional().meta({ description: "The id that the service gave it." }),
    }),
  ])
  .meta({
    id: "ParticipantRef",
    description:
      "A participant of the same row by its name; of another row by `ref` and `key`; by `natural` key; or by `id`.",
    examples: ["generator", { ref: "organisation", key: { column: "Código" } }],
  });

export const addressRefSchema = z
  .union([
    z.string().min(1),
    z.strictObject({
      ref: z
        .string()
        .min(1)
        .optional()
        .meta({ description: "An address of another row or input, by its name in the mapping …" }),
      key: keyFieldSchema.optional().meta({ description: "… and the value of its `key:`." }),
      id: fieldSchema.optional().meta({ description: "The id that the service gave it." }),
    }),
  ])
  .meta({
    id: "AddressRef",
    description: "An address of the same row by its name; of another row by `ref` and `key`; or by `id`.",
    examples: ["origin", { ref: "place", key: { column: "Local" } }],
  });

export const documentRefSchema = z
  .union([
    z.string().min(1),
    z.strictObject({
      ref: z
        .string()
        .min(1)
        .meta({ description: "A document of another row, input or earlier import, by its name in the mapping …" }),
      key: keyFieldSchema.meta({ description: "… and its key." }),
    }),
  ])
  .meta({
    id: "DocumentRef",
    description: "A document of the same row by its name, or any other by `ref` and `key`.",
    examples: ["manifest", { ref: "manifest", key: { column: "MTR Origem" } }],
  });

const when = conditionSchema.optional().meta({ description: "The record exists only where this holds." });

export const participantSchema = z
  .strictObject({
    when,
    key: keyFieldSchema
      .optional()
      .meta({ description: "By which other rows and inputs refer to it: `{ ref: <name>, key: … }`." }),
    countryCode: fieldSchema.meta({ description: "Read as a country; becomes its two-letter code." }),
    taxIdType: fieldSchema.meta({ description: "The type of the tax id.", examples: ["CNPJ"] }),
    taxId: fieldSchema.meta({
      description:
        "Read as a tax id of that type; its check digits must be right, and it is sent in one canonical form.",
    }),
    name: fieldSchema,
    type: fieldSchema.meta({ description: "A participant kind, as the service knows it.", examples: ["COMPANY"] }),
  })
  .meta({ id: "Participant", description: "A participant: registered once per countryCode, taxIdType and taxId." });

export const addressSchema = z
  .strictObject({
    when,
    key: keyFieldSchema.optional().meta({
      description:
        "By which other rows and inputs refer to it. It is then also its identity under its participant; without it the identity is all six create fields.",
    }),
    participant: participantRefSchema,
    name: fieldSchema,
    street: fieldSchema,
    number: fieldSchema,
    city: fieldSchema,
    countryState: fieldSchema.meta({ description: "Read as a state of the country; becomes its code." }),
    countryCode: fieldSchema.meta({ description: "Read as a country; becomes its two-letter code." }),
    complement: fieldSchema.optional(),
    neighborhood: fieldSchema.optional(),
    zipCode: fieldSchema.optional(),
    latitude: fieldSchema.optional().meta({ description: "Degrees, read as a decimal." }),
    longitude: fieldSchema.optional().meta({ description: "Degrees, read as a decimal." }),
  })
  .meta({
    id: "Address",
    description:
      "An address of a participant. The five members from `complement` on are sent only with `settings.addresses.extendedFields`.",
  });

/** Of a document or an event that is called otherwise than before: names are part of keys. */
export const wasSchema = z
  .string()
  .min(1)
  .optional()
  .meta({
    description:
      "The name it had in this mapping before: it goes on with what was sent under that name. `none`: it is a new one, though it looks like one that is gone.",
    examples: ["pickup"],
  });

export const documentSchema = z
  .strictObject({
    when,
    mode: z.enum(["create", "existing"]).optional().meta({
      description:
        "`create` (default): created when it is not there. `existing`: only appended to, known to the ledger by its key or given by documentId.",
    }),
    key: keyFieldSchema.optional().meta({ description: "What tells one document of this name from another." }),
    was: wasSchema,
    documentId: fieldSchema
      .optional()
      .meta({ description: "The service's id, for `mode: existing`; stands in for `key` where there is none." }),
    participant: participantRefSchema.optional().meta({
      description:
        "Its owner; also the participant of its events unless they say otherwise. May be left out for `existing`.",
    }),
    address: addressRefSchema.optional(),
    externalId: z
      .union([fieldSchema, z.null()])
      .optional()
      .meta({ description: "Default: the key. `null`: none is sent." }),
    fields: jsonFieldsSchema.optional().meta({
      description: "Sent with the create as written, beside the references.",
      examples: [{ category: "MassID", isPublic: false }],
    }),
    createEmpty: z
      .boolean()
      .optional()
      .meta({ description: "Create it even while it has no event that is due. Default false." }),
  })
  .meta({
    id: "Document",
    description: "A document. Its name here is part of its key: invoice 123 and manifest 123 are two documents.",
  });

export type ParticipantRefSpec = z.infer<typeof participantRefSchema>;
export type AddressRefSpec = z.infer<typeof addressRefSchema>;
export type DocumentRefSpec = z.infer<typeof documentRefSchema>;
export type ParticipantSpec = z.infer<typeof participantSchema>;
export type AddressSpec = z.infer<typeof addressSchema>;
export type DocumentSpec = z.infer<typeof documentSchema>;
