/** Runs the cases beside a mapping: rows in, records or codes out. Touches no ledger and no network. */
import { extname } from "node:path";
import { RowferryError } from "../../model/error.js";
import type { MappedRow } from "../../model/mapped-row.js";
import type { Records } from "../../model/records.js";
import type { CellKind, Row } from "../../model/row.js";
import { foldName } from "../../model/fold.js";
import { loadMapping } from "../load-mapping.js";
import type { Mapping, MappingInput } from "../mapping.js";
import { didYouMean } from "../nearest.js";
import { readText } from "../read-text.js";
import { mappingError, MappingSource } from "../language/source.js";
import { parseWithSchema } from "../language/schema-problems.js";
import { type CaseSpec, casesSchema } from "./cases-schema.js";
import { presentRecords } from "./present.js";
import { isJsonObject, type JsonValue } from "../../model/json.js";

export interface CaseResult {
  name: string;
  /** The line of the cases file on which it begins. */
  line: number;
  passed: boolean;
  differences: Difference[];
}

export interface CasesReport {
  mappingPath: string;
  casesPath: string;
  results: CaseResult[];
}

/** `maps/m.yaml` → `maps/m.cases.yaml`. */
export function casesPathOf(mappingPath: string): string {
  return `${mappingPath.slice(0, mappingPath.length - extname(mappingPath).length)}.cases.yaml`;
}

/** @throws RowferryError for mistakes of the mapping or the cases file; a case that fails is a result. */
export async function runCases(mappingPath: string): Promise<CasesReport> {
  const mapping = await loadMapping(mappingPath, { placeholders: "accept" });
  const casesPath = casesPathOf(mappingPath);
  const source = new MappingSource(casesPath, await readText(casesPath, "mapping-missing"), "failsafe");
  const spec = source.problems.length > 0 ? undefined : parseWithSchema(casesSchema, source.data, source, []);
  const results: CaseResult[] = [];
  for (const [position, one] of (spec?.cases ?? []).entries()) {
    const path = ["cases", position];
    const input = chooseInput(mapping, one, path, source);
    if (input === null || !checkExpectation(one, path, source)) continue;
    const line = source.describe("mapping-value", path, "").place.line ?? 1;
    const differences = runCase(one, input, casesPath);
    results.push({ name: one.name, line, passed: differences.length === 0, differences });
  }
  if (source.problems.length > 0) throw mappingError(source.problems, casesPath, "the cases");
  return { mappingPath, casesPath, results };
}

function chooseInput(
  mapping: Mapping,
  one: CaseSpec,
  path: (string | number)[],
  source: MappingSource,
): MappingInput | null {
  const names = mapping.inputs.map((input) => input.name);
  const input =
    one.input === undefined && names.length === 1
      ? mapping.inputs[0]
      : mapping.inputs.find((known) => known.name === one.input);
  if (input !== undefined) return input;
  if (one.input === undefined)
    source.report("mapping-value", path, `The case does not say which input; the mapping has ${names.join(", ")}.`, {
      at: "key",
    });
  else
    source.report(
      "mapping-reference",
      [...path, "input"],
      `The mapping has no input "${one.input}".${didYouMean(one.input, names)}`,
    );
  return null;
}

function checkExpectation(one: CaseSpec, path: (string | number)[], source: MappingSource): boolean {
  const given = (["records", "codes", "skipped"] as const).filter((name) => one[name] !== undefined);
  if (given.length === 1) return true;
  source.report("mapping-value", path, "A case expects exactly one of records, codes and skipped.", { at: "key" });
  return false;
}

function runCase(one: CaseSpec, input: MappingInput, file: string): Difference[] {
  const header = headerFor(one, input);
  let mapped: MappedRow[];
  try {
    const mapper = input.bind(header, { file, sheet: null });
    mapped = [...mapper.map(one.rows.map((cells, position) => toRow(cells, header, position + 1))), ...mapper.end()];
  } catch (error) {
    if (error instanceof RowferryError) return [{ place: "header", expected: null, actual: error.message }];
    throw error;
  }
  if (one.skipped !== undefined) {
    return mapped.flatMap(({ row, outcome }) =>
      outcome.fate === "skipped" ? [] : [{ place: `row ${row}`, expected: "skipped", actual: describeFate(outcome) }],
    );
  }
  return one.codes === undefined ? compareRecords(one, mapped) : compareCodes(one.codes, mapped);
}

