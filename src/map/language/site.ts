/** A place in a mapping, and its name in messages. */
import type { Code } from "../../model/codes.js";
import { BROKEN } from "../piece.js";
import type { MappingSource, Path } from "./source.js";

export class Site {
  readonly source: MappingSource;
  readonly path: Path;
  /** `event "pickup": externalCreatedAt`. */
  readonly label: string;

  constructor(source: MappingSource, path: Path, label: string) {
    this.source = source;
    this.path = path;
    this.label = label;
  }

  at(name: string | number, label = `${this.label}: ${name}`): Site {
    return new Site(this.source, [...this.path, name], label);
  }

  /** Returns a value with which the compiler can continue. */
  report(code: Code, message: string, hint: string | null = null): typeof BROKEN {
    return this.reportAt([], code, message, hint);
  }

  reportAt(path: Path, code: Code, message: string, hint: string | null = null): typeof BROKEN {
    this.source.report(code, [...this.path, ...path], `${this.label}${message}`, { hint });
    return BROKEN;
  }

  /** A mistake in the name itself, or something missing below it. */
  reportName(code: Code, message: string, hint: string | null = null, ...part: Path): typeof BROKEN {
    this.source.report(code, [...this.path, ...part], `${this.label}${message}`, { at: "key", hint });
    return BROKEN;
  }
}
