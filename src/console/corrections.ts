/**
 * Rows that a person corrects in the browser: what stands in their file, what the draft has instead, and whether the
 * mapping takes it. What is imported is a file of its own, as if the rejected file had been corrected by hand.
 */
import { statSync } from "node:fs";
import { basename, join, parse } from "node:path";
import { createOpenRowReader, openCauses, type OpenRow, rowsOfCause } from "../ledger/views/causes.js";
import { type DraftConflict, type Drafts, type Edit, openDrafts } from "../ledger/drafts.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import type { StoredInput } from "../ledger/inputs.js";
import { parseRowReference, rowId } from "../ledger/row-id.js";
import { loadMapping } from "../map/load-mapping.js";
import type { Mapping } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import type { Problem } from "../model/problem.js";
import type { Row } from "../model/row.js";
import type { Target } from "../model/target.js";
import { reading } from "../desk/ledger-access.js";
import { makeFolder } from "../report/atomic-file.js";
import { type RejectedRow, writeRejectedFile } from "../report/rejected-file.js";
import { originalColumns } from "../report/rejected-row.js";
import type { CausePage, EditAnswer, GridRow, GridTable, Tally, ValueLine } from "./api.js";
import { causeLine } from "./overview.js";

/** Rows of one table that a page holds; the values above them stand for all. */
const GRID_ROWS = 5000;
const VALUES = 200;

export interface Corrections {
  page(cause: { code: string; column: string | null }): Promise<CausePage>;
  edit(request: { label: string; edits: readonly Edit[] }): Promise<EditAnswer>;
  /** Every row of the cause that has this text gets the other one. */
  editValue(edit: { code: string; column: string; from: string; to: string }): Promise<EditAnswer>;
  undo(): string | null;
  tally(): Promise<Tally>;
  /** Writes the rows that are corrected and right into `folder`: one file for each input, by mapping. Empty: there are none. */
  write(folder: string, now: number): Promise<{ mapping: string; files: string[]; rows: number }[]>;
}

type Patch = ReadonlyMap<string, string>;