function compareRecords(one: CaseSpec, mapped: readonly MappedRow[]): Difference[] {
  const records: Records[] = [];
  const invalid: Difference[] = [];
  for (const { row, outcome } of mapped) {
    if (outcome.fate === "valid") records.push(outcome.records);
    if (outcome.fate !== "invalid") continue;
    for (const { code, message, column } of outcome.problems) {
      invalid.push({
        place: `row ${row}${column === null ? "" : `, ${column}`}`,
        expected: null,
        actual: `${code}: ${message}`,
      });
    }
  }
  if (invalid.length > 0) return invalid;
  const presented = presentRecords(records);
  return (["participants", "addresses", "documents", "events"] as const).flatMap((kind) => {
    const expected = one.records?.[kind];
    return expected === undefined ? [] : findDifferences(expected, presented[kind], kind);
  });
}

/** Every expected code must come, and no other. */
function compareCodes(codes: readonly string[], mapped: readonly MappedRow[]): Difference[] {
  const problems = mapped.flatMap(({ outcome }) => (outcome.fate === "invalid" ? outcome.problems : []));
  const left = [...problems];
  const differences: Difference[] = [];
  for (const code of codes) {
    const position = left.findIndex(
      (problem) => problem.code === code || `${problem.code}: ${problem.column ?? ""}` === code,
    );
    if (position < 0) differences.push({ place: "codes", expected: code, actual: null });
    else left.splice(position, 1);
  }
  for (const { code, column, message } of left) {
    differences.push({
      place: "codes",
      expected: null,
      actual: `${code}${column === null ? "" : `: ${column}`} (${message})`,
    });
  }
  return differences;
}

function describeFate(outcome: MappedRow["outcome"]): string {
  return outcome.fate === "invalid"
    ? outcome.problems.map((problem) => `${problem.code}: ${problem.message}`).join("; ")
    : outcome.fate;
}

/** The case's own headers, and blank columns for whatever else the mapping reads. */
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
  const texts: string[] = [];
  const kinds: CellKind[] = [];
  for (const name of header) {
    const cell = Object.hasOwn(cells, name) ? (cells[name] ?? "") : "";
    const [kind, text] =
      typeof cell === "string"
        ? ["text", cell]
        : (Object.entries(cell).find(([, value]) => value !== undefined) ?? ["text", ""]);
    texts.push(text ?? "");
    kinds.push(kind as CellKind);
  }
  return { number, cells: texts, kinds: kinds.every((kind) => kind === "text") ? null : kinds, problems: null };
}

export interface Difference {
  /** `events[0].attributes.Gross Weight`. */
  place: string;
  /** Null: nothing was expected there. */
  expected: string | null;
  /** Null: nothing came there. */
  actual: string | null;
}

/** Members that `expected` leaves out are not compared; lists must agree in length. Scalars compare as text. */
export function findDifferences(expected: unknown, actual: JsonValue | undefined, place: string): Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ place, expected: say(expected), actual: say(actual) }];
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, position) => {
      const at = `${place}[${position}]`;
      if (position >= expected.length) return [{ place: at, expected: null, actual: say(actual[position]) }];
      if (position >= actual.length) return [{ place: at, expected: say(expected[position]), actual: null }];
      return findDifferences(expected[position], actual[position], at);
    }).flat();
  }
  if (isJsonObject(expected)) {
    if (!isJsonObject(actual)) return [{ place, expected: say(expected), actual: say(actual) }];
    return Object.entries(expected).flatMap(([name, value]) =>
      findDifferences(value, Object.hasOwn(actual, name) ? actual[name] : undefined, `${place}.${name}`),
    );
  }
  const wanted = say(expected);
  const came = say(actual);
  return wanted === came ? [] : [{ place, expected: wanted, actual: came }];
}

/** A scalar as the text that cases write; anything else as JSON. */
function say(value: unknown): string {
  if (value === undefined) return "null";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function describeReport(report: CasesReport): string {
  const lines: string[] = [];
  for (const { name, line, passed, differences } of report.results) {
    lines.push(passed ? `ok    ${name}` : `FAIL  ${name} (${report.casesPath}:${line})`);
    for (const { place, expected, actual } of differences) {
      lines.push(`        ${place}`);
      lines.push(`          expected  ${expected ?? "nothing"}`);
      lines.push(`          came      ${actual ?? "nothing"}`);
    }
  }
  const failed = report.results.filter((result) => !result.passed).length;
  lines.push(`${report.results.length} cases, ${failed === 0 ? "all passed" : `${failed} failed`}`);
  return lines.join("\n");
}
