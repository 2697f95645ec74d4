/** Addresses (service.md, Resources: Address; Endpoints: Addresses). */
import { resolveGeography } from "./geography.js";
import { type Answer, jsonAnswer } from "./answer.js";
import type { JsonObject } from "./json.js";
import { agree, usable } from "./participants.js";
import { type AddressRecord, type ParticipantRecord, placeOf } from "./records.js";
import { invalid, notFound } from "./refusal.js";
import type { Call } from "./request.js";
import { type AddressInput, addressInput, checked, strictAddressInput } from "./schemas.js";

/** Replaces a street that another dataset registered. */
export const STREET_MASK = "*****";

/** POST /participants/{participantId}/addresses. A repeated address is doubled (open point 5). */
export function createAddress(call: Call): Answer {
  const participantId = usable(call, ownerOf(call));
  const { id, snapshotId, geography } = addAddress(call, participantId, checkedAddress(call, call.body));
  return jsonAnswer(201, { id, snapshotId, geography });
}

/**
 * GET /participants/{participantId}/addresses: an array of all, unless the setting pageSize cuts it (open point 21).
 */
export function listAddresses(call: Call): Answer {
  const { id } = ownerOf(call);
  const all = call.store.addressesOf(id).map((record) => addressView(call, record));
  const { pageSize } = call.settings;
  if (pageSize === null) return jsonAnswer(200, all);
  const page = Number(call.query["page"] ?? 1);
  if (!Number.isSafeInteger(page) || page < 1) throw invalid("page: must be a number from 1");
  const next = `</participants/${encodeURIComponent(id)}/addresses?page=${page + 1}>; rel="next"`;
  return jsonAnswer(
    200,
    all.slice((page - 1) * pageSize, page * pageSize),
    page * pageSize < all.length ? { link: next } : {},
  );
}

function ownerOf({ store, params }: Call): ParticipantRecord {
  const owner = store.participant(params["participantId"] ?? "");
  if (owner === undefined) throw notFound("Participant");
  return owner;
}

/** What the service does, 4: own records whole; others with identification and location only, and the street masked. */
function addressView({ caller }: Call, record: AddressRecord): JsonObject {
  const { snapshotId: _, dataset, complement, ...view } = record;
  return dataset === caller.dataset ? { ...view, complement } : { ...view, street: STREET_MASK };
}

/** @throws Refusal 400 or 422; under strictAddresses also for a field besides the six (open point 4). */
export function checkedAddress({ settings }: Call, input: unknown, at = ""): AddressInput {
  return settings.strictAddresses ? checked(strictAddressInput, input, at) : checked(addressInput, input, at);
}

const NOTHING_MORE = { complement: null, neighborhood: null, zipCode: null, latitude: null, longitude: null };

function addAddress(call: Call, participantId: string, input: AddressInput): AddressRecord {
  const record = {
    id: call.newId(),
    snapshotId: call.newId(),
    dataset: call.caller.dataset,
    participantId,
    ...NOTHING_MORE,
    ...input,
    geography: resolveGeography(input, call.newId(), call.now()),
  } as AddressRecord;
  call.store.addAddress(record);
  return record;
}

/**
 * Events rule 1: the inline form finds the caller's own address of that participant and place, or creates it. @throws
 * Refusal 409 when it differs from the registered one, under the setting inlineDiffers.
 */
export function findOrCreateAddress(call: Call, participantId: string, input: AddressInput): string {
  const known = call.store.addressAt(participantId, call.caller.dataset, placeOf(input));
  if (known === undefined) return addAddress(call, participantId, input).id;
  agree(call, "address", input, known);
  return known.id;
}
