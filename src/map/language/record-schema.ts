/**
 * The records of a mapping as data: each field's type, whether it may be blank, and its description. Validation,
 * compilation, JSON Schema and the reference page all read these tables.
 */
import { z } from "zod";
import { type ExactNumber, isExactNumber } from "../../model/json.js";
import { block, filled, filledList, maybe, writtenOut, maybeWord } from "../described.js";

/** Determines how a literal is read and what a formula may give. */
export type Takes =
  | "text"
  | "boolean"
  | "timestamp"
  | "taxId"
  | "country"
  | "state"
  | "latitude"
  | "longitude"
  | "id"
  | "json";

export interface FieldInfo {
  takes: Takes;
  required?: boolean;
  /** A key or an id, which a spreadsheet must not have damaged. */
  identity?: boolean | undefined;
}

/** By the field's schema. Fields without an entry are structure (references, keys, free JSON). */
export const fieldInfos = z.registry<FieldInfo>();

/** A number that a double would change. */
export const exactNumberSchema = z.custom<ExactNumber>(isExactNumber).meta({ type: "number" });
export const scalarSchema = z.union([z.string(), z.number(), exactNumberSchema, z.boolean()]);
export type Scalar = z.infer<typeof scalarSchema>;

function value(description: string, examples?: unknown[]) {
  return maybe(scalarSchema, description, examples);
}

function field(takes: Takes, description: string, more: { blank?: true; identity?: true; examples?: unknown[] } = {}) {
  const { blank, identity, examples } = more;
  return value(description, examples).register(fieldInfos, { takes, required: blank !== true, identity });
}

export function key(description: string, examples: unknown[] = ["=mtr", ["=mtr", "=line"]]) {
  return z.union([scalarSchema, z.array(scalarSchema).min(1)]).meta({ description, examples });
}

export function formula(description: string, examples?: string[]) {
  return maybe(z.union([filled, z.boolean()]), description, examples);
}

/** Texts that begin with `=` are formulas. */
const jsonSchema = z.unknown().meta({ type: ["object", "array", "string", "number", "boolean", "null"] });
const json = (description: string, examples?: unknown[]) =>
  maybe(z.record(z.string(), jsonSchema), description, examples);

const when = formula("The record exists only in rows where this formula is true; a blank counts as false.", [
  "=filled(collected)",
]);

const reference = block({
  ref: maybe(filled, "The record of another row or input, by its name in the mapping …"),
  key: key("… and the value of its `key:`.").optional(),
  id: value("The id that the service gave it."),
});

export const naturalFields = {
  taxId: field("taxId", "The tax id of any participant ever registered …", { identity: true }),
  taxIdType: field("text", "… its type; default: its column's type."),
  countryCode: field("country", "… and its country; default: its column's, then that of `defaults:`."),
};

const local = filled;

export const participantRefSchema = z.union([local, block({ ...reference.shape, ...naturalFields })]).meta({
  description:
    "A participant: one of the same row by its name, one of another row by `ref` and `key`, or any other by its tax id or its `id`.",
  examples: ["generator", { ref: "organisation", key: "=hauler" }, { taxIdType: "CNPJ", taxId: "=hauler_id" }],
});

export const addressRefSchema = z.union([local, reference]).meta({
  description:
    "An address: one of the same row by its name, one of another row by `ref` and `key`, or any other by its `id`.",
  examples: ["origin", { ref: "place", key: "=origin" }],
});

export const documentRefSchema = z.union([local, reference]).meta({
  description: "A document: one of the same row by its name, any other by `ref` and `key`, or by its `id`.",
  examples: ["manifest", { ref: "manifest", key: "=old_mtr" }],
});

export const participantFields = {
  taxId: field("taxId", "The tax id. It is sent in one canonical form, after its check digits were verified.", {
    identity: true,
    examples: ["=generator_id"],
  }),
  taxIdType: field(
    "text",
    "The type of the tax id. One that the country has is sent in capitals, however it is written; any other is sent as written, and its number is not checked. Default: its column's type.",
    { examples: ["CNPJ"] },
  ),
  countryCode: field("country", "Its country, as a two-letter code. Default: its column's, then that of `defaults:`."),
  name: field("text", "Its name.", { examples: ["=generator"] }),
  type: field("text", "A participant kind, as the service knows it.", { examples: ["COMPANY"] }),
};

