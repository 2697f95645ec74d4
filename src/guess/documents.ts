/** Which column names the documents of a table: one that other columns follow from, or one that no two rows share. */
import { agree, type Column, groupsOf } from "./column.js";
import type { Candidate, Decisions } from "./decisions.js";
import type { Role } from "./words.js";

export interface DocumentKey {
  column: Column;
  /** Whether several rows may belong to one document, each an event; else a row is a document. */
  long: boolean;
  /** Columns that follow from it; where a row is a document, all others. */
  follows: Set<Column>;
}

/** What stands in such a column varies with the day, or belongs to others, whether or not two rows share it. */
const never = new Set<Role | null>(
  "street city state zipCode neighborhood complement latitude longitude country name related phone amount goods personal time public reason placeName taxIdType eventType status".split(
    " ",
  ) as Role[],
);

/** Null where no column can be one, or a person said so. */
export function findDocumentKey(columns: readonly Column[], input: string, decisions: Decisions): DocumentKey | null {
  const weighed = columns
    .filter(mayBeKey)
    .map((column) => weigh(column, columns))
    .filter(({ score }) => score >= 0.5);
  const ranked = weighed.toSorted((one, other) => other.score - one.score);
  const [best, next] = ranked;
  const none: Candidate<DocumentKey | null> = { value: null, label: "none: rows are no documents" };
  const samples = ranked.flatMap(({ value }) => value.column.cells.slice(0, 2).map(({ text }) => text));
  const sure = best !== undefined && best.score >= 2 && best.score - (next?.score ?? 0) >= 1.5;
  const others = columns.filter(
    ({ type, distinct }) => (type.as === "text" || type.as === "number") && distinct.size > 0,
  );
  const candidates =
    best === undefined ? [none, ...others.map((column) => weigh(column, columns))] : sure ? ranked : [...ranked, none];
  return decisions.choose(`${input}.key`, "which column names the document?", candidates, sure, samples);
}

function mayBeKey({ filled, type, role, distinct }: Column): boolean {
  const kind = type.as === "text" || (type.as === "number" && type.whole && type.units.length === 0);
  return kind && filled >= 0.9 && !never.has(role) && [...distinct].every((value) => value.length <= 60);
}

function weigh(column: Column, columns: readonly Column[]) {
  const { distinct, cells, header, role } = column;
  const groups = groupsOf(column);
  const others = columns.filter((other) => other !== column && other.distinct.size > 0);
  const follows = new Set(others.filter((other) => other.filled >= 0.9 && agree(groups, other) === true));
  // Values that look like numbers of something (`LS-1001`), not like words.
  const coded = [...distinct].every((value) => /^[\p{Letter}._/-]{0,12}\d[\p{Letter}\d._/-]*$/u.test(value));
  const word = role === "document" ? 3 : role === "code" ? 1 : role === null && coded ? 0.5 : 0;
  const single = distinct.size === cells.length && cells.length > 2;
  // On average three rows to two documents, and a time that differs between the rows of one.
  const timed =
    others.some(({ type, role: other }) => type.as === "timestamp" && other !== "personal") &&
    others.some((other) => other.type.as === "timestamp" && !follows.has(other));
  const several = groups.size > 1 && groups.size * 1.5 <= cells.length && timed && follows.size >= (word >= 1 ? 1 : 2);
  const why = several
    ? `groups ${cells.length} rows into ${groups.size}; ${follows.size} columns follow from it`
    : single
      ? `no two of ${cells.length} rows share it`
      : `${distinct.size} values in ${cells.length} rows`;
  const long = distinct.size < cells.length;
  const value: DocumentKey | null = { column, long, follows: long ? follows : new Set(others) };
  const score = word + (several ? 1 + Math.min(2, follows.size / 2) : single ? 1 : 0);
  return { value, label: `"${header}"`, why, score };
}
