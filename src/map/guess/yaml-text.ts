/** Writes YAML with comments, laid out as people write mappings: records in blocks, fields in one line. */

export type FlowValue = string | number | boolean | FlowValue[] | { [name: string]: FlowValue | undefined };

export interface Member {
  name: string;
  value: FlowValue | { block: Member[] };
  /** Stands behind the value. */
  note?: string | undefined;
}

function isBlock(value: Member["value"]): value is { block: Member[] } {
  return typeof value === "object" && !Array.isArray(value) && Array.isArray(value["block"]);
}

/** Lines of a block, each ending in a line feed. */
export function writeBlock(members: readonly Member[], depth = 0): string {
  const indent = "  ".repeat(depth);
  return members
    .map(({ name, value, note }) => {
      const behind = note === undefined ? "" : ` # ${oneLine(note)}`;
      const key = `${indent}${scalar(name)}:`;
      return isBlock(value)
        ? `${key}${behind}\n${writeBlock(value.block, depth + 1)}`
        : `${key} ${flow(value)}${behind}\n`;
    })
    .join("");
}

/** A comment of its own, one line or several. */
export function comment(text: string): string {
  return `${text
    .split("\n")
    .map((line) => `# ${oneLine(line)}`.trimEnd())
    .join("\n")}\n`;
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Control}\p{Surrogate}]+/gu, " ").trim();
}

function flow(value: FlowValue): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [`${scalar(name)}: ${flow(member)}`],
    );
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return typeof value === "string" ? scalar(value) : String(value);
}

/** Words and codes go bare; whatever YAML could take for something else is quoted. */
const bare = /^\p{Letter}(?:[\p{Letter}\p{Number} ./()_-]*[\p{Letter}\p{Number})])?$/u;
const otherwise = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function scalar(text: string): string {
  if (bare.test(text) && !otherwise.test(text)) return text;
  const plain = /^[\p{Letter}\p{Number}\p{Punctuation}\p{Symbol} ]+$/u.test(text);
  return plain && text.includes('"') ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
}
