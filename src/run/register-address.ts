/** Registers an address under its participant: listed and matched where in doubt, created once (open-points 5; HARD-CASES H29, H30). */
import type { OpenAddress } from "../ledger/registrations.js";
import { foldIdentity } from "../model/fold.js";
import type { JsonObject } from "../model/json.js";
import { addressesOf, type ListedAddress } from "../submit/answers.js";
import { createAddress, listAddresses } from "../submit/calls.js";
import { look, type Outcome, refusal, register } from "./register.js";
import type { Session } from "./session.js";

export async function registerAddress(session: Session, address: OpenAddress): Promise<Outcome> {
  const { registrations, clock } = session;
  const { id } = address;
  const subject = { kind: "address", id, attempted: address.attempted } as const;
  const settings = session.settings.get(address.settings).addresses;
  const same = registrations.samePlace(id, address.participant);
  if (same !== null) {
    registrations.registered("address", id, { serviceId: same, snapshotId: null, origin: "found" }, clock.now());
    return "registered";
  }

  const lookUp = async (): Promise<Outcome | null> => {
    const answer = await look(session, subject, listAddresses(address.participantServiceId));
    if (answer.result === "stopped") return "stopped";
    if (answer.result === "refused") {
      if (!answer.notFound) registrations.rejected("address", id, refusal(answer), clock.now());
      return answer.notFound ? null : "rejected";
    }
    const listed = answer.result === "accepted" ? addressesOf(answer.body) : null;
    if (listed === null && answer.result === "accepted") {
      const message =
        "The list of the participant's addresses was answered with something that is no list. `rowferry retry` asks again.";
      registrations.rejected("address", id, { code: "answer-unreadable", message }, clock.now());
      return "rejected";
    }
    if (listed === null) {
      registrations.stalled("address", id, "service-unanswered", clock.now());
      return "stalled";
    }
    const theirs = (candidate: ListedAddress) =>
      candidate.participantId === null || candidate.participantId === address.participantServiceId;
    const match = listed.find((candidate) => theirs(candidate) && isSamePlace(candidate, address.data));
    if (match === undefined) {
      if (listed.some((candidate) => isMasked(candidate) && isSamePlace(candidate, address.data, ["street"]))) {
        const message = `${address.data.city}, ${address.data.name}: the service has an address like it whose street is masked; another one is registered.`;
        registrations.warn("address", id, { code: "address-masked", message }, clock.now());
      }
      return null;
    }
    const receipt = { serviceId: match.id, snapshotId: null, origin: "found" as const };
    registrations.registered(
      "address",
      id,
      { ...receipt, ...(match.geography === null ? {} : { geography: match.geography }) },
      clock.now(),
    );
    return "registered";
  };

  const data: JsonObject = { ...address.data, ...(settings.extendedFields ? address.extended : {}) };
  return register(session, subject, {
    lookFirst: !address.participantIsOurs,
    lookUp,
    create: createAddress(address.participantServiceId, data),
    created({ id: serviceId, snapshotId, geography }, now) {
      const receipt = { serviceId, snapshotId, origin: "created" as const };
      registrations.registered("address", id, { ...receipt, ...(geography === null ? {} : { geography }) }, now);
      if (!isUnresolved(geography)) return;
      const message = `${address.data.city}, ${address.data.countryState}: the service did not resolve this place.`;
      registrations.warn("address", id, { code: "address-unresolved", message }, now);
    },
  });
}

const PLACE_FIELDS = ["city", "countryCode", "countryState", "name", "number", "street"] as const;
type PlaceField = (typeof PLACE_FIELDS)[number];

/** All create fields alike, folded; a masked street is nobody's (HARD-CASES H30). */
function isSamePlace(listed: ListedAddress, data: OpenAddress["data"], but: readonly PlaceField[] = []): boolean {
  if (isMasked(listed) && but.length === 0) return false;
  return PLACE_FIELDS.every(
    (field) => but.includes(field) || foldIdentity(listed[field] ?? "") === foldIdentity(data[field]),
  );
}

function isMasked({ street }: ListedAddress): boolean {
  return street === null || /[*•]{2,}/.test(street);
}

/** Addresses of one participant that are the same place, in one text: such ones are registered one after the other. */
export function placeKey({ participant, data }: OpenAddress): string {
  return JSON.stringify([participant, ...PLACE_FIELDS.map((field) => foldIdentity(data[field]))]);
}

/** open-points 6. */
function isUnresolved(geography: JsonObject | null): boolean {
  if (geography === null) return false;
  const { unresolvedLevel, candidates, municipality } = geography;
  return (
    (unresolvedLevel !== undefined && unresolvedLevel !== null && unresolvedLevel !== "") ||
    (Array.isArray(candidates) && candidates.length > 0) ||
    municipality === undefined ||
    municipality === null
  );
}
