import fc from "fast-check";

/** `npm test` draws a sample of what `npm run test:all` draws. */
export const isSample = process.env["ROWFERRY_TESTS"] !== "all";

/** In a sample every `nth` of them; `turn` says which. */
export const sampled = <T>(all: readonly T[], nth: number, turn = 0): readonly T[] =>
  isSample ? all.filter((_, at) => (at + turn) % nth === 0) : all;

/** How many of something a test draws. */
export const drawn = (sample: number, all: number): number => (isSample ? sample : all);

/** Of any characters. `unit: "binary"` would do, but first makes a table of all of them, for seconds. */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc
    .array(fc.nat(0x10ffff), maxLength === undefined ? {} : { maxLength })
    .map((points) => String.fromCodePoint(...points).toWellFormed());
