import { foldName } from "../model/fold.js";

/** Null: more than a third of the letters differ. Compares folded names of up to 80 characters. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = foldName(name.slice(0, 80));
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const other = foldName(candidate.slice(0, 80));
    const distance = Math.abs(wanted.length - other.length) < least ? editDistance(wanted, other) : least;
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
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
