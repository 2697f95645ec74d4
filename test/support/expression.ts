/** Turns formulas over typed columns into the CEL expressions of mapping version 1, where `row["Header"]` is text. Only `mapping.ts` uses it. */
import { type Node, part } from "./formula.js";

export type Literal = string | number | boolean;

/** A column as a mapping of version 2 declares it. */
export interface Column {
  name: string;
  /** What version 1 writes as `column:`; null for formulas and sets. */
  header: string | string[] | null;
  set: { headers: string; except?: string[] } | null;
  formula: Node | null;
  as: string;
  // biome-ignore lint/suspicious/noExplicitAny: as a test writes it.
  options: any;
  /** default, map, otherwise, oneOf, pattern, required: the same in both versions. */
  rules: { [rule: string]: unknown; default?: Literal; map?: { [from: string]: Literal } };
}

export type Kind = "text" | "number" | "truth";

export function refuse(what: string): never {
  throw new Error(`test/support/mapping.ts cannot say this in mapping version 1: ${what}`);
}

const text = (value: string): string => JSON.stringify(value);

const folded = (word: string): string =>
  word.normalize("NFD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").trim().toLowerCase();

/** The type of a Brazilian tax id of unsaid type; by its length, so that a wrong number is said once, by its own conversion. */
export function taxIdTypeOf(header: string | string[] | null): string {
  return `(size(row[${text(String(header))}].replace("[./ -]", "")) == 11 ? "CPF" : "CNPJ")`;
}

export class Expressions {
  private readonly columns: ReadonlyMap<string, Column>;

  constructor(columns: ReadonlyMap<string, Column>) {
    this.columns = columns;
  }

  column(name: string): Column {
    return this.columns.get(name) ?? refuse(`there is no column "${name}"`);
  }

  kind(node: Node): Kind {
    const { kind, word } = node;
    if (kind === "name") {
      const { as, formula } = this.column(word);
      if (formula !== null) return this.kind(formula);
      if (as === "number" || as === "integer") return "number";
      return as === "boolean" ? "truth" : "text";
    }
    if (kind === "choice") return this.kind(part(node, part(node, 1).kind === "null" ? 2 : 1));
    if (kind === "number" || kind === "minus") return "number";
    if (kind === "truth" || kind === "not") return "truth";
    if (kind === "binary") {
      if (["-", "*", "/", "%"].includes(word)) return "number";
      return word === "+" ? this.kind(part(node, 0)) : "truth";
    }
    if (kind !== "call") return "text";
    if (word === "filled" || word === "blank") return "truth";
    if (word === "default") return this.kind(part(node, 0));
    return ["round", "number", "count", "sum"].includes(word) ? "number" : "text";
  }

  /** Text; "" where the formula is blank. */
  value(node: Node): string {
    const { kind, word } = node;
    const inner = (index: number): string => this.value(part(node, index));
    if (kind === "text" || kind === "number") return text(word);
    if (kind === "truth") return word === "true" ? '"1"' : '"0"';
    if (kind === "null") return '""';
    if (kind === "choice") return `(${this.condition(part(node, 0))} ? ${inner(1)} : ${inner(2)})`;
    if (kind === "name") {
      const column = this.column(word);
      if (column.formula !== null) return this.value(column.formula);
      if (column.as !== "number") return this.cell(column);
    }
    if (kind === "call") {
      if (word === "default") return `(${inner(0)} == "" ? ${inner(1)} : ${inner(0)})`;
      if (["upper", "lower", "fold", "digits"].includes(word)) return `${word}(${inner(0)})`;
    }
    if (kind === "member" && word === "type" && part(node, 0).kind === "name") {
      const { options, header } = this.column(part(node, 0).word);
      return typeof options.type === "string" ? text(options.type) : taxIdTypeOf(header);
    }
    const is = this.kind(node);
    if (is === "number") return this.guarded(node, `plain(${this.amount(node)})`);
    if (is === "truth") return this.guarded(node, `(${this.condition(node)} ? "1" : "0")`);
    if (kind === "binary" && word === "+") return this.guarded(node, `${inner(0)} + ${inner(1)}`);
    return refuse(`the formula ${JSON.stringify(node)}`);
  }