export const participantSchema = block({
  when,
  key: key("The key by which other rows and inputs refer to it: `{ ref: <name>, key: … }`.", ["=code"]).optional(),
  ...participantFields,
}).meta({
  id: "Participant",
  description: "A participant: registered once per country, type and number of its tax id.",
});

export const addressFields = {
  name: field("text", "Its name.", { examples: ["=unit"] }),
  street: field("text", "Its street."),
  number: field("text", "The house number."),
  city: field("text", "Its city."),
  countryState: field("state", "Its state; it is sent as the state's code if the country's states are known."),
  countryCode: field("country", "Its country, as a two-letter code. Default: that of `defaults:`."),
};

const extended = (takes: Takes) =>
  field(takes, `${takes === "text" ? "" : "Degrees. "}Sent only with \`settings.addresses.extendedFields\`.`, {
    blank: true,
  });

export const extendedFields = {
  complement: extended("text"),
  neighborhood: extended("text"),
  zipCode: extended("text"),
  latitude: extended("latitude"),
  longitude: extended("longitude"),
};

export const addressSchema = block({
  when,
  key: key(
    "The key by which other rows and inputs refer to the address; it also identifies the address among those of its participant. Without it, the six create fields do.",
    ["=code"],
  ).optional(),
  participant: participantRefSchema,
  ...addressFields,
  ...extendedFields,
}).meta({ id: "Address", description: "An address of a participant." });

/** Names are part of keys. */
const was = maybe(
  writtenOut,
  "Its former name in this mapping; it keeps everything sent under that name. `none`: it is new, although it resembles one that was removed.",
  ["pay"],
);

const externalId = maybe(
  z.union([scalarSchema, z.null()]),
  "Default: the key; the parts of a key with several are joined with `-`. `null`: none is sent.",
);

const documentFields = {
  participant: maybe(participantRefSchema, "Its owner; also the participant of its events unless they say otherwise.", [
    "generator",
  ]),
  address: maybe(addressRefSchema, "Its address; also that of its events.", ["origin"]),
  externalId,
  fields: json(
    "Fields sent as written when the document is created, besides the references; formulas in them are computed, and blank ones are left out.",
    [{ category: "MassID", type: "=waste", isPublic: false }],
  ),
};

export const documentSchema = block({
  when,
  mode: maybeWord(
    ["create", "existing"],
    "`create` (default): the document is created if it does not exist yet. `existing`: events are only appended to it; it is known to the ledger by its `key`, or given by its `id`.",
  ),
  key: key("What distinguishes documents of this name.", ["=mtr"]).optional(),
  was,
  id: value("The service's id, for `mode: existing`; replaces `key` if there is none.", ["=document_id"]),
  ...documentFields,
  createEmpty: maybe(z.boolean(), "Create the document even if none of its events is due. Default false."),
}).meta({
  id: "Document",
  description: "A document. Its name here is part of its key: invoice 123 and manifest 123 are two documents.",
});

/** If `bidirectional` is false, the service refuses all the others. */
export const relationFields = {
  isPublic: field("boolean", "Visibility of the mirrored event; required when bidirectional, refused otherwise."),
  eventName: field("text", "Name of the mirrored event.", { blank: true }),
  eventLabel: field("text", "Label of the mirrored event.", { blank: true }),
  preserveSensitiveData: field("boolean", "As the service knows it; only when bidirectional.", { blank: true }),
  isBackReference: field("boolean", "As the service knows it; only when bidirectional.", { blank: true }),
};

export const relatedDocumentSchema = block({
  document: documentRefSchema,
  bidirectional: maybe(z.boolean(), "Whether the other document gets a mirrored event. The service's default is true."),
  ...relationFields,
}).meta({
  id: "RelatedDocument",
  description: "What a RELATED event links to (the specification, Event endpoints, rule 10).",
});

