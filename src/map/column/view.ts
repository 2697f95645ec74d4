/** What compiled columns and formulas look at: one row, or a group of rows, at a time. One object for a table, used again and again. */
import type { Code } from "../../model/codes.js";
import type { ExactNumber } from "../../model/json.js";
import { columnName } from "../../model/own-columns.js";
import { ofMember, type Problem } from "../../model/problem.js";
import type {
  AddressRecord,
  AddressRef,
  DocumentRecord,
  ParticipantRecord,
  ParticipantRef,
} from "../../model/records.js";
import type { Row } from "../../model/row.js";
import type { Refused } from "../convert/conversion-kind.js";
import { Exact } from "../convert/exact.js";

/** What a formula gives. A date is text (`yyyy-MM-dd`); `any` is decided row by row. */
export type Type = "text" | "number" | "boolean" | "timestamp" | "taxId" | "any" | "blank";

/** Timestamps are milliseconds since 1970. A tax id is text where its column says nothing more of it. */
export type Value = string | number | boolean | Exact | TaxId;

/** A tax id of whose type or country its column says something. */
export interface TaxId {
  text: string;
  type?: string | undefined;
  country?: string | undefined;
}

/** Undefined: blank, or not in this row. Null: unreadable, and the problem has been reported. */
export type Maybe<T> = T | undefined | null;
export type Eval<T = Value> = (view: View) => Maybe<T>;

/** A column, as far as blanks are concerned. */
interface Filled {
  slot: number;
  filled?: Eval<boolean>;
}

/** What one row has yielded so far, in the order of the mapping. */
export interface Made {
  participants: Maybe<{ record: ParticipantRecord; ref: ParticipantRef }>[];
  addresses: Maybe<{ record: AddressRecord; ref: AddressRef }>[];
  documents: Maybe<DocumentRecord>[];
}

export class View {
  readonly header: readonly string[];
  /** The position in the header of each column, by its slot; -1: the file has none. */
  readonly index: number[] = [];
  /** The positions of each set of columns, by its slot. */
  readonly sets: (readonly number[])[] = [];
  readonly made: Made = { participants: [], addresses: [], documents: [] };
  readonly #place: { file: string; sheet: string | null };
  current: Row = { number: 0, cells: [], kinds: null, problems: null };
  /** The rows that are looked at together; null: one row by itself. */
  members: readonly Row[] | null = null;
  /** All rows of the group, also while one of them is looked at by itself. */
  group: readonly Row[] | null = null;
  problems: Problem[] = [];
  /** What may be wrong with the mapping, by message; the row is valid. */
  readonly doubts = new Map<string, Problem>();
  readonly #values: unknown[] = [];
  readonly #stamps: number[] = [];
  #stamp = 0;
  #groupStamp = 0;

  constructor(header: readonly string[], place: { file: string; sheet: string | null }) {
    this.header = header;
    this.#place = place;
  }

  /** Where the row was first; a row of a corrected file counts as the one that it corrects. */
  get source(): { file: string; sheet: string | null; row: number } {
    return this.current.corrects ?? { ...this.#place, row: this.current.number };
  }

  /** Looks at one row, or at the rows of a group of several. What was computed before is forgotten. */
  look(first: Row, rows: readonly Row[] | null): void {
    this.group = rows;
    this.#at(first, rows);
    this.#groupStamp = this.#stamp;
    this.problems = [];
  }

  /** Looks at each row of the group by itself; problems then name the row. */
  eachMember(visit: (row: number) => void): void {
    const { current, members, problems } = this;
    const stamp = this.#stamp;
    for (const member of this.group ?? []) {
      this.problems = [];
      this.#at(member, null);
      visit(member.number);
      problems.push(...this.problems.map((problem) => ofMember(member.number, problem)));
    }
    Object.assign(this, { current, members, problems });
    this.#stamp = stamp;
  }

  #at(row: Row, members: readonly Row[] | null): void {
    this.current = row;
    this.members = members;
    // Never a stamp that was used before: a row that was left may have changed what is remembered.
    this.#stamp = ++counter;
  }

  /** Computed once for what is looked at, or once for the whole group. */
  once<T>(slot: number, ofGroup: boolean, compute: Eval<T>): Maybe<T> {
    const stamp = ofGroup ? this.#groupStamp : this.#stamp;
    if (this.#stamps[slot] === stamp) return this.#values[slot] as T;
    const value = compute(this);
    this.#stamps[slot] = stamp;
    this.#values[slot] = value;
    return value;
  }

  /** Takes back the problems after the first `count`. What could not be read is forgotten: who needs it reports it again. */
  takeBack(count: number): void {
    this.problems.length = count;
    this.#stamp = ++counter;
    this.#groupStamp = this.#stamp;
  }

  /** A cell, or a value of the row, cannot be read. */
  refuse({ code, message, hint }: Refused, at?: number | { slot: number }, label = ""): null {
    return this.report(code, `${label}${message}`, hint, at);
  }

  /** A problem of the row; `at`: a position of the header, or a column, whose header it then names. Always null. */
  report(code: Code, message: string, hint: string | null = null, at: number | { slot: number } = -1): null {
    this.problems.push(this.#told(code, message, hint, at));
    return null;
  }

  doubt(code: Code, message: string, hint: string, at: number | { slot: number }): void {
    if (!this.doubts.has(message)) this.doubts.set(message, this.#told(code, message, hint, at));
  }

  #told(code: Code, message: string, hint: string | null, at: number | { slot: number }): Problem {
    const index = typeof at === "number" ? at : (this.index[at.slot] ?? -1);
    return { code, message, hint, column: index === -1 ? null : columnName(this.header, index) };
  }

  /** A blank where a value is needed. `column`: where to look; if its cell is the blank, the file's header names it. Always null. */
  reportBlank(label: string, column: Filled | undefined, need = `needed for ${label}`): null {
    const isItsCell = column?.filled?.(this) === false && (this.index[column.slot] ?? -1) !== -1;
    return this.report("value-required", isItsCell ? `blank, but ${need}` : `${label} is blank`, null, column);
  }
}

let counter = 0;

/** As attributes, keys and texts have it: times in ISO 8601 with milliseconds and Z, numbers without exponent. */
export function asText(value: Value, type: Type = "text"): string {
  if (typeof value === "object") return value.text;
  return type === "timestamp" && typeof value === "number" ? new Date(value).toISOString() : String(value);
}

/** A literal of the mapping as its own text. */
export function literalText(value: string | number | boolean | ExactNumber): string {
  if (typeof value === "object") return value.rawJSON;
  return typeof value === "number" ? Exact.of(value).text : String(value);
}
