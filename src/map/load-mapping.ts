/** Loads a mapping file: the only place where the mapping touches the disk. Everything after it is pure and synchronous. */
import { compileMapping } from "./compile-mapping.js";
import { readBeside } from "./beside.js";
import type { Mapping } from "./mapping.js";
import { readText } from "./read-text.js";
import { findPlaceholders } from "./placeholders.js";
import { type MappingProblem, mappingError } from "./source/mapping-problem.js";
import { MappingSource } from "./source/mapping-source.js";
import { parseWithSchema } from "./source/schema-problems.js";
import { mappingSchema } from "./schema/mapping-schema.js";

export interface CheckedMapping {
  /** Null where there are problems. */
  mapping: Mapping | null;
  /** In the order of the file. */
  problems: MappingProblem[];
  /** Ids that `guess` wrote as "?" and that are still to be written; also among the mapping's warnings. */
  unwritten: MappingProblem[];
}

export interface LoadOptions {
  /** Ids that `guess` wrote as "?": refused (default), since the service would refuse every row; or left for later. */
  placeholders?: "refuse" | "accept";
}

/** @throws RowferryError with every mistake of the mapping, each with file, line, column and a caret line. */
export async function loadMapping(path: string, { placeholders = "refuse" }: LoadOptions = {}): Promise<Mapping> {
  const { mapping, problems, unwritten } = await checkMapping(path);
  if (mapping === null) throw mappingError(problems, path);
  if (placeholders === "refuse" && unwritten.length > 0) throw mappingError(unwritten, path);
  return mapping;
}

/** As `loadMapping`, with the mistakes as data. @throws RowferryError `mapping-missing` when the file cannot be read. */
export async function checkMapping(path: string): Promise<CheckedMapping> {
  const text = await readText(path, "mapping-missing");
  const source = new MappingSource(path, text);
  const spec = source.problems.length > 0 ? undefined : parseWithSchema(mappingSchema, source.data, source, []);
  if (spec === undefined) return { mapping: null, problems: inOrder(source.problems), unwritten: [] };
  const beside = await readBeside(spec, source);
  const mapping = compileMapping(spec, source, beside);
  return {
    mapping: source.problems.length > 0 ? null : mapping,
    problems: inOrder(source.problems),
    unwritten: inOrder(findPlaceholders(spec, source)),
  };
}

function inOrder(problems: readonly MappingProblem[]): MappingProblem[] {
  return problems.toSorted(
    (a, b) => (a.place.line ?? 0) - (b.place.line ?? 0) || (a.place.character ?? 0) - (b.place.character ?? 0),
  );
}
