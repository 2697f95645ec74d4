/** What can be wrong with a mapping file: every mistake with its place and a caret line, all reported at once. */
import type { Code } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import { describePlace, type Place } from "../../model/place.js";

export interface MappingProblem {
  code: Code;
  /** The cause in a sentence. */
  message: string;
  /** What to write instead; null when the message says it all. */
  hint: string | null;
  place: Place;
  /** The line of the file, and below it a caret under the place; null when there is no such line. */
  excerpt: string | null;
}

/** How many mistakes are written out; a file with more of them is of another kind altogether. */
const SHOWN = 50;

/** The one error for all mistakes of a mapping, or of its cases. `problems` must not be empty. */
export function mappingError(
  problems: readonly MappingProblem[],
  path: string,
  of: "the mapping" | "the cases" = "the mapping",
): RowferryError {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) {
    const message = first.excerpt === null ? first.message : `${first.message}\n${first.excerpt}`;
    return new RowferryError(first.code, message, {
      place: first.place,
      ...(first.hint === null ? {} : { hint: first.hint }),
    });
  }
  const shown = problems.slice(0, SHOWN).map(describeMappingProblem);
  if (problems.length > SHOWN) shown.push(`… and ${problems.length - SHOWN} more`);
  return new RowferryError("mapping-invalid", `${problems.length} mistakes in ${of}:\n${shown.join("\n")}`, {
    place: { file: path },
  });
}

/** Place, message, caret line and hint, over several lines. */
export function describeMappingProblem(problem: MappingProblem): string {
  const lines = [`${describePlace(problem.place)}: ${problem.message}`];
  if (problem.excerpt !== null) lines.push(problem.excerpt);
  if (problem.hint !== null) lines.push(`    ${problem.hint}`);
  return lines.join("\n");
}
