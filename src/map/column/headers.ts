/** Finds a mapping's columns in a file's header. */
import { RowferryError } from "../../model/error.js";
import { foldName, squeeze } from "../../model/fold.js";
import { isOwnColumn } from "../../model/own-columns.js";
import { nearestName } from "../nearest.js";

export interface HeaderUse {
  name: string;
  headers: readonly string[];
  optional: boolean;
  /** Which of several columns with the same header, from 1, and how many there are. */
  nth: { position: number; count: number } | null;
  /** Whether it reads as a formula over columns, whose = was forgotten. */
  isFormula: boolean;
}

export class Headers {
  readonly header: readonly string[];
  /** Optional columns that the file lacks, by the first of their headers. */
  readonly absent: string[] = [];
  readonly missing: string[] = [];
  readonly ambiguous: string[] = [];
  readonly #exact: ReadonlyMap<string, readonly number[]>;
  readonly #folded: ReadonlyMap<string, readonly number[]>;
  readonly #used = new Set<number>();

  constructor(header: readonly string[]) {
    this.header = header;
    const filled = [...header.keys()].filter((index) => header[index] !== "");
    const grouped = (fold: (text: string) => string) => Map.groupBy(filled, (index) => fold(header[index] ?? ""));
    this.#exact = grouped(squeeze);
    this.#folded = grouped(foldName);
  }

  /** -1: an optional column that the file lacks, or one that is `missing` or `ambiguous`. */
  index(use: HeaderUse): number {
    const { nth, name, headers, optional } = use;
    const index = nth === null ? this.#only(use) : this.#nth(use, nth);
    if (index >= 0) this.#used.add(index);
    else if (optional) this.absent.push((nth === null ? headers[0] : name) ?? name);
    return index;
  }

  #only({ name: column, headers, optional, isFormula }: HeaderUse): number {
    const named = (name: string) => this.#exact.get(squeeze(name)) ?? this.#folded.get(foldName(name)) ?? [];
    const found = new Set(headers.flatMap(named));
    const [first = -1] = found;
    if (found.size === 1) return first;
    const [name = "", ...others] = headers;
    if (found.size > 1) {
      const fits = [...found].map((index) => `"${this.header[index]}" (column ${index + 1})`).join(" and ");
      this.ambiguous.push(`"${name}" matches ${fits}`);
    } else if (!optional) {
      const near = headers.map((header) => nearestName(header, this.header)).find((header) => header !== null);
      const known = others.length > 0 ? ` (or ${others.map((header) => `"${header}"`).join(", ")})` : "";
      const meant = isFormula ? `; a formula begins with =: \`${column}: =${name}\`` : "";
      this.missing.push(`"${name}"${known}${near == null ? meant : `; the nearest is "${near}"`}`);
    }
    return -1;
  }

  /** Cases use the mapping's own names as headers, so such a column may occur once. */
  #nth({ name, headers, optional }: HeaderUse, { position, count }: { position: number; count: number }): number {
    const [own] = this.#folded.get(foldName(name)) ?? [];
    const named = (header: string) => this.#folded.get(foldName(header)) ?? [];
    const found = [...new Set(headers.flatMap(named))].toSorted((one, other) => one - other);
    if (found.length === count) return found[position - 1] ?? -1;
    if (own !== undefined && !found.includes(own)) return own;
    const what = `"${name}" is column ${position} of ${count} called "${headers.join('" or "')}"`;
    if (found.length > 0) this.ambiguous.push(`${what}, and the file has ${found.length}`);
    else if (!optional) this.missing.push(`${what}, but the file has none of them`);
    return -1;
  }

  /** Sorted by name, because the order of a file's columns means nothing; all count as used. */
  matching(test: (header: string) => boolean): number[] {
    const at = (index: number) => this.header[index] ?? "";
    const indexes = [...this.header.keys()].filter(
      (index) => at(index) !== "" && !isOwnColumn(at(index)) && test(at(index)),
    );
    for (const index of indexes) this.#used.add(index);
    return indexes.toSorted((a, b) => (at(a) < at(b) ? -1 : 1));
  }

  unmapped(): string[] {
    return this.header.filter((text, index) => text !== "" && !isOwnColumn(text) && !this.#used.has(index));
  }

  /** @throws RowferryError naming every missing or ambiguous column. */
  check({ file, sheet }: { file: string; sheet: string | null }): void {
    const place = { file, ...(sheet !== null && { sheet }) };
    const { missing, ambiguous } = this;
    if (missing.length > 0) {
      const lacking = [...missing, ...ambiguous.map((text) => `${text}: ambiguous`)].join("; ");
      const count = missing.length === 1 ? "a column" : `${missing.length} columns`;
      throw new RowferryError("column-missing", `the header lacks ${count} that the mapping reads: ${lacking}`, {
        place,
      });
    }
    if (ambiguous.length > 0) throw new RowferryError("column-ambiguous", ambiguous.join("; "), { place });
  }
}
