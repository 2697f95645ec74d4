/** The steps that differ between participants and addresses. Writes what it finds or creates into the ledger. */
import type { OpenAddress, OpenParticipant } from "../ledger/registrations.js";
import { foldIdentity } from "../model/fold.js";
import type { JsonObject } from "../model/json.js";
import { addressesOf, differing, type ListedAddress, participantOf, type Registration } from "../submit/answers.js";
import type { Answer, Call } from "../submit/call.js";
import { createAddress, createParticipant, listAddresses, lookupParticipant } from "../submit/calls.js";
import type { Session } from "./session.js";

export interface RegistrationSteps {
  kind: "participant" | "address";
  id: number;
  /** A create may have been sent before. */
  attempted: boolean;
  /** Look up even without doubt. */
  lookFirst: boolean;
  look: Call;
  /** Interprets the lookup. Undefined: it decides nothing; a text explains to a person why it cannot be used. */
  read(
    answer: Answer,
  ): "registered" | "absent" | { code: "participant-foreign" | "lookup-unreadable"; message: string } | undefined;
  /** Why the last lookup settled nothing, as a clause. */
  absence(): string;
  create: Call;
  /** The participant that the path of the create names. */
  owner?: string;
  /** Runs in the transaction of the create's outcome. */
  created(receipt: Registration): void;
}

function keeperOf({ registrations, outcomes, clock }: Session, kind: "participant" | "address", id: number) {
  return {
    registered(
      found: { id: string; snapshotId?: string | null; geography?: JsonObject | null },
      origin: "found" | "created",
    ) {
      const { id: serviceId, snapshotId = null, geography = null } = found;
      const receipt = { serviceId, snapshotId, origin, ...(geography === null ? {} : { geography }) };
      registrations.registered(kind, id, receipt, clock.now());
    },
    warn(code: "participant-differs" | "address-masked" | "address-unresolved", message: string) {
      outcomes((t) => t.problem(kind, id, { code, message }, clock.now(), "warning"));
    },
  };
}

const unreadable = (message: string) => ({ code: "lookup-unreadable" as const, message });

/** Looked up by natural key, then created if absent (open point 2; H31). */
export function stepsOfParticipant(
  session: Session,
  { id, attempted, data, settings }: OpenParticipant,
): RegistrationSteps {
  const { strategy, foreign } = session.settings.get(settings).participants;
  const keeper = keeperOf(session, "participant", id);
  const name = `${data.taxIdType} ${data.taxId}`;
  let isForeign = false;
  return {
    kind: "participant",
    id,
    attempted,
    lookFirst: strategy === "lookup-first",
    look: lookupParticipant(data),
    read(answer) {
      const lookup = participantOf(answer, data);
      if (lookup === undefined) return undefined;
      if (lookup.outcome === "absent") return "absent";
      if (lookup.outcome === "unreadable")
        return unreadable(`The answer to the lookup of ${name} was not this participant.`);
      const { participant } = lookup;
      // Reads of other datasets' records have identification and location fields only (service.md, What the service
      // does 4). Whether the name is among them is not said; the participant's type is not.
      isForeign = participant.type === null;
      if (isForeign && foreign === "create") return "absent";
      if (isForeign && foreign === "refuse")
        return { code: "participant-foreign", message: `${name} is registered by another dataset.` };
      keeper.registered({ id: participant.id }, "found");
      for (const field of differing(participant, data))
        keeper.warn("participant-differs", `${name} is registered as "${participant[field]}", not "${data[field]}".`);
      return "registered";
    },
    absence: () =>
      isForeign
        ? "it belongs to another dataset, and the setting participants.foreign is create"
        : "but a lookup finds no such participant",
    create: createParticipant(data),
    created: (receipt) => keeper.registered({ ...receipt, geography: null }, "created"),
  };
}

/**
 * Listed and matched before it is created: another ledger may have registered it, or this one before its backup was
 * restored (open point 5; H29, H30, H40). Null: another registered address is the same place, so its id is used.
 */
