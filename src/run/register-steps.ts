/** How a participant and an address are registered: what differs between them. What is found or made is written into the ledger here. */
import type { OpenAddress, OpenParticipant } from "../ledger/registrations.js";
import { foldIdentity } from "../model/fold.js";
import type { JsonObject } from "../model/json.js";
import { addressesOf, type ListedAddress, participantOf, type Registration } from "../submit/answers.js";
import type { Answer, Call } from "../submit/call.js";
import { createAddress, createParticipant, listAddresses, lookupParticipant } from "../submit/calls.js";
import type { Session } from "./session.js";

export interface RegistrationSteps {
  /** Look even where nothing is in doubt. */
  lookFirst: boolean;
  look: Call;
  /** What the look's answer says. Undefined: it decides nothing. Its text is for a person: what cannot be used, or understood. */
  read(
    answer: Answer,
  ): "registered" | "absent" | { code: "participant-foreign" | "answer-unreadable"; message: string } | undefined;
  create: Call;
  /** The create was accepted; runs in the transaction of its outcome. */
  created(receipt: Registration): void;
}

function keeperOf({ registrations, clock }: Session, kind: "participant" | "address", id: number) {
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
      registrations.warn(kind, id, { code, message }, clock.now());
    },
  };
}

const unreadable = (what: string) => ({
  code: "answer-unreadable" as const,
  message: `${what}. \`rowferry retry\` asks again.`,
});

/** Looked up by its natural key, created when it is not there (open-points 2; HARD-CASES H31). */
export function stepsOfParticipant(session: Session, { id, data, settings }: OpenParticipant): RegistrationSteps {
  const { strategy, foreign } = session.settings.get(settings).participants;
  const keeper = keeperOf(session, "participant", id);
  const name = `${data.taxIdType} ${data.taxId}`;
  return {
    lookFirst: strategy === "lookup-first",
    look: lookupParticipant(data),
    read(answer) {
      const lookup = participantOf(answer, data);
      if (lookup === undefined) return undefined;
      if (lookup.outcome === "absent") return "absent";
      if (lookup.outcome === "unreadable")
        return unreadable(`The lookup of ${name} was answered with something other than this participant`);
      const { participant } = lookup;
      // Reads of other datasets' records carry identification and location fields only (service.md, What the service does 4):
      // whether the name is one of them is not said, the kind of participant is not.
      const isForeign = participant.type === null;
      if (isForeign && foreign === "create") return "absent";
      if (isForeign && foreign === "refuse")
        return { code: "participant-foreign", message: `${name} is registered by another dataset.` };
      keeper.registered({ id: participant.id }, "found");
      if (participant.name !== null && participant.name !== data.name)
        keeper.warn("participant-differs", `${name} is registered as "${participant.name}", not "${data.name}".`);
      return "registered";
    },
    create: createParticipant(data),
    created: (receipt) => keeper.registered({ ...receipt, geography: null }, "created"),
  };
}

/**
 * Listed and matched where in doubt, created once (open-points 5; HARD-CASES H29, H30). Null: its participant has another address of
 * the same place, whose id it takes.
 */
export function stepsOfAddress(session: Session, address: OpenAddress): RegistrationSteps | null {
  const { data, participantServiceId: owner } = address;
  const keeper = keeperOf(session, "address", address.id);
  const same = session.registrations.samePlace(address.id, address.participant);
  if (same !== null) {
    keeper.registered({ id: same }, "found");
    return null;
  }
  const { extendedFields } = session.settings.get(address.settings).addresses;
  return {
    lookFirst: !address.participantIsOurs,
    look: listAddresses(owner),
    read(answer) {
      if (answer.result === "refused") return answer.notFound ? "absent" : undefined;
      if (answer.result !== "accepted") return undefined;
      const listed = addressesOf(answer.body);
      if (listed === null)
        return unreadable("The list of the participant's addresses was answered with something that is not a list");
      const match = listed.find(
        (one) => (one.participantId ?? owner) === owner && !isMasked(one) && isSamePlace(one, data, PLACE_FIELDS),
      );
      if (match !== undefined) {
        keeper.registered(match, "found");
        return "registered";
      }
      const butStreet = PLACE_FIELDS.filter((field) => field !== "street");
      if (listed.some((one) => isMasked(one) && isSamePlace(one, data, butStreet))) {
        const message = `${data.city}, ${data.name}: the service has an address like it whose street is masked; another one is registered.`;
        keeper.warn("address-masked", message);
      }
      return "absent";
    },
    create: createAddress(owner, { ...data, ...(extendedFields ? address.extended : {}) }),
    created(receipt) {
      keeper.registered(receipt, "created");
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

const isSamePlace = (one: Place, other: Place, fields: readonly (keyof Place)[]): boolean =>
  fields.every((field) => foldIdentity(one[field] ?? "") === foldIdentity(other[field] ?? ""));

/** A masked street is nobody's (HARD-CASES H30). */
export function isMasked({ street }: Pick<ListedAddress, "street">): boolean {
  return street === null || /[*•]{2,}/.test(street);
}

/** Addresses of one participant that are the same place, in one text: they are registered one after the other. */
export function placeKey({ participant, data }: OpenAddress): string {
  return JSON.stringify([participant, ...PLACE_FIELDS.map((field) => foldIdentity(data[field]))]);
}

/** open-points 6. */
function isUnresolved(geography: JsonObject | null): boolean {
  if (geography === null) return false;
  const { unresolvedLevel, candidates, municipality } = geography;
  const isResolved = [undefined, null, ""].includes(unresolvedLevel as string | null | undefined);
  return !isResolved || (Array.isArray(candidates) && candidates.length > 0) || (municipality ?? null) === null;
}
