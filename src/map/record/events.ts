/** Events (service.md, Event): the rows in which they happen, their content, and what an invalid row still shows. */
import { foldName } from "../../model/fold.js";
import { canonicalJson, type JsonObject } from "../../model/json.js";
import type { AddressRef, EventRecord, ParticipantRef, Placement } from "../../model/records.js";
import { asText, type Eval, type Made, type View } from "../column/view.js";
import { keyLabel, NEVER } from "../language/mapping-schema.js";
import { eventFields, type EventSpec } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { nearestName } from "../nearest.js";
import {
  BROKEN,
  combine,
  type Condition,
  derive,
  type DocumentPart,
  type KeyMaker,
  merged,
  onlyColumn,
  onlyWhere,
  type Piece,
} from "../piece.js";
import { compileAttributes } from "./attributes.js";
import { compileRelation, compileTarget } from "./documents.js";
import { checkEventRules, compileEventKey, fitsRules } from "./event-rules.js";
import { compileCondition, compileFields, compileJson, refuseRow } from "./fields.js";
import { addressRef, documentRef, participantRef } from "./references.js";

export type EventPart = ReturnType<typeof compileEvent>;

export function compileEvent(event: string, spec: EventSpec, site: Site) {
  const condition = compileHappens(spec, site);
  const fields = compileFields(spec, eventFields, site);
  const name = fields.each.name?.constant;
  checkEventRules(spec, name, site);
  const owner = compileOwner(spec, site);
  const byContent = spec.key === "content";
  const key = spec.key === "once" || byContent ? undefined : site.member(spec, "key", compileEventKey);
  const attributes = compileAttributes(spec.attributes ?? {}, site.at("attributes"), name === "CANCEL");
  const target = site.member(spec, "target", compileTarget);
  const related = site.member(spec, "relatedDocument", compileRelation);
  if (related !== undefined && related.to !== "" && (related.to === owner.tree || related.to === owner.key.tree)) {
    const hint = "Write the other document's key: { ref: …, key: … }.";
    site.report("mapping-reference", ": it links its document to itself.", hint, "relatedDocument", "document");
  }
  const content = combine({
    fields,
    owner,
    participant: site.member(spec, "participant", participantRef),
    address: site.member(spec, "address", addressRef),
    attributes,
    related,
    target,
    value: spec.value === undefined ? undefined : compileJson(spec.value, site.at("value")),
    extra: compileJson(spec.extra ?? {}, site.at("extra")),
  });
  if (byContent && content.reads.others.has("row")) refuseRow(site.at("key"));
  if (spec.each !== undefined && site.scope.group === undefined)
    site.reportName("mapping-value", ": the input has no `group`; `each` has no meaning here.", null, "each");
  checkOwnParties(spec, owner, site);

  const label = keyLabel(event, spec);
  const named = fields.each.name;
  const rules = {
    name: name !== undefined,
    confirmed: spec.confirmName === true,
    column: named && onlyColumn(named.reads),
  };
  const record = derive(combine({ content, key }), ({ content: values, key: parts }, view) => {
    const { participant = values.owner.participant, address = values.owner.address } = values;
    const { name: called, externalCreatedAt, propagateEvent } = values.fields;
    const isPublic = values.fields.isPublic === true;
    if (participant === null || address === null) return null;
    const made: EventRecord = {
      document: { kind: owner.kind, key: values.owner.key },
      event: label,
      key: byContent
        ? { by: "content", within: spec.within ?? "file" }
        : parts === undefined
          ? { by: "once" }
          : { by: "fields", parts },
      name: String(called),
      at: Number(externalCreatedAt),
      isPublic,
      participant,
      address,
      attributes: values.attributes.map((one) => ({ ...one, isPublic: one.isPublic ?? isPublic })),
      related: values.related ?? null,
      target: values.target ?? null,
      propagate: propagateEvent === undefined ? null : propagateEvent === true,
      value: values.value,
      extra: values.extra as JsonObject,
    };
    return fitsRules(made, rules, site, view) ? made : null;
  });
  const own: KeyMaker = {
    name: `${owner.kind}/${label}`,
    tree: [
      owner.key.tree,
      key?.tree ?? String(spec.key),
      byContent ? `(${content.tree}) ${site.scope.blanks}` : "",
    ].join(" "),
    reads: byContent ? content.reads : merged([owner.key, key]),
    kin: canonicalJson(spec.name ?? null),
    declaredNew: spec.was === NEVER,
  };
  return {
    ...onlyWhere(condition, record),
    event,
    /** Undefined: every row. */
    condition,
    eachRow: spec.each === "row",
    byContent,
    attributes,
    makers: target === undefined ? [own] : [target.maker, own],
    /** Null: the event does not happen in this row, or its document is unknown. Reports nothing. */
    place: (view: View): Placement | null => {
      const happens = condition === undefined ? true : condition.run(view);
      const document = happens === true || happens === null ? placeOf(owner, view) : null;
      if (document === null) return null;
      if (happens === null) return { document, event: label, keyParts: null, at: null };
      const time = fields.each.externalCreatedAt?.run(view);
      const keyParts = byContent ? null : key === undefined ? [] : (key.run(view) ?? null);
      return {
        document,
        event: label,
        keyParts,
        at: time == null ? null : Number(time),
        target: target?.name.run(view) ?? undefined,
      };
    },
  };
}

