/** Registers a participant: looked up by its natural key, created when it is not there (open-points 2; HARD-CASES H31). */
import type { OpenParticipant } from "../ledger/registrations.js";
import { type FoundParticipant, participantOf } from "../submit/answers.js";
import { createParticipant, lookupParticipant } from "../submit/calls.js";
import { look, type Outcome, refusal, register } from "./register.js";
import type { Session } from "./session.js";

export async function registerParticipant(session: Session, participant: OpenParticipant): Promise<Outcome> {
  const { registrations, clock } = session;
  const { strategy, foreign } = session.settings.get(participant.settings).participants;
  const { id } = participant;
  const subject = { kind: "participant", id, attempted: participant.attempted } as const;

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
    const answer = await look(session, subject, lookupParticipant(participant.data));
    const lookup = participantOf(answer, participant.data);
    if (lookup?.outcome === "found" && !(isForeign(lookup.participant) && foreign === "create"))
      return found(lookup.participant);
    if (lookup?.outcome === "absent" || lookup?.outcome === "found") return null;
    if (answer.result === "stopped") return "stopped";
    if (answer.result === "refused") {
      registrations.rejected("participant", id, refusal(answer), clock.now());
      return "rejected";
    }
    if (lookup?.outcome === "unreadable") {
      const message = `The lookup of ${participant.data.taxIdType} ${participant.data.taxId} was answered with something else than this participant. \`rowferry retry\` asks again.`;
      registrations.rejected("participant", id, { code: "answer-unreadable", message }, clock.now());
      return "rejected";
    }
    registrations.stalled("participant", id, "service-unanswered", clock.now());
    return "stalled";
  };

  return register(session, subject, {
    lookFirst: strategy === "lookup-first",
    lookUp,
    create: createParticipant(participant.data),
    created({ id: serviceId, snapshotId }, now) {
      registrations.registered("participant", id, { serviceId, snapshotId, origin: "created" }, now);
    },
  });
}

/**
 * Reads of other datasets' records carry identification and location fields only (service.md, What the service does 4):
 * whether the name is one of them is not said, the kind of participant is not.
 */
function isForeign(record: FoundParticipant): boolean {
  return record.type === null;
}
