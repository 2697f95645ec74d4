/** Writes YAML with comments, laid out as people write mappings: records in blocks, fields in one line. */

export type Flow = string | number | boolean | null | Flow[] | { [name: string]: Flow | undefined };

export interface Member {
  name: string;
  value: Flow | Block;
  /** Comments of their own, above the member. */
  above?: readonly string[];
  /** Stands behind the value. */
  note?: string;
}

/** Members below each other. */
export class Block {
  readonly members: Member[];

  constructor(members: Member[]) {
    this.members = members;
  }

  add(name: string, value: Member["value"], more: { above?: readonly string[]; note?: string } = {}): void {
    this.members.push({ name, value, ...more });
  }

  /** Lines, each ending in a line feed. */
  write(indent = ""): string {
    const lines = this.members.map(({ name, value, above = [], note = "" }) => {
      const head = above.map((line) => `${indent}# ${oneLine(line)}\n`).join("");
      const behind = note === "" ? "" : ` # ${oneLine(note)}`;
      const rest = value instanceof Block ? `${behind}\n${value.write(`${indent}  `)}` : ` ${flow(value)}${behind}\n`;
      return `${head}${indent}${scalar(name)}:${rest}`;
    });
    return lines.join("");
  }
}

/** A text that no line break, control or direction mark leaves its line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Control}\p{Surrogate}\p{Format}]+/gu, " ").trim();
}

function flow(value: Flow): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (value === null || typeof value !== "object") return typeof value === "string" ? scalar(value) : String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const written = members.map(([name, member]) => `${scalar(name)}: ${flow(member as Flow)}`).join(", ");
  return written === "" ? "{}" : `{ ${written} }`;
}

/** Words, codes and formulas of one name go bare; whatever YAML could take for something else is quoted. */
const bare = /^(?:=[a-z][a-z0-9_.]*|\p{Letter}(?:[\p{Letter}\p{Number} ./()_-]*[\p{Letter}\p{Number})])?)$/u;
const otherwise = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function scalar(text: string): string {
  if (bare.test(text) && !otherwise.test(text)) return text;
  const plain = /^[\p{Letter}\p{Number}\p{Punctuation}\p{Symbol} ]+$/u.test(text);
  return plain && text.includes('"') ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
}
