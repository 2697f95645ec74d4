/** The mappings' verdict on rows with their drafts, group by group. */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { StoredInput } from "../ledger/inputs.js";
import { type Names, namesOf } from "../ledger/stage/moved-rows.js";
import type { OpenRow } from "../ledger/views/open-rows.js";
import { quoteCell } from "../map/convert/conversion-kind.js";
import { loadMapping } from "../map/load-mapping.js";
import { convertCodes } from "../model/codes/convert.js";
import { mapCodes } from "../model/codes/map.js";
import { readCodes } from "../model/codes/read.js";
import { mappingAsUsed } from "../run/stage.js";
import type { Mapping, RowMapper } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import { columnsUsed } from "../model/formula.js";
import { contentHash } from "../model/keys.js";
import type { EventRecord, MappedRow } from "../model/records.js";
import { columnName, columnPosition, originalColumns } from "../model/own-columns.js";
import { describePlace } from "../model/place.js";
import { eventKeyTwice, isTwinOfGroup, memberOf, ofMember, type Problem, rowsWithText } from "../model/problem.js";
import { type CellKind, type CellLook, type Row, shownUnit } from "../model/row.js";
import { missing } from "../model/solution.js";
import { CODE, type Drafts } from "./drafts.js";
import { forPage, problemsOnPage } from "./jobs.js";

/** Groups of rows. */
const AT_ONCE = 100;

export type Judge = ReturnType<typeof createJudge>;

export type Judged = Awaited<ReturnType<Judge["rows"]>>;

export type JudgedRow = Judged["rows"][number]["page"];

/** Keeps loaded mappings until their files change. */
export function createJudge() {
  const known = new Map<string, { mapping: Mapping; hash: string; stamp: string }>();

  const asked = new Set<string>();

  const load = async (path: string) => {
    asked.add(path);
    const before = known.get(path);
    if (before !== undefined && before.stamp === stampOf(before.mapping, path)) return before;
    const mapping = await loadMapping(path);
    const loaded = { mapping, hash: mappingAsUsed(mapping).mappingHash, stamp: stampOf(mapping, path) };
    known.set(path, loaded);
    return loaded;
  };

  /** `failure`: why its mapping cannot judge rows; then none is judged. */
  const mapper = async (input: StoredInput) => {
    try {
      const { mapping, hash } = await load(input.mapping);
      const reads = mapping.inputs.find(({ name }) => name === input.mappingInput);
      if (reads === undefined)
        throw new RowferryError("mapping-reference", `it no longer has an input "${input.mappingInput}"`, {
          hint: "Give the input that name again.",
        });
      // Rows are judged as the corrected file will have them: none is the neighbour of another.
      const bound = reads.bind([...input.header, "rowferry_row"], { file: input.name, sheet: input.sheet });
      const { zones, spell, read } = bound;
      const map = (rows: readonly Row[]) => verdict([...bound.map(rows), ...bound.end()]);
      return { failure: null, zones, spell, read, map, isNewer: hash !== input.mappingHash };
    } catch (error) {
      if (!(error instanceof RowferryError)) throw error;
      const { message, hint, place } = error;
      const where = describePlace({ ...place, file: basename(place.file ?? input.mapping) });
      const failure = { message: `${where}: ${message.split("\n", 1)[0]}`, hint: forPage(hint) };
      const spell = (_index: number, cell: string) => cell;
      return { failure, zones: [], spell, read: () => null, map: null, isNewer: false };
    }
  };

  return {
    /** Files of all mappings that were asked for. */
    files: () => [...asked].flatMap((path) => [path, ...(known.get(path)?.mapping.dependencies ?? [])]),

    /**
     * Changes whenever one of the mapping's files changes; empty: the mapping cannot be read, so no row is accepted.
     */
    stamp: (path: string): Promise<string> =>
      load(path).then(
        ({ stamp }) => stamp,
        (error: unknown) => {
          if (error instanceof RowferryError) return "";
          throw error;
        },
      ),

    /** Of an input's columns: cells as a person would type them; and what the mapping makes of a text or cell, null if it cannot read it. */
    async spelling(input: StoredInput) {
      const { spell, read } = await mapper(input);
      const at = (column: string) => columnPosition(input.header, column);
      return {
        spell: (column: string, cell: string, kind: CellKind, look: CellLook | null) =>
          spell(at(column), cell, kind, look),
        read: (column: string, text: string, kind?: CellKind, look?: CellLook | null) =>
          read(at(column), text, kind, look),
      };
    },

    /** `zones` by column: where its local times are from; null: it holds no times. */
    async rows(
      input: StoredInput,
      rows: readonly OpenRow[],
      drafts: Drafts,
      mangledKeys: (lead: string, names: readonly Names[]) => Problem[],
    ) {
      const { failure, zones, map, ...by } = await mapper(input);
      const judged: ReturnType<typeof judgeGroup> = [];
      for (const [at, group] of [...Map.groupBy(rows, ({ lead }) => lead).values()].entries()) {
        // Gives the server time to answer other requests.
        if (at % AT_ONCE === AT_ONCE - 1) await nextTurn();
        judged.push(...judgeGroup(group, input.header, drafts, map, by, mangledKeys));
      }
      return { input, zones, failure, rows: judged };
    },
  };
}

