/**
 * Statements compiled when they are first used, and once for every text: a run prepares some three hundred and uses a part
 * of them. Without it a run begins 15 ms later, which nobody notices, and a simulated night takes twice its processor time.
 */
import type { Database, Statement } from "better-sqlite3";

type Native = Statement;
type Compiled = (source: string, plucks: boolean) => Native;

/** As a statement of better-sqlite3, but that a mistake in its text is told at its first use. */
class LazyStatement {
  readonly #source: string;
  readonly #compiled: Compiled;
  readonly #compile: (source: string) => Native;
  #plucks = false;
  #iterated: Native | null = null;

  constructor(source: string, compiled: Compiled, compile: (source: string) => Native) {
    this.#source = source;
    this.#compiled = compiled;
    this.#compile = compile;
  }

  /** Before the first use. */
  pluck(): this {
    this.#plucks = true;
    return this;
  }

  // From its first use on, the compiled statement's own method stands in place of each.

  run(...values: unknown[]): unknown {
    const native = this.#compiled(this.#source, this.#plucks);
    this.run = native.run.bind(native);
    return native.run(...values);
  }

  get(...values: unknown[]): unknown {
    const native = this.#compiled(this.#source, this.#plucks);
    this.get = native.get.bind(native);
    return native.get(...values);
  }

  all(...values: unknown[]): unknown[] {
    const native = this.#compiled(this.#source, this.#plucks);
    this.all = native.all.bind(native);
    return native.all(...values);
  }

  /** A statement of its own: one that is being iterated can do nothing else. Read to its end it can be iterated again. */
  iterate(...values: unknown[]): IterableIterator<unknown> {
    if (this.#iterated?.busy !== false) this.#iterated = this.#compile(this.#source).pluck(this.#plucks);
    return this.#iterated.iterate(...values);
  }
}

/** Makes this connection prepare lazily. */
export function prepareLazily(database: Database): Database {
  const compile = database.prepare.bind(database) as (source: string) => Native;
  const byText = { plain: new Map<string, Native>(), plucking: new Map<string, Native>() };
  const compiled: Compiled = (source, plucks) => {
    const known = plucks ? byText.plucking : byText.plain;
    let native = known.get(source);
    if (native === undefined) {
      native = compile(source);
      if (plucks) native.pluck();
      known.set(source, native);
    }
    return native;
  };
  return Object.assign(database, { prepare: (source: string) => new LazyStatement(source, compiled, compile) });
}
