/** Texts that a person would call the same: white space, case and accents do not count; and texts cut short for a message. */

/** Outer white space gone, inner runs one space. */
export function squeeze(text: string): string {
  return text.trim().replace(/\s+/gu, " ");
}

/** White space, case and accents folded: `" Nº  da  NOTA"` → `nº da nota`. For headers and lookups. */
export function foldName(text: string): string {
  return squeeze(text.normalize("NFD").replace(/\p{M}+/gu, ""))
    .normalize("NFC")
    .toLowerCase();
}

/** As `foldName`, after NFKC, so that full-width and composed forms meet. For identities (HARD-CASES H30). */
export function foldIdentity(text: string): string {
  return foldName(text.normalize("NFKC"));
}

/** At most 80 characters of a value, for a message. */
export function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : String(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** The first texts of a list, and how many more there are. */
export function listed(texts: readonly string[], most: number): string {
  const more = texts.length - most;
  return texts.slice(0, most).join(", ") + (more > 0 ? `, and ${more} more` : "");
}
