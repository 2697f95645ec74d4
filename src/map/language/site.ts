/** A place in a mapping: where a mistake is shown, and how it is called in messages. */
import type { Code } from "../../model/codes.js";
import { BROKEN } from "../piece.js";
import type { MappingSource, Path } from "./source.js";

export class Site {
  readonly source: MappingSource;
  readonly path: Path;
  /** How problems name it: `event "pickup": externalCreatedAt`. */
  readonly label: string;

  constructor(source: MappingSource, path: Path, label: string) {
    this.source = source;
    this.path = path;
    this.label = label;
  }

  /** A part of it, by the name under which it is written. */
  at(name: string | number, label = `${this.label}: ${name}`): Site {
    return new Site(this.source, [...this.path, name], label);
  }

  /** A mistake at what stands here; gives what a compiler can go on with. */
  report(code: Code, message: string, hint: string | null = null): typeof BROKEN {
    return this.reportAt([], code, message, hint);
  }

  /** A mistake at a part of it. */
  reportAt(path: Path, code: Code, message: string, hint: string | null = null): typeof BROKEN {
    this.source.report(code, [...this.path, ...path], `${this.label}${message}`, { hint });
    return BROKEN;
  }

  /** A mistake of the name itself, or of what is missing below it. `part`: of the name of a part. */
  reportName(code: Code, message: string, hint: string | null = null, ...part: Path): typeof BROKEN {
    this.source.report(code, [...this.path, ...part], `${this.label}${message}`, { at: "key", hint });
    return BROKEN;
  }
}
