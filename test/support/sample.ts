/** `npm test` draws a sample of what `npm run test:all` draws. */
export const isSample = process.env["ROWFERRY_TESTS"] !== "all";

/** In a sample every `nth` of them; `turn` says which. */
export const sampled = <T>(all: readonly T[], nth: number, turn = 0): readonly T[] =>
  isSample ? all.filter((_, at) => (at + turn) % nth === 0) : all;

/** How many of something a test draws. */
export const drawn = (sample: number, all: number): number => (isSample ? sample : all);
