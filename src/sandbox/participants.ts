/** Participants (service.md, Resources: Participant; Endpoints: Participants). */
import { naturalKey, type ParticipantRecord } from "./records.js";
import { type Answer, jsonAnswer } from "./answer.js";
import { conflict, notFound, Refusal } from "./refusal.js";
import type { Call } from "./request.js";
import { checked, naturalKeyInput, type ParticipantInput, participantInput } from "./schemas.js";

/**
 * POST /participants: registers in the credential's dataset. A taken natural key is refused unless twins are allowed
 * (open point 2).
 */
export function createParticipant(call: Call): Answer {
  const input = checked(participantInput, call.body);
  if (!call.settings.twinParticipants && ownByKey(call, input) !== undefined) {
    throw conflict(`Participant ${input.countryCode} ${input.taxIdType} ${input.taxId} is already registered`);
  }
  const { id, snapshotId } = addParticipant(call, input);
  return jsonAnswer(201, { id, snapshotId });
}

/** GET /participants by natural key: the caller's own first, else another dataset's; 404 if none (open point 3). */
export function findParticipant(call: Call): Answer {
  const found = call.store.participantsByKey(naturalKey(checked(naturalKeyInput, call.query)));
  return shown(call, found.find((one) => one.dataset === call.caller.dataset) ?? found[0]);
}

/** GET /participants/{id} */
export function readParticipant(call: Call): Answer {
  return shown(call, call.store.participant(call.params["id"] ?? ""));
}

/** What the service does, 4: own records with every field, others only with identification. @throws Refusal 404 */
function shown({ caller }: Call, record: ParticipantRecord | undefined): Answer {
  if (record === undefined) throw notFound("Participant");
  const { snapshotId: _, dataset, ...own } = record;
  const { id, countryCode, taxIdType, taxId, name } = own;
  return jsonAnswer(200, dataset === caller.dataset ? own : { id, countryCode, taxIdType, taxId, name });
}

export function ownByKey({ store, caller }: Call, input: ParticipantInput): ParticipantRecord | undefined {
  return store.participantsByKey(naturalKey(input)).find(({ dataset }) => dataset === caller.dataset);
}

const NO_CONTACT = { email: "", mobileNumber: "", telephoneNumber: "" };

function addParticipant(call: Call, input: ParticipantInput): ParticipantRecord {
  const record = {
    id: call.newId(),
    snapshotId: call.newId(),
    dataset: call.caller.dataset,
    businessName: input.name,
    ...NO_CONTACT,
    ...input,
  } as ParticipantRecord;
  call.store.addParticipant(record);
  return record;
}

/**
 * Events rule 1: the inline form finds the caller's own record by natural key, or creates it. @throws Refusal 409 when
 * it differs from the registered one, under the setting inlineDiffers.
 */
export function findOrCreateParticipant(call: Call, input: ParticipantInput): string {
  const known = ownByKey(call, input);
  if (known === undefined) return addParticipant(call, input).id;
  agree(call, "participant", input, known);
  return known.id;
}

/** @throws Refusal 409 */
export function agree({ settings }: Call, what: string, input: object, known: object): void {
  const registered = new Map<string, unknown>(Object.entries(known));
  const [differing] = Object.entries(input).find(([name, value]) => registered.get(name) !== value) ?? [];
  if (differing !== undefined && settings.inlineDiffers === "refuse") {
    throw conflict(`The ${what} is registered with another ${differing}`);
  }
}

/** A participant that the caller may use; open point 28 covers other datasets. @throws Refusal 403 */
export function usable({ caller, settings }: Call, record: ParticipantRecord): string {
  if (record.dataset !== caller.dataset && settings.foreign === "refuse") {
    throw new Refusal(403, "The participant belongs to another dataset");
  }
  return record.id;
}