export function createCorrections(target: Target, now: () => number): Corrections {
  const mappings = createMappings();

  const withDrafts = <Result>(work: (drafts: Drafts) => Result): Result => {
    const drafts = openDrafts(draftPath(target));
    try {
      return work(drafts);
    } finally {
      drafts.close();
    }
  };
  const patches = () => withDrafts((drafts) => drafts.cells());

  /** All rows of the groups that these rows begin. */
  const readGroups = (ids: Iterable<number>): { rows: OpenRow[]; inputs: Map<number, StoredInput> } =>
    reading(target, (database) => {
      const reader = createOpenRowReader(database);
      const rows = [...new Set(ids)].flatMap((id) => reader.withGroup(id));
      const inputs = new Map<number, StoredInput>();
      for (const { input } of rows) {
        const found = inputs.get(input) ?? reader.input(input);
        if (found !== null) inputs.set(input, found);
      }
      return { rows, inputs };
    });

  const judged = async (ids: Iterable<number>, drafts: ReadonlyMap<string, Patch>) => {
    const { rows, inputs } = readGroups(ids);
    const judge = await createJudge(inputs, mappings);
    return { inputs, rows: judge(rows, drafts) };
  };

  const tally = async (): Promise<Tally> => {
    const drafts = patches();
    const all = openLeads(target);
    const { rows } = await judged(draftedLeads(target, drafts, all), drafts);
    const ready = rows.filter(({ isLead, row }) => isLead && row.ready).length;
    const undo = withDrafts((open) => open.last()?.label ?? null);
    return { rows: all.size, ready, left: all.size - ready, undo };
  };

  const apply = async (label: string, edits: readonly Edit[]): Promise<EditAnswer> => {
    const original = reading(target, (database) => {
      const reader = createOpenRowReader(database);
      return new Map(edits.map((edit) => [cellKey(edit), reader.cell(idOf(edit.ref), edit.column)]));
    });
    for (const edit of edits)
      if (original.get(cellKey(edit)) == null)
        throw new RowferryError("usage", `Row ${edit.ref} is no longer open, or has no column "${edit.column}".`, {
          hint: "Load the page again.",
        });
    const conflicts: DraftConflict[] = withDrafts((drafts) =>
      drafts.apply(label, edits, (edit) => original.get(cellKey(edit)) ?? null, now()),
    );
    const refs = new Set(edits.map(({ ref }) => ref));
    const { rows } = await judged(
      reading(target, (database) => leadsOf(database, refs)),
      patches(),
    );
    return { conflicts, rows: rows.map(({ row }) => row), tally: await tally() };
  };

  return {
    async page(cause) {
      const { ids, line } = reading(target, (database) => {
        const open = openCauses(database);
        const found = [...open.correct, ...open.decide].find(
          ({ code, column }) => code === cause.code && column === cause.column,
        );
        return {
          ids: rowsOfCause(database, cause),
          line: found ?? { ...cause, code: cause.code as never, count: 0, example: "" },
        };
      });
      const drafts = patches();
      const { values, more } = reading(target, (database) => valuesOf(database, ids, cause.column, drafts));
      const { rows, inputs } = await judged(ids.slice(0, GRID_ROWS), drafts);
      const tables = [...inputs.values()].map((input): GridTable => {
        const own = rows.filter(({ source }) => source.input === input.id).map(({ row }) => row);
        const total = ids.filter((id) => Math.floor(id / 2 ** 32) === input.id).length;
        const header = originalColumns(input.header).map((position) => input.header[position] ?? "");
        return {
          input: input.id,
          file: basename(input.name),
          sheet: input.sheet,
          header,
          rows: own,
          total: Math.max(total, own.length),
        };
      });
      return { cause: causeLine(line), values, moreValues: more, tables, tally: await tally() };
    },

    edit: ({ label, edits }) => apply(label, edits),

    editValue({ code, column, from, to }) {
      const drafts = patches();
      const edits = reading(target, (database) => {
        const reader = createOpenRowReader(database);
        return rowsOfCause(database, { code, column }).flatMap((id): Edit[] => {
          const original = reader.cell(id, column);
          if (original !== from) return [];
          const [row] = reader.withGroup(id);
          if (row === undefined) return [];
          return [{ ref: row.ref, column, replaces: drafts.get(row.ref)?.get(column) ?? original, value: to }];
        });
      });
      const rows = edits.length === 1 ? "1 row" : `${edits.length} rows`;
      return apply(rows, edits);
    },

    undo: () => withDrafts((drafts) => drafts.undo()),
    tally,

    async write(folder, at) {
      const drafts = patches();
      const { rows, inputs } = await judged(draftedLeads(target, drafts, openLeads(target)), drafts);
      makeFolder(folder);
      const written = new Map<string, { mapping: string; files: string[]; rows: number }>();
      for (const input of inputs.values()) {
        const ready = rows.filter(({ source, row }) => source.input === input.id && row.ready);
        if (ready.length === 0) continue;
        const path = join(folder, correctedName(input, at));
        const content = ready.map(
          ({ source, cells, kinds }): RejectedRow => ({ ref: source.ref, cells, kinds, problems: [] }),
        );
        await writeRejectedFile(path, { header: input.header, dialect: input.dialect, rows: content });
        const group = written.get(input.mapping) ?? { mapping: input.mapping, files: [], rows: 0 };
        group.files.push(path);
        group.rows += ready.filter(({ isLead }) => isLead).length;
        written.set(input.mapping, group);
      }
      return [...written.values()];
    },
  };
}

export const draftPath = (target: Target): string => join(target.stateFolder, "drafts.db");

