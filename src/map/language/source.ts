/**
 * The text of a mapping file as plain data, with the place of everything in it, and its mistakes, all reported at once.
 * Refuses what is meant to exhaust the reader: sizes, depth, repeated aliases and `__proto__` are bounded before anything else looks at the data.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { type Code, codes } from "../../model/codes.js";
import { ExitCode } from "../../model/exit-code.js";
import { exactNumber, isExactNumber } from "../../model/json.js";
import { MAX_DIGITS } from "../convert/exact.js";
import { shorten } from "../../model/fold.js";
import { withoutTexts } from "../formula/parse.js";
import { RowferryError } from "../../model/error.js";
import { describePlace, type Place } from "../../model/place.js";

/** Names of members and positions in lists, from the root. */
export type Path = readonly (string | number)[];

/** Where a problem is shown: at the member's name or at what it holds (default), `offset` characters further on. */
interface At {
  hint?: string | null;
  at?: "key" | "value";
  offset?: number;
}

const MAX_LENGTH = 256 * 1024;
const MAX_DEPTH = 24;
const MAX_NODES = 40_000;

export class MappingSource {
  readonly path: string;
  /** Plain data; undefined when the text could not be read as YAML. */
  data: unknown;
  /** What YAML may have changed in silence; no mistakes. */
  readonly doubts: MappingProblem[] = [];
  /** Mistakes found so far, in the order found. */
  readonly problems: MappingProblem[] = [];
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #root: ParsedNode | null = null;
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;
  /** The mapping that this one extends. */
  #base: MappingSource | null = null;

  /** `path` is only named in places. `failsafe`: every scalar is text. Never throws; look at `problems`. */
  constructor(path: string, text: string, schema: "core" | "failsafe" = "core") {
    this.path = path;
    this.#text = text;
    if (text.length > MAX_LENGTH) {
      this.#add("mapping-too-large", `The mapping has ${text.length} characters; at most ${MAX_LENGTH} are read.`, 0);
      return;
    }
    const deep = firstTooDeep(text);
    if (deep !== null) {
      this.#add("mapping-too-large", `The mapping is nested deeper than ${MAX_DEPTH} levels.`, deep);
      return;
    }
    const document = parseDocument(text, {
      lineCounter: this.#lines,
      uniqueKeys: false,
      prettyErrors: false,
      strict: true,
      version: "1.2",
      schema,
    });
    for (const { code, pos } of [...document.errors, ...document.warnings].slice(0, 20)) {
      const [message, hint] = yamlFault(code, text.slice(pos[0], pos[0] + 40));
      this.#add("mapping-syntax", message, pos[0], hint);
    }
    if (document.errors.length > 0) return;
    this.#root = document.contents;
    this.data = this.#plain(document.contents, 0);
  }

  /** Takes what `base` says wherever this mapping says nothing; its places count where the parts come from it. */
  extend(base: MappingSource): void {
    this.#base = base;
    this.data = mergeByKey(base.data, this.data);
  }

