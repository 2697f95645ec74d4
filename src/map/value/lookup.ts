/** Value lists: written out in the mapping, or in a CSV file beside it. */
import { foldName } from "../fold.js";
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
}

export function lookupName(file: LookupFile): string {
  return JSON.stringify([file.csv, file.from, file.to, file.delimiter ?? ","]);
}

/**
 * Exact texts first; then white space, case and accents do not count, as long as the entries that fold together
 * agree. `conflicts` names entries that are the same text with different values.
 */
export function compileLookup(given: Iterable<readonly [string, Value]>): {
  lookup: Lookup;
  conflicts: string[];
  /** What it says of all texts that fold together, for comparison with what it said before. */
  entries: ReadonlyMap<string, string>;
} {
  const exact = new Map<string, Value>();
  const folded = new Map<string, Value | null>();
  const conflicts: string[] = [];
  const entries = new Map<string, string>();
  for (const [text, value] of given) {
    if (exact.has(text) && exact.get(text) !== value) conflicts.push(text);
    const name = foldName(text);
    if (!exact.has(text)) entries.set(name, `${entries.get(name) ?? ""}${JSON.stringify([text, String(value)])}`);
    folded.set(name, folded.has(name) && folded.get(name) !== value ? null : value);
    exact.set(text, value);
  }
  return { lookup: { get: (text) => exact.get(text) ?? folded.get(foldName(text)) ?? undefined }, conflicts, entries };
}
