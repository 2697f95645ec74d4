/**
 * One document's open events in order: which may be sent, which are held and by what, which are not due, and which can
 * never be sent. `links.ts` handles links to other documents.
 */
import type { Registration } from "../ledger/registrations.js";
import type { Hold, WorkDocument, WorkEvent } from "../ledger/work.js";
import { inUtc } from "../model/clock.js";
import type { Code } from "../model/codes.js";
import { refusedByPlan } from "../model/solution.js";
import { isDisproved, isShutOut } from "./shut-out.js";
import { type JsonObject, parseJson } from "../model/json.js";

export interface Held {
  event: WorkEvent;
  reason: Code;
  /** `row:<id>`, `event:<id>`, `input:<id>`, `document:<id>`, `participant:<ref>`, `address:<ref>` or `time`. */
  waitsFor: string;
}

export interface Refused {
  event: WorkEvent;
  reason: Code;
  message: string;
}

/** An open place on a timeline that can still be corrected; later mirrors wait for it. */
export interface Bar {
  at: number;
  rank: number;
  id: number;
  waitsFor: string;
  /** Null: an invalid row. */
  event: WorkEvent | null;
}

export interface Assessment {
  document: WorkDocument;
  /** In order, judged by this document alone. */
  ready: WorkEvent[];
  held: Held[];
  deferred: WorkEvent[];
  refused: Refused[];
  bars: Bar[];
  /** Null: the document can be used. */
  blocked: { reason: Code; waitsFor: string } | null;
  /** Where the next piece of a long document begins. */
  end: Progress;
}

/** The effect of earlier events on later ones. */
export interface Progress {
  block: Block | null;
  shut: number;
  lastAt: number;
}

export interface AssessmentContext {
  /** The service's time less a margin of 2 s (H10). */
  dueBefore: number;
  /** True once in each run. */
  retryStalled: boolean;
  retiming: Retiming;
  /** When the creating event lands, ms; infinity: at the service's time. Null: no event creates the document. */
  begins: number | null;
  /** A participant or address. */
  party(ref: number): Registration | null;
  /** The participant of an address. */
  ownerOf(address: number): Registration | null;
  document(id: number): WorkDocument | null;
  /** An open invalid row that would bring this participant or address, which no other row does; null: none. */
  broughtBy(ref: number): number | null;
}

const isRefusedByPlan = ({ state, reason }: WorkEvent): boolean =>
  state === "rejected" && refusedByPlan.some((code) => code === reason);
const isRejected = (event: WorkEvent): boolean => event.state === "rejected" && !isRefusedByPlan(event);

export type Block = { reason: Code; waitsFor: string };

