/** The mappings' verdict on rows with their drafts, group by group. */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { StoredInput } from "../ledger/inputs.js";
import type { OpenRow } from "../ledger/views/open-rows.js";
import { loadMapping } from "../map/load-mapping.js";
import type { Mapping } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import type { MappedRow } from "../model/mapped-row.js";
import type { Problem } from "../model/problem.js";
import type { Row } from "../model/row.js";
import { columnsUsed } from "../model/formula.js";
import { originalColumns } from "../report/rejected-row.js";
import type { GridRow } from "./api.js";

/** Groups of rows. */
const AT_ONCE = 100;

export interface Judged {
  source: OpenRow;
  isLead: boolean;
  /** With the draft, and the resulting kinds. */
  cells: string[];
  kinds: OpenRow["kinds"];
  looks: OpenRow["looks"];
  row: GridRow;
}

/** By header. */
export type Patch = ReadonlyMap<string, string>;

export interface JudgedInput {
  input: StoredInput;
  /** By column: where its local times are from; null: it holds no times, or the mapping cannot be read. */
  zones: (string | null)[];
  rows: Judged[];
}

/** Keeps loaded mappings until their files change. */
export function createJudge() {
  const known = new Map<string, { mapping: Mapping; stamp: string }>();

  const load = async (path: string) => {
    const before = known.get(path);
    if (before !== undefined && before.stamp === stampOf(before.mapping, path)) return before;
    const mapping = await loadMapping(path);
    const loaded = { mapping, stamp: stampOf(mapping, path) };
    known.set(path, loaded);
    return loaded;
  };

  return {
    /** Of the mapping's files; empty: it cannot be read, and accepts no row. */
    stamp: (path: string): Promise<string> =>
      load(path).then(
        ({ stamp }) => stamp,
        (error: unknown) => {
          if (error instanceof RowferryError) return "";
          throw error;
        },
      ),

    async rows(input: StoredInput, rows: readonly OpenRow[], drafts: ReadonlyMap<string, Patch>): Promise<JudgedInput> {
      const { zones, map } = await mapper(input, async (path) => (await load(path)).mapping);
      const groups = [...Map.groupBy(rows, ({ lead }) => lead).values()];
      const judged: Judged[] = [];
      for (const [at, group] of groups.entries()) {
        // Others are answered meanwhile.
        if (at % AT_ONCE === AT_ONCE - 1) await nextTurn();
        judged.push(...judgeGroup(group, input, drafts, map));
      }
      return { input, zones, rows: judged };
    },
  };
}

const stampOf = ({ dependencies }: Mapping, path: string): string =>
  [path, ...dependencies].map((file) => String(statSync(file, { throwIfNoEntry: false })?.mtimeMs)).join();

interface Mapper {
  zones: (string | null)[];
  map(rows: readonly Row[]): { problems: Problem[]; documents: string };
}

async function mapper(input: StoredInput, load: (path: string) => Promise<Mapping>): Promise<Mapper> {
  const failed = (code: Problem["code"], message: string, hint: string | null = null): Mapper => {
    const problems = [{ code, message, hint, column: null }];
    return { zones: [], map: () => ({ problems, documents: "" }) };
  };
  const where = { file: basename(input.name), sheet: input.sheet };
  try {
    const reads = (await load(input.mapping)).inputs.find(({ name }) => name === input.mappingInput);
    if (reads === undefined)
      return failed("mapping-reference", `The mapping has no input "${input.mappingInput}" any more.`);
    const bound = reads.bind(input.header, where);
    return {
      zones: bound.zones,
      map(rows) {
        const mapped = [...bound.map(rows), ...bound.end()];
        const problems = mapped.flatMap(({ outcome }) => (outcome.fate === "invalid" ? outcome.problems : []));
        return { problems, documents: [...new Set(mapped.flatMap(documentsOf))].join(", ") };
      },
    };
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    return failed(error.code, `${basename(input.mapping)}: ${error.message}`, error.hint ?? null);
  }
}

