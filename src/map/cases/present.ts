/** Records in the words of the mapping language, as cases write them. */
import type { JsonValue } from "../../model/json.js";
import type {
  AddressRecord,
  AddressRef,
  DocumentRecord,
  EventRecord,
  ParticipantRecord,
  ParticipantRef,
  Records,
} from "../../model/records.js";

export interface Presented {
  participants: JsonValue[];
  addresses: JsonValue[];
  documents: JsonValue[];
  events: JsonValue[];
}

/** Records of several rows in order; what repeats is given once. Participants and addresses of the rows are called by their names. */
export function presentRecords(all: readonly Records[]): Presented {
  const names = new Map<string, string>();
  for (const records of all) {
    for (const { kind, natural } of records.participants) names.set(natural, kind);
  }
  const places = new Map<string, string>();
  for (const records of all) {
    for (const { kind, participant, identity } of records.addresses)
      places.set(JSON.stringify([participant, identity]), kind);
  }
  const participantName = (ref: ParticipantRef | null): JsonValue => {
    if (ref === null) return null;
    if (ref.by === "id") return { id: ref.id };
    if (ref.by === "alias") return { ref: ref.kind, key: ref.key };
    return names.get(ref.key) ?? { natural: unprefixed(ref.key) };
  };
  const addressName = (ref: AddressRef | null): JsonValue => {
    if (ref === null) return null;
    if (ref.by === "id") return { id: ref.id };
    if (ref.by === "alias") return { ref: ref.kind, key: ref.key };
    return (
      places.get(JSON.stringify([ref.participant, ref.identity])) ?? { participant: participantName(ref.participant) }
    );
  };
  const parties = (record: { participant: ParticipantRef | null; address: AddressRef | null }) => ({
    participant: participantName(record.participant),
    address: addressName(record.address),
  });
  return {
    participants: once(all.flatMap((records) => records.participants.map(presentParticipant))),
    addresses: once(
      all.flatMap((records) =>
        records.addresses.map((record) => presentAddress(record, participantName(record.participant))),
      ),
    ),
    documents: once(
      all.flatMap((records) => records.documents.map((record) => ({ ...presentDocument(record), ...parties(record) }))),
    ),
    events: all.flatMap((records) =>
      records.events.map((record) => ({ ...presentEvent(record, parties), ...parties(record) })),
    ),
  };
}

function presentParticipant({ kind, alias, data }: ParticipantRecord): { [name: string]: JsonValue } {
  return { name: kind, key: alias, data: { ...data } };
}

function presentAddress(
  { kind, alias, data, extended }: AddressRecord,
  participant: JsonValue,
): { [name: string]: JsonValue } {
  return { name: kind, key: alias, participant, data: { ...data, ...extended } };
}

function presentDocument({ kind, key, mode, documentId, externalId, fields, createEmpty }: DocumentRecord): {
  [name: string]: JsonValue;
} {
  return { name: kind, key, mode, documentId, externalId, fields, createEmpty };
}

function presentEvent(
  record: EventRecord,
  parties: (record: { participant: ParticipantRef | null; address: AddressRef | null }) => {
    [name: string]: JsonValue;
  },
): { [name: string]: JsonValue } {
  const { document, event, key, name, at, isPublic, attributes, related, target, propagate, value, extra } = record;
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
      related === null
        ? null
        : {
            ...(related.document.by === "id"
              ? { documentId: related.document.documentId }
              : { ref: related.document.kind, key: related.document.key }),
            ...related.options,
          },
    target:
      target === null
        ? null
        : {
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
  const seen = new Set<string>();
  return values.filter((value) => {
    const text = JSON.stringify(value);
    return seen.has(text) ? false : seen.add(text) !== undefined;
  });
}

/** The parts of a length-prefixed text. */
function unprefixed(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest !== "") {
    const colon = rest.indexOf(":");
    const length = Number(rest.slice(0, colon));
    parts.push(rest.slice(colon + 1, colon + 1 + length));
    rest = rest.slice(colon + 1 + length);
  }
  return parts;
}
