/**
 * Drafts a mapping from the data. It always loads; open decisions are marked lines, and make it a draft for the
 * sandbox.
 */
import { DateTime, Info } from "luxon";
import { MAX_MAPPING_LENGTH } from "../map/language/source.js";
import type { Dialect } from "../model/dialect.js";
import { RowferryError } from "../model/error.js";
import { listed, shorten } from "../model/fold.js";
import { foldWords } from "../map/convert/text.js";
import { compileGlob } from "../model/glob.js";
import { isFilled } from "../read/header.js";
import type { Row } from "../model/row.js";
import { areDigits, areFloats, type Column, type Given, headersOf, HOURS, isUsable, profile } from "./column.js";
import { type Decision, Decisions } from "./decisions.js";
import { type Defaults, guessBlank, isEmptyDay, ownOptions, settle } from "./defaults.js";
import { filledDown, hangingColumns } from "./fill.js";
import { askWhen, draftRecords, type InputDraft, kindOf, mentioned, tableKinds } from "./records.js";
import { findAsides } from "./totals.js";
import { oneLine, Said, type Tree, type Trees, write } from "./tree.js";
import { nameOf } from "./words.js";

export interface GuessTable {
  file: string;
  sheet: string | null;
  header: string[];
  /** The number of the header row, or of several that are joined; null where there is none. */
  headerRows: number | number[] | null;
  dialect: Dialect;
  /** The one that was asked for, of files that are not UTF-8. */
  fallbackEncoding?: string | undefined;
  /** Rows lack their last cells where these are blank. */
  endsEarly: boolean;
  /** Best from all over the file; a thousand rows are plenty. */
  sample: readonly Row[];
  /** Headers that only other files of its series have. */
  lacks?: ReadonlySet<string>;
}

export interface GuessOptions {
  namespace?: string;
  country?: string;
  timezone?: string;
  /** In ms since 1970; default: the clock's. Later times have not happened. */
  now?: number;
  answers?: ReadonlyMap<string, number>;
}

export interface Draft {
  yaml: string;
  open: readonly Decision[];
  /** Unused columns first, then what a person should check; the file has the same sentences. */
  notes: string[];
}

/** A file with more columns has usually been read with the wrong delimiter. */
const MOST_COLUMNS = 2000;

type Profiled = InputDraft & {
  /** The first of several with the same columns. */
  table: GuessTable;
  tables: readonly GuessTable[];
  files: string[];
  sheets: string[];
  /** Positions of columns whose blank cells take the value above. */
  hanging: readonly number[];
};

