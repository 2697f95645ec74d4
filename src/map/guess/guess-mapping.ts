/**
 * A first mapping from the data themselves: types, formats, tax ids, keys and times by what the cells hold; headers
 * only break ties. It loads, and it says what it was unsure of; what is right only a person can say.
 */
import { RowferryError } from "../../model/error.js";
import { foldName, shorten } from "../fold.js";
import { profileColumns } from "./column.js";
import { guessBlank, guessDates, guessDecimal, guessGrouping, guessTimezone } from "./defaults.js";
import type { Directory, InputDraft } from "./draft.js";
import {
  guessDocuments,
  guessOrganisations,
  guessPlaces,
  kindOf,
  type ProfiledTable,
  type TableKind,
} from "./guess-input.js";
import { recordName } from "./header-words.js";
import type { Guess, GuessOptions, GuessTable } from "./table.js";
import { collectUnsure, type Unsure } from "./unsure.js";
import { comment, type FlowValue, type Member, writeBlock } from "./yaml-text.js";

export type { Guess, GuessOptions, GuessTable } from "./table.js";

/** Tables of organisations first, then places, then what refers to them. */
const order: readonly TableKind[] = ["organisations", "places", "documents", "other"];

const nothing = "neither tax ids nor addresses nor dates with a key were found in it";

/**
 * Guesses one mapping for all tables; one that yields nothing is named in `unsure`.
 * @throws RowferryError `guess-nothing` when none yields anything.
 */
export function guessMapping(tables: readonly GuessTable[], options: GuessOptions = {}): Guess {
  const unsure = collectUnsure();
  const blank = guessBlank(tables.map(({ sample }) => sample));
  const profiled = profileTables(tables, new Set(blank), options.country ?? null, unsure);
  const columns = profiled.flatMap((table) => table.columns);
  const country = options.country ?? columns.find(({ taxId }) => taxId !== null)?.taxId?.country ?? null;
  const sorted = profiled
    .map((table) => ({ ...table, kind: kindOf(table) }))
    .toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  const directories: Directory[] = [];
  const inputs: Member[] = [];
  for (const table of sorted) {
    const draft = emptyDraft(table);
    if (table.kind === "organisations") directories.push(...guessOrganisations(table, draft, country, unsure));
    if (table.kind === "places") directories.push(...guessPlaces(table, draft, directories, country, unsure));
    if (table.kind === "documents") guessDocuments(table, draft, directories, country, unsure);
    const records = recordMembers(draft);
    if (records.length === 0) unsure.say(`${describe(table.table)} is left out: ${nothing}`);
    else inputs.push({ name: draft.name, value: { block: [...draft.reading, ...draft.skip, ...records] } });
  }
  if (inputs.length === 0)
    throw new RowferryError("guess-nothing", `there is nothing to map: ${nothing}`, {
      place: { file: tables[0]?.file },
    });
  const head = writeBlock([
    { name: "version", value: 1 },
    {
      name: "namespace",
      value: options.namespace ?? defaultNamespace(tables),
      note: "part of every key: choose it once, and keep it",
    },
  ]);
  const defaults = writeBlock([
    { name: "defaults", value: { block: defaultsOf(profiled, blank, country, options, unsure) } },
  ]);
  const body = writeBlock([{ name: "inputs", value: { block: inputs } }]);
  const notes = unsure.sentences.map((sentence) => `- ${sentence}`).join("\n");
  const intro = comment(
    "Guessed from the data. Look at these points, then run `rowferry check` with the mapping and its files:",
  );
  return {
    yaml: `${intro}${notes === "" ? "" : comment(notes)}\n${head}\n${defaults}\n${body}`,
    unsure: [...unsure.sentences],
  };
}

/** A file of more is read with another delimiter than its own, as a rule; each column takes 2 ms to look at. */
const MOST_COLUMNS = 2000;
/** YAML takes no name of more than 1,024 characters. */
const LONGEST_HEADER = 500;

function profileTables(
  tables: readonly GuessTable[],
  blank: ReadonlySet<string>,
  country: string | null,
  unsure: Unsure,
): ProfiledTable[] {
  const names = new Set<string>();
  return merge(tables).map(({ table, files }) => {
    const wanted = recordName(table.sheet ?? table.file.replace(/\.[^.]+$/, "").replace(/\d+/g, " "), "input");
    let name = wanted;
    while (names.has(name)) name = `${wanted}${names.size + 1}`;
    names.add(name);
    const considered = table.header.slice(0, MOST_COLUMNS);
    if (considered.length < table.header.length)
      unsure.say(
        `${describe(table)}: only the first ${MOST_COLUMNS} of its ${table.header.length} columns were looked at`,
      );
    const columns = profileColumns(considered, table.sample, blank, country);
    const twins = new Map<string, number>();
    for (const header of table.header) twins.set(foldName(header), (twins.get(foldName(header)) ?? 0) + 1);
    return { table, files, name, columns: columns.filter(({ header }) => isUsable(header, twins, table, unsure)) };
  });
}

