/** Participants (service.md, Resources: Participant; Endpoints: Participants). */
import { type Call, type Caller, type Context, freshId } from "./context.js";
import type { Json, JsonObject } from "./json.js";
import type { ParticipantRecord } from "./records.js";
import { naturalKey } from "./records.js";
import { conflict, invalid, notFound, Refusal } from "./refusal.js";
import type { Reply } from "./request.js";
import { type ParticipantInput, participantInput } from "./schemas.js";
import { checked } from "./validation.js";

/** POST /participants: registers in the credential's dataset. A taken natural key is refused unless twins are allowed (open point 2). */
export function createParticipant(context: Context, { caller, body }: Call): Reply {
  const input = checked(participantInput, body);
  const known = ownByKey(context, caller, input);
  if (known !== undefined && !context.settings.twinParticipants) {
    throw conflict(`Participant ${input.countryCode} ${input.taxIdType} ${input.taxId} is already registered`);
  }
  const record = addParticipant(context, caller, input);
  const answer: JsonObject = { id: record.id };
  if (context.rule("participant.snapshot-on-create")) answer["snapshotId"] = record.snapshotId;
  return { status: 201, body: answer };
}

/** GET /participants by natural key: the caller's own first, else one of another dataset; 404 when there is none (open point 3). */
export function findParticipant(context: Context, { caller, query }: Call): Reply {
  const { countryCode = "", taxIdType = "", taxId = "" } = query;
  const missing = Object.entries({ countryCode, taxIdType, taxId }).filter(([, value]) => value === "");
  if (missing.length > 0) throw invalid(`Missing in the query: ${missing.map(([name]) => name).join(", ")}`);
  const found = context.rule("participant.natural-key")
    ? context.store.participantsByKey(naturalKey({ countryCode, taxIdType, taxId }))
    : context.store.participants().filter((record) => record.taxId === taxId);
  const record = found.find((one) => one.dataset === caller.dataset) ?? found[0];
  if (record === undefined) throw notFound("Participant");
  return { status: 200, body: participantView(context, caller, record) };
}

/** GET /participants/{id} */
export function readParticipant(context: Context, { caller, params }: Call): Reply {
  const record = context.store.participant(params["id"] ?? "");
  if (record === undefined && !context.rule("participant.not-found")) return { status: 200, body: {} };
  if (record === undefined || !context.rule("participant.read-by-id")) throw notFound("Participant");
  return { status: 200, body: participantView(context, caller, record) };
}

/** What the service does, 4: every field of own records; of others only what identifies them. */
function participantView(context: Context, caller: Caller, record: ParticipantRecord): Json {
  const { id, countryCode, taxIdType, taxId, name } = record;
  const own = record.dataset === caller.dataset;
  if (own ? !context.rule("dataset.own-fields") : context.rule("dataset.foreign-fields")) {
    return { id, countryCode, taxIdType, taxId, name };
  }
  const { type, businessName, email, mobileNumber, telephoneNumber } = record;
  const snapshot = context.rule("participant.snapshot-only-on-create") ? {} : { snapshotId: record.snapshotId };
  const fields = { id, countryCode, taxIdType, taxId, name, type, businessName, email, mobileNumber, telephoneNumber };
  return { ...fields, ...snapshot };
}

function ownByKey(context: Context, caller: Caller, input: ParticipantInput): ParticipantRecord | undefined {
  return context.store.participantsByKey(naturalKey(input)).find((record) => record.dataset === caller.dataset);
}

function addParticipant(context: Context, caller: Caller, input: ParticipantInput): ParticipantRecord {
  const record: ParticipantRecord = {
    id: freshId(context, (id) => context.store.participant(id)),
    snapshotId: context.newId(),
    dataset: caller.dataset,
    countryCode: input.countryCode,
    taxIdType: input.taxIdType,
    taxId: input.taxId,
    name: input.name,
    type: input.type,
    businessName: input.businessName ?? input.name,
    email: input.email ?? "",
    mobileNumber: input.mobileNumber ?? "",
    telephoneNumber: input.telephoneNumber ?? "",
  };
  context.store.addParticipant(record);
  return record;
}

/** Events rule 1: the inline form finds the caller's own record by natural key, or creates it. */
export function findOrCreateParticipant(context: Context, caller: Caller, input: ParticipantInput): string {
  const known = context.rule("events.inline-finds") ? ownByKey(context, caller, input) : undefined;
  if (known !== undefined) return known.id;
  if (!context.rule("events.inline-creates")) throw invalid("participant: not registered");
  return addParticipant(context, caller, input).id;
}

/** A participant that the caller may use; whether those of another dataset may be is open point 28. @throws Refusal 403 */
export function usable(context: Context, caller: Caller, record: ParticipantRecord): ParticipantRecord {
  if (record.dataset !== caller.dataset && context.settings.foreign === "refuse") {
    throw new Refusal(403, "The participant belongs to another dataset");
  }
  return record;
}
