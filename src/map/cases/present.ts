/** Records in the words of the mapping language, as cases write them. */
import type { JsonObject, JsonValue } from "../../model/json.js";
import { unprefixed } from "../../model/keys.js";
import type { AddressRef, EventRecord, ParticipantRef, Records } from "../../model/records.js";

export type Presented = { [kinds in keyof Records]: JsonValue[] };

/** The records of several rows in order, each once; participants and addresses by name. */
export function presentRecords(all: readonly Records[]): Presented {
  const participants = all.flatMap((one) => one.participants);
  const addresses = all.flatMap((one) => one.addresses);
  const names = new Map<string, string>();
  for (const { kind, natural } of participants) names.set(natural, kind);
  for (const { kind, participant, identity } of addresses) names.set(JSON.stringify([participant, identity]), kind);
  const called = (ref: ParticipantRef | AddressRef | null): JsonValue => {
    if (ref === null) return null;
    if (ref.by === "id") return { id: ref.id };
    if (ref.by === "alias") return { ref: ref.kind, key: ref.key };
    if (ref.by === "natural") return names.get(ref.key) ?? { natural: unprefixed(ref.key) };
    return names.get(JSON.stringify([ref.participant, ref.identity])) ?? { participant: called(ref.participant) };
  };
  const parties = ({ participant, address }: { participant: ParticipantRef | null; address: AddressRef | null }) => ({
    participant: called(participant),
    address: called(address),
  });
  return {
    participants: once(participants.map(({ kind, alias, data }) => ({ name: kind, key: alias, data: { ...data } }))),
    addresses: once(
      addresses.map(({ kind, alias, participant, data, extended }) => ({
        name: kind,
        key: alias,
        participant: called(participant),
        data: { ...data, ...extended },
      })),
    ),
    documents: once(
      all.flatMap((one) => one.documents).map(({ kind, ...record }) => ({ name: kind, ...record, ...parties(record) })),
    ),
    events: all
      .flatMap((one) => one.events)
      .map((record) => ({ ...presentEvent(record, parties), ...parties(record) })),
  };
}

function presentEvent(
  { document, event, key, name, at, isPublic, attributes, related, target, propagate, value, extra }: EventRecord,
  parties: (record: NonNullable<EventRecord["target"]>) => JsonObject,
): JsonObject {
  const other = related?.document;
  return {
    event,
    document: document.key,
    documentName: document.kind,
    key: key.by === "fields" ? key.parts : key.by,
    name,
    externalCreatedAt: new Date(at).toISOString(),
    isPublic,
    attributes: Object.fromEntries(attributes.map((attribute) => [attribute.name, attribute.value])),
    publicAttributes: attributes.filter((attribute) => attribute.isPublic).map((attribute) => attribute.name),
    relatedDocument:
      other === undefined
        ? null
        : {
            ...(other.by === "id" ? { documentId: other.documentId } : { ref: other.kind, key: other.key }),
            ...related?.options,
          },
    target: target && {
      document: target.document.kind,
      key: target.document.key,
      externalId: target.externalId,
      fields: target.fields,
      ...parties(target),
    },
    propagateEvent: propagate,
    value: value ?? null,
    extra,
  };
}

function once(values: JsonValue[]): JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
