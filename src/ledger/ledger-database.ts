/**
 * A ledger's connection. A statement is a text with named parameters, compiled at its first use and kept for the next: a
 * night uses a hundred of them, some a million times.
 */
import Database, { type Statement } from "better-sqlite3";
import { describePlace } from "../model/place.js";
import { keyText } from "./event-key.js";

/** By name; by position only where a million rows are written. */
type Values = Readonly<Record<string, unknown>> | readonly unknown[];

export class LedgerDatabase extends Database {
  readonly #compiled = { rows: new Map<string, Statement>(), values: new Map<string, Statement>() };

  /** With what queries may say in words: `iso(ms)`, `key_text(bytes)`, `place_of(file, sheet, row)`. */
  constructor(path: string, options?: Database.Options) {
    super(path, options);
    this.function("iso", (ms: number | null) => (ms === null ? null : new Date(ms).toISOString()));
    this.function("key_text", (bytes: Buffer) => keyText(bytes));
    this.function("place_of", (file: string, sheet: string | null, row: number) =>
      describePlace({ file, sheet: sheet ?? undefined, row }),
    );
  }

  // The caller says what a text selects.
  /* oxlint-disable typescript/no-unnecessary-type-parameters */

  /** The first row; undefined: there is none. */
  row<Row>(text: string, values: Values = []): Row | undefined {
    return this.#statement("rows", text).get(values) as Row | undefined;
  }

  rows<Row>(text: string, values: Values = []): Row[] {
    return this.#statement("rows", text).all(values) as Row[];
  }

  /** The first column of the first row; undefined: there is none. */
  value<Value>(text: string, values: Values = []): Value | undefined {
    return this.#statement("values", text).get(values) as Value | undefined;
  }

  /** The first column. */
  values<Value>(text: string, values: Values = []): Value[] {
    return this.#statement("values", text).all(values) as Value[];
  }

  /** Whether there is a row. */
  has(text: string, values: Values = []): boolean {
    return this.#statement("values", text).get(values) !== undefined;
  }

  /** Row by row; nothing may be written meanwhile. */
  each<Row>(text: string, values: Values = []): IterableIterator<Row> {
    return this.#statement("rows", text).iterate(values) as IterableIterator<Row>;
  }

  /** @returns how many rows it changed */
  run(text: string, values: Values = []): number {
    return this.#statement("rows", text).run(values).changes;
  }

  /** @returns the id of the new row */
  insert(text: string, values: Values = []): number {
    return Number(this.#statement("rows", text).run(values).lastInsertRowid);
  }

  /** All or nothing; within another, a part of it. */
  atomic<Result>(work: () => Result): Result {
    return this.transaction(work).immediate();
  }

  /**
   * The plus changes no value. Without it SQLite, as better-sqlite3 builds it, plans most joins anew whenever a parameter is
   * bound, for the plan may depend on the value: ten times the cost of the query itself.
   */
  #statement(gives: "rows" | "values", text: string): Statement {
    const known = this.#compiled[gives].get(text);
    // One that is being iterated can do nothing else.
    if (known?.busy === false) return known;
    const statement = this.prepare(text.replace(/@\w+/g, "+$&"));
    if (gives === "values" && statement.reader) statement.pluck();
    if (known === undefined) this.#compiled[gives].set(text, statement);
    return statement;
  }
}

/** What is kept once of a ledger; null: it is not there. */
export function fact(database: LedgerDatabase, name: string): string | null {
  return database.value<string>("SELECT value FROM facts WHERE name = @name", { name }) ?? null;
}

export function setFact(database: LedgerDatabase, name: string, value: string): void {
  database.run(
    "INSERT INTO facts (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    { name, value },
  );
}
