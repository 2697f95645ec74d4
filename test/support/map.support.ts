/** Builds mappings from text in a folder of their own, and rows from objects. */
import { join } from "node:path";
import { loadMapping } from "../../src/map/load-mapping.js";
import type { Mapping, RowMapper } from "../../src/map/mapping.js";
import { RowferryError } from "../../src/model/error.js";
import type { Problem } from "../../src/model/problem.js";
import type { MappedRow, Records } from "../../src/model/records.js";
import type { CellKind, Row } from "../../src/model/row.js";
import { folder } from "./cli.world.js";

/** Loads a mapping from its text; `beside`: further files of its folder. */
export const load = (yaml: string, beside: { [name: string]: string } = {}): Promise<Mapping> =>
  loadMapping(join(folder({ ...beside, "m.yaml": yaml }), "m.yaml"));

/** The error that loading ends with; fails when there is none. */
export async function refusal(yaml: string, beside: { [name: string]: string } = {}): Promise<RowferryError> {
  try {
    await load(yaml, beside);
  } catch (error) {
    if (error instanceof RowferryError) return error;
    throw error;
  }
  throw new Error("the mapping was accepted");
}

export type Cells = { [header: string]: string };

export function row(
  number: number,
  header: readonly string[],
  cells: Cells,
  kinds: { [header: string]: CellKind } | null = null,
): Row {
  return {
    number,
    cells: header.map((name) => cells[name] ?? ""),
    kinds: kinds === null ? null : header.map((name) => kinds[name] ?? "text"),
    problems: null,
  };
}

/** Every column that an input reads, then the columns of the rows. */
export function headerOf(mapping: Mapping, rows: readonly Cells[], input = 0): string[] {
  const own = rows.flatMap((cells) => Object.keys(cells));
  const read = (mapping.inputs[input]?.columns ?? []).filter((use) => !use.some((name) => own.includes(name)));
  return [...new Set([...own, ...read.map((use) => use[0] ?? "")])];
}

export function bind(mapping: Mapping, header: string[], input = 0): RowMapper {
  const found = mapping.inputs[input];
  if (found === undefined) throw new Error(`no input ${input}`);
  return found.bind(header, { file: "rows.csv", sheet: null });
}

/** Rows are numbered from 2, as below a header. */
export function mapRows(mapping: Mapping, rows: readonly Cells[], input = 0): MappedRow[] {
  const header = headerOf(mapping, rows, input);
  const mapper = bind(mapping, header, input);
  return [...mapper.map(rows.map((cells, position) => row(position + 2, header, cells))), ...mapper.end()];
}

/** The records of rows that must all be valid. */
export function recordsOf(mapped: readonly MappedRow[]): Records {
  const all: Records = { participants: [], addresses: [], documents: [], events: [] };
  for (const { row: number, outcome } of mapped) {
    if (outcome.fate !== "valid") throw new Error(`row ${number} is ${JSON.stringify(outcome)}`);
    all.participants.push(...outcome.records.participants);
    all.addresses.push(...outcome.records.addresses);
    all.documents.push(...outcome.records.documents);
    all.events.push(...outcome.records.events);
  }
  return all;
}

/** The problems of one row that must be invalid. */
export function problemsOf(mapped: MappedRow | undefined): Problem[] {
  if (mapped?.outcome.fate !== "invalid") throw new Error(`not invalid: ${JSON.stringify(mapped)}`);
  return mapped.outcome.problems;
}

/**
 * A mapping with one document and one event, to whose parts a test adds what it is about. `columns` stand beside `doc` and
 * `day`; `attributes` are public. Indented by the caller's own text.
 */
export function mappingWith(parts: {
  defaults?: string;
  tables?: string;
  columns?: string;
  input?: string;
  fields?: string;
  event?: string;
  attributes?: string;
  more?: string;
}): string {
  return `
version: 2
namespace: test
defaults: { timezone: UTC, decimal: ",", dates: ["dd/MM/yyyy"], country: BR${parts.defaults === undefined ? "" : `, ${parts.defaults}`} }
${parts.tables === undefined ? "" : `tables: { ${parts.tables} }`}
inputs:
  rows:
${indent(parts.input ?? "", 4)}
    columns:
      doc: Doc
      day: { header: Day, as: timestamp }
${indent(parts.columns ?? "", 6)}
    participants:
      owner: { taxIdType: CNPJ, taxId: "11.222.333/0001-81", name: Dono, type: COMPANY }
    addresses:
      home: { participant: owner, name: Casa, street: Rua A, number: "1", city: Santos, countryState: SP }
    documents:
      paper:
        key: =doc
        participant: owner
        address: home
        fields: { ${parts.fields ?? ""} }
    events:
      step:
        name: Step
        key: once
        externalCreatedAt: =day
        isPublic: true
${indent(parts.event ?? "", 8)}
        attributes:
          public:
            { ${parts.attributes ?? ""} }
${indent(parts.more ?? "", 6)}
`;
}

function indent(text: string, by: number) {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => " ".repeat(by) + line)
    .join("\n");
}
