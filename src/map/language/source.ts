/**
 * The text of a mapping as plain data, with the place of everything in it and all mistakes at once. Bounds size and depth,
 * and refuses aliases and `__proto__`, before anything else reads the data.
 */
import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from "yaml";
import { type Code, codes } from "../../model/codes.js";
import { ExitCode } from "../../model/exit-code.js";
import { exactNumber, isJsonObject } from "../../model/json.js";
import { MAX_DIGITS } from "../convert/exact.js";
import { shorten } from "../../model/fold.js";
import { isOpen } from "../formula/parse.js";
import { yamlFaults } from "./yaml-faults.js";
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

export const MAX_MAPPING_LENGTH = 256 * 1024;
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
  #document: Document.Parsed | null = null;
  #nodes = 0;
  #base: MappingSource | null = null;

  /** `failsafe`: every scalar is text. Never throws; see `problems`. */
  constructor(path: string, text: string, schema: "core" | "failsafe" = "core") {
    this.path = path;
    this.#text = text;
    for (const { index } of text.matchAll(/(?<=^|\n)/g)) this.#lines.addNewLine(index);
    const deep = firstTooDeep(text);
    if (text.length > MAX_MAPPING_LENGTH)
      this.#tooLarge(`has ${text.length} characters; at most ${MAX_MAPPING_LENGTH} are read`);
    else if (deep !== null) this.#tooLarge(`is nested deeper than ${MAX_DEPTH} levels`, deep);
    if (this.problems.length > 0) return;
    const document = parseDocument(text, {
      stringKeys: true,
      uniqueKeys: false,
      prettyErrors: false,
      strict: true,
      version: "1.2",
      schema,
    });
    const { errors, contents } = document;
    for (const [message, hint, position] of yamlFaults(text, document))
      this.report("mapping-syntax", position, message, { hint });
    if (errors.length > 0) return;
    this.#document = document;
    this.data = this.#plain(contents, 0);
  }

  /** Fills gaps with the settings of `base`; their places refer to its file. */
  extend(base: MappingSource): void {
    this.#base = base;
    this.data = mergeByKey(base.data, this.data);
  }

  /** A problem wherever this text occurs; `message` gets the rest of the line. */
  lines(text: string, code: Code, message: (rest: string) => string, hint: string): MappingProblem[] {
    return [...this.#text.matchAll(new RegExp(`${text}(.*)`, "g"))].map(({ index, 1: rest = "" }) =>
      this.describe(code, index + text.length, message(rest.trim()), { hint }),
    );
  }

  /** What several events have from their defaults is reported once. */
  report(...of: Parameters<MappingSource["describe"]>): void {
    const problem = this.describe(...of);
    const [, where] = of;
    const isShared = typeof where !== "number" && this.#written(where) !== where;
    const isSame = ({ code, hint, excerpt }: MappingProblem) =>
      code === problem.code && hint === problem.hint && excerpt === problem.excerpt;
    if (!isShared || !this.problems.some(isSame)) this.problems.push(problem);
  }

  /** A warning. What several inputs share is told once. */
  doubt(where: Path | number, message: string, hint: string): void {
    const doubt = this.describe("mapping-doubtful", where, message, { hint });
    if (!this.doubts.some((one) => isDeepStrictEqual(one, doubt))) this.doubts.push(doubt);
  }

  /** `where`: a path, or a position in the text. */
  describe(
    code: Code,
    where: Path | number,
    message: string,
    { hint = null, at = "value", offset = 0 }: At = {},
  ): MappingProblem {
    if (typeof where !== "number") {
      const path = this.#written(where);
      const source = this.#writing(path);
      return source.describe(code, source.#positionOf(path, at) + offset, message, { hint });
    }
    const { line, col } = this.#lines.linePos(where);
    const from = Math.max(0, col - 56);
    const [shown = ""] = this.#text.slice(where - col + 1 + from).split("\n", 1);
    return {
      // A code of rows becomes a mistake of the mapping.
      code: codes[code].exit === ExitCode.usage ? code : "mapping-value",
      message,
      hint,
      place: { file: this.path, line, character: col },
      excerpt: `    ${shown.slice(0, 72).replace(/\p{Cc}/gu, " ")}\n    ${" ".repeat(col - 1 - from)}^`,
    };
  }

  /** Includes quotes; "" if there is no such node. */
  textAt(where: Path): string {
    const path = this.#written(where);
    const source = this.#writing(path);
    const range = source.#nodeAt(path)?.range;
    return range ? source.#text.slice(range[0], range[1]) : "";
  }

  /** Where it is written: what an event does not say itself, its defaults say. */
  #written(path: Path): Path {
    const shared = path.map((step, at) => (at > 0 && path[at - 1] === "events" ? "defaults" : step));
    const has = (one: Path) => this.#writing(one).#nodeAt(one) !== undefined;
    return path.length > 4 && path[2] === "events" && !has(path) && has(shared) ? shared : path;
  }

  /** This mapping or its base, whichever has more of the path. */
  #writing(path: Path): MappingSource {
    const depth = (source: MappingSource) =>
      path.findLastIndex((_, end) => source.#nodeAt(path.slice(0, end + 1)) !== undefined);
    return this.#base !== null && depth(this.#base) > depth(this) ? this.#base : this;
  }

  #tooLarge(what: string, position = 0): void {
    this.report("mapping-too-large", position, `The mapping ${what}.`);
  }

  #positionOf(path: Path, at: "key" | "value"): number {
    const parent = this.#nodeAt(path.slice(0, -1));
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
    const key = pair?.key as Node | undefined;
    const value = this.#nodeAt(path);
    const node = at === "key" ? (key ?? value) : (value ?? key);
    if (node?.range) return node.range[0];
    return path.length === 0 ? 0 : this.#positionOf(path.slice(0, -1), "key");
  }

  #nodeAt(path: Path): Node | undefined {
    return (this.#document?.getIn(path, true) ?? undefined) as Node | undefined;
  }

  #plain(node: Node | null, depth: number): unknown {
    if (node === null) return null;
    const [start = 0] = node.range ?? [];
    if (++this.#nodes > MAX_NODES || depth > MAX_DEPTH) {
      const what = depth > MAX_DEPTH ? `nested deeper than ${MAX_DEPTH} levels` : `larger than ${MAX_NODES} entries`;
      if (this.problems.length === 0) this.#tooLarge(`is ${what}`, start);
      return null;
    }
    if (isAlias(node)) {
      const hint = /[.*]/.test(node.source)
        ? `Put it in quotes: "*${shorten(node.source)}".`
        : "Write it out. Columns, participants and addresses may be at the top, for all inputs; `extends` shares them between files.";
      this.report("mapping-syntax", start, `The alias *${node.source} is not supported here.`, { hint });
      return null;
    }
    if (isScalar(node)) {
      this.#doubt(node);
      return typeof node.value === "number" ? this.#number(node) : node.value;
    }
    if (isSeq(node)) return node.items.map((item) => this.#plain(item as Node | null, depth + 1));
    const data: { [name: string]: unknown } = {};
    for (const { key, value } of isMap(node) ? node.items : []) {
      const { value: name, range } = key as Scalar<string>;
      const refuse = (message: string) => this.report("mapping-syntax", range?.[0] ?? start, message);
      if (name === "__proto__") refuse(`"__proto__" cannot be a name.`);
      else if (Object.hasOwn(data, name)) refuse(`"${name}" is written twice.`);
      else data[name] = this.#plain(value as Node | null, depth + 1);
    }
    return data;
  }

  /** Text that YAML cut off or took as a sign. */
  #doubt({ value, comment, type, range }: Scalar): void {
    if (typeof value !== "string" || type !== "PLAIN" || !range) return;
    const [start] = range;
    const doubt = (message: string, hint: string) => this.doubt(start, message, hint);
    const cut =
      typeof comment === "string"
        ? "#, which begins a comment"
        : this.#text.startsWith(",", range[1]) && "a comma, which separates entries inside { }";
    if (value.startsWith("=") && cut !== false && isOpen(value)) {
      const message = `The formula ${shorten(value)} is cut at ${cut}.`;
      this.report("mapping-syntax", start, message, { hint: "Put it in quotes." });
    } else if (/^[“”„«‘’]/.test(value))
      doubt(`The curly quotes of ${shorten(value)} belong to the text.`, "Write straight quotes, or none.");
    else if (typeof comment === "string" && comment !== "" && !/^\s/.test(comment))
      doubt(
        `"#${shorten(comment)}" is a comment here, and not part of "${shorten(value)}".`,
        "If it belongs to the text: put it in quotes.",
      );
  }

  /**
   * Keeps exactly the written digits. A number that YAML would respell silently (`007`, `1.10`) may be meant as text,
   * and is refused.
   */
  #number({ source = "", range }: Scalar): unknown {
    if (/^(?:-?(?:[1-9]\d*|0(?=\.))(?:\.\d*[1-9])?|0)$/.test(source) && source.length <= MAX_DIGITS)
      return exactNumber(source);
    const what =
      source.length > MAX_DIGITS
        ? `has more than ${MAX_DIGITS} digits`
        : "is read as a different number from the one written";
    const hint = `Put it in quotes if it is text ("${shorten(source)}"); otherwise write the number plainly, such as 7, 1.1 or 1000.`;
    this.report("mapping-value", range?.[0] ?? 0, `${shorten(source)} ${what}.`, { hint });
    return null;
  }
}

