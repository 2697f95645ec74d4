/** Checks one table (a CSV file, a sheet) against one input of a mapping. */
import { detachText } from "../model/fold.js";
import { isEither, Rounding } from "../map/convert/number-text.js";
import { presentRecords } from "../map/cases/present.js";
import type { MappingInput, RowMapper } from "../map/mapping.js";
import { type CauseOfRows, tallyCauses } from "../model/causes.js";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { isJsonObject, type JsonValue } from "../model/json.js";
import { foldKey } from "../model/near-keys.js";
import { isOwnColumn, ownPosition } from "../model/own-columns.js";
import { describePlace } from "../model/place.js";
import { groupInterrupted, keysNearlyEqual, memberOf, type Problem, withoutMember } from "../model/problem.js";
import type { MappedRow, Records } from "../model/records.js";
import type { Row } from "../model/row.js";
import type { FileCheck, TableCheck } from "../model/summary.js";
import type { Input, Table } from "../read/table.js";
import { MOST_TWINS, type Twins } from "./check-twins.js";
import { readsColumns } from "./files.js";

export interface CheckTableOptions {
  signal: AbortSignal;
  /** Shared by all files of the check. */
  twins: Twins;
  progress: (rows: number) => void;
}

/** @throws `interrupted`, and errors that are not ours */
export function checkErrorOf(error: unknown): NonNullable<FileCheck["error"]> {
  if (!(error instanceof RowferryError) || error.code === "interrupted") throw error;
  const { code, message, hint, place } = error;
  return { code, message, hint, place };
}

/** Never throws for mistakes in the table; they are in its `error`. @throws RowferryError `interrupted`. */
export async function checkTable(
  input: Input,
  mappingInput: MappingInput,
  options: CheckTableOptions,
): Promise<TableCheck> {
  const check: TableCheck = {
    file: input.name,
    sheet: null,
    mappingInput: mappingInput.name,
    dialect: null,
    headerRow: null,
    joinedRows: null,
    columns: { found: [], unmapped: [], absent: [] },
    cells: [],
    samples: [],
    notes: [],
    rows: { read: 0, valid: 0, invalid: 0, skipped: 0 },
    events: 0,
    eventless: null,
    problems: [],
    warnings: [],
    error: null,
  };
  try {
    const table = await input.open(mappingInput.read);
    const { sheet, dialect, headerRow, joinedRows, header, notes } = table;
    Object.assign(check, { sheet, dialect, headerRow, joinedRows, notes });
    check.columns = columnsByName(mappingInput, header);
    const place = { file: input.name, sheet };
    const mapper = mappingInput.bind(header, place);
    const { unmapped, absent } = mapper;
    const found = header.filter((text) => text !== "" && !unmapped.includes(text) && !isOwnColumn(text));
    check.columns = { found, unmapped: [...unmapped], absent: [...absent] };
    await mapRows(table, { ...mapper, names: mappingInput.names }, check, options);
  } catch (error) {
    check.error = checkErrorOf(error);
  }
  return check;
}

/** Finds columns by name only, for a header that the mapping refuses. */
function columnsByName(mappingInput: MappingInput, header: readonly string[]): TableCheck["columns"] {
  const reads = readsColumns(mappingInput);
  const filled = header.filter((text) => text !== "");
  return {
    found: filled.filter(reads),
    unmapped: filled.filter((text) => !reads(text)),
    absent: [],
  };
}

