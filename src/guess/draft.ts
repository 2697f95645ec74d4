/**
 * A first mapping from the data themselves. It always loads; what the data do not decide is a marked line, and the mapping
 * is then a draft, which `import` takes to the sandbox only. What is right only a person can say.
 */
import { shorten } from "../model/fold.js";
import { compileGlob } from "../model/glob.js";
import type { Dialect } from "../model/dialect.js";
import type { Row } from "../model/row.js";
import { type Column, isUsable, profile } from "./column.js";
import { Block, type Decision, Decisions, type Flow, oneLine } from "./decisions.js";
import { guessBlank, settle, type Written } from "./defaults.js";
import { unitsOf } from "./events.js";
import { draftRecords, type InputDraft, kindOf, tableKinds } from "./records.js";
import { findTotals } from "./totals.js";
import { nameOf } from "./words.js";

export interface GuessTable {
  /** The file's name without its folder. */
  file: string;
  /** Null for CSV. */
  sheet: string | null;
  header: string[];
  /** The number of the (last) header row; null where there is none. */
  headerRow: number | null;
  dialect: Dialect;
  /** Rows to learn from, best from all over the file; a thousand are plenty. */
  sample: readonly Row[];
}

export interface GuessOptions {
  /** The mapping's namespace. Default: made of the first file's name. */
  namespace?: string;
  /** Two letters. Default: by the tax ids, else asked. */
  country?: string;
  /** IANA name. Default: by the country. */
  timezone?: string;
  /** Positions of candidates by the decision's id. */
  answers?: ReadonlyMap<string, number>;
}

export interface Draft {
  /** The text of a mapping file that loads. */
  yaml: string;
  /** What a person must decide. */
  open: readonly Decision[];
  /** First which columns are used by nothing, then what a person should look at; the same sentences stand in the file. */
  notes: string[];
}

/** More columns than these are a file read with another delimiter than its own, as a rule. */
const MOST_COLUMNS = 2000;

type Profiled = InputDraft & { table: GuessTable; files: string[] };

export function draftMapping(tables: readonly GuessTable[], options: GuessOptions = {}): Draft {
  const decisions = new Decisions(options.answers ?? new Map());
  const blank = guessBlank(tables.flatMap(({ sample }) => sample));
  const rank = ({ columns }: InputDraft) => tableKinds.indexOf(kindOf(columns));
  const drafts = profileTables(tables, new Set(blank), options.country).toSorted(
    (one, other) => rank(one) - rank(other),
  );
  const columns = drafts.flatMap((draft) => draft.columns);
  const semicolons = tables.some(({ dialect }) => dialect.format === "csv" && dialect.delimiter === ";");
  const written = settle(columns, blank, semicolons, options, decisions);
  const shared = { country: written.country, decisions, directories: [] };
  for (const draft of drafts) draftRecords(draft, shared);
  if (decisions.open.length === 0 && drafts.every(({ records }) => records.events.length === 0)) {
    const only = [{ value: null, label: "only what is written below is registered" }];
    decisions.choose("events", "what happened, and when? No column tells, and no event is written.", only, false);
    drafts[0]?.above.push(...decisions.take());
  }
  const inputs = new Block([]);
  for (const draft of drafts) inputs.add(draft.name, inputBlock(draft, drafts, written), { above: draft.above });
  const notes = [...drafts.flatMap(unused), ...decisions.notes];
  const { open } = decisions;
  const head = new Block([{ name: "version", value: 2 }]);
  if (open.length > 0)
    head.add("draft", true, { note: "import takes it to the sandbox only; delete this line once all is decided" });
  const files = [...new Set(tables.map(({ file }) => file))];
  const stem = (files[0] ?? "").replace(/\.[^.]+$/, "").replace(/[^\p{Letter}]+/gu, "-");
  const namespace = options.namespace ?? (stem.replace(/^-|-$/g, "").toLowerCase().slice(0, 100) || "import");
  head.add("namespace", namespace, { note: "part of every key: choose it once, and keep it" });
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  const marked = open.length === 1 ? "One decision is open: the line" : `${open.length} decisions are open: the lines`;
  const intro = [
    `Drafted from ${files[0]}${more} by rowferry guess. Review it, then run rowferry check with it and the files.`,
    ...(open.length > 0 ? [`${marked} marked "decide:".`] : []),
    ...notes.map((note) => `- ${note}`),
  ];
  const parts = [
    head,
    ...["defaults", "inputs"].map((name) => new Block([{ name, value: name === "inputs" ? inputs : written.block }])),
  ];
  const comments = intro.map((line) => `# ${oneLine(line)}\n`).join("");
  return { yaml: [comments, ...parts.map((part) => part.write())].join("\n"), open, notes };
}

