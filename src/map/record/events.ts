/** Events (service.md, Event): in which rows they happen, what they are made of, and what can be told of them in an invalid row. */
import { canonicalJson, isExactNumber, type JsonObject, type JsonValue } from "../../model/json.js";
import type { Placement } from "../../model/mapped-row.js";
import type { AddressRef, EventRecord, ParticipantRef } from "../../model/records.js";
import { asText, type View } from "../column/view.js";
import { foldName } from "../../model/fold.js";
import { merged } from "../formula/part.js";
import { keyLabel, NEVER } from "../language/mapping-schema.js";
import { eventFields, type EventSpec } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { type Attributes, compileAttributes } from "./attributes.js";
import { compileRelation, compileTarget } from "./documents.js";
import { checkEventRules, fitsRules } from "./event-rules.js";
import { compileCondition, compileFields, compileJson, compileKey } from "./fields.js";
import {
  combine,
  type Condition,
  derive,
  type DocumentPart,
  type KeyMaker,
  type Made,
  type Maybe,
  onlyWhere,
  optional,
  type Piece,
  type RecordContext,
} from "./piece.js";
import { addressRef, documentRef, participantRef } from "./references.js";

export interface EventPart extends Piece<EventRecord> {
  /** Its name in the mapping. */
  event: string;
  /** In which rows it happens; undefined: in every row. */
  condition: Condition | undefined;
  /** One per row of a group, instead of one per group. */
  eachRow: boolean;
  /** Its key is its content. */
  byContent: boolean;
  attributes: Attributes;
  /** Null: it does not happen in this row, or its document cannot be told. Reports nothing that is kept. */
  place(view: View, made: Made): Placement | null;
  /** Of the event, and of its target. */
  makers: KeyMaker[];
}

/** Null: it cannot be used, and why has been reported. */
export function compileEvent(event: string, spec: EventSpec, site: Site, context: RecordContext): EventPart | null {
  const { scope } = context;
  const before = site.source.problems.length;
  const condition = compileHappens(spec, site, context);
  const fields = compileFields(spec, eventFields, site, scope);
  const name = fields?.each.name?.constant;
  checkEventRules(spec, name, site);
  const owner = compileOwner(spec, site, context);
  const fixedKey = fixedKeyOf(spec);
  const key = spec.key === undefined || fixedKey !== null ? undefined : compileKey(spec.key, site.at("key"), scope);
  const at = (part: string) => site.at(part);
  const attributes = compileAttributes(spec.attributes ?? {}, at("attributes"), context, name === "CANCEL");
  const target = optional(spec.target, (one) => compileTarget(one, at("target"), context));
  const content = {
    fields,
    owner: owner?.piece ?? null,
    participant: optional(spec.participant, (one) => participantRef(one, at("participant"), context)),
    address: optional(spec.address, (one) => addressRef(one, at("address"), context)),
    attributes,
    related: optional(spec.relatedDocument, (one) => compileRelation(one, at("relatedDocument"), context)),
    target,
    value: optional(spec.value, (one) => compileJson(one, at("value"), scope)),
    extra: compileJson(spec.extra ?? {}, at("extra"), scope),
  };
  if (spec.each !== undefined && !scope.grouped)
    site.reportName("mapping-value", ": the input has no `group`; `each` has no meaning here.", null, "each");
  if (owner !== null) checkOwnParties(spec, owner, site);
  const whole = combine(content);
  const pieces = combine({ content: whole, key });
  if (site.source.problems.length > before || fields === null || owner === null || attributes === null) return null;
  if (whole === null || pieces === null || condition === null) return null;

  const label = keyLabel(event, spec);
  const rules = { name: name !== undefined, confirmed: spec.confirmName === true };
  const record = derive(pieces, ({ content: values, key: parts }, view) => {
    const { participant = values.owner.participant, address = values.owner.address } = values;
    const { name: called, externalCreatedAt, isPublic, propagateEvent } = values.fields;
    if (participant === null || address === null) return null;
    const made: EventRecord = {
      document: { kind: values.owner.kind, key: values.owner.key },
      event: label,
      key: fixedKey ?? { by: "fields", parts: parts ?? [] },
      name: String(called),
      at: Number(externalCreatedAt),
      isPublic: isPublic === true,
      participant,
      address,
      attributes: values.attributes.map(({ name: of, value, isPublic: shown }) => ({
        name: of,
        value,
        isPublic: shown ?? isPublic === true,
      })),
      related: values.related ?? null,
      target: values.target ?? null,
      propagate: propagateEvent === undefined ? null : propagateEvent === true,
      value: values.value,
      extra: values.extra as JsonObject,
    };
    return fitsRules(made, rules, site, view) ? made : null;
  });
  const happening = onlyWhere(condition, record);
  if (happening === null) return null;
  const byContent = spec.key === "content";
  const tree = [owner.keyTree, key?.tree ?? String(spec.key), byContent ? `(${whole.tree})` : ""].join(" ");
  const keyReads = merged([owner.keyReads, key?.reads ?? []].flat());
  const own: KeyMaker = {
    name: `${owner.kind}/${label}`,
    tree,
    reads: byContent ? whole.reads : keyReads,
    kin: canonicalJson(plain(spec.name)),
    declaredNew: spec.was === NEVER,
  };
  return {
    ...happening,
    event,
    condition,
    eachRow: spec.each === "row",
    byContent,
    attributes,
    makers: target == null ? [own] : [target.maker, own],
    place: (view, made) => {
      const happens = condition === undefined ? true : condition.holds(view);
      const document = happens === false ? null : owner.place(view, made);
      if (document === null) return null;
      if (happens === null) return { document, event: label, keyParts: null, at: null };
      const time = fields.each.externalCreatedAt?.run(view, made);
      const keyParts = key === undefined ? (spec.key === "once" ? [] : null) : (key?.run(view, made) ?? null);
      return { document, event: label, keyParts, at: time == null ? null : Number(time) };
    },
  };
}

