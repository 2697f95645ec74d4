/** Regular expressions of mappings: RE2, whose time is proportional to the text. */
import { RE2JS } from "re2js";

const MAX_LENGTH = 1000;
const MAX_PROGRAM = 20_000;

export interface RegularExpression {
  /** Whether the whole text matches. */
  matchesWhole(text: string): boolean;
  /** Whether some part of the text matches. */
  matchesPart(text: string): boolean;
  /** The text with every match replaced; `$1` stands for a group. */
  replace(text: string, replacement: string): string;
  /** The first match, or its first group where it has groups; "" where nothing matches. */
  extract(text: string): string;
}

/** @throws Error with a sentence about what is wrong with the pattern. */
export function compileRegularExpression(pattern: string): RegularExpression {
  if (pattern.length > MAX_LENGTH)
    throw new Error(`the pattern has ${pattern.length} characters; at most ${MAX_LENGTH} are allowed`);
  const compiled = RE2JS.compile(pattern);
  if (compiled.programSize() > MAX_PROGRAM)
    throw new Error("the pattern is too large once its repetitions are written out");
  return {
    matchesWhole: (text) => compiled.testExact(text),
    matchesPart: (text) => compiled.test(text),
    replace: (text, replacement) => compiled.matcher(text).replaceAll(replacement),
    extract: (text) => {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return "";
      return matcher.group(compiled.groupCount() > 0 ? 1 : 0) ?? "";
    },
  };
}
