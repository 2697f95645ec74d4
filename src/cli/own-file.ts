import { readFileSync } from "node:fs";

/** Of this package. Source, build and bundle lie equally deep in it, as long as this file stays where it is. */
export const ownFile = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
