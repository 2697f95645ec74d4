/** `npm test` draws a sample of what `npm run test:all` draws. */
export const isSample = process.env["ROWFERRY_TESTS"] !== "all";

/** How many of something a test draws. */
export const drawn = (sample: number, all: number): number => (isSample ? sample : all);