/** Files of one header are one input. */
function profileTables(
  tables: readonly GuessTable[],
  blank: ReadonlySet<string>,
  country: string | undefined,
): Profiled[] {
  const names = new Set<string>();
  const alike = Map.groupBy(tables, ({ sheet, header, dialect }) => JSON.stringify([sheet, header, dialect.format]));
  return [...alike.values()].flatMap((same): Profiled[] => {
    const [table] = same;
    if (table === undefined) return [];
    const stem = table.file.replace(/\.[^.]+$/, "").replace(/\d+/g, " ");
    const sample = same.flatMap((one) => one.sample);
    const totals = findTotals(sample, blank);
    const rows = sample.filter((row) => row.problems === null && totals?.rows.has(row) !== true);
    const columns = profile(table.header.slice(0, MOST_COLUMNS), rows, blank, country);
    const skip = totals?.condition(new Map(columns.map(({ index, name }) => [index, name]))) ?? null;
    const records = { participants: [], addresses: [], documents: [], events: [] };
    const name = nameOf(table.sheet ?? stem, "input", names);
    const own = { table, files: same.map(({ file }) => file), name, columns, records };
    return [{ ...own, skip: skip === null ? [] : [skip], rowsWithoutEvents: [], above: [] }];
  });
}

/** Numbers in a name, such as dates, may be others tomorrow: `manifests-2025-09.csv` → `manifests-*.csv`, unless another input's file fits that. */
function patternsOf({ files, table }: Profiled, all: readonly Profiled[]): string[] {
  const others = all
    .filter((one) => one.table.sheet === table.sheet && one.files !== files)
    .flatMap((one) => one.files);
  const general = files.map((file) => {
    const dot = file.lastIndexOf(".");
    const stem = dot <= 0 ? file : file.slice(0, dot);
    const folded = stem.replace(/\d[\d._-]*/g, (run) => `*${/[._-]$/.exec(run)?.[0] ?? ""}`);
    const pattern = `${folded === "*" ? stem : folded}${dot <= 0 ? "" : file.slice(dot)}`;
    return others.some(compileGlob(pattern)) ? file : pattern;
  });
  return [...new Set(general)];
}

function inputBlock(draft: Profiled, all: readonly Profiled[], written: Written): Block {
  const { dialect, sheet, headerRow, header } = draft.table;
  const block = new Block([]);
  const patterns = patternsOf(draft, all);
  block.add("files", patterns.length === 1 ? (patterns[0] ?? "") : patterns);
  if (dialect.format === "csv") {
    const { delimiter, quote, escape, trim, encoding } = dialect;
    const own = {
      quote: quote === '"' ? undefined : quote,
      escape: escape === quote ? undefined : (escape ?? undefined),
    };
    block.add("csv", { delimiter, ...own, trim: trim === true ? true : undefined, encoding });
  } else block.add("excel", { sheet: sheet ?? dialect.sheet });
  block.add("header", headerRow ?? "none");
  const { skip } = draft;
  if (skip.length > 0)
    block.add("skip", `=${skip.length === 1 ? skip.join("") : skip.map((one) => `(${one})`).join(" || ")}`);
  block.members.push(...draft.rowsWithoutEvents);
  const columns = columnsBlock(header, draft.columns, written);
  block.add("columns", columns.members.length === 0 ? {} : columns, { above: columns.left });
  for (const [name, members] of Object.entries(draft.records))
    if (members.length > 0) block.add(name, new Block(members));
  return block;
}

