/**
 * The participant and address of an event or document, by id or inline, and the identity check across a request
 * (service.md, Events rules 1 to 3).
 */
import { checkedAddress, findOrCreateAddress } from "./addresses.js";
import { findOrCreateParticipant, ownByKey, usable } from "./participants.js";
import { naturalKey, placeOf } from "./records.js";
import { conflict, invalid } from "./refusal.js";
import type { Call } from "./request.js";
import { addressInput, type ParticipantInput } from "./schemas.js";

export interface References {
  participantId?: string | undefined;
  participant?: ParticipantInput | undefined;
  addressId?: string | undefined;
  address?: Record<string, unknown> | undefined;
}

export interface ResolvedReferences {
  participantId: string | null;
  addressId: string | null;
}

const PAIRS = [
  ["participantId", "participant"],
  ["addressId", "address"],
] as const;

/**
 * Events rule 1: exactly one of each pair; documents and targets may omit them (open point 27). `at`: the carrier's
 * name in messages. @throws Refusal 400
 */
export function checkReferences(carrier: References, at: string, required: boolean): void {
  for (const [id, inline] of PAIRS) {
    const given = [carrier[id], carrier[inline]].filter((one) => one !== undefined).length;
    if (given > 1 || (required && given === 0)) {
      throw invalid(`${at}Exactly one of ${id} or ${inline} must be provided`);
    }
  }
}

/**
 * Finds or creates inline parties. An inline address belongs to the participant in the same request. @throws Refusal 400 for an
 * unregistered id, 403 for a foreign participant under the setting foreign.
 */
export function resolveReferences(call: Call, carrier: References, at: string): ResolvedReferences {
  const participantId = resolveParticipant(call, carrier, at);
  return { participantId, addressId: resolveAddress(call, carrier, participantId, at) };
}

function resolveParticipant(call: Call, { participantId, participant }: References, at: string): string | null {
  if (participant !== undefined) return findOrCreateParticipant(call, participant);
  if (participantId === undefined) return null;
  const record = call.store.participant(participantId);
  if (record === undefined) throw invalid(`${at}participantId: no participant has the id ${participantId}`);
  return usable(call, record);
}

function resolveAddress(
  call: Call,
  { addressId, address }: References,
  participantId: string | null,
  at: string,
): string | null {
  if (addressId !== undefined) {
    const record = call.store.address(addressId);
    if (record === undefined) throw invalid(`${at}addressId: no address has the id ${addressId}`);
    const foreign = participantId !== null && record.participantId !== participantId;
    if (foreign && call.settings.addressOwner === "participant") {
      throw invalid(`${at}addressId: the address ${addressId} belongs to another participant`);
    }
    return addressId;
  }
  if (address === undefined) return null;
  if (participantId === null) throw invalid(`${at}address: an inline address needs the participant that it belongs to`);
  return findOrCreateAddress(call, participantId, checkedAddress(call, address, `${at}address`));
}

/**
 * The identity check: inline participants of one natural key, and inline addresses of one owner and place, must have
 * the same data. The identity of an address is not shown; here it is its owner and the six create fields. `carriers`:
 * the request's events, their targets, and the document. @throws Refusal 409
 */
export function checkIdentities(call: Call, carriers: readonly References[]): void {
  const seen = new Map<string, Record<string, unknown>>();
  for (const { participant, participantId, address } of carriers) {
    if (participant !== undefined) meet(call, seen, `participant ${naturalKey(participant)}`, participant);
    const { data } = addressInput.safeParse(address);
    if (data === undefined) continue;
    const owner =
      participant === undefined ? participantId : (ownByKey(call, participant)?.id ?? naturalKey(participant));
    meet(call, seen, `address ${owner} ${placeOf(data)}`, data);
  }
}

/** The setting identityFields decides whether a field that only one has is a difference. */
function meet(
  { settings }: Call,
  seen: Map<string, Record<string, unknown>>,
  key: string,
  data: Record<string, unknown>,
): void {
  const before = seen.get(key) ?? data;
  for (const name of Object.keys({ ...before, ...data })) {
    const [one, other] = [before[name], data[name]];
    const isShared = one !== undefined && other !== undefined;
    if (one !== other && (isShared || settings.identityFields === "all")) {
      throw conflict(`The same identity carries different data in one request: ${key} (${name})`);
    }
  }
  seen.set(key, { ...data, ...before });
}
