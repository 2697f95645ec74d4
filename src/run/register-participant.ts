/** How a participant is registered: looked up by its natural key, created when it is not there (open-points 2; HARD-CASES H31). */
import type { OpenParticipant } from "../ledger/registrations.js";
import { type FoundParticipant, participantOf } from "../submit/answers.js";
import { createParticipant, lookupParticipant } from "../submit/calls.js";
import type { RegistrationSteps } from "./register.js";
import type { Session } from "./session.js";

export function stepsOfParticipant(session: Session, { id, data, settings }: OpenParticipant): RegistrationSteps {
  const { registrations, clock } = session;
  const { strategy, foreign } = session.settings.get(settings).participants;
  const name = `${data.taxIdType} ${data.taxId}`;
  return {
    lookFirst: strategy === "lookup-first",
    look: lookupParticipant(data),
    read(answer) {
      const lookup = participantOf(answer, data);
      if (lookup === undefined) return undefined;
      if (lookup.outcome === "absent") return "absent";
      if (lookup.outcome === "unreadable") {
        const message = `The lookup of ${name} was answered with something else than this participant. \`rowferry retry\` asks again.`;
        return { code: "answer-unreadable", message };
      }
      const record = lookup.participant;
      if (isForeign(record) && foreign === "create") return "absent";
      if (isForeign(record) && foreign === "refuse")
        return { code: "participant-foreign", message: `${name} is registered by another dataset.` };
      const receipt = { serviceId: record.id, snapshotId: null, origin: "found" as const };
      registrations.registered("participant", id, receipt, clock.now());
      if (record.name !== null && record.name !== data.name) {
        const message = `${name} is registered as "${record.name}", not "${data.name}".`;
        registrations.warn("participant", id, { code: "participant-differs", message }, clock.now());
      }
      return "registered";
    },
    create: createParticipant(data),
    created({ id: serviceId, snapshotId }, now) {
      registrations.registered("participant", id, { serviceId, snapshotId, origin: "created" }, now);
    },
  };
}

/**
 * Reads of other datasets' records carry identification and location fields only (service.md, What the service does 4):
 * whether the name is one of them is not said, the kind of participant is not.
 */
const isForeign = (record: FoundParticipant): boolean => record.type === null;