function documentsOf({ outcome }: MappedRow): string[] {
  const found =
    outcome.fate === "valid" ? outcome.records.events : outcome.fate === "invalid" ? outcome.placements : [];
  return found.map(({ document: { kind, key } }) => `${kind} ${key}`);
}

function judgeGroup(
  group: readonly OpenRow[],
  input: StoredInput,
  drafts: ReadonlyMap<string, Patch>,
  mapped: Mapper["map"],
): Judged[] {
  const rowsOf = (rows: readonly Pick<OpenRow, "cells" | "kinds">[]) =>
    rows.map(
      ({ cells, kinds }, at): Row => ({ number: group[at]?.row ?? 0, cells: [...cells], kinds, problems: null }),
    );
  const patched = group.map((row) => patch(row, input.header, drafts.get(row.ref)));
  const isEdited = patched.some(({ edited }) => edited);
  const now = isEdited ? mapped(rowsOf(patched)) : null;
  const stale = patched.flatMap((row, at) => staleFormulas(row, group[at]?.cells ?? [], input.header));
  const problems = now === null ? (group[0]?.problems ?? []) : [...now.problems, ...stale];
  const moves = () => now !== null && now.documents !== "" && now.documents !== mapped(rowsOf(group)).documents;
  const shown = originalColumns(input.header);
  return group.map((source, at): Judged => {
    const { cells, kinds, looks } = patched[at] ?? source;
    const draft = shown.flatMap((position, column) =>
      cells[position] === source.cells[position] ? [] : [[column, cells[position] ?? ""] as const],
    );
    const row: GridRow = {
      ref: source.ref,
      lead: source.lead,
      row: source.row,
      cells: shown.map((position) => source.cells[position] ?? ""),
      draft: Object.fromEntries(draft),
      problems: problems.map(({ column, message, hint }) => ({ column, message, hint })),
      ready: isEdited && problems.length === 0,
      // Only for rows that are shown: it maps the row as it was, too.
      get joins() {
        return moves() ? (now?.documents ?? null) : null;
      },
    };
    return { source, isLead: source.ref === source.lead, cells, kinds, looks, row };
  });
}

/** A corrected cell is text, whatever its file had. */
function patch(row: OpenRow, header: readonly string[], changes: Patch | undefined) {
  const cells = header.map((_, position) => row.cells[position] ?? "");
  const kinds = row.kinds === null ? null : [...row.kinds];
  const looks = row.looks === null ? null : [...row.looks];
  let edited = false;
  for (const [column, value] of changes ?? []) {
    const position = header.indexOf(column);
    if (position < 0 || cells[position] === value) continue;
    cells[position] = value;
    if (kinds !== null) kinds[position] = "text";
    if (looks !== null) looks[position] = null;
    edited = true;
  }
  return { cells, kinds, looks, edited };
}

/** Nobody computes here: a cell whose formula uses what was corrected would keep its old value. */
function staleFormulas(
  { cells, looks }: Pick<Judged, "cells" | "looks">,
  before: readonly string[],
  header: readonly string[],
): Problem[] {
  const changed = new Set(cells.flatMap((cell, position) => (cell === before[position] ? [] : [position])));
  const formulas = (looks ?? []).flatMap((look, position) =>
    typeof look?.formula === "string" ? [{ position, uses: columnsUsed(look.formula, header) }] : [],
  );
  const stale = new Set<number>();
  // A formula may use another one.
  for (const _ of formulas)
    for (const { position, uses } of formulas)
      if ([...uses].some((column) => changed.has(column) || stale.has(column))) stale.add(position);
  return [...stale].map((position) => ({
    code: "formula-without-value",
    column: header[position] ?? null,
    message: "Its file computes this cell from what you corrected.",
    hint: "Type its new value; or correct the row in the rejected workbook, which computes it.",
  }));
}