export function draftMapping(tables: readonly GuessTable[], options: GuessOptions = {}): Draft {
  const decisions = new Decisions(options.answers ?? new Map());
  const blank = guessBlank(tables.map(({ sample }) => sample));
  const emptyDays = blank.filter(isEmptyDay).map((day) => JSON.stringify(day));
  if (emptyDays.length > 0)
    decisions.notes.add(`blank: ${listed(emptyDays, 5)}: no day, but what programs write where there is none`);
  const errors = blank.filter((text) => text.startsWith("#")).map((text) => JSON.stringify(text));
  if (errors.length > 0)
    decisions.notes.add(
      `blank: ${listed(errors, 5)}: what a spreadsheet writes where it found no value; without it, such cells are errors`,
    );
  const rank = ({ columns }: InputDraft) => tableKinds.indexOf(kindOf(columns));
  const rowsOf = ({ columns }: InputDraft) => columns[0]?.values.length ?? 0;
  const { country, now = Date.now() } = options;
  const drafts = profileTables(tables, { blank: new Set(blank), country, now }, decisions).toSorted(
    (one, other) => rank(one) - rank(other),
  );
  const semicolons = tables.some(({ dialect }) => dialect.format === "csv" && dialect.delimiter === ";");
  const settled = settle(drafts, semicolons, options, decisions);
  const shared = { country: settled.country, decisions, directories: [], documents: [] };
  // A file of documents has fewer rows than one of what belongs to them.
  for (const draft of drafts.toSorted((one, other) => rank(one) - rank(other) || rowsOf(one) - rowsOf(other)))
    draftRecords(draft, shared);
  const [main] = drafts;
  if (main !== undefined && decisions.open.length === 0 && drafts.every(({ records }) => !records["events"]))
    askWhen(main, [], decisions);
  const { open } = decisions;
  const files = [...new Set(tables.map(({ file }) => file))];
  const stem = (files[0] ?? "").replace(/\.[^.]+$/, "").replace(/[^\p{Letter}]+/gu, "-");
  const namespace = options.namespace ?? (stem.replace(/^-|-$/g, "").toLowerCase().slice(0, 100) || "import");
  const head = {
    version: 2,
    draft:
      open.length === 0
        ? undefined
        : new Said(true, [], "works only with the sandbox; delete this line once everything is decided"),
    namespace: new Said(namespace, [], "part of every key: choose it once, and keep it"),
  };
  const inputs = Object.fromEntries(
    drafts.map((draft) => [draft.name, new Said(inputTree(draft, drafts, settled, decisions.notes), draft.above)]),
  );
  const series = drafts.flatMap(({ sheets }) => (sheets.length > 1 ? [`${named(sheets)} are read as one input`] : []));
  const notes = [...drafts.flatMap(unused), ...decisions.notes, ...series];
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  const marked = open.length === 1 ? "One decision is open: the line" : `${open.length} decisions are open: the lines`;
  const intro = [
    `Drafted from ${files[0]}${more} by rowferry guess. Review it, then run rowferry check with it and the files.`,
    ...(open.length > 0 ? [`${marked} marked "decide:".`] : []),
    ...notes.map((note) => `- ${note}`),
  ];
  const comments = intro.map((line) => `# ${oneLine(line)}\n`).join("");
  const yaml = [comments, write(head), write({ defaults: { ...settled.tree, blank } }), write({ inputs })].join("\n");
  if (yaml.length > MAX_MAPPING_LENGTH) {
    const message = `The draft would have ${yaml.length} characters; at most ${MAX_MAPPING_LENGTH} are allowed.`;
    const hint = "Guess from fewer files, or from a file with only the sheets and columns that you want to import.";
    throw new RowferryError("mapping-too-large", message, { hint });
  }
  return { yaml, open, notes };
}

/** Files with the same header are one input, and so are the sheets of a series, such as one for each month. */
function profileTables(tables: readonly GuessTable[], given: Given, decisions: Decisions): Profiled[] {
  const names = new Set<string>();
  const alike = Map.groupBy(widened(tables), ({ sheet, header, dialect }) =>
    JSON.stringify([sheet === null ? null : seriesOf(sheet), header, dialect.format]),
  );
  return [...alike.values()].flatMap(oneBySeries).flatMap((same): Profiled[] => {
    const [table] = same;
    if (table === undefined) return [];
    const sample = same.flatMap((one) => one.sample);
    const asides = findAsides(sample, table.header.length, given.blank);
    const aside = new Set(asides.flatMap((one) => one.rows));
    const isRow = ({ cells }: Row) => table.header.length < 3 || cells.filter(isFilled).length > 1;
    // A single cell that cannot be read, such as a formula without a result, is blank.
    const isShaped = ({ problems }: Row) => problems?.every(({ column }) => column !== null) !== false;
    const rows = sample.filter((row) => isShaped(row) && !aside.has(row) && isRow(row));
    // Of a file in an archive, patterns see the inner name only.
    const files = [...new Set(same.map(({ file }) => file.split("/").at(-1) ?? file))];
    const sheets = [...new Set(same.flatMap(({ sheet }) => sheet ?? []))];
    const series =
      sheets.length > 1
        ? seriesOf(sheets[0] ?? "")
            .replaceAll("#", " ")
            .trim()
        : sheets[0];
    const name = nameOf(series || table.file.replace(/\.[^.]+$/, "").replace(/\d+/g, " "), "input", names);
    const hanging = chooseHanging(rows, table.header, name, decisions);
    const columns = profile(table.header.slice(0, MOST_COLUMNS), filledDown(rows, hanging, table.header), given);
    const called = new Map(columns.map((column) => [column.index, column.name]));
    const skip = asides.flatMap(({ rows: some, column, example, condition }) => {
      const word = columns.find(({ index }) => index === column);
      // A key of digits gets a pattern, which the word does not fit.
      if (word !== undefined && (word.as !== "text" || areDigits(word))) word.said = true;
      const said = condition(word?.said === true ? `${word.name}_said` : word?.name, called);
      if (said !== null && word === undefined)
        decisions.notes.add(
          `skip: totals are recognised by blank cells only (${said}): no column with a header has a word such as Total`,
        );
      if (said !== null && example !== undefined) {
        const are = some.every(({ cells }) => cells.filter(isFilled).length === 1)
          ? "with a single cell are skipped if it"
          : "with one or two cells are skipped if the first";
        decisions.notes.add(`skip: rows ${are} is like ${JSON.stringify(shorten(example))}`);
      }
      return said ?? [];
    });
    // A total and a note may be told by the same blanks.
    const skips = [...new Set(skip)];
    return [
      { table, tables: same, files, sheets, name, columns, hanging, records: {}, skip: skips, above: decisions.take() },
    ];
  });
}

