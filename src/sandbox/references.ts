/** The participant and address that an event or document names, by id or inline (service.md, Events rule 1). */
import { checkedAddress, findOrCreateAddress } from "./addresses.js";
import type { Caller, Context } from "./context.js";
import { findOrCreateParticipant, usable } from "./participants.js";
import { invalid } from "./refusal.js";
import type { EventInput, ParticipantInput } from "./schemas.js";

/** What events, documents and targets have in common. */
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

/** Events rule 1: exactly one of each pair. `at` is what the event is called in messages. @throws Refusal 400 */
export function requireReferences(context: Context, event: EventInput, at: string): void {
  const participants = Number(event.participantId !== undefined) + Number(event.participant !== undefined);
  if (participants !== 1 && context.rule("events.one-participant")) {
    throw invalid(`${at}Exactly one of participantId or participant must be provided`);
  }
  const addresses = Number(event.addressId !== undefined) + Number(event.address !== undefined);
  if (addresses !== 1 && context.rule("events.one-address")) {
    throw invalid(`${at}Exactly one of addressId or address must be provided`);
  }
}

/** Documents and targets: at most one of each pair (open point 27). @throws Refusal 400 */
export function limitReferences(carrier: References, at: string): void {
  if (carrier.participantId !== undefined && carrier.participant !== undefined) {
    throw invalid(`${at}Only one of participantId or participant may be provided`);
  }
  if (carrier.addressId !== undefined && carrier.address !== undefined) {
    throw invalid(`${at}Only one of addressId or address may be provided`);
  }
}

/**
 * The ids behind the references; inline ones are found or created. An inline address belongs to the participant beside it.
 * @throws Refusal 400 for an id that nobody registered, 403 for a foreign participant under the option foreign: refuse.
 */
export function resolveReferences(
  context: Context,
  caller: Caller,
  carrier: References,
  at: string,
): ResolvedReferences {
  const participantId = resolveParticipant(context, caller, carrier, at);
  return { participantId, addressId: resolveAddress(context, caller, carrier, participantId, at) };
}

function resolveParticipant(context: Context, caller: Caller, carrier: References, at: string): string | null {
  if (carrier.participantId !== undefined) {
    const record = context.store.participant(carrier.participantId);
    if (record === undefined) {
      if (!context.rule("events.references-exist")) return carrier.participantId;
      throw invalid(`${at}participantId: no participant has the id ${carrier.participantId}`);
    }
    return usable(context, caller, record).id;
  }
  return carrier.participant === undefined ? null : findOrCreateParticipant(context, caller, carrier.participant);
}

function resolveAddress(
  context: Context,
  caller: Caller,
  carrier: References,
  participantId: string | null,
  at: string,
): string | null {
  if (carrier.addressId !== undefined) {
    if (context.store.address(carrier.addressId) === undefined && context.rule("events.references-exist")) {
      throw invalid(`${at}addressId: no address has the id ${carrier.addressId}`);
    }
    return carrier.addressId;
  }
  if (carrier.address === undefined) return null;
  if (participantId === null) throw invalid(`${at}address: an inline address needs the participant that it belongs to`);
  const input = checkedAddress(context, carrier.address, `${at}address`);
  return findOrCreateAddress(context, caller, participantId, input);
}
