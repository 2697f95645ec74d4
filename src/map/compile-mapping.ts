/** A whole mapping from its checked text: pure, and without a file in sight. */
import { basename, extname } from "node:path";
import type { Beside } from "./beside.js";
import { Cells } from "./column/cells.js";
import { Conversions } from "./column/column.js";
import { refuseName } from "./column/names.js";
import type { Shared } from "./column/scope.js";
import { compileTable, type Table } from "./column/table.js";
import { fingerprint } from "./fingerprints.js";
import { eventsOf, type InputSpec, keyLabel, keyLabels, type MappingSpec } from "./language/mapping-schema.js";
import { forms } from "./formula/forms.js";
import { functionTable } from "./formula/functions.js";
import { compileInput } from "./input/compile-input.js";
import { type InputFiles, matchCorrected, matchFiles, matchNameless } from "./input/match-files.js";
import type { MappingSource } from "./language/source.js";
import { fillSettings, type Mapping, type MappingInput } from "./mapping.js";
import type { KeyMaker, Known } from "./record/piece.js";
import { findWarnings } from "./warnings.js";

/** Mistakes are reported to `source`; the mapping given is then of no use. */
export function compileMapping(spec: MappingSpec, source: MappingSource, beside: Beside): Mapping {
  const { blank, trim, spreadsheetErrors, ...defaults } = spec.defaults ?? {};
  const cells = new Cells({ blank, trim, spreadsheetErrors }, defaults);
  const conversions = new Conversions(defaults);
  const tables = new Map<string, Table | null>();
  for (const [name, table] of Object.entries(spec.tables ?? {})) {
    refuseName(name, source, ["tables", name]);
    const file = beside.tables.get(name);
    tables.set(name, file === undefined ? null : compileTable(name, table, file, source, { cells, conversions }));
  }
  const functionKinds = functionTable(conversions);
  checkFunctions(beside, functionKinds, source);
  const { late } = fillSettings(spec.settings);
  const shared: Shared = {
    source,
    conversions,
    cells,
    functionKinds,
    functions: beside.functions,
    tables,
    columns: spec.columns ?? {},
  };
  const about = {
    known: knownNames(spec),
    labels: keyLabels(spec),
    lateAttribute: late.refuse ? null : late.attribute,
  };
  checkFormerLabels(spec, source);

  const files: InputFiles[] = [];
  const makers: KeyMaker[] = [];
  const tablesRead = new Set<string>();
  for (const [name, inputSpec] of Object.entries(spec.inputs)) {
    const found = compileInput(name, inputSpec, spec, shared, about, tablesRead);
    if (found === null) continue;
    makers.push(...found.makers);
    files.push({ input: found.input, patterns: inputSpec.files === undefined ? null : [inputSpec.files].flat() });
  }
  if (Object.keys(spec.inputs).length === 0) source.report("mapping-value", ["inputs"], "The mapping has no inputs.");
  checkFiles(files, source);
  const inputs: MappingInput[] = files.map((entry) => entry.input);
  const keyMakers = fingerprint(spec, makers, { functionsText: beside.functionsText, tables });
  return {
    path: source.path,
    name: basename(source.path, extname(source.path)),
    namespace: spec.namespace,
    inputs,
    settings: fillSettings(spec.settings),
    fingerprints: keyMakers.fingerprints,
    keyMakers,
    warnings: findWarnings(spec, source, tablesRead),
    dependencies: beside.dependencies,
    functions: beside.functionsPath,
    inputsFor: (fileName, corrected) =>
      corrected === undefined ? matchFiles(files, fileName) : [matchCorrected(files, fileName, corrected)],
    inputsForNameless: (format) => matchNameless(files, format),
  };
}

/** What the module exports is called by its own name, and takes something. */
function checkFunctions(
  { functions }: Beside,
  functionKinds: ReadonlyMap<string, unknown>,
  source: MappingSource,
): void {
  for (const [name, { length }] of functions) {
    const report = (message: string) => source.report("mapping-functions", ["functions"], `${message}.`);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) report(`"${name}" is not a name that a formula can call`);
    else if (forms.has(name) || functionKinds.has(name)) report(`${name}() has the name of a built-in function`);
    else if (length === 0) report(`${name}() declares no parameter; a function that takes none is a constant`);
  }
}

/** Two documents, or two events of an input, cannot both be what one was before. */
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

/** Names that `{ ref: … }` may use: those with a key in any input, targets, and those of other mappings. */
function knownNames(spec: MappingSpec): Known {
  const participants = new Set(spec.elsewhere?.participants ?? []);
  const addresses = new Set(spec.elsewhere?.addresses ?? []);
  const documents = new Set(spec.elsewhere?.documents ?? []);
  const { participants: parties, addresses: places } = spec;
  for (const input of [{ participants: parties, addresses: places } as InputSpec, ...Object.values(spec.inputs)]) {
    for (const [name, participant] of Object.entries(input.participants ?? {}))
      if (participant.key !== undefined) participants.add(name);
    for (const [name, address] of Object.entries(input.addresses ?? {}))
      if (address.key !== undefined) addresses.add(name);
    for (const name of Object.keys(input.documents ?? {})) documents.add(name);
    for (const event of Object.values(eventsOf(input)))
      if (event.target !== undefined) documents.add(event.target.document);
  }
  return { participants, addresses, documents };
}

/** Of several inputs each says which files it reads, unless all are sheets. */
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
