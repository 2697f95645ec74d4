/**
 * The state machines as data: from, cause, to. The ledger has a function for each cause, and its CHECKs and triggers
 * are generated from these tables.
 */

const registrationTransitions = [
  ["planned", "intent recorded", "sending"],
  ["planned", "found by lookup", "registered"],
  ["planned", "lookup refused", "rejected"],
  ["planned", "lookup unanswered", "stalled"],
  ["sending", "created, or found afterwards", "registered"],
  ["sending", "refused", "rejected"],
  ["sending", "unanswered", "stalled"],
  ["sending", "not sent", "planned"],
  ["stalled", "intent recorded", "sending"],
  ["stalled", "found by lookup", "registered"],
  ["stalled", "lookup refused", "rejected"],
  ["rejected", "corrected or retried", "planned"],
] as const;

const documentTransitions = [
  ["planned", "intent recorded", "sending"],
  ["planned", "target or given id", "open"],
  ["planned", "target landed without id", "stranded"],
  ["sending", "created", "open"],
  ["sending", "refused", "rejected"],
  ["sending", "unanswered", "stalled"],
  ["sending", "exists, id unknown", "stranded"],
  ["sending", "not sent", "planned"],
  ["stalled", "intent recorded", "sending"],
  ["stalled", "resolved by a person", "open"],
  ["stalled", "not there, a person says", "planned"],
  ["stranded", "resolved by a person", "open"],
  ["rejected", "corrected or retried", "planned"],
  ["open", "CLOSE landed", "closed"],
  ["open", "CANCEL landed", "cancelled"],
  ["closed", "CANCEL landed", "cancelled"],
] as const;

export type DocumentState = (typeof documentTransitions)[number][0 | 2];

const eventTransitions = [
  ["planned", "intent recorded", "sending"],
  ["planned", "something before it failed", "held"],
  ["planned", "not yet in the past", "deferred"],
  ["planned", "can never be sent", "rejected"],
  ["held", "released", "planned"],
  ["held", "not yet in the past", "deferred"],
  ["held", "can never be sent", "rejected"],
  ["deferred", "due", "planned"],
  ["deferred", "something before it failed", "held"],
  ["deferred", "can never be sent", "rejected"],
  ["sending", "accepted", "landed"],
  ["sending", "duplicate of our own attempt", "landed-without-id"],
  ["sending", "duplicate of an attempt with other content", "changed"],
  ["sending", "duplicate of nothing we sent", "foreign"],
  ["sending", "refused", "rejected"],
  ["sending", "unanswered", "stalled"],
  ["sending", "not sent", "planned"],
  ["stalled", "intent recorded", "sending"],
  ["stalled", "not yet in the past", "deferred"],
  ["stalled", "can never be sent", "rejected"],
  ["stalled", "landed, a person says", "landed-without-id"],
  ["stalled", "landed with other content, a person says", "changed"],
  ["stalled", "not landed, a person says, or its document shows", "planned"],
  ["rejected", "corrected or retried", "planned"],
  ["foreign", "retried", "planned"],
  ["landed", "its row came back with other content", "changed"],
  ["landed-without-id", "its row came back with other content", "changed"],
  ["changed", "its row came back as it landed", "landed"],
  ["changed", "its row came back as it landed, whose id is lost", "landed-without-id"],
] as const;

export type EventState = (typeof eventTransitions)[number][0 | 2];

/** Every permitted move. */
export const transitions = {
  participant: registrationTransitions,
  address: registrationTransitions,
  document: documentTransitions,
  event: eventTransitions,
};

export type Machine = keyof typeof transitions;

/** In order of first appearance. */
export function statesOf(machine: Machine): string[] {
  return [...new Set(transitions[machine].flatMap(([from, , to]) => [from, to]))];
}

/** The event is certainly on the service's timeline. */
export const landedStates = ["landed", "landed-without-id", "changed"] as const satisfies readonly EventState[];

export const isLandedState = (state: string): boolean => (landedStates as readonly string[]).includes(state);

/** Certainly not on the timeline. */
export const isUnsent = ({ state }: { state: string }): boolean =>
  ["planned", "held", "deferred", "rejected"].includes(state);