  /** A problem at every place where this text stands; `message` is given what follows it on the line. */
  lines(text: string, code: Code, message: (rest: string) => string, hint: string): MappingProblem[] {
    return this.#text.split(text).flatMap((_, position, parts) => {
      const before = parts.slice(0, position).join(text);
      const rest = parts[position]?.split("\n")[0]?.trim() ?? "";
      return position === 0 ? [] : [this.#problem(code, message(rest), hint, before.length)];
    });
  }

  report(code: Code, path: Path, message: string, options: At = {}): void {
    this.problems.push(this.describe(code, path, message, options));
  }

  describe(
    code: Code,
    path: Path,
    message: string,
    { hint = null, at = "value", offset = 0 }: At = {},
  ): MappingProblem {
    const source = this.#writing(path);
    return source.#problem(code, message, hint, source.#positionOf(path, at) + offset);
  }

  /** The characters that the node at `path` spans in the file, quotes included; empty where there is none. */
  textAt(path: Path): string {
    const source = this.#writing(path);
    const range = source.#nodeAt(path)?.range;
    return range ? source.#text.slice(range[0], range[1]) : "";
  }

  /** This mapping, or the one that it extends, where more of the path is written there. */
  #writing(path: Path): MappingSource {
    const depth = (source: MappingSource) =>
      path.findLastIndex((_, end) => source.#nodeAt(path.slice(0, end + 1)) !== null);
    return this.#base !== null && depth(this.#base) > depth(this) ? this.#base : this;
  }

  #add(code: Code, message: string, position: number, hint: string | null = null): void {
    this.problems.push(this.#problem(code, message, hint, position));
  }

  #problem(code: Code, message: string, hint: string | null, position: number): MappingProblem {
    const found = this.#lines.lineStarts.length > 0 ? this.#lines.linePos(position) : { line: 1, col: 1 };
    const line = Math.max(1, found.line);
    const character = Math.max(1, found.col);
    return {
      // What would be a problem of a row, in a cell, is a mistake of the mapping here.
      code: codes[code].exit === ExitCode.usage ? code : "mapping-value",
      message,
      hint,
      place: { file: this.path, line, character },
      excerpt: this.#excerpt(line, character),
    };
  }

  #excerpt(line: number, character: number): string | null {
    const start = this.#lines.lineStarts[line - 1];
    if (start === undefined) return null;
    const end = this.#text.indexOf("\n", start);
    const whole = this.#text.slice(start, end < 0 ? undefined : end).replace(/\r$/u, "");
    const from = Math.max(0, character - 80);
    const shown = whole.slice(from, from + 120).replace(/[\p{Cc}]/gu, " ");
    return `    ${shown}\n    ${" ".repeat(character - 1 - from)}^`;
  }

  /** Of the part of the path that is written. */
  #positionOf(path: Path, at: "key" | "value"): number {
    const last = path.at(-1);
    if (last === undefined) return this.#root?.range[0] ?? 0;
    const parent = this.#nodeAt(path.slice(0, -1));
    const pair = isMap(parent) ? this.#pairOf(parent, last) : undefined;
    const value = (isSeq(parent) && typeof last === "number" ? parent.items[last] : pair?.value) as
      | Node
      | null
      | undefined;
    const node = at === "key" ? (pair?.key ?? value) : (value ?? pair?.key);
    return (node as Node | null | undefined)?.range?.[0] ?? this.#positionOf(path.slice(0, -1), "key");
  }

  #nodeAt(path: Path): Node | null {
    let node = this.#resolve(this.#root);
    for (const step of path) {
      if (isMap(node)) node = this.#resolve(this.#pairOf(node, step)?.value as Node | null);
      else if (isSeq(node) && typeof step === "number") node = this.#resolve(node.items[step] as Node | null);
      else return null;
      if (node === null) return null;
    }
    return node;
  }

  /** Its own pair of that name, else one that it merges. */
  #pairOf(map: YAMLMap, name: string | number | undefined): Pair | undefined {
    const own = map.items.find((item) => keyText(item.key) === name && !isMergeKey(item.key));
    if (own !== undefined) return own;
    for (const { key, value } of map.items) {
      if (!isMergeKey(key)) continue;
      const merged = this.#resolve(value as Node | null);
      const maps = (isSeq(merged) ? merged.items : [merged]).map((one) => this.#resolve(one as Node | null));
      const pair = maps.flatMap((one) => (isMap(one) ? one.items : [])).find((item) => keyText(item.key) === name);
      if (pair !== undefined) return pair;
    }
    return undefined;
  }

  #resolve(node: Node | null | undefined): Node | null {
    if (isAlias(node)) return this.#anchors.get(node.source) ?? null;
    return node ?? null;
  }

  /** Plain data with aliases written out; every visit counts, so that aliases of aliases run into the bound. */
  #plain(node: Node | null, depth: number): unknown {
    if (node === null) return null;
    if (++this.#nodes > MAX_NODES || depth > MAX_DEPTH) {
      if (this.problems.length === 0) {
        const what = depth > MAX_DEPTH ? `nested deeper than ${MAX_DEPTH} levels` : `larger than ${MAX_NODES} entries`;
        this.#add("mapping-too-large", `The mapping is ${what}, aliases written out.`, node.range?.[0] ?? 0);
      }
      return null;
    }
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      return target === undefined ? null : this.#plain(target, depth + 1);
    }
    if ("anchor" in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) {
      this.#doubt(node);
      return typeof node.value === "number" ? this.#number(node) : node.value;
    }
    if (isSeq(node)) return node.items.map((item) => this.#plain(item as Node | null, depth + 1));
    if (!isMap(node)) return null;
    const data: { [name: string]: unknown } = {};
    for (const pair of node.items) {
      const name = keyText(pair.key);
      if (isMergeKey(pair.key)) continue;
      const position = (pair.key as Node | null)?.range?.[0] ?? node.range?.[0] ?? 0;
      if (name === null) this.#add("mapping-syntax", "Names of members must be plain text.", position);
      else if (name === "__proto__") this.#add("mapping-syntax", `"__proto__" cannot be a name.`, position);
      else if (Object.hasOwn(data, name)) this.#add("mapping-syntax", `"${name}" is written twice.`, position);
      else data[name] = this.#plain(pair.value as Node | null, depth + 1);
    }
    for (const pair of node.items) if (isMergeKey(pair.key)) this.#merge(data, pair.value as Node | null, depth);
    return data;
  }

  /** What a plain text lost to YAML's own signs. */
  #doubt({ value, comment, type, range }: Scalar): void {
    if (typeof value !== "string" || type !== "PLAIN" || !range) return;
    if (value.startsWith("=") && open(value) > 0) {
      const message = `The formula ${shorten(value)} is cut at a comma, which separates members inside { }.`;
      this.#add("mapping-syntax", message, range[0], "Put it in quotes.");
    } else if (typeof comment === "string" && comment !== "" && !/^\s/.test(comment)) {
      const message = `"#${shorten(comment)}" is a comment here, and no part of "${shorten(value)}".`;
      const hint = "If it belongs to the text: put it in quotes.";
      this.doubts.push(this.#problem("mapping-doubtful", message, hint, range[0]));
    }
  }

  /**
   * A number of just the digits that are written. One whose spelling YAML would change in silence (`007` to 7, `1.10` to
   * 1.1) may have been meant as text, and is refused.
   */
  #number({ source = "", range }: Scalar): unknown {
    if (/^(?:-?(?:[1-9]\d*|0(?=\.))(?:\.\d*[1-9])?|0)$/.test(source) && source.length <= MAX_DIGITS)
      return exactNumber(source);
    const what =
      source.length > MAX_DIGITS ? `has more than ${MAX_DIGITS} digits` : "is read as another number than is written";
    const hint = `Put it in quotes if it is text ("${shorten(source)}"); otherwise write the number plainly, such as 7, 1.1 or 1000.`;
    this.#add("mapping-value", `${shorten(source)} ${what}.`, range?.[0] ?? 0, hint);
    return null;
  }

  /** `<<: *a` or `<<: [*a, *b]`: members that are not written out; of two the first counts. */
  #merge(data: { [name: string]: unknown }, value: Node | null, depth: number): void {
    const merged = this.#plain(value, depth + 1);
    for (const from of [merged].flat()) {
      if (from === null || typeof from !== "object" || Array.isArray(from)) {
        const position = value?.range?.[0] ?? 0;
        if (this.problems.length === 0)
          this.#add("mapping-syntax", "`<<` takes members with names: `<<: *a`, or a list of such.", position);
        return;
      }
      for (const [name, member] of Object.entries(from)) if (!Object.hasOwn(data, name)) data[name] = member;
    }
  }
}

