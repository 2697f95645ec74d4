/** relatedDocument and target of an event (service.md, Event endpoints, rules 6 and 10). */
import type { JsonObject } from "../../model/json.js";
import type { DocumentRef, EventRecord, RelationOptions } from "../../model/records.js";
import type { RelatedDocumentSpec, TargetSpec } from "../schema/event-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileField } from "../value/field.js";
import { compileJsonObject } from "../value/json-field.js";
import { booleanSlot, idSlot, textSlot } from "../value/slot.js";
import type { Locals, Part } from "./entity.js";
import { compileFields } from "./fields.js";
import { compileKey, joinKey } from "./key.js";
import { membersOf } from "./members.js";
import { compileDocumentRef, type Known } from "./reference.js";

const MIRROR_ONLY = ["eventName", "eventLabel", "preserveSensitiveData", "isBackReference", "isPublic"] as const;

/** Null: it cannot be used, and why has been reported. */
export function compileRelation(
  spec: RelatedDocumentSpec,
  label: string,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): Part<NonNullable<EventRecord["related"]>> | null {
  const sound = checkRelation(spec, label, path, context);
  const document = compileOther(spec, label, path, context, locals, known);
  const options = compileFields(
    spec,
    {
      isPublic: booleanSlot(`${label}: isPublic`, true),
      eventName: textSlot(`${label}: eventName`, false),
      eventLabel: textSlot(`${label}: eventLabel`, false),
      preserveSensitiveData: booleanSlot(`${label}: preserveSensitiveData`, false),
      isBackReference: booleanSlot(`${label}: isBackReference`, false),
    },
    path,
    context,
  );
  if (!sound || document === null || options === null) return null;
  const fixed: RelationOptions = spec.bidirectional === undefined ? {} : { bidirectional: spec.bidirectional };
  return {
    uses: [...document.uses, ...options.uses],
    bind: (columns) => {
      const readDocument = document.bind(columns);
      const readOptions = options.bind(columns);
      return (view, records) => {
        const other = readDocument(view, records);
        const values = readOptions(view);
        if (other == null || values === null) return null;
        return { document: other, options: { ...fixed, ...(values as RelationOptions) } };
      };
    },
  };
}

function checkRelation(spec: RelatedDocumentSpec, label: string, path: Path, context: CompileContext): boolean {
  const before = context.source.problems.length;
  if ((spec.document === undefined) === (spec.documentId === undefined)) {
    context.source.report("mapping-reference", path, `${label} needs either document or documentId.`, { at: "key" });
  }
  if (spec.bidirectional === false) {
    for (const name of MIRROR_ONLY) {
      if (spec[name] === undefined) continue;
      const message = `${label}: with \`bidirectional: false\` the service refuses \`${name}\` (service.md, Event endpoints, rule 10).`;
      context.source.report("mapping-rule", [...path, name], message, {
        at: "key",
        hint: `Remove \`${name}\`, or make the relation bidirectional.`,
      });
    }
  } else if (spec.isPublic === undefined) {
    const message = `${label}: a bidirectional relation needs \`isPublic\` (service.md, Event endpoints, rule 10).`;
    context.source.report("mapping-rule", path, message, {
      at: "key",
      hint: "Add `isPublic`, or write `bidirectional: false`.",
    });
  }
  return context.source.problems.length === before;
}

function compileOther(
  spec: RelatedDocumentSpec,
  label: string,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): Part<DocumentRef> | null {
  if (spec.document !== undefined)
    return compileDocumentRef(spec.document, `${label}: document`, [...path, "document"], context, locals, known);
  const id = compileField(spec.documentId ?? "", idSlot(`${label}: documentId`), [...path, "documentId"], context);
  if (id === null) return null;
  return {
    uses: id.uses,
    bind: (columns) => {
      const read = id.bind(columns);
      return (view) => {
        const documentId = read(view);
        return documentId == null ? null : { by: "id", documentId: String(documentId) };
      };
    },
  };
}

/** Null: it cannot be used, and why has been reported. */
export function compileTarget(
  spec: TargetSpec,
  label: string,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): Part<NonNullable<EventRecord["target"]>> | null {
  const members = membersOf(label, path, context, locals, known);
  const key = compileKey(spec.key, `${label}: key`, [...path, "key"], context);
  const participant = members.participant(spec.participant);
  const address = members.address(spec.address);
  const external = members.externalId(spec.externalId);
  const fields = compileJsonObject(spec.fields ?? {}, `${label}: fields`, [...path, "fields"], context);
  if (key === null || participant === null || address === null || external === null || fields === null) return null;
  return {
    uses: [key, participant, address, external, fields].flatMap((part) => part?.uses ?? []),
    bind: (columns) => {
      const readKey = key.bind(columns);
      const readParticipant = participant?.bind(columns);
      const readAddress = address?.bind(columns);
      const readExternal = external?.bind(columns);
      const readFields = fields.bind(columns);
      return (view, records) => {
        const parts = readKey(view);
        const owner = readParticipant?.(view, records);
        const place = readAddress?.(view, records);
        const externalId = readExternal?.(view);
        const values = readFields(view);
        if (parts === null || owner === null || place === null || externalId === null || values === null) return null;
        const follows = spec.externalId === undefined ? parts.join("-") : null;
        return {
          document: { kind: context.labels.get(spec.document) ?? spec.document, key: joinKey(parts) },
          fields: values as JsonObject,
          participant: owner ?? null,
          address: place ?? null,
          externalId: externalId === undefined ? follows : String(externalId),
        };
      };
    },
  };
}
