/** The files that a mapping names: tables and a module with custom functions. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import nodeModule from "node:module";
import { extname, isAbsolute, join, normalize, dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { detachText } from "../model/fold.js";
import type { CsvOptions } from "../model/dialect.js";
import { RowferryError } from "../model/error.js";
import type { Row } from "../model/row.js";
// oxlint-disable no-restricted-imports -- tables are read as strictly as rows; only tables make map/ read files
import { openInput } from "../read/open-input.js";
// oxlint-enable no-restricted-imports
import type { TableFile } from "./column/table.js";
import { type CustomFunction, whyOf } from "./formula/functions.js";
import type { TableSpec } from "./language/column-schema.js";
import type { MappingSpec } from "./language/mapping-schema.js";
import type { MappingSource, Path } from "./language/source.js";

export type Beside = Awaited<ReturnType<typeof readBeside>>;

const MAX_TABLE_BYTES = 16 * 1024 * 1024;
const MODULES = new Set([".mjs", ".js"]);

/** `functionsText`: "" without a module. `dependencies`: `tablePaths`, the module and what it imports, and the base. */
export async function readBeside(
  { tables: specs = {}, functions: module, extends: base }: MappingSpec,
  source: MappingSource,
  running: (module: string) => void,
) {
  const tables = new Map<string, TableFile>();
  for (const [name, table] of Object.entries(specs)) {
    const file = await readTable(table, ["tables", name, "file"], source);
    if (file !== null) tables.set(name, file);
  }
  const beside = (name: string) => join(dirname(source.path), normalize(name));
  const tablePaths = Object.values(specs).map(({ file }) => beside(file));
  const loaded = await loadFunctions(module, source, running);
  const modules = module === undefined ? [] : [beside(module), ...filesOfModule(beside(module)).slice(1)];
  return {
    tables,
    ...loaded,
    dependencies: [...new Set([...tablePaths, ...modules, ...(base === undefined ? [] : [beside(base)])])],
    tablePaths,
  };
}

/** Tables are read as strictly as rows: same encodings and delimiters, and no row of another width. */
async function readTable(spec: TableSpec, path: Path, source: MappingSource): Promise<TableFile | null> {
  const { file, delimiter, encoding, header } = spec;
  const location = besideMapping(file, path, source);
  if (location === null) return null;
  const csv: CsvOptions = { ...(delimiter && { delimiter }), ...(encoding && { encoding }) };
  try {
    const input = await openInput(location);
    try {
      const refuse = (message: string, hint?: string | null): never => {
        throw new RowferryError("mapping-lookup", message, { hint: hint ?? undefined });
      };
      if (input.bytes > MAX_TABLE_BYTES)
        throw new RowferryError("mapping-too-large", `the file is larger than ${MAX_TABLE_BYTES} bytes`);
      if (input.format !== "csv") refuse("it is not a CSV file");
      const table = await input.open({ csv, ...(header && { header }) });
      const rows: Row[] = [];
      for await (const some of table.rows())
        for (const row of some) {
          const [problem] = row.problems ?? [];
          if (row.leftOut !== undefined) continue;
          if (problem !== undefined) refuse(`row ${row.number}: ${problem.message}`, problem.hint);
          rows.push({ ...row, cells: row.cells.map(detachText) });
        }
      return { header: table.header, rows };
    } finally {
      await input.close();
    }
  } catch (error) {
    const { code, hint } = error instanceof RowferryError ? error : { code: "mapping-lookup" as const, hint: null };
    const advice = code === "file-empty" ? "Fill the table; the first row must name its columns." : hint;
    const shown = code === "file-missing" ? "mapping-missing" : code;
    source.report(shown, path, `${file}: ${whyOf(error)}.`, { hint: advice });
    return null;
  }
}

async function loadFunctions(
  name: string | undefined,
  source: MappingSource,
  running: (module: string) => void,
): Promise<{ functions: ReadonlyMap<string, CustomFunction>; functionsText: string }> {
  const functions = new Map<string, CustomFunction>();
  if (name === undefined) return { functions, functionsText: "" };
  const location = besideMapping(name, ["functions"], source);
  const report = (message: string) => source.report("mapping-functions", ["functions"], `${name} ${message}.`);
  let functionsText = "";
  if (location !== null && !MODULES.has(extname(location))) report("is not a JavaScript module (.mjs or .js)");
  else if (location !== null && !existsSync(location))
    source.report("mapping-missing", ["functions"], `${name}: there is no such file.`, {
      hint: "Correct the name: the module must be next to the mapping.",
    });
  else if (location !== null)
    try {
      running(location);
      const exports = await importModule(location);
      functionsText = textOfModule(location);
      for (const [exported, value] of Object.entries(exports))
        if (typeof value === "function" && exported !== "default") functions.set(exported, value as CustomFunction);
      if (functions.size === 0) report("exports no named function");
    } catch (error) {
      report(`cannot be loaded: ${whyOf(error)}`);
    }
  return { functions, functionsText };
}

interface LoadedModule {
  /** The module itself first, then what it imports by path. */
  files: string[];
  /** Of its files, as far as they were known, before it was loaded: an edit in the meantime shows the next time. */
  text: string;
  /** Absent: it could not be loaded. */
  exports?: { [name: string]: unknown };
}

const loadedModules = new Map<string, LoadedModule>();
let loads = 0;

/** Absent before Node 22.15, on which a change of what a module imports goes unnoticed. */
const { registerHooks }: Partial<Pick<typeof nodeModule, "registerHooks">> = nodeModule;

/** A module of functions and the files that it imported when it was last loaded. */
export const filesOfModule = (path: string): string[] => loadedModules.get(resolve(path))?.files ?? [resolve(path)];

const textOfModule = (path: string): string =>
  filesOfModule(path)
    .map((file) => (existsSync(file) ? readFileSync(file, "utf8") : ""))
    .join("\n");

/** Node keeps all that it has imported: one that was edited, or imports an edited file, needs an address of its own, and others none. */
async function importModule(location: string): Promise<NonNullable<LoadedModule["exports"]>> {
  const text = textOfModule(location);
  const last = loadedModules.get(location);
  if (last?.exports !== undefined && last.text === text) return last.exports;
  // As Node names the parents of what it imports.
  const own = realpathSync(location);
  const version = `#${++loads}`;
  const files = new Set([own]);
  const hooks = registerHooks?.({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const { parentURL: parent = "" } = context;
      const isOwn = parent.startsWith("file:") && files.has(fileURLToPath(parent)) && /^(\.|\/|file:)/.test(specifier);
      if (!isOwn || !found.url.startsWith("file:")) return found;
      files.add(fileURLToPath(found.url));
      return context.conditions.includes("import") ? { ...found, url: found.url + version } : found;
    },
  });
  const loaded: LoadedModule = { files: [own], text };
  loadedModules.set(location, loaded);
  try {
    const exports = (await import(pathToFileURL(location).href + version)) as { [name: string]: unknown };
    loaded.exports = exports;
    return exports;
  } finally {
    hooks?.deregister();
    files.delete(own);
    loaded.files.push(...[...files].toSorted());
  }
}

/** The file must be in the mapping's folder or below it. */
function besideMapping(name: string, path: Path, source: MappingSource): string | null {
  const relative = normalize(name);
  if (isAbsolute(name) || relative.startsWith("..")) {
    source.report("mapping-value", path, `"${name}" must be in the folder of the mapping, or in a folder below it.`);
    return null;
  }
  return resolve(join(dirname(source.path), relative));
}
