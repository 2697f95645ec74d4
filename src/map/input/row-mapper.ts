/** Rows to records: one row, or one group of rows, at a time; whole, or not at all with every problem named. */
import type { Code } from "../../model/codes.js";
import { quoteCell } from "../convert/refuse.js";
import type { MappedRow, Placement } from "../../model/mapped-row.js";
import type { Problem } from "../../model/problem.js";
import type { Records } from "../../model/records.js";
import type { Row } from "../../model/row.js";
import type { RowMapper } from "../mapping.js";
import { asText, type View } from "../column/view.js";
import { foldName, shorten } from "../fold.js";
import { didYouMean } from "../nearest.js";
import type { Build, Made } from "../record/context.js";
import type { EventPart } from "../record/events.js";
import { shareLatest, shareMany } from "../record/memo.js";
import type { RecordContext } from "../record/context.js";
import type { compileCondition, compileKey, compileValue } from "../record/values.js";
import type { Cells } from "../column/cells.js";
import type { Column } from "../formula/part.js";

/** Everything that one input's rows yield. */
export interface InputParts {
  skip: ReturnType<typeof compileCondition>;
  rowId: ReturnType<typeof compileValue>;
  group: ReturnType<typeof compileKey>;
  participants: NonNullable<ReturnType<RecordContext["participants"]["get"]>>[];
  addresses: NonNullable<ReturnType<RecordContext["addresses"]["get"]>>[];
  documents: NonNullable<ReturnType<RecordContext["documents"]["get"]>>[];
  events: EventPart[];
  /** Columns that say which event a row is, with the words that events claim; null: every word is claimed. */
  dispatch: { column: Column; words: ReadonlyMap<string, string> | null }[];
  /** Whether a row in which no event happens is staged all the same. */
  rowsWithoutEvents: boolean;
  cells: Cells;
}

const NO_WARNINGS: Problem[] = [];
const NO_PROBLEMS: readonly Problem[] = [];
const NO_ROWS: number[] = [];
/** What readers say of rows whose cells may stand under the wrong headers. */
const SHAPELESS: ReadonlySet<Code> = new Set<Code>(["row-short", "row-long", "quote-stray", "line-cut"]);
/** A group of more rows would be held in memory as a whole. */
const MAX_GROUP = 100_000;