class Columns extends Block {
  /** Comments on what follows the last column. */
  left: string[] = [];
}

/** Every column with its type and three samples; one that cannot be named is a comment. */
function columnsBlock(header: readonly string[], columns: readonly Column[], written: Written): Columns {
  const block = new Columns([]);
  const byIndex = new Map(columns.map((column) => [column.index, column]));
  for (const [index, text] of header.slice(0, MOST_COLUMNS).entries()) {
    const column = byIndex.get(index);
    const called = isUsable(text)
      ? ""
      : text.trim() === ""
        ? "has no header"
        : `is called ${JSON.stringify(shorten(text))}`;
    if (column === undefined) {
      block.left.push(`column ${index + 1} ${called}: it cannot be read`);
      continue;
    }
    const { name, clock, type, fits, cells } = column;
    const why = type.as === "text" ? type.why : type.as === "time" ? "a time of day" : "";
    const texts = [...new Set(cells.map((cell) => cell.text))];
    const samples = [0, 0.5, 1].map((part) => texts[Math.round(part * (texts.length - 1))] ?? "");
    const shown = [...new Set(samples)]
      .map((sample) => (sample.length > 28 ? `${sample.slice(0, 27)}…` : sample))
      .join(" | ");
    const note = [
      why === "" ? "" : `text: ${why}`,
      fits < 1 ? `${Math.floor(fits * 100)}% of the cells read so` : "",
      shown,
    ];
    block.add(name, columnValue(column, written), {
      note: note.filter((part) => part !== "").join("; "),
      above: block.left.splice(0),
    });
    if (clock !== null) block.add(`${name}_at`, `=timestamp(${name} + " " + ${clock.name})`);
  }
  if (header.length > MOST_COLUMNS)
    block.left.push(`only the first ${MOST_COLUMNS} of ${header.length} columns were looked at`);
  return block;
}

function columnValue(
  { header, nth, type, clock, fallback }: Column,
  { country, numberOptions, dateOptions }: Written,
): Flow {
  const text = type.as === "text" || type.as === "time" || clock !== null;
  if (text && nth === undefined && fallback === undefined && !header.startsWith("=")) return header;
  const value: { [name: string]: Flow | undefined } = { header, nth, default: fallback };
  if (text) return value;
  value["as"] = type.as;
  if (type.as === "number") Object.assign(value, { units: unitsOf(type.units) }, numberOptions(type));
  if (type.as === "timestamp") Object.assign(value, dateOptions(type));
  if (type.as === "digits") value["length"] = type.length;
  if (type.as === "state" && country !== "BR") value["country"] = "BR";
  if (type.as === "taxId") {
    const [only, ...more] = type.types;
    value["type"] = type.typeFrom === undefined ? (more.length === 0 ? only : undefined) : `=${type.typeFrom.name}`;
    if (type.country !== country) value["country"] = type.country;
  }
  return value;
}

/** What is used by nothing, said before all else. */
function unused({ columns, table }: Profiled): string[] {
  const idle = columns.filter(({ used, distinct }) => !used && distinct.size > 0);
  if (idle.length === 0) return [];
  const shown = idle.slice(0, 12).map(({ header }) => shorten(header));
  const more = idle.length > shown.length ? ` and ${idle.length - shown.length} more` : "";
  const of = table.sheet === null ? table.file : `sheet "${table.sheet}"`;
  const are = columns.length === 1 ? "column" : "columns";
  return [
    `${idle.length} of ${columns.length} ${are} of ${of} ${idle.length === 1 ? "is" : "are"} used by nothing: ${shown.join(", ")}${more}`,
  ];
}
