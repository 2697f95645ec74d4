/**
 * Corrections in the browser: the rows of a file, their drafts, and the mapping's verdict. An import uses a file of its
 * own, like a corrected rejected file.
 */
import { existsSync } from "node:fs";
import { basename, join, parse } from "node:path";
import { reading } from "../desk/access.js";
import { type Drafts, type Edit, openDrafts } from "../ledger/drafts.js";
import type { StoredInput } from "../ledger/inputs.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { describeRow, inputOf, parseRowReference, rowId } from "../ledger/rows.js";
import { type Cause, type CauseName, rowsOfCause, rowsToCorrect } from "../ledger/views/causes.js";
import { createOpenRowReader, type OpenRow } from "../ledger/views/open-rows.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { isReferenceColumn } from "../read/corrected.js";
import { openInput } from "../read/open-input.js";
import { makeFolder } from "../report/atomic-file.js";
import { type RejectedRow, writeRejectedFile } from "../report/rejected-file.js";
import { originalColumns } from "../report/rejected-row.js";
import type { CausePage, EditAnswer, GridTable, Tally, TryAnswer, ValueEdit, ValueLine } from "./api.js";
import { createJudge, type Judged, type JudgedInput, type Patch } from "./judge.js";
import { causeLine, noCause } from "./overview.js";

/** The values above the grid cover all rows. */
const GRID_ROWS = 5000;
const VALUES = 200;
/** Judged while a person types. */
const TRIED_ROWS = 100;

interface Draft {
  /** By row reference and header. */
  cells: ReadonlyMap<string, Patch>;
  /** The step that `undo` takes back; null: none. */
  last: { label: string; at: number } | null;
}

