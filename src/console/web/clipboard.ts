/** Clipboard blocks of spreadsheets: tabs, line ends, and quotes around cells with either. */

const cells = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n?|\n|$)/g;

export function readBlock(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, bare = "", end] of text.matchAll(cells)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === "") break;
    if (end !== "\t") lines.push([]);
  }
  // Spreadsheets also end the last line.
  if (lines.at(-1)?.join("\t") === "") lines.pop();
  return lines;
}

/** A blank last line is ended, because it would not be read otherwise. */
export function writeBlock(lines: readonly (readonly string[])[]): string {
  const written = (cell: string) => (/["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const text = lines.map((line) => line.map(written).join("\t")).join("\n");
  return /(^|\n)$/.test(text) ? `${text}\n` : text;
}
