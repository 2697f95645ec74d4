/**
 * Registers participants and addresses before the documents that name them. They have no deduplicationId, so nothing
 * is created after doubt without looking first, after a delay (HARD-CASES H7).
 */
import type { OpenAddress, OpenParticipant } from "../ledger/registrations.js";
import { foldIdentity } from "../map/fold.js";
import type { JsonObject } from "../model/json.js";
import {
  type FoundParticipant,
  type ListedAddress,
  addressesOf,
  participantOf,
  registrationOf,
} from "../submit/answers.js";
import type { Answer, Call, ServiceError } from "../submit/call.js";
import { createAddress, createParticipant, listAddresses, lookupParticipant } from "../submit/calls.js";
import { describeRefusal } from "./describe-refusal.js";
import type { Session } from "./session.js";

/** How long after a create in doubt the first look is taken: time for the service to commit what it was given. */
const LOOK_AFTER_MS = 3000;

export type Outcome = "registered" | "rejected" | "stalled" | "stopped";

type Subject = "participant" | "address";

/** Sends a create under its intent; the caller decides the record's fate within the same transaction. */
async function create(
  session: Session,
  subject: Subject,
  id: number,
  call: Call,
  settle: (answer: Answer, now: number) => void,
): Promise<Answer> {
  const { requests, clock, submitter, run } = session;
  const intent = { runId: run.id, kind: call.kind, subject, subjectId: id, events: [], creates: true };
  const request = requests.begin(intent, clock.now());
  const answer = await submitter.send(call, session.recordRetries(request));
  if (answer.result === "stopped") session.stop(answer);
  requests.end(request, answer.result, answer.attempts.at(-1), clock.now(), () => settle(answer, clock.now()));
  return answer;
}

/** Reads change nothing: they need no intent, but their attempts count against the limit and stand in the ledger. */
async function look(session: Session, subject: Subject, id: number, call: Call): Promise<Answer> {
  const { requests, clock, submitter, run } = session;
  const startedAt = clock.now();
  const answer = await submitter.send(call);
  if (answer.result === "stopped") session.stop(answer);
  const intent = { runId: run.id, kind: call.kind, subject, subjectId: id, events: [], creates: false };
  requests.log(intent, answer.result, answer.attempts, startedAt, clock.now());
  return answer;
}

const refusal = ({ error }: { error: ServiceError }) => ({
  code: "service-refused" as const,
  message: describeRefusal(error),
});

export async function registerParticipant(session: Session, participant: OpenParticipant): Promise<Outcome> {
  const { registrations, clock } = session;
  const { strategy, foreign } = session.settings.get(participant.settings).participants;
  const { id } = participant;

  const found = (record: FoundParticipant): Outcome => {
    if (isForeign(record) && foreign === "refuse") {
      const message = `${participant.data.taxIdType} ${participant.data.taxId} is registered by another dataset.`;
      registrations.rejected("participant", id, { code: "participant-foreign", message }, clock.now());
      return "rejected";
    }
    const receipt = { serviceId: record.id, snapshotId: null, origin: "found" as const };
    registrations.registered("participant", id, receipt, clock.now());
    if (record.name !== null && record.name !== participant.data.name) {
      const message = `${participant.data.taxIdType} ${participant.data.taxId} is registered as "${record.name}", not "${participant.data.name}".`;
      registrations.warn("participant", id, { code: "participant-differs", message }, clock.now());
    }
    return "registered";
  };

  /** Null: not there. */
  const lookUp = async (): Promise<Outcome | null> => {
    const answer = await look(session, "participant", id, lookupParticipant(participant.data));
    const lookup = participantOf(answer);
    if (lookup?.outcome === "found" && !(isForeign(lookup.participant) && foreign === "create"))
      return found(lookup.participant);
    if (lookup?.outcome === "absent" || lookup?.outcome === "found") return null;
    if (answer.result === "stopped") return "stopped";
    if (answer.result === "refused") {
      registrations.rejected("participant", id, refusal(answer), clock.now());
      return "rejected";
    }
    registrations.stalled("participant", id, "service-unanswered", clock.now());
    return "stalled";
  };

  if (participant.attempted) await clock.sleep(session.lookAfterMs ?? LOOK_AFTER_MS, session.signal);
  if (strategy === "lookup-first" || participant.attempted) {
    const known = await lookUp();
    if (known !== null) return known;
  }
  let outcome: Outcome | "look" = "look";
  await create(session, "participant", id, createParticipant(participant.data), (answer, now) => {
    const receipt = answer.result === "accepted" ? registrationOf(answer.body) : null;
    if (receipt !== null) {
      const { id: serviceId, snapshotId } = receipt;
      registrations.registered("participant", id, { serviceId, snapshotId, origin: "created" }, now);
      outcome = "registered";
    } else if (answer.result === "stopped" && !answer.inDoubt) {
      registrations.unsent("participant", id, now);
      outcome = "stopped";
    } else if (answer.result === "refused" && answer.error.status !== 409 && !answer.inDoubt) {
      registrations.rejected("participant", id, refusal(answer), now);
      outcome = "rejected";
    } else {
      registrations.stalled(
        "participant",
        id,
        answer.result === "accepted" ? "answer-unreadable" : "service-unanswered",
        now,
      );
      outcome = answer.result === "stopped" ? "stopped" : "look";
    }
  });
  if (outcome !== "look") return outcome;
  await clock.sleep(session.lookAfterMs ?? LOOK_AFTER_MS, session.signal);
  return (await lookUp()) ?? "stalled";
}

