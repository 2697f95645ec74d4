/** Texts: folded so that what a person would call the same is equal, shortened for messages, and cut. */

/** Trims, and turns inner white space into single spaces. */
export function squeeze(text: string): string {
  return text.trim().replace(/\s+/gu, " ");
}

/** White space, case and accents folded, and invisible characters dropped: `" Nº  da  NOTA"` → `nº da nota`. For headers and lookups. */
export function foldName(text: string): string {
  return squeeze(text.normalize("NFD").replace(/[\p{M}\p{Cf}]+/gu, ""))
    .normalize("NFC")
    .toLowerCase();
}

/** Like `foldName`, after NFKC, which unifies full-width and composed forms. For identities (H30). */
export function foldIdentity(text: string): string {
  return foldName(text.normalize("NFKC"));
}

/** At most so many characters, whole ones; `…` marks a cut. */
export function shorten(value: unknown, most = 80): string {
  const text = String(value);
  if (text.length <= most) return text;
  // A character is at most two units long.
  const characters = Array.from(text.slice(0, 2 * most + 2));
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join("")}…`;
}

/** The first texts, and how many more. */
export function listed(texts: readonly string[], most: number): string {
  const more = texts.length - most;
  return texts.slice(0, most).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

/** For names that end in numbers: 9 before 10. */
export const byNumber = new Intl.Collator("en", { numeric: true });

/** Removes trailing characters of `set`. A pattern such as `/0+$/` takes quadratic time. */
export function stripEnd(text: string, set: string): string {
  let end = text.length;
  while (end > 0 && set.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The engine copies shorter texts anyway. */
const SHORTEST_SLICE = 13;

/** A copy of a text that is kept: a cell is a slice that keeps its whole chunk of the file in memory. */
export function detachText(text: string): string {
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, "utf16le").toString("utf16le");
}
