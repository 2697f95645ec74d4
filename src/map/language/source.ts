/**
 * The text of a mapping as plain data, with the place of everything in it and all mistakes at once. Bounds size and depth,
 * and refuses aliases and `__proto__`, before anything else reads the data.
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

/** From the root. */
export type Path = readonly (string | number)[];

/** `offset`: characters after the name or, by default, the value. */
interface At {
  hint?: string | null;
  at?: "key" | "value";
  offset?: number;
}

/** Blanks that YAML takes for letters: in front of a line, and after a colon. */
const INVISIBLE = /(?:^|:) *[\u00a0\u2000-\u200b\u202f\u3000]/m;
const MAX_LENGTH = 256 * 1024;
const MAX_DEPTH = 24;
const MAX_NODES = 40_000;

export class MappingSource {
  readonly path: string;
  /** Undefined: not readable as YAML. */
  data: unknown;
  /** Texts that YAML may have changed silently; warnings. */
  readonly doubts: MappingProblem[] = [];
  readonly problems: MappingProblem[] = [];
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #root: ParsedNode | null = null;
  #nodes = 0;
  #base: MappingSource | null = null;

  /** `failsafe`: every scalar is text. Never throws; see `problems`. */
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
    const faults = [...document.errors, ...document.warnings].slice(0, 20);
    const invisible = document.errors.length === 0 ? null : INVISIBLE.exec(text);
    if (invisible !== null) {
      const hint = "Write blanks; such signs come from web pages and chats.";
      this.#add(
        "mapping-syntax",
        "An invisible sign stands in the place of a blank.",
        invisible.index + invisible[0].length - 1,
        hint,
      );
    } else
      for (const [at, { code, pos }] of faults.entries()) {
        // One mistake has several faults at one place.
        if (pos[0] === faults[at - 1]?.pos[0]) continue;
        const line = text.slice(text.lastIndexOf("\n", pos[0] - 1) + 1).split("\n", 1)[0] ?? "";
        const [message, hint] = yamlFault(code, text.slice(pos[0], pos[0] + 40), line);
        this.#add("mapping-syntax", message, pos[0], hint);
      }
    if (document.errors.length > 0) return;
    this.#root = document.contents;
    this.data = this.#plain(document.contents, 0);
  }

  /** Fills gaps with the settings of `base`; their places refer to its file. */
  extend(base: MappingSource): void {
    this.#base = base;
    this.data = mergeByKey(base.data, this.data);
  }

  /** A problem wherever this text occurs; `message` gets the rest of the line. */
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

  /** Includes quotes; "" if there is no such node. */
  textAt(path: Path): string {
    const source = this.#writing(path);
    const range = source.#nodeAt(path)?.range;
    return range ? source.#text.slice(range[0], range[1]) : "";
  }

  /** This mapping or its base, whichever has more of the path. */
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
      // A code of rows becomes a mistake of the mapping.
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

  #positionOf(path: Path, at: "key" | "value"): number {
    const last = path.at(-1);
    if (last === undefined) return this.#root?.range[0] ?? 0;
    const parent = this.#nodeAt(path.slice(0, -1));
    const pair = isMap(parent) ? pairOf(parent, last) : undefined;
    const value = (isSeq(parent) && typeof last === "number" ? parent.items[last] : pair?.value) as
      | Node
      | null
      | undefined;
    const node = at === "key" ? (pair?.key ?? value) : (value ?? pair?.key);
    return (node as Node | null | undefined)?.range?.[0] ?? this.#positionOf(path.slice(0, -1), "key");
  }

  #nodeAt(path: Path): Node | null {
    let node: unknown = this.#root;
    for (const step of path) {
      if (isMap(node)) node = pairOf(node, step)?.value;
      else node = isSeq(node) && typeof step === "number" ? node.items[step] : null;
      if (node == null) return null;
    }
    return node as Node | null;
  }

  #plain(node: Node | null, depth: number): unknown {
    if (node === null) return null;
    if (++this.#nodes > MAX_NODES || depth > MAX_DEPTH) {
      if (this.problems.length === 0) {
        const what = depth > MAX_DEPTH ? `nested deeper than ${MAX_DEPTH} levels` : `larger than ${MAX_NODES} entries`;
        this.#add("mapping-too-large", `The mapping is ${what}.`, node.range?.[0] ?? 0);
      }
      return null;
    }
    if (isAlias(node)) {
      const hint = /[.*]/.test(node.source)
        ? `Put it in quotes: "*${shorten(node.source)}".`
        : "Write it out. Columns, participants and addresses may stand at the top, for all inputs; `extends` shares between files.";
      this.#add("mapping-syntax", `The alias *${node.source} is not read here.`, node.range?.[0] ?? 0, hint);
      return null;
    }
    if (isScalar(node)) {
      this.#doubt(node);
      return typeof node.value === "number" ? this.#number(node) : node.value;
    }
    if (isSeq(node)) return node.items.map((item) => this.#plain(item as Node | null, depth + 1));
    if (!isMap(node)) return null;
    const data: { [name: string]: unknown } = {};
    for (const pair of node.items) {
      const name = keyText(pair.key);
      const position = (pair.key as Node | null)?.range?.[0] ?? node.range?.[0] ?? 0;
      if (name === null) this.#add("mapping-syntax", "Names must be plain text.", position);
      else if (name === "__proto__") this.#add("mapping-syntax", `"__proto__" cannot be a name.`, position);
      else if (Object.hasOwn(data, name)) this.#add("mapping-syntax", `"${name}" is written twice.`, position);
      else data[name] = this.#plain(pair.value as Node | null, depth + 1);
    }
    return data;
  }

  /** Text that YAML cut off or took as a sign. */
  #doubt({ value, comment, type, range }: Scalar): void {
    if (typeof value !== "string" || type !== "PLAIN" || !range) return;
    if (value.startsWith("=") && open(value) > 0) {
      const message = `The formula ${shorten(value)} is cut at a comma, which separates entries inside { }.`;
      this.#add("mapping-syntax", message, range[0], "Put it in quotes.");
    } else if (typeof comment === "string" && comment !== "" && !/^\s/.test(comment)) {
      const message = `"#${shorten(comment)}" is a comment here, and not part of "${shorten(value)}".`;
      const hint = "If it belongs to the text: put it in quotes.";
      this.doubts.push(this.#problem("mapping-doubtful", message, hint, range[0]));
    }
  }

  /**
   * Keeps exactly the written digits. A number that YAML would respell silently (`007`, `1.10`) may be meant as text,
   * and is refused.
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
}

/** Open parentheses outside texts. */
function open(formula: string): number {
  const code = withoutTexts(formula);
  return code.split("(").length - code.split(")").length;
}