/**
 * A row that has one of these can be meant as it is; the other row of a twin is then not sent. What waits is imported
 * again: another row may have been corrected since, and brought what it refers to under another name.
 */
export const confirmable = new Set<string>([
  ...missing,
  "event-key-twice",
  "cell-rewritten",
  "key-mangled",
  "row-unchanged",
  "quote-stray",
  "line-cut",
  "row-short",
]);

/** What nothing typed elsewhere in the row answers: its reading was uncertain, or a spreadsheet has changed it. */
const ofItsOwn = new Set<string>([...Object.keys(readCodes), "row-unchanged", "cell-rewritten"]);

const mappingFinds = new Set<string>([...Object.keys(mapCodes), ...Object.keys(convertCodes)]);

const stampOf = ({ dependencies }: Mapping, path: string): string =>
  [path, ...dependencies].map((file) => String(statSync(file, { throwIfNoEntry: false })?.mtimeMs)).join();

interface Verdict {
  problems: Problem[];
  documents: string;
  names: Names[];
}

function verdict(mapped: readonly MappedRow[]): Verdict {
  const problems: Problem[] = [];
  const documents = new Set<string>();
  const names: Names[] = [];
  for (const { outcome } of mapped) {
    if (outcome.fate === "skipped") continue;
    if (outcome.fate === "invalid") problems.push(...outcome.problems);
    else problems.push(...twinsIn(outcome.records.events));
    names.push(outcome.fate === "invalid" ? namesOf(outcome.placements) : outcome.records);
    for (const { document } of outcome.fate === "invalid" ? outcome.placements : outcome.records.events)
      documents.add(`${document.kind} ${document.key}`);
  }
  return { problems, documents: [...documents].join(", "), names };
}

/** Events of one row or group that differ under one key. */
function twinsIn(events: readonly EventRecord[]): Problem[] {
  const first = new Map<string, Buffer>();
  const twin = events.find((event) => {
    const { document, event: label, key } = event;
    const [name, hash] = [JSON.stringify([document, label, key]), contentHash(event)];
    if (!first.has(name)) first.set(name, hash);
    return key.by !== "content" && first.get(name)?.equals(hash) === false;
  });
  return twin === undefined ? [] : [eventKeyTwice(twin, null)];
}

const eventsOf = (names: readonly Names[] = []): string =>
  JSON.stringify(names.flatMap(({ events }) => events.map(({ event, key, document }) => [event, key, document.key])));

