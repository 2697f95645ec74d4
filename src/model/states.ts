/**
 * The state machines as data: from, cause, to. The ledger has a function for each cause; its CHECKs and triggers are made
 * of them.
 */

export interface Transition<State extends string> {
  from: State;
  cause: string;
  to: State;
}

const registrationTransitions = [
  { from: "planned", cause: "intent recorded", to: "sending" },
  { from: "planned", cause: "found by lookup", to: "registered" },
  { from: "planned", cause: "lookup refused", to: "rejected" },
  { from: "planned", cause: "lookup unanswered", to: "stalled" },
  { from: "sending", cause: "created, or found afterwards", to: "registered" },
  { from: "sending", cause: "refused", to: "rejected" },
  { from: "sending", cause: "unanswered", to: "stalled" },
  { from: "sending", cause: "not sent", to: "planned" },
  { from: "stalled", cause: "intent recorded", to: "sending" },
  { from: "stalled", cause: "found by lookup", to: "registered" },
  { from: "stalled", cause: "lookup refused", to: "rejected" },
  { from: "rejected", cause: "corrected or retried", to: "planned" },
] as const;

const documentTransitions = [
  { from: "planned", cause: "intent recorded", to: "sending" },
  { from: "planned", cause: "target or given id", to: "open" },
  { from: "planned", cause: "target landed without id", to: "stranded" },
  { from: "sending", cause: "created", to: "open" },
  { from: "sending", cause: "refused", to: "rejected" },
  { from: "sending", cause: "unanswered", to: "stalled" },
  { from: "sending", cause: "exists, id unknown", to: "stranded" },
  { from: "sending", cause: "not sent", to: "planned" },
  { from: "stalled", cause: "intent recorded", to: "sending" },
  { from: "stalled", cause: "resolved by a person", to: "open" },
  { from: "stalled", cause: "not there, a person says", to: "planned" },
  { from: "stranded", cause: "resolved by a person", to: "open" },
  { from: "rejected", cause: "corrected or retried", to: "planned" },
  { from: "open", cause: "CLOSE landed", to: "closed" },
  { from: "open", cause: "CANCEL landed", to: "cancelled" },
  { from: "closed", cause: "CANCEL landed", to: "cancelled" },
] as const;

export type DocumentState = (typeof documentTransitions)[number]["from" | "to"];

const eventTransitions = [
  { from: "planned", cause: "intent recorded", to: "sending" },
  { from: "planned", cause: "something before it failed", to: "held" },
  { from: "planned", cause: "not yet in the past", to: "deferred" },
  { from: "planned", cause: "can never be sent", to: "rejected" },
  { from: "held", cause: "released", to: "planned" },
  { from: "held", cause: "not yet in the past", to: "deferred" },
  { from: "held", cause: "can never be sent", to: "rejected" },
  { from: "deferred", cause: "due", to: "planned" },
  { from: "deferred", cause: "something before it failed", to: "held" },
  { from: "deferred", cause: "can never be sent", to: "rejected" },
  { from: "sending", cause: "accepted", to: "landed" },
  { from: "sending", cause: "duplicate of our own attempt", to: "landed-without-id" },
  { from: "sending", cause: "duplicate of an attempt with other content", to: "changed" },
  { from: "sending", cause: "duplicate of nothing we sent", to: "foreign" },
  { from: "sending", cause: "refused", to: "rejected" },
  { from: "sending", cause: "unanswered", to: "stalled" },
  { from: "sending", cause: "not sent", to: "planned" },
  { from: "stalled", cause: "intent recorded", to: "sending" },
  { from: "stalled", cause: "not yet in the past", to: "deferred" },
  { from: "stalled", cause: "can never be sent", to: "rejected" },
  { from: "stalled", cause: "landed, a person says", to: "landed-without-id" },
  { from: "stalled", cause: "landed with other content, a person says", to: "changed" },
  { from: "stalled", cause: "not landed, a person says, or its document shows", to: "planned" },
  { from: "rejected", cause: "corrected or retried", to: "planned" },
  { from: "foreign", cause: "retried", to: "planned" },
  { from: "landed", cause: "its row came back with other content", to: "changed" },
  { from: "landed-without-id", cause: "its row came back with other content", to: "changed" },
  { from: "changed", cause: "its row came back as it landed", to: "landed" },
] as const;

export type EventState = (typeof eventTransitions)[number]["from" | "to"];

/** Every permitted move. */
export const transitions = {
  participant: registrationTransitions,
  address: registrationTransitions,
  document: documentTransitions,
  event: eventTransitions,
} as const satisfies Record<string, readonly Transition<string>[]>;

export type Machine = keyof typeof transitions;

/** In order of first appearance. */
export function statesOf(machine: Machine): string[] {
  return [...new Set(transitions[machine].flatMap((transition) => [transition.from, transition.to]))];
}

/** The event is certainly on the service's timeline. */
export const landedStates = ["landed", "landed-without-id", "changed"] as const satisfies readonly EventState[];
