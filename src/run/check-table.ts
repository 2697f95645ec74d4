/** What one table (a CSV file, a sheet) looks like to one input of a mapping. Stages nothing, knows no ledger. */
import { foldName } from "../map/fold.js";
import { isOwnColumn } from "../map/column/headers.js";
import type { MappingInput, RowMapper } from "../map/mapping.js";
import type { Code } from "../model/codes.js";
import type { Dialect } from "../model/dialect.js";
import { detachText } from "../model/detach.js";
import { RowferryError } from "../model/error.js";
import type { MappedRow } from "../model/mapped-row.js";
import { foldKey } from "../model/near-keys.js";
import { describePlace, type Place } from "../model/place.js";
import type { Problem } from "../model/problem.js";
import type { AddressRef, ParticipantRef, Records } from "../model/records.js";
import type { Input, Table } from "../read/table.js";

export interface ProblemCount {
  code: Code;
  count: number;
  /** The first one: its place in the table and its message. */
  example: string;
}

export interface CheckError {
  code: Code;
  message: string;
  hint: string;
  place: Place;
}

export interface TableCheck {
  file: string;
  /** Null for CSV, and where the sheet could not be found. */
  sheet: string | null;
  /** The input of the mapping that reads it. */
  mappingInput: string;
  /** Null where the table could not be opened. */
  dialect: Dialect | null;
  /** Null where there is none, or the table could not be opened. */
  headerRow: number | null;
  /** The numbers of all header rows, where several are joined; null where there is one, or none. */
  joinedRows: number[] | null;
  /** `absent`: optional columns that the file lacks; what is missing although it is needed is the `error`. */
  columns: { found: string[]; unmapped: string[]; absent: string[] };
  notes: string[];
  rows: { read: number; valid: number; invalid: number; skipped: number };
  /** Events of the valid rows. */
  events: number;
  /** Valid rows that yield no event, in a table of which others do; null where there are none. */
  eventless: { count: number; firstRow: number } | null;
  problems: ProblemCount[];
  warnings: ProblemCount[];
  /** Why the table cannot be read, or not to its end: the file would stage nothing (HARD-CASES H14). */
  error: CheckError | null;
}

export interface CheckTableOptions {
  signal: AbortSignal;
  /** Called with the rows read so far. */
  progress: (rows: number) => void;
}

/** Never throws for what is wrong with the table: that is its `error`. @throws RowferryError `interrupted`. */
export async function checkTable(
  input: Input,
  mappingInput: MappingInput,
  options: CheckTableOptions,
): Promise<TableCheck> {
  const check = newCheck(input.name, mappingInput.name);
  try {
    const table = await input.open(mappingInput.read);
    Object.assign(check, {
      sheet: table.sheet,
      dialect: table.dialect,
      headerRow: table.headerRow,
      joinedRows: joinedRows(mappingInput, table),
      notes: table.notes,
    });
    const place = { file: input.name, sheet: table.sheet };
    check.columns = directColumns(mappingInput, table.header);
    const mapper = mappingInput.bind(table.header, place);
    check.columns = boundColumns(mappingInput, table.header, mapper, place);
    await mapRows(table, mapper, check, options);
  } catch (error) {
    if (!(error instanceof RowferryError) || error.code === "interrupted") throw error;
    const { code, message, hint, place } = error;
    check.error = { code, message, hint, place };
  }
  return check;
}

function newCheck(file: string, mappingInput: string): TableCheck {
  return {
    file,
    sheet: null,
    mappingInput,
    dialect: null,
    headerRow: null,
    joinedRows: null,
    columns: { found: [], unmapped: [], absent: [] },
    notes: [],
    rows: { read: 0, valid: 0, invalid: 0, skipped: 0 },
    events: 0,
    eventless: null,
    problems: [],
    warnings: [],
    error: null,
  };
}

/** A corrected file has one header row, whatever the mapping says. */
function joinedRows({ read }: MappingInput, { headerRow }: Table): number[] | null {
  const rows = [...new Set([read.header ?? []].flat())].filter((row) => typeof row === "number");
  return rows.length > 1 && Math.max(...rows) === headerRow ? rows.toSorted((one, other) => one - other) : null;
}

/** As far as names tell, for a header that the mapping refuses. */
function directColumns({ columns }: MappingInput, header: readonly string[]): TableCheck["columns"] {
  const read = new Set(columns.flat().map(foldName));
  const filled = header.filter((text) => text !== "");
  return {
    found: filled.filter((text) => read.has(foldName(text))),
    unmapped: filled.filter((text) => !read.has(foldName(text))),
    absent: [],
  };
}

/**
 * A column that stands in the file under another header (`columns:`) becomes ambiguous when its own name is added to
 * the header; one that is absent does not.
 */
