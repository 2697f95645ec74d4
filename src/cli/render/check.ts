/** How files are read, as `check` prints it. Texts of checks are plain already. */
import { describeMappingProblem, type MappingProblem } from "../../map/language/source.js";
import { isExactNumber, isJsonObject, type JsonValue } from "../../model/json.js";
import { describePlace } from "../../model/place.js";
import type { FileCheck, TableCheck } from "../../model/summary.js";
import { counted, grouped, sumOf } from "../../report/figures.js";
import { listed, shorten } from "../../model/fold.js";
import { plainLines } from "../../report/plain-text.js";
import { causes } from "./problems.js";
import { bold, dim, joined, lines, type Part, red, table as textTable } from "./text.js";

/** `inputs` null: the mapping is unusable. */
export function printMapping(
  shown: string,
  inputs: readonly string[] | null,
  problems: readonly MappingProblem[],
  warnings: readonly MappingProblem[],
): string {
  const told = (list: readonly MappingProblem[]) =>
    list.map((problem) => plainLines(describeMappingProblem(problem))).join("\n\n");
  if (inputs === null) return `${told(problems)}\n\n${red(`${shown}: ${counted(problems.length, "mistake")}`)}`;
  const title = `${shown}: no mistakes; ${inputs.length === 1 ? "input" : "inputs"} ${inputs.join(", ")}`;
  return warnings.length === 0 ? title : `${title}; ${counted(warnings.length, "warning")}\n\n${told(warnings)}`;
}

const line = (name: string, text: string | false | null): Part =>
  text !== false && text !== null && `  ${name.padEnd(8)}  ${text}`;

export function printFileCheck({ path, format, sheets, error, tables }: FileCheck, columns: number): string {
  const isWorkbook = format === "xlsx";
  const head = lines(bold(path), isWorkbook && line("sheets", sheetList(sheets)), errorLines(error));
  return [head, ...tables.map((table) => tableText(table, columns))].join(isWorkbook ? "\n\n" : "\n");
}

function tableText(table: TableCheck, width: number): string {
  const { sheet, dialect, columns, rows, samples, notes, error, eventless } = table;
  const untold = (found: TableCheck["problems"]) => found.map((one) => ({ ...one, place: null, column: null }));
  return lines(
    line("input", joined([table.mappingInput, sheet !== null && `sheet "${sheet}"`])),
    dialect !== null && [
      dialect.format === "csv" && line("format", dialectText(dialect)),
      line("header", headerText(table)),
      line("columns", `${columns.found.length} found, ${columns.unmapped.length} not read`),
      table.cells.length > 0 && columnTable(table, width),
      table.cells.length === 0 && columns.unmapped.length > 0 && line("not read", unread(columns.unmapped)),
      columns.absent.length > 0 && line("absent", `${columns.absent.length} optional: ${listed(columns.absent, 40)}`),
    ],
    samples.flatMap((record, at) =>
      bodyLines(record).map((text, member) => line(at + member === 0 ? "sends" : "", shorten(text, 300))),
    ),
    notes.map((note) => line("note", note)),
    errorLines(error),
    (error === null || rows.read > 0) && line("rows", rowText(table)),
    eventless !== null &&
      line(
        "note",
        `${counted(eventless.count, "valid row yields", "valid rows yield")} no event, for example row ${eventless.firstRow}.`,
      ),
    causes("Problems", "", untold(table.problems)),
    causes("Warnings", "", untold(table.warnings)),
  );
}

const unread = (headers: readonly string[]) =>
  listed(
    headers.map((header) => shorten(header, 40)),
    20,
  );

/** Further columns are only counted. */
const MOST_COLUMNS = 60;