export function createCorrections(target: Target, now: () => number) {
  const judge = createJudge();

  const judged = async (ids: readonly number[], drafts: ReadonlyMap<string, Patch>): Promise<JudgedInput[]> => {
    const found: JudgedInput[] = [];
    for (const [input, rows] of readGroups(target, ids)) found.push(await judge.rows(input, rows, drafts));
    return found;
  };

  /** By first row, draft and mapping, of the present drafts: judging thousands of rows takes seconds. */
  let verdicts = new Map<string, boolean>();

  const countReady = async (): Promise<Tally> => {
    const { cells, last } = draftOf(target);
    const { open, groups, mappings } = reading(target, (database) => {
      const reader = createOpenRowReader(database);
      const found = [...draftedGroups(database, cells).open];
      const inputs = new Set(found.map(([lead]) => inputOf(lead)));
      return {
        open: rowsToCorrect(database).size,
        groups: found,
        mappings: [...inputs].map((id) => [id, reader.input(id)?.mapping ?? ""] as const),
      };
    });
    const stamps = new Map<number, string>();
    for (const [id, mapping] of mappings) stamps.set(id, await judge.stamp(mapping));
    const keys = groups.map(([lead, refs]) => {
      const draft = refs.map((ref) => [ref, ...(cells.get(ref) ?? [])]);
      return { lead, key: JSON.stringify([lead, stamps.get(inputOf(lead)), draft]) };
    });
    const before = verdicts;
    const found = await judged(
      keys.filter(({ key }) => !before.has(key)).map(({ lead }) => lead),
      cells,
    );
    const accepted = new Set(found.flatMap(({ rows }) => rows.filter(isReady).map(({ source }) => idOf(source.ref))));
    verdicts = new Map(keys.map(({ lead, key }) => [key, before.get(key) ?? accepted.has(lead)]));
    const ready = [...verdicts.values()].filter(Boolean).length;
    return { rows: open, ready, left: open - ready, undo: last?.label ?? null };
  };
  let counting: Promise<unknown> = Promise.resolve();

  /** Those of an empty code: with a draft. */
  const idsOf = (database: LedgerDatabase, cause: CauseName, drafts: ReadonlyMap<string, Patch>): number[] => {
    if (cause.code !== "") return rowsOfCause(database, cause);
    return [...draftedGroups(database, drafts).open.keys()];
  };

  const editsOf = ({ from, to, ...cause }: ValueEdit, most = Number.POSITIVE_INFINITY): Edit[] => {
    const drafts = draftOf(target).cells;
    return reading(target, (database) => {
      const reader = createOpenRowReader(database);
      const edits: Edit[] = [];
      const { column } = cause;
      for (const id of rowsOfCause(database, cause)) {
        if (edits.length >= most) break;
        const ref = reader.ref(id);
        if (ref === null || reader.cell(id, column) !== from) continue;
        edits.push({ ref, column, replaces: drafts.get(ref)?.get(column) ?? from, value: to });
      }
      return edits;
    });
  };

  const apply = (label: string, edits: readonly Edit[], stored: (edit: Edit) => string | null): EditAnswer => ({
    conflicts: changing(target, (drafts) => drafts.apply(label, edits, stored, now())),
  });

  const applyNamed = (label: string, edits: readonly Edit[]): EditAnswer => {
    const original = reading(target, (database) => {
      const reader = createOpenRowReader(database);
      return new Map(edits.map((edit) => [edit, reader.cell(idOf(edit.ref), edit.column)]));
    });
    for (const [{ ref, column }, text] of original)
      if (text === null)
        throw new RowferryError("usage", `Row ${ref} is no longer open, or has no column "${column}".`, {
          hint: "Load the page again.",
        });
    return apply(label, edits, (edit) => original.get(edit) ?? null);
  };

  return {
    /** One after another, since the second finds what the first has judged. */
    tally(): Promise<Tally> {
      const counted = counting.then(countReady, countReady);
      counting = counted;
      return counted;
    },

    page(cause: CauseName): CausePage {
      const draft = draftOf(target);
      return reading(target, (database) => {
        const ids = idsOf(database, cause, draft.cells);
        const [first = null] = ids;
        const what =
          first === null ? "" : (createOpenRowReader(database).withGroup(first)[0]?.problems[0]?.message ?? "");
        const line: Cause = {
          ...noCause(cause),
          count: ids.length,
          what,
          place: first === null ? "" : describeRow(database, first),
        };
        return { cause: causeLine(line), ...valuesOf(database, ids, cause.column, draft.cells) };
      });
    },

    /** The first rows of the cause. */
    async grid(cause: CauseName): Promise<GridTable[]> {
      const { cells } = draftOf(target);
      const ids = reading(target, (database) => idsOf(database, cause, cells));
      const totals = Map.groupBy(ids, inputOf);
      const shown = await judged(ids.slice(0, GRID_ROWS), cells);
      return shown.map(({ input, zones, rows }) => {
        const own = rows.map(({ row }) => row);
        const columns = originalColumns(input.header);
        return {
          input: input.id,
          file: basename(input.name),
          sheet: input.sheet,
          header: columns.map((position) => input.header[position] ?? ""),
          zones: columns.map((position) => zones[position] ?? null),
          rows: own,
          total: Math.max(totals.get(input.id)?.length ?? 0, own.length),
          download: fileName(input, "to-correct"),
        };
      });
    },

    edit: ({ label, edits }: { label: string; edits: readonly Edit[] }) => applyNamed(label, edits),

    /** For every row of the cause with this text. */
    editValue(edit: ValueEdit): EditAnswer {
      const edits = editsOf(edit);
      return apply(edits.length === 1 ? "1 row" : `${edits.length} rows`, edits, () => edit.from);
    },

    /** Saves nothing. */
    async tryValue(edit: ValueEdit): Promise<TryAnswer> {
      const edits = editsOf(edit, TRIED_ROWS);
      const cells = new Map(draftOf(target).cells);
      for (const { ref, column, value } of edits) cells.set(ref, new Map([...(cells.get(ref) ?? []), [column, value]]));
      const refs = edits.map(({ ref }) => ref);
      const leads = reading(target, (database) => leadsOf(database, refs));
      const tried = (await judged(leads, cells)).flatMap(({ rows }) => rows);
      return { rows: tried.filter(({ source }) => refs.includes(source.ref)).map(({ row }) => row) };
    },

    undo: (): string | null => (existsSync(draftPath(target)) ? changing(target, (drafts) => drafts.undo()) : null),

    /** The cause's rows of one input, with their drafts, as a rejected file in `folder`. @returns its path */
    async save(folder: string, cause: CauseName, input: number): Promise<string> {
      const { cells: drafts } = draftOf(target);
      const found = reading(target, (database) => idsOf(database, cause, drafts));
      const [only] = await judged(
        found.filter((id) => inputOf(id) === input),
        drafts,
      );
      if (only === undefined) throw new RowferryError("usage", "Nothing of this is left.");
      const path = join(folder, fileName(only.input, "to-correct"));
      await writeRejectedFile(path, {
        ...only.input,
        rows: only.rows.map(({ source, cells, kinds, looks }): RejectedRow => ({ ...source, cells, kinds, looks })),
      });
      return path;
    },

    /** Takes the differences of a file with the column `rowferry_row` as one step. @throws RowferryError `file-*`, `usage` */
    async take(path: string): Promise<EditAnswer> {
      const drafts = draftOf(target).cells;
      const found = await readReferences(path);
      const edits = reading(target, (database) => {
        const reader = createOpenRowReader(database);
        const ours = found.filter(({ ref }) => reader.ref(idOf(ref)) === ref);
        return ours.flatMap(({ ref, cells }) =>
          [...cells].flatMap(([column, value]): Edit[] => {
            const replaces = drafts.get(ref)?.get(column) ?? reader.cell(idOf(ref), column);
            return replaces === null || replaces === value ? [] : [{ ref, column, replaces, value }];
          }),
        );
      });
      return applyNamed(`${basename(path)}, ${edits.length === 1 ? "1 cell" : `${edits.length} cells`}`, edits);
    },

    /** Writes corrected, valid rows: a file for each input, by mapping. Empty: none. */
    async write(folder: string, at: number) {
      const { cells: drafts } = draftOf(target);
      const leads = reading(target, (database) => idsOf(database, { code: "", column: null, mistake: null }, drafts));
      makeFolder(folder);
      const written = new Map<string, { mapping: string; files: string[]; rows: number }>();
      for (const { input, rows } of await judged(leads, drafts)) {
        const ready = rows.filter(({ row }) => row.ready);
        if (ready.length === 0) continue;
        const time = new Date(at).toISOString().slice(0, 19).replaceAll(":", "");
        const path = join(folder, fileName(input, `corrected-${time}-${input.id}`));
        await writeRejectedFile(path, {
          ...input,
          rows: ready.map(({ source, cells, kinds }): RejectedRow => ({ ref: source.ref, cells, kinds, problems: [] })),
        });
        const group = written.get(input.mapping) ?? { mapping: input.mapping, files: [], rows: 0 };
        group.files.push(path);
        group.rows += ready.filter(isReady).length;
        written.set(input.mapping, group);
      }
      return [...written.values()];
    },
  };
}

