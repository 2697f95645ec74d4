/// <reference types="vitest/globals" />
/** What every test file finds: draws that are the same in every run, and the mark of a long test. */
import fc from "fast-check";

// `FC_SEED=$RANDOM npm test` draws others.
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20_261_121) });

// Settings that everybody may write are refused, and WSL and containers may make all files so.
process.umask(0o022);

declare global {
  /** Given to `it`, `test` or `describe`: left to `npm run test:all`. */
  var long: { tags: string[] };
}
globalThis.long = { tags: ["long"] };
