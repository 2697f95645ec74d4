/** Settings that are valid but seldom meant, for `rowferry check`. */
import { eventsOf, type MappingSpec } from "./language/mapping-schema.js";
import type { MappingProblem, MappingSource, Path } from "./language/source.js";

/** `used`: the tables that formulas read. */
export function findWarnings(spec: MappingSpec, source: MappingSource, used: ReadonlySet<string>): MappingProblem[] {
  const warnings: MappingProblem[] = [...findPlaceholders(spec, source), ...source.doubts];
  const lost = "The character that stands for letters which some program could not read.";
  const again = "Write the letters again; otherwise they are sent as they are.";
  warnings.push(...source.lines("\uFFFD", "mapping-doubtful", () => lost, again).slice(0, 1));
  for (const name of Object.keys(spec.tables ?? {})) {
    if (used.has(name)) continue;
    const unread = `No formula reads the table "${name}".`;
    const remedy = `Read it as tables.${name}[…], or remove it.`;
    warnings.push(source.describe("mapping-doubtful", ["tables", name], unread, { at: "key", hint: remedy }));
  }
  for (const [inputName, input] of Object.entries(spec.inputs)) {
    const kinds = [input.participants, input.addresses, input.documents, input.events];
    if (kinds.every((records) => Object.keys(records ?? {}).length === 0)) {
      const nothing = `Input "${inputName}" describes no records, so nothing of its rows is sent.`;
      const remedy = "Describe `documents` and `events`, or `participants`.";
      const place = ["inputs", inputName];
      warnings.push(source.describe("mapping-doubtful", place, nothing, { at: "key", hint: remedy }));
    }
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

const PLACEHOLDER = "?";
/** Free data, in which an `id` may be anything. */
const FREE: ReadonlySet<string> = new Set(["fields", "attributes", "extra", "value"]);

/** In file order. */
export function findPlaceholders(spec: MappingSpec, source: MappingSource): MappingProblem[] {
  const found: MappingProblem[] = [];
  const walk = (value: unknown, path: Path): void => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const place = [...path, name];
      // A draft runs in the sandbox with such placeholders.
      if (member === PLACEHOLDER && (name === "id" || spec.draft !== true))
        found.push(
          source.describe(
            "mapping-doubtful",
            place,
            `\`${name}: "${PLACEHOLDER}"\` is a placeholder that is still to be replaced.`,
            {
              hint: "Write the id that the service gave, or the columns that tell it; the service refuses a question mark.",
            },
          ),
        );
      else if (!FREE.has(name)) walk(member, place);
    }
  };
  for (const [name, input] of Object.entries(spec.inputs))
    for (const kind of ["participants", "addresses", "documents", "events"] as const)
      for (const [record, described] of Object.entries(input[kind] ?? {}))
        walk(described, ["inputs", name, kind, record]);
  return found;
}
