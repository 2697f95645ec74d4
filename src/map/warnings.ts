/** What is valid in a mapping and yet seldom meant; `rowferry check` shows it. */
import { findPlaceholders } from "./placeholders.js";
import type { MappingSpec } from "./schema/mapping-schema.js";
import type { MappingProblem } from "./source/mapping-problem.js";
import type { MappingSource } from "./source/mapping-source.js";

export function findWarnings(spec: MappingSpec, source: MappingSource): MappingProblem[] {
  const warnings: MappingProblem[] = findPlaceholders(spec, source);
  const replaced = source.describeText(
    "mapping-doubtful",
    "\uFFFD",
    "The character that stands for letters which some program could not read.",
    "Write the letters again; otherwise they are sent as they stand.",
  );
  if (replaced !== null) warnings.push(replaced);
  for (const [inputName, input] of Object.entries(spec.inputs)) {
    for (const [event, eventSpec] of Object.entries(input.events ?? {})) {
      const path = ["inputs", inputName, "events", event];
      const warn = (member: string, message: string, hint: string) =>
        warnings.push(
          source.describe("mapping-doubtful", [...path, member], `event "${event}": ${message}`, { at: "key", hint }),
        );
      if (eventSpec.key === "content") {
        warn(
          "key",
          "`key: content` takes an edited row for a new event; the old one stays on the timeline.",
          "Name a column that identifies the event, if the file has one.",
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
