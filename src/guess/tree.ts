/** Writes a draft as YAML, with short records on one line and comments beside their values. */

/** A value with its comments. */
export class Said {
  readonly value: Tree;
  readonly above: readonly string[];
  readonly behind: string;

  constructor(value: Tree, above: readonly string[] = [], behind = "") {
    this.value = value;
    this.above = above;
    this.behind = behind;
  }
}

export type Tree = string | number | boolean | null | undefined | Said | readonly Tree[] | Trees;
export interface Trees {
  [name: string]: Tree;
}

const LONGEST = 110;

export function write(members: Trees, indent = ""): string {
  const lines = Object.entries(members).map(([name, member]) => {
    if (member === undefined) return "";
    const { value, above, behind } = member instanceof Said ? member : new Said(member);
    const head = [...above.map((line) => `# ${oneLine(line)}`), `${scalar(name)}:`].map((line) => indent + line);
    const note = behind === "" ? "" : ` # ${oneLine(behind)}`;
    const short = isBlock(value) && indent === "" ? null : flow(value);
    const below = isBlock(value) && (short === null || short.length > LONGEST);
    return `${head.join("\n")}${below ? `${note}\n${write(value, `${indent}  `)}` : ` ${short}${note}\n`}`;
  });
  return lines.join("");
}

const isBlock = (value: Tree): value is Trees => typeof value === "object" && value !== null && !Array.isArray(value);

/** Null: it does not fit on one line. */
function flow(value: Tree): string | null {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (!isBlock(value)) return typeof value === "string" ? scalar(value) : String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.some(([, member]) => member instanceof Said || (isBlock(member) && Object.values(member).some(isBlock))))
    return null;
  return members.length === 0
    ? "{}"
    : `{ ${members.map(([name, member]) => `${scalar(name)}: ${flow(member)}`).join(", ")} }`;
}

/** Keeps line breaks, controls and direction marks from leaving the line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Control}\p{Surrogate}\p{Format}]+/gu, " ").trim();
}

/** Words, codes and formulas of one name stay unquoted; everything that YAML could misread is quoted. */
const bare = /^(?:=[a-z][a-z0-9_.]*|\p{Letter}(?:[\p{Letter}\p{Number} ./()_-]*[\p{Letter}\p{Number})])?)$/u;
const otherwise = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function scalar(text: string) {
  if (bare.test(text) && !otherwise.test(text)) return text;
  const plain = /^[\p{Letter}\p{Number}\p{Punctuation}\p{Symbol} ]+$/u.test(text);
  return plain && text.includes('"') ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
}