/** @returns each row as a file takes it, with its draft, and as the page shows it: cells as in the file, and drafts by position */
function judgeGroup(
  group: readonly OpenRow[],
  header: readonly string[],
  drafts: Drafts,
  mapped: ((rows: readonly Row[]) => Verdict) | null,
  { spell, read, isNewer }: Pick<RowMapper, "spell" | "read"> & { isNewer: boolean },
  mangledKeys: (lead: string, names: readonly Names[]) => Problem[],
) {
  const map = (rows: readonly OpenRow[]) =>
    mapped === null
      ? null
      : mapped(
          rows.map(({ row: number, cells, kinds, looks, corrects }) => ({
            number,
            cells: [...cells],
            kinds,
            looks,
            problems: null,
            corrects,
          })),
        );
  const patched = group.map((row) => ({ before: row, file: patch(row, header, drafts) }));
  const isMeant = group.some(({ ref }) => drafts.get(ref)?.get(CODE) === "ok");
  const isEdited = isMeant || patched.some(({ file }) => file.isEdited);
  const before = group[0]?.problems ?? [];
  // Problems that another version of the mapping found.
  const isOutdated = !isEdited && isNewer && before.length > 0 && before.every(({ code }) => mappingFinds.has(code));
  const now = isEdited || isOutdated ? map(patched.map(({ file }) => file)) : null;
  const ofTyping = patched.flatMap(({ file, before: row }) => {
    const problems = [...staleFormulas(file, row.cells, header), ...lostUnits(file, row, header, read)];
    return group.length === 1 ? problems : problems.map((one) => ofMember(row.row, one));
  });
  // A key that a spreadsheet changed before is not what was typed here.
  const wasMangled = new Set(before.flatMap(({ code, hint }) => (code === "key-mangled" ? [hint] : [])));
  const mangled = now === null || isMeant || wasMangled.size === 0 ? [] : mangledKeys(group[0]?.lead ?? "", now.names);
  const edited = new Set(
    group.flatMap(({ ref }) => [...(drafts.get(ref)?.keys() ?? [])].filter((name) => name !== CODE)),
  );
  const isAnswered = ({ column }: Problem) =>
    column === null ? [...edited].some((name) => before.every((one) => one.column !== name)) : edited.has(column);
  const lasting = before.filter((problem) => {
    const { code, column } = problem;
    // Alone, it would be refused again, whatever its cells say.
    if (code === "group-interrupted") return true;
    if (code === "nul-character")
      return patched.some(({ file }) => file.cells[columnPosition(header, column ?? "")]?.includes("\0"));
    return ofItsOwn.has(code) && !isMeant && !isAnswered(problem);
  });
  const problems =
    now === null
      ? before
      : [...now.problems, ...ofTyping, ...mangled.filter(({ hint }) => wasMangled.has(hint)), ...lasting];
  const isOfGroup = problems.some((one) => one.code === "group-interrupted" || isTwinOfGroup(one));
  const isRight = now !== null && problems.length === 0;
  const ready = isRight && isEdited;
  const told = problemsOnPage(problems);
  const twin = before.find(({ code }) => code === "event-key-twice");
  const shown = originalColumns(header);
  return patched.map((own) => {
    const {
      file,
      before: { ref, lead, row, cells, kinds, looks },
    } = own;
    const draft = shown.flatMap((position, column) =>
      file.cells[position] === (cells[position] ?? "") ? [] : [[column, file.cells[position]]],
    );
    const page = {
      ref,
      /** The first row of its group; without one, itself. */
      lead,
      row,
      cells: shown.map((position) => cells[position] ?? ""),
      /** By position: what the cells are read as, where that is typed otherwise than the file has it. Asked of shown rows only. */
      get spelt(): { [position: number]: string } {
        const typed = shown.flatMap((position, column) => {
          const [cell = "", kind = "text"] = [cells[position], kinds?.[position]];
          const text = kind === "text" ? cell : spell(position, cell, kind, looks?.[position]);
          return text === cell ? [] : [[column, text] as const];
        });
        return Object.fromEntries(typed);
      },
      draft: Object.fromEntries(draft) as { [position: number]: string },
      problems: told,
      /** By position: its cells at fault. Asked of shown rows only. */
      get atFault(): number[] {
        const isMine = (position: number, { message }: Problem) =>
          memberOf(message) === row ||
          (memberOf(message) === null &&
            rowsWithText(patched, ({ file: { cells: all } }) => all[position] ?? "").includes(own));
        return shown.flatMap((position, column) => {
          const ofColumn = problems.filter(
            (one) => one.column !== null && columnPosition(header, one.column) === position,
          );
          return ofColumn.some((one) => isMine(position, one)) ? [column] : [];
        });
      },
      /** The mapping accepts it now. */
      ready,
      /** A person can say that the row is right as it is. */
      mayBeMeant: !isMeant && !isOfGroup && problems.some(({ code }) => confirmable.has(code)),
      /** So it does, as the row is, but not when it was imported: a person must say that the row is to be imported. */
      isAccepted: isRight && !isEdited,
      /** How another row contradicts it, whose content it takes the place of; null: none. Asked of shown rows only. */
      get replaces() {
        return ready && twin !== undefined && eventsOf(now.names) === eventsOf(map(group)?.names) ? twin.message : null;
      },
      /** Documents that the corrections move it to; null: unchanged. Asked of shown rows only: it maps the row as it was, too. */
      get joins() {
        return now !== null && now.documents !== "" && now.documents !== map(group)?.documents ? now.documents : null;
      },
    };
    return { file, page, names: now?.names ?? [] };
  });
}

/** A corrected cell is text, whatever its file had. */
function patch(row: OpenRow, header: readonly string[], drafts: Drafts) {
  const cells = header.map((_, position) => row.cells[position] ?? "");
  const kinds = row.kinds && [...row.kinds];
  const looks = row.looks && [...row.looks];
  let isEdited = false;
  for (const [column, value] of drafts.get(row.ref) ?? []) {
    const position = columnPosition(header, column);
    if (position < 0 || cells[position] === value) continue;
    cells[position] = value;
    if (kinds !== null) kinds[position] = "text";
    if (looks !== undefined) looks[position] = null;
    isEdited = true;
  }
  return { ...row, cells, kinds, looks, isEdited };
}

/** In a spreadsheet, a number typed over `9 t` would keep the unit of its format. */
function lostUnits(
  file: OpenRow,
  { cells, kinds, looks }: OpenRow,
  header: readonly string[],
  read: RowMapper["read"],
) {
  return file.cells.flatMap((text, position): Problem[] => {
    const unit = kinds?.[position] === "percent" ? "%" : shownUnit(looks?.[position]);
    if (unit === undefined || text === (cells[position] ?? "")) return [];
    const withUnit = `${text} ${unit}`;
    const [bare, full] = [read(position, text), read(position, withUnit)];
    if (bare === null || full === null || bare === full) return [];
    const column = columnName(header, position);
    const message = `${quoteCell(text)} has no unit, but its file shows one: ${quoteCell(unit)}`;
    return [{ code: "number-unit", column, message, hint: `Write ${quoteCell(withUnit)}, or another unit.` }];
  });
}

/** Nobody computes here: a cell whose formula uses what was corrected would keep its old value. */
function staleFormulas({ cells, looks }: OpenRow, before: readonly string[], header: readonly string[]): Problem[] {
  const changed = new Set(cells.flatMap((cell, position) => (cell === (before[position] ?? "") ? [] : [position])));
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
    column: columnName(header, position),
    message: "the file computes this cell from what you corrected",
    hint: "Type the new value; or correct the row in the rejected workbook, which computes it.",
  }));
}