function columnTable({ cells, rows }: TableCheck, width: number): Part {
  const shown = cells.filter(({ header }) => header !== "").slice(0, MOST_COLUMNS);
  const [head = "", ...body] = textTable(
    [
      ["   ", "column", "read as", "filled", "distinct"],
      ...shown.map(({ header, type, filled, distinct }) => [
        "   ",
        shorten(header, 30),
        type ?? "not read",
        rows.read > 0 ? `${Math.floor((100 * filled) / rows.read)}%` : "",
        distinct === null ? "many" : grouped(distinct),
      ]),
    ],
    [3, 4],
  );
  const widest = Math.max(head.length, ...body.map((one) => one.length));
  const room = Math.max(20, Math.min(width, 120) - widest - 2);
  return [
    dim(head),
    body.map((one, at) => {
      const problem = shown[at]?.problem ?? null;
      return problem === null ? one : `${one.padEnd(widest)}  ${red(shorten(problem, room))}`;
    }),
    cells.length > shown.length && `    and ${grouped(cells.length - shown.length)} more`,
  ];
}

/** In the form of a mapping, a line for each field. */
function bodyLines(record: JsonValue): string[] {
  const members = Object.entries(isJsonObject(record) ? record : {});
  return members.map(([name, value], at) => `${at === 0 ? "" : "  "}${name}: ${inBraces(value)}`);
}

function inBraces(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inBraces).join(", ")}]`;
  if (isExactNumber(value)) return value.rawJSON;
  if (!isJsonObject(value)) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${inBraces(inner)}`)
    .join(", ")} }`;
}

/** A good file among many. */
export const printFileLine = ({ path, tables }: FileCheck): string => `${path}: ${tables.map(rowText).join("; ")}`;

export function printTotal(checks: readonly FileCheck[]): string {
  const tables = checks.flatMap((check) => check.tables);
  const rows = { read: 0, skipped: 0, invalid: 0, valid: 0 };
  for (const table of tables)
    for (const fate of Object.keys(rows) as (keyof typeof rows)[]) rows[fate] += table.rows[fate];
  const events = sumOf(tables, "events");
  const broken = [...checks, ...tables].filter(({ error }) => error !== null).length;
  const cut = broken === 0 ? "" : `; ${broken} could not be read to the end`;
  return `${counted(checks.length, "file")}: ${rowText({ rows, events, error: null })}${cut}`;
}

function headerText({ headerRow, joinedRows }: TableCheck): string {
  if (joinedRows !== null) return `rows ${joinedRows.join(", ")}, joined`;
  return headerRow === null ? "none, columns by letter" : `row ${headerRow}`;
}

function rowText({ rows, events, error }: Pick<TableCheck, "rows" | "events" | "error">): string {
  const { read, skipped, invalid, valid } = rows;
  const sum = `${grouped(read)} read = ${grouped(skipped)} skipped + ${grouped(invalid)} invalid + ${grouped(valid)} valid`;
  if (error !== null) return `${sum}, then the reading ended`;
  return joined([sum, events > 0 && counted(events, "event")], "; ");
}

function errorLines(error: FileCheck["error"]): Part {
  if (error === null) return null;
  const { file: _, ...within } = error.place;
  return [`  ${red("error".padEnd(8))}  ${joined([describePlace(within), error.message], ": ")}`, line("", error.hint)];
}

const sheetList = (sheets: FileCheck["sheets"]): string =>
  sheets
    .map(({ sheet, hidden, read }) => {
      const marks = joined([hidden && "hidden", !read && "not read"]);
      return `${sheet ?? ""}${marks === "" ? "" : ` (${marks})`}`;
    })
    .join(", ");

function dialectText(dialect: Extract<TableCheck["dialect"], { format: "csv" }>): string {
  const { encoding, bom, delimiter, quote, lineEnding, compression } = dialect;
  return joined([
    `${encoding}${bom ? " with byte order mark" : ""}`,
    `delimiter ${["\t", "␉"].includes(delimiter) ? "tab" : `"${delimiter}"`}`,
    quote === null ? "no quotes" : `quote ${quote === '"' ? `'"'` : `"${quote}"`}`,
    `lines end in ${lineEnding.replaceAll(/\r|␍/g, "CR").replaceAll(/\n|␊/g, "LF")}`,
    compression !== "none" && compression,
  ]);
}
