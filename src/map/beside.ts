/** What a mapping names beside itself: lookup CSV files and a module with custom functions. */
import { readFileSync } from "node:fs";
import { extname, isAbsolute, join, normalize, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "csv-parse/sync";
import { RowferryError } from "../model/error.js";
import { shorten, squeeze } from "./fold.js";
import { didYouMean } from "./nearest.js";
import { readText } from "./read-text.js";
import type { MappingSpec } from "./schema/mapping-schema.js";
import type { MappingSource, Path } from "./source/mapping-source.js";
import type { CustomFunctions } from "./value/custom-functions.js";
import { compileLookup, type Lookup, type LookupFile, lookupName, type LookupTables } from "./value/lookup.js";

export interface Beside {
  lookups: LookupTables;
  /** What each table says, as texts that tell two answers apart; by `lookupName`. */
  tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
  functions: CustomFunctions;
  /** The module's own text; empty without one. */
  functionsText: string;
  /** Paths of the files read, without repeats. */
  dependencies: string[];
}

const MAX_LOOKUP_BYTES = 16 * 1024 * 1024;
const MODULES = new Set([".mjs", ".js"]);

/** Reports what cannot be used at its place in the mapping. */
export async function readBeside(spec: MappingSpec, source: MappingSource): Promise<Beside> {
  const lookups = new Map<string, Lookup>();
  const tables = new Map<string, ReadonlyMap<string, string>>();
  const files: string[] = [];
  for (const { file, path } of findLookups(spec.inputs, ["inputs"])) {
    files.push(file.csv);
    const name = lookupName(file);
    if (lookups.has(name)) continue;
    const found = await readLookup(file, path, source);
    if (found === null) continue;
    lookups.set(name, found.lookup);
    tables.set(name, found.entries);
  }
  const { functions, text: functionsText } =
    spec.functions === undefined ? { functions: new Map(), text: "" } : await loadFunctions(spec.functions, source);
  const names = [...files, ...(spec.functions === undefined ? [] : [spec.functions])];
  const dependencies = [...new Set(names.map((name) => join(dirname(source.path), normalize(name))))];
  return { lookups, tables, functions, functionsText, dependencies };
}

function* findLookups(value: unknown, path: Path): Generator<{ file: LookupFile; path: Path }> {
  if (value === null || typeof value !== "object") return;
  for (const [name, member] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    const file = member as Partial<LookupFile> | null;
    if (
      name === "map" &&
      typeof file?.csv === "string" &&
      typeof file.from === "string" &&
      typeof file.to === "string"
    ) {
      yield { file: file as LookupFile, path: place };
    } else {
      yield* findLookups(member, place);
    }
  }
}

async function readLookup(
  file: LookupFile,
  path: Path,
  source: MappingSource,
): Promise<{ lookup: Lookup; entries: ReadonlyMap<string, string> } | null> {
  const location = besideMapping(file.csv, [...path, "csv"], source);
  if (location === null) return null;
  try {
    const text = await readText(location, "mapping-missing", MAX_LOOKUP_BYTES);
    const [header = [], ...lines] = parse(text, {
      delimiter: file.delimiter ?? ",",
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    const names = header.map(squeeze);
    const from = names.indexOf(squeeze(file.from));
    const to = names.indexOf(squeeze(file.to));
    for (const [member, index] of [
      ["from", from],
      ["to", to],
    ] as const) {
      if (index >= 0) continue;
      source.report(
        "mapping-lookup",
        [...path, member],
        `${file.csv} has no column "${file[member]}".${didYouMean(file[member], names)}`,
      );
    }
    if (from < 0 || to < 0) return null;
    const { lookup, conflicts, entries } = compileLookup(lines.map((line) => [line[from] ?? "", line[to] ?? ""]));
    const [first] = conflicts;
    if (first !== undefined) {
      source.report("mapping-lookup", [...path, "csv"], `${file.csv} gives "${shorten(first)}" two values.`);
      return null;
    }
    return { lookup, entries };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    source.report(
      error instanceof RowferryError ? error.code : "mapping-lookup",
      [...path, "csv"],
      `${file.csv}: ${shorten(why)}.`,
    );
    return null;
  }
}

async function loadFunctions(
  name: string,
  source: MappingSource,
): Promise<{ functions: CustomFunctions; text: string }> {
  const functions = new Map<string, (...values: unknown[]) => unknown>();
  const location = besideMapping(name, ["functions"], source);
  if (location === null) return { functions, text: "" };
  if (!MODULES.has(extname(location))) {
    source.report("mapping-functions", ["functions"], `${name} is not a JavaScript module (.mjs or .js).`);
    return { functions, text: "" };
  }
  let text = "";
  try {
    text = readFileSync(location, "utf8");
    const module = (await import(pathToFileURL(location).href)) as { [name: string]: unknown };
    for (const [exported, value] of Object.entries(module)) {
      if (typeof value === "function" && exported !== "default")
        functions.set(exported, value as (...values: unknown[]) => unknown);
    }
    if (functions.size === 0) source.report("mapping-functions", ["functions"], `${name} exports no function by name.`);
  } catch (error) {
    source.report(
      "mapping-functions",
      ["functions"],
      `${name} cannot be loaded: ${shorten(error instanceof Error ? error.message : error)}.`,
    );
  }
  return { functions, text };
}

/** Only files in the mapping's own folder or below it. */
function besideMapping(name: string, path: Path, source: MappingSource): string | null {
  const relative = normalize(name);
  if (isAbsolute(name) || relative.startsWith("..")) {
    source.report("mapping-value", path, `"${name}" must lie beside the mapping or below its folder.`);
    return null;
  }
  return resolve(join(dirname(source.path), relative));
}
