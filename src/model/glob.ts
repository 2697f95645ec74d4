/** Patterns of file and column names: `*` any run of characters, `?` one. Case, accents and white space do not count. */
import { foldName } from "./fold.js";

/** At worst the time is proportional to pattern × name. */
export function compileGlob(pattern: string): (name: string) => boolean {
  const folded = foldName(pattern);
  return (name) => matches(folded, foldName(name));
}

function matches(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    if (p < pattern.length && pattern[p] !== "*" && (pattern[p] === "?" || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (p < pattern.length && pattern[p] === "*") {
      star = p++;
      resume = n;
    } else if (star >= 0) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
