import type { CodeEntry } from "../code.js";

export const mapCodes = {} as const satisfies Record<string, CodeEntry>;
