/** What `rowferry check` says of a mapping and of files, as lines for a terminal. Text only; whoever calls it prints it. */
import { isJsonObject, type JsonValue } from "../model/json.js";
import { describeMappingProblem, type MappingProblem } from "../map/language/source.js";
import type { Dialect } from "../model/dialect.js";
import { describePlace } from "../model/place.js";
import type { CheckError, FileCheck, TableCheck } from "../run/check-files.js";
import { grouped } from "../report/figures.js";
import { plainLines, plainText } from "../report/plain-text.js";
import { causes } from "./render/problems.js";
import { type Colors, table as textTable, wrapped } from "./render/text.js";

export interface CheckLook {
  columns: number;
  colors: Colors;
}

/** Place, message, caret line and hint; several separated by a blank line. */
export function printMappingProblems(problems: readonly MappingProblem[]): string {
  return problems.map((problem) => plainLines(describeMappingProblem(problem))).join("\n\n");
}

/** One file: its sheets, then each table with what it looks like and what comes of its rows. */
export function printFileCheck(check: FileCheck, look: CheckLook): string {
  const lines = [look.colors.bold(plainText(check.path))];
  if (check.format === "xlsx") lines.push(line("sheets", sheetList(check)));
  if (check.error !== null) lines.push(...errorLines(check.error, look));
  const tables = check.tables.map((table) => printTable(table, look));
  return [lines.join("\n"), ...tables].join(check.format === "xlsx" ? "\n\n" : "\n");
}

function printTable(table: TableCheck, look: CheckLook): string {
  const lines = [line("input", `${table.mappingInput}${table.sheet === null ? "" : `, sheet "${table.sheet}"`}`)];
  if (table.dialect !== null) {
    if (table.dialect.format === "csv") lines.push(line("format", dialectText(table.dialect)));
    lines.push(line("header", headerText(table)));
    const { found, unmapped, absent } = table.columns;
    lines.push(line("columns", `${found.length} found, ${unmapped.length} that no field reads`));
    if (table.rows.read > 0) lines.push(columnTable(table, look));
    else lines.push(line("found", names(found)), line("unmapped", names(unmapped)));
    if (absent.length > 0) lines.push(line("absent", `${absent.length} optional: ${names(absent)}`));
  }
  lines.push(...samples(table, look));
  for (const note of table.notes) lines.push(line("note", note));
  if (table.error !== null) lines.push(...errorLines(table.error, look));
  if (table.error === null || table.rows.read > 0) lines.push(line("rows", rowText(table)));
  if (table.eventless !== null) {
    const { count, firstRow } = table.eventless;
    const rows = count === 1 ? "1 valid row yields" : `${grouped(count)} valid rows yield`;
    lines.push(line("note", `${rows} no event, for example row ${firstRow}.`));
  }
  const told = (found: TableCheck["problems"]) => found.map((one) => ({ ...one, place: null, column: null }));
  const problems = causes("Problems", "", told(table.problems), look);
  const warnings = causes("Warnings", "", told(table.warnings), look);
  return [lines.join("\n"), problems, warnings].filter((text) => text !== "").join("\n");
}

/** More columns are counted. */
const MOST_COLUMNS = 60;

/** Every column: how the mapping reads it, how full it is, how many different texts it holds, and its first problem. */
function columnTable({ cells, rows }: TableCheck, { columns, colors }: CheckLook): string {
  const shown = cells.filter(({ header }) => header !== "").slice(0, MOST_COLUMNS);
  const lines = shown.map(({ header, type, filled, distinct }) => [
    "   ",
    plainText(header, 30),
    type ?? "not read",
    `${Math.floor((100 * filled) / rows.read)}%`,
    distinct === null ? "many" : grouped(distinct),
  ]);
  const aligned = textTable([["   ", "column", "read as", "filled", "distinct"], ...lines], [3, 4]).split("\n");
  const [head = "", ...body] = aligned;
  const widest = Math.max(...aligned.map((one) => one.length));
  const problems = shown.map(({ problem }) => problem);
  const left = cells.length - shown.length;
  return [
    colors.dim(head),
    ...body.map((one, position) => {
      const problem = problems[position] ?? null;
      const room = Math.max(20, Math.min(columns, 120) - widest - 2);
      return problem === null ? one : `${one.padEnd(widest)}  ${colors.red(plainText(problem, room))}`;
    }),
    ...(left > 0 ? [`    and ${grouped(left)} more`] : []),
  ].join("\n");
}

