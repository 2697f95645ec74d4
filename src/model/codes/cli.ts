import type { CodeEntry } from "../code.js";

export const cliCodes = {} as const satisfies Record<string, CodeEntry>;
