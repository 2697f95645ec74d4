/** Closures give what the expression library gives, errors included, on generated expressions. */
import { Environment } from "@marcbachmann/cel-js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConversionShelf } from "../src/map/value/conversion-shelf.js";
import { compileClosure } from "../src/map/value/expression-closure.js";
import { expressionFunctionTable } from "../src/map/value/expression-functions.js";
import { inspectExpression } from "../src/map/value/expression-inspection.js";

const functions = expressionFunctionTable(new ConversionShelf({ decimal: ".", country: "BR" }));
const environment = new Environment().registerVariable("row", "map<string, string>");
for (const [signature, handler] of functions) environment.registerFunction(signature, handler);

const cell = fc.constantFrom("", "a", "b", "ab", "12.5", "-3", "0", "ção", "𝒳", "x y ");

const { text, bool } = fc.letrec<{ text: string; number: string; bool: string; int: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom('"a"', '"12.5"', '""', 'row["A"]', 'row["B"]', "row.C"),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie("bool"), tie("text"), tie("text")).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
    tie("text").map((a) => `upper(${a})`),
    tie("text").map((a) => `${a}.trim()`),
    tie("text").map((a) => `${a}.replace("[a-c]", "z")`),
    tie("number").map((a) => `plain(${a})`),
    tie("text").map((a) => `${a}.padLeft(4, "0")`),
  ),
  number: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("0.0", "2.5", "10.0"),
    tie("text").map((a) => `number(${a})`),
    tie("text").map((a) => `number(${a}, 1.0)`),
    fc
      .tuple(tie("number"), fc.constantFrom("+", "-", "*", "/"), tie("number"))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie("number").map((a) => `round(${a}, 1)`),
  ),
  int: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("0", "2", "11"),
    tie("text").map((a) => `size(${a})`),
    tie("text").map((a) => `${a}.size()`),
  ),
  bool: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("true", "false"),
    fc.tuple(tie("text"), fc.constantFrom("==", "!="), tie("text")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(tie("number"), fc.constantFrom("==", "<", "<=", ">", ">="), tie("number"))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie("int"), fc.constantFrom("==", "!=", "<", ">="), tie("int")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie("bool"), fc.constantFrom("&&", "||"), tie("bool")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie("bool").map((a) => `!${a}`),
    tie("text").map((a) => `(${a} in ["a", "b", "12.5"])`),
    fc
      .tuple(tie("text"), fc.constantFrom("startsWith", "endsWith", "contains"), tie("text"))
      .map(([a, method, b]) => `${a}.${method}(${b})`),
    tie("text").map((a) => `${a}.matches("^[ab]+$")`),
  ),
}));

function outcome(evaluate: () => unknown): string {
  try {
    const value = evaluate();
    return `${typeof value} ${Object.is(value, -0) ? "0" : String(value)}`;
  } catch {
    // Of several parts that fail the library names the last, closures the first.
    return "error";
  }
}

describe("an expression's closure", () => {
  it("gives what the library gives", () => {
    let closures = 0;
    fc.assert(
      fc.property(fc.oneof(text, bool), fc.tuple(cell, cell, cell), (expression, [A, B, C]) => {
        const parsed = environment.parse(expression);
        const columns = inspectExpression(parsed.ast, () => undefined);
        const closure = compileClosure(parsed.ast, columns, functions);
        expect(parsed.check().valid).toBe(true);
        if (closure === null) return;
        closures++;
        const row = new Map([
          ["A", A],
          ["B", B],
          ["C", C],
        ]);
        const texts = columns.map((column) => row.get(column) ?? "");
        expect(outcome(() => closure(texts))).toBe(outcome(() => parsed({ row }) as unknown));
      }),
      { numRuns: 1500, seed: 20260301 },
    );
    expect(closures).toBeGreaterThan(1400);
  });

  it("is left to the library for whatever it does not know", () => {
    for (const expression of [
      'row["A"].split(",").map(p, p).join("-") == "a"',
      'date(row["A"]) > timestamp("2020-01-01T00:00:00Z")',
      'row["A"] < row["B"]',
      '{"a": "b"}[row["A"]]',
      "1 + 2 == 3",
    ]) {
      const parsed = environment.parse(expression);
      expect(
        compileClosure(
          parsed.ast,
          inspectExpression(parsed.ast, () => undefined),
          functions,
        ),
      ).toBeNull();
    }
  });
});
