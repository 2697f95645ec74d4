/** Removes trailing characters of `set`. A pattern such as `/0+$/` takes quadratic time. */
export function stripEnd(text: string, set: string): string {
  let end = text.length;
  while (end > 0 && set.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
