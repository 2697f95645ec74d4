/** Value lists: written out in the mapping, or in a CSV file beside it. */
import { foldName } from "../fold.js";
import { asText } from "./conversion-chain.js";
import type { Value } from "./row-view.js";

/** What is sent for what a cell says. */
export interface Lookup {
  /** Undefined: not listed. */
  get(text: string): Value | undefined;
}

/** Tables of lookup CSV files, by `lookupName`. */
export type LookupTables = ReadonlyMap<string, Lookup>;

export interface LookupFile {
  csv: string;
  from: string;
  to: string;
  delimiter?: string | undefined;
  encoding?: string | undefined;
  header?: "none" | undefined;
}

export function lookupName(file: LookupFile): string {
  return JSON.stringify([
    file.csv,
    file.from,
    file.to,
    file.delimiter ?? null,
    file.encoding ?? null,
    file.header ?? null,
  ]);
}

/** White space, case and accents do not count. `conflicts`: entries that are the same text, and give different values. */
export function compileLookup(given: Iterable<readonly [string, Value]>): {
  lookup: Lookup;
  conflicts: (readonly [string, string])[];
  /** What it says of all texts that fold together, for comparison with what it said before. */
  entries: ReadonlyMap<string, string>;
} {
  const exact = new Map<string, Value>();
  const folded = new Map<string, { text: string; value: Value }>();
  const conflicts: (readonly [string, string])[] = [];
  for (const [text, value] of given) {
    exact.set(text, value);
    const name = foldName(text);
    const known = folded.get(name);
    if (known === undefined) folded.set(name, { text, value });
    else if (asText(known.value) !== asText(value)) conflicts.push([known.text, text]);
  }
  const entries = new Map([...folded].map(([name, { value }]) => [name, asText(value)]));
  return { lookup: { get: (text) => exact.get(text) ?? folded.get(foldName(text))?.value }, conflicts, entries };
}