export function assessDocument(
  document: WorkDocument,
  events: readonly WorkEvent[],
  holds: readonly Hold[],
  context: AssessmentContext,
  from: Progress | null = null,
): Assessment {
  const end = { block: null, shut: 0, lastAt: 0 };
  const assessment: Assessment = {
    document,
    ready: [],
    held: [],
    deferred: [],
    refused: [],
    bars: [],
    blocked: null,
    end,
  };
  let shut = from?.shut ?? (document.state === "cancelled" ? 2 : document.state === "closed" ? 1 : 0);
  const begun = Math.max(document.lastAt ?? Number.NEGATIVE_INFINITY, context.begins ?? Number.NEGATIVE_INFINITY);
  let lastAt = from?.lastAt ?? begun;
  // A row that the timeline has passed can no longer be corrected, so it holds nothing (H12).
  const open = holds.filter(({ at }) => at === null || at >= lastAt);
  assessment.blocked = documentBlock(document, open, context);
  let block: Block | null = from?.block ?? assessment.blocked;
  for (const { row, at, event } of open) {
    if (event !== null) continue;
    assessment.bars.push({ at: at ?? Number.NEGATIVE_INFINITY, rank: 0, id: 0, waitsFor: `row:${row}`, event: null });
  }

  for (const staged of events) {
    const event = isRejected(staged) ? staged : retimed(staged, lastAt, context.retiming);
    if (event.state === "rejected" && (event.dismissed || event.reason === "dismissed")) continue;
    if (event.state === "foreign" && event.dismissed) continue;
    // Stalled without doubt (429, a background process), it has not landed, and is treated like any other.
    const doubtful =
      (event.state === "sending" || (event.state === "stalled" && event.doubt)) && !isDisproved(document, staged);
    if (!doubtful) {
      const refusal = refusalOf(event, { shut, lastAt, begins: context.begins });
      if (refusal !== null) {
        assessment.refused.push({ event, ...refusal });
        continue;
      }
    }
    if (isRejected(event) && event.at < lastAt) continue;
    const own = eventBlock(event, open, context);
    const why: Block | null = block === null || (own !== null && block.reason === "behind-held") ? own : block;
    if (why !== null) {
      if (isSettled(event, why)) {
        assessment.bars.push({ at: event.at, rank: event.rank, id: event.id, waitsFor: `event:${event.id}`, event });
      } else if (event.at >= context.dueBefore && why.reason === "not-yet-past" && !event.doubt) {
        assessment.deferred.push(event);
      } else assessment.held.push({ event, ...why });
      // Later events wait only for this one: giving it up gives up no other.
      block = why === own ? behind(event, why) : why;
      continue;
    }
    if (event.at >= context.dueBefore && !doubtful) {
      assessment.deferred.push(event);
      block = { reason: "not-yet-past", waitsFor: `event:${event.id}` };
      continue;
    }
    assessment.ready.push(event);
    lastAt = Math.max(lastAt, event.at);
    shut = Math.max(shut, event.rank);
  }
  Object.assign(end, { block, shut, lastAt });
  return assessment;
}

/** `why`: what the event itself waits for. */
export const behind = (event: WorkEvent, why: Block): Block =>
  why.reason.startsWith("behind-") ? why : { reason: "behind-held", waitsFor: `event:${event.id}` };

/** The event itself waits, for a person or the next run. */
function isSettled(event: WorkEvent, block: Block): boolean {
  return (
    block.waitsFor === `event:${event.id}` ||
    isRejected(event) ||
    event.state === "foreign" ||
    event.state === "sending"
  );
}

function refusalOf(
  event: WorkEvent,
  state: { shut: number; lastAt: number; begins: number | null },
): { reason: Code; message: string } | null {
  if (isRejected(event) || event.state === "foreign") return null;
  const time = () => inUtc(event.at);
  if (isShutOut(state.shut, event)) {
    const [reason, why] =
      state.shut === 2
        ? (["after-cancel", "The document is cancelled; nothing more can be added"] as const)
        : (["after-close", "The document is closed; only RELATED and CANCEL can follow"] as const);
    return { reason, message: `${why} (${event.name}, ${time()}).` };
  }
  if (event.at >= state.lastAt) return null;
  const begins = Number.isFinite(state.lastAt) ? `at ${inUtc(state.lastAt)}` : "when it is made";
  const why =
    state.lastAt === state.begins
      ? `begins ${begins}, with the event that creates the document`
      : `has already reached ${inUtc(state.lastAt)}`;
  return { reason: "late", message: `${event.name} took place at ${time()}, but the timeline ${why}.` };
}

function documentBlock(document: WorkDocument, holds: readonly Hold[], context: AssessmentContext): Block | null {
  const self = `document:${document.id}`;
  switch (document.state) {
    case "open":
    case "closed":
    case "cancelled":
      return null;
    case "rejected":
      return { reason: "document-rejected", waitsFor: self };
    case "stranded":
      return { reason: "document-stranded", waitsFor: self };
    case "stalled":
    case "sending":
      if (document.reason === "doubt-unsettled") return { reason: "behind-unsettled", waitsFor: self };
      if (!context.retryStalled) return { reason: "document-stalled", waitsFor: self };
      break;
    case "planned":
      break;
  }
  const isBrought = document.declared && document.mode !== "existing";
  const bringing = holds.find(({ event, makes }) => makes || (event === null && !isBrought));
  if (bringing !== undefined) return behindRow(bringing.row);
  if (!isBrought) return { reason: "reference-unknown", waitsFor: self };
  if (document.mode === "target") return null;
  return refusedBlock(document) ?? registrationBlock(document, context);
}