/**
 * Reads of other datasets' records carry identification and location fields only (service.md, What the service does 4):
 * whether the name is one of them is not said, the kind of participant is not.
 */
function isForeign(record: FoundParticipant): boolean {
  return record.type === null;
}

export async function registerAddress(session: Session, address: OpenAddress): Promise<Outcome> {
  const { registrations, clock } = session;
  const { id } = address;
  const settings = session.settings.get(address.settings).addresses;
  const same = registrations.samePlace(id, address.participant);
  if (same !== null) {
    registrations.registered("address", id, { serviceId: same, snapshotId: null, origin: "found" }, clock.now());
    return "registered";
  }

  const lookUp = async (): Promise<Outcome | null> => {
    const answer = await look(session, "address", id, listAddresses(address.participantServiceId));
    if (answer.result === "stopped") return "stopped";
    if (answer.result === "refused") {
      if (!answer.notFound) registrations.rejected("address", id, refusal(answer), clock.now());
      return answer.notFound ? null : "rejected";
    }
    const listed = answer.result === "accepted" ? addressesOf(answer.body) : null;
    if (listed === null) {
      registrations.stalled("address", id, "service-unanswered", clock.now());
      return "stalled";
    }
    const match = listed.find((candidate) => isSamePlace(candidate, address.data));
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

  if (address.attempted) await clock.sleep(session.lookAfterMs ?? LOOK_AFTER_MS, session.signal);
  if (address.attempted || !address.participantIsOurs) {
    const known = await lookUp();
    if (known !== null) return known;
  }
  const data: JsonObject = { ...address.data, ...(settings.extendedFields ? address.extended : {}) };
  let outcome: Outcome | "look" = "look";
  await create(session, "address", id, createAddress(address.participantServiceId, data), (answer, now) => {
    const receipt = answer.result === "accepted" ? registrationOf(answer.body) : null;
    if (receipt !== null) {
      const { id: serviceId, snapshotId, geography } = receipt;
      registrations.registered(
        "address",
        id,
        { serviceId, snapshotId, origin: "created", ...(geography === null ? {} : { geography }) },
        now,
      );
      if (isUnresolved(geography)) {
        const message = `${address.data.city}, ${address.data.countryState}: the service did not resolve this place.`;
        registrations.warn("address", id, { code: "address-unresolved", message }, now);
      }
      outcome = "registered";
    } else if (answer.result === "stopped" && !answer.inDoubt) {
      registrations.unsent("address", id, now);
      outcome = "stopped";
    } else if (answer.result === "refused" && answer.error.status !== 409 && !answer.inDoubt) {
      registrations.rejected("address", id, refusal(answer), now);
      outcome = "rejected";
    } else {
      registrations.stalled(
        "address",
        id,
        answer.result === "accepted" ? "answer-unreadable" : "service-unanswered",
        now,
      );
      outcome = answer.result === "stopped" ? "stopped" : "look";
    }
  });
  if (outcome !== "look") return outcome;
  await clock.sleep(session.lookAfterMs ?? LOOK_AFTER_MS, session.signal);
  return (await lookUp()) ?? "stalled";
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