export function bindRowMapper(parts: InputParts, view: View): Omit<RowMapper, "unmapped"> {
  const { header } = view;
  const skips = parts.skip?.holds;
  const skipReason = parts.skip?.words ?? "";
  const readRowId = parts.rowId?.run;
  const readGroup = parts.group?.run;
  const participants = parts.participants.map(({ reads, build }) => shareMany(reads, view, build));
  const addresses = parts.addresses.map(({ reads, build }) => shareMany(reads, view, build));
  const documents = parts.documents.map((part) => ({ ...part, build: shareLatest(part.reads, view, part.build) }));
  const { events } = parts;
  const sumsUp = events.some(({ eachRow, byContent }) => byContent && !eachRow);
  const eventless = noEvent(events, view);
  let open: { key: string; rows: Row[]; problems: readonly Problem[] } | null = null;
  /** What is wrong with a group that begins here: the row right before it may belong to it. */
  let beside: readonly Problem[] = NO_PROBLEMS;

  const made: Made = { participants: [], addresses: [], documents: [] };

  /** Of a row of another width, a footer perhaps: whether it says anything where `skip` looks. One that was cut says nothing for sure. */
  const skipsBy = [...(parts.skip?.reads.columns ?? [])].map(({ slot }) => view.index[slot] ?? -1);
  const mayBeSkipped = (row: Row, problems: readonly Problem[]): boolean =>
    problems.length === 0 ||
    (problems.every(({ code }) => code === "row-short" || code === "row-long") &&
      skipsBy.some((at) => (row.cells[at] ?? "").trim() !== ""));

  /** `rows`: those of a group of several; null: `first` alone. `problems`: what is wrong beside what the cells say. */
  const mapOne = (rows: readonly Row[] | null, first: Row, problems = NO_PROBLEMS): MappedRow => {
    if (first.leftOut !== undefined) return skippedRow(first, first.leftOut);
    view.look(first, rows);
    view.problems.push(...problems);
    const row = first.number;
    const alsoRows = rows === null ? NO_ROWS : rows.slice(1).map((member) => member.number);
    if (rows !== null) for (const member of rows) view.problems.push(...(member.problems ?? []));
    else if (first.problems !== null) view.problems.push(...first.problems);
    if (skips !== undefined && mayBeSkipped(first, view.problems) && skips(view) === true) {
      return { row, alsoRows, rowId: null, outcome: { fate: "skipped", reason: skipReason } };
    }
    const rowId = readRowId?.(view);
    const records: Records = { participants: [], addresses: [], documents: [], events: [] };
    make(participants, made.participants, ({ record }) => records.participants.push(record));
    make(addresses, made.addresses, ({ record }) => records.addresses.push(record));
    const builds = documents.map(({ build }) => build);
    make(builds, made.documents, (record) => records.documents.push(record));
    let happens = parts.rowsWithoutEvents || events.length === 0;
    const own = new Set<number>();
    for (const event of events) {
      if (event.eachRow && view.members !== null) {
        view.eachMember((number) => {
          if (addEvent(event.build, made, records)) own.add(number);
        });
      } else if (addEvent(event.build, made, records)) happens = true;
    }
    if (!parts.rowsWithoutEvents && events.length > 0) happens = unclaimed() ? true : happens;
    if (!happens) reportEventless(own);
    const id = rowId == null ? null : String(rowId);
    if (view.problems.length === 0)
      return {
        row,
        alsoRows,
        rowId: id,
        outcome: { fate: "valid", records, warnings: replaced(rows ?? [first], header) },
      };
    const found = withoutRepeats(view.problems);
    return { row, alsoRows, rowId: id, outcome: { fate: "invalid", problems: found, placements: placements(found) } };
  };

  function make<T>(builds: readonly Build<T>[], into: (T | undefined | null)[], keep: (record: T) => void): void {
    into.length = 0;
    for (const build of builds) {
      const record = build(view, made);
      into.push(record);
      if (record != null) keep(record);
    }
  }

  /** Whether it happens in this row, be it with mistakes. */
  function addEvent(build: EventPart["build"], records: Made, into: Records): boolean {
    const event = build(view, records);
    if (event != null) into.events.push(event);
    return event !== undefined;
  }

  /** Reports words that should say which event a row is, and that no event claims: they may be misspelt. */
  const unclaimed = (): boolean => {
    const before = view.problems.length;
    const visit = () => {
      for (const { column, words } of parts.dispatch) {
        const value = words === null ? undefined : column.read(view);
        if (value == null || words?.has(foldName(asText(value, column.type))) === true) continue;
        if (view.problems.some(({ code }) => SHAPELESS.has(code))) continue;
        const word = asText(value, column.type);
        const known = [...(words?.values() ?? [])];
        const message = `${JSON.stringify(shorten(word))} is the word of no event; they are ${known.slice(0, SHOWN).join(", ")}${known.length > SHOWN ? " …" : ""}`;
        const hint =
          `${didYouMean(word, known).trim()} Correct the cell, add the word to an event's \`is\`, or skip such rows with \`skip\`.`.trim();
        view.report("no-event", message, hint, view.index[column.slot] ?? -1);
      }
    };
    if (view.members === null || events.some(({ eachRow }) => !eachRow)) visit();
    else view.eachMember(visit);
    return view.problems.length > before;
  };

  /** `own`: the rows of a group that have events of their own. A row whose cells may be misplaced has been reported for that. */
  const reportEventless = (own: ReadonlySet<number>): void => {
    if (own.size === 0 && !view.problems.some(({ code }) => SHAPELESS.has(code))) view.problems.push(eventless);
    if (own.size === 0 || view.members === null) return;
    view.eachMember((number) => {
      if (!own.has(number)) view.problems.push(eventless);
    });
  };

  const placements = (problems: readonly Problem[]): Placement[] => {
    view.problems = [];
    // Cells of a row of the wrong shape may stand under the wrong headers: only its documents are believed.
    const shapeless = view.members === null && problems.some((problem) => SHAPELESS.has(problem.code));
    const found: Placement[] = [];
    for (const event of events) {
      const add = (placement: Placement | null) => {
        if (placement !== null)
          found.push(shapeless ? { ...placement, event: null, keyParts: null, at: null } : placement);
      };
      if (event.eachRow && view.members !== null) view.eachMember(() => add(event.place(view, made)));
      else add(event.place(view, made));
    }
    for (const [position, document] of documents.entries()) {
      const record = made.documents[position];
      if (record === undefined) continue;
      const key = record === null ? document.key(view) : record.key;
      const placed = found.some(
        (placement) => placement.document.kind === document.kind && placement.document.key === key,
      );
      if (key !== null && !placed)
        found.push({ document: { kind: document.kind, key }, event: null, keyParts: null, at: null });
    }
    return found;
  };

  const close = (after = NO_PROBLEMS): MappedRow[] => {
    const { rows, problems, key } = open ?? { rows: [], problems: NO_PROBLEMS, key: null };
    const [first] = rows;
    open = null;
    if (first === undefined) return [];
    const mapped = mapOne(rows.length > 1 ? rows : null, first, [...problems, ...after]);
    return [sumsUp ? { ...mapped, group: key } : mapped];
  };

  /**
   * A row whose group cannot be told stands alone, and is invalid for that. So are the groups beside it: it may belong to
   * either, and what they say without it would land as if it were whole (P3).
   */
  const mapGrouped = (rows: readonly Row[], read: NonNullable<typeof readGroup>): MappedRow[] => {
    const mapped: MappedRow[] = [];
    for (const row of rows) {
      if (row.leftOut !== undefined) {
        mapped.push(skippedRow(row, row.leftOut));
        continue;
      }
      view.look(row, null);
      if (skips !== undefined && mayBeSkipped(row, row.problems ?? NO_PROBLEMS) && skips(view) === true) {
        beside = NO_PROBLEMS;
        mapped.push(...close(), skippedRow(row, skipReason));
        continue;
      }
      const key = read(view)?.join("\u0000") ?? null;
      if (key !== null && open !== null && open.key === key && open.rows.length >= MAX_GROUP) {
        // The rest of it would be a group of its own, and say half of what it means.
        const message = `the group has more than ${MAX_GROUP} rows`;
        beside = [{ code: "group-unclear", message, hint: "Group by what tells fewer rows apart.", column: null }];
        mapped.push(...close(beside));
        open = { key, rows: [row], problems: beside };
      } else if (key === null) {
        const { problems } = view;
        beside = [groupUnclear(row.number)];
        mapped.push(...close(beside), mapOne(null, row, problems));
      } else if (open !== null && open.key === key) {
        open.rows.push(row);
      } else {
        mapped.push(...close());
        open = { key, rows: [row], problems: beside };
        beside = NO_PROBLEMS;
      }
    }
    return mapped;
  };

  return {
    map: (rows) => (readGroup === undefined ? rows.map((row) => mapOne(null, row)) : mapGrouped(rows, readGroup)),
    end() {
      beside = NO_PROBLEMS;
      return close();
    },
  };
}

