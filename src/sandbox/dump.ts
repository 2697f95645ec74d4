/**
 * Every timeline, equal for two runs over the same rows: documents by externalId, events in order, natural data instead
 * of generated ids. As records, or as text.
 */
import { instantText } from "./instants.js";
import { isObject, type Json, type JsonObject } from "./json.js";
import type { DocumentRecord, EventOrigin, EventRecord } from "./records.js";
import type { Store } from "./store.js";

export interface DumpOptions {
  /** Include generated ids and deduplicationIds; default false. */
  ids?: boolean;
}

interface Ids {
  id?: string;
  deduplicationId?: string | null;
}

interface Whose {
  /** `BR CNPJ 11222333000181`. */
  participant: string | null;
  address: string | null;
}

export interface Timeline
  extends Ids,
    Whose,
    Pick<DocumentRecord, "externalId" | "state" | "origin" | "fields" | "dataset"> {
  events: TimelineEvent[];
}

export interface TimelineEvent extends Ids, Whose {
  at: string;
  name: string;
  origin: EventOrigin;
  isPublic: boolean;
  /** Its externalId. Absent: the event makes none. */
  target?: string | null;
  /** Its document's externalId. Absent: the event relates to none. */
  related?: { document: string | null; flags: JsonObject };
  /** All else that was sent. */
  fields: JsonObject;
}

/** Sorted by code units of the text, so that the order is the same everywhere. */
export function timelinesOf(store: Store, { ids = false }: DumpOptions = {}): Timeline[] {
  const idsOf = (id: string, deduplicationId: string | null): Ids => (ids ? { id, deduplicationId } : {});
  const eventOf = (event: EventRecord): TimelineEvent => {
    const { relatedDocument, ...fields } = event.body;
    const { documentId = null, ...flags } = isObject(relatedDocument) ? relatedDocument : {};
    const externalId = (id: Json) => store.document(typeof id === "string" ? id : "")?.externalId ?? null;
    return {
      at: instantText(event),
      name: event.name,
      origin: event.origin,
      isPublic: event.isPublic,
      ...place(store, event),
      ...(event.targetDocumentId === null ? {} : { target: externalId(event.targetDocumentId) }),
      ...(isObject(relatedDocument) ? { related: { document: externalId(documentId), flags } } : {}),
      fields,
      ...idsOf(event.eventId, event.deduplicationId),
    };
  };
  return store
    .documents()
    .map((document): [string, Timeline] => {
      const { externalId, state, origin, fields, dataset } = document;
      const events = store.eventsOf(document.id).map(eventOf);
      const own = idsOf(document.id, document.deduplicationId);
      const timeline = { externalId, state, origin, ...place(store, document), fields, dataset, ...own, events };
      return [blockOf(timeline), timeline];
    })
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([, timeline]) => timeline);
}

export const dumpTimelines = (store: Store, options: DumpOptions = {}): string =>
  timelinesOf(store, options)
    .map((timeline) => `${blockOf(timeline)}\n`)
    .join("\n");

function blockOf(timeline: Timeline): string {
  const { externalId, state, origin, fields, dataset, events } = timeline;
  const parts = [`document ${nameOf(externalId)}`, state];
  if (origin === "target") parts.push("from-target");
  parts.push(...whose(timeline), ...members(fields, JSON.stringify), `dataset=${dataset}`, ...keys(timeline));
  return [parts.join(" "), ...events.map(lineOf)].join("\n");
}

function lineOf(event: TimelineEvent): string {
  const { at, name, origin, isPublic, target, related, fields } = event;
  const parts = [`  ${at}`, JSON.stringify(name)];
  if (origin !== "sent") parts.push(origin);
  parts.push(isPublic ? "public" : "private", ...whose(event));
  if (target !== undefined) parts.push(`target=${nameOf(target)}`);
  if (related !== undefined) {
    parts.push(`related=${nameOf(related.document)}`);
    if (Object.keys(related.flags).length > 0) parts.push(stable(related.flags));
  }
  return [...parts, ...members(fields, stable), ...keys(event)].join(" ");
}

const nameOf = (externalId: string | null): string => (externalId === null ? "-" : JSON.stringify(externalId));

const whose = ({ participant, address }: Whose): string[] => [
  ...(participant === null ? [] : [`by=${JSON.stringify(participant)}`]),
  ...(address === null ? [] : [`at=${JSON.stringify(address)}`]),
];

const keys = ({ id, deduplicationId }: Ids): string[] =>
  id === undefined ? [] : [`id=${id}`, `key=${deduplicationId ?? "-"}`];

function place(store: Store, of: { participantId: string | null; addressId: string | null }): Whose {
  const participant = of.participantId === null ? undefined : store.participant(of.participantId);
  const address = of.addressId === null ? undefined : store.address(of.addressId);
  const { countryCode, taxIdType, taxId } = participant ?? {};
  return {
    participant: participant === undefined ? null : `${countryCode} ${taxIdType} ${taxId}`,
    address:
      address === undefined
        ? null
        : [address.name, address.street, address.number, address.city, address.countryState, address.countryCode].join(
            ", ",
          ),
  };
}

/** Sorted by name. */
const members = (of: JsonObject, textOf: (value: Json) => string): string[] =>
  Object.keys(of)
    .toSorted()
    .map((name) => `${name}=${textOf(of[name] ?? null)}`);

/** With sorted names. */
function stable(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${stable(value[name] ?? null)}`).join(",")}}`;
}