function fixedKeyOf({ key, within = "file" }: EventSpec): EventRecord["key"] | null {
  if (key === "once") return { by: "once" };
  return key === "content" ? { by: "content", within } : null;
}

function plain(value: unknown): JsonValue {
  const scalar = isExactNumber(value) || typeof value !== "object";
  return scalar ? ((value ?? null) as JsonValue) : (JSON.parse(JSON.stringify(value)) as JsonValue);
}

/** `by` and `is`, and `when`. Undefined: in every row. Null: it has a mistake. */
function compileHappens(spec: EventSpec, site: Site, { scope }: RecordContext): Condition | undefined | null {
  const when = optional(spec.when, (one) => compileCondition(one, site.at("when"), scope));
  if (when === null || spec.is === undefined) return when;
  if (spec.by === undefined)
    return site.reportName("mapping-value", ": `is` needs `by`, the column whose words it lists.", null, "is");
  const column = scope.column(spec.by);
  if (column === undefined) {
    const message = `: there is no column "${spec.by}".`;
    return site.reportAt(["by"], "mapping-reference", message, "`by` names a column, without =.");
  }
  if (column === null) return null;
  const words = [spec.is].flat();
  const wanted = new Set(words.map(foldName));
  const otherwise = words.includes("otherwise");
  const claimed = scope.words.get(spec.by) ?? new Map<string, string>();
  const holds = (view: View): boolean | null => {
    const value = column.read(view);
    if (value == null) return value === null ? null : false;
    const word = foldName(asText(value, column.type));
    if (otherwise ? claimed.has(word) && !wanted.has(word) : !wanted.has(word)) return false;
    return when === undefined ? true : when.holds(view);
  };
  const named = `"${column.use?.headers[0] ?? column.name}" is ${words.map((word) => JSON.stringify(word)).join(" or ")}`;
  const reads = merged([column.reads, when?.reads ?? []].flat());
  return { holds, words: when === undefined ? named : `${named} and ${when.words}`, reads };
}

interface Owner {
  /** Its name in keys. */
  kind: string;
  /** Null: a document of another row. */
  local: DocumentPart | null;
  piece: Piece<{ kind: string; key: string; participant: ParticipantRef | null; address: AddressRef | null }>;
  keyTree: string;
  keyReads: Piece<unknown>["reads"];
  /** Also in a row that is otherwise invalid. */
  place(view: View, made: Made): Placement["document"] | null;
}

/** The document that the event is on: named, or the input's only one. */
function compileOwner(spec: EventSpec, site: Site, context: RecordContext): Owner | null {
  const names = [...context.documents.keys()];
  if (spec.document === undefined && names.length !== 1) {
    const hint =
      names.length === 0
        ? "Define one under `documents`, or name one of another input: `document: { ref: …, key: … }`."
        : `Write \`document:\` and one of ${names.join(", ")}.`;
    const which = names.length === 0 ? "the input defines no document" : `the input defines ${names.length} documents`;
    return site.reportName("mapping-reference", ` does not say which document it is on; ${which}.`, hint);
  }
  const reference = spec.document ?? names[0] ?? "";
  const place = site.at("document");
  if (typeof reference !== "string" && reference.id !== undefined) {
    const message = ": one of another system is declared under `documents`: `{ mode: existing, id: … }`.";
    return place.report("mapping-reference", message);
  }
  const local = typeof reference === "string" ? context.documents.get(reference) : undefined;
  if (local === undefined) {
    const ref = documentRef(reference, place, context);
    const piece = derive(ref, (found) =>
      found.by === "key" ? { kind: found.kind, key: found.key, participant: null, address: null } : null,
    );
    if (piece === null || typeof reference === "string") return null;
    const { tree: keyTree, reads: keyReads } = piece;
    const kind = context.labels.get(reference.ref ?? "") ?? reference.ref ?? "";
    const told = (found: Maybe<{ kind: string; key: string }>) =>
      found == null ? null : { kind: found.kind, key: found.key };
    return { kind, local: null, piece, keyTree, keyReads, place: (view, made) => told(piece.run(view, made)) };
  }
  return local === null ? null : ownerInRow(local, names.indexOf(String(reference)), site);
}

function ownerInRow(local: DocumentPart, position: number, site: Site): Owner {
  const { kind, key, reads, tree } = local;
  const absent = `${site.label}: its document does not exist in this row`;
  const run: Owner["piece"]["run"] = (view, made) => {
    const record = made.documents[position];
    return record === undefined ? view.report("reference-absent", absent) : record;
  };
  const place: Owner["place"] = (view, made) => {
    const record = made.documents[position];
    if (record === undefined) return null;
    const told = record?.key ?? key.run(view, made);
    if (told == null) return null;
    const documentId = record?.documentId ?? null;
    return documentId === null ? { kind, key: told } : { kind, key: told, documentId };
  };
  return { kind, local, piece: { reads, tree, run }, keyTree: `${kind} ${key.tree}`, keyReads: key.reads, place };
}

/** An event needs a participant and an address: its own, or those of its document (service.md, Event endpoints, rule 1). */
function checkOwnParties(spec: EventSpec, { local, kind }: Owner, site: Site): void {
  const has = { participant: local?.hasParticipant ?? false, address: local?.hasAddress ?? false };
  for (const party of ["participant", "address"] as const) {
    if (spec[party] !== undefined || has[party]) continue;
    const why = local === null ? "its document is one of another row" : `document "${kind}" names none`;
    site.reportName("mapping-reference", `: "${party}" is missing, and ${why}.`);
  }
}