async function mapRows(
  table: Table,
  { names, ...mapper }: RowMapper & Pick<MappingInput, "names">,
  check: TableCheck,
  { signal, twins, progress }: CheckTableOptions,
): Promise<void> {
  const problems = tallyCauses<FoundInRow>();
  const warnings = tallyCauses<FoundInRow>();
  const keys = new Map<string, string>();
  /** The row with which each begins. */
  const groups = new Map<string, number>();
  const ids = new Map<string, number>();
  const cells = watchCells(table.header, mapper);
  /** The first event of each kind, and some more. */
  const first: JsonValue[] = [];
  const more: JsonValue[] = [];
  const kinds = new Set<string>();
  const takeRecords = (records: Records, row: number): void => {
    const { documents, events } = records;
    const named = [
      ...documents.map(({ kind, key }) => ({ kind, parts: [key] })),
      ...events.flatMap(({ event, key, document }) =>
        key.by === "fields" ? { kind: `${event} of ${document.kind} ${document.key}`, parts: key.parts } : [],
      ),
    ];
    for (const { kind, parts } of named) {
      const other = nearlyEqual(keys, kind, parts);
      if (other === null) continue;
      const [one = "", two = ""] = [other, parts.join(", ")].map((text) => `${kind} ${JSON.stringify(text)}`);
      warnings.add({ ...keysNearlyEqual(one, two), row }, row);
    }
    if (kinds.size < MOST_SAMPLES)
      for (const { kind, body } of samplesOf(records)) {
        if (!kinds.has(kind) || more.length < MOST_SAMPLES) (kinds.has(kind) ? more : first).push(body);
        kinds.add(kind);
      }
    check.events += events.length;
    if (events.length > 0) return;
    check.eventless ??= { count: 0, firstRow: row };
    check.eventless.count += 1;
  };
  const take = (mapped: readonly MappedRow[]): void => {
    for (const { row, alsoRows, outcome, group, rowId } of mapped) {
      const rows = 1 + alsoRows.length;
      const where = describePlace({ file: check.file, sheet: check.sheet ?? undefined, row });
      const begins = group == null ? undefined : groups.get(group);
      if (group != null && begins === undefined && groups.size < MOST_TWINS) groups.set(detachText(group), row);
      const apart = begins === undefined ? null : groupInterrupted(begins);
      const sameId = rowId === null ? null : (ids.get(rowId) ?? null);
      if (rowId !== null && sameId === null && ids.size < MOST_TWINS) ids.set(detachText(rowId), row);
      const said = { place: where, rowId, sameId };
      const fault = outcome.fate === "valid" ? (apart ?? twins.add(outcome.records, said)) : null;
      check.rows.read += rows;
      check.rows[fault === null ? outcome.fate : "invalid"] += rows;
      if (fault === null && outcome.fate !== "invalid")
        for (const warning of outcome.warnings) warnings.add({ ...warning, row }, row);
      if (fault !== null) problems.add({ ...fault, row }, row, { size: rows });
      else if (outcome.fate === "valid") takeRecords(outcome.records, row);
      else if (outcome.fate === "invalid") {
        for (const problem of outcome.problems) {
          const { message } = problem;
          const found = { ...problem, message: withoutMember(message), row: memberOf(message) ?? row };
          problems.add(found, row, { size: rows });
          cells.blame(found);
        }
      }
    }
  };
  try {
    for await (const rows of table.rows()) {
      if (signal.aborted)
        throw new RowferryError("interrupted", "Interrupted while reading.", { hint: "Run the same command again." });
      cells.look(rows);
      take(mapper.map(rows));
      progress(check.rows.read);
    }
    take(mapper.end());
  } finally {
    check.problems = problems.all().map(toldOf);
    check.warnings = warnings.all().map(toldOf);
    check.samples = [...first, ...more].slice(0, MOST_SAMPLES);
    check.cells = cells.columns();
    if (check.events === 0) check.eventless = null;
    // Readers add notes while they read (hidden rows).
    const uncompared = `Only the first ${MAX_KEYS} documents and events were checked for nearly equal keys.`;
    const unpaired = `Only the first ${MOST_TWINS} events were checked for rows that contradict each other.`;
    const renamed =
      "Formulas that name the file or sheet use this file's name here; `import` uses that of the corrected row.";
    const isRenamed = (names.file || names.sheet) && ownPosition(table.header, "rowferry_row") >= 0;
    check.notes = [
      ...table.notes,
      ...cells.doubts(),
      ...(keys.size < MAX_KEYS ? [] : [uncompared]),
      ...(twins.isFull() ? [unpaired] : []),
      ...(isRenamed ? [renamed] : []),
    ];
  }
}

const MOST_SAMPLES = 3;

