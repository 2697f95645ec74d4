import { readFileSync } from "node:fs";

/** A file of this package. Source, build and bundle are equally deep in it, as long as this file stays where it is. */
export const ownFile = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
