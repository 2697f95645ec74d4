/** Documents and their timelines as a service of service.md may keep them: in memory, rules 1 to 11 of Events, states. */
import type { Personality } from "./personality.js";
import { type Body, isBody, type Json, Refusal, type Register, textOf } from "./register.js";

export interface TimelineEvent {
  id: string;
  name: string;
  /** ms since 1970. */
  at: number;
  key: string | null;
  /** Who wrote it: the caller, or the service as a back-reference or a propagated copy. */
  by: "caller" | "mirror" | "copy";
  /** The natural number of its participant. */
  taxId: string;
  body: Body;
}

export interface Doc {
  id: string;
  externalId: string | null;
  key: string | null;
  state: "open" | "closed" | "cancelled";
  events: TimelineEvent[];
  related: Set<Doc>;
  /** Appends are answered PENDING until then, ms since 1970. */
  pendingUntil: number;
  /** Whether a whole 2xx with its id has left for the client. */
  told: boolean;
  isTarget: boolean;
}

export interface Appended {
  doc: Doc;
  created: boolean;
  results: { eventId: string; target: Doc | null }[];
}

export interface Timelines {
  docs: Doc[];
  createAlone(body: Body): Doc;
  /** Throws Refusal; what is kept then is up to the personality. */
  append(body: Body): Appended;
}

const invalid = (message: string) => new Refusal(400, "VALIDATION_ERROR", message);
const conflict = (message: string) => new Refusal(409, "CONFLICT_ERROR", message);

