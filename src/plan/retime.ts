/**
 * A late event under a mapping that moves such events: to the earliest time its timeline permits, with its own time in
 * an attribute (`settings.late`). Everything else is left as it is.
 */
import type { WorkEvent } from "../ledger/work.js";
import { type JsonObject, parseJson } from "../model/json.js";

/** The attribute that keeps the original time. Null: late events are refused. */
export type Retiming = { attribute: string; isPublic: boolean } | null;

/** `lastAt`: the newest event of the timeline, ms; the moved event takes place at the same instant (service.md, Limits 3). */
export function retimed(event: WorkEvent, lastAt: number, retiming: Retiming): WorkEvent {
  if (retiming === null || event.at >= lastAt) return event;
  const payload = parseJson(event.payload) as JsonObject & { metadata?: { attributes: JsonObject[] } };
  const original = {
    name: retiming.attribute,
    value: new Date(event.at).toISOString(),
    isPublic: retiming.isPublic,
  };
  // Two writers of one name: the file's own stands, and the event stays late.
  if (payload.metadata?.attributes.some(({ name }) => name === retiming.attribute) === true) return event;
  const attributes = [...(payload.metadata?.attributes ?? []), original];
  return { ...event, at: lastAt, payload: JSON.stringify({ ...payload, metadata: { attributes } }) };
}