/** How many parentheses stay open outside of texts. */
function open(formula: string): number {
  const code = withoutTexts(formula);
  return code.split("(").length - code.split(")").length;
}

/** Members of both; of values that are no members the second. */
function mergeByKey(base: unknown, own: unknown): unknown {
  const members = (value: unknown): value is { [name: string]: unknown } =>
    value !== null && typeof value === "object" && !Array.isArray(value) && !isExactNumber(value);
  if (!members(base) || !members(own)) return own;
  const merged: { [name: string]: unknown } = { ...base };
  for (const [name, value] of Object.entries(own))
    merged[name] = Object.hasOwn(base, name) ? mergeByKey(base[name], value) : value;
  return merged;
}

/** What is wrong with the YAML, in words of our own; `text`: what stands there. */
function yamlFault(code: string, text: string): [message: string, hint: string] {
  const quote = "Put a text with : # [ ] { } , & * ! | > @ ` % or quotes in it in quotes.";
  const known: { [code: string]: [string, string] } = {
    TAG_RESOLVE_FAILED: [
      `YAML takes ${JSON.stringify(text.split(/\s/)[0])} for a tag.`,
      "A formula begins with =, as in =!publish; put other texts in quotes.",
    ],
    TAB_AS_INDENT: ["A tab cannot indent.", "Use blanks."],
    BAD_INDENT: ["The indentation does not fit.", "Parts of one thing begin in one column."],
    MISSING_CHAR: ["A sign is missing here: a colon, a comma, a bracket or a quote.", quote],
    BLOCK_AS_IMPLICIT_KEY: [
      'A second ": " stands on this line.',
      "Put the text in quotes; in formulas iff(test, a, b) needs none.",
    ],
    MULTILINE_IMPLICIT_KEY: ["A name without its colon, or a text that goes on where it should not.", quote],
    BAD_ALIAS: ["An alias (*) of something that has no anchor (&).", quote],
  };
  return known[code] ?? ["This is not YAML.", quote];
}

