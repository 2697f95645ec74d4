import { type Code, codes } from "./codes.js";
import { describePlace, type Place } from "./place.js";

/**
 * The only error class: `message` is the cause, `place` where, `hint` the remedy with a command. Only `src/cli/main.ts`
 * turns it into an exit code.
 */
export class RowferryError extends Error {
  readonly code: Code;
  readonly place: Place;
  readonly hint: string;

  constructor(
    code: Code,
    message: string,
    details: { place?: Place; hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "RowferryError";
    this.code = code;
    this.place = details.place ?? {};
    this.hint = details.hint ?? codes[code].remedy;
  }

  /** Place and cause on one line. */
  get description(): string {
    const place = describePlace(this.place);
    return place === "" ? this.message : `${place}: ${this.message}`;
  }
}

/** What a person is told of it. @throws the error itself if it is of another class */
export function toldOf(error: unknown): { message: string; hint: string } {
  if (!(error instanceof RowferryError)) throw error;
  return { message: error.description, hint: error.hint };
}
