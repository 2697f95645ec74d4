/** Names of documents and events as they stand in keys, and events with what `defaults` gives them. */
import type { EventSpec, InputSpec, MappingSpec } from "./mapping-schema.js";

/** Says that a document or an event is a new one, whatever it looks like. */
export const NEVER = "none";

/** The label that stands in keys: the one under which it was known before. */
export function keyLabel(label: string, { was }: { was?: string | undefined }): string {
  return was === undefined || was === NEVER ? label : was;
}

/** Of documents that are called otherwise than before: the label in the mapping, and the one in keys. */
export function keyLabels(spec: MappingSpec): ReadonlyMap<string, string> {
  const documents = Object.values(spec.inputs).flatMap((input) => Object.entries(input.documents ?? {}));
  return new Map(
    documents.flatMap(([kind, one]) => (keyLabel(kind, one) === kind ? [] : [[kind, keyLabel(kind, one)]])),
  );
}

/** Events with what `defaults` gives each of them. */
export function eventsOf({ events = {} }: InputSpec): { [event: string]: EventSpec } {
  const { defaults = {}, ...own } = events as { [event: string]: EventSpec };
  return Object.fromEntries(
    Object.entries(own).map(([event, spec]) => [
      event,
      { ...defaults, ...spec, ...(spec.is === undefined ? { by: spec.by } : {}) },
    ]),
  );
}
