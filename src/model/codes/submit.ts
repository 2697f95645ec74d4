import type { CodeEntry } from "../code.js";

export const submitCodes = {} as const satisfies Record<string, CodeEntry>;
