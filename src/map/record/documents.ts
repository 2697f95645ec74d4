/** Documents, and the targets and links of events (service.md, Document and Event endpoints). */
import type { JsonObject } from "../../model/json.js";
import type { EventRecord, RelationOptions } from "../../model/records.js";
import { joinKey } from "../../model/keys.js";
import { keyLabel, NEVER } from "../language/mapping-schema.js";
import {
  type DocumentSpec,
  type FieldInfo,
  type KeySpec,
  type RelatedDocumentSpec,
  relationFields,
  type Scalar,
  type TargetSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { BROKEN, combine, derive, type DocumentPart, type KeyMaker, onlyWhere, type Piece } from "../piece.js";
import { refuseOwnFields } from "./event-rules.js";
import { compileCondition, compileField, compileFields, compileJson, compileKey, compileVarying } from "./fields.js";
import { addressRef, byId, documentRef, participantRef } from "./references.js";

const EXTERNAL_ID: FieldInfo = { takes: "text", identity: true };
const compileExternalId = (spec: Scalar, site: Site) => compileField(spec, EXTERNAL_ID, site);

type BodySpec = Omit<TargetSpec, "document" | "key">;

/** The common part of documents and targets. `follows`: the externalId may default to the key. */
function compileBody(spec: BodySpec, key: Piece<string[]>, follows: boolean, site: Site) {
  refuseOwnFields(spec.fields, "fields", site);
  const pieces = combine({
    key,
    participant: site.member(spec, "participant", participantRef),
    address: site.member(spec, "address", addressRef),
    externalId: site.member(spec, "externalId", compileExternalId),
    fields: compileJson(spec.fields ?? {}, site.at("fields")),
  });
  return derive(pieces, (values) => {
    const { key: parts, participant, address, externalId, fields } = values;
    const own = follows && spec.externalId === undefined ? parts.join("-") : externalId;
    return {
      key: parts,
      body: {
        // A copy, because staging recognises an event without parties of its own by these very objects
        // (ledger/stage/stage-input.ts).
        participant: participant === undefined ? null : { ...participant },
        address: address === undefined ? null : { ...address },
        externalId: own === undefined ? null : String(own),
        fields: fields as JsonObject,
      },
    };
  });
}

export function compileDocument(name: string, spec: DocumentSpec, site: Site): DocumentPart {
  const kind = keyLabel(name, spec);
  const { mode = "create", createEmpty = false } = spec;
  checkMode(spec, mode, site);
  const id = site.member(spec, "id", byId);
  const parts =
    site.member(spec, "key", mode === "create" ? compileDocumentKey : compileKey) ??
    derive(id ?? BROKEN, (one) => [one]);
  const pieces = combine({ id, whole: compileBody(spec, parts, mode === "create", site) });
  const record = derive(pieces, ({ id: documentId = null, whole }) => ({
    kind,
    key: joinKey(whole.key),
    mode,
    documentId,
    ...whole.body,
    createEmpty,
  }));
  return {
    ...onlyWhere(site.member(spec, "when", compileCondition), record),
    kind,
    key: derive(parts, joinKey),
    maker: makerOf(kind, parts, spec.was === NEVER),
    has: { participant: spec.participant !== undefined, address: spec.address !== undefined },
  };
}

function compileDocumentKey(spec: KeySpec, site: Site): Piece<string[]> {
  const one = `'="${String([spec].flat()[0])}"' if all rows are of one document`;
  return compileVarying(spec, "mapping-value", `Write a formula such as =ticket; ${one}.`, site);
}

function makerOf(name: string, { tree, reads }: Piece<unknown>, declaredNew: boolean): KeyMaker {
  return { name, tree, reads, kin: tree, declaredNew };
}

function checkMode(spec: DocumentSpec, mode: "create" | "existing", site: Site) {
  const report = (message: string, hint: string | null = null, ...part: string[]) =>
    site.reportName("mapping-value", `: ${message}`, hint, ...part);
  if (mode === "create") {
    for (const name of ["key", "participant", "address"] as const)
      if (spec[name] === undefined)
        report(`"${name}" is missing.`, "Only an existing document can do without it, as `mode: existing`.");
    if (spec.id !== undefined)
      report("the service assigns the id of a document that is created; `id` belongs to `mode: existing`.", null, "id");
    return;
  }
  if (spec.key === undefined && spec.id === undefined) report("an existing document needs a `key` or an `id`.");
  for (const name of ["fields", "externalId", "createEmpty"] as const)
    if (spec[name] !== undefined) report(`\`${name}\` has no meaning for \`mode: existing\`.`, null, name);
}

/** `to`: the tree of the other document. */
export function compileRelation(
  spec: RelatedDocumentSpec,
  site: Site,
): Piece<NonNullable<EventRecord["related"]>> & { to: string } {
  const { bidirectional } = spec;
  checkRelation(spec, site);
  const { isPublic: _, ...others } = relationFields;
  const described = bidirectional === false || spec.isPublic === undefined ? others : relationFields;
  const document = documentRef(spec.document, site.at("document"));
  const pieces = combine({
    document,
    options: compileFields(spec, described, site),
  });
  const fixed: RelationOptions = bidirectional === undefined ? {} : { bidirectional };
  const relation = derive(pieces, ({ document: other, options }) => ({
    document: other,
    options: { ...fixed, ...(options as RelationOptions) },
  }));
  return { ...relation, tree: `${bidirectional} ${relation.tree}`, to: document.tree };
}

function checkRelation(spec: RelatedDocumentSpec, site: Site) {
  const rule = "(the specification, Event endpoints, rule 10)";
  if (spec.bidirectional !== false) {
    if (spec.isPublic !== undefined) return;
    const message = `: a bidirectional relation needs \`isPublic\` ${rule}.`;
    site.reportName("mapping-rule", message, "Add `isPublic`, or write `bidirectional: false`.");
    return;
  }
  for (const name of Object.keys(relationFields) as (keyof typeof relationFields)[]) {
    if (spec[name] === undefined) continue;
    const message = `: with \`bidirectional: false\` the service refuses \`${name}\` ${rule}.`;
    site.reportName("mapping-rule", message, `Remove \`${name}\`, or make the relation bidirectional.`, name);
  }
}

export function compileTarget(spec: TargetSpec, site: Site) {
  const kind = site.scope.shared.labels.get(spec.document) ?? spec.document;
  const key = compileDocumentKey(spec.key, site.at("key"));
  const whole = compileBody(spec, key, true, site);
  const target = derive(whole, ({ key: parts, body }) => ({ document: { kind, key: joinKey(parts) }, ...body }));
  const name = derive(key, (parts) => ({ kind, key: joinKey(parts) }));
  const tree = `${kind} ${spec.externalId === null} ${target.tree}`;
  return { ...target, tree, name, maker: makerOf(kind, key, false) };
}
