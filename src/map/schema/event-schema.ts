/** Events in a mapping (service.md, Event and Event endpoints). */
import { z } from "zod";
import {
  conditionSchema,
  fieldMembers,
  fieldSchema,
  jsonFieldSchema,
  jsonFieldsSchema,
  keyFieldSchema,
} from "./field-schema.js";
import { addressRefSchema, documentRefSchema, participantRefSchema, wasSchema } from "./record-schema.js";

const attributePublic = fieldSchema
  .optional()
  .meta({ description: "Whether the attribute is public; every attribute needs its own." });

export const attributeSchema = z
  .strictObject({
    ...fieldMembers,
    columns: z
      .string()
      .min(1)
      .optional()
      .meta({
        description:
          "Every column whose header matches this pattern (`*` any text, `?` one character) becomes an attribute named like its header.",
        examples: ["Laudo *"],
      }),
    except: z
      .array(z.string().min(1))
      .optional()
      .meta({ description: "Patterns of headers that `columns` leaves out." }),
    isPublic: attributePublic,
  })
  .meta({
    id: "Attribute",
    description:
      "One entry of metadata.attributes, sent as text; left out when blank. Or, with `columns`, one for every matching column.",
    examples: [
      { column: "Placa", isPublic: false },
      { column: "Peso Bruto", as: "decimal", isPublic: true },
    ],
  });

export const relatedDocumentSchema = z
  .strictObject({
    document: documentRefSchema.optional().meta({ description: "The other document, by name or by `ref` and `key` …" }),
    documentId: fieldSchema.optional().meta({ description: "… or by the id that the service gave it." }),
    bidirectional: z
      .boolean()
      .optional()
      .meta({ description: "Whether the other document receives a mirrored event. The service's default is true." }),
    isPublic: fieldSchema
      .optional()
      .meta({ description: "Visibility of the mirrored event; required when bidirectional, refused otherwise." }),
    eventName: fieldSchema.optional().meta({ description: "Name of the mirrored event; only when bidirectional." }),
    eventLabel: fieldSchema.optional().meta({ description: "Label of the mirrored event; only when bidirectional." }),
    preserveSensitiveData: fieldSchema.optional().meta({ description: "Only when bidirectional." }),
    isBackReference: fieldSchema.optional().meta({ description: "Only when bidirectional." }),
  })
  .meta({
    id: "RelatedDocument",
    description: "What a RELATED event links to (service.md, Event endpoints, rule 10).",
  });

export const targetSchema = z
  .strictObject({
    document: z
      .string()
      .min(1)
      .meta({ description: "The name of this kind of document; rows refer to it as `{ ref: <name>, key: … }`." }),
    key: keyFieldSchema.meta({ description: "Its key, so that later rows can append to it." }),
    participant: participantRefSchema.optional(),
    address: addressRefSchema.optional(),
    externalId: z
      .union([fieldSchema, z.null()])
      .optional()
      .meta({ description: "Default: the key. `null`: none is sent." }),
    fields: jsonFieldsSchema.optional().meta({ description: "The rest of the target object, sent as written." }),
  })
  .meta({
    id: "Target",
    description: "The downstream document that the event creates (service.md, Event endpoints, rule 6).",
  });

export const eventSchema = z
  .strictObject({
    when: conditionSchema.optional().meta({ description: "The event happens only in rows where this holds." }),
    each: z
      .enum(["group", "row"])
      .optional()
      .meta({ description: "In an input with `group`: one event per group (default), or one per row of it." }),
    name: fieldSchema.meta({
      description: "ACTOR, CLOSE, CANCEL, RELATED, UPDATE, or a name of your own.",
      examples: ["Pick-up"],
    }),
    confirmName: z
      .literal(true)
      .optional()
      .meta({ description: "Says that a name which differs from a reserved one only by case is meant." }),
    key: z.union([z.literal("once"), z.literal("content"), keyFieldSchema]).meta({
      description:
        "What tells this event from others of its name on its document: `once`, a field, several fields, or `content` (an edited row then becomes a new event). It makes the deduplicationId.",
      examples: ["once", { column: "Ticket" }, [{ column: "Ticket" }, { column: "Linha" }]],
    }),
    was: wasSchema,
    within: z.enum(["file", "import"]).optional().meta({
      description:
        "With `key: content`: whether equal rows are counted in each file (snapshots: a file holds everything) or over the whole import (increments).",
    }),
    document: documentRefSchema.optional().meta({ description: "Default: the input's only document." }),
    externalCreatedAt: fieldSchema.meta({ description: "When it happened, read as a timestamp." }),
    isPublic: fieldSchema,
    participant: participantRefSchema.optional().meta({ description: "Default: the document's." }),
    address: addressRefSchema.optional().meta({ description: "Default: the document's." }),
    attributes: z
      .record(z.string().min(1), attributeSchema)
      .optional()
      .meta({ description: "metadata.attributes, by name." }),
    relatedDocument: relatedDocumentSchema.optional(),
    target: targetSchema.optional(),
    propagateEvent: fieldSchema
      .optional()
      .meta({ description: "Propagates the event one level of relations deep; such an event cannot carry `value`." }),
    value: jsonFieldSchema.optional(),
    extra: jsonFieldsSchema.optional().meta({ description: "Further fields of the event, knowingly." }),
  })
  .meta({ id: "Event", description: "An event on a document's timeline." });

export type AttributeSpec = z.infer<typeof attributeSchema>;
export type RelatedDocumentSpec = z.infer<typeof relatedDocumentSchema>;
export type TargetSpec = z.infer<typeof targetSchema>;
export type EventSpec = z.infer<typeof eventSchema>;
