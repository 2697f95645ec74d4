/** Documents: created, or only appended to; and those that an event creates or links to (service.md, Document and Event endpoints). */
import type { JsonObject } from "../../model/json.js";
import type { EventRecord, RelationOptions } from "../../model/records.js";
import { keyLabel, NEVER } from "../language/mapping-schema.js";
import {
  type DocumentSpec,
  type FieldInfo,
  type RelatedDocumentSpec,
  relationFields,
  type TargetSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { compileCondition, compileField, compileFields, compileJson, compileKey, joinKey } from "./fields.js";
import {
  combine,
  derive,
  type DocumentPart,
  type KeyMaker,
  onlyWhere,
  optional,
  type Piece,
  type RecordContext,
} from "./piece.js";
import { addressRef, byId, documentRef, participantRef } from "./references.js";

const EXTERNAL_ID: FieldInfo = { takes: "text", required: false, identity: true };

type BodySpec = Omit<TargetSpec, "document" | "key">;

/** What documents and targets have in common. Null: it cannot be used, and why has been reported. */
function compileBody(spec: BodySpec, site: Site, context: RecordContext) {
  const { scope } = context;
  const externalId = spec.externalId ?? undefined;
  const pieces = combine({
    participant: optional(spec.participant, (one) => participantRef(one, site.at("participant"), context)),
    address: optional(spec.address, (one) => addressRef(one, site.at("address"), context)),
    externalId: optional(externalId, (one) => compileField(one, EXTERNAL_ID, site.at("externalId"), scope)),
    fields: compileJson(spec.fields ?? {}, site.at("fields"), scope),
  });
  return derive(pieces, (values) => ({
    // Objects of its own: an event that names no party takes these, and is known by it (ledger/stage/stage-input.ts).
    participant: values.participant === undefined ? null : { ...values.participant },
    address: values.address === undefined ? null : { ...values.address },
    externalId: values.externalId === undefined ? null : String(values.externalId),
    fields: values.fields as JsonObject,
  }));
}

/** Null: it cannot be used, and why has been reported. */
export function compileDocument(
  name: string,
  spec: DocumentSpec,
  site: Site,
  context: RecordContext,
): DocumentPart | null {
  const { scope } = context;
  const kind = keyLabel(name, spec);
  const mode = spec.mode ?? "create";
  const follows = mode === "create" && spec.externalId === undefined;
  const sound = checkMode(spec, mode, site);
  const condition = optional(spec.when, (when) => compileCondition(when, site.at("when"), scope));
  const id = optional(spec.id, (one) => byId(one, site, context));
  const parts =
    spec.key === undefined ? derive(id ?? null, (one) => [one]) : compileKey(spec.key, site.at("key"), scope);
  const pieces = combine({ parts, id, body: compileBody(spec, site, context) });
  const record = derive(pieces, ({ parts: key, id: documentId = null, body }) => ({
    kind,
    key: joinKey(key),
    mode,
    documentId,
    ...body,
    externalId: follows ? key.join("-") : body.externalId,
    createEmpty: spec.createEmpty ?? false,
  }));
  const document = onlyWhere(condition, record);
  const key = derive(parts, joinKey);
  if (!sound || document === null || key === null) return null;
  return {
    ...document,
    kind,
    key,
    maker: { name: kind, tree: key.tree, reads: key.reads, kin: key.tree, declaredNew: spec.was === NEVER },
    hasParticipant: spec.participant !== undefined,
    hasAddress: spec.address !== undefined,
  };
}

function checkMode(spec: DocumentSpec, mode: "create" | "existing", site: Site): boolean {
  const before = site.source.problems.length;
  const report = (message: string, hint: string | null = null, ...part: string[]) =>
    site.reportName("mapping-value", `: ${message}`, hint, ...part);
  if (mode === "create") {
    for (const name of ["key", "participant", "address"] as const)
      if (spec[name] === undefined)
        report(`"${name}" is missing.`, "A document that is only appended to is written `mode: existing`.");
    if (spec.id !== undefined)
      report("the service gives the id of a document that is created; `id` belongs to `mode: existing`.", null, "id");
  } else {
    if (spec.key === undefined && spec.id === undefined) report("an existing document needs a `key` or an `id`.");
    for (const name of ["fields", "externalId", "createEmpty"] as const)
      if (spec[name] !== undefined) report(`\`${name}\` has no meaning for \`mode: existing\`.`, null, name);
  }
  return site.source.problems.length === before;
}

/** Null: it cannot be used, and why has been reported. */
export function compileRelation(
  spec: RelatedDocumentSpec,
  site: Site,
  context: RecordContext,
): Piece<NonNullable<EventRecord["related"]>> | null {
  const sound = checkRelation(spec, site);
  const { isPublic: _, ...others } = relationFields;
  const described = spec.bidirectional === false || spec.isPublic === undefined ? others : relationFields;
  const pieces = combine({
    document: documentRef(spec.document, site.at("document"), context),
    options: compileFields(spec, described, site, context.scope),
  });
  const fixed: RelationOptions = spec.bidirectional === undefined ? {} : { bidirectional: spec.bidirectional };
  if (!sound) return null;
  return derive(pieces, ({ document, options }) => ({
    document,
    options: { ...fixed, ...(options as RelationOptions) },
  }));
}

function checkRelation(spec: RelatedDocumentSpec, site: Site): boolean {
  const before = site.source.problems.length;
  const rule = "(service.md, Event endpoints, rule 10)";
  if (spec.bidirectional === false) {
    for (const name of Object.keys(relationFields) as (keyof typeof relationFields)[]) {
      if (spec[name] === undefined) continue;
      const message = `: with \`bidirectional: false\` the service refuses \`${name}\` ${rule}.`;
      site.reportName("mapping-rule", message, `Remove \`${name}\`, or make the relation bidirectional.`, name);
    }
  } else if (spec.isPublic === undefined) {
    const message = `: a bidirectional relation needs \`isPublic\` ${rule}.`;
    site.reportName("mapping-rule", message, "Add `isPublic`, or write `bidirectional: false`.");
  }
  return site.source.problems.length === before;
}

export interface TargetPart extends Piece<NonNullable<EventRecord["target"]>> {
  maker: KeyMaker;
}

/** Null: it cannot be used, and why has been reported. */
export function compileTarget(spec: TargetSpec, site: Site, context: RecordContext): TargetPart | null {
  const kind = context.labels.get(spec.document) ?? spec.document;
  const key = compileKey(spec.key, site.at("key"), context.scope);
  const pieces = combine({ key, body: compileBody(spec, site, context) });
  const target = derive(pieces, ({ key: parts, body }) => ({
    document: { kind, key: joinKey(parts) },
    ...body,
    externalId: spec.externalId === undefined ? parts.join("-") : body.externalId,
  }));
  if (target === null || key === null) return null;
  const { tree, reads } = key;
  return { ...target, maker: { name: kind, tree, reads, kin: tree, declaredNew: false } };
}
