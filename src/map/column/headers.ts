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
  /** Whether a blank cell takes the value above. */
  fillsDown: boolean;
}

/** `hint`: undefined: that of the code. */
interface Ambiguity {
  message: string;
  hint?: string | undefined;
}

export type Headers = ReturnType<typeof openHeaders>;

const SEVERAL_LISTED =
  "A file must have exactly one of the headers that `header` lists. If this file means two columns, name each under `columns:`; otherwise remove the wrong header from the list.";
const OTHER_COUNT = "Give `nth` the number of columns that the file has, or correct the file's header.";

export function openHeaders(header: readonly string[]) {
  /** Optional columns that the file lacks, by the first of their headers. */
  const absent: string[] = [];
  const missing: string[] = [];
  const ambiguous: Ambiguity[] = [];
  const used = new Set<number>();
  const at = (index: number) => header[index] ?? "";
  const filled = [...header.keys()].filter((index) => at(index) !== "");
  const grouped = (fold: (text: string) => string) => {
    const groups = Map.groupBy(filled, (index) => fold(at(index)));
    return (text: string) => groups.get(fold(text));
  };
  const exact = grouped(squeeze);
  const folded = grouped((text) => foldName(text).replace(/[‘’]/g, "'"));

  function only({ name: column, headers, optional, isFormula }: HeaderUse): number {
    const found = new Set(headers.flatMap((text) => exact(text) ?? folded(text) ?? []));
    const [first = -1] = found;
    if (found.size === 1) return first;
    const [name = "", ...others] = headers;
    const known = others.length > 0 ? ` (or ${others.map((text) => `"${text}"`).join(", ")})` : "";
    if (found.size > 1) {
      const fits = [...found].map((index) => `"${header[index]}" (column ${index + 1})`).join(" and ");
      const isOne = headers.some((text) => [...found].every((index) => foldName(at(index)) === foldName(text)));
      ambiguous.push({ message: `"${name}"${known} matches ${fits}`, hint: isOne ? undefined : SEVERAL_LISTED });
    } else if (!optional) {
      const near = headers.map((text) => nearestName(text, header)).find((text) => text !== null);
      const meant = isFormula ? `; a formula begins with =: \`${column}: =${name}\`` : "";
      missing.push(`"${name}"${known}${near == null ? meant : `; the nearest is "${near}"`}`);
    }
    return -1;
  }

  /** Cases use the mapping's own names as headers, so such a column may occur once. */
  function nthOf({ name, headers, optional }: HeaderUse, { position, count }: NonNullable<HeaderUse["nth"]>): number {
    const [own] = folded(name) ?? [];
    const all = new Set(headers.flatMap((text) => folded(text) ?? []));
    const found = [...all].toSorted((one, other) => one - other);
    if (found.length === count) return found[position - 1] ?? -1;
    if (own !== undefined && !all.has(own)) return own;
    const what = `"${name}" is column ${position} of ${count} called "${headers.join('" or "')}"`;
    if (found.length > 0) ambiguous.push({ message: `${what}, and the file has ${found.length}`, hint: OTHER_COUNT });
    else if (!optional) missing.push(`${what}, but the file has none of them`);
    return -1;
  }

  return {
    absent,
    missing,
    ambiguous,
    /** -1: an optional column that the file lacks, or one that is `missing` or `ambiguous`. */
    index(use: HeaderUse): number {
      const { nth, name, headers, optional } = use;
      const index = nth === null ? only(use) : nthOf(use, nth);
      if (index >= 0) used.add(index);
      else if (optional) absent.push((nth === null ? headers[0] : name) ?? name);
      return index;
    },
    /** Sorted by name, because the order of a file's columns means nothing; all count as used. */
    matching(test: (text: string) => boolean): number[] {
      const indexes = filled.filter((index) => !isOwnColumn(at(index)) && test(at(index)));
      for (const index of indexes) used.add(index);
      return indexes.toSorted((a, b) => (at(a) < at(b) ? -1 : 1));
    },
    unmapped: (): string[] => header.filter((text, index) => text !== "" && !isOwnColumn(text) && !used.has(index)),
    /** @throws RowferryError naming every missing or ambiguous column. */
    check({ file, sheet }: { file: string; sheet: string | null }): void {
      const place = { file, sheet: sheet ?? undefined };
      if (missing.length > 0) {
        const lacking = [...missing, ...ambiguous.map(({ message }) => `${message}: ambiguous`)].join("; ");
        const count = missing.length === 1 ? "a column" : `${missing.length} columns`;
        const message = `the header lacks ${count} that the mapping reads: ${lacking}`;
        const hint =
          missing.length > used.size
            ? "If the file's header is in another row, name it in the input, as in `header: 2`. If a text file's delimiter is not what `csv: { delimiter }` says, correct that, or leave it out to detect it. Otherwise correct the names in the mapping."
            : undefined;
        throw new RowferryError("column-missing", message, { place, hint });
      }
      const [first] = ambiguous;
      if (first === undefined) return;
      const message = ambiguous.map((one) => one.message).join("; ");
      throw new RowferryError("column-ambiguous", message, { place, hint: first.hint });
    },
  };
}
