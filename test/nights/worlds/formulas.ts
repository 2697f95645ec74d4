/** Formulas and conditions: as a mapping writes them, and what they give for a row or for the rows of a group. */
import { add, compare, fixed, multiply, subtract } from "./decimal.js";
import type { Condition, Formula, Mapping, Meaning, Table } from "./world.js";

/** Something that cannot be read was read. */
export class Unreadable extends Error {}

/** What one record looks at: one row, or all rows of its group. */
export interface View {
  mapping: Mapping;
  /** The values of the rows, which then have to agree: the default stands where all are blank. */
  values(column: string): Meaning[];
  /** The value of each row by itself, the default where it is blank. */
  rows(column: string): Meaning[];
  /** The same before defaults. */
  cells(column: string): Meaning[];
}

export function writeFormula(formula: Formula): string {
  const inner = (part: Formula) =>
    part.kind === "+" || part.kind === "-" ? `(${writeFormula(part)})` : writeFormula(part);
  switch (formula.kind) {
    case "column":
      return formula.column;
    case "literal":
      return JSON.stringify(formula.text);
    case "+":
    case "-":
    case "*":
      return `${inner(formula.left)} ${formula.kind} ${inner(formula.right)}`;
    case "joined":
      return formula.parts.map(writeFormula).join(" + ");
    case "fixed":
      return `fixed(${formula.column}, ${formula.places})`;
    case "choice":
      return `iff(${writeCondition(formula.test)}, ${JSON.stringify(formula.yes)}, ${JSON.stringify(formula.no)})`;
    case "lookup":
      return `tables.${formula.table}[${formula.column}].${formula.to}`;
    case "sum":
    case "first":
    case "last":
    case "min":
    case "max":
    case "count":
    case "join":
      return `${formula.kind}(${formula.column}${formula.kind === "join" ? ', " + "' : ""})`;
  }
}

export function writeCondition(condition: Condition): string {
  switch (condition.kind) {
    case "filled":
    case "blank":
      return `${condition.kind}(${condition.column})`;
    case "is":
      return `fold(${condition.column}) in [${condition.words.map((word) => JSON.stringify(word)).join(", ")}]`;
    case "more":
      return `${condition.column} > ${condition.than}`;
    case "and":
    case "or":
      return `(${condition.parts.map(writeCondition).join(condition.kind === "and" ? " && " : " || ")})`;
  }
}

/** The one value that the rows agree on; what is blank agrees with everything (LANGUAGE, Decided 5). */
export function one(view: View, column: string): Meaning {
  const filled = view.values(column).filter((value) => value !== null);
  const [first = null] = filled;
  for (const value of filled) readable(value);
  if (filled.some((value) => JSON.stringify(value) !== JSON.stringify(first)))
    throw new Unreadable(`${column} differs`);
  return first;
}

function readable(value: Meaning): Meaning {
  if (value !== null && "bad" in value) throw new Unreadable("a cell");
  return value;
}

const numberOf = (value: Meaning): string | null => (value !== null && "number" in value ? value.number : null);

export function evaluate(formula: Formula, view: View): Meaning {
  switch (formula.kind) {
    case "column":
      return one(view, formula.column);
    case "literal":
      return { text: formula.text };
    case "+":
    case "-":
    case "*": {
      const [left, right] = [numberOf(evaluate(formula.left, view)), numberOf(evaluate(formula.right, view))];
      if (left === null || right === null) return null;
      const work = { "+": add, "-": subtract, "*": multiply }[formula.kind];
      return { number: work(left, right) };
    }
    case "joined": {
      const texts = formula.parts.map((part) => evaluate(part, view));
      return texts.some((value) => value === null) ? null : { text: texts.map((value) => textOf(value)).join("") };
    }
    case "fixed": {
      const number = numberOf(one(view, formula.column));
      if (number === null) return null;
      const text = fixed(number, formula.places);
      if (text === null) throw new Unreadable("too many places");
      return { text };
    }
    case "choice":
      return { text: holds(formula.test, view) ? formula.yes : formula.no };
    case "lookup":
      return lookup(formula, view);
    case "sum":
    case "first":
    case "last":
    case "min":
    case "max":
    case "count":
    case "join":
      return aggregate(formula.kind, view.rows(formula.column).map(readable));
  }
}

function lookup({ table, column, to }: Formula & { kind: "lookup" }, view: View): Meaning {
  const asked = one(view, column);
  if (asked === null) return null;
  const { columns, rows } = view.mapping.tables[table] as Table;
  const wanted = folded(textOf(asked));
  const row = rows.find(([key]) => folded(key ?? "") === wanted);
  if (row === undefined) throw new Unreadable(`${table} has no such row`);
  const text = row[columns.indexOf(to) + 1] ?? "";
  return text === "" ? null : { text };
}

function aggregate(kind: string, all: Meaning[]): Meaning {
  const filled = all.filter((value) => value !== null);
  if (kind === "count") return { number: String(filled.length) };
  if (filled.length === 0) return null;
  if (kind === "first") return filled[0] ?? null;
  if (kind === "last") return filled.at(-1) ?? null;
  if (kind === "join") return { text: [...new Set(filled.map(textOf))].join(" + ") };
  const numbers = filled.map((value) => numberOf(value) ?? "0");
  if (kind === "sum") return { number: numbers.reduce(add, "0") };
  const sorted = numbers.toSorted(compare);
  return { number: (kind === "min" ? sorted[0] : sorted.at(-1)) ?? "0" };
}

/** A blank condition does not hold. */
export const holds = (condition: Condition, view: View): boolean => decide(condition, view) === true;

/** Null: blank, where a blank has no order. What decides it must be readable, and nothing else. */
function decide(condition: Condition, view: View): boolean | null {
  switch (condition.kind) {
    case "filled":
      return view.values(condition.column).some((value) => value !== null);
    case "blank":
      return view.values(condition.column).every((value) => value === null);
    case "is":
      return condition.words.includes(folded(textOf(one(view, condition.column))));
    case "more": {
      const number = numberOf(one(view, condition.column));
      return number === null ? null : compare(number, condition.than) > 0;
    }
    case "and":
    case "or": {
      const deciding = condition.kind === "or";
      const parts = condition.parts.map((part) => attempt(() => ({ holds: decide(part, view) })));
      if (parts.some((part) => part?.holds === deciding)) return deciding;
      if (parts.includes(null)) throw new Unreadable("what would decide it");
      return parts.some((part) => part?.holds === null) ? null : !deciding;
    }
  }
}

/** Gives null where it cannot be read. */
export function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** As an attribute or a part of a key sends it; "" for nothing. */
export function textOf(value: Meaning): string {
  if (value === null || "bad" in value) return "";
  if ("text" in value) return value.text;
  if ("number" in value) return value.number;
  if ("time" in value) return new Date(value.time).toISOString();
  return String(value.truth);
}

export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").trim().toLowerCase();
}
