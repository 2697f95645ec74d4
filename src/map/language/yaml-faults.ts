/** What is wrong with a YAML text. For mappings and for settings, which load no formula. */
import type { Document } from "yaml";

/** Blanks that YAML takes for letters: in front of a line, and after a colon. */
const INVISIBLE = /(?:^|:) *[\u00a0\u2000-\u200b\u202f\u3000]/m;

/** In our own words. */
export function yamlFaults(
  text: string,
  { errors, warnings }: Document.Parsed,
): [message: string, hint: string, position: number][] {
  const invisible = errors.length === 0 ? null : INVISIBLE.exec(text);
  if (invisible !== null) {
    const hint = "Use ordinary spaces; such characters come from web pages and chats.";
    const position = invisible.index + invisible[0].length - 1;
    return [["There is an invisible character in place of a space.", hint, position]];
  }
  // What follows the first error comes of it.
  const [first] = errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  return (first === undefined ? warnings.slice(0, 20) : [first]).map(({ code, message: theirs, pos: [position] }) => {
    const line = text.slice(text.lastIndexOf("\n", position - 1) + 1).split("\n", 1)[0] ?? "";
    const fault = / and end with a /.test(theirs) ? "MISSING_CHAR" : code;
    const [message, hint] = yamlFault(fault, text.slice(position, position + 40), line);
    return [message, hint, position];
  });
}

/** Explains a YAML error in our own words; `text`: the text at its place, in its `line`. */
function yamlFault(code: string, text: string, line: string): [message: string, hint: string] {
  const quote =
    "Put quotes around a text that contains : # [ ] { } , & * ! | > @ ` % or quotes: single ones, if it contains double quotes.";
  const known: { [code: string]: [string, string] } = {
    TAG_RESOLVE_FAILED: [
      `YAML reads ${JSON.stringify(text.split(/\s/)[0])} as a tag.`,
      "A formula begins with =, as in =!publish; put other texts in quotes.",
    ],
    TAB_AS_INDENT: ["Tabs cannot indent.", "Use blanks."],
    BAD_INDENT: ["The indentation does not fit.", "Parts of the same thing must begin in the same column."],
    MISSING_CHAR: ["A character is missing here or in the line before: a colon, a comma, a bracket or a quote.", quote],
    BLOCK_AS_IMPLICIT_KEY:
      line.split(/:(?=\s|$)/).length > 2
        ? ['There is a second ": " on this line.', "Put the text in quotes; in formulas iff(test, a, b) needs none."]
        : [
            "The next line is indented more, but this one already has its value.",
            "Parts of the same thing must begin in the same column.",
          ],
    MULTILINE_IMPLICIT_KEY: /^[\w-]+:\S/.test(text)
      ? ["A colon needs a space after it.", `Write ${text.split(/\s/)[0]?.replace(":", ": ")}.`]
      : ["A name without its colon, or a text that continues where it should not.", quote],
    MULTIPLE_DOCS: ["A second document begins here.", "Remove the line ---."],
    NON_STRING_KEY: ["Names must be plain text.", quote],
    DUPLICATE_KEY: ["A name is written twice.", "Remove one of the two."],
    BAD_DQ_ESCAPE: [
      `In double quotes, ${text.slice(0, 2)} has no meaning.`,
      "Use single quotes, in which a backslash is just a backslash: '[A-Z]\\w+'.",
    ],
    BAD_ALIAS: ["An alias (*) without an anchor (&).", quote],
  };
  const [sign = ""] = /^[\p{L}\p{N}]+|^\S?/u.exec(text) ?? [];
  const found = sign === "" ? "The end of the line" : JSON.stringify(sign);
  return (
    known[code] ?? [
      `${found} is not expected here.`,
      /[\]})]/.test(sign) ? `There is one bracket too many: remove it. ${quote}` : quote,
    ]
  );
}
