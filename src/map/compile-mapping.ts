/** A whole mapping from its checked text: pure, and without a file in sight. */
import { basename, extname } from "node:path";
import type { Beside } from "./beside.js";
import { fingerprint, keyLabel, keyLabels } from "./fingerprints.js";
import { compileInput } from "./input/compile-input.js";
import { type InputFiles, matchCorrected, matchFiles, matchNameless } from "./input/match-files.js";
import type { Mapping, MappingInput } from "./mapping.js";
import type { Known } from "./record/reference.js";
import type { MappingSpec } from "./schema/mapping-schema.js";
import { fillSettings } from "./settings.js";
import type { MappingSource } from "./source/mapping-source.js";
import { compileCells } from "./value/cells.js";
import { ConversionShelf } from "./value/conversion-shelf.js";
import { ExpressionCompiler } from "./value/expression.js";
import { findWarnings } from "./warnings.js";

/** Mistakes are reported to `source`; the mapping given is then of no use. */
export function compileMapping(spec: MappingSpec, source: MappingSource, beside: Beside): Mapping {
  const { blank, trim, spreadsheetErrors, ...defaults } = spec.defaults ?? {};
  const cells = compileCells(blank ?? [], trim ?? true, spreadsheetErrors ?? "refuse", defaults);
  const conversions = new ConversionShelf(defaults);
  const expressions = new ExpressionCompiler(source, conversions, cells, beside.functions);
  for (const refused of expressions.refused) source.report("mapping-functions", ["functions"], `${refused}.`);
  const { late } = fillSettings(spec.settings);
  const lateAttribute = late.refuse ? null : late.attribute;
  const shared = {
    source,
    conversions,
    cells,
    lookups: beside.lookups,
    expressions,
    lateAttribute,
    labels: keyLabels(spec),
  };
  const known = knownNames(spec);
  const keyMakers = fingerprint(spec, beside);
  checkFormerLabels(spec, source);

  const files: InputFiles[] = [];
  for (const [name, inputSpec] of Object.entries(spec.inputs)) {
    const input = compileInput(name, inputSpec, ["inputs", name], shared, known);
    if (input !== null)
      files.push({ input, patterns: inputSpec.files === undefined ? null : [inputSpec.files].flat() });
  }
  if (Object.keys(spec.inputs).length === 0) source.report("mapping-value", ["inputs"], "The mapping has no inputs.");
  checkFiles(files, source);
  const inputs: MappingInput[] = files.map((entry) => entry.input);
  return {
    path: source.path,
    name: basename(source.path, extname(source.path)),
    namespace: spec.namespace,
    inputs,
    settings: fillSettings(spec.settings),
    fingerprints: keyMakers.fingerprints,
    keyMakers,
    warnings: findWarnings(spec, source),
    dependencies: beside.dependencies,
    inputsFor: (fileName, corrected) =>
      corrected === undefined ? matchFiles(files, fileName) : [matchCorrected(files, fileName, corrected)],
    inputsForNameless: (format) => matchNameless(files, format),
  };
}

/** Two documents, or two events of an input, cannot both be what one was before. */
function checkFormerLabels(spec: MappingSpec, source: MappingSource): void {
  for (const [name, input] of Object.entries(spec.inputs)) {
    for (const part of ["documents", "events"] as const) {
      const members = Object.entries(input[part] ?? {});
      for (const [label, { was }] of members) {
        const others = members.filter(([other, one]) => other !== label && keyLabel(other, one) === was);
        const [other] = others[0] ?? [];
        if (was === undefined || other === undefined) continue;
        const message = `"${other}" goes by "${was}" already; only one can go on with what was sent under that name.`;
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
  for (const input of Object.values(spec.inputs)) {
    for (const [name, participant] of Object.entries(input.participants ?? {}))
      if (participant.key !== undefined) participants.add(name);
    for (const [name, address] of Object.entries(input.addresses ?? {}))
      if (address.key !== undefined) addresses.add(name);
    for (const name of Object.keys(input.documents ?? {})) documents.add(name);
    for (const event of Object.values(input.events ?? {}))
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