const isReady = ({ isLead, row }: Judged): boolean => isLead && row.ready;

const draftPath = (target: Target): string => join(target.stateFolder, "drafts.db");

function changing<Result>(target: Target, work: (drafts: Drafts) => Result): Result {
  const drafts = openDrafts(draftPath(target));
  try {
    return work(drafts);
  } finally {
    drafts.close();
  }
}

/** Looking creates no file. */
function draftOf(target: Target): Draft {
  if (!existsSync(draftPath(target))) return { cells: new Map(), last: null };
  return changing(target, (drafts) => ({ cells: drafts.cells(), last: drafts.last() }));
}

/** Removes drafts of rows that landed or were given up. @returns the others; null: none */
export function keepOpenDrafts(target: Target): { rows: number; at: string } | null {
  const { cells, last } = draftOf(target);
  if (last === null) return null;
  const { open, settled } = reading(target, (database) => draftedGroups(database, cells));
  if (settled.length > 0) changing(target, (drafts) => drafts.forget(settled));
  const rows = [...open.values()].flat().length;
  return rows === 0 ? null : { rows, at: new Date(last.at).toISOString() };
}

/**
 * Edited rows that can still be corrected, by the first one of their group. Rows of another ledger, or of files that one
 * put back from before does not know, are neither open nor settled.
 */
