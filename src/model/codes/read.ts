import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Codes of the readers: what can be wrong with a file, and with a row of it. */
export const readCodes = {
  "file-missing": {
    meaning: "A file named on the command line does not exist or cannot be opened.",
    remedy: "Check the path and its permissions, then run the command again.",
    example: "`rowferry import m.yaml nightly.csv` where nightly.csv is not in this folder.",
    transient: false,
    exit: ExitCode.usage,
  },
} as const satisfies Record<string, CodeEntry>;