export function stepsOfAddress(session: Session, address: OpenAddress): RegistrationSteps | null {
  const { data, participantServiceId: owner } = address;
  const keeper = keeperOf(session, "address", address.id);
  const same = session.registrations.samePlace(address.id, owner);
  if (same?.serviceId != null) {
    keeper.registered({ id: same.serviceId }, "found");
    return null;
  }
  const { extendedFields } = session.settings.get(address.settings).addresses;
  let isLikeMasked = false;
  return {
    kind: "address",
    id: address.id,
    attempted: address.attempted || same !== null,
    lookFirst: !address.participantIsNew,
    look: listAddresses(owner),
    read(answer) {
      const listed = placesIn(answer, owner);
      if (listed === null) return undefined;
      // A list may lack names (service.md, Address: sent on create). What the ledger knows, it knows by another name.
      const isOthers = ({ id }: ListedAddress) => session.registrations.hasAddress(id);
      const nameless = listed.places.get(placeText({ ...data, name: null })) ?? [];
      const match = listed.places.get(placeText(data))?.[0] ?? nameless.find((one) => !isOthers(one));
      if (match !== undefined) {
        keeper.registered(match, "found");
        return "registered";
      }
      isLikeMasked = listed.masked.has(withoutStreet(data));
      return "absent";
    },
    absence: () => "but a lookup finds no such address",
    owner,
    create: createAddress(owner, { ...data, ...(extendedFields ? address.extended : {}) }),
    created(receipt) {
      keeper.registered(receipt, "created");
      if (isLikeMasked)
        keeper.warn(
          "address-masked",
          `${data.city}, ${data.name}: the service has an address like it whose street is masked; another one is registered.`,
        );
      if (isUnresolved(receipt.geography))
        keeper.warn(
          "address-unresolved",
          `${data.city}, ${data.countryState}: the service did not resolve this place.`,
        );
    },
  };
}

export const PLACE_FIELDS = ["city", "countryCode", "countryState", "name", "number", "street"] as const;

type Place = { [field in (typeof PLACE_FIELDS)[number]]: string | null };

/** The same for two places if they are one. */
const placeText = (place: Place): string =>
  JSON.stringify(PLACE_FIELDS.map((field) => foldIdentity(place[field] ?? "")));
const withoutStreet = (place: Place): string => placeText({ ...place, street: null });

interface ListedPlaces {
  places: Map<string, ListedAddress[]>;
  /** Without their streets. */
  masked: Set<string>;
}

/** Each answer is read once, because a participant may have thousands of addresses, and as many new ones. */
const listings = new WeakMap<Answer, ListedPlaces | null>();

/** Null: the answer is no list. */
function placesIn(answer: Answer, owner: string): ListedPlaces | null {
  const before = listings.get(answer);
  if (before !== undefined) return before;
  const listed = addressesOf(answer);
  const found: ListedPlaces = { places: new Map(), masked: new Set() };
  for (const one of listed ?? []) {
    if (isMasked(one)) found.masked.add(withoutStreet(one));
    // Also one that looks masked: a street of ours may have asterisks, and only the same text finds it.
    if ((one.participantId ?? owner) !== owner) continue;
    const place = placeText(one);
    found.places.set(place, [...(found.places.get(place) ?? []), one]);
  }
  const result = listed === undefined ? null : found;
  listings.set(answer, result);
  return result;
}

/** A masked street cannot be compared with a whole one (H30). */
export function isMasked({ street }: Pick<ListedAddress, "street">): boolean {
  return street === null || /[*•]{2,}/.test(street);
}

/** Addresses with the same text are one place, and are registered one after the other. */
export function placeKey({ participantServiceId, data }: OpenAddress): string {
  return `${participantServiceId} ${placeText(data)}`;
}

/** Open point 6. */
function isUnresolved(geography: JsonObject | null): boolean {
  if (geography === null) return false;
  const { unresolvedLevel, candidates, municipality } = geography;
  const isResolved = [undefined, null, ""].includes(unresolvedLevel as string | null | undefined);
  return !isResolved || (Array.isArray(candidates) && candidates.length > 0) || (municipality ?? null) === null;
}
