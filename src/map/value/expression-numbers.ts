/**
 * What expressions reckon with: cells, which keep their kind, and numbers. Numbers are exact decimals, beside the whole
 * numbers (bigint) that CEL has of its own. Nothing in an expression is a binary float: literals become exact before the types are checked, and no function gives one.
 */
import type { Environment } from "@marcbachmann/cel-js";
import { Exact } from "../convert/exact.js";
import type { Code } from "../../model/codes.js";
import type { CellKind } from "../../model/row.js";

/** Why an expression has no value for a row. */
export class ExpressionFailure extends Error {
  readonly code: Code;
  readonly hint: string | null;

  constructor(code: Code, message: string, hint: string | null = null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** A cell as a function reads it that heeds its kind; `row["…"]` is its text. */
export class Cell {
  /** In the mapping's formats; "" where it is blank. */
  text = "";
  /** As the file holds it. */
  raw = "";
  kind: CellKind = "text";
}

/** As the type is named in messages. */
export const NUMBER = "decimal";

type Operand = Exact | bigint;

const arithmetic: { [operator: string]: (a: Exact, b: Exact) => Exact } = {
  "+": (a, b) => a.plus(b),
  "-": (a, b) => a.minus(b),
  "*": (a, b) => a.times(b),
  "/": (a, b) => {
    if (b.isZero()) throw new ExpressionFailure("expression-failed", "it divides by zero");
    return a.over(b);
  },
};

const comparisons: { [operator: string]: (order: number) => boolean } = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

export function exact(value: Operand): Exact {
  return typeof value === "bigint" ? Exact.of(String(value)) : value;
}

export function registerNumbers(environment: Environment): void {
  environment.registerType("cell", { ctor: Cell, fields: {} });
  environment.registerType(NUMBER, { ctor: Exact, fields: {} });
  environment.registerOperator(`-${NUMBER}`, (a: Exact) => a.negated());
  for (const [left, right] of [
    [NUMBER, NUMBER],
    [NUMBER, "int"],
    ["int", NUMBER],
  ]) {
    for (const [operator, apply] of Object.entries(arithmetic))
      environment.registerOperator(`${left} ${operator} ${right}: ${NUMBER}`, (a: Operand, b: Operand) =>
        apply(exact(a), exact(b)),
      );
    for (const [operator, holds] of Object.entries(comparisons))
      environment.registerOperator(`${left} ${operator} ${right}: bool`, (a: Operand, b: Operand) =>
        holds(exact(a).compare(exact(b))),
      );
  }
  // The library turns the sides round by itself here.
  for (const right of [NUMBER, "int"])
    environment.registerOperator(`${NUMBER} == ${right}`, (a: Operand, b: Operand) => exact(a).compare(exact(b)) === 0);
  environment.registerOperator(`${NUMBER} in list<int>`, (a: Exact, list: readonly bigint[]) =>
    list.some((one) => a.compare(exact(one)) === 0),
  );
}
