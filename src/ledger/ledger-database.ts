/**
 * A ledger's connection. Statements are texts with named parameters, compiled on first use and kept: a night runs some
 * of them a million times.
 */
import Database, { type Statement } from "better-sqlite3";
import { describePlace } from "../model/place.js";
import { keyText } from "./event-key.js";

/** By name; by position only for bulk writes. */
type Values = Readonly<Record<string, unknown>> | readonly unknown[];

export class LedgerDatabase extends Database {
  readonly #compiled = { rows: new Map<string, Statement>(), values: new Map<string, Statement>() };

  /** Adds the SQL functions `iso(ms)`, `key_text(bytes)` and `place_of(file, sheet, row)`. */
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

  /** Undefined: none. */
  row<Row>(text: string, values: Values = []): Row | undefined {
    return this.#statement("rows", text).get(values) as Row | undefined;
  }

  rows<Row>(text: string, values: Values = []): Row[] {
    return this.#statement("rows", text).all(values) as Row[];
  }

  /** Undefined: no row. */
  value<Value>(text: string, values: Values = []): Value | undefined {
    return this.#statement("values", text).get(values) as Value | undefined;
  }

  /** The first column of each row. */
  values<Value>(text: string, values: Values = []): Value[] {
    return this.#statement("values", text).all(values) as Value[];
  }

  has(text: string, values: Values = []): boolean {
    return this.#statement("values", text).get(values) !== undefined;
  }

  /** Nothing may be written during the iteration. */
  each<Row>(text: string, values: Values = []): IterableIterator<Row> {
    return this.#statement("rows", text).iterate(values) as IterableIterator<Row>;
  }

  /** @returns how many rows changed */
  run(text: string, values: Values = []): number {
    return this.#statement("rows", text).run(values).changes;
  }

  /** @returns the new row's id */
  insert(text: string, values: Values = []): number {
    return Number(this.#statement("rows", text).run(values).lastInsertRowid);
  }

  /** Nested calls become savepoints. */
  atomic<Result>(work: () => Result): Result {
    return this.transaction(work).immediate();
  }

  /**
   * The plus changes no value. Without it, better-sqlite3's SQLite plans most joins again at every binding, because the
   * plan may depend on the value: ten times the cost of the query.
   */
  #statement(gives: "rows" | "values", text: string): Statement {
    const known = this.#compiled[gives].get(text);
    // A statement that is being iterated cannot run again.
    if (known?.busy === false) return known;
    const statement = this.prepare(text.replace(/@\w+/g, "+$&"));
    if (gives === "values" && statement.reader) statement.pluck();
    if (known === undefined) this.#compiled[gives].set(text, statement);
    return statement;
  }
}

/** A single fact about the ledger; null: none. */
export function fact(database: LedgerDatabase, name: string): string | null {
  return database.value<string>("SELECT value FROM facts WHERE name = @name", { name }) ?? null;
}

export function setFact(database: LedgerDatabase, name: string, value: string): void {
  database.run(
    "INSERT INTO facts (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    { name, value },
  );
}
