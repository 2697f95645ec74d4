import type { CodeEntry } from "./code.js";
import { cliCodes } from "./codes/cli.js";
import { ledgerCodes } from "./codes/ledger.js";
import { convertCodes } from "./codes/convert.js";
import { mapCodes } from "./codes/map.js";
import { mappingCodes } from "./codes/mapping.js";
import { pipelineCodes } from "./codes/pipeline.js";
import { planCodes } from "./codes/plan.js";
import { readCodes } from "./codes/read.js";
import { submitCodes } from "./codes/submit.js";

const all = {
  ...readCodes,
  ...mappingCodes,
  ...mapCodes,
  ...convertCodes,
  ...ledgerCodes,
  ...planCodes,
  ...submitCodes,
  ...pipelineCodes,
  ...cliCodes,
} satisfies Record<string, CodeEntry>;

export type Code = keyof typeof all;

/** Every error, and every reason of a state. */
export const codes: Record<Code, CodeEntry> = all;
