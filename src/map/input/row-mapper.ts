/** Maps one row or group at a time to records: all of them, or none with every problem named. */
import type { Code } from "../../model/codes.js";
import { inUtc } from "../../model/clock.js";
import { joinKey } from "../../model/keys.js";
import { columnName } from "../../model/own-columns.js";
import { type Problem, problem } from "../../model/problem.js";
import type { DocumentRecord, EventRecord, MappedRow, Placement, PromisedParty } from "../../model/records.js";
import type { Row } from "../../model/row.js";
import { asText, type Maybe, type View } from "../column/view.js";
import { quoteCell } from "../convert/conversion-kind.js";
import { foldName, listed, shorten } from "../../model/fold.js";
import type { RowMapper } from "../mapping.js";
import { didYouMean } from "../nearest.js";
import type { EventPart } from "../record/events.js";
import {
  CALLED,
  type Column,
  type Condition,
  merged,
  onlyColumn,
  type Piece,
  type RecordParts,
  share,
} from "../piece.js";

export interface InputParts extends RecordParts {
  skip: Condition | undefined;
  rowId: Piece<unknown> | undefined;
  group: Piece<string[]> | undefined;
  events: EventPart[];
  /** Columns that name the row's event, with the words that events claim; without those in which every word is claimed. */
  dispatch: { column: Column; words: ReadonlyMap<string, string>; eachRow: boolean }[];
  rowsWithoutEvents: boolean;
}

type Problems = readonly Problem[];

/** The cells of such rows may be under the wrong headers. */
const SHAPELESS: ReadonlySet<Code> = new Set<Code>(["row-short", "row-long", "quote-stray", "line-cut"]);
export const isShapeless = (problems: Problems) => problems.some(({ code }) => SHAPELESS.has(code));
/** A group is held in memory as a whole. */
const MAX_GROUP = 100_000;
const SHOWN = 8;

