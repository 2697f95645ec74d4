/** Makes the calls of service.md, Endpoints, from JSON text or plain records. */
import { RowferryError } from "../model/error.js";
import type { JsonObject } from "../model/json.js";
import type { ParticipantRecord } from "../model/records.js";
import { idFault } from "../model/service-id.js";
import type { Call, CallKind } from "./call.js";

const read = (kind: CallKind, path: string): Call => ({ kind, method: "GET", path, safety: "read" });

const write = (kind: CallKind, path: string, safety: "keyed" | "registration", body: string): Call => ({
  kind,
  method: "POST",
  path,
  safety,
  body,
});

/** The tax id goes out exactly as a create would send it (H32). */
export function lookupParticipant(natural: { countryCode: string; taxIdType: string; taxId: string }): Call {
  const { countryCode, taxId, taxIdType } = natural;
  return { ...read("lookup-participant", "/participants"), query: { countryCode, taxId, taxIdType } };
}

/** Is looked up to see whether the service answers at all. */
export const NOBODY = { countryCode: "ZZ", taxIdType: "NONE", taxId: "rowferry-doctor" };

export const readParticipant = (id: string): Call => read("read-participant", `/participants/${segment(id)}`);

export const createParticipant = (data: ParticipantRecord["data"]): Call =>
  write("create-participant", "/participants", "registration", JSON.stringify(data));

export const listAddresses = (participantId: string): Call =>
  read("list-addresses", `/participants/${segment(participantId)}/addresses`);

/** `data`: the six create fields, and the extended ones if set (open point 4). */
export const createAddress = (participantId: string, data: JsonObject): Call =>
  write("create-address", `/participants/${segment(participantId)}/addresses`, "registration", JSON.stringify(data));

/** The document alone (open point 25). */
export const createDocument = (body: string): Call => write("create-document", "/documents", "keyed", body);

export const createWithEvents = (body: string): Call => write("create-with-events", "/documents/events", "keyed", body);

export const appendEvents = (body: string): Call => write("append-events", "/documents/events", "keyed", body);

export const readDocument = (id: string): Call => read("read-document", `/documents/${segment(id)}`);

/** Ids are checked where they come in; this is the last check. */
function segment(id: string): string {
  const fault = idFault(id);
  if (fault !== null)
    throw new RowferryError("identifier-unusable", `The id ${JSON.stringify(id.slice(0, 80))} ${fault}.`);
  return encodeURIComponent(id);
}
