import type { CodeEntry } from "../code.js";

export const ledgerCodes = {} as const satisfies Record<string, CodeEntry>;
