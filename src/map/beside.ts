/** What a mapping names beside itself: lookup CSV files and a module with custom functions. */
import { readFileSync } from "node:fs";
import { extname, isAbsolute, join, normalize, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { detachText } from "../model/detach.js";
import type { CsvOptions } from "../model/dialect.js";
import { RowferryError } from "../model/error.js";
// oxlint-disable no-restricted-imports -- lookup tables are read as strictly as rows; they are the one thing of map/ that lies in a file of its own
import { openInput } from "../read/open-input.js";
import type { Table } from "../read/table.js";
// oxlint-enable no-restricted-imports
import { shorten, squeeze } from "./fold.js";
import { didYouMean } from "./nearest.js";
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

/** A table as it is asked, and what it says for comparison with what it said before. */
interface Compiled {
  lookup: Lookup;
  entries: ReadonlyMap<string, string>;
}

/**
 * A table is read as files of rows are, and no less strictly: any encoding that they may have, delimiters that are told by
 * the file, and no row of another width.
 */
async function readLookup(file: LookupFile, path: Path, source: MappingSource): Promise<Compiled | null> {
  const location = besideMapping(file.csv, [...path, "csv"], source);
  if (location === null) return null;
  const csv: CsvOptions = {};
  if (file.delimiter !== undefined) csv.delimiter = file.delimiter;
  if (file.encoding !== undefined) csv.encoding = file.encoding;
  try {
    const input = await openInput(location);
    try {
      if (input.bytes > MAX_LOOKUP_BYTES)
        throw new RowferryError("mapping-too-large", `the file is larger than ${MAX_LOOKUP_BYTES} bytes`);
      if (input.format !== "csv") throw new RowferryError("mapping-lookup", "it is not a CSV file");
      const table = await input.open({ csv, ...(file.header === undefined ? {} : { header: file.header }) });
      return await compileRows(table, file, path, source);
    } finally {
      await input.close();
    }
  } catch (error) {
    const code = error instanceof RowferryError ? error.code : "mapping-lookup";
    const why = error instanceof Error ? error.message : String(error);
    const hint = error instanceof RowferryError && error.hint !== null ? { hint: error.hint } : {};
    source.report(
      code === "file-missing" ? "mapping-missing" : code,
      [...path, "csv"],
      `${file.csv}: ${shorten(why)}.`,
      hint,
    );
    return null;
  }
}

async function compileRows(
  table: Table,
  file: LookupFile,
  path: Path,
  source: MappingSource,
): Promise<Compiled | null> {
  const names = table.header.map(squeeze);
  const places = (["from", "to"] as const).map((member) => {
    const found = names.flatMap((name, index) => (name === squeeze(file[member]) ? [index] : []));
    const [place] = found;
    if (place !== undefined && found.length === 1) return place;
    const what = found.length > 1 ? `has ${found.length} columns` : "has no column";
    const message = `${file.csv} ${what} "${file[member]}".${didYouMean(file[member], names)}`;
    source.report("mapping-lookup", [...path, member], message);
    return null;
  });
  const [from = null, to = null] = places;
  if (from === null || to === null) return null;
  const pairs: [string, string][] = [];
  for await (const rows of table.rows()) {
    for (const { number, cells, problems } of rows) {
      const [problem] = problems ?? [];
      if (problem !== undefined) {
        const message = `${file.csv}, row ${number}: ${problem.message}.`;
        source.report("mapping-lookup", [...path, "csv"], message, problem.hint === null ? {} : { hint: problem.hint });
        return null;
      }
      pairs.push([squeeze(detachText(cells[from] ?? "")), detachText(cells[to] ?? "").trim()]);
    }
  }
  const { conflicts, ...compiled } = compileLookup(pairs);
  const [first] = conflicts;
  if (first === undefined) return compiled;
  const [text, again] = first.map((one) => JSON.stringify(shorten(one)));
  const message =
    text === again
      ? `${file.csv} gives ${text} two values.`
      : `${file.csv} gives two values to ${text} and ${again}, which are one text: case, accents and white space do not count.`;
  source.report("mapping-lookup", [...path, "csv"], message);
  return null;
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
