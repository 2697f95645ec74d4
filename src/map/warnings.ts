/** What is valid in a mapping and yet seldom meant; `rowferry check` shows it. */
import { eventsOf } from "./language/labels.js";
import { findPlaceholders } from "./placeholders.js";
import type { MappingSpec } from "./language/mapping-schema.js";
import type { MappingProblem } from "./language/problem.js";
import type { MappingSource } from "./language/source.js";

/** `used`: the tables that some formula reads. */
export function findWarnings(spec: MappingSpec, source: MappingSource, used: ReadonlySet<string>): MappingProblem[] {
  const warnings: MappingProblem[] = [...findPlaceholders(spec, source), ...source.doubts];
  const replaced = source.describeText(
    "mapping-doubtful",
    "\uFFFD",
    "The character that stands for letters which some program could not read.",
    "Write the letters again; otherwise they are sent as they stand.",
  );
  if (replaced !== null) warnings.push(replaced);
  for (const name of Object.keys(spec.tables ?? {})) {
    if (used.has(name)) continue;
    const message = `No formula reads the table "${name}".`;
    const hint = `Read it as tables.${name}[…], or remove it.`;
    warnings.push(source.describe("mapping-doubtful", ["tables", name], message, { at: "key", hint }));
  }
  for (const [inputName, input] of Object.entries(spec.inputs)) {
    for (const [event, eventSpec] of Object.entries(eventsOf(input))) {
      const path = ["inputs", inputName, "events", event];
      const warn = (member: string, message: string, hint: string) =>
        warnings.push(
          source.describe("mapping-doubtful", [...path, member], `event "${event}": ${message}`, { at: "key", hint }),
        );
      if (eventSpec.key === "content") {
        warn(
          "key",
          "`key: content` takes an edited row for a new event; the old one stays on the timeline.",
          "Key it by a column that identifies the event, if the file has one.",
        );
      }
      if (
        eventSpec.relatedDocument !== undefined &&
        typeof eventSpec.name === "string" &&
        eventSpec.name !== "RELATED"
      ) {
        warn(
          "relatedDocument",
          `\`relatedDocument\` is described for RELATED events; this one is named ${eventSpec.name}.`,
          "Name the event RELATED, unless the service is known to take it.",
        );
      }
      if ((eventSpec.name === "SPLIT" || eventSpec.name === "OUTPUT") && eventSpec.target === undefined) {
        warn("name", `${eventSpec.name} without \`target\` creates no document.`, "Add a `target`.");
      }
    }
  }
  return warnings;
}