function skippedRow({ number }: Row, reason: string): MappedRow {
  return { row: number, alsoRows: NO_ROWS, rowId: null, outcome: { fate: "skipped", reason } };
}

/** What the file itself holds in the place of letters that some program could not read. */
function replaced(rows: readonly Row[], header: readonly string[]): Problem[] {
  let warnings = NO_WARNINGS;
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) {
      if (!cell.includes("\uFFFD")) continue;
      const message = `${quoteCell(cell)} holds the character that stands for letters which some program could not read`;
      const hint = "Correct the cell where the file comes from; it is sent as it stands.";
      warnings = [...warnings, { code: "text-replaced", message, hint, column: header[index] ?? null }];
    }
  }
  return warnings;
}

function groupUnclear(row: number): Problem {
  const message = `row ${row} beside it may belong to the same group, which cannot be told of that row`;
  return { code: "group-unclear", message, hint: null, column: null };
}

/** Conditions that are written out; the rest are counted. */
const SHOWN = 8;

/** What is said of a row in which none of its input's events happens: it would otherwise be lost in silence (P7). The column is named where all conditions read the same one. */
function noEvent(events: readonly EventPart[], { header, index }: View): Problem {
  const conditions = events.map(({ event, happens }) => `${event} when ${shorten(happens?.words ?? "")}`);
  const more = conditions.length - SHOWN;
  if (more > 0) conditions.splice(SHOWN, more, `${more} more`);
  const columns = new Set(events.flatMap(({ happens }) => [...(happens?.reads.columns ?? [])]));
  const [only] = columns;
  return {
    code: "no-event",
    message: `none of the input's events happens in this row: ${conditions.join("; ")}`,
    hint: "Correct the cells that decide it, skip such rows with `skip`, or write `rowsWithoutEvents: allow` in the input.",
    column: columns.size === 1 && only !== undefined ? (header[index[only.slot] ?? -1] ?? null) : null,
  };
}

/** One mistake in a cell is said once, although several records may read the cell. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const name = `${problem.code}\u0000${problem.column ?? ""}\u0000${problem.message}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
