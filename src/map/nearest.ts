import { foldName } from "../model/fold.js";

/** Null: more than a third of the letters differ, or a word is another one. Compares folded names of up to 80 characters. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = foldName(name.slice(0, 80));
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const other = foldName(candidate.slice(0, 80));
    const distance = Math.abs(wanted.length - other.length) < least ? editDistance(wanted, other) : least;
    if (distance < least && !haveOtherWords(wanted, other)) [best, least] = [candidate, distance];
  }
  return best;
}

/** `From Email Address` and `To Email Address`: as many words, and one of them is another. */
function haveOtherWords(one: string, other: string): boolean {
  const [words, others] = [one, other].map((text) => text.split(/[^\p{L}\p{M}\p{N}]+/u)) as [string[], string[]];
  const isOther = (word: string, at: number) =>
    editDistance(word, others[at] ?? "") > Math.max(2, Math.floor(word.length / 2));
  return words.length > 1 && words.length === others.length && words.some(isOther);
}

/** Swapped neighbours count once. */
function editDistance(a: string, b: string) {
  const costs: number[][] = [];
  const cost = (i: number, j: number) => costs[i]?.[j] ?? Infinity;
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = [];
    costs.push(row);
    for (let j = 0; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? cost(i - 2, j - 2) + 1 : Infinity;
      row.push(
        i * j === 0 ? i + j : Math.min(cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + change, swapped),
      );
    }
  }
  return cost(a.length, b.length);
}

/** ` Did you mean "taxId"?`, or "". */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  return near === null ? "" : ` Did you mean "${near}"?`;
}
