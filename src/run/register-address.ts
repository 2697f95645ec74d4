/** How an address is registered under its participant: listed and matched where in doubt, created once (open-points 5; HARD-CASES H29, H30). */
import type { OpenAddress } from "../ledger/registrations.js";
import { foldIdentity } from "../model/fold.js";
import type { JsonObject } from "../model/json.js";
import { addressesOf, type ListedAddress } from "../submit/answers.js";
import { createAddress, listAddresses } from "../submit/calls.js";
import type { RegistrationSteps } from "./register.js";
import type { Session } from "./session.js";

/** Null: its participant has another address of the same place, whose id it takes. */
export function stepsOfAddress(session: Session, address: OpenAddress): RegistrationSteps | null {
  const { registrations, clock } = session;
  const { id, data, participantServiceId: owner } = address;
  const registered = (
    {
      serviceId,
      snapshotId,
      geography,
    }: { serviceId: string; snapshotId: string | null; geography: JsonObject | null },
    origin: "found" | "created",
    now: number,
  ) => {
    const receipt = { serviceId, snapshotId, origin, ...(geography === null ? {} : { geography }) };
    registrations.registered("address", id, receipt, now);
  };
  const same = registrations.samePlace(id, address.participant);
  if (same !== null) {
    registered({ serviceId: same, snapshotId: null, geography: null }, "found", clock.now());
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
      if (listed === null) {
        const message =
          "The list of the participant's addresses was answered with something that is no list. `rowferry retry` asks again.";
        return { code: "answer-unreadable", message };
      }
      const theirs = listed.filter(({ participantId }) => participantId === null || participantId === owner);
      const match = theirs.find((candidate) => isSamePlace(candidate, data));
      if (match !== undefined) {
        registered({ ...match, serviceId: match.id, snapshotId: null }, "found", clock.now());
        return "registered";
      }
      if (listed.some((candidate) => isMasked(candidate) && isSamePlace(candidate, data, ["street"]))) {
        const message = `${data.city}, ${data.name}: the service has an address like it whose street is masked; another one is registered.`;
        registrations.warn("address", id, { code: "address-masked", message }, clock.now());
      }
      return "absent";
    },
    create: createAddress(owner, { ...data, ...(extendedFields ? address.extended : {}) }),
    created({ id: serviceId, snapshotId, geography }, now) {
      registered({ serviceId, snapshotId, geography }, "created", now);
      if (!isUnresolved(geography)) return;
      const message = `${data.city}, ${data.countryState}: the service did not resolve this place.`;
      registrations.warn("address", id, { code: "address-unresolved", message }, now);
    },
  };
}

export const PLACE_FIELDS = ["city", "countryCode", "countryState", "name", "number", "street"] as const;
type PlaceField = (typeof PLACE_FIELDS)[number];

/** All create fields alike, folded; a masked street is nobody's (HARD-CASES H30). */
function isSamePlace(listed: ListedAddress, data: OpenAddress["data"], but: readonly PlaceField[] = []): boolean {
  if (isMasked(listed) && but.length === 0) return false;
  return PLACE_FIELDS.every(
    (field) => but.includes(field) || foldIdentity(listed[field] ?? "") === foldIdentity(data[field]),
  );
}

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
  return (
    (unresolvedLevel !== undefined && unresolvedLevel !== null && unresolvedLevel !== "") ||
    (Array.isArray(candidates) && candidates.length > 0) ||
    municipality === undefined ||
    municipality === null
  );
}
