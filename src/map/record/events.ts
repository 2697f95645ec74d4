/** Events (service.md, Event): the rows in which they happen, their content, and what an invalid row still shows. */
import { foldName } from "../../model/fold.js";
import { canonicalJson, type JsonObject } from "../../model/json.js";
import type { Placement } from "../../model/mapped-row.js";
import type { AddressRef, EventRecord, ParticipantRef } from "../../model/records.js";
import { asText, type Eval, type View } from "../column/view.js";
import { keyLabel, NEVER } from "../language/mapping-schema.js";
import { eventFields, type EventSpec } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { BROKEN, combine, type Condition, derive, merged, onlyWhere, optional, type Piece } from "../piece.js";
import { type Attributes, compileAttributes } from "./attributes.js";
import type { DocumentPart, KeyMaker, RecordContext } from "./context.js";
import { compileRelation, compileTarget } from "./documents.js";
import { checkEventRules, fitsRules } from "./event-rules.js";
import { compileCondition, compileFields, compileJson, compileKey } from "./fields.js";
import { addressRef, documentRef, participantRef } from "./references.js";

export interface EventPart extends Piece<EventRecord> {
  event: string;
  /** Undefined: every row. */
  condition: Condition | undefined;
  eachRow: boolean;
  byContent: boolean;
  attributes: Attributes;
  /** Null: the event does not happen in this row, or its document is unknown. Reports nothing. */
  place(view: View): Placement | null;
  makers: KeyMaker[];
}