const refusedBlock = ({ refusedInput }: WorkDocument | WorkEvent): Block | null =>
  refusedInput === null ? null : { reason: "import-refused", waitsFor: `input:${refusedInput}` };

const behindRow = (row: number): Block => ({ reason: "behind-invalid-row", waitsFor: `row:${row}` });

function registrationBlock(parties: WorkDocument | WorkEvent, context: AssessmentContext): Block | null {
  for (const kind of ["participant", "address"] as const) {
    const ref = parties[kind];
    const found = ref === null ? null : context.party(ref);
    if (ref === null || found?.state === "registered") continue;
    // An address waits for its participant.
    const owner = kind === "address" && found !== null ? context.ownerOf(found.id) : null;
    const block = partyBlock("participant", owner) ?? partyBlock(kind, found);
    if (block !== null) return block;
    const row = context.broughtBy(ref);
    if (row !== null) return behindRow(row);
    return { reason: `${kind}-not-registered`, waitsFor: `${kind}:${found?.id ?? ref}` };
  }
  return null;
}

/** Whatever waits here is not given up: the next run asks again, or a person can correct the refused row. */
function partyBlock(kind: "participant" | "address", party: Registration | null): Block | null {
  if (party === null) return null;
  const { id, state, reason } = party;
  const waitsFor = `${kind}:${id}`;
  if (state === "stalled" || state === "sending") return { reason: "behind-stalled", waitsFor };
  return state === "rejected" && reason !== "dismissed" ? { reason: "behind-rejected", waitsFor } : null;
}

/** What stops this event and all later ones on its document (P3). */
function eventBlock(event: WorkEvent, holds: readonly Hold[], context: AssessmentContext): Block | null {
  const self = `event:${event.id}`;
  // Only an event that is sent again unchanged may go.
  const refused = event.attempted && event.sentAsIs ? null : refusedBlock(event);
  const hold = holds.find((held) =>
    held.event === null ? held.at === null || held.at <= event.at : held.event === event.id,
  );
  if (hold !== undefined) return behindRow(hold.row);
  if (isRejected(event)) return { reason: "behind-rejected", waitsFor: self };
  if (event.state === "foreign") return { reason: "behind-foreign", waitsFor: self };
  if (refused !== null) return refused;
  if (event.state === "stalled" && event.reason === "doubt-unsettled")
    return { reason: "behind-unsettled", waitsFor: self };
  // A future event that is not in doubt waits for its time, not for the next run.
  const isStalled = event.state === "stalled" && (event.doubt || event.at < context.dueBefore);
  if (!context.retryStalled && (isStalled || event.state === "sending")) {
    return { reason: "behind-stalled", waitsFor: self };
  }
  if (event.payload === "") return { reason: "content-missing", waitsFor: "its row, imported again" };
  // The event creates its target, so it needs that document's parties too.
  const made = event.target === null ? null : context.document(event.target);
  return registrationBlock(event, context) ?? (made && registrationBlock(made, context));
}

/** The attribute for the original time. Null: late events are refused. */
export type Retiming = { attribute: string; isPublic: boolean } | null;

/**
 * Moves a late event to the earliest permitted time and keeps its own in an attribute (`settings.late`). `lastAt`: the
 * time of the timeline's newest event, ms, which the event takes (service.md, Limits 3).
 */
function retimed(event: WorkEvent, lastAt: number, retiming: Retiming): WorkEvent {
  // A rebuilt ledger has no body to add to.
  if (retiming === null || event.at >= lastAt || event.payload === "") return event;
  const payload = parseJson(event.payload) as JsonObject & { metadata?: { attributes: JsonObject[] } };
  const original = {
    name: retiming.attribute,
    value: new Date(event.at).toISOString(),
    isPublic: retiming.isPublic,
  };
  // The file already gives an attribute of this name, so the event stays late.
  if (payload.metadata?.attributes.some(({ name }) => name === retiming.attribute) === true) return event;
  const attributes = [...(payload.metadata?.attributes ?? []), original];
  return { ...event, at: lastAt, payload: JSON.stringify({ ...payload, metadata: { attributes } }) };
}
