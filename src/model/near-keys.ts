/** Keys that differ only by case, width or leading zeros: `K1`, `k1`, `Ｋ1`; `007`, `7`. Often they are one. */

/** The same text for all keys that are nearly equal. */
export function foldKey(key: string): string {
  const folded = key.normalize("NFKC").trim().toUpperCase();
  let zeros = 0;
  while (zeros < folded.length - 1 && folded[zeros] === "0") zeros += 1;
  return folded.slice(zeros);
}

/** Not equal, and yet nearly. */
export function areNearlyEqual(one: string, other: string): boolean {
  return one !== other && foldKey(one) === foldKey(other);
}