  /** True or false; a blank condition is false, and so is a negated blank order. */
  condition(node: Node, wanted = true): string {
    const { kind, word } = node;
    if (kind === "truth") return String((word === "true") === wanted);
    if (kind === "not") return this.condition(part(node, 0), !wanted);
    if (kind === "call" && (word === "filled" || word === "blank")) {
      const one = part(node, 0);
      const column = one.kind === "name" ? this.column(one.word) : null;
      const cell = column?.formula === null ? this.cell(column, false) : this.value(one);
      return `${cell} ${(word === "blank") === wanted ? "==" : "!="} ""`;
    }
    if (kind === "name") {
      const cell = this.value(node);
      return `(${cell} != "" && convert(${cell} == "" ? "0" : ${cell}, "boolean") == "${wanted}")`;
    }
    if (kind !== "binary") return refuse(`the condition ${JSON.stringify(node)}`);
    const [left, right] = [part(node, 0), part(node, 1)];
    if (word === "!=") return this.condition({ ...node, word: "==" }, !wanted);
    if (word === "&&" || word === "||") {
      const sign = (word === "&&") === wanted ? "&&" : "||";
      return `(${this.condition(left, wanted)} ${sign} ${this.condition(right, wanted)})`;
    }
    const negation = wanted ? "" : "!";
    const guards = [...this.guards(left), ...this.guards(right)].map((cell) => `${cell} != "" && `).join("");
    if (word === "in" || word === "==") return `${negation}(${guards}${this.comparison(word, left, right)})`;
    return `(${guards}${negation}(${this.comparison(word, left, right)}))`;
  }

  private comparison(word: string, left: Node, right: Node): string {
    if (word === "in") return `${this.value(left)} in [${right.parts.map((item) => this.value(item)).join(", ")}]`;
    const numbers = this.kind(left) === "number" || this.kind(right) === "number";
    const side = (node: Node): string => (numbers ? this.amount(node) : this.value(node));
    return `${side(left)} ${word} ${side(right)}`;
  }

  /** The condition under which a `by` column says one of these words. */
  says(column: Column, words: string[]): string {
    return `fold(${this.cell(column)}) in [${words.map((word) => text(folded(word))).join(", ")}]`;
  }

  private amount(node: Node): string {
    const { kind, word } = node;
    const inner = (index: number): string => this.amount(part(node, index));
    if (kind === "number") return word.includes(".") ? word : `${word}.0`;
    if (kind === "minus") return `(0.0 - ${inner(0)})`;
    if (kind === "binary" && ["+", "-", "*", "/"].includes(word)) return `(${inner(0)} ${word} ${inner(1)})`;
    if (kind === "call" && word === "round") return `round(${inner(0)}, ${part(node, 1).word})`;
    if (kind !== "name") return refuse(`the number ${JSON.stringify(node)}`);
    const column = this.column(word);
    if (column.formula !== null) return this.amount(column.formula);
    if (column.options.units !== undefined || column.rules.map !== undefined)
      return refuse(`arithmetic with the units or the map of "${word}"`);
    return `number(${this.cell(column)})`;
  }

  /** The cell's text, after `map` and `default`. */
  private cell(column: Column, converted = true): string {
    if (typeof column.header !== "string") return refuse(`"${column.name}" in a formula`);
    const { map, default: fallback } = column.rules;
    let value = `row[${text(column.header)}]`;
    if (map !== undefined) {
      const cases = Object.entries(map).map(
        ([from, to]) => `fold(${value}) == ${text(folded(from))} ? ${text(String(to))} : `,
      );
      value = `(${cases.join("")}"")`;
    }
    if (fallback !== undefined) value = `(${value} == "" ? ${text(String(fallback))} : ${value})`;
    if (!converted) return value;
    if (["upper", "lower", "digits"].includes(column.as)) return `${column.as}(${value})`;
    if (["text", "number", "boolean"].includes(column.as)) return value;
    return `(${value} == "" ? "" : convert(${value}, ${text(column.as)}))`;
  }

  private guarded(node: Node, value: string): string {
    const guards = this.guards(node).map((cell) => `${cell} == ""`);
    return guards.length === 0 ? value : `(${guards.join(" || ")} ? "" : ${value})`;
  }

  /** The cells whose blank makes the formula blank. */
  private guards(node: Node): string[] {
    if (node.kind === "name") {
      const column = this.column(node.word);
      if (column.formula !== null) return this.guards(column.formula);
      return column.rules.default === undefined ? [this.cell(column, false)] : [];
    }
    if (node.kind === "choice" || ["default", "filled", "blank"].includes(node.word)) return [];
    return node.parts.flatMap((one) => this.guards(one));
  }
}
