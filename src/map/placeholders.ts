/** Ids that `guess` could not tell and wrote as "?": a mapping that still has one is read, but is not fit for an import. */
import type { MappingSpec } from "./language/mapping-schema.js";
import type { MappingProblem } from "./language/problem.js";
import type { MappingSource, Path } from "./language/source.js";

const PLACEHOLDER = "?";
/** Data of one's own, in which an `id` may be anything. */
const FREE: ReadonlySet<string> = new Set(["fields", "attributes", "extra", "value"]);

/** Each place where an id is still to be written, in the order of the file. */
export function findPlaceholders(spec: MappingSpec, source: MappingSource): MappingProblem[] {
  const found: MappingProblem[] = [];
  const walk = (value: unknown, path: Path): void => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const place = [...path, name];
      // A draft runs on the sandbox with what is still to be written.
      if (member === PLACEHOLDER && (name === "id" || spec.draft !== true))
        found.push(
          source.describe(
            "mapping-doubtful",
            place,
            `\`${name}: "${PLACEHOLDER}"\` stands for what is still to be written.`,
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
