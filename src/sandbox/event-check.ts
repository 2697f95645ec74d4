/** What an event must be before its document is looked at (service.md, Event; Events rules 1, 9, 10 and 11). */
import type { Context } from "./context.js";
import { isObject } from "./json.js";
import { limitReferences, requireReferences } from "./references.js";
import { invalid } from "./refusal.js";
import { type EventInput, eventSchemaFor, isReserved, type RelatedDocument } from "./schemas.js";
import { checked } from "./validation.js";

const REASON_MESSAGE = "The reason metadata is required for CANCEL events";

/** Refused on a reference in one direction (Events rule 10). */
const TWO_WAY_FIELDS = ["eventName", "eventLabel", "preserveSensitiveData", "isBackReference", "isPublic"] as const;

/** `at`: what the event is called in messages, `events[2]`; empty for the single-event endpoint. @throws Refusal 400 or 422 */
export function checkEvent(context: Context, input: unknown, at: string): EventInput {
  const name = isObject(input) ? input["name"] : undefined;
  if (typeof name === "string" && !isReserved(name) && !context.rule("custom.fallback")) {
    throw invalid(`${name} is not the name of an event`);
  }
  const event = checked(eventSchemaFor(name), input, at, context.rule) as EventInput;
  const prefix = at === "" ? "" : `${at}.`;
  requireReferences(context, event, prefix);
  if (event.target !== undefined) limitReferences(event.target, `${prefix}target.`);
  if (event.name === "CANCEL") checkReason(context, event);
  if (event.name === "RELATED" && event.relatedDocument !== undefined) {
    checkRelation(context, event.relatedDocument, `${prefix}relatedDocument.`);
  }
  if (event.propagateEvent === true && event.value !== undefined && context.rule("propagation.no-value")) {
    throw invalid(`${prefix}value: cannot be sent on a propagated event`);
  }
  return event;
}

/** Events rule 9: an attribute named exactly `reason`, not empty. */
function checkReason(context: Context, event: EventInput): void {
  if (!context.rule("cancel.reason")) return;
  const given = (event.metadata?.attributes ?? []).some(({ name, value }) => {
    const named = context.rule("cancel.reason-lowercase") ? name === "reason" : name.toLowerCase() === "reason";
    return named && (value !== "" || !context.rule("cancel.reason-not-empty"));
  });
  if (!given) throw invalid(context.rule("cancel.message") ? REASON_MESSAGE : "A reason is needed");
}

/** Whether a relation is two-way (Events rule 10: it is unless it says otherwise). */
export function isTwoWay(context: Context, related: RelatedDocument): boolean {
  return related.bidirectional ?? context.rule("related.bidirectional-default");
}

function checkRelation(context: Context, related: RelatedDocument, at: string): void {
  if (isTwoWay(context, related)) {
    if (related.isPublic === undefined && context.rule("related.is-public-required")) {
      throw invalid(`${at}isPublic: required when bidirectional is true`);
    }
    const { eventName } = related;
    if (eventName !== undefined && eventName !== "RELATED" && isReserved(eventName)) {
      throw invalid(`${at}eventName: ${eventName} cannot be written as a back-reference`);
    }
    return;
  }
  const refused = TWO_WAY_FIELDS.filter((name) => related[name] !== undefined);
  if (refused.length > 0 && context.rule("related.one-way-refuses")) {
    throw invalid(`${at}${refused.join(", ")}: cannot be sent when bidirectional is false`);
  }
}
