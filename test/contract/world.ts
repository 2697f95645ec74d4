/**
 * Fresh participants, addresses, documents and events for a case, and the ways to send them.
 * Documents are created by POST /documents/events with a `document`, the form the specification shows.
 */
import type { Answer } from "./answer.js";
import { check, done, duplicate, stringAt } from "./expect.js";
import type { Caller, ServiceUnderTest } from "./service.js";

export type Fields = Record<string, unknown>;

/** A registered participant with one address. */
export interface Place {
  participantId: string;
  addressId: string;
}

/** Which of the two event endpoints carries an event. */
export type Endpoint = "single" | "batch";
export const ENDPOINTS: readonly Endpoint[] = ["single", "batch"];

/** The five create fields of a participant nobody has registered. */
export function participantFields(service: ServiceUnderTest, over: Fields = {}): Fields {
  const { countryCode, taxIdType, participantType } = service.profile;
  return {
    countryCode,
    taxIdType,
    taxId: service.taxId(),
    name: service.unique("Company"),
    type: participantType,
    ...over,
  };
}

/** The query that looks a participant up by its natural key. */
export function naturalKey(fields: Fields): { countryCode: string; taxId: string; taxIdType: string } {
  const { countryCode, taxId, taxIdType } = fields;
  return { countryCode: String(countryCode), taxId: String(taxId), taxIdType: String(taxIdType) };
}

/** The six create fields of an address. */
export function addressFields(service: ServiceUnderTest, over: Fields = {}): Fields {
  const { countryCode, knownPlace } = service.profile;
  return {
    ...knownPlace,
    countryCode,
    name: service.unique("Site"),
    street: service.unique("Rua Augusta"),
    number: "1508",
    ...over,
  };
}

/** Registers a participant. */
export async function newParticipant(
  service: ServiceUnderTest,
  over: Fields = {},
  as: Caller = "first",
): Promise<{ id: string; fields: Fields; answer: Answer }> {
  const fields = participantFields(service, over);
  const answer = done(await service.post("/participants", fields, { as }));
  return { id: stringAt(answer, "id"), fields, answer };
}

/** Registers an address under a participant. */
export async function newAddress(
  service: ServiceUnderTest,
  participantId: string,
  over: Fields = {},
  as: Caller = "first",
): Promise<{ id: string; fields: Fields; answer: Answer }> {
  const fields = addressFields(service, over);
  const answer = done(await service.post(`/participants/${participantId}/addresses`, fields, { as }));
  return { id: stringAt(answer, "id"), fields, answer };
}

/** A participant with an address. */
export async function newPlace(service: ServiceUnderTest, as: Caller = "first"): Promise<Place> {
  const { id } = await newParticipant(service, {}, as);
  const address = await newAddress(service, id, {}, as);
  return { participantId: id, addressId: address.id };
}

/** Times counted in minutes from a day ago. */
export function dayAgo(service: ServiceUnderTest): (minutes: number) => string {
  const start = service.now() - 86_400_000;
  return (minutes) => new Date(start + minutes * 60_000).toISOString();
}

/** A document payload with fresh keys. */
export function documentFields(service: ServiceUnderTest, place: Place, over: Fields = {}): Fields {
  return {
    ...service.profile.document,
    externalId: service.unique("external"),
    deduplicationId: service.unique("document"),
    participantId: place.participantId,
    addressId: place.addressId,
    ...over,
  };
}

/** A custom event with a fresh key; members given as undefined are left out. */
export function eventFields(
  service: ServiceUnderTest,
  place: Place,
  externalCreatedAt: string,
  over: Fields = {},
): Fields {
  return {
    name: "Pick-up",
    externalCreatedAt,
    isPublic: false,
    deduplicationId: service.unique("event"),
    participantId: place.participantId,
    addressId: place.addressId,
    ...over,
  };
}

/** A document with one event at `at(0)`, a day ago; its timeline and what may be sent to it. */
export class Document implements Place {
  readonly #service: ServiceUnderTest;
  readonly participantId: string;
  readonly addressId: string;
  readonly id: string;
  /** Its deduplicationId. */
  readonly key: string;
  readonly externalId: string;
  readonly firstEventId: string;
  /** A time in the past, so many minutes after the first event; fractions are seconds. */
  readonly at: (minutes: number) => string;