/** Merges objects; otherwise the second value wins. */
function mergeByKey(base: unknown, own: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(own)) return own;
  const merged: { [name: string]: unknown } = { ...base };
  for (const [name, value] of Object.entries(own))
    merged[name] = Object.hasOwn(base, name) ? mergeByKey(base[name], value) : value;
  return merged;
}

/** The first place with too many open brackets: the YAML parser would need seconds for them. */
function firstTooDeep(text: string): number | null {
  let open = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    open = bracket === "[" || bracket === "{" ? open + 1 : Math.max(0, open - 1);
    if (open > MAX_DEPTH * 8) return index;
  }
  return null;
}

export interface MappingProblem {
  code: Code;
  message: string;
  hint: string | null;
  place: Place;
  /** The line with a caret below the place. */
  excerpt: string;
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
    const { code, message, excerpt, place, hint } = first;
    return new RowferryError(code, `${message}\n${excerpt}`, { place, hint: hint ?? undefined });
  }
  const shown = problems.slice(0, SHOWN).map(describeMappingProblem);
  if (problems.length > SHOWN) shown.push(`… and ${problems.length - SHOWN} more`);
  return new RowferryError("mapping-invalid", `${problems.length} mistakes in ${of}:\n${shown.join("\n")}`, {
    place: { file: path },
    ...(of === "the cases" && { hint: "Correct them, starting with the first, then run `rowferry test` again." }),
  });
}

export function describeMappingProblem({ place, message, excerpt, hint }: MappingProblem): string {
  return [`${describePlace(place)}: ${message}`, excerpt, ...(hint === null ? [] : [`    ${hint}`])].join("\n");
}
