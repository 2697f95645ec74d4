/** Loads a mapping file: the only place where the mapping touches the disk. Everything after it is pure and synchronous. */
import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { decodeText } from "../model/decode-text.js";
import { RowferryError } from "../model/error.js";
import { isJsonObject } from "../model/json.js";
import { compileMapping } from "./compile-mapping.js";
import { readBeside } from "./beside.js";
import type { Mapping } from "./mapping.js";
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

const MOST_BYTES = 1024 * 1024;

const DRAFTED = "Check the path; `rowferry guess <files> -o <mapping>` drafts a mapping from your files.";

/** `hint`: if the file is absent. @throws RowferryError `mapping-missing`, `mapping-too-large`, `text-not-utf8`. */
export async function readSource(path: string, schema?: "failsafe", hint = DRAFTED): Promise<MappingSource> {
  const place = { file: path };
  const bytes = await buffer(createReadStream(path, { end: MOST_BYTES })).catch((cause: NodeJS.ErrnoException) => {
    const isAbsent = cause.code === "ENOENT";
    const message = isAbsent ? "there is no such file" : `the file cannot be read (${cause.code})`;
    throw new RowferryError("mapping-missing", message, { place, cause, hint: isAbsent ? hint : undefined });
  });
  if (bytes.length > MOST_BYTES)
    throw new RowferryError("mapping-too-large", `the file is larger than ${MOST_BYTES} bytes`, { place });
  return new MappingSource(path, decodeText(bytes, path), schema);
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
  const source = await readSource(path);
  const { problems } = source;
  if (problems.length === 0) await extendByBase(source);
  const spec = problems.length === 0 ? parseWithSchema(mappingSchema, source.data, source) : undefined;
  if (spec === undefined) return { mapping: null, problems: inOrder(problems), unwritten: [] };
  const mapping = compileMapping(spec, source, await readBeside(spec, source, running));
  return {
    mapping: problems.length > 0 ? null : mapping,
    problems: inOrder(problems),
    unwritten: inOrder([...findPlaceholders(spec, source), ...findDecisions(spec, source)]),
  };
}

/** Reports a mapping, or its base, of a version that is no longer read. */
async function extendByBase(source: MappingSource): Promise<void> {
  const { version, extends: name } = (source.data ?? {}) as { version?: unknown; extends?: unknown };
  if (version === 1)
    source.report(
      "mapping-value",
      ["version"],
      "This mapping is written in version 1 of the language, which is no longer supported.",
      { hint: "docs/how-to/upgrade-a-mapping.md shows how to rewrite it." },
    );
  if (version === 1 || typeof name !== "string" || !/^[^/\\]+\.ya?ml$/.test(name)) return;
  const refuse = (message: string, hint: string | null = null) =>
    source.report("mapping-value", ["extends"], message, { hint });
  try {
    const base = await readSource(join(dirname(source.path), name));
    source.problems.push(...base.problems);
    source.doubts.push(...base.doubts);
    if (!isJsonObject(base.data)) refuse(`${name} holds no parts of a mapping.`);
    else if ("extends" in base.data) {
      const hint = `Move what they share into a file without \`extends\`, and let each mapping extend that.`;
      refuse(`${name} itself extends another mapping, and only one step is read.`, hint);
    }
    if (source.problems.length === 0) source.extend(base);
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    source.report(error.code, ["extends"], `${name}: ${error.message}.`, { hint: error.hint });
  }
}

/** A draft's open decisions, or else the line `draft: true`. */
function findDecisions({ draft }: MappingSpec, source: MappingSource): MappingProblem[] {
  if (draft !== true) return [];
  const hint =
    "Decide it and remove the line; after the last one, remove `draft: true`. Drafts can be imported into the sandbox.";
  const open = source.lines("# decide:", "mapping-draft", (rest) => `still to be decided: ${rest}`, hint);
  const marked = { at: "key", hint: "Remove `draft: true` when it is right." } as const;
  return open.length > 0
    ? open
    : [source.describe("mapping-draft", ["draft"], "the mapping is marked as a draft", marked)];
}

/** In the order of the files, each once. */
function inOrder(problems: readonly MappingProblem[]): MappingProblem[] {
  const once = new Map(problems.map((one) => [JSON.stringify([one.place, one.message]), one]));
  const position = ({ place: { line = 0, character = 0 } }: MappingProblem) => line * 1e6 + character;
  const files = [...Map.groupBy(once.values(), ({ place: { file } }) => file).values()];
  return files.flatMap((own) => own.toSorted((a, b) => position(a) - position(b)));
}
