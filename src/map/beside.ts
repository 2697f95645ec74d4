/** The files that a mapping names: tables and a module with custom functions. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, isAbsolute, join, normalize, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { detachText } from "../model/detach.js";
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

export interface Beside {
  tables: ReadonlyMap<string, TableFile>;
  functions: ReadonlyMap<string, CustomFunction>;
  /** "" without a module. */
  functionsText: string;
  functionsPath: string | null;
  dependencies: string[];
  tablePaths: string[];
}

const MAX_TABLE_BYTES = 16 * 1024 * 1024;
const MODULES = new Set([".mjs", ".js"]);

export async function readBeside(
  { tables: specs = {}, functions: module, extends: base }: MappingSpec,
  source: MappingSource,
  running: (module: string) => void,
): Promise<Beside> {
  const tables = new Map<string, TableFile>();
  for (const [name, table] of Object.entries(specs)) {
    const file = await readTable(table, ["tables", name, "file"], source);
    if (file !== null) tables.set(name, file);
  }
  const beside = (name: string) => join(dirname(source.path), normalize(name));
  const tablePaths = Object.values(specs).map(({ file }) => beside(file));
  return {
    tables,
    ...(await loadFunctions(module, source, running)),
    functionsPath: module === undefined ? null : beside(module),
    dependencies: [...new Set([...tablePaths, ...[module ?? [], base ?? []].flat().map(beside)])],
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
        throw new RowferryError("mapping-lookup", message, hint == null ? {} : { hint });
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
): Promise<Pick<Beside, "functions" | "functionsText">> {
  const functions = new Map<string, CustomFunction>();
  if (name === undefined) return { functions, functionsText: "" };
  const location = besideMapping(name, ["functions"], source);
  const report = (message: string) => source.report("mapping-functions", ["functions"], `${name} ${message}.`);
  let functionsText = "";
  if (location !== null && !MODULES.has(extname(location))) report("is not a JavaScript module (.mjs or .js)");
  else if (location !== null)
    try {
      running(location);
      functionsText = readFileSync(location, "utf8");
      // Node keeps what it has imported; an edited module needs an address of its own.
      const version = createHash("sha256").update(functionsText).digest("hex");
      const module = (await import(`${pathToFileURL(location).href}#${version}`)) as { [name: string]: unknown };
      for (const [exported, value] of Object.entries(module))
        if (typeof value === "function" && exported !== "default") functions.set(exported, value as CustomFunction);
      if (functions.size === 0) report("exports no function by name");
    } catch (error) {
      report(`cannot be loaded: ${whyOf(error)}`);
    }
  return { functions, functionsText };
}

/** The file must be in the mapping's folder or below it. */
function besideMapping(name: string, path: Path, source: MappingSource): string | null {
  const relative = normalize(name);
  if (isAbsolute(name) || relative.startsWith("..")) {
    source.report("mapping-value", path, `"${name}" must be beside the mapping or below its folder.`);
    return null;
  }
  return resolve(join(dirname(source.path), relative));
}