/** `unread`: the headers of columns that nothing reads. */
export function bindRowMapper(
  parts: InputParts,
  view: View,
  unread: ReadonlySet<string>,
): { map(row: Row): MappedRow[] } & Pick<RowMapper, "end"> {
  const { skip, rowId, group, events, dispatch, rowsWithoutEvents } = parts;
  const { header, made } = view;
  const participants = [...parts.participants.values()].map((piece) => share(piece, view));
  const addresses = [...parts.addresses.values()].map((piece) => share(piece, view));
  const documents = [...parts.documents.values()];
  const pieces = [parts.participants, parts.addresses, parts.documents, events].flatMap((all) => [...all.values()]);
  const sumsUp = merged(pieces).others.has("group") || events.some(({ eachRow, byContent }) => byContent && !eachRow);
  const eventless = noEvent(events, view);
  let open: { key: string; rows: Row[]; problems: Problems } | null = null;
  /** Problems of a group that begins here: the row before it may belong to it. */
  let beside: Problems = [];

  const skipsBy = [...(skip?.reads.columns ?? [])].map(({ slot }) => view.index[slot] ?? -1);
  /**
   * Whether a short or long row, such as a footer, has content in the columns of `skip`, or only under no heading, as in
   * QuickBooks. A row that was cut proves nothing.
   */
  const isOdd = ({ cells }: Row) => {
    const filled = [...cells.keys()].filter((at) => (cells[at] ?? "").trim() !== "");
    return filled.some((at) => skipsBy.includes(at)) || (filled.length > 0 && filled.every((at) => header[at] === ""));
  };
  const askedOf = new Set(skipsBy.map((at) => columnName(header, at)));
  const isSkipped = (row: Row, all: Problems) => {
    // A mistake in a cell that `skip` does not read does not matter here.
    const problems = all.filter(({ code, column }) => SHAPELESS.has(code) || column === null || askedOf.has(column));
    const narrow = problems.every(({ code }) => code === "row-short" || code === "row-long");
    if (skip === undefined || !(problems.length === 0 || (narrow && isOdd(row)))) return false;
    view.doubts.clear();
    const isLeftOut = skip.run(view) === true;
    if (isLeftOut) row.leftOut = skip.words;
    row.doubts = [...view.doubts.values()];
    return isLeftOut;
  };

  /** In a column that nothing reads, a formula need not have a result, as it may have an error for one. */
  const counts = ({ code, column }: Problem) => code !== "formula-without-value" || !unread.has(column ?? "");

  const visit = (eachRow: boolean, look: (row: number) => void) => {
    if (eachRow && view.members !== null) view.eachMember(look);
    else look(view.current.number);
  };

  /** `rows`: of one group, or one alone. `problems`: found outside the cells. */
  const mapOne = (rows: readonly [Row, ...Row[]], problems: Problems = []): MappedRow => {
    const [first, ...others] = rows;
    const alsoRows = others.map((member) => member.number);
    if (first.leftOut !== undefined) return skippedRow(first, alsoRows);
    view.look(first, others.length === 0 ? null : rows);
    view.problems.push(...problems, ...rows.flatMap((row) => row.problems ?? []).filter(counts));
    // The rows of a group have been asked one by one.
    if (others.length === 0 && isSkipped(first, view.problems)) return skippedRow(first);
    view.doubts.clear();
    const id = rowId?.run(view);
    const mapped = { row: first.number, alsoRows, rowId: id == null ? null : String(id) };
    made.participants = participants.map((run) => run(view));
    made.addresses = addresses.map((run) => run(view));
    made.documents = documents.map(({ run }) => run(view));
    const records = {
      participants: present(made.participants).map(({ record }) => record),
      addresses: present(made.addresses).map(({ record }) => record),
      documents: present(made.documents),
      events: mapEvents(),
    };
    view.problems.push(...endsTooEarly(records.events));
    if (view.problems.length === 0) {
      const doubts = [...rows.flatMap((row) => row.doubts ?? []), ...view.doubts.values()];
      const warnings = [...replaced(rows, header), ...withDecimals(records.documents), ...doubts];
      return { ...mapped, outcome: { fate: "valid", records, warnings } };
    }
    // A cell's mistake counts once, even if several records read the cell.
    const named = view.problems.map((one) => [`${one.code}\u0000${one.column}\u0000${one.message}`, one] as const);
    const found = [...new Map(named).values()];
    const held = placements(found);
    return { ...mapped, outcome: { fate: "invalid", problems: found, placements: held, parties: parties(found) } };
  };

  const mapEvents = () => {
    const records: ReturnType<EventPart["run"]>[] = [];
    const own = new Set<number>();
    const all = [...made.participants, ...made.addresses, ...made.documents];
    const isOther = view.problems.length > 0 || all.some((record) => record !== undefined);
    let happens = rowsWithoutEvents || (events.length === 0 && isOther);
    for (const event of events)
      visit(event.eachRow, (row) => {
        const record = event.run(view);
        records.push(record);
        if (record === undefined) return;
        if (event.eachRow && view.group !== null) own.add(row);
        else happens = true;
      });
    if (!rowsWithoutEvents && events.length > 0 && reportUnclaimed()) happens = true;
    if (!happens) reportEventless(own);
    return present(records);
  };

  /** Reports words that no event claims; they may be misspelt. */
  const reportUnclaimed = () => {
    const before = view.problems.length;
    for (const { column, words, eachRow } of dispatch)
      visit(eachRow, () => {
        const value = column.run(view);
        if (value == null || isShapeless(view.problems)) return;
        const word = asText(value, column.type);
        if (words.has(foldName(word))) return;
        const known = [...words.values()];
        // One word with a comma in it would look like two.
        const shown = known.map((one) => (one.includes(",") ? quoteCell(one) : one));
        const message = `${quoteCell(word)} names no event; the words are ${listed(shown, SHOWN)}`;
        const hint =
          "Correct the cell; or change the mapping: add the word to an event's `is`, or skip such rows with `skip`.";
        view.report("no-event", message, `${didYouMean(word, known)} ${hint}`.trim(), column);
      });
    return view.problems.length > before;
  };

  /** A row with misplaced cells has been reported already. */
  const reportEventless = (own: ReadonlySet<number>) => {
    const doubts = [...view.doubts.values()].map(({ message, hint }) => `${message}. ${hint}`);
    const told = { ...eventless, hint: [...doubts, eventless.hint].join(" ") };
    if (own.size === 0 && !isShapeless(view.problems)) view.problems.push(told);
    if (own.size === 0 || view.members === null) return;
    view.eachMember((number) => {
      if (!own.has(number)) view.problems.push(told);
    });
  };

  const placements = (problems: Problems): Placement[] => {
    view.problems = [];
    // The cells of such a row may be under the wrong headers, so only its documents are believed.
    const shapeless = view.members === null && isShapeless(problems);
    const found: Placement[] = [];
    const nothing = { event: null, keyParts: null, at: null, target: undefined };
    for (const event of events)
      visit(event.eachRow, () => {
        const placement = event.place(view);
        if (placement !== null) found.push(shapeless ? { ...placement, ...nothing } : placement);
      });
    for (const [position, { kind, key }] of documents.entries()) {
      const record = made.documents[position];
      if (record === undefined) continue;
      const told = record?.key ?? key.run(view);
      const placed = found.some(({ document }) => document.kind === kind && document.key === told);
      if (told != null && !placed) found.push({ document: { kind, key: told }, ...nothing });
    }
    return found;
  };

  /** Call after `placements`: reading a key reports what is wrong with it a second time. */
  const parties = (problems: Problems): PromisedParty[] =>
    isShapeless(problems)
      ? []
      : (["participants", "addresses"] as const).flatMap((kinds) =>
          [...parts[kinds]].flatMap(([kind, { key }], position): PromisedParty[] => {
            const happens = made[kinds][position] !== undefined;
            const told = happens ? key?.run(view) : undefined;
            return told == null ? [] : [{ party: CALLED[kinds], kind, key: joinKey(told) }];
          }),
        );

  const close = (after: Problems = []): MappedRow[] => {
    if (open === null) return [];
    const { rows, problems, key } = open;
    open = null;
    const mapped = mapOne(rows as [Row, ...Row[]], [...problems, ...after]);
    return [sumsUp ? { ...mapped, group: key } : mapped];
  };

  /**
   * A row whose group is unknown is invalid, and so are the neighbouring groups: it may belong to either, and what lands
   * without it would look complete (P3).
   */
  const mapGrouped = (row: Row, read: Piece<string[]>["run"]): MappedRow[] => {
    if (row.leftOut !== undefined) return [skippedRow(row)];
    view.look(row, null);
    if (isSkipped(row, row.problems ?? [])) return [skippedRow(row)];
    const key = read(view)?.join("\u0000") ?? null;
    if (key === null) {
      const { problems } = view;
      beside = groupUnclear(`row ${row.number} next to it has no group key and may belong to the same group`);
      return [...close(beside), mapOne([row], problems)];
    }
    const same = open?.key === key;
    if (same && open !== null && open.rows.length < MAX_GROUP) {
      open.rows.push(row);
      return [];
    }
    // The rest would form a wrong group of its own.
    const message = `the group has more than ${MAX_GROUP} rows`;
    if (same) beside = groupUnclear(message, "Group by more columns, to make the groups smaller.");
    const closed = close(same ? beside : []);
    open = { key, rows: [row], problems: beside };
    if (!same) beside = [];
    return closed;
  };

  return {
    map: (row) => (group === undefined ? [mapOne([row])] : mapGrouped(row, group.run)),
    end() {
      beside = [];
      return close();
    },
  };
}

