/** Mappings meant to exhaust the reader are refused within a second (issue 5/9, bad input). */
import { load, mapRows, mappingWith, problemsOf, refusal } from "../support/map.support.js";
import { workedMs } from "../support/cpu.js";

const MAPPING = mappingWith({});

function aliasBomb() {
  let text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (const [index, name] of Array.from("bcdefghijk").entries())
    text += `${name}: &${name} [${`*${"abcdefghijk"[index]}, `.repeat(9)}]\n`;
  return text;
}

describe("a hostile mapping", () => {
  it.each([
    ["deep brackets that never close", "[".repeat(200_000)],
    ["deep indentation", Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["deep lists on one line", `${"- ".repeat(50_000)}x`],
    ["an alias bomb", aliasBomb()],
    ["an alias of itself", "a: &a [*a]"],
    ["many members", Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n")],
    ["a large file", `# ${"x".repeat(2_000_000)}`],
    ["__proto__ deep within", MAPPING.replace("fields: {", "fields: { __proto__: { polluted: true },")],
    [
      "a huge regular expression",
      mappingWith({ columns: `x: { header: X, pattern: "(((a{90}){90}){90})" }`, attributes: "A: =x" }),
    ],
    [
      "a long regular expression",
      mappingWith({ columns: `x: { header: X, pattern: "${"a?".repeat(5000)}" }`, attributes: "A: =x" }),
    ],
    ["a deep formula", mappingWith({ attributes: `A: "=${"(".repeat(1900)}1${")".repeat(1900)}"` })],
    ["a wide formula", mappingWith({ attributes: `A: "=${"1+".repeat(1900)}1"` })],
    ["a long formula", mappingWith({ attributes: `A: "=${"1 ".repeat(9000)}"` })],
    [
      "loops in a formula",
      mappingWith({
        columns: "x: X",
        attributes: `A: '=[x].all(a, [x].all(b, a == b))'`,
      }),
    ],
    ["a member named constructor", `${MAPPING}constructor: { x: 1 }\n`],
  ])("with %s is refused within a second", async (_title, yaml) => {
    const started = workedMs();
    const error = await refusal(yaml);
    expect(workedMs() - started).toBeLessThan(1000);
    expect(error.code).toMatch(/^mapping-/u);
    expect(error.message.length).toBeLessThan(20_000);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("may use names such as constructor and toString for its records, columns and values", async () => {
    const yaml = mappingWith({
      columns: "constructor: { header: toString, map: { hasOwnProperty: valueOf }, otherwise: { keep: true } }",
      attributes: "constructor: =constructor",
    });
    const [mapped] = mapRows(await load(yaml), [{ Doc: "constructor", Day: "01/02/2026", toString: "hasOwnProperty" }]);
    expect(mapped?.outcome).toMatchObject({
      fate: "valid",
      records: { events: [{ attributes: [{ name: "constructor", value: "valueOf" }] }] },
    });
  });
});

it("a file whose columns are named like members of every object is read like any other, and changes no object (H35)", async () => {
  const yaml = mappingWith({
    columns: "a: __proto__\nb: constructor\nc: hasOwnProperty",
    attributes: "A: =a, B: =b, C: =c",
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

describe("a formula over a hostile row", () => {
  it.each([
    ["a cell longer than any text that is read", "x", "x".repeat(65_537), "text-too-long"],
    ["a text that grows", "x + x + x + x", "x".repeat(30_000), "expression-failed"],
    [
      "a text made for backtracking",
      'iff(matches(x, "^(a+)+$"), "a", text(round(1 / 0, 2)))',
      `${"a".repeat(5000)}!`,
      "expression-failed",
    ],
  ])("%s ends in a problem, quickly", async (_title, formula, cell, code) => {
    const mapping = await load(mappingWith({ columns: "x: X", attributes: `A: ${JSON.stringify(`=${formula}`)}` }));
    const started = workedMs();
    const [mapped] = mapRows(mapping, [{ Doc: "1", Day: "01/02/2026", X: cell }]);
    expect(problemsOf(mapped)).toMatchObject([{ code }]);
    expect(workedMs() - started).toBeLessThan(500);
  });

  it("sums of a group are computed once, however many events read them", long, async () => {
    const columns = "n: { header: N, as: number }\nt: Ticket\nshare: =round(n / sum(n), 6)";
    const more =
      "line: { each: row, name: L, key: =t, externalCreatedAt: =day, isPublic: true, attributes: { public: { S: '=round(n / sum(n), 6)' } } }";
    const mapping = await load(mappingWith({ input: "group: =doc", columns, more }));
    const rows = Array.from({ length: 4000 }, (_, at) => ({ Doc: "1", Day: "01/02/2026", N: "1", Ticket: String(at) }));
    const started = workedMs();
    expect(mapRows(mapping, rows)[0]?.outcome.fate).toBe("valid");
    expect(workedMs() - started).toBeLessThan(1500);
  });
});
