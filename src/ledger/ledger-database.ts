/**
 * A ledger's connection. Statements are texts with named parameters, compiled on first use and kept: a night runs some
 * of them a million times. `x IN @list` takes an array.
 */
import Database, { type Statement } from "better-sqlite3";
import { keyText } from "./event-key.js";
import { entriesOf, rowsOnPage } from "./pages.js";
import { mistakeOf } from "../model/causes.js";
import { describePlace } from "../model/place.js";

const NONE = {};

/** Arrays become JSON. */
const bound = (text: string, values: object): object =>
  text.includes(" IN @") || text.includes("json_each(@")
    ? Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
      )
    : values;

export class LedgerDatabase extends Database {
  readonly #compiled = { rows: new Map<string, Statement>(), values: new Map<string, Statement>() };

  /** Adds the SQL functions `iso(ms)`, `key_text(bytes)`, `place_of(file, sheet, row)`, `is_readable(page)`, `mistake_of(message)` and the table `page_rows(kind, first_id, page)`. */
  constructor(path: string, options?: Database.Options) {
    super(path, options);
    this.function("iso", (ms: number | null) => (ms === null ? null : new Date(ms).toISOString()));
    this.function("key_text", (bytes: Buffer | null) => bytes && keyText(bytes));
    this.function("place_of", (file: string, sheet: string | null, row: number) =>
      describePlace({ file, sheet: sheet ?? undefined, row }),
    );
    this.function("is_readable", (page: Buffer) => (entriesOf(0, page) === null ? 0 : 1));
    this.function("mistake_of", (message: string | null) => message && mistakeOf(message));
    const parameters = ["kind", "first_id", "page"];
    this.table("page_rows", { columns: ["row_id", "event_id"], parameters, rows: rowsOnPage });
  }

  // The caller says what a text selects.
  /* oxlint-disable typescript/no-unnecessary-type-parameters */

  /** Null: none. */
  row<Row>(text: string, values: object = NONE): Row | null {
    return (this.#statement("rows", text).get(bound(text, values)) ?? null) as Row | null;
  }

  rows<Row>(text: string, values: object = NONE): Row[] {
    return this.#statement("rows", text).all(bound(text, values)) as Row[];
  }

  /** Null: no row. */
  value<Value>(text: string, values: object = NONE): Value | null {
    return (this.#statement("values", text).get(bound(text, values)) ?? null) as Value | null;
  }

  /** The first column of each row. */
  values<Value>(text: string, values: object = NONE): Value[] {
    return this.#statement("values", text).all(bound(text, values)) as Value[];
  }

  /** 0: no row. */
  number(text: string, values?: object) {
    return this.value<number>(text, values) ?? 0;
  }

  /** `text` selects something that is not null. */
  has(text: string, values?: object) {
    return this.value(text, values) !== null;
  }

  /** Nothing may be written during the iteration. */
  each<Row>(text: string, values: object = NONE): IterableIterator<Row> {
    return this.#statement("rows", text).iterate(bound(text, values)) as IterableIterator<Row>;
  }

  /** @returns how many rows changed */
  run(text: string, values: object = NONE) {
    return this.#statement("rows", text).run(bound(text, values)).changes;
  }

  /** Adds a row of these columns. @returns its id */
  add(table: string, columns: object): number {
    return this.adding(table)(columns);
  }

  /** The same for many rows of the same columns. */
  adding(table: string): (columns: object) => number {
    let text: string | null = null;
    return (columns) => {
      const names = text === null ? Object.keys(columns) : [];
      text ??= `INSERT INTO ${table} (${names.join(", ")}) VALUES (@${names.join(", @")})`;
      return Number(this.#statement("rows", text).run(columns).lastInsertRowid);
    };
  }

  /** Sets these columns of the row with this id. */
  change(table: string, id: number, columns: object) {
    const assigned = Object.keys(columns).map((name) => `${name} = @${name}`);
    this.run(`UPDATE ${table} SET ${assigned.join(", ")} WHERE id = @id`, { ...columns, id });
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
    const listed = text.replaceAll(/ IN (@\w+)/g, " IN (SELECT value FROM json_each($1))");
    const statement = this.prepare(listed.replaceAll(/@\w+/g, "+$&"));
    if (gives === "values" && statement.reader) statement.pluck();
    if (known === undefined) this.#compiled[gives].set(text, statement);
    return statement;
  }
}

/** A single fact about the ledger; null: none. */
export function fact(database: LedgerDatabase, name: string): string | null {
  return database.value<string>("SELECT value FROM facts WHERE name = @name", { name });
}

export function setFact(database: LedgerDatabase, name: string, value: string): void {
  database.run(
    "INSERT INTO facts (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    { name, value },
  );
}

/**
 * One transaction that may span other files' reading; nothing else writes meanwhile. `ROLLBACK` also undoes a success
 * (for `plan`).
 */
export async function inTransaction<Result>(
  database: LedgerDatabase,
  end: "COMMIT" | "ROLLBACK",
  work: () => Promise<Result>,
): Promise<Result> {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = await work();
    database.exec(end);
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