/** Files with the same header are one input. */
function merge(tables: readonly GuessTable[]): { table: GuessTable; files: string[] }[] {
  const merged = new Map<string, { table: GuessTable; files: string[] }>();
  for (const table of tables) {
    const key = JSON.stringify([table.sheet, table.header]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, { table, files: [table.file] });
    else
      merged.set(key, {
        table: { ...known.table, sample: [...known.table.sample, ...table.sample] },
        files: [...known.files, table.file],
      });
  }
  return [...merged.values()];
}

/** A header that is blank, is that of two columns, or is no name that a mapping takes, cannot be used in one. */
function isUsable(header: string, counts: ReadonlyMap<string, number>, table: GuessTable, unsure: Unsure): boolean {
  const twins = counts.get(foldName(header)) ?? 0;
  if (twins > 1 && foldName(header) !== "")
    unsure.say(
      `${describe(table)}: ${twins} columns are called "${header}"; none of them is used until \`columns: { … nth: 1 of ${twins} }\` tells which`,
    );
  if (header.length > LONGEST_HEADER)
    unsure.say(
      `${describe(table)}: the column ${JSON.stringify(shorten(header))} is left out, for its name is too long`,
    );
  return twins === 1 && header.length <= LONGEST_HEADER && header.trim() !== "" && header.trim() !== "__proto__";
}

function describe({ file, sheet }: GuessTable): string {
  return sheet === null ? file : `sheet "${sheet}" of ${file}`;
}

/** `manifests-2025-09.csv` → `manifests`. */
function defaultNamespace(tables: readonly GuessTable[]): string {
  const stem = (tables[0]?.file ?? "").replace(/\.[^.]+$/, "").replace(/[^\p{Letter}]+/gu, "-");
  return stem.replace(/^-|-$/g, "").toLowerCase() || "import";
}

/** Numbers in the name, such as dates, may be others tomorrow: `manifests-2025-09.csv` → `manifests-*.csv`. */
function pattern(file: string): string {
  const dot = file.lastIndexOf(".");
  const stem = dot <= 0 ? file : file.slice(0, dot);
  const folded = stem.replace(/\d[\d._-]*\d|\d/g, "*").replace(/\*+/g, "*");
  return `${folded === "*" ? stem : folded}${dot <= 0 ? "" : file.slice(dot)}`;
}

function emptyDraft({ table, files, name }: ProfiledTable): InputDraft {
  const { dialect, sheet, headerRow } = table;
  const reading: Member[] = [{ name: "files", value: [...new Set(files.map(pattern))] }];
  if (dialect.format === "csv") {
    const { delimiter, quote, escape, trim, encoding } = dialect;
    const csv: { [name: string]: FlowValue | undefined } = { delimiter };
    if (quote !== null && quote !== '"') csv["quote"] = quote;
    if (escape !== null && escape !== quote) csv["escape"] = escape;
    if (trim === true) csv["trim"] = true;
    reading.push({ name: "csv", value: { ...csv, encoding } });
  } else {
    reading.push({ name: "excel", value: { sheet: sheet ?? dialect.sheet } });
  }
  if (headerRow !== undefined) reading.push({ name: "header", value: headerRow ?? "none" });
  return { name, reading, skip: [], participants: [], addresses: [], documents: [], events: [] };
}

function recordMembers(draft: InputDraft): Member[] {
  return (["participants", "addresses", "documents", "events"] as const).flatMap((name) =>
    draft[name].length === 0 ? [] : [{ name, value: { block: draft[name] } }],
  );
}

function defaultsOf(
  tables: readonly ProfiledTable[],
  blank: string[],
  country: string | null,
  options: GuessOptions,
  unsure: Unsure,
): Member[] {
  const columns = tables.flatMap((table) => table.columns);
  const delimiters = tables.flatMap(({ table }) => (table.dialect.format === "csv" ? [table.dialect.delimiter] : []));
  const dates = guessDates(columns, unsure);
  const decimal = guessDecimal(columns, delimiters, unsure);
  const members: Member[] = [];
  if (columns.some(({ date }) => date !== null)) {
    members.push({ name: "timezone", value: guessTimezone(country, options.timezone, unsure) });
    members.push({ name: "dates", value: dates.length === 0 ? ["ISO"] : dates });
    if (dates.some((format) => /(^|[^y])yy([^y]|$)/.test(format))) {
      unsure.say("twoDigitYears: years of two digits are read as 1961 to 2060");
      members.push({ name: "twoDigitYears", value: true });
    }
  }
  if (decimal !== null) {
    members.push({ name: "decimal", value: decimal });
    const grouping = guessGrouping(columns, decimal, unsure);
    if (grouping !== null) members.push({ name: "grouping", value: grouping });
  }
  if (country !== null) members.push({ name: "country", value: country });
  members.push({ name: "blank", value: blank });
  return members;
}
