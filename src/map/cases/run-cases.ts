/** Runs the cases of a mapping. Touches no ledger and no network. */
import { extname } from "node:path";
import { RowferryError } from "../../model/error.js";
import { foldName } from "../../model/fold.js";
import { isJsonObject, type JsonValue } from "../../model/json.js";
import type { MappedRow } from "../../model/records.js";
import type { Problem } from "../../model/problem.js";
import type { CellKind, Row } from "../../model/row.js";
import { parseWithSchema } from "../language/schema-problems.js";
import { mappingError, type MappingSource, type Path } from "../language/source.js";
import { loadMapping, readSource } from "../load-mapping.js";
import type { Mapping, MappingInput } from "../mapping.js";
import { didYouMean, nearestName } from "../nearest.js";
import { type CaseSpec, casesSchema } from "./cases-schema.js";
import { presentRecords } from "./present.js";

export interface CaseResult {
  name: string;
  line: number;
  passed: boolean;
  differences: Difference[];
}

export interface Difference {
  place: string;
  /** Null: nothing was expected. */
  expected: string | null;
  /** Null: nothing came. */
  actual: string | null;
}

export interface CasesReport {
  mappingPath: string;
  casesPath: string;
  results: CaseResult[];
}

export function casesPathOf(mappingPath: string): string {
  return `${mappingPath.slice(0, mappingPath.length - extname(mappingPath).length)}.cases.yaml`;
}

/** A case that fails is a result. @throws RowferryError for mistakes in the mapping or the cases file. */
export async function runCases(mappingPath: string): Promise<CasesReport> {
  const mapping = await loadMapping(mappingPath, { placeholders: "accept" });
  const casesPath = casesPathOf(mappingPath);
  const hint =
    "Write the mapping's cases there: rows, and the records or codes that each should yield; see docs/reference/mapping.md.";
  const source = await readSource(casesPath, "failsafe", hint);
  if (source.problems.length === 0 && !isJsonObject(source.data))
    source.report("mapping-value", [], "The file holds no cases.", {
      hint: "Begin it with `cases:`, and write the list below that.",
    });
  const spec = source.problems.length > 0 ? undefined : parseWithSchema(casesSchema, source.data, source);
  const results = (spec?.cases ?? []).flatMap((one, position): CaseResult[] => {
    const path = ["cases", position];
    const input = chooseInput(mapping, one, path, source);
    if (input === undefined) return [];
    const line = source.describe("mapping-value", path, "").place.line ?? 1;
    const differences = runCase(one, input, casesPath);
    return [{ name: one.name, line, passed: differences.length === 0, differences }];
  });
  if (source.problems.length > 0) throw mappingError(source.problems, casesPath, "the cases");
  return { mappingPath, casesPath, results };
}

/** Undefined: the case has a mistake, already reported. */
function chooseInput(mapping: Mapping, one: CaseSpec, path: Path, source: MappingSource): MappingInput | undefined {
  const names = mapping.inputs.map(({ name }) => name);
  const given = [one.records, one.codes, one.skipped].filter((expectation) => expectation !== undefined);
  const { input = names.length === 1 ? names[0] : undefined } = one;
  const found = mapping.inputs.find(({ name }) => name === input);
  const message =
    given.length !== 1
      ? "A case expects exactly one of records, codes and skipped."
      : input === undefined
        ? `The case does not say which input; the mapping has ${names.join(", ")}.`
        : null;
  if (message !== null) source.report("mapping-value", path, message, { at: "key" });
  else if (found === undefined) {
    const hint = didYouMean(input ?? "", names).trim() || `Its inputs: ${names.join(", ")}.`;
    source.report("mapping-reference", [...path, "input"], `The mapping has no input "${input}".`, { hint });
  }
  return message === null ? found : undefined;
}