/** Records as they would be sent, in the words of the mapping. */
function samples({ samples: records }: TableCheck, { columns }: CheckLook): string[] {
  return records.map((record, position) => {
    const text = plainText(flat(record).join("; "), 1000);
    return wrapped(text, { columns, first: `  ${(position === 0 ? "sends" : "").padEnd(9)} ` });
  });
}

/** `{ attributes: { Weight: 5 } }` is `Weight: 5`. */
function flat(value: JsonValue, name = ""): string[] {
  if (isJsonObject(value)) return Object.entries(value).flatMap(([member, inner]) => flat(inner, member));
  return [`${name}: ${Array.isArray(value) ? value.map(String).join(", ") : String(value)}`];
}

/** A file that is well, among many. */
export function printFileLine({ path, tables }: FileCheck): string {
  return `${plainText(path)}: ${tables.map(rowText).join("; ")}`;
}

/** All files together; the sums of the lines above. */
export function printTotal(checks: readonly FileCheck[]): string {
  const tables = checks.flatMap((check) => check.tables);
  const sum = (of: (table: TableCheck) => number) => tables.reduce((all, table) => all + of(table), 0);
  const rows = {
    read: sum((table) => table.rows.read),
    skipped: sum((table) => table.rows.skipped),
    invalid: sum((table) => table.rows.invalid),
    valid: sum((table) => table.rows.valid),
  };
  const broken = [...checks, ...tables].filter(({ error }) => error !== null).length;
  const cut = broken === 0 ? "" : `; ${broken} could not be read to the end`;
  return `${grouped(checks.length)} files: ${rowText({ rows, events: sum((table) => table.events), error: null })}${cut}`;
}

function headerText({ headerRow, joinedRows }: TableCheck): string {
  if (joinedRows !== null) return `rows ${joinedRows.join(", ")}, joined`;
  return headerRow === null ? "none, columns by letter" : `row ${headerRow}`;
}

function rowText({ rows, events, error }: Pick<TableCheck, "rows" | "events" | "error">): string {
  const { read, skipped, invalid, valid } = rows;
  const sum = `${grouped(read)} read = ${grouped(skipped)} skipped + ${grouped(invalid)} invalid + ${grouped(valid)} valid`;
  const yielded = events === 0 ? "" : `; ${grouped(events)} ${events === 1 ? "event" : "events"}`;
  return error === null ? `${sum}${yielded}` : `${sum}, then the reading ended`;
}

function errorLines({ place, message, hint }: CheckError, { colors }: CheckLook): string[] {
  const { file: _, ...within } = place;
  const where = describePlace(within);
  return [
    `  ${colors.red("error".padEnd(9))} ${plainLines(where === "" ? message : `${where}: ${message}`)}`,
    `${" ".repeat(12)}${plainLines(hint)}`,
  ];
}

function sheetList({ sheets }: FileCheck): string {
  return sheets
    .map(({ sheet, hidden, read }) => {
      const marks = [hidden ? "hidden" : "", read ? "" : "not read"].filter((mark) => mark !== "");
      return `${sheet ?? ""}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
    })
    .join(", ");
}

function dialectText(dialect: Extract<Dialect, { format: "csv" }>): string {
  const endings = { "\n": "LF", "\r\n": "CRLF", "\r": "CR" } as const;
  const packed = dialect.compression === "none" ? "" : `, ${dialect.compression}`;
  const quote = dialect.quote === null ? "no quotes" : `quote ${dialect.quote}`;
  const delimiter = dialect.delimiter === "\t" ? "tab" : dialect.delimiter;
  const mark = dialect.bom ? " with byte order mark" : "";
  return `${dialect.encoding}${mark}, delimiter ${delimiter}, ${quote}, lines end in ${endings[dialect.lineEnding]}${packed}`;
}

/** As many as fit into a few lines. */
function names(columns: readonly string[]): string {
  const shown = columns.slice(0, 40).map((name) => plainText(name, 60));
  return shown.join(", ") + (columns.length > shown.length ? `, and ${columns.length - shown.length} more` : "");
}

const line = (name: string, text: string) => `  ${name.padEnd(9)} ${plainText(text)}`;
