/** Makes the calls of the service's interface (service.md, Endpoints). Bodies come as finished JSON text, or as plain records. */
import { RowferryError } from "../model/error.js";
import type { JsonObject } from "../model/json.js";
import type { ParticipantRecord } from "../model/records.js";
import { idFault } from "../model/service-id.js";
import type { Call } from "./call.js";

/** GET /participants by natural key; the tax id goes out exactly as it would be created (HARD-CASES H32). */
export function lookupParticipant(natural: { countryCode: string; taxIdType: string; taxId: string }): Call {
  const { countryCode, taxId, taxIdType } = natural;
  return {
    kind: "lookup-participant",
    method: "GET",
    path: "/participants",
    query: { countryCode, taxId, taxIdType },
    safety: "read",
  };
}

export function readParticipant(id: string): Call {
  return { kind: "read-participant", method: "GET", path: `/participants/${segment(id)}`, safety: "read" };
}

export function createParticipant(data: ParticipantRecord["data"]): Call {
  return {
    kind: "create-participant",
    method: "POST",
    path: "/participants",
    body: JSON.stringify(data),
    safety: "registration",
  };
}

export function listAddresses(participantId: string): Call {
  return {
    kind: "list-addresses",
    method: "GET",
    path: `/participants/${segment(participantId)}/addresses`,
    safety: "read",
  };
}

/** `data`: the six create fields, and the extended ones where the setting says so (open-points 4). */
export function createAddress(participantId: string, data: JsonObject): Call {
  return {
    kind: "create-address",
    method: "POST",
    path: `/participants/${segment(participantId)}/addresses`,
    body: JSON.stringify(data),
    safety: "registration",
  };
}

/** POST /documents: the document alone, under its deduplicationId (open-points 25). */
export function createDocument(body: JsonObject | string): Call {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "create-document", method: "POST", path: "/documents", body: text, safety: "keyed" };
}

/** POST /documents/events with `document` and `events`. */
export function createWithEvents(bodyText: string): Call {
  return { kind: "create-with-events", method: "POST", path: "/documents/events", body: bodyText, safety: "keyed" };
}

/** POST /documents/events with `documentId` and `events`. */
export function appendEvents(bodyText: string): Call {
  return { kind: "append-events", method: "POST", path: "/documents/events", body: bodyText, safety: "keyed" };
}

/** POST /documents/{documentId}/events with one event. */
export function appendEvent(documentId: string, bodyText: string): Call {
  const path = `/documents/${segment(documentId)}/events`;
  return { kind: "append-events", method: "POST", path, body: bodyText, safety: "keyed" };
}

export function readDocument(id: string): Call {
  return { kind: "read-document", method: "GET", path: `/documents/${segment(id)}`, safety: "read" };
}

/** An id as one segment of a path. Ids are looked at where they come in; this is the last door. */
function segment(id: string): string {
  const fault = idFault(id);
  if (fault !== null)
    throw new RowferryError("identifier-unusable", `The id ${JSON.stringify(id.slice(0, 80))} ${fault}.`);
  return encodeURIComponent(id);
}
