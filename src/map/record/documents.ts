/** Documents: created, or only appended to; and those that an event creates or links to (service.md, Document and Event endpoints). */
import type { JsonObject } from "../../model/json.js";
import type { EventRecord, RelationOptions } from "../../model/records.js";
import { keyLabel } from "../language/labels.js";
import { merged } from "../formula/part.js";
import type { View } from "../column/view.js";
import { newReads } from "../formula/part.js";
import {
  type DocumentSpec,
  type FieldInfo,
  type RelatedDocumentSpec,
  relationFields,
  type TargetSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import type { DocumentPart, Made, Part, RecordContext } from "./context.js";
import { addressRef, documentRef, participantRef } from "./references.js";
import { compileCondition, compileFields, compileJson, compileKey, compileValue, joinKey } from "./values.js";

const ID: FieldInfo = { takes: "id", required: true, identity: true };
const EXTERNAL_ID: FieldInfo = { takes: "text", required: false, identity: true };

/** What documents and targets have in common. Null: it cannot be used, and why has been reported. */
function compileBody(spec: Omit<TargetSpec, "document" | "key">, site: Site, context: RecordContext) {
  const { scope } = context;
  const participant =
    spec.participant === undefined ? undefined : participantRef(spec.participant, site.at("participant"), context);
  const address = spec.address === undefined ? undefined : addressRef(spec.address, site.at("address"), context);
  const external =
    spec.externalId == null ? undefined : compileValue(spec.externalId, EXTERNAL_ID, site.at("externalId"), scope);
  const fields = compileJson(spec.fields ?? {}, site.at("fields"), scope);
  if (participant === null || address === null || external === null || fields === null) return null;
  const parts = [participant, address, external, fields];
  return {
    reads: merged(parts.flatMap((part) => part?.reads ?? [])),
    tree: parts.map((part) => part?.tree ?? "").join(" "),
    parties: { participant, address },
    build: (view: View, made: Made, follows: string | null) => {
      const owner = participant?.build(view, made);
      const place = address?.build(view, made);
      const externalId = external?.run(view);
      const values = fields.run(view);
      if (owner === null || place === null || externalId === null || values == null) return null;
      return {
        // Objects of its own: an event that names no party takes these, and is known by it (ledger/stage/stage-input.ts).
        participant: owner === undefined ? null : { ...owner },
        address: place === undefined ? null : { ...place },
        externalId: externalId !== undefined ? String(externalId) : spec.externalId === undefined ? follows : null,
        fields: values as JsonObject,
      };
    },
  };
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
  if (!checkMode(spec, mode, site)) return null;
  const condition = spec.when === undefined ? undefined : compileCondition(spec.when, site.at("when"), scope);
  const key = spec.key === undefined ? undefined : compileKey(spec.key, site.at("key"), scope);
  const id = spec.id === undefined ? undefined : compileValue(spec.id, ID, site.at("id"), scope);
  const body = compileBody(spec, site, context);
  if (condition === null || key === null || id === null || body === null) return null;
  const keyOf = (view: View): { parts: string[]; id: string | null } | null => {
    const parts = key?.run(view);
    const documentId = id?.run(view);
    if (parts === null || documentId === null) return null;
    return { parts: parts ?? [String(documentId ?? "")], id: documentId === undefined ? null : String(documentId) };
  };
  return {
    kind,
    reads: merged([condition, key, id, body].flatMap((part) => part?.reads ?? [])),
    tree: body.tree,
    keyTree: key?.tree ?? id?.tree ?? "",
    keyReads: key?.reads ?? id?.reads ?? newReads(),
    hasParticipant: body.parties.participant !== undefined,
    hasAddress: body.parties.address !== undefined,
    key: (view) => {
      const parts = key === undefined ? keyOf(view)?.parts : key.run(view);
      return parts == null ? null : joinKey(parts);
    },
    build: (view, made) => {
      const exists = condition === undefined ? true : condition.holds(view);
      if (exists !== true) return exists === null ? null : undefined;
      const told = keyOf(view);
      const rest = body.build(view, made, mode === "create" ? (told?.parts.join("-") ?? null) : null);
      if (told === null || rest === null) return null;
      const { participant, address, externalId, fields } = rest;
      return {
        kind,
        key: joinKey(told.parts),
        mode,
        documentId: told.id,
        participant,
        address,
        externalId,
        fields,
        createEmpty: spec.createEmpty ?? false,
      };
    },
  };
}

function checkMode(spec: DocumentSpec, mode: "create" | "existing", site: Site): boolean {
  const before = site.source.problems.length;
  if (mode === "create") {
    for (const name of ["key", "participant", "address"] as const)
      if (spec[name] === undefined)
        site.reportName(
          "mapping-value",
          `: "${name}" is missing.`,
          "A document that is only appended to is written `mode: existing`.",
        );
    if (spec.id !== undefined)
      site
        .at("id", site.label)
        .reportName(
          "mapping-value",
          ": the service gives the id of a document that is created; `id` belongs to `mode: existing`.",
        );
  } else {
    if (spec.key === undefined && spec.id === undefined)
      site.reportName("mapping-value", ": an existing document needs a `key` or an `id`.");
    for (const name of ["fields", "externalId", "createEmpty"] as const)
      if (spec[name] !== undefined)
        site.at(name, site.label).reportName("mapping-value", `: \`${name}\` has no meaning for \`mode: existing\`.`);
  }
  return site.source.problems.length === before;
}

const MIRROR_ONLY = ["eventName", "eventLabel", "preserveSensitiveData", "isBackReference", "isPublic"] as const;

/** Null: it cannot be used, and why has been reported. */
export function compileRelation(
  spec: RelatedDocumentSpec,
  site: Site,
  context: RecordContext,
): Part<NonNullable<EventRecord["related"]>> | null {
  const sound = checkRelation(spec, site);
  const document = documentRef(spec.document, site.at("document"), context);
  const { isPublic, ...others } = relationFields;
  const described = spec.bidirectional === false || spec.isPublic === undefined ? others : relationFields;
  void isPublic;
  const options = compileFields(spec, described, site, context.scope);
  if (!sound || document === null || options === null) return null;
  const fixed: RelationOptions = spec.bidirectional === undefined ? {} : { bidirectional: spec.bidirectional };
  return {
    reads: merged([document.reads, options.reads]),
    tree: `${document.tree} ${options.trees}`,
    build: (view, made) => {
      const other = document.build(view, made);
      const values = options.run(view);
      if (other == null || values === null) return null;
      return { document: other, options: { ...fixed, ...(values as RelationOptions) } };
    },
  };
}

function checkRelation(spec: RelatedDocumentSpec, site: Site): boolean {
  const before = site.source.problems.length;
  const rule = "(service.md, Event endpoints, rule 10)";
  if (spec.bidirectional === false) {
    for (const name of MIRROR_ONLY) {
      if (spec[name] === undefined) continue;
      const message = `: with \`bidirectional: false\` the service refuses \`${name}\` ${rule}.`;
      site
        .at(name, site.label)
        .reportName("mapping-rule", message, `Remove \`${name}\`, or make the relation bidirectional.`);
    }
  } else if (spec.isPublic === undefined) {
    const message = `: a bidirectional relation needs \`isPublic\` ${rule}.`;
    site.reportName("mapping-rule", message, "Add `isPublic`, or write `bidirectional: false`.");
  }
  return site.source.problems.length === before;
}

export interface TargetPart extends Part<NonNullable<EventRecord["target"]>> {
  keyTree: string;
  keyReads: Part<unknown>["reads"];
}

/** Null: it cannot be used, and why has been reported. */
export function compileTarget(spec: TargetSpec, site: Site, context: RecordContext): TargetPart | null {
  const key = compileKey(spec.key, site.at("key"), context.scope);
  const body = compileBody(spec, site, context);
  if (key === null || body === null) return null;
  const kind = context.labels.get(spec.document) ?? spec.document;
  return {
    reads: merged([key.reads, body.reads]),
    tree: `${key.tree} ${body.tree}`,
    keyTree: key.tree,
    keyReads: key.reads,
    build: (view, made) => {
      const parts = key.run(view);
      const rest = body.build(view, made, parts?.join("-") ?? null);
      return parts === null || rest === null ? null : { document: { kind, key: joinKey(parts) }, ...rest };
    },
  };
}