function chooseHanging(rows: readonly Row[], header: readonly string[], input: string, decisions: Decisions): number[] {
  const hanging = hangingColumns(rows, header.slice(0, MOST_COLUMNS));
  if (hanging.length === 0) return [];
  const headers = headersOf(hanging.map((column) => ({ header: header[column] ?? "" })));
  return decisions.choose(`${input}.fill`, `does a blank cell of ${headers} mean the value above?`, [
    { value: hanging, label: "yes, `fill: down`", why: "their first row is filled, and most others are not", score: 1 },
    { value: [], label: "no, it means that there is no value" },
  ]);
}

const months = new Set(
  ["pt", "es", "en"].flatMap((locale) =>
    (["long", "short"] as const).flatMap((length) => Info.months(length, { locale }).map(foldWords)),
  ),
);

/** A sheet's name without its numbers and months: `Coletas Jan 25` → `Coletas # #`. */
const seriesOf = (sheet: string): string =>
  sheet.replace(/\p{L}+|\d+/gu, (word) => (/\d/.test(word) || months.has(foldWords(word)) ? "#" : word));

const starred = (name: string) => name.replace(/\d[\d._-]*/g, (run) => `*${/[._-]$/.exec(run)?.[0] ?? ""}`);

/** Of files or sheets of a series, one may have all columns of the others and more, or in another order. */
function widened(tables: readonly GuessTable[]): GuessTable[] {
  const series = Map.groupBy(tables, ({ file, sheet, dialect }) =>
    JSON.stringify([starred(file), seriesOf(sheet ?? ""), dialect.format]),
  );
  return [...series.values()].flatMap((some) => {
    const header = some.toSorted((one, other) => other.header.length - one.header.length)[0]?.header ?? [];
    const texts = new Set(header);
    if (some.length === 1 || texts.size < header.length) return some;
    return some.map((one) => {
      // Few columns may be those of other records.
      if (one.header.length * 2 <= header.length || !one.header.every((text) => texts.has(text))) return one;
      const places = new Map(one.header.map((text, at) => [text, at]));
      const from = header.map((text) => places.get(text) ?? -1);
      const lacks = new Set(header.filter((_, at) => from[at] === -1));
      const sample = one.sample.map((row) => ({
        ...row,
        cells: from.map((at) => row.cells[at] ?? ""),
        kinds: row.kinds && from.map((at) => row.kinds?.[at] ?? "text"),
        looks: row.looks && from.map((at) => row.looks?.[at] ?? null),
      }));
      return { ...one, header, lacks, sample };
    });
  });
}

/** Only sheets that each of the files has, with their headers in the same row. */
function oneBySeries(same: GuessTable[]): GuessTable[][] {
  const bySheet = [...Map.groupBy(same, ({ sheet }) => sheet).values()];
  const kinds = bySheet.map((group) => JSON.stringify(group.map(({ file, headerRows }) => [file, headerRows])));
  return new Set(kinds).size === 1 ? [same] : bySheet;
}

/**
 * Numbers in a name, such as dates, may vary: `manifests-2025-09.csv` → `manifests-*.csv`, unless another input's file
 * fits that.
 */
