/** Compiles a checked mapping. Pure: touches no file. */
import { basename, extname } from "node:path";
import type { Beside } from "./beside.js";
import { compileCells } from "./column/cells.js";
import { conversionsBy } from "./column/column.js";
import { refuseName } from "./column/names.js";
import type { Shared } from "./column/scope.js";
import { compileTable, type Table } from "./column/table.js";
import { compileConversion } from "./convert/conversion.js";
import { attempt, Refused, type ConvertDefaults } from "./convert/conversion-kind.js";
import { fingerprint } from "./fingerprints.js";
import { eventsOf, type InputSpec, keyLabel, keyLabels, type MappingSpec } from "./language/mapping-schema.js";
import type { KeySpec } from "./language/record-schema.js";
import { callables } from "./formula/functions.js";
import { compileInput } from "./input/compile-input.js";
import { matchCorrected, matchFiles, matchNameless } from "./input/match-files.js";
import type { MappingSource } from "./language/source.js";
import type { Mapping, MappingInput } from "./mapping.js";
import { findWarnings } from "./warnings.js";

/** `lean`: the compiled tables, for fingerprints without lists. A mapping whose mistakes were reported to `source` must not be used. */
export function compileMapping(
  spec: MappingSpec,
  source: MappingSource,
  beside: Beside,
  lean: ReadonlyMap<string, Table | null> | null = null,
): Mapping {
  const { blank, spreadsheetErrors, ...defaults } = spec.defaults ?? {};
  const conversions = conversionsBy(sound(defaults, source));
  const tables = new Map<string, Table | null>(lean);
  const { settings } = spec;
  const shared: Shared = {
    source,
    conversions,
    cells: compileCells({ blank, spreadsheetErrors }, conversions.defaults),
    callables: callables(conversions, beside.functions, (why) =>
      source.report("mapping-functions", ["functions"], `${why}.`),
    ),
    tables,
    columns: spec.columns ?? {},
    known: knownNames(spec),
    labels: keyLabels(spec),
    compared: new Set(),
    isLean: lean !== null,
    lateAttribute: settings.late.refuse ? null : settings.late.attribute,
  };
  for (const [name, table] of lean === null ? Object.entries(spec.tables ?? {}) : []) {
    refuseName(name, source, ["tables", name]);
    const file = beside.tables.get(name);
    tables.set(name, file === undefined ? null : compileTable(name, table, file, shared));
  }
  checkFormerLabels(spec, source);
  const compiled = Object.keys(spec.inputs).map((name) => compileInput(name, spec, shared));
  const inputs = compiled.map(({ input }) => input);
  if (inputs.length === 0) source.report("mapping-value", ["inputs"], "The mapping has no inputs.");
  checkFiles(inputs, source);
  const makers = compiled.flatMap((one) => one.makers);
  const keyMakers = fingerprint(spec, makers, { functionsText: beside.functionsText, tables });
  let leanPrints: ReadonlyMap<string, string> | null = null;
  return {
    path: source.path,
    name: basename(source.path, extname(source.path)),
    namespace: spec.namespace,
    inputs,
    settings,
    keyMakers: {
      ...keyMakers,
      lean: () => (leanPrints ??= compileMapping(spec, source, beside, tables).keyMakers.fingerprints),
    },
    warnings: findWarnings(spec, source, new Set(compiled.flatMap((one) => one.tables))),
    dependencies: beside.dependencies,
    tables: beside.tablePaths,
    inputsFor: (fileName, corrected) =>
      corrected === undefined ? matchFiles(inputs, fileName) : [matchCorrected(inputs, fileName, corrected)],
    inputsForNameless: (format) => matchNameless(inputs, format),
  };
}

/** Reports what no column of times or truth values could use, once, and leaves it out. */
function sound(defaults: ConvertDefaults, source: MappingSource): ConvertDefaults {
  const usable = { timezone: "UTC", dates: ["ISO"], booleans: undefined };
  const found = { ...defaults };
  for (const option of ["timezone", "dates", "booleans"] as const) {
    const own = { [option]: defaults[option] ?? usable[option] };
    const type = option === "booleans" ? "boolean" : "timestamp";
    const refused = attempt(() => compileConversion(type, { ...defaults, ...usable, ...own }));
    if (!(refused instanceof Refused)) continue;
    const { code, message, hint } = refused;
    source.report(code, ["defaults", option], `${option}: ${message}.`, { hint });
    Object.assign(found, { [option]: usable[option] });
  }
  return found;
}

/** Only one document, or event of an input, can take over a former name. */
function checkFormerLabels({ inputs }: MappingSpec, source: MappingSource) {
  for (const [name, input] of Object.entries(inputs))
    for (const [part, records] of Object.entries({ documents: input.documents ?? {}, events: eventsOf(input) })) {
      const labels = Object.entries(records).map(([label, one]) => ({
        label,
        was: one.was,
        key: keyLabel(label, one),
      }));
      for (const { label, was } of labels) {
        const other = labels.find((one) => one.label !== label && one.key === was);
        if (was === undefined || other === undefined) continue;
        const message = `"${other.label}" goes by "${was}" already; only one can keep what was sent under that name.`;
        source.report("mapping-value", ["inputs", name, part, label, "was"], message);
      }
    }
}

/** What `{ ref: … }` may name: records with a key in any input, targets, and `elsewhere`. */
function knownNames({ elsewhere = {}, participants, addresses, inputs }: MappingSpec): Shared["known"] {
  const lengths = () => new Map<string, Set<number>>();
  const known = { participants: lengths(), addresses: lengths(), documents: lengths() };
  const add = (of: ReturnType<typeof lengths>, name: string, key: KeySpec | undefined) =>
    of.set(name, (of.get(name) ?? new Set()).add([key].flat().length));
  for (const input of [{ participants, addresses } as InputSpec, ...Object.values(inputs)]) {
    for (const kind of ["participants", "addresses"] as const)
      for (const [name, { key }] of Object.entries(input[kind] ?? {})) if (key) add(known[kind], name, key);
    for (const [name, { key }] of Object.entries(input.documents ?? {})) add(known.documents, name, key);
    for (const { target } of Object.values(eventsOf(input)))
      if (target) add(known.documents, target.document, target.key);
  }
  for (const kind of ["participants", "addresses", "documents"] as const)
    for (const name of elsewhere[kind] ?? []) known[kind].set(name, new Set());
  return known;
}

/** Each of several inputs names its files, unless all are sheets. */
function checkFiles(inputs: readonly MappingInput[], source: MappingSource) {
  for (const { name, files, read } of inputs.length < 2 ? [] : inputs) {
    if (files !== null || read.excel?.sheet !== undefined) continue;
    const message = `Input "${name}" does not say which files it reads, but is not the only input.`;
    const hint = 'Write `files: ["*…*.csv"]`, or `excel: { sheet: … }` for a sheet of a workbook.';
    source.report("mapping-value", ["inputs", name], message, { at: "key", hint });
  }
}
