/** One event over one row: the record, or what can be told of it when the row is invalid (HARD-CASES H13–H15). */
import type { JsonObject } from "../../model/json.js";
import type { Placement } from "../../model/mapped-row.js";
import type { DocumentRecord, EventRecord } from "../../model/records.js";
import type { BoundColumns } from "../value/columns.js";
import type { RowView } from "../value/row-view.js";
import type { Build, Made, RowRecords } from "./entity.js";
import type { EventParts } from "./event.js";
import { reservedLookalike } from "./event-rules.js";

export interface BuiltEvent {
  build: Build<EventRecord>;
  /** Null: the event does not happen in this row, or its document cannot be told. Reports nothing that is kept. */
  place(view: RowView, records: RowRecords): Placement | null;
}

export function bindEvent(parts: EventParts, columns: BoundColumns): BuiltEvent {
  const { event, spec } = parts;
  const label = `event "${event}"`;
  const holds = parts.condition?.bind(columns);
  const readRemote = parts.remote?.bind(columns);
  const readLocalKey = parts.local?.part.bindKey(columns);
  const readName = parts.name.bind(columns);
  const checkName = parts.name.constant === undefined;
  const readKey = typeof parts.key === "string" ? null : parts.key.bind(columns);
  const fixedKey: EventRecord["key"] | null =
    parts.key === "once"
      ? { by: "once" }
      : parts.key === "content"
        ? { by: "content", within: spec.within ?? "file" }
        : null;
  const readAt = parts.at.bind(columns);
  const readPublic = parts.isPublic.bind(columns);
  const readParticipant = parts.participant?.bind(columns);
  const readAddress = parts.address?.bind(columns);
  const readAttributes = parts.attributes.bind(columns);
  const readRelated = parts.related?.bind(columns);
  const readTarget = parts.target?.bind(columns);
  const readPropagate = parts.propagate?.bind(columns);
  const readValue = parts.value?.bind(columns);
  const readExtra = parts.extra?.bind(columns);
  const localPosition = parts.local?.position ?? -1;
  const noExtra: JsonObject = {};
  const jsonNull = parts.value?.constant === null;

  const build: Build<EventRecord> = (view, records) => {
    const happens = holds === undefined ? true : holds(view);
    if (happens !== true) return happens === null ? null : undefined;
    let owner: Made<DocumentRecord> | { kind: string; key: string } =
      localPosition >= 0 ? records.documents[localPosition] : null;
    if (localPosition >= 0 && owner === undefined) {
      view.problems.push({
        code: "reference-absent",
        message: `${label}: its document does not exist in this row`,
        hint: null,
        column: null,
      });
    }
    let participant = readParticipant?.(view, records);
    let address = readAddress?.(view, records);
    if (owner != null && "mode" in owner) {
      participant ??= readParticipant === undefined ? owner.participant : null;
      address ??= readAddress === undefined ? owner.address : null;
    }
    if (readRemote !== undefined) owner = readRemote(view, records);
    const name = readName(view);
    const keyParts = readKey === null ? null : readKey(view);
    const at = readAt(view);
    const isPublic = readPublic(view);
    const attributes = readAttributes(view);
    const related = readRelated?.(view, records);
    const target = readTarget?.(view, records);
    const propagate = readPropagate?.(view);
    const value = readValue?.(view);
    const extra = readExtra === undefined ? noExtra : readExtra(view);
    if (owner == null || name == null || at == null || isPublic == null || attributes === null) return null;
    if (participant == null || address == null || related === null || target === null || propagate === null)
      return null;
    if ((value === null && !jsonNull) || extra == null || (keyParts === null && fixedKey === null)) return null;
    const record: EventRecord = {
      document: { kind: owner.kind, key: owner.key },
      event,
      key: fixedKey ?? { by: "fields", parts: keyParts ?? [] },
      name: String(name),
      at: Number(at),
      isPublic: isPublic === true,
      participant,
      address,
      attributes,
      related: related ?? null,
      target: target ?? null,
      propagate: propagate === undefined ? null : propagate === true,
      value,
      extra: extra as JsonObject,
    };
    if (!makesAnother(record, label, view)) return null;
    return !checkName || nameFits(record, spec.confirmName === true, label, view) ? record : null;
  };

  const place = (view: RowView, records: RowRecords): Placement | null => {
    const happens = holds === undefined ? true : holds(view);
    if (happens === false) return null;
    const document = readRemote === undefined ? placeLocal(view, records) : readRemote(view, records);
    if (document == null) return null;
    if (happens === null) return { document, event, keyParts: null, at: null };
    const at = readAt(view);
    const keyParts = readKey === null ? (parts.key === "once" ? [] : null) : readKey(view);
    return {
      document,
      event,
      keyParts,
      at: at == null ? null : Number(at),
    };
  };
  const placeLocal = (view: RowView, records: RowRecords): Placement["document"] | null => {
    const made = records.documents[localPosition];
    if (made != null) {
      const { kind, key, documentId } = made;
      return documentId === null ? { kind, key } : { kind, key, documentId };
    }
    const key = made === undefined ? null : (readLocalKey?.(view) ?? null);
    return key === null ? null : { kind: parts.local?.part.kind ?? "", key };
  };
  return { build, place };
}

/** A document cannot come to be with an event on its own timeline. */
function makesAnother({ document, target }: EventRecord, label: string, view: RowView): boolean {
  if (target === null || target.document.kind !== document.kind || target.document.key !== document.key) return true;
  const message = `${label}: it would make ${document.kind} ${document.key}, the document that it is on`;
  view.problems.push({ code: "target-is-itself", message, hint: null, column: null });
  return false;
}

/** The rules of `checkEventRules` for names that come from the row. */
function nameFits(record: EventRecord, confirmed: boolean, label: string, view: RowView): boolean {
  const like = confirmed ? null : reservedLookalike(record.name);
  const refuse = (message: string) => {
    view.problems.push({ code: "event-name", message: `${label}: ${message}`, hint: null, column: null });
    return false;
  };
  if (like !== null) return refuse(`the name "${record.name}" differs from the reserved ${like} only by case`);
  if (record.name === "RELATED" && record.related === null) return refuse("RELATED needs a related document");
  const reason = record.attributes.find((attribute) => attribute.name === "reason");
  if (record.name === "CANCEL" && (reason === undefined || reason.value === "")) return refuse("CANCEL needs a reason");
  return true;
}
