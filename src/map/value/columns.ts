/** From the column names of a mapping to positions in a file's header. */
import { RowferryError } from "../../model/error.js";
import { foldName, squeeze } from "../fold.js";
import { nearestName } from "../nearest.js";

/** One column as a field names it: other headers under which it may come, the first as the mapping's own name. */
export type ColumnUse = readonly string[];

/** An entry of an input's `columns:`. */
export interface ColumnEntry {
  headers: readonly string[];
  optional: boolean;
  /** Of several columns with the same header which, counting from 1, and of how many; null: there is one. */
  nth: { position: number; count: number } | null;
}

/** Columns that rejected files carry in addition; they belong to no field. */
const OWN_COLUMNS = new Set(["rowferry_row", "rowferry_code", "rowferry_message", "rowferry_hint"]);

export function isOwnColumn(header: string): boolean {
  return OWN_COLUMNS.has(header);
}

export class BoundColumns {
  readonly header: readonly string[];
  readonly #entries: ReadonlyMap<string, ColumnEntry>;
  readonly #exact = new Map<string, number[]>();
  readonly #folded = new Map<string, number[]>();
  readonly #used = new Set<number>();
  readonly #missing = new Map<string, string>();
  readonly #ambiguous = new Map<string, string>();

  /** `entries` by folded name. */
  constructor(header: readonly string[], entries: ReadonlyMap<string, ColumnEntry>) {
    this.header = header;
    this.#entries = entries;
    for (const [index, text] of header.entries()) {
      if (text === "") continue;
      append(this.#exact, squeeze(text), index);
      append(this.#folded, foldName(text), index);
    }
  }

  /** Its position; -1 for an optional column that the file lacks. What is missing or ambiguous is kept for `check`. */
  index(use: ColumnUse): number {
    const [name = ""] = use;
    const entry = this.#entries.get(foldName(name));
    if (entry?.nth != null) return this.#nth(name, entry, entry.nth);
    const names = [...use, ...(entry?.headers ?? [])];
    const found = new Set<number>();
    for (const alternative of names) {
      const exact = this.#exact.get(squeeze(alternative));
      for (const index of exact?.length === 1 ? exact : (exact ?? this.#folded.get(foldName(alternative)) ?? []))
        found.add(index);
    }
    if (found.size === 1) {
      for (const index of found) {
        this.#used.add(index);
        return index;
      }
    }
    if (found.size > 1) {
      const headers = [...found].map((index) => `"${this.header[index]}" (column ${index + 1})`).join(" and ");
      this.#ambiguous.set(name, `"${name}" fits ${headers}`);
    } else if (entry?.optional !== true) {
      const near = names.map((alternative) => nearestName(alternative, this.header)).find((header) => header !== null);
      const known =
        use.length > 1
          ? ` (or ${use
              .slice(1)
              .map((alternative) => `"${alternative}"`)
              .join(", ")})`
          : "";
      this.#missing.set(name, `"${name}"${known}${near == null ? "" : `; the nearest is "${near}"`}`);
    }
    return -1;
  }

  /** Rows that are given by the mapping's own names, as cases are, have a column of that name. */
  #nth(name: string, entry: ColumnEntry, { position, count }: { position: number; count: number }): number {
    const { headers } = entry;
    const [own] = this.#folded.get(foldName(name)) ?? [];
    const found = [...new Set(headers.flatMap((header) => this.#folded.get(foldName(header)) ?? []))].toSorted(
      (one, other) => one - other,
    );
    const index = own ?? (found.length === count ? found[position - 1] : undefined);
    if (index !== undefined) {
      this.#used.add(index);
      return index;
    }
    const what = `"${name}" is column ${position} of ${count} called "${headers.join('" or "')}"`;
    if (found.length > 0) this.#ambiguous.set(name, `${what}, and the file has ${found.length}`);
    else if (!entry.optional) this.#missing.set(name, `${what}, of which the file has none`);
    return -1;
  }

  /** Whether a field that names this column reads the one at `index`. */
  isAt(use: ColumnUse, index: number): boolean {
    return this.index(use) === index;
  }

  /** A mistake that only the header shows, kept for `check`. */
  refuse(message: string): void {
    this.#ambiguous.set(message, message);
  }

  /** Positions of headers that `test` accepts, each counted as used. */
  matching(test: (header: string) => boolean): number[] {
    const indexes: number[] = [];
    for (const [index, text] of this.header.entries()) {
      if (text === "" || isOwnColumn(text) || !test(text)) continue;
      this.#used.add(index);
      indexes.push(index);
    }
    return indexes;
  }

  /** Headers that no field asked for. */
  unmapped(): string[] {
    return this.header.filter((text, index) => text !== "" && !isOwnColumn(text) && !this.#used.has(index));
  }

  /** @throws RowferryError naming every column that was asked for and is missing or ambiguous. */
  check(place: { file: string; sheet: string | null }): void {
    const where = { file: place.file, ...(place.sheet === null ? {} : { sheet: place.sheet }) };
    if (this.#missing.size > 0) {
      const lacking = [...this.#missing.values(), ...[...this.#ambiguous.values()].map((text) => `${text}: ambiguous`)];
      const count = this.#missing.size === 1 ? "a column" : `${this.#missing.size} columns`;
      throw new RowferryError(
        "column-missing",
        `the header lacks ${count} that the mapping reads: ${lacking.join("; ")}`,
        {
          place: where,
        },
      );
    }
    if (this.#ambiguous.size > 0) {
      throw new RowferryError("column-ambiguous", [...this.#ambiguous.values()].join("; "), { place: where });
    }
  }
}

function append(map: Map<string, number[]>, key: string, index: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [index]);
  else list.push(index);
}
