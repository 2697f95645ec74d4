/** Compiles a checked mapping. Pure: touches no file. */
import { basename, extname } from "node:path";
import type { Beside } from "./beside.js";
import { Cells } from "./column/cells.js";
import { Conversions } from "./column/column.js";
import { refuseName } from "./column/names.js";
import type { Shared } from "./column/scope.js";
import { compileTable, type Table } from "./column/table.js";
import { fingerprint } from "./fingerprints.js";
import { eventsOf, type InputSpec, keyLabel, keyLabels, type MappingSpec } from "./language/mapping-schema.js";
import { callables } from "./formula/functions.js";
import { compileInput } from "./input/compile-input.js";
import { type InputFiles, matchCorrected, matchFiles, matchNameless } from "./input/match-files.js";
import type { MappingSource } from "./language/source.js";
import { fillSettings, type Mapping } from "./mapping.js";
import { findWarnings } from "./warnings.js";

/** A mapping whose mistakes were reported to `source` must not be used. */
export function compileMapping(spec: MappingSpec, source: MappingSource, beside: Beside): Mapping {
  const { blank, trim, spreadsheetErrors, ...defaults } = spec.defaults ?? {};
  const conversions = new Conversions(defaults);
  const tables = new Map<string, Table | null>();
  const settings = fillSettings(spec.settings);
  const shared: Shared = {
    source,
    conversions,
    cells: new Cells({ blank, trim, spreadsheetErrors }, defaults),
    callables: callables(conversions, beside.functions, (why) =>
      source.report("mapping-functions", ["functions"], `${why}.`),
    ),
    tables,
    columns: spec.columns ?? {},
    known: knownNames(spec),
    labels: keyLabels(spec),
    lateAttribute: settings.late.refuse ? null : settings.late.attribute,
  };
  for (const [name, table] of Object.entries(spec.tables ?? {})) {
    refuseName(name, source, ["tables", name]);
    const file = beside.tables.get(name);
    tables.set(name, file === undefined ? null : compileTable(name, table, file, shared));
  }
  checkFormerLabels(spec, source);
  const compiled = Object.keys(spec.inputs).map((name) => compileInput(name, spec, shared));
  const files = compiled.map(({ input }) => {
    const patterns = spec.inputs[input.name]?.files;
    return { input, patterns: patterns === undefined ? null : [patterns].flat() };
  });
  if (files.length === 0) source.report("mapping-value", ["inputs"], "The mapping has no inputs.");
  checkFiles(files, source);
  const makers = compiled.flatMap((one) => one.makers);
  const keyMakers = fingerprint(spec, makers, { functionsText: beside.functionsText, tables });
  return {
    path: source.path,
    name: basename(source.path, extname(source.path)),
    namespace: spec.namespace,
    inputs: compiled.map(({ input }) => input),
    settings,
    fingerprints: keyMakers.fingerprints,
    keyMakers,
    warnings: findWarnings(spec, source, new Set(compiled.flatMap((one) => one.tables))),
    dependencies: beside.dependencies,
    tables: beside.tablePaths,
    functions: beside.functionsPath,
    inputsFor: (fileName, corrected) =>
      corrected === undefined ? matchFiles(files, fileName) : [matchCorrected(files, fileName, corrected)],
    inputsForNameless: (format) => matchNameless(files, format),
  };
}

/** Only one document, or event of an input, can take over a former name. */
function checkFormerLabels(spec: MappingSpec, source: MappingSource): void {
  for (const [name, input] of Object.entries(spec.inputs)) {
    for (const part of ["documents", "events"] as const) {
      const members = Object.entries(part === "events" ? eventsOf(input) : (input.documents ?? {}));
      for (const [label, { was }] of members) {
        const others = members.filter(([other, one]) => other !== label && keyLabel(other, one) === was);
        const [other] = others[0] ?? [];
        if (was === undefined || other === undefined) continue;
        const message = `"${other}" goes by "${was}" already; only one can keep what was sent under that name.`;
        source.report("mapping-value", ["inputs", name, part, label, "was"], message);
      }
    }
  }
}

/** Names that `{ ref: … }` may use: records with a key in any input, targets, and `elsewhere`. */
function knownNames({ elsewhere = {}, participants = {}, addresses = {}, inputs }: MappingSpec): Shared["known"] {
  const all = [{ participants, addresses } as InputSpec, ...Object.values(inputs)];
  const keyed = (kinds: "participants" | "addresses") =>
    all.flatMap((input) =>
      Object.entries(input[kinds] ?? {}).flatMap(([name, { key }]) => (key === undefined ? [] : name)),
    );
  const targets = all.flatMap((input) =>
    Object.values(eventsOf(input)).flatMap(({ target }) => target?.document ?? []),
  );
  const documents = all.flatMap((input) => Object.keys(input.documents ?? {}));
  return {
    participants: new Set([...(elsewhere.participants ?? []), ...keyed("participants")]),
    addresses: new Set([...(elsewhere.addresses ?? []), ...keyed("addresses")]),
    documents: new Set([...(elsewhere.documents ?? []), ...documents, ...targets]),
  };
}

/** Each of several inputs names its files, unless all are sheets. */
function checkFiles(files: readonly InputFiles[], source: MappingSource): void {
  if (files.length < 2) return;
  for (const { input, patterns } of files) {
    if (patterns !== null || input.read.excel?.sheet !== undefined) continue;
    source.report(
      "mapping-value",
      ["inputs", input.name],
      `Input "${input.name}" does not say which files it reads, and it is not the only one.`,
      {
        at: "key",
        hint: 'Write `files: ["*…*.csv"]`, or `excel: { sheet: … }` for a sheet of a workbook.',
      },
    );
  }
}