/** A plain `<<`; in quotes it is a name like any other. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && (key.type === undefined || key.type === "PLAIN");
}

function keyText(key: unknown): string | null {
  if (!isScalar(key)) return null;
  if (typeof key.value === "string") return key.value;
  // A header may be a number or a date; the file's own spelling is the name.
  return key.source ?? String(key.value);
}

/** Where brackets or indentation go deeper than any honest mapping; the YAML parser would exhaust the stack there. */
function firstTooDeep(text: string): number | null {
  let brackets = 0;
  let position = 0;
  const indents: number[] = [];
  for (const line of text.split("\n")) {
    const indent = line.length - line.trimStart().length;
    if (line.trim() !== "") {
      while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop();
      indents.push(indent);
      if (indents.length > MAX_DEPTH * 2) return position;
    }
    for (let index = 0; index < line.length; index++) {
      const character = line[index];
      if (character === "[" || character === "{") brackets++;
      else if ((character === "]" || character === "}") && brackets > 0) brackets--;
      if (brackets > MAX_DEPTH * 8) return position + index;
    }
    if (/^\s*(?:[-?] ?){64}/u.test(line)) return position;
    position += line.length + 1;
  }
  return null;
}

export interface MappingProblem {
  code: Code;
  /** The cause in a sentence. */
  message: string;
  /** What to write instead; null when the message says it all. */
  hint: string | null;
  place: Place;
  /** The line of the file, and below it a caret under the place; null when there is no such line. */
  excerpt: string | null;
}

/** How many mistakes are written out; a file with more of them is of another kind altogether. */
const SHOWN = 50;

/** The one error for all mistakes of a mapping, or of its cases. `problems` must not be empty. */
export function mappingError(
  problems: readonly MappingProblem[],
  path: string,
  of: "the mapping" | "the cases" = "the mapping",
): RowferryError {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) {
    const message = first.excerpt === null ? first.message : `${first.message}\n${first.excerpt}`;
    return new RowferryError(first.code, message, {
      place: first.place,
      ...(first.hint === null ? {} : { hint: first.hint }),
    });
  }
  const shown = problems.slice(0, SHOWN).map(describeMappingProblem);
  if (problems.length > SHOWN) shown.push(`… and ${problems.length - SHOWN} more`);
  return new RowferryError("mapping-invalid", `${problems.length} mistakes in ${of}:\n${shown.join("\n")}`, {
    place: { file: path },
  });
}

/** Place, message, caret line and hint, over several lines. */
export function describeMappingProblem(problem: MappingProblem): string {
  const { place, message, excerpt, hint } = problem;
  return [`${describePlace(place)}: ${message}`, excerpt, hint && `    ${hint}`]
    .filter((line) => line !== null)
    .join("\n");
}
