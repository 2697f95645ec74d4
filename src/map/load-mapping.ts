/** Loads a mapping file: the only place where the mapping touches the disk. Everything after it is pure and synchronous. */
import { compileMapping } from "./compile-mapping.js";
import { readBeside } from "./beside.js";
import type { Mapping } from "./mapping.js";
import { readText } from "./read-text.js";
import { type MappingProblem, mappingError } from "./source/mapping-problem.js";
import { MappingSource } from "./source/mapping-source.js";
import { parseWithSchema } from "./source/schema-problems.js";
import { mappingSchema } from "./schema/mapping-schema.js";

export interface CheckedMapping {
  /** Null where there are problems. */
  mapping: Mapping | null;
  /** In the order of the file. */
  problems: MappingProblem[];
}

/** @throws RowferryError with every mistake of the mapping, each with file, line, column and a caret line. */
export async function loadMapping(path: string): Promise<Mapping> {
  const { mapping, problems } = await checkMapping(path);
  if (mapping === null) throw mappingError(problems, path);
  return mapping;
}

/** As `loadMapping`, with the mistakes as data. @throws RowferryError `mapping-missing` when the file cannot be read. */
export async function checkMapping(path: string): Promise<CheckedMapping> {
  const text = await readText(path, "mapping-missing");
  const source = new MappingSource(path, text);
  const spec = source.problems.length > 0 ? undefined : parseWithSchema(mappingSchema, source.data, source, []);
  if (spec === undefined) return { mapping: null, problems: inOrder(source.problems) };
  const beside = await readBeside(spec, source);
  const mapping = compileMapping(spec, source, beside);
  return { mapping: source.problems.length > 0 ? null : mapping, problems: inOrder(source.problems) };
}

function inOrder(problems: readonly MappingProblem[]): MappingProblem[] {
  return problems.toSorted(
    (a, b) => (a.place.line ?? 0) - (b.place.line ?? 0) || (a.place.character ?? 0) - (b.place.character ?? 0),
  );
}