/** Drafts of rows that are no longer open go: they have landed, or were given up. How many rows are left; 0: none. */
export function keepOpenDrafts(target: Target): { rows: number; at: number | null } {
  const drafts = openDrafts(draftPath(target));
  try {
    const known = [...drafts.cells().keys()];
    if (known.length === 0) return { rows: 0, at: null };
    const open = openLeads(target);
    const settled = reading(target, (database) => {
      const reader = createOpenRowReader(database);
      return known.filter((ref) => !open.has(reader.lead(idOf(ref))));
    });
    drafts.forget(settled);
    return { rows: known.length - settled.length, at: drafts.last()?.at ?? null };
  } finally {
    drafts.close();
  }
}

/** The first rows (ids) of everything that is to be corrected. */
function openLeads(target: Target): Set<number> {
  return reading(
    target,
    (database) => new Set(openCauses(database).correct.flatMap((cause) => rowsOfCause(database, cause))),
  );
}

/** The first rows of what has a draft and is still open. */
function draftedLeads(target: Target, drafts: ReadonlyMap<string, Patch>, open: ReadonlySet<number>): number[] {
  return reading(target, (database) => leadsOf(database, drafts.keys())).filter((id) => open.has(id));
}

const idOf = (ref: string): number => parseRowReference(ref)?.row ?? rowId(0, 0);
const cellKey = ({ ref, column }: { ref: string; column: string }): string => `${ref} ${column}`;

function leadsOf(database: LedgerDatabase, refs: Iterable<string>): number[] {
  const reader = createOpenRowReader(database);
  return [...new Set([...refs].map((ref) => reader.lead(idOf(ref))))];
}

function valuesOf(
  database: LedgerDatabase,
  ids: readonly number[],
  column: string | null,
  drafts: ReadonlyMap<string, Patch>,
): { values: ValueLine[]; more: number } {
  if (column === null) return { values: [], more: 0 };
  const reader = createOpenRowReader(database);
  const found = new Map<string, { rows: number; drafts: Map<string, number> }>();
  for (const id of ids) {
    const value = reader.cell(id, column);
    if (value === null) continue;
    const line = found.get(value) ?? { rows: 0, drafts: new Map<string, number>() };
    line.rows += 1;
    const draft = drafts.get(reader.ref(id) ?? "")?.get(column);
    if (draft !== undefined && draft !== value) line.drafts.set(draft, (line.drafts.get(draft) ?? 0) + 1);
    found.set(value, line);
  }
  const lines = [...found].map(([value, { rows, drafts: texts }]): ValueLine => {
    const drafted = [...texts.values()].reduce((sum, count) => sum + count, 0);
    const [only] = texts.size === 1 && drafted === rows ? [...texts.keys()] : [];
    return { value, rows, draft: only ?? null, drafted };
  });
  const sorted = lines.toSorted((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1));
  return { values: sorted.slice(0, VALUES), more: Math.max(0, sorted.length - VALUES) };
}

/** `march.corrected-2026-11-20T0704.csv`: kept beside the ledger, so that any row can be traced to what a person typed. */
function correctedName(input: StoredInput, at: number): string {
  const { name } = parse(basename(input.name).replace(/\.(csv|tsv|txt|xlsx|xlsm)(\.\w+)?$/i, ""));
  const sheet = input.sheet === null ? "" : `.${input.sheet.replaceAll(/[^\w-]+/g, "_")}`;
  const time = new Date(at).toISOString().slice(0, 19).replaceAll(":", "");
  return `${name.replace(/\.(rejected|corrected)[^.]*$/, "")}${sheet}.corrected-${time}-${input.id}.${input.dialect.format}`;
}

interface Judged {
  source: OpenRow;
  isLead: boolean;
  /** With the draft in place, and what kinds the cells have then. */
  cells: string[];
  kinds: OpenRow["kinds"];
  row: GridRow;
}