  constructor(service: ServiceUnderTest, fields: Fields, answer: Answer, at: Document["at"]) {
    this.#service = service;
    this.participantId = String(fields["participantId"]);
    this.addressId = String(fields["addressId"]);
    this.id = stringAt(answer, "documentId");
    this.key = String(fields["deduplicationId"]);
    this.externalId = String(fields["externalId"]);
    this.firstEventId = stringAt(answer, "events", 0, "eventId");
    this.at = at;
  }

  /** An event of this document's participant and address, at a time or so many minutes after the first event. */
  event(when: number | string, over: Fields = {}): Fields {
    return eventFields(this.#service, this, typeof when === "number" ? this.at(when) : when, over);
  }

  /** A CANCEL event with its reason. */
  cancel(when: number | string, over: Fields = {}): Fields {
    const metadata = { attributes: [{ name: "reason", value: "entered twice", isPublic: false }] };
    return this.event(when, { name: "CANCEL", metadata, ...over });
  }

  /** A RELATED event that points at `documentId`; bidirectional unless `related` says otherwise. */
  related(when: number | string, documentId: string, related: Fields = { isPublic: false }): Fields {
    return this.event(when, { name: "RELATED", relatedDocument: { documentId, ...related } });
  }

  /** A target payload with fresh keys. */
  target(over: Fields = {}): Fields {
    return documentFields(this.#service, this, { ...this.#service.profile.target, ...over });
  }

  /** Sends one event by either endpoint; judges nothing. */
  send(event: Fields, by: Endpoint = "single", as: Caller = "first"): Promise<Answer> {
    return send(this.#service, this.id, event, by, as);
  }

  /** Sends these events in one request; judges nothing. */
  batch(...events: readonly unknown[]): Promise<Answer> {
    return this.#service.post("/documents/events", { documentId: this.id, events });
  }

  /** Appends one event and returns its eventId. */
  async append(event: Fields, by: Endpoint = "single"): Promise<string> {
    const answer = done(await this.send(event, by));
    return by === "single" ? stringAt(answer, "eventId") : stringAt(answer, "events", 0, "eventId");
  }

  /** Whether the timeline holds an event later than `moment`, told by its refusing one at that time (Events 7). */
  async hasLaterThan(moment: string): Promise<boolean> {
    const answer = await this.send(this.event(moment, { name: "Probe" }));
    check(answer.status < 500 && answer.status !== 404, `the probe went wrong: ${answer.asked} ${answer.status}`);
    return answer.status >= 400;
  }

  /** Shows that a refused event left no trace: its key and a time before its own are still free. */
  async leftNoTrace(refusedEvent: Fields): Promise<void> {
    const key = refusedEvent["deduplicationId"];
    const again = this.event(0, { name: "Again", deduplicationId: key });
    done(await this.send(again));
    duplicate(await this.send(again), String(key));
  }
}

/** Asks for a document with events at these times, one at its own time by default; judges nothing. */
export function create(
  service: ServiceUnderTest,
  place: Place,
  over: Fields = {},
  times: readonly string[] = [dayAgo(service)(0)],
): Promise<Answer> {
  const document = documentFields(service, place, { externalCreatedAt: dayAgo(service)(0), ...over });
  return service.post("/documents/events", { document, events: times.map((at) => eventFields(service, place, at)) });
}

/** Creates a document with one event. `place` is made when none is given. */
export async function newDocument(
  service: ServiceUnderTest,
  given: { place?: Place; as?: Caller; fields?: Fields } = {},
): Promise<Document> {
  const as = given.as ?? "first";
  const place = given.place ?? (await newPlace(service, as));
  const at = dayAgo(service);
  const document = documentFields(service, place, { externalCreatedAt: at(0), ...given.fields });
  const events = [eventFields(service, place, at(0), { name: "Registered" })];
  const answer = done(await service.post("/documents/events", { document, events }, { as }));
  return new Document(service, { ...document, ...place }, answer, at);
}

/** Sends one event by either endpoint; judges nothing. */
export function send(
  service: ServiceUnderTest,
  documentId: string,
  event: Fields,
  by: Endpoint = "single",
  as: Caller = "first",
): Promise<Answer> {
  return by === "single"
    ? service.post(`/documents/${documentId}/events`, event, { as })
    : service.post("/documents/events", { documentId, events: [event] }, { as });
}
