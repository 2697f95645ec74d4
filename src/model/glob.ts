/** Patterns of file and column names: `*` any run of characters, `?` one. Case, accents and white space do not count. */
import { RE2JS } from "re2js";
import { foldName } from "./fold.js";

const wildcards: Record<string, string> = { "*": ".*", "?": "." };

/** RE2, whose time is proportional to the name. */
export function compileGlob(pattern: string): (name: string) => boolean {
  const written = foldName(pattern).replaceAll(/[*?]|[^*?]+/g, (part) => wildcards[part] ?? RE2JS.quote(part));
  const compiled = RE2JS.compile(written, RE2JS.DOTALL);
  return (name) => compiled.matches(foldName(name));
}