/** Merges objects; otherwise the second value wins. */
function mergeByKey(base: unknown, own: unknown): unknown {
  const members = (value: unknown): value is { [name: string]: unknown } =>
    value !== null && typeof value === "object" && !Array.isArray(value) && !isExactNumber(value);
  if (!members(base) || !members(own)) return own;
  const merged: { [name: string]: unknown } = { ...base };
  for (const [name, value] of Object.entries(own))
    merged[name] = Object.hasOwn(base, name) ? mergeByKey(base[name], value) : value;
  return merged;
}

/** Explains a YAML error in our own words; `text`: the text at its place, in its `line`. */
function yamlFault(code: string, text: string, line: string): [message: string, hint: string] {
  const quote = "Put a text with : # [ ] { } , & * ! | > @ ` % or quotes in it in quotes.";
  const known: { [code: string]: [string, string] } = {
    TAG_RESOLVE_FAILED: [
      `YAML takes ${JSON.stringify(text.split(/\s/)[0])} for a tag.`,
      "A formula begins with =, as in =!publish; put other texts in quotes.",
    ],
    TAB_AS_INDENT: ["Tabs cannot indent.", "Use blanks."],
    BAD_INDENT: ["The indentation does not fit.", "Parts of one thing begin in one column."],
    MISSING_CHAR: ["A sign is missing here: a colon, a comma, a bracket or a quote.", quote],
    BLOCK_AS_IMPLICIT_KEY:
      line.split(/:(?=\s|$)/).length > 2
        ? ['A second ": " stands on this line.', "Put the text in quotes; in formulas iff(test, a, b) needs none."]
        : [
            "The next line is indented deeper, but this one has its value already.",
            "Parts of one thing begin in one column.",
          ],
    MULTILINE_IMPLICIT_KEY: /^[\w-]+:\S/.test(text)
      ? ["A colon needs a blank after it.", `Write ${text.split(/\s/)[0]?.replace(":", ": ")}.`]
      : ["A name without its colon, or a text that continues where it should not.", quote],
    MULTIPLE_DOCS: ["A second document begins here.", "Remove the line ---."],
    BAD_ALIAS: ["An alias (*) of something that has no anchor (&).", quote],
  };
  return known[code] ?? ["This is not YAML.", quote];
}

function pairOf(map: YAMLMap, name: string | number | undefined): Pair | undefined {
  return map.items.find((item) => keyText(item.key) === name);
}

function keyText(key: unknown): string | null {
  if (!isScalar(key)) return null;
  if (typeof key.value === "string") return key.value;
  // A header may be a number or a date; its spelling is the name.
  return key.source ?? String(key.value);
}

/** The first place with too many open brackets: the YAML parser would need seconds for them. */
function firstTooDeep(text: string): number | null {
  let brackets = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "[" || character === "{") brackets++;
    else if ((character === "]" || character === "}") && brackets > 0) brackets--;
    if (brackets > MAX_DEPTH * 8) return index;
  }
  return null;
}

export interface MappingProblem {
  code: Code;
  message: string;
  hint: string | null;
  place: Place;
  /** The line with a caret below the place; null: there is no such line. */
  excerpt: string | null;
}

/** A file with more mistakes is probably not a mapping. */
const SHOWN = 50;

/** `problems` must not be empty. */
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

export function describeMappingProblem(problem: MappingProblem): string {
  const { place, message, excerpt, hint } = problem;
  return [`${describePlace(place)}: ${message}`, excerpt, hint && `    ${hint}`]
    .filter((line) => line !== null)
    .join("\n");
}
