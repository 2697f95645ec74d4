/** A place in a mapping, its name in messages, and what can be named there. */
import type { Code } from "../../model/codes.js";
import type { Scope } from "../column/scope.js";
import type { Refused } from "../convert/conversion-kind.js";
import { BROKEN } from "../piece.js";
import type { Path } from "./source.js";

/** Of a cell's text: a literal is in no cell, and in no workbook. */
const OF_CELL = / (?:it from )?the cell; or change the mapping:/;
const OF_WORKBOOK = /^the workbook holds /;

export class Site {
  readonly scope: Scope;
  readonly path: Path;
  /** `event "pickup": externalCreatedAt`. */
  readonly label: string;

  constructor(scope: Scope, path: Path, label: string) {
    this.scope = scope;
    this.path = path;
    this.label = label;
  }

  at(name: string | number, label = this.label === "" ? String(name) : `${this.label}: ${name}`): Site {
    return new Site(this.scope, [...this.path, name], label);
  }

  /** Compiles a member of a record, if it is there. */
  member<S, K extends string & keyof S, T>(
    spec: S,
    name: K,
    compile: (spec: NonNullable<S[K]>, site: Site) => T,
  ): T | undefined {
    const own = spec[name];
    return own == null ? undefined : compile(own, this.at(name));
  }

  /** Returns a value with which the compiler can continue. */
  report(code: Code, message: string, hint: string | null = null, ...part: Path): typeof BROKEN {
    return this.#report("value", code, message, hint, part);
  }

  /** A mistake in the name itself, or something missing below it. */
  reportName(code: Code, message: string, hint: string | null = null, ...part: Path): typeof BROKEN {
    return this.#report("key", code, message, hint, part);
  }

  /** A literal cannot be read. */
  refuse({ code, message, hint }: Pick<Refused, "code" | "message" | "hint">, ...part: Path): typeof BROKEN {
    const own = OF_WORKBOOK.test(message) ? null : hint?.replace(OF_CELL, " it, or");
    return this.report(code, `: ${message.replace(OF_WORKBOOK, "this is ")}.`, own ?? null, ...part);
  }

  #report(at: "key" | "value", code: Code, message: string, hint: string | null, part: Path): typeof BROKEN {
    this.scope.shared.source.report(code, [...this.path, ...part], `${this.label}${message}`, { at, hint });
    return BROKEN;
  }
}
