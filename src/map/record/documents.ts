/** Documents, and the targets and links of events (service.md, Document and Event endpoints). */
import type { JsonObject } from "../../model/json.js";
import type { EventRecord, RelationOptions } from "../../model/records.js";
import { joinKey } from "../../model/keys.js";
import { keyLabel, NEVER } from "../language/mapping-schema.js";
import {
  type DocumentSpec,
  type FieldInfo,
  type RelatedDocumentSpec,
  relationFields,
  type TargetSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { BROKEN, combine, derive, onlyWhere, optional, type Piece } from "../piece.js";
import type { DocumentPart, KeyMaker, RecordContext } from "./context.js";
import { compileCondition, compileField, compileFields, compileJson, compileKey } from "./fields.js";
import { addressRef, byId, documentRef, participantRef } from "./references.js";

const EXTERNAL_ID: FieldInfo = { takes: "text", required: false, identity: true };

type BodySpec = Omit<TargetSpec, "document" | "key">;

/** The common part of documents and targets. `follows`: the externalId may default to the key. */
function compileBody(spec: BodySpec, key: Piece<string[]>, follows: boolean, site: Site, context: RecordContext) {
  const { scope } = context;
  const externalId = spec.externalId ?? undefined;
  const pieces = combine({
    key,
    participant: optional(spec.participant, (one) => participantRef(one, site.at("participant"), context)),
    address: optional(spec.address, (one) => addressRef(one, site.at("address"), context)),
    externalId: optional(externalId, (one) => compileField(one, EXTERNAL_ID, site.at("externalId"), scope)),
    fields: compileJson(spec.fields ?? {}, site.at("fields"), scope),
  });
  const keyed = follows && spec.externalId === undefined;
  return derive(pieces, (values) => ({
    key: values.key,
    body: {
      // A copy, because staging recognises an event without parties of its own by these very objects
      // (ledger/stage/stage-input.ts).
      participant: values.participant === undefined ? null : { ...values.participant },
      address: values.address === undefined ? null : { ...values.address },
      externalId: keyed ? values.key.join("-") : values.externalId === undefined ? null : String(values.externalId),
      fields: values.fields as JsonObject,
    },
  }));
}

export function compileDocument(name: string, spec: DocumentSpec, site: Site, context: RecordContext): DocumentPart {
  const { scope } = context;
  const kind = keyLabel(name, spec);
  const mode = spec.mode ?? "create";
  checkMode(spec, mode, site);
  const condition = optional(spec.when, (when) => compileCondition(when, site.at("when"), scope));
  const id = optional(spec.id, (one) => byId(one, site, context));
  const parts =
    spec.key === undefined ? derive(id ?? BROKEN, (one) => [one]) : compileKey(spec.key, site.at("key"), scope);
  const pieces = combine({ id, whole: compileBody(spec, parts, mode === "create", site, context) });
  const record = derive(pieces, ({ id: documentId = null, whole }) => ({
    kind,
    key: joinKey(whole.key),
    mode,
    documentId,
    ...whole.body,
    createEmpty: spec.createEmpty ?? false,
  }));
  return {
    ...onlyWhere(condition, record),
    kind,
    key: derive(parts, joinKey),
    maker: { name: kind, tree: parts.tree, reads: parts.reads, kin: parts.tree, declaredNew: spec.was === NEVER },
    hasParticipant: spec.participant !== undefined,
    hasAddress: spec.address !== undefined,
  };
}

function checkMode(spec: DocumentSpec, mode: "create" | "existing", site: Site): void {
  const report = (message: string, hint: string | null = null, ...part: string[]) =>
    site.reportName("mapping-value", `: ${message}`, hint, ...part);
  if (mode === "create") {
    for (const name of ["key", "participant", "address"] as const)
      if (spec[name] === undefined)
        report(`"${name}" is missing.`, "A document that is only appended to is written `mode: existing`.");
    if (spec.id !== undefined)
      report("the service gives the id of a document that is created; `id` belongs to `mode: existing`.", null, "id");
    return;
  }
  if (spec.key === undefined && spec.id === undefined) report("an existing document needs a `key` or an `id`.");
  for (const name of ["fields", "externalId", "createEmpty"] as const)
    if (spec[name] !== undefined) report(`\`${name}\` has no meaning for \`mode: existing\`.`, null, name);
}

export function compileRelation(
  spec: RelatedDocumentSpec,
  site: Site,
  context: RecordContext,
): Piece<NonNullable<EventRecord["related"]>> {
  checkRelation(spec, site);
  const { isPublic: _, ...others } = relationFields;
  const described = spec.bidirectional === false || spec.isPublic === undefined ? others : relationFields;
  const pieces = combine({
    document: documentRef(spec.document, site.at("document"), context),
    options: compileFields(spec, described, site, context.scope),
  });
  const fixed: RelationOptions = spec.bidirectional === undefined ? {} : { bidirectional: spec.bidirectional };
  return derive(pieces, ({ document, options }) => ({
    document,
    options: { ...fixed, ...(options as RelationOptions) },
  }));
}

function checkRelation(spec: RelatedDocumentSpec, site: Site): void {
  const rule = "(service.md, Event endpoints, rule 10)";
  if (spec.bidirectional !== false && spec.isPublic === undefined) {
    const message = `: a bidirectional relation needs \`isPublic\` ${rule}.`;
    site.reportName("mapping-rule", message, "Add `isPublic`, or write `bidirectional: false`.");
  }
  for (const name of Object.keys(relationFields) as (keyof typeof relationFields)[]) {
    if (spec.bidirectional !== false || spec[name] === undefined) continue;
    const message = `: with \`bidirectional: false\` the service refuses \`${name}\` ${rule}.`;
    site.reportName("mapping-rule", message, `Remove \`${name}\`, or make the relation bidirectional.`, name);
  }
}

export interface TargetPart extends Piece<NonNullable<EventRecord["target"]>> {
  maker: KeyMaker;
}

export function compileTarget(spec: TargetSpec, site: Site, context: RecordContext): TargetPart {
  const kind = context.labels.get(spec.document) ?? spec.document;
  const key = compileKey(spec.key, site.at("key"), context.scope);
  const { tree, reads } = key;
  const whole = compileBody(spec, key, true, site, context);
  const target = derive(whole, ({ key: parts, body }) => ({ document: { kind, key: joinKey(parts) }, ...body }));
  return { ...target, maker: { name: kind, tree, reads, kin: tree, declaredNew: false } };
}