function boundColumns(
  mappingInput: MappingInput,
  header: readonly string[],
  mapper: RowMapper,
  place: { file: string; sheet: string | null },
): TableCheck["columns"] {
  const unmapped = new Set(mapper.unmapped);
  const known = new Set(header.map(foldName));
  const absent = mappingInput.columns.filter((use) => {
    const [name = ""] = use;
    if (use.some((other) => known.has(foldName(other)))) return false;
    try {
      mappingInput.bind([...header, name], place);
      return true;
    } catch {
      return false;
    }
  });
  return {
    found: header.filter((text) => text !== "" && !unmapped.has(text) && !isOwnColumn(text)),
    unmapped: [...mapper.unmapped],
    absent: absent.map(([name = ""]) => name),
  };
}

async function mapRows(
  table: Table,
  mapper: RowMapper,
  check: TableCheck,
  { signal, progress }: CheckTableOptions,
): Promise<void> {
  const problems = new Map<Code, ProblemCount>();
  const warnings = new Map<Code, ProblemCount>();
  const keys = new Map<string, string>();
  let eventless: TableCheck["eventless"] = null;
  const take = (mapped: readonly MappedRow[]): void => {
    for (const { row, alsoRows, outcome } of mapped) {
      const rows = 1 + alsoRows.length;
      check.rows.read += rows;
      check.rows[outcome.fate] += rows;
      if (outcome.fate === "invalid") for (const problem of outcome.problems) count(problems, problem, row);
      if (outcome.fate !== "valid") continue;
      for (const warning of outcome.warnings) count(warnings, warning, row);
      if (hasPlaceholder(outcome.records)) count(warnings, placeholderLeft, row);
      for (const { kind, key } of outcome.records.documents) {
        const other = nearlyEqual(keys, kind, [key]);
        if (other !== null) count(warnings, keysNearlyEqual(kind, [key], other), row);
      }
      const { events } = outcome.records;
      for (const { event, key, document } of events) {
        if (key.by !== "fields") continue;
        const kind = `${event} of ${document.kind} ${document.key}`;
        const other = nearlyEqual(keys, kind, key.parts);
        if (other !== null) count(warnings, keysNearlyEqual(kind, key.parts, other), row);
      }
      check.events += events.length;
      if (events.length === 0) eventless = { count: (eventless?.count ?? 0) + 1, firstRow: eventless?.firstRow ?? row };
    }
  };
  try {
    for await (const rows of table.rows()) {
      if (signal.aborted)
        throw new RowferryError("interrupted", "Interrupted while reading.", { hint: "Run the same command again." });
      take(mapper.map(rows));
      progress(check.rows.read);
    }
    take(mapper.end());
  } finally {
    check.problems = [...problems.values()];
    check.warnings = [...warnings.values()];
    check.eventless = check.events > 0 ? eventless : null;
    // The readers add to their notes while they read (hidden rows).
    const uncompared = `Nearly equal keys were looked for among the first ${MAX_KEYS} documents and events only.`;
    check.notes = keys.size < MAX_KEYS ? [...table.notes] : [...table.notes, uncompared];
  }
}

/** Documents and events whose keys are compared; beyond them memory would grow with the file. */
const MAX_KEYS = 100_000;

/** The key of another document or event of this file that is nearly the same; null: none. `known` is added to. */
function nearlyEqual(known: Map<string, string>, kind: string, parts: readonly string[]): string | null {
  const folded = [kind, ...parts.map(foldKey)].join("\u0000");
  const key = parts.join(", ");
  const other = known.get(folded);
  if (other === undefined && known.size < MAX_KEYS) known.set(folded, detachText(key));
  return other === undefined || other === key ? null : other;
}

function keysNearlyEqual(kind: string, parts: readonly string[], other: string): Problem {
  const [one, two] = [other, parts.join(", ")].map((text) => JSON.stringify(text));
  const message = `${kind} ${one} and ${kind} ${two} differ only by case, width or leading zeros`;
  return { code: "keys-nearly-equal", message, hint: null, column: null };
}

/** What `guess` writes where no column tells an id. */
const placeholder = "?";

const placeholderLeft: Problem = {
  code: "mapping-doubtful",
  message: `a participant or address has the id "${placeholder}", which stands for one that was still to be written`,
  hint: `Replace \`{ id: "${placeholder}" }\` in the mapping; the service refuses it.`,
  column: null,
};

function hasPlaceholder({ documents, events }: Records): boolean {
  const isOne = (ref: ParticipantRef | AddressRef | null) => ref?.by === "id" && ref.id === placeholder;
  return [...documents, ...events].some(({ participant, address }) => isOne(participant) || isOne(address));
}

function count(counts: Map<Code, ProblemCount>, { code, message, hint, column }: Problem, row: number): void {
  const known = counts.get(code);
  if (known !== undefined) {
    known.count += 1;
    return;
  }
  const place = describePlace({ row, ...(column === null ? {} : { column }) });
  counts.set(code, { code, count: 1, example: `${place}: ${message}${hint === null ? "" : ` (${hint})`}` });
}