function runCase(one: CaseSpec, input: MappingInput, file: string): Difference[] {
  const header = headerFor(one, input);
  const mapped: MappedRow[] = [];
  try {
    const mapper = input.bind(header, { file, sheet: null }, true);
    const misspelt = findMisspelt(mapper.unmapped, one, input);
    if (misspelt.length > 0) return misspelt;
    const rows = one.rows.map((cells, position) => toRow(cells, header, position + 1));
    mapped.push(...mapper.map(rows), ...mapper.end());
  } catch (error) {
    if (error instanceof RowferryError) return [{ place: "header", expected: null, actual: error.message }];
    throw error;
  }
  const problems = mapped.flatMap(({ row, outcome }) =>
    outcome.fate === "invalid" ? outcome.problems.map((problem) => ({ ...problem, row })) : [],
  );
  const records = mapped.flatMap(({ row, outcome }) => (outcome.fate === "valid" ? [{ row, ...outcome.records }] : []));
  if (one.codes !== undefined) return compareCodes(one.codes, problems);
  const expected = one.skipped === undefined ? null : "skipped";
  const faults = problems.map(({ row, column, code, message }) => ({
    place: column === null ? `row ${row}` : `row ${row}, ${column}`,
    expected,
    actual: `${code}: ${message}`,
  }));
  if (expected !== null)
    return [...faults, ...records.map(({ row }) => ({ place: `row ${row}`, expected, actual: "valid" }))];
  if (faults.length > 0) return faults;
  return findDifferences(one.records, presentRecords(records), "").map(({ place, ...sides }) => ({
    ...sides,
    place: place.slice(1),
  }));
}

function compareCodes(codes: readonly string[], problems: readonly Problem[]): Difference[] {
  const left = [...problems];
  // Those that name a column are longer: first, so that no other takes their problem.
  const missing = codes
    .toSorted((one, other) => other.length - one.length)
    .filter((wanted) => {
      const position = left.findIndex(({ code, column }) => code === wanted || `${code}: ${column ?? ""}` === wanted);
      if (position >= 0) left.splice(position, 1);
      return position < 0;
    });
  return [
    ...missing.map((expected) => ({ place: "codes", expected, actual: null })),
    ...left.map(({ code, column, message }) => ({
      place: "codes",
      expected: null,
      actual: `${code}${column === null ? "" : `: ${column}`} (${message})`,
    })),
  ];
}

/** Headers that are not read, and nearly those of columns that the case leaves out. */
function findMisspelt(unmapped: readonly string[], one: CaseSpec, { columns }: MappingInput): Difference[] {
  const given = new Set(one.rows.flatMap((row) => Object.keys(row)).map(foldName));
  const open = columns.filter((use) => !use.some((name) => given.has(foldName(name)))).flat();
  return unmapped.flatMap((name) => {
    const near = nearestName(name, open);
    return near === null ? [] : [{ place: "header", expected: near, actual: `${name}, which no column reads` }];
  });
}

/** The case's headers, and blank columns for the others that the mapping reads. */
function headerFor(one: CaseSpec, input: MappingInput): string[] {
  const header = [...new Set(one.rows.flatMap((row) => Object.keys(row)))];
  const known = new Set(header.map(foldName));
  for (const use of input.columns) {
    if (use.some((name) => known.has(foldName(name)))) continue;
    header.push(use[0] ?? "");
    known.add(foldName(use[0] ?? ""));
  }
  return header;
}

function toRow(cells: CaseSpec["rows"][number], header: readonly string[], number: number): Row {
  const typed = header.map((name) => {
    const cell = Object.hasOwn(cells, name) ? (cells[name] ?? "") : "";
    const [kind = "text", text = ""] = typeof cell === "string" ? ["text", cell] : (Object.entries(cell)[0] ?? []);
    return { kind: kind as CellKind, text };
  });
  return { number, cells: typed.map(({ text }) => text), kinds: typed.map(({ kind }) => kind), problems: null };
}

const RECORD = /^\.\w+\[\d+\]$/;

/** Compares only what `expected` names; lists must have the same length, scalars compare as text. */
function findDifferences(expected: unknown, actual: JsonValue | undefined, place: string): Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, position) => {
      const at = `${place}[${position}]`;
      if (position >= expected.length) return [{ place: at, expected: null, actual: say(actual[position]) }];
      if (position >= actual.length) return [{ place: at, expected: say(expected[position]), actual: null }];
      return findDifferences(expected[position], actual[position], at);
    }).flat();
  }
  if (isJsonObject(expected) && isJsonObject(actual))
    return Object.entries(expected).flatMap(([name, value]) => {
      const at = `${place}.${name}`;
      if (Object.hasOwn(actual, name)) return findDifferences(value, actual[name], at);
      const near = nearestName(name, Object.keys(actual));
      // Only records have all their names; elsewhere, a blank that is expected is nothing.
      if (near !== null && (RECORD.test(place) || say(value) !== "null"))
        return [{ place: at, expected: say(value), actual: `nothing; did you mean ${near}?` }];
      return findDifferences(value, undefined, at);
    });
  const [wanted, came] = [say(expected), say(actual)];
  return wanted === came ? [] : [{ place, expected: wanted, actual: came }];
}

function say(value: unknown) {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
