/** Lines as an editor counts them: LF, CR and CRLF each end one. */

/** How many line breaks lie in `text` from `start` up to but not including `end`. */
export function countLineBreaks(text: string, start: number, end: number): number {
  let breaks = 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 10 || (code === 13 && (index + 1 === end || text.charCodeAt(index + 1) !== 10))) breaks++;
  }
  return breaks;
}

/**
 * Where line `line` begins in `text`, whose first line is number 1; -1 when it has fewer lines. A line behind the
 * last line break counts even when it is empty.
 */
export function startOfLine(text: string, line: number): number {
  let position = 0;
  for (let at = 1; at < line; at++) {
    const lf = text.indexOf("\n", position);
    const cr = text.indexOf("\r", position);
    const first = lf === -1 ? cr : cr === -1 ? lf : Math.min(lf, cr);
    if (first === -1) return -1;
    position = first + (text.charCodeAt(first) === 13 && text.charCodeAt(first + 1) === 10 ? 2 : 1);
  }
  return position;
}
