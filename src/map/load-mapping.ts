/** Loads a mapping file: the only place where the mapping touches the disk. Everything after it is pure and synchronous. */
import { dirname, join } from "node:path";
import { RowferryError } from "../model/error.js";
import { compileMapping } from "./compile-mapping.js";
import { readBeside } from "./beside.js";
import type { Mapping } from "./mapping.js";
import { readText } from "./read-text.js";
import { findPlaceholders } from "./warnings.js";
import { mappingError, type MappingProblem, MappingSource } from "./language/source.js";
import { parseWithSchema } from "./language/schema-problems.js";
import { mappingSchema, type MappingSpec } from "./language/mapping-schema.js";

export interface CheckedMapping {
  /** Null: there are problems. */
  mapping: Mapping | null;
  problems: MappingProblem[];
  /** Ids that are still "?", and a draft's `# decide:` lines. */
  unwritten: MappingProblem[];
}

export interface LoadOptions {
  /** Ids that are still "?". The service would refuse them in every row. */
  placeholders?: "refuse" | "accept";
  /** The sandbox accepts drafts. */
  drafts?: "refuse" | "accept";
}

/** @throws RowferryError with every mistake, each with file, line, column and caret. */
export async function loadMapping(path: string, options: LoadOptions = {}): Promise<Mapping> {
  const { placeholders = "refuse", drafts = placeholders } = options;
  const { mapping, problems, unwritten } = await checkMapping(path);
  if (mapping === null) throw mappingError(problems, path);
  const open = unwritten.filter(({ code }) => (code === "mapping-draft" ? drafts : placeholders) === "refuse");
  if (open.length > 0) throw mappingError(open, path);
  return mapping;
}

/**
 * Like `loadMapping`, with the mistakes as data. Calls `running` before a module of functions runs. @throws
 * RowferryError `mapping-missing`.
 */
export async function checkMapping(
  path: string,
  running: (module: string) => void = () => {},
): Promise<CheckedMapping> {
  const source = new MappingSource(path, await readText(path, "mapping-missing"));
  const spec = (await isReadable(source)) ? parseWithSchema(mappingSchema, source.data, source, []) : undefined;
  if (spec === undefined) return { mapping: null, problems: inOrder(source.problems), unwritten: [] };
  const checked = spec as MappingSpec;
  const beside = await readBeside(checked, source, running);
  const mapping = compileMapping(checked, source, beside);
  return {
    mapping: source.problems.length > 0 ? null : mapping,
    problems: inOrder(source.problems),
    unwritten: inOrder([...findPlaceholders(checked, source), ...findDecisions(checked, source)]),
  };
}

/** Whether the mapping and its base have a version that is read. */
async function isReadable(source: MappingSource): Promise<boolean> {
  const data = source.data as { version?: unknown; extends?: unknown } | null | undefined;
  if (source.problems.length > 0) return false;
  if (data?.version === 1) {
    const message = "This mapping is written in version 1 of the language, which is no longer read.";
    source.report("mapping-value", ["version"], message, {
      hint: "docs/how-to/upgrade-a-mapping.md shows old beside new.",
    });
    return false;
  }
  const name = data?.extends;
  if (typeof name !== "string" || !/^[^/\\]+\.ya?ml$/.test(name)) return true;
  const path = join(dirname(source.path), name);
  try {
    const base = new MappingSource(path, await readText(path, "mapping-missing"));
    source.problems.push(...base.problems);
    if (typeof base.data !== "object" || base.data === null)
      source.report("mapping-value", ["extends"], `${name} holds no parts of a mapping.`);
    else if ("extends" in base.data)
      source.report("mapping-value", ["extends"], `${name} extends another one itself; one mapping extends one other.`);
    if (source.problems.length === 0) source.extend(base);
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    source.report(error.code, ["extends"], `${name}: ${error.message}.`, { hint: error.hint });
  }
  return source.problems.length === 0;
}

/** A draft's open decisions, or else the line `draft: true`. */
function findDecisions({ draft }: MappingSpec, source: MappingSource): MappingProblem[] {
  if (draft !== true) return [];
  const hint =
    "Decide it and remove the line; after the last one, remove `draft: true`. Drafts can be imported into the sandbox.";
  const open = source.lines("# decide:", "mapping-draft", (rest) => `still to be decided: ${rest}`, hint);
  return open.length > 0
    ? open
    : [
        source.describe("mapping-draft", ["draft"], "the mapping is marked as a draft", {
          at: "key",
          hint: "Remove `draft: true` when it is right.",
        }),
      ];
}

function inOrder(problems: readonly MappingProblem[]): MappingProblem[] {
  const seen = new Set<string>();
  const once = problems.filter(({ place, message }) => {
    const name = JSON.stringify([place, message]);
    return seen.has(name) ? false : seen.add(name) !== undefined;
  });
  return once.toSorted(
    (a, b) => (a.place.line ?? 0) - (b.place.line ?? 0) || (a.place.character ?? 0) - (b.place.character ?? 0),
  );
}