/** From `by` and `is`, and `when`. Undefined: every row. */
function compileHappens({ by, is, ...spec }: EventSpec, site: Site): Condition | undefined {
  const { scope } = site;
  const when = site.member(spec, "when", compileCondition);
  if (is === undefined) return when;
  const column = by === undefined ? undefined : scope.column(by);
  if (by === undefined || column === undefined) {
    if (by === undefined)
      site.reportName("mapping-value", ": `is` needs `by`, the column whose words it lists.", null, "is");
    else {
      const near = scope.headed(by) ?? nearestName(by, scope.names());
      const hint = `\`by\` names a column, without =${near == null ? "" : `: write ${near}`}.`;
      site.report("mapping-reference", `: there is no column "${by}".`, hint, "by");
    }
    return when;
  }
  const words = [is].flat();
  const own = new Set(words.map(foldName));
  const otherwise = words.includes("otherwise");
  const claimed = scope.words.get(by);
  const named = `"${column.use?.headers[0] ?? by}" is ${words.map((word) => (word === "otherwise" ? "any other word" : JSON.stringify(word))).join(" or ")}`;
  const run: Eval<boolean> = (view) => {
    const value = column.run(view);
    if (value == null) return value === null ? null : false;
    const word = foldName(asText(value, column.type));
    if (!own.has(word) && !(otherwise && claimed?.has(word) !== true)) return false;
    return when === undefined || when.run(view);
  };
  const all = when === undefined ? named : `${named} and ${when.words}`;
  return { run, words: all, reads: merged([column, when]), tree: "" };
}

interface Owner extends Piece<{ key: string; participant: ParticipantRef | null; address: AddressRef | null }> {
  /** Its name in keys. */
  kind: string;
  /** Null: it belongs to another row. */
  has: DocumentPart["has"] | null;
  /** Works in an otherwise invalid row. */
  key: Piece<string>;
  /** Undefined: it does not exist in this row; null: not known. */
  record(view: View): Made["documents"][number];
}

/** The named document, or the input's only one. */
function compileOwner({ document }: EventSpec, site: Site): Owner {
  const { records, shared } = site.scope;
  const names = [...records.documents.keys()];
  const broken: Owner = { ...BROKEN, kind: "", has: null, key: BROKEN, record: () => undefined };
  if (document === undefined && names.length !== 1) {
    const [which, hint] =
      names.length === 0
        ? ["no document", "Define one under `documents`, or name one of another input: `document: { ref: …, key: … }`."]
        : [`${names.length} documents`, `Write \`document:\` and one of ${names.join(", ")}.`];
    const message = ` does not say which document it is on; the input defines ${which}.`;
    site.reportName("mapping-reference", message, hint);
    return broken;
  }
  const reference = document ?? names[0] ?? "";
  const place = site.at("document");
  if (typeof reference === "string") {
    const local = records.documents.get(reference);
    if (local !== undefined) return ownerInRow(local, names.indexOf(reference), site);
    documentRef(reference, place);
    return broken;
  }
  if (reference.id !== undefined) {
    const message = ": one of another system is declared under `documents`: `{ mode: existing, id: … }`.";
    place.report("mapping-reference", message);
    return broken;
  }
  const ref = documentRef(reference, place);
  const kind = shared.labels.get(reference.ref ?? "") ?? reference.ref ?? "";
  const key = derive(ref, (found) => (found.by === "key" ? found.key : ""));
  const owner = derive(key, (told) => ({ key: told, participant: null, address: null }));
  return { ...owner, kind, has: null, key, record: () => null };
}

function ownerInRow({ kind, key, reads, tree, has }: DocumentPart, position: number, site: Site): Owner {
  const absent = `${site.label}: its document does not exist in this row`;
  const record: Owner["record"] = (view) => view.made.documents[position];
  return {
    kind,
    has,
    reads,
    tree,
    key: { ...key, tree: `${kind} ${key.tree}` },
    record,
    run: (view) => {
      const made = record(view);
      return made === undefined ? view.report("reference-absent", absent) : made;
    },
  };
}

/** Null: there is none in this row, or its key is not known. */
function placeOf({ kind, key, record }: Owner, view: View): Placement["document"] | null {
  const made = record(view);
  if (made === undefined) return null;
  const told = made?.key ?? key.run(view);
  if (told == null) return null;
  const documentId = made?.documentId ?? null;
  return { kind, key: told, ...(documentId !== null && { documentId }) };
}

/** An event needs a participant and an address, its own or its document's (service.md, Event endpoints, rule 1). */
function checkOwnParties(spec: EventSpec, { has, kind }: Owner, site: Site) {
  if (kind === "") return;
  for (const party of ["participant", "address"] as const) {
    if (spec[party] !== undefined || has?.[party] === true) continue;
    const why = has === null ? "its document belongs to another row" : `document "${kind}" names none`;
    const hint = `Write \`${party}:\` in the event, or under \`defaults:\` of the events.`;
    site.reportName("mapping-reference", `: "${party}" is missing, and ${why}.`, hint);
  }
}
