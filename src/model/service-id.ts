/** Ids are data (H43): one from a cell or the service may be anything, and becomes part of a URL. */

const LONGEST = 1024;

/** For a sentence that begins with the id's name; null: usable. */
export function idFault(id: string): string | null {
  if (id === "") return "is blank";
  if (id.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/[\p{Control}\p{Format}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}]/u.test(id))
    return "holds a control character, or half of a character";
  if (id.trim() !== id) return "begins or ends with a blank";
  // However often something on the way decodes it.
  const decoded = id.replace(/%(?:25)*2e/gi, ".").replace(/%(?:25)*(?:2f|5c)|\\/gi, "/");
  return decoded.split("/").some((part) => part === "." || part === "..") ? "would lead to another address" : null;
}