export function compileEvent(event: string, spec: EventSpec, site: Site, context: RecordContext): EventPart {
  const { scope } = context;
  const at = (part: string) => site.at(part);
  const condition = compileHappens(spec, site, context);
  const fields = compileFields(spec, eventFields, site, scope);
  const name = fields.each.name?.constant;
  checkEventRules(spec, name, site);
  const owner = compileOwner(spec, site, context);
  const byContent = spec.key === "content";
  const byFields = spec.key !== undefined && spec.key !== "once" && !byContent;
  const key = byFields && spec.key !== undefined ? compileKey(spec.key, at("key"), scope) : undefined;
  const attributes = compileAttributes(spec.attributes ?? {}, at("attributes"), context, name === "CANCEL");
  const target = optional(spec.target, (one) => compileTarget(one, at("target"), context));
  const content = combine({
    fields,
    owner,
    participant: optional(spec.participant, (one) => participantRef(one, at("participant"), context)),
    address: optional(spec.address, (one) => addressRef(one, at("address"), context)),
    attributes,
    related: optional(spec.relatedDocument, (one) => compileRelation(one, at("relatedDocument"), context)),
    target,
    value: optional(spec.value, (one) => compileJson(one, at("value"), scope)),
    extra: compileJson(spec.extra ?? {}, at("extra"), scope),
  });
  if (spec.each !== undefined && !scope.grouped)
    site.reportName("mapping-value", ": the input has no `group`; `each` has no meaning here.", null, "each");
  checkOwnParties(spec, owner, site);

  const label = keyLabel(event, spec);
  const rules = { name: name !== undefined, confirmed: spec.confirmName === true };
  const record = derive(combine({ content, key }), ({ content: values, key: parts = [] }, view) => {
    const { participant = values.owner.participant, address = values.owner.address } = values;
    const { name: called, externalCreatedAt, propagateEvent } = values.fields;
    const isPublic = values.fields.isPublic === true;
    if (participant === null || address === null) return null;
    const made: EventRecord = {
      document: { kind: values.owner.kind, key: values.owner.key },
      event: label,
      key: byContent
        ? { by: "content", within: spec.within ?? "file" }
        : byFields
          ? { by: "fields", parts }
          : { by: "once" },
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
    tree: [owner.key.tree, key?.tree ?? String(spec.key), byContent ? `(${content.tree})` : ""].join(" "),
    reads: byContent ? content.reads : merged([owner.key, key]),
    kin: canonicalJson(spec.name ?? null),
    declaredNew: spec.was === NEVER,
  };
  return {
    ...onlyWhere(condition, record),
    event,
    condition,
    eachRow: spec.each === "row",
    byContent,
    attributes,
    makers: target === undefined ? [own] : [target.maker, own],
    place: (view) => {
      const happens = condition === undefined ? true : condition.run(view);
      const document = happens === true || happens === null ? owner.place(view) : null;
      if (document === null) return null;
      if (happens === null) return { document, event: label, keyParts: null, at: null };
      const time = fields.each.externalCreatedAt?.run(view);
      const keyParts = byContent ? null : key === undefined ? [] : (key.run(view) ?? null);
      return { document, event: label, keyParts, at: time == null ? null : Number(time) };
    },
  };
}

/** From `by` and `is`, and `when`. Undefined: every row. */
function compileHappens(spec: EventSpec, site: Site, { scope }: RecordContext): Condition | undefined {
  const when = optional(spec.when, (one) => compileCondition(one, site.at("when"), scope));
  if (spec.is === undefined) return when;
  if (spec.by === undefined) {
    site.reportName("mapping-value", ": `is` needs `by`, the column whose words it lists.", null, "is");
    return when;
  }
  const column = scope.column(spec.by);
  if (column === undefined) {
    const message = `: there is no column "${spec.by}".`;
    site.reportAt(["by"], "mapping-reference", message, "`by` names a column, without =.");
    return when;
  }
  const words = [spec.is].flat();
  const own = new Set(words.map(foldName));
  const otherwise = words.includes("otherwise");
  const claimed = scope.words.get(spec.by);
  const named = `"${column.use?.headers[0] ?? column.name}" is ${words.map((word) => JSON.stringify(word)).join(" or ")}`;
  const run: Eval<boolean> = (view) => {
    const value = column.run(view);
    if (value == null) return value === null ? null : false;
    const word = foldName(asText(value, column.type));
    if (!own.has(word) && !(otherwise && claimed?.has(word) !== true)) return false;
    return when === undefined ? true : when.run(view);
  };
  const all = when === undefined ? named : `${named} and ${when.words}`;
  return { run, words: all, reads: merged([column, when]), tree: "" };
}

interface Owner
  extends Piece<{ kind: string; key: string; participant: ParticipantRef | null; address: AddressRef | null }> {
  /** Its name in keys. */
  kind: string;
  /** Null: a document of another row. */
  local: DocumentPart | null;
  key: Pick<Piece<unknown>, "tree" | "reads">;
  /** Works in an otherwise invalid row. */
  place(view: View): Placement["document"] | null;
}

/** The named document, or the input's only one. */
function compileOwner(spec: EventSpec, site: Site, context: RecordContext): Owner {
  const names = [...context.documents.keys()];
  const broken: Owner = { ...BROKEN, kind: "", local: null, key: BROKEN, place: () => null };
  if (spec.document === undefined && names.length !== 1) {
    const [hint, which] =
      names.length === 0
        ? [
            "Define one under `documents`, or name one of another input: `document: { ref: …, key: … }`.",
            "the input defines no document",
          ]
        : [`Write \`document:\` and one of ${names.join(", ")}.`, `the input defines ${names.length} documents`];
    site.reportName("mapping-reference", ` does not say which document it is on; ${which}.`, hint);
    return broken;
  }
  const reference = spec.document ?? names[0] ?? "";
  const place = site.at("document");
  const local = typeof reference === "string" ? context.documents.get(reference) : undefined;
  if (local !== undefined) return ownerInRow(local, names.indexOf(String(reference)), site);
  if (typeof reference !== "string" && reference.id !== undefined) {
    const message = ": one of another system is declared under `documents`: `{ mode: existing, id: … }`.";
    return { ...broken, ...place.report("mapping-reference", message) };
  }
  const ref = derive(documentRef(reference, place, context), (found) =>
    found.by === "key" ? { kind: found.kind, key: found.key } : null,
  );
  if (typeof reference === "string") return broken;
  const kind = context.labels.get(reference.ref ?? "") ?? reference.ref ?? "";
  const piece = derive(ref, (found) => ({ ...found, participant: null, address: null }));
  return { ...piece, kind, local: null, key: ref, place: (view) => ref.run(view) ?? null };
}

function ownerInRow(local: DocumentPart, position: number, site: Site): Owner {
  const { kind, key, reads, tree } = local;
  const absent = `${site.label}: its document does not exist in this row`;
  return {
    kind,
    local,
    reads,
    tree,
    key: { tree: `${kind} ${key.tree}`, reads: key.reads },
    run: (view) => {
      const record = view.made.documents[position];
      return record === undefined ? view.report("reference-absent", absent) : record;
    },
    place: (view) => {
      const record = view.made.documents[position];
      const told = record === undefined ? null : (record?.key ?? key.run(view));
      if (told == null) return null;
      const documentId = record?.documentId ?? null;
      return documentId === null ? { kind, key: told } : { kind, key: told, documentId };
    },
  };
}

/** An event needs a participant and an address, its own or its document's (service.md, Event endpoints, rule 1). */
function checkOwnParties(spec: EventSpec, { local, kind }: Owner, site: Site): void {
  if (kind === "") return;
  const has = { participant: local?.hasParticipant ?? false, address: local?.hasAddress ?? false };
  for (const party of ["participant", "address"] as const) {
    if (spec[party] !== undefined || has[party]) continue;
    const why = local === null ? "its document belongs to another row" : `document "${kind}" names none`;
    site.reportName("mapping-reference", `: "${party}" is missing, and ${why}.`);
  }
}
