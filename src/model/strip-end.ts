/** The text without the characters of `set` at its end. As a pattern (`/0+$/`) this takes quadratic time. */
export function stripEnd(text: string, set: string): string {
  let end = text.length;
  while (end > 0 && set.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