function patternsOf({ files, table }: Profiled, all: readonly Profiled[]): Tree {
  const rivals = all.filter((one) => one.table.sheet === table.sheet && one.files !== files);
  const others = rivals.flatMap((one) => one.files);
  const general = files.map((file) => {
    const [, stem = file, end = ""] = /^(.+)(\.[^.]*)$/.exec(file) ?? [];
    const folded = starred(stem);
    const pattern = `${folded === "*" ? stem : folded}${end}`;
    return others.some(compileGlob(pattern)) ? file : pattern;
  });
  const patterns = [...new Set(general)];
  return patterns.length === 1 ? patterns[0] : patterns;
}

/** What the files do not share is left to detection. */
function csvTree(tables: readonly GuessTable[]): Trees {
  const all = tables.flatMap((table): Trees[] =>
    table.dialect.format === "csv" ? [optionsOf(table.dialect, table)] : [],
  );
  const same = Object.entries(all[0] ?? {}).filter(([name, one]) => all.every((other) => other[name] === one));
  const { encoding, ...options }: Trees = Object.fromEntries(same);
  return {
    ...options,
    shortRows: tables.some(({ endsEarly }) => endsEarly) ? "blank" : undefined,
    encoding,
    fallbackEncoding: encoding === undefined ? tables[0]?.fallbackEncoding : undefined,
  };
}

/** An escape and an encoding that the file does not show are left to detection: the next file may show them. */
function optionsOf(
  { delimiter, quote, escape, trim, encoding, bom }: Extract<Dialect, { format: "csv" }>,
  { header, sample }: Pick<GuessTable, "header" | "sample">,
): Trees {
  const texts = [header, ...sample.map(({ cells }) => cells)].flat();
  const isEscaped = escape !== quote || (quote !== null && texts.some((text) => text.includes(quote)));
  const isEncoded = encoding !== "utf-8" || bom || texts.some((text) => /[^\0-\x7f]/.test(text));
  return {
    delimiter,
    quote,
    escape: isEscaped ? (escape ?? undefined) : undefined,
    trim,
    encoding: isEncoded ? encoding : undefined,
  };
}

function inputTree(draft: Profiled, all: readonly Profiled[], defaults: Defaults, notes: Set<string>): Trees {
  const { table, tables, skip, records, group, rowsWithoutEvents } = draft;
  const { dialect } = table;
  const [columns, left] = columnsTree(draft, defaults, notes);
  const headers = new Set(tables.map(({ headerRows }) => headerRows));
  const isAnywhere = headers.size > 1 && [...headers].every((row) => typeof row === "number");
  return {
    files: patternsOf(draft, all),
    ...(dialect.format === "csv"
      ? { csv: csvTree(tables) }
      : { excel: { sheet: draft.sheets.length > 1 ? draft.sheets : (table.sheet ?? dialect.sheet) } }),
    header: isAnywhere ? "auto" : (table.headerRows ?? "none"),
    skip:
      skip.length === 0 ? undefined : `=${skip.length === 1 ? skip[0] : skip.map((one) => `(${one})`).join(" || ")}`,
    group,
    rowsWithoutEvents,
    columns: new Said(columns, left),
    ...records,
  };
}

