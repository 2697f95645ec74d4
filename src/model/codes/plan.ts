import type { CodeEntry } from "../code.js";

export const planCodes = {} as const satisfies Record<string, CodeEntry>;