/** The row's events, or if there are none its documents or parties, as the mapping writes them, and what each is. */
function samplesOf(records: Records): { kind: string; body: JsonValue }[] {
  const { events, documents, addresses, participants } = presentRecords([records]);
  const [other] = [...documents, ...addresses, ...participants];
  return (events.length > 0 ? events : [other]).filter(isJsonObject).map((record) => {
    const { attributes, publicAttributes, ...said } = record;
    const open = Array.isArray(publicAttributes) ? publicAttributes : [];
    const shown = Object.entries(isJsonObject(attributes) ? attributes : {});
    const body = {
      ...said,
      public: Object.fromEntries(shown.filter(([name]) => open.includes(name))),
      private: Object.fromEntries(shown.filter(([name]) => !open.includes(name))),
    };
    const filled = Object.entries(body).filter(([, value]) => !["null", "{}", "[]"].includes(JSON.stringify(value)));
    return { kind: String(said["event"] ?? ""), body: Object.fromEntries(filled) };
  });
}

/** A bound for memory. */
const MAX_DISTINCT = 10_000;

function watchCells(header: readonly string[], mapper: RowMapper) {
  const columns = header.map((name, index) => {
    const type = mapper.types[index] ?? null;
    // A number that may mean thousands or a fraction, until another one decides; null: decided.
    const either: string | null = /number|integer/.test(type ?? "") ? "" : null;
    return { name, type, filled: 0, seen: new Set<string>(), either, rounding: new Rounding() };
  });
  const problems = new Map<string, string>();
  return {
    look(rows: readonly Row[]): void {
      for (const { cells, kinds } of rows)
        for (const [index, column] of columns.entries()) {
          const text = (cells[index] ?? "").trim();
          if (text === "") continue;
          column.filled += 1;
          if (column.either !== null && (kinds?.[index] ?? "text") === "text" && /[.,]/.test(text))
            column.either = isEither(text) ? column.either || detachText(text) : null;
          column.rounding.see(text);
          if (column.seen.size <= MAX_DISTINCT && !column.seen.has(text)) column.seen.add(detachText(text));
        }
    },
    blame({ column, message, row }: FoundInRow): void {
      if (column !== null && !problems.has(column)) problems.set(column, `row ${row}: ${message}`);
    },
    doubts: (): string[] =>
      columns.flatMap(({ name, either, rounding }, index) => {
        const value = either ? mapper.read(index, either) : null;
        const hint = "If that is wrong, set `decimal` and `grouping` in the column.";
        const marked = `All numbers with a separator in "${name}" are like ${JSON.stringify(either)}, which is read as ${value}. ${hint}`;
        const rounded = `${rounding.said(name).replace("all", "All")}. Format the column as text in the spreadsheet, and export it again.`;
        return [...(value === null ? [] : [marked]), ...(rounding.example === null ? [] : [rounded])];
      }),
    columns: (): TableCheck["cells"] =>
      columns.map(({ name, type, filled, seen: { size } }) => ({
        header: name,
        type,
        filled,
        distinct: size > MAX_DISTINCT ? null : size,
        problem: problems.get(name) ?? null,
      })),
  };
}

/** A bound for memory. */
const MAX_KEYS = 100_000;

/** The nearly equal key of another document or event in this file; null: none. Adds to `known`. */
function nearlyEqual(known: Map<string, string>, kind: string, parts: readonly string[]): string | null {
  const folded = [kind, ...parts.map(foldKey)].join("\u0000");
  const key = parts.join(", ");
  const other = known.get(folded);
  if (other === undefined && known.size < MAX_KEYS) known.set(folded, detachText(key));
  return other === undefined || other === key ? null : other;
}

type FoundInRow = Problem & { row: number };

function toldOf({ found, count }: CauseOfRows<FoundInRow>): TableCheck["problems"][number] {
  const { code, message, hint, column, row } = found;
  const place = describePlace({ row, ...(column === null ? {} : { column }) });
  return { code, count, example: `${place}: ${message} (${hint ?? codes[code].remedy})` };
}