function draftedGroups(database: LedgerDatabase, cells: Draft["cells"]) {
  const reader = createOpenRowReader(database);
  const toCorrect = rowsToCorrect(database);
  const open = new Map<number, string[]>();
  const settled: string[] = [];
  for (const ref of cells.keys()) {
    if (reader.ref(idOf(ref)) !== ref) continue;
    const lead = reader.lead(idOf(ref));
    if (toCorrect.has(lead)) open.set(lead, [...(open.get(lead) ?? []), ref]);
    else settled.push(ref);
  }
  return { open, settled };
}

function readGroups(target: Target, ids: readonly number[]): [StoredInput, OpenRow[]][] {
  return reading(target, (database) => {
    const reader = createOpenRowReader(database);
    const found = Map.groupBy(
      ids.flatMap((id) => reader.withGroup(id)),
      (row) => reader.input(row.input),
    );
    return [...found].flatMap(([input, rows]) => (input === null ? [] : [[input, rows]]));
  });
}

async function readReferences(path: string): Promise<{ ref: string; cells: Map<string, string> }[]> {
  const input = await openInput(path);
  try {
    const { header, rows } = await input.open({});
    const own = header.findIndex(isReferenceColumn);
    if (own === -1)
      throw new RowferryError(
        "usage",
        `${basename(path)} has no column rowferry_row, which names the row of each line.`,
        {
          hint: "Download the rows here, correct them, and upload that file.",
        },
      );
    const shown = originalColumns(header);
    const found: { ref: string; cells: Map<string, string> }[] = [];
    for await (const batch of rows())
      for (const { cells } of batch)
        found.push({
          ref: (cells[own] ?? "").trim(),
          cells: new Map(shown.map((position) => [header[position] ?? "", cells[position] ?? ""])),
        });
    return found;
  } finally {
    await input.close();
  }
}

const idOf = (ref: string): number => parseRowReference(ref)?.row ?? rowId(0, 0);

function leadsOf(database: LedgerDatabase, refs: Iterable<string>): number[] {
  const reader = createOpenRowReader(database);
  return [...new Set([...refs].map((ref) => reader.lead(idOf(ref))))];
}

function valuesOf(
  database: LedgerDatabase,
  ids: readonly number[],
  column: string | null,
  drafts: ReadonlyMap<string, Patch>,
): Pick<CausePage, "values" | "moreValues"> {
  if (column === null) return { values: [], moreValues: 0 };
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
  return { values: sorted.slice(0, VALUES), moreValues: Math.max(0, sorted.length - VALUES) };
}

/**
 * `march.corrected-2026-11-20T0704.csv`, kept beside the ledger, so that a row can be traced to what a person typed.
 */
function fileName(input: StoredInput, what: string): string {
  const { name } = parse(basename(input.name).replace(/\.(csv|tsv|txt|xlsx|xlsm)(\.\w+)?$/i, ""));
  const sheet = input.sheet === null ? "" : `.${input.sheet.replaceAll(/[^\w-]+/g, "_")}`;
  return `${name.replace(/\.(rejected|corrected)[^.]*$/, "")}${sheet}.${what}.${input.dialect.format}`;
}
