/** Events (service.md, Event): how one is compiled, and how it is read from a row. */
import type { AddressRef, EventRecord, ParticipantRef } from "../../model/records.js";
import { keyLabel } from "../fingerprints.js";
import type { EventSpec } from "../schema/event-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns, ColumnUse } from "../value/columns.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileCondition, type Condition } from "../value/condition.js";
import { compileField, type Field } from "../value/field.js";
import { compileJson, compileJsonObject, type JsonField } from "../value/json-field.js";
import { booleanSlot, instantSlot, textSlot } from "../value/slot.js";
import { type Attributes, compileAttributes } from "./attributes.js";
import type { DocumentPart } from "./document.js";
import type { Locals, Part } from "./entity.js";
import { bindEvent, type BuiltEvent } from "./event-binding.js";
import { checkEventRules } from "./event-rules.js";
import { compileKey, type Key } from "./key.js";
import { membersOf } from "./members.js";
import { compileRelation, compileTarget } from "./relation.js";
import { compileDocumentRef, type Known } from "./reference.js";

export interface EventPart {
  /** Its name in the mapping. */
  event: string;
  uses: ColumnUse[];
  /** In which rows it happens, in words and with the columns that decide it; null: in every row. */
  happens: { words: string; uses: ColumnUse[] } | null;
  /** The kind of the document it is on. */
  documentKind: string;
  /** One per row of a group, instead of one per group. */
  eachRow: boolean;
  /** Its key is its content. */
  byContent: boolean;
  bind(columns: BoundColumns): BuiltEvent;
}

/** What `bindEvent` binds. */
export interface EventParts {
  event: string;
  spec: EventSpec;
  condition: Condition | undefined;
  /** Position among the row's documents, or the reference to one of another row. */
  local: { position: number; part: DocumentPart } | null;
  remote: Part<{ kind: string; key: string }> | null;
  name: Field;
  key: Key | "once" | "content";
  at: Field;
  isPublic: Field;
  participant: Part<ParticipantRef> | null;
  address: Part<AddressRef> | null;
  attributes: Attributes;
  related: Part<NonNullable<EventRecord["related"]>> | undefined;
  target: Part<NonNullable<EventRecord["target"]>> | undefined;
  propagate: Field | undefined;
  value: JsonField | undefined;
  extra: JsonField | undefined;
}

/** Null: it cannot be used, and why has been reported. `documents` are those of the input, in order. */
export function compileEvent(
  event: string,
  spec: EventSpec,
  path: Path,
  context: CompileContext,
  locals: Locals,
  documents: ReadonlyMap<string, DocumentPart | null>,
  known: Known,
): EventPart | null {
  const label = `event "${event}"`;
  const { source } = context;
  const before = source.problems.length;

  const members = membersOf(label, path, context, locals, known);
  const condition = members.at("when", spec.when, (when, _, place) => compileCondition(when, place, context));
  const name = compileField(spec.name, textSlot(`${label}: name`, true), [...path, "name"], context);
  checkEventRules(event, spec, name?.constant, path, context);
  const document = compileOwner(spec, label, path, context, locals, documents, known);
  const key = compileEventKey(spec, label, path, context);
  const at = compileField(
    spec.externalCreatedAt,
    instantSlot(`${label}: externalCreatedAt`),
    [...path, "externalCreatedAt"],
    context,
  );
  const isPublic = compileField(spec.isPublic, booleanSlot(`${label}: isPublic`, true), [...path, "isPublic"], context);
  const participant = members.participant(spec.participant);
  const address = members.address(spec.address);
  const attributes = compileAttributes(
    spec.attributes ?? {},
    label,
    [...path, "attributes"],
    context,
    name?.constant === "CANCEL",
  );
  const related = members.at("relatedDocument", spec.relatedDocument, (relation, ...place) =>
    compileRelation(relation, ...place, context, locals, known),
  );
  const target = members.at("target", spec.target, (one, ...place) =>
    compileTarget(one, ...place, context, locals, known),
  );
  const propagate = members.field("propagateEvent", spec.propagateEvent, (called) => booleanSlot(called, false));
  const value = members.at("value", spec.value, (json, ...place) => compileJson(json, ...place, context));
  const extra = members.at("extra", spec.extra, (json, ...place) => compileJsonObject(json, ...place, context));
  if (spec.each !== undefined && !context.grouped) {
    source.report(
      "mapping-value",
      [...path, "each"],
      `${label}: the input has no \`group\`; \`each\` has no meaning here.`,
      { at: "key" },
    );
  }
  checkOwnParties(spec, document, label, path, context);

  if (source.problems.length > before) return null;
  if (
    condition === null ||
    name === null ||
    document === null ||
    key === null ||
    at === null ||
    isPublic === null ||
    participant === null ||
    address === null
  )
    return null;
  if (
    attributes === null ||
    related === null ||
    target === null ||
    propagate === null ||
    value === null ||
    extra === null
  )
    return null;
  const parts: EventParts = {
    event: keyLabel(event, spec),
    spec,
    condition,
    local: document.local,
    remote: document.remote,
    name,
    key,
    at,
    isPublic,
    participant: participant ?? null,
    address: address ?? null,
    attributes,
    related,
    target,
    propagate,
    value,
    extra,
  };
  const used = [
    condition,
    document.local?.part,
    document.remote,
    name,
    typeof key === "string" ? undefined : key,
    at,
    isPublic,
    participant,
    address,
    attributes,
    related,
    target,
    propagate,
    value,
    extra,
  ];
  return {
    event,
    uses: used.flatMap((part) => part?.uses ?? []),
    happens: condition === undefined ? null : { words: condition.description, uses: condition.uses },
    documentKind: document.kind,
    eachRow: spec.each === "row",
    byContent: key === "content",
    bind: (columns) => bindEvent(parts, columns),
  };
}

