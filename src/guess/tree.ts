/** Writes a draft as YAML, with short records on one line and comments next to their values. */
import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

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

export function write(members: Trees): string {
  return textOf(mapOf(members));
}

const textOf = (node: Node) => new Document(node, { compat: "yaml-1.1" }).toString({ lineWidth: 0 });

const isBlock = (value: Tree): value is Trees => typeof value === "object" && value !== null && !Array.isArray(value);

function mapOf(members: Trees): YAMLMap {
  const map = new YAMLMap();
  for (const [name, member] of Object.entries(members)) {
    if (member === undefined) continue;
    const { value, above, behind } = member instanceof Said ? member : new Said(member);
    const [key, node] = [nodeOf(name), nodeOf(value)];
    key.commentBefore = above.map(comment).join("\n");
    if (behind !== "")
      node[node instanceof YAMLMap && node.flow !== true ? "commentBefore" : "comment"] = comment(behind);
    map.items.push(new Pair(key, node));
  }
  return map;
}

function nodeOf(value: Tree): Node {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map(nodeOf);
    list.flow = true;
    return list;
  }
  if (!isBlock(value)) {
    const scalar = new Scalar(value);
    // Quotes in front would look forgotten.
    if (typeof value === "string" && !/^[\p{Letter}=]/u.test(value))
      scalar.type = value.includes('"') ? "QUOTE_SINGLE" : "QUOTE_DOUBLE";
    return scalar;
  }
  const map = mapOf(value);
  const members = Object.values(value);
  const isFlat = (one: Tree) => !(one instanceof Said) && !(isBlock(one) && Object.values(one).some(isBlock));
  map.flow = true;
  map.flow = members.every(isFlat) && textOf(map).length <= LONGEST;
  return map;
}

const comment = (line: string): string => ` ${oneLine(line)}`;

/** Keeps line breaks, controls and direction marks from leaving the line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Control}\p{Surrogate}\p{Format}]+/gu, " ").trim();
}