/** Each column with its type and three samples; a column that cannot be named becomes a comment. */
function columnsTree(
  { name: input, columns, hanging, table: { header, sample: rows }, tables, records }: Profiled,
  defaults: Defaults,
  notes: Set<string>,
): [Trees, string[]] {
  const { keys, instants } = mentioned(columns, records);
  const isDay = ({ dates, cells }: Column) =>
    dates?.formats.some((format) => HOURS.test(format)) === false &&
    !cells.some(({ kind, text }) => kind === "date" && text.includes("T"));
  const tree: Trees = {};
  let left: string[] = [];
  for (const [index, text] of header.slice(0, MOST_COLUMNS).entries()) {
    const column = columns.find((one) => one.index === index);
    const isOf = (some: readonly string[]) => some.some((one) => isFilled(one));
    if (!isOf([text, ...rows.map(({ cells }) => cells[index] ?? "")])) {
      if (isOf(header.slice(0, index)) && isOf(header.slice(index + 1)))
        notes.add(
          `${input}: column ${index + 1} is blank: what follows may be another table, read with the rows of this one`,
        );
      continue;
    }
    if (column === undefined) {
      const called = isUsable(text)
        ? ""
        : text.trim() === ""
          ? "has no header"
          : `is called ${JSON.stringify(shorten(text))}`;
      left.push(`column ${index + 1} ${called}: it cannot be read`);
      continue;
    }
    const { name, clock, nth, fits = 1, cells, said } = column;
    const isKey = keys.has(column);
    const isText = column.as === "text" || (isKey && column.as === "number");
    const own: Trees = { header: text, nth, ...(isText ? {} : ownOptions(column, defaults)) };
    if (hanging.includes(index)) own["fill"] = "down";
    if (tables.some(({ lacks }) => lacks?.has(text))) own["optional"] = true;
    // As an instant, a day would be sent with hours, and as the day before where clocks are ahead of UTC.
    const isDone = column.role === "personal" || records["events"] !== undefined;
    if (isDone && own["as"] === "timestamp" && !instants.has(column) && isDay(column)) own["as"] = "date";
    // 00001026 that comes back as 1026, or 1026 as 1026.0 or 1.026, would be another document. Numbers may grow.
    if (isText && isKey && column.role !== "taxId" && areDigits(column)) {
      const lengths = cells.map((cell) => cell.text.length);
      const isPadded = cells.some((cell) => cell.text.startsWith("0"));
      own["pattern"] = `[0-9]{${isPadded ? Math.min(...lengths) : 1},}`;
    }
    const isFloats = isText && areFloats(column);
    if (isFloats) Object.assign(own, { as: "integer", decimal: "." });
    const plain = Object.values(own).filter((value) => value !== undefined).length === 1 && !text.startsWith("=");
    const texts = [...new Set(cells.map((cell) => cell.text))];
    const samples = new Set([0, 0.5, 1].map((part) => texts[Math.round(part * (texts.length - 1))] ?? ""));
    const why = column.as === "number" ? "part of a key" : column.why;
    const note = [
      isText && why !== undefined && !isFloats ? `text: ${why}` : "",
      fits < 1 ? `${Math.floor(fits * 100)}% of the cells read so` : "",
      [...samples].map((sample) => shorten(sample, 28)).join(" | "),
    ];
    tree[name] = new Said(plain ? text : own, left, note.filter((part) => part !== "").join("; "));
    left = [];
    const { fill, optional } = own;
    const isBare = nth === undefined && fill === undefined && optional === undefined && !text.startsWith("=");
    if (said === true) tree[`${name}_said`] = isBare ? text : { header: text, nth, fill, optional };
    if (clock.length > 0)
      tree[`${name}_at`] = `=timestamp(${[name, ...clock.map((one) => hourOf(one, column))].join(' + " " + ')})`;
  }
  if (header.length > MOST_COLUMNS)
    left.push(`only the first ${MOST_COLUMNS} of ${header.length} columns were examined`);
  return [tree, left];
}

/** Midnight where the hour is blank, as in dates without one. */
function hourOf({ name, hour = "", values }: Column, day: Column) {
  if (day.cells.every(({ row }) => values[row] !== "")) return name;
  return `default(${name}, "${DateTime.utc(2000).toFormat(hour)}")`;
}

const named = (sheets: readonly string[]): string =>
  `sheet${sheets.length > 1 ? "s" : ""} ${listed(
    sheets.map((sheet) => `"${sheet}"`),
    3,
  )}`;

function unused({ columns, table, sheets, records, skip }: Profiled): string[] {
  const { used } = mentioned(columns, { records, skip: skip.map((one) => `=${one}`) });
  const idle = columns.filter((column) => !used.has(column));
  if (idle.length === 0) return [];
  const isUnread = ({ header, index }: Column) =>
    table.sample.some(
      ({ problems, kinds }) => kinds?.[index] === "error" || problems?.some(({ column }) => column === header) === true,
    );
  const emptiness = (column: Column) =>
    column.distinct.size > 0 ? "" : isUnread(column) ? " (unreadable so far)" : " (blank so far)";
  const shown = listed(
    idle.map((column) => shorten(column.header) + emptiness(column)),
    12,
  );
  const of = sheets.length === 0 ? table.file : named(sheets);
  const are = columns.length === 1 ? "column" : "columns";
  return [`${idle.length} of ${columns.length} ${are} of ${of} ${idle.length === 1 ? "is" : "are"} not used: ${shown}`];
}