interface Owner {
  kind: string;
  local: EventParts["local"];
  remote: EventParts["remote"];
}

/** The document that the event is on: named, or the input's only one. */
function compileOwner(
  spec: EventSpec,
  label: string,
  path: Path,
  context: CompileContext,
  locals: Locals,
  documents: ReadonlyMap<string, DocumentPart | null>,
  known: Known,
): Owner | null {
  const names = [...documents.keys()];
  if (spec.document === undefined && names.length !== 1) {
    const hint =
      names.length === 0
        ? "Define one under `documents`, or name one of another input: `document: { ref: …, key: … }`."
        : `Write \`document:\` and one of ${names.join(", ")}.`;
    const which = names.length === 0 ? "the input defines no document" : `the input defines ${names.length} documents`;
    context.source.report("mapping-reference", path, `${label} does not say which document it is on; ${which}.`, {
      at: "key",
      hint,
    });
    return null;
  }
  const reference = spec.document ?? names[0] ?? "";
  if (typeof reference !== "string") {
    const remote = compileDocumentRef(reference, `${label}: document`, [...path, "document"], context, locals, known);
    return remote === null ? null : { kind: reference.ref, local: null, remote };
  }
  if (!documents.has(reference)) {
    compileDocumentRef(reference, `${label}: document`, [...path, "document"], context, locals, known);
    return null;
  }
  const part = documents.get(reference);
  if (part == null) return null;
  return { kind: reference, local: { position: names.indexOf(reference), part }, remote: null };
}

function compileEventKey(
  spec: EventSpec,
  label: string,
  path: Path,
  context: CompileContext,
): Key | "once" | "content" | null {
  if (spec.key === "once" || spec.key === "content") return spec.key;
  if (typeof spec.key !== "object") return null;
  return compileKey(spec.key, `${label}: key`, [...path, "key"], context);
}

/** An event needs a participant and an address: its own, or those of its document (service.md, Event endpoints, rule 1). */
function checkOwnParties(
  spec: EventSpec,
  owner: Owner | null,
  label: string,
  path: Path,
  context: CompileContext,
): void {
  if (owner === null) return;
  const has = {
    participant: owner.local?.part.hasParticipant ?? false,
    address: owner.local?.part.hasAddress ?? false,
  };
  for (const party of ["participant", "address"] as const) {
    if (spec[party] !== undefined || has[party]) continue;
    const why = owner.local === null ? "its document is one of another row" : `document "${owner.kind}" names none`;
    context.source.report("mapping-reference", path, `${label}: "${party}" is missing, and ${why}.`, { at: "key" });
  }
}