export const targetSchema = block({
  document: writtenOut.meta({
    description: "The name of this kind of document; rows refer to it as `{ ref: <name>, key: … }`.",
  }),
  key: key("Its key, so that later rows can append to it.", ["=lot"]),
  ...documentFields,
}).meta({
  id: "Target",
  description: "The downstream document that the event creates (the specification, Event endpoints, rule 6).",
});

const attributes = z.record(filled, scalarSchema).optional();

export const eventFields = {
  name: field("text", "ACTOR, CLOSE, CANCEL, RELATED, UPDATE, or a name of your own.", {
    examples: ["Pick-up", "=event"],
  }),
  externalCreatedAt: field("timestamp", "When it happened.", { examples: ["=at"] }),
  isPublic: field("boolean", "Whether the event is public.", { examples: ["=public", true] }),
  propagateEvent: field(
    "boolean",
    "Propagates the event one level of relations deep; such an event cannot carry `value`.",
    { blank: true },
  ),
};

export const eventSchema = block({
  when: formula("The event happens only in rows where this formula is true; a blank counts as false.", [
    "=filled(collected)",
  ]),
  by: maybe(filled, "The name of the column that says which event a row is; `is` lists the words for this event."),
  is: maybe(
    z.union([filled, filledList]),
    "The words of the column `by` for which the event happens; case, accents and white space do not count. `otherwise`: for every word that no other event claims.",
    ["Weighing", ["Coleta", "Pick-up"], "otherwise"],
  ),
  each: maybeWord(
    ["group", "row"],
    "In an input with `group`: one event per group (default), or one per row of the group, which reads the cells of its own row: `first(x)` gives what only another row says. Participants and addresses are one per group either way.",
  ),
  confirmName: maybe(
    z.literal(true),
    "Confirms that a name is meant even though it differs from a reserved one only in case.",
  ),
  key: key(
    "What distinguishes this event from others of its name on its document: `once`, a formula, several, or `content` (an edited row then becomes a new event). It makes the deduplicationId.",
    ["once", "=ticket", ["=ticket", "=line"], "content"],
  ).optional(),
  was,
  within: maybeWord(
    ["file", "import"],
    "With `key: content`: whether equal rows are counted in each file (if each file is a full snapshot) or over the whole import (if files are increments).",
  ),
  document: maybe(documentRefSchema, "The document it is on. Default: the input's only one.", ["manifest"]),
  participant: maybe(
    participantRefSchema,
    "Who did it. Default: the document's, from its first row; needed if `document` is a `ref`.",
  ),
  address: maybe(
    addressRefSchema,
    "Where. Default: the document's, from its first row; needed if `document` is a `ref`.",
  ),
  ...eventFields,
  attributes: maybe(
    block({
      public: attributes.meta({
        description: "Visible to everybody. Blank ones are left out.",
        examples: [{ Plant: "=plant" }],
      }),
      private: attributes.meta({ description: "Visible only to those who may see the document." }),
      asEvent: attributes.meta({ description: "Attributes as public as the event itself." }),
    }),
    'metadata.attributes by visibility and name; always sent as text, left out when blank. `"*": =measured` spreads a set of columns.',
  ),
  relatedDocument: relatedDocumentSchema.optional(),
  target: targetSchema.optional(),
  value: maybe(jsonSchema, "Sent as the event's `value`; a number keeps all its digits."),
  extra: json("Other fields of the event, sent as written."),
}).meta({ id: "Event", description: "An event on a document's timeline." });

export type ParticipantRefSpec = z.infer<typeof participantRefSchema>;
export type AddressRefSpec = z.infer<typeof addressRefSchema>;
export type DocumentRefSpec = z.infer<typeof documentRefSchema>;
export type ParticipantSpec = z.infer<typeof participantSchema>;
export type AddressSpec = z.infer<typeof addressSchema>;
export type DocumentSpec = z.infer<typeof documentSchema>;
export type RelatedDocumentSpec = z.infer<typeof relatedDocumentSchema>;
export type TargetSpec = z.infer<typeof targetSchema>;
export type EventSpec = z.infer<typeof eventSchema>;
export type KeySpec = Scalar | Scalar[];