/** Hands rows with their drafts to the mappings they came by, group by group. */
async function createJudge(inputs: ReadonlyMap<number, StoredInput>, mappings: Mappings) {
  const loaded = new Map<number, Mapping | null>();
  const failures = new Map<number, Problem>();
  for (const input of inputs.values()) {
    try {
      loaded.set(input.id, await mappings.load(input.mapping));
    } catch (error) {
      if (!(error instanceof RowferryError)) throw error;
      loaded.set(input.id, null);
      failures.set(input.id, {
        code: error.code,
        message: `${basename(input.mapping)}: ${error.message}`,
        hint: error.hint ?? null,
        column: null,
      });
    }
  }

  const problemsOf = (input: StoredInput, rows: readonly Row[]): Problem[] => {
    const failure = failures.get(input.id);
    if (failure !== undefined) return [failure];
    const reads = loaded.get(input.id)?.inputs.find(({ name }) => name === input.mappingInput);
    if (reads === undefined)
      return [
        {
          code: "mapping-reference",
          message: `The mapping has no input "${input.mappingInput}" any more.`,
          hint: null,
          column: null,
        },
      ];
    try {
      const mapper = reads.bind(input.header, { file: basename(input.name), sheet: input.sheet });
      const mapped = [...mapper.map(rows), ...mapper.end()];
      return mapped.flatMap(({ outcome }) => (outcome.fate === "invalid" ? outcome.problems : []));
    } catch (error) {
      if (!(error instanceof RowferryError)) throw error;
      return [{ code: error.code, message: error.message, hint: error.hint ?? null, column: null }];
    }
  };

  return (rows: readonly OpenRow[], drafts: ReadonlyMap<string, Patch>): Judged[] => {
    const groups = Map.groupBy(rows, ({ lead }) => lead);
    return [...groups.values()].flatMap((group) => {
      const input = inputs.get(group[0]?.input ?? 0);
      if (input === undefined) return [];
      const patched = group.map((row) => patch(row, input.header, drafts.get(row.ref)));
      const isEdited = patched.some(({ edited }) => edited);
      const now = patched.map(
        ({ cells, kinds }, at): Row => ({ number: group[at]?.row ?? 0, cells, kinds, problems: null }),
      );
      const found = isEdited ? problemsOf(input, now) : (group[0]?.problems ?? []);
      const shown = originalColumns(input.header);
      return group.map((source, at): Judged => {
        const { cells, kinds } = patched[at] ?? source;
        const draft = shown.flatMap((position, column) =>
          cells[position] === source.cells[position] ? [] : [[column, cells[position] ?? ""] as const],
        );
        const row: GridRow = {
          ref: source.ref,
          row: source.row,
          cells: shown.map((position) => source.cells[position] ?? ""),
          draft: Object.fromEntries(draft),
          problems: found.map(({ column, message, hint }) => ({ column, message, hint })),
          ready: isEdited && found.length === 0,
        };
        return { source, isLead: source.ref === source.lead, cells, kinds, row };
      });
    });
  };
}

/** A cell that is corrected is text, whatever its file had. */
function patch(row: OpenRow, header: readonly string[], changes: Patch | undefined) {
  const cells = header.map((_, position) => row.cells[position] ?? "");
  const kinds = row.kinds === null ? null : [...row.kinds];
  let edited = false;
  for (const [column, value] of changes ?? []) {
    const position = header.indexOf(column);
    if (position < 0 || cells[position] === value) continue;
    cells[position] = value;
    if (kinds !== null) kinds[position] = "text";
    edited = true;
  }
  return { cells, kinds, edited };
}

interface Mappings {
  load(path: string): Promise<Mapping>;
}

/** Each mapping is loaded once, and again when its file or one that it uses has changed. */
function createMappings(): Mappings {
  const known = new Map<string, { mapping: Mapping; stamp: string }>();
  const stampOf = (paths: readonly string[]) =>
    paths.map((path) => String(statSync(path, { throwIfNoEntry: false })?.mtimeMs)).join();
  return {
    async load(path) {
      const before = known.get(path);
      if (before !== undefined && before.stamp === stampOf([path, ...before.mapping.dependencies]))
        return before.mapping;
      const mapping = await loadMapping(path);
      known.set(path, { mapping, stamp: stampOf([path, ...mapping.dependencies]) });
      return mapping;
    },
  };
}