export function createTimelines(nature: Personality, register: Register, clock: () => number): Timelines {
  const docs: Doc[] = [];
  const keys = new Set<string>();
  let undo: (() => void)[] = [];

  const scoped = (key: string, doc: Doc | null) =>
    nature.keyScope === "integrator" || doc === null ? key : `${doc.id} ${key}`;

  function checkKey(key: Json | undefined, doc: Doc | null) {
    if (key === undefined || key === null) return null;
    if (typeof key !== "string" || key === "") throw invalid("deduplicationId must be a non-empty string");
    if (keys.has(scoped(key, doc)))
      throw conflict(`Document deduplicationId: (${nature.duplicateNames === "key" ? key : "..."}) already exists`);
    return key;
  }

  function take(key: string | null, doc: Doc | null) {
    if (key === null) return;
    const name = scoped(key, doc);
    keys.add(name);
    undo.push(() => keys.delete(name));
  }

  function make(body: Body, isTarget: boolean) {
    register.references(body, isTarget ? "target" : "document", !isTarget);
    const key = checkKey(body["deduplicationId"], null);
    const externalId = body["externalId"];
    if (externalId !== undefined && typeof externalId !== "string") throw invalid("externalId must be a string");
    const doc: Doc = {
      id: register.newId("d", key ?? JSON.stringify(body)),
      externalId: externalId ?? null,
      key,
      state: "open",
      events: [],
      related: new Set(),
      pendingUntil: 0,
      told: false,
      isTarget,
    };
    docs.push(doc);
    undo.push(() => docs.splice(docs.indexOf(doc), 1));
    take(key, null);
    return doc;
  }

  function checkShape(event: Body, place: string) {
    const { name, isPublic, externalCreatedAt: at, metadata } = event;
    if (typeof name !== "string" || name === "") throw invalid(`${place}.name must be a string`);
    if (typeof isPublic !== "boolean") throw invalid(`${place}.isPublic must be a boolean`);
    if (typeof at !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(at) || Number.isNaN(Date.parse(at)))
      throw invalid(`${place}.externalCreatedAt must be ISO 8601`);
    const attributes = isBody(metadata) ? metadata["attributes"] : undefined;
    if (metadata !== undefined && !Array.isArray(attributes))
      throw invalid(`${place}.metadata.attributes must be an array`);
    for (const attribute of Array.isArray(attributes) ? attributes : [])
      if (
        !isBody(attribute) ||
        typeof attribute["name"] !== "string" ||
        typeof attribute["value"] !== "string" ||
        typeof attribute["isPublic"] !== "boolean"
      )
        throw invalid(`${place}: every attribute requires name, value and isPublic`);
    if (name === "CANCEL" && !hasReason(attributes)) throw invalid("The reason metadata is required for CANCEL events");
    if (event["propagateEvent"] === true && event["value"] !== undefined)
      throw invalid(`${place}: value cannot be sent on a propagated event`);
    if (name === "RELATED") checkRelation(event["relatedDocument"], place);
  }

  function checkRelation(related: Json | undefined, place: string) {
    if (!isBody(related) || typeof related["documentId"] !== "string")
      throw invalid(`${place}.relatedDocument.documentId is required`);
    if (related["bidirectional"] !== false) {
      if (typeof related["isPublic"] !== "boolean") throw invalid(`${place}.relatedDocument.isPublic is required`);
      return;
    }
    for (const name of ["eventName", "eventLabel", "preserveSensitiveData", "isBackReference", "isPublic"])
      if (related[name] !== undefined) throw invalid(`${place}.relatedDocument.${name} is not allowed`);
  }

  function checkPlace(doc: Doc, name: string, at: number) {
    if (doc.state === "cancelled") throw conflict("The document is cancelled");
    if (doc.state === "closed" && name !== "RELATED" && name !== "CANCEL") throw conflict("The document is closed");
    if (at >= clock()) throw invalid("externalCreatedAt must be before the current time");
    if (at < (doc.events.at(-1)?.at ?? Number.NEGATIVE_INFINITY))
      throw invalid("externalCreatedAt must not be earlier than the last event of the document");
  }

  function write(doc: Doc, event: Omit<TimelineEvent, "id">) {
    const written = { ...event, id: register.newId("e", `${doc.id} ${event.key ?? JSON.stringify(event.body)}`) };
    const { state } = doc;
    doc.events.push(written);
    if (event.name === "CLOSE") doc.state = "closed";
    if (event.name === "CANCEL") doc.state = "cancelled";
    undo.push(() => {
      doc.events.splice(doc.events.indexOf(written), 1);
      doc.state = state;
    });
    return written;
  }

  function appendOne(doc: Doc, event: Body) {
    const name = textOf(event["name"]);
    const at = Date.parse(textOf(event["externalCreatedAt"]));
    if (nature.checks === "order-first") checkPlace(doc, name, at);
    const key = checkKey(event["deduplicationId"], doc);
    if (nature.checks === "duplicate-first") checkPlace(doc, name, at);
    const who = register.references(event, "event", true);
    const taxId = register.participant(who?.participantId ?? "").data["taxId"] ?? "";
    const related = isBody(event["relatedDocument"]) && name === "RELATED" ? event["relatedDocument"] : null;
    const target =
      event["target"] === undefined ? null : isBody(event["target"]) ? make(event["target"], true) : undefined;
    if (target === undefined) throw invalid("target must be an object");
    let mirror: (() => void) | null = null;
    if (related !== null) {
      const other = docs.find(({ id }) => id === related["documentId"]);
      if (other === undefined) throw new Refusal(404, "NOT_FOUND", "The related document does not exist");
      if (related["bidirectional"] !== false) {
        const mirrorAt = nature.linkTime === "server" ? clock() - 1 : at;
        checkPlace(other, "RELATED", mirrorAt);
        const mirrored = textOf(related["eventName"]) || "RELATED";
        mirror = () => void write(other, { name: mirrored, at: mirrorAt, key: null, by: "mirror", taxId, body: event });
        doc.related.add(other);
        other.related.add(doc);
      }
    }
    take(key, doc);
    const written = write(doc, { name, at, key, by: "caller", taxId, body: event });
    mirror?.();
    if (event["propagateEvent"] === true)
      for (const other of doc.related) {
        checkPlace(other, name, at);
        write(other, { name, at, key: null, by: "copy", taxId, body: event });
      }
    return { eventId: written.id, target };
  }

  function append(body: Body) {
    const { documentId, document, events } = body;
    if ((documentId === undefined) === (document === undefined))
      throw invalid("Exactly one of documentId or document must be provided");
    if (!Array.isArray(events) || events.length === 0 || !events.every(isBody))
      throw invalid("events must not be empty");
    if (nature.maxEvents !== null && events.length > nature.maxEvents)
      throw new Refusal(413, "PAYLOAD_TOO_LARGE", "Too many events");
    events.forEach((event, index) => checkShape(event, `events[${index}]`));
    register.checkIdentities(isBody(document) ? [document, ...events] : events);
    undo = [];
    try {
      let doc: Doc | undefined;
      if (document === undefined) {
        doc = docs.find(({ id }) => id === documentId);
        if (doc === undefined) throw new Refusal(404, "NOT_FOUND", "Document not found");
        if (clock() < doc.pendingUntil)
          throw new Refusal(409, "PENDING_PROCESS_CONFLICT_ERROR", "A background process is running");
      } else {
        if (!isBody(document)) throw invalid("document must be an object");
        if (nature.createDuplicate === "event") for (const event of events) checkKey(event["deduplicationId"], null);
        doc = make(document, false);
      }
      const results = [];
      for (const event of events) results.push(appendOne(doc, event));
      return { doc, created: document !== undefined, results };
    } catch (error) {
      if (nature.batches === "atomic") for (const step of undo.toReversed()) step();
      throw error;
    }
  }

  return {
    docs,
    append,
    createAlone(body) {
      if (nature.shell === "needs-externalId" && typeof body["externalId"] !== "string")
        throw invalid("externalId is required");
      undo = [];
      return make(body, false);
    },
  };
}

function hasReason(attributes: Json | undefined) {
  return (
    Array.isArray(attributes) &&
    attributes.some((one) => isBody(one) && one["name"] === "reason" && textOf(one["value"]).trim() !== "")
  );
}
