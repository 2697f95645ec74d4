/** Events (service.md, Event): in which rows they happen, what they are made of, and what can be told of them in an invalid row. */
import type { JsonObject } from "../../model/json.js";
import type { Placement } from "../../model/mapped-row.js";
import type { AddressRef, DocumentRef, EventRecord, ParticipantRef } from "../../model/records.js";
import { foldName } from "../fold.js";
import { keyLabel } from "../language/labels.js";
import { merged } from "../formula/part.js";
import { asText, type View } from "../column/view.js";
import type { Reads } from "../formula/part.js";
import { eventFields, type EventSpec, type KeySpec } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { type Attributes, compileAttributes } from "./attributes.js";
import type { Build, DocumentPart, Made, Maybe, Part, RecordContext } from "./context.js";
import { compileRelation, compileTarget } from "./documents.js";
import { checkEventRules, fitsRules } from "./event-rules.js";
import { addressRef, documentRef, participantRef } from "./references.js";
import { compileCondition, compileFields, compileJson, compileKey } from "./values.js";

export interface EventPart {
  /** Its name in the mapping. */
  event: string;
  reads: Reads;
  /** In which rows it happens, in words and with the columns that decide it; null: in every row. */
  happens: { words: string; reads: Reads } | null;
  /** One per row of a group, instead of one per group. */
  eachRow: boolean;
  /** Its key is its content. */
  byContent: boolean;
  attributes: Attributes;
  build: Build<EventRecord>;
  /** Null: it does not happen in this row, or its document cannot be told. Reports nothing that is kept. */
  place(view: View, made: Made): Placement | null;
  /** What its key is made of, for fingerprints. */
  makers: {
    kind: string;
    keys: string;
    reads: Reads;
    content: string | null;
    target: { kind: string; tree: string; reads: Reads } | null;
  };
}

/** Null: it cannot be used, and why has been reported. */
export function compileEvent(event: string, spec: EventSpec, site: Site, context: RecordContext): EventPart | null {
  const { scope } = context;
  const before = site.source.problems.length;
  const condition = compileHappens(spec, site, context);
  const fields = compileFields(spec, eventFields, site, scope);
  const name = fields?.constant("name");
  checkEventRules(spec, name, site);
  const owner = compileOwner(spec, site, context);
  const key =
    spec.key === undefined || spec.key === "once" || spec.key === "content"
      ? null
      : compileKey(spec.key, site.at("key"), scope);
  const participant =
    spec.participant === undefined ? undefined : participantRef(spec.participant, site.at("participant"), context);
  const address = spec.address === undefined ? undefined : addressRef(spec.address, site.at("address"), context);
  const attributes = compileAttributes(spec.attributes ?? {}, site.at("attributes"), context, name === "CANCEL");
  const related =
    spec.relatedDocument === undefined
      ? undefined
      : compileRelation(spec.relatedDocument, site.at("relatedDocument"), context);
  const target = spec.target === undefined ? undefined : compileTarget(spec.target, site.at("target"), context);
  const value = spec.value === undefined ? undefined : compileJson(spec.value, site.at("value"), scope);
  const extra = spec.extra === undefined ? undefined : compileJson(spec.extra, site.at("extra"), scope);
  if (spec.each !== undefined && !scope.grouped)
    site.at("each", site.label).reportName("mapping-value", ": the input has no `group`; `each` has no meaning here.");
  if (owner !== null) checkOwnParties(spec, owner, site);
  if (site.source.problems.length > before) return null;
  if (fields === null || owner === null || attributes === null || condition === null) return null;

  const label = keyLabel(event, spec);
  const parts: Parts = {
    event: label,
    spec,
    site,
    condition,
    owner,
    fields,
    key,
    participant,
    address,
    attributes,
    related,
    target,
    value,
    extra,
  };
  const used = [condition, owner.part, fields, key, participant, address, attributes, related, target, value, extra];
  const reads = merged(used.flatMap((part) => part?.reads ?? []));
  const keyReads = merged([owner.keyReads, key?.reads ?? []].flat());
  const trees = [
    fields.trees,
    ...[owner.part, participant, address, attributes, related, target, value, extra].map((part) => part?.tree ?? ""),
  ];
  return {
    event,
    reads,
    happens: condition === undefined ? null : { words: condition.words, reads: condition.reads },
    eachRow: spec.each === "row",
    byContent: spec.key === "content",
    attributes,
    build: bindBuild(parts, context),
    place: bindPlace(parts, context),
    makers: {
      kind: owner.kind,
      keys: `${owner.keyTree} ${key?.tree ?? String(spec.key)}`,
      reads: spec.key === "content" ? reads : keyReads,
      content: spec.key === "content" ? trees.join(" ") : null,
      target:
        target == null || spec.target === undefined
          ? null
          : { kind: spec.target.document, tree: target.keyTree, reads: target.keyReads },
    },
  };
}

