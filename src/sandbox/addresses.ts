/** Addresses (service.md, Resources: Address; Endpoints: Addresses). */
import { type Call, type Caller, type Context, freshId } from "./context.js";
import { resolveGeography } from "./geography.js";
import type { JsonObject } from "./json.js";
import { usable } from "./participants.js";
import type { AddressRecord, ParticipantRecord } from "./records.js";
import { placeOf } from "./records.js";
import { invalid, notFound } from "./refusal.js";
import type { Reply } from "./request.js";
import { type AddressInput, addressInput, strictAddressInput } from "./schemas.js";
import { checked } from "./validation.js";

/** What is shown of a street that another dataset registered. */
export const STREET_MASK = "*****";

/** POST /participants/{participantId}/addresses. A repeated address is doubled (open point 5). */
export function createAddress(context: Context, { caller, params, body }: Call): Reply {
  const owner = ownerOf(context, params);
  if (owner !== undefined) usable(context, caller, owner);
  const input = checkedAddress(context, body);
  const record = addAddress(context, caller, owner?.id ?? params["participantId"] ?? "", input);
  const answer: JsonObject = { id: record.id };
  if (context.rule("address.snapshot-on-create")) answer["snapshotId"] = record.snapshotId;
  if (context.rule("address.geography-on-create")) answer["geography"] = record.geography;
  return { status: 201, body: answer };
}

/** GET /participants/{participantId}/addresses: an array; all of them unless the option pageSize cuts it (open point 21). */
export function listAddresses(context: Context, { caller, params, query }: Call): Reply {
  const owner = ownerOf(context, params);
  const all = context.rule("address.of-one-participant")
    ? context.store.addressesOf(owner?.id ?? "")
    : context.store.addresses();
  const { pageSize } = context.settings;
  if (pageSize === null) return { status: 200, body: all.map((record) => addressView(context, caller, record)) };
  const page = Number(query["page"] ?? 1);
  if (!Number.isSafeInteger(page) || page < 1) throw invalid("page: must be a number from 1");
  const shown = all.slice((page - 1) * pageSize, page * pageSize);
  const more = page * pageSize < all.length;
  const path = `/participants/${encodeURIComponent(params["participantId"] ?? "")}/addresses?page=${page + 1}`;
  return {
    status: 200,
    body: shown.map((record) => addressView(context, caller, record)),
    ...(more ? { headers: { link: `<${path}>; rel="next"` } } : {}),
  };
}

function ownerOf(context: Context, params: Record<string, string>): ParticipantRecord | undefined {
  const owner = context.store.participant(params["participantId"] ?? "");
  if (owner === undefined && context.rule("address.participant-must-exist")) throw notFound("Participant");
  return owner;
}

/** What the service does, 4: own records whole; others with identification and location only, the street masked. */
function addressView(context: Context, caller: Caller, record: AddressRecord): JsonObject {
  const own = record.dataset === caller.dataset;
  const masked = !own && context.rule("dataset.street-masked");
  const view: JsonObject = {
    id: record.id,
    participantId: record.participantId,
    name: record.name,
    street: masked ? STREET_MASK : record.street,
    number: record.number,
    neighborhood: record.neighborhood,
    city: record.city,
    countryState: record.countryState,
    countryCode: record.countryCode,
    zipCode: record.zipCode,
    latitude: record.latitude,
    longitude: record.longitude,
  };
  if (own || !context.rule("dataset.foreign-fields")) view["complement"] = record.complement;
  if (context.rule("address.geography-on-list")) view["geography"] = record.geography;
  return view;
}

/** @throws Refusal 400 or 422; with the option strictAddresses also for a field beside the six (open point 4). */
export function checkedAddress(context: Context, input: unknown, at = ""): AddressInput {
  return context.settings.strictAddresses ? checked(strictAddressInput, input, at) : checked(addressInput, input, at);
}

function addAddress(context: Context, caller: Caller, participantId: string, input: AddressInput): AddressRecord {
  const record: AddressRecord = {
    id: freshId(context, (id) => context.store.address(id)),
    snapshotId: context.newId(),
    dataset: caller.dataset,
    participantId,
    name: input.name,
    street: input.street,
    number: input.number,
    city: input.city,
    countryState: input.countryState,
    countryCode: input.countryCode,
    complement: input.complement ?? null,
    neighborhood: input.neighborhood ?? null,
    zipCode: input.zipCode ?? null,
    latitude: input.latitude ?? null,
    longitude: input.longitude ?? null,
    geography: resolveGeography(input, context.newId(), context.now()),
  };
  context.store.addAddress(record);
  return record;
}

/** Events rule 1: the inline form finds the caller's own address of that participant and place, or creates it. */
export function findOrCreateAddress(
  context: Context,
  caller: Caller,
  participantId: string,
  input: AddressInput,
): string {
  const known = context.rule("events.inline-finds")
    ? context.store.addressAt(participantId, caller.dataset, placeOf(input))
    : undefined;
  if (known !== undefined) return known.id;
  if (!context.rule("events.inline-creates")) throw invalid("address: not registered");
  return addAddress(context, caller, participantId, input).id;
}