function present<T>(all: readonly Maybe<T>[]): T[] {
  return all.filter((one) => one != null);
}

function skippedRow({ number, leftOut = "", doubts = [] }: Row, alsoRows: number[] = []): MappedRow {
  return { row: number, alsoRows, rowId: null, outcome: { fate: "skipped", reason: leftOut, warnings: doubts } };
}

/** Characters that replace letters which some program could not read. */
function replaced(rows: readonly Row[], header: readonly string[]): Problem[] {
  const warnings: Problem[] = [];
  for (const { cells } of rows)
    for (const [index, cell] of cells.entries()) {
      if (!cell.includes("\uFFFD")) continue;
      const message = `${quoteCell(cell)} holds the character that another program wrote for letters that it could not read`;
      const hint = "Correct the cell at its source; otherwise it is sent as it is.";
      warnings.push({ code: "text-replaced", message, hint, column: columnName(header, index) });
    }
  return warnings;
}

const withDecimals = (documents: readonly DocumentRecord[]): Problem[] =>
  documents
    .filter(({ key }) => /^\d+[.,]00?$/.test(key))
    .map(({ kind, key }) =>
      problem(
        "key-has-decimals",
        `${kind} ${key} may be ${kind} ${key.replace(/[.,]0+/, "")}: a program may have added the decimals.`,
      ),
    );

/** service.md, States and transitions; a second CLOSE or CANCEL does not depend on its time. */
const MAY_FOLLOW: ReadonlyMap<string, readonly string[]> = new Map([
  ["CLOSE", ["RELATED", "CLOSE", "CANCEL"]],
  ["CANCEL", ["CANCEL"]],
]);

/** Once sent, the CLOSE or CANCEL of such a row could not be taken back. */
function endsTooEarly(events: readonly EventRecord[]): Problem[] {
  return events.flatMap(({ name, at, document }) => {
    const mayFollow = MAY_FOLLOW.get(name);
    if (mayFollow === undefined) return [];
    const isShutOut = (other: EventRecord) =>
      other.at > at &&
      !mayFollow.includes(other.name) &&
      other.document.kind === document.kind &&
      other.document.key === document.key;
    const other = events.find(isShutOut);
    if (other === undefined) return [];
    const message = `${name} takes place at ${inUtc(at)}, before ${other.name} of the same row at ${inUtc(other.at)}`;
    const hint = `Correct the times; or change the mapping: give the ${name} a time of day. A date alone means midnight at its start.`;
    return [{ code: "ends-too-early", message, hint, column: null }];
  });
}

function groupUnclear(message: string, hint: string | null = null): Problem[] {
  return [{ code: "group-unclear", message, hint, column: null }];
}

/** A row without an event, or in an input of none without a record, would be lost silently (P7). Names the column if all conditions read the same one. */
function noEvent(events: readonly EventPart[], { header, index }: View): Problem {
  const conditions = events.map(({ event, condition }) => `${event} when ${shorten(condition?.words ?? "")}`);
  const more = conditions.length - SHOWN;
  if (more > 0) conditions.splice(SHOWN, more, `${more} more`);
  const only = onlyColumn(merged(events.map(({ condition }) => condition)));
  const position = index[only?.slot ?? -1] ?? -1;
  return {
    code: "no-event",
    message:
      events.length === 0
        ? "none of the input's records exist in this row"
        : `none of the input's events happen in this row: ${conditions.join("; ")}`,
    hint: "Correct the cells that decide which event it is; or change the mapping: leave such rows out with `skip`, or write `rowsWithoutEvents: allow` in the input.",
    column: position in header ? columnName(header, position) : null,
  };
}
