/** Mappings meant to exhaust the reader are refused within a second (issue 5/9, bad input). */
import { describe, expect, it } from "vitest";
import { load, mapRows, mappingWith, problemsOf, refusal } from "./map.support.js";

const MAPPING = mappingWith({});

function aliasBomb(): string {
  let text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (const [index, name] of Array.from("bcdefghijk").entries())
    text += `${name}: &${name} [${`*${"abcdefghijk"[index]}, `.repeat(9)}]\n`;
  return text;
}

describe("a hostile mapping", () => {
  it.each([
    ["deep brackets", `a: ${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["deep brackets that never close", "[".repeat(200_000)],
    ["deep braces", `${"{a: ".repeat(50_000)}x${"}".repeat(50_000)}`],
    ["deep indentation", Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["deep lists on one line", `${"- ".repeat(50_000)}x`],
    ["an alias bomb", aliasBomb()],
    ["an alias of itself", "a: &a [*a]"],
    ["many members", Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n")],
    ["a large file", `# ${"x".repeat(2_000_000)}`],
    ["__proto__ as a member", `${MAPPING}__proto__: { polluted: true }\n`],
    ["__proto__ deep within", MAPPING.replace("fields: {", "fields: { __proto__: { polluted: true },")],
    [
      "a huge regular expression",
      mappingWith({ attributes: `A: { column: X, pattern: "(((a{90}){90}){90})", isPublic: true }` }),
    ],
    [
      "a long regular expression",
      mappingWith({ attributes: `A: { column: X, pattern: "${"a?".repeat(5000)}", isPublic: true }` }),
    ],
    [
      "a deep expression",
      mappingWith({ attributes: `A: { expr: '${"(".repeat(2000)}1${")".repeat(2000)}', isPublic: true }` }),
    ],
    ["a wide expression", mappingWith({ attributes: `A: { expr: '${"1+".repeat(1900)}1', isPublic: true }` })],
    [
      "nested loops in an expression",
      mappingWith({
        attributes: `A: { expr: 'row["X"].split("").all(a, row["X"].split("").all(b, a == b))', isPublic: true }`,
      }),
    ],
    ["a member named constructor", `${MAPPING}constructor: { x: 1 }\n`],
  ])("with %s is refused within a second", async (_title, yaml) => {
    const started = performance.now();
    const error = await refusal(yaml);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(error.code).toMatch(/^mapping-/u);
    expect(error.message.length).toBeLessThan(20_000);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("may use names such as constructor and toString for its records, columns and values", async () => {
    const yaml = mappingWith({
      attributes:
        "constructor: { column: toString, map: { hasOwnProperty: valueOf }, otherwise: { keep: true }, isPublic: true }",
    });
    const [mapped] = mapRows(await load(yaml), [{ Doc: "constructor", Day: "01/02/2026", toString: "hasOwnProperty" }]);
    expect(mapped?.outcome).toMatchObject({
      fate: "valid",
      records: { events: [{ attributes: [{ name: "constructor", value: "valueOf" }] }] },
    });
    const [other] = mapRows(await load(yaml), [{ Doc: "1", Day: "01/02/2026", toString: "constructor" }]);
    expect(other?.outcome).toMatchObject({
      fate: "valid",
      records: { events: [{ attributes: [{ value: "constructor" }] }] },
    });
  });
});

describe("a file whose columns are named like members of every object", () => {
  it("is read like any other, and changes no object (H35)", async () => {
    const yaml = mappingWith({
      attributes: [
        "A: { column: __proto__, isPublic: true }",
        "B: { column: constructor, isPublic: true }",
        `C: { expr: 'row["hasOwnProperty"]', isPublic: true }`,
      ].join(", "),
    });
    const cells = Object.fromEntries([
      ["Doc", "1"],
      ["Day", "01/02/2026"],
      ["__proto__", "polluted"],
      ["constructor", "prototype"],
      ["hasOwnProperty", "valueOf"],
    ]);
    const [mapped] = mapRows(await load(yaml), [cells]);
    expect(mapped?.outcome).toMatchObject({
      fate: "valid",
      records: { events: [{ attributes: [{ value: "polluted" }, { value: "prototype" }, { value: "valueOf" }] }] },
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe("an expression over a hostile row", () => {
  it.each([
    ["a cell longer than any spreadsheet's", 'row["X"] + "!"', "x".repeat(40_000)],
    ["more parts than a list may have", 'row["X"].split(",").join("-")', ",".repeat(5000)],
    [
      "a text that grows in a loop",
      'row["X"].split(",").map(p, row["X"] + row["X"] + row["X"]).join("")',
      "a,".repeat(900),
    ],
    [
      "a text made for backtracking",
      'row["X"].matches("^(a+)+$") ? round(1.0 / 0.0, 2) : round(0.0 / 0.0, 2)',
      `${"a".repeat(5000)}!`,
    ],
  ])("%s ends in a problem, quickly", async (_title, expr, cell) => {
    const mapping = await load(mappingWith({ attributes: `A: { expr: ${JSON.stringify(expr)}, isPublic: true }` }));
    const started = performance.now();
    const [mapped] = mapRows(mapping, [{ Doc: "1", Day: "01/02/2026", X: cell }]);
    expect(problemsOf(mapped)).toMatchObject([{ code: "expression-failed" }]);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
