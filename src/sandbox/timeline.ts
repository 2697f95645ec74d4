/** Appends one event to a document: duplicate, lifecycle and time checks, then the event and what it causes elsewhere. */
import type { Caller, Context } from "./context.js";
import { visible } from "./documents.js";
import type { Json, JsonObject } from "./json.js";
import { copyToRelated, createTarget, writeRelation } from "./links.js";
import type { DocumentRecord } from "./records.js";
import { resolveReferences } from "./references.js";
import { conflict, duplicateKey, invalid, Refusal } from "./refusal.js";
import type { EventInput } from "./schemas.js";
import { writeEvent } from "./write-event.js";

export interface AppendedEvent {
  eventId: string;
  targetDocumentId: string | null;
}

/**
 * Must run in a transaction. `at`: what the event is called in messages.
 * @throws Refusal 409 for a repeated key, a closed or a cancelled document; 400 for its time or an unknown reference.
 */
export function appendEvent(
  context: Context,
  caller: Caller,
  documentId: string,
  event: EventInput,
  at: string,
): AppendedEvent {
  const document = visible(context, caller, context.store.document(documentId));
  const instant = Date.parse(event.externalCreatedAt);
  const duplicateFirst = context.settings.checks === "duplicate-first";
  if (duplicateFirst && !claimEventKey(context, caller, document, event)) return unwritten(context);
  checkLifecycle(context, document, event.name);
  checkTime(context, document, instant, at);
  if (!duplicateFirst && !claimEventKey(context, caller, document, event)) return unwritten(context);

  const references = resolveReferences(context, caller, event, at);
  // Before the relation of this very event is recorded: a propagated copy goes to documents that were related before it.
  const related = event.propagateEvent === true ? context.store.relatedTo(documentId) : [];
  const wanted = event.target !== undefined && context.rule("target.creates-document");
  const target = wanted ? createTarget(context, caller, event, instant, references, at) : null;
  const eventId = context.newId();
  const record = writeEvent(context, document, {
    eventId,
    origin: "sent",
    name: event.name,
    at: instant,
    isPublic: event.isPublic,
    ...references,
    deduplicationId: event.deduplicationId ?? null,
    targetDocumentId: target,
    body: bodyOf(event),
  });
  if (event.name === "RELATED") writeRelation(context, caller, record, event, at);
  copyToRelated(context, record, related);
  return { eventId, targetDocumentId: target };
}

/** After CANCEL nothing; after CLOSE only RELATED, and CANCEL (States and transitions). @throws Refusal 409 */
function checkLifecycle(context: Context, document: DocumentRecord, name: string): void {
  if (document.state === "cancelled" && context.rule("cancel.blocks")) {
    throw conflict(`Document ${document.id} is cancelled: no event can be added`);
  }
  if (document.state !== "closed") return;
  const allowed =
    (name === "RELATED" && context.rule("close.allows-related")) ||
    (name === "CANCEL" && context.rule("cancel.after-close"));
  const known = name === "RELATED" || name === "CANCEL";
  if (known ? !allowed : context.rule("close.blocks")) throw conflict(`Document ${document.id} is closed`);
}

/** Events rule 7. @throws Refusal 400 */
function checkTime(context: Context, document: DocumentRecord, instant: number, at: string): void {
  if (instant >= context.now() && context.rule("order.before-now")) {
    throw invalid(`${at}externalCreatedAt: must be before the current time`);
  }
  if (document.lastAt !== null && instant < document.lastAt && context.rule("order.not-before-last")) {
    const last = new Date(document.lastAt).toISOString();
    throw invalid(`${at}externalCreatedAt: must not be earlier than the last event of the document (${last})`);
  }
}

/**
 * Events rule 8: false only when a repeated key is let through by a mutation, true otherwise. The scope is the integrator,
 * or the document under the option keyScope (open point 22).
 */
function claimEventKey(context: Context, caller: Caller, document: DocumentRecord, event: EventInput): boolean {
  const key = event.deduplicationId;
  if (key === undefined) return true;
  const scope = context.settings.keyScope === "document" ? `on:${document.id}` : `event:${caller.integrator}`;
  if (context.store.claimKey(scope, key)) return true;
  if (!context.rule("keys.unique")) return true;
  if (!context.rule("keys.never-replayed")) return false;
  throw context.rule("keys.conflict-code")
    ? duplicateKey(key)
    : new Refusal(409, duplicateKey(key).messages, { code: "DUPLICATE" });
}

const unwritten = (context: Context): AppendedEvent => ({ eventId: context.newId(), targetDocumentId: null });

function bodyOf(event: EventInput): JsonObject {
  const body: JsonObject = {};
  for (const name of ["metadata", "relatedDocument", "propagateEvent", "value"] as const) {
    if (event[name] !== undefined) body[name] = event[name] as Json;
  }
  return body;
}
