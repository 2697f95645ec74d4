/// <reference types="vitest/globals" />
/** Properties draw the same cases in every run of the suite; `FC_SEED=$RANDOM npm test` draws others. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20_261_121) });
