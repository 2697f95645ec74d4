import type { Code } from "./codes.js";
import { codes } from "./codes.js";
import { describePlace, type Place } from "./place.js";

/**
 * The one error class. `message` gives the cause, `place` where, `hint` the remedy with the command to type.
 * `src/cli/main.ts` turns it into text and an exit code; nothing else does.
 */
export class RowferryError extends Error {
  readonly code: Code;
  readonly place: Place;
  readonly hint: string;

  constructor(code: Code, message: string, details: { place?: Place; hint?: string; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "RowferryError";
    this.code = code;
    this.place = details.place ?? {};
    this.hint = details.hint ?? codes[code].remedy;
  }

  /** Cause with its place in front, on one line. */
  get description(): string {
    const place = describePlace(this.place);
    return place === "" ? this.message : `${place}: ${this.message}`;
  }
}