interface Happens {
  holds: (view: View) => boolean | null;
  words: string;
  reads: Reads;
}

/** `by` and `is`, and `when`. Undefined: in every row. Null: it has a mistake. */
function compileHappens(spec: EventSpec, site: Site, { scope }: RecordContext): Happens | undefined | null {
  const when = spec.when === undefined ? undefined : compileCondition(spec.when, site.at("when"), scope);
  if (when === null) return null;
  if (spec.is === undefined) return when;
  if (spec.by === undefined)
    return site.at("is", site.label).reportName("mapping-value", ": `is` needs `by`, the column whose words it lists.");
  const place = site.at("by", site.label);
  const column = scope.column(spec.by);
  if (column === undefined)
    return place.report("mapping-reference", `: there is no column "${spec.by}".`, "`by` names a column, without =.");
  if (column === null) return null;
  const words = [spec.is].flat();
  const wanted = new Set(words.map(foldName));
  const otherwise = words.includes("otherwise");
  const claimed = scope.words.get(spec.by) ?? new Map<string, string>();
  const { read } = column;
  const holds = (view: View): boolean | null => {
    const value = read(view);
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
  kind: string;
  /** Position among the row's documents; -1: one of another row. */
  position: number;
  local: DocumentPart | null;
  part: Part<DocumentRef> | DocumentPart;
  keyTree: string;
  keyReads: Reads;
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
  if (typeof reference !== "string") {
    if (reference.id !== undefined)
      return place.report(
        "mapping-reference",
        ": one of another system is declared under `documents`: `{ mode: existing, id: … }`.",
      );
    const part = documentRef(reference, place, context);
    const key = part === null ? null : compileKey(reference.key as KeySpec, place.at("key"), context.scope);
    if (part === null || key === null) return null;
    return { kind: reference.ref ?? "", position: -1, local: null, part, keyTree: key.tree, keyReads: key.reads };
  }
  const local = context.documents.get(reference);
  if (local === undefined) documentRef(reference, place, context);
  if (local == null) return null;
  const { keyTree, keyReads } = local;
  return { kind: reference, position: names.indexOf(reference), local, part: local, keyTree, keyReads };
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

interface Parts {
  event: string;
  spec: EventSpec;
  site: Site;
  condition: Happens | undefined;
  owner: Owner;
  fields: NonNullable<ReturnType<typeof compileFields<keyof typeof eventFields>>>;
  key: ReturnType<typeof compileKey>;
  participant: Part<ParticipantRef> | undefined | null;
  address: Part<AddressRef> | undefined | null;
  attributes: Attributes;
  related: Part<NonNullable<EventRecord["related"]>> | undefined | null;
  target: Part<NonNullable<EventRecord["target"]>> | undefined | null;
  value: ReturnType<typeof compileJson> | undefined;
  extra: ReturnType<typeof compileJson> | undefined;
}

const NO_EXTRA: JsonObject = {};

function bindBuild(parts: Parts, { labels }: RecordContext): Build<EventRecord> {
  const {
    event,
    spec,
    site,
    condition,
    owner,
    fields,
    key,
    participant,
    address,
    attributes,
    related,
    target,
    value,
    extra,
  } = parts;
  const fixedKey: EventRecord["key"] | null =
    spec.key === "once"
      ? { by: "once" }
      : spec.key === "content"
        ? { by: "content", within: spec.within ?? "file" }
        : null;
  const rules = { name: fields.constant("name") !== undefined, confirmed: spec.confirmName === true };
  const remoteKind = labels.get(owner.kind) ?? owner.kind;
  const absent = `${site.label}: its document does not exist in this row`;
  return (view, made) => {
    const happens = condition === undefined ? true : condition.holds(view);
    if (happens !== true) return happens === null ? null : undefined;
    const local = owner.position < 0 ? undefined : made.documents[owner.position];
    let on: Maybe<{ kind: string; key: string }> = local;
    if (owner.position < 0) on = keyed((owner.part as Part<DocumentRef>).build(view, made), remoteKind);
    else if (local === undefined) view.report("reference-absent", absent, null, -1);
    const who = participant == null ? local?.participant : participant.build(view, made);
    const where = address == null ? local?.address : address.build(view, made);
    const values = fields.run(view);
    const keyParts = key === null ? null : key.run(view);
    const isPublic = values === null ? null : values.isPublic === true;
    const shown = attributes.run(view, isPublic);
    const link = related?.build(view, made);
    const downstream = target?.build(view, made);
    const amount = value?.run(view);
    const further = extra === undefined ? NO_EXTRA : extra?.run(view);
    if (on == null || values === null || shown === null || who == null || where == null) return null;
    if (link === null || downstream === null || further == null || (keyParts === null && fixedKey === null))
      return null;
    if (amount === null && value?.constant !== null) return null;
    const record: EventRecord = {
      document: { kind: on.kind, key: on.key },
      event,
      key: fixedKey ?? { by: "fields", parts: keyParts ?? [] },
      name: String(values.name ?? ""),
      at: Number(values.externalCreatedAt),
      isPublic: values.isPublic === true,
      participant: who,
      address: where,
      attributes: shown,
      related: link ?? null,
      target: downstream ?? null,
      propagate: values.propagateEvent === undefined ? null : values.propagateEvent === true,
      value: amount,
      extra: further as JsonObject,
    };
    return fitsRules(record, rules, site, view) ? record : null;
  };
}

function keyed(ref: Maybe<DocumentRef>, kind: string): Maybe<{ kind: string; key: string }> {
  return ref == null || ref.by !== "key" ? null : { kind, key: ref.key };
}

function bindPlace(
  { event, spec, condition, owner, fields, key }: Parts,
  { labels }: RecordContext,
): EventPart["place"] {
  const remoteKind = labels.get(owner.kind) ?? owner.kind;
  const local = (view: View, made: Made): Placement["document"] | null => {
    const record = made.documents[owner.position];
    if (record != null) {
      const { kind, key: own, documentId } = record;
      return documentId === null ? { kind, key: own } : { kind, key: own, documentId };
    }
    const own = record === undefined ? null : (owner.local?.key(view) ?? null);
    return own === null ? null : { kind: owner.local?.kind ?? "", key: own };
  };
  return (view, made) => {
    const happens = condition === undefined ? true : condition.holds(view);
    if (happens === false) return null;
    const document =
      owner.position < 0
        ? (keyed((owner.part as Part<DocumentRef>).build(view, made), remoteKind) ?? null)
        : local(view, made);
    if (document === null) return null;
    if (happens === null) return { document, event, keyParts: null, at: null };
    const at = fields.only("externalCreatedAt")(view);
    const keyParts = key === null ? (spec.key === "once" ? [] : null) : key.run(view);
    return { document, event, keyParts, at: at == null ? null : Number(at) };
  };
}
