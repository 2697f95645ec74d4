/** What counts as nothing in a cell. */

const NO_BREAK_SPACE = 0xa0;

/** A cell's text, trimmed; "" for any of the blank words. `words` are compared exactly after trimming. */
export function compileBlank(words: readonly string[], trim: boolean): (cell: string) => string {
  const blank = new Set(words.map((word) => (trim ? word.trim() : word)));
  const longest = Math.max(0, ...[...blank].map((word) => word.length));
  return (cell) => {
    const length = cell.length;
    if (length === 0) return "";
    const first = cell.charCodeAt(0);
    const last = cell.charCodeAt(length - 1);
    const outer = first <= 32 || last <= 32 || first >= NO_BREAK_SPACE || last >= NO_BREAK_SPACE;
    const text = trim && outer ? cell.trim() : cell;
    return text.length <= longest && blank.has(text) ? "" : text;
  };
}
