import { describe, expect, it } from "vitest";
import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "./map.support.js";

const DAY = { Doc: "1", Day: "01/02/2026" };

function yamlWith(expr: string): string {
  return mappingWith({ attributes: `A: { expr: ${JSON.stringify(expr)}, isPublic: true }` });
}

async function value(expr: string, cells: { [header: string]: string } = {}): Promise<string | undefined> {
  return recordsOf(mapRows(await load(yamlWith(expr)), [{ ...DAY, ...cells }])).events[0]?.attributes[0]?.value;
}

describe("an expression", () => {
  it.each([
    ['row["X"] == "" ? "none" : row["X"]', {}, "none"],
    ['row["X"] + "-" + row["Y"]', { X: "a", Y: "b" }, "a-b"],
    ['row.X + "!"', { X: "a" }, "a!"],
    ['number(row["X"]) * 2.0', { X: "1.500,25" }, "3000.5"],
    ['number(row["X"], 0.0) + 1.0', {}, "1"],
    ['round(number(row["X"]), 1)', { X: "0,25" }, "0.3"],
    ["1e21 + 0.0", {}, "1000000000000000000000"],
    ['size(row["X"])', { X: "abc" }, "3"],
    ['row["X"].matches("^[a-z]+$")', { X: "abc" }, "true"],
    ['row["X"].extract("([0-9]+) kg")', { X: "ca. 12 kg" }, "12"],
    ['row["X"].replace("[^0-9]", "")', { X: "a1b2" }, "12"],
    ['row["X"].split(",").map(p, p.trim()).join("|")', { X: "a, b" }, "a|b"],
    ['digits(row["X"]).padLeft(6, "0")', { X: "1-2" }, "000012"],
    ['iso(date(row["Day"]) + duration("90m"))', {}, "2026-02-01T01:30:00.000Z"],
    ['date(row["Day"])', {}, "2026-02-01T00:00:00.000Z"],
    ['convert(row["X"], "taxId")', { X: "11.222.333/0001-81" }, "11222333000181"],
    ['fold(row["X"])', { X: " ÁGUA  Fria" }, "agua fria"],
    ['row["X"] in ["a", "b"] ? "yes" : "no"', { X: "b" }, "yes"],
  ])("%s", async (expr, cells, expected) => {
    expect(await value(expr, cells)).toBe(expected);
  });

  it("reads blank words as empty text", async () => {
    const mapping = await load(
      mappingWith({
        defaults: 'blank: ["-"]',
        attributes: `A: { expr: 'row["X"] == "" ? "blank" : "filled"', isPublic: true }`,
      }),
    );
    expect(recordsOf(mapRows(mapping, [{ ...DAY, X: " - " }])).events[0]?.attributes[0]?.value).toBe("blank");
  });

  it("gives the same as before for the same cells, and anew for other cells", async () => {
    const mapping = await load(yamlWith('number(row["X"]) + number(row["Y"])'));
    const rows = [
      ["1", "2"],
      ["1", "2"],
      ["2", "2"],
      ["2", "3"],
      ["1", "2"],
    ].map(([X = "", Y = ""]) => ({ ...DAY, X, Y }));
    expect(recordsOf(mapRows(mapping, rows)).events.map(({ attributes }) => attributes[0]?.value)).toEqual([
      "3",
      "3",
      "4",
      "5",
      "3",
    ]);
  });

  it("that fails makes the row invalid, with the cause and the column", async () => {
    const mapping = await load(yamlWith('number(row["X"]) + 1.0'));
    const mapped = mapRows(mapping, [
      { ...DAY, X: "n/d" },
      { ...DAY, X: "n/d" },
    ]);
    for (const one of mapped) {
      expect(problemsOf(one)).toMatchObject([
        { code: "expression-failed", column: "X", message: expect.stringContaining("n/d") as string },
      ]);
    }
  });

  it.each([
    ['row["X"] > 10', "Cells are text"],
    ['row["X"] +', ""],
    ["foo", 'row["foo"]'],
    ['row["X"].matches("(?=x)")', ""],
    ['row["X"].matches(row["Y"])', ""],
    ['row[row["X"]]', ""],
    ["size(row)", ""],
    ['cel.bind(x, row["X"], x + x)', ""],
    ["[1, 2].map(x, [3].map(y, y))", ""],
    ['row["X"] == "a" ? 1.0 : "b"', ""],
    ["[1, 2]", ""],
  ])("%s is refused when the mapping loads, with a caret", async (expr, hint) => {
    const error = await refusal(yamlWith(expr));
    expect(error.code).toBe("mapping-expression");
    expect(error.place.line).toBeGreaterThan(1);
    expect(error.message).toMatch(/\n +\^$/u);
    expect(error.hint).toContain(hint);
  });

  it("is refused with the caret under the operator's operands, not at the start of the field", async () => {
    const error = await refusal(yamlWith("row['X'] == '' || row['Y'] > 10"));
    const [, line = "", caret = ""] = error.message.split("\n");
    expect(line.slice(caret.indexOf("^"))).toMatch(/^row\['Y'\] > 10/u);
  });
});

function yaml(expr: string): string {
  return `functions: ./fns.mjs\n${yamlWith(expr)}`;
}

describe("a custom function", () => {
  it("is called in expressions with text, numbers and truth values", async () => {
    const fns =
      "export function tag(text, count) { return `${text}:${count + 1}`; }\nexport function none(x) { return null; }";
    const mapping = await load(yaml('tag(row["X"], 2)'), { "fns.mjs": fns });
    expect(recordsOf(mapRows(mapping, [{ ...DAY, X: "a" }])).events[0]?.attributes[0]?.value).toBe("a:3");
    const blank = await load(yaml('none(row["X"])'), { "fns.mjs": fns });
    expect(recordsOf(mapRows(blank, [DAY])).events[0]?.attributes).toEqual([]);
  });

  it("that throws, or gives something else than a value, makes the row invalid and is named", async () => {
    const fns =
      "export function bad(x) { throw new Error('no plate'); }\nexport async function later(x) { return x; }\nexport function list(x) { return [x]; }";
    for (const [name, cause] of [
      ["bad", "no plate"],
      ["later", "promise"],
      ["list", "object"],
    ] as const) {
      const [mapped] = mapRows(await load(yaml(`${name}(row["X"])`), { "fns.mjs": fns }), [DAY]);
      const [problem] = problemsOf(mapped);
      expect(problem).toMatchObject({ code: "function-failed" });
      expect(problem?.message).toContain(name);
      expect(problem?.message).toContain(cause);
    }
  });

  it("whose module cannot be loaded or used is refused before any row", async () => {
    expect(await refusal(yaml('f(row["X"])'), { "fns.mjs": "throw new Error('broken')" })).toMatchObject({
      code: "mapping-invalid",
      message: expect.stringContaining("broken") as string,
    });
    expect(
      (await refusal(yaml('size(row["X"])'), { "fns.mjs": "export function size(x) { return 1; }" })).message,
    ).toContain("built-in");
    expect((await refusal(yaml('f(row["X"])'), { "fns.mjs": "export const f = () => 1" })).message).toContain(
      "no parameter",
    );
    expect((await refusal(`functions: ../fns.mjs\n${yamlWith('row["X"]')}`)).message).toContain("beside the mapping");
  });
});

describe("taxIdType", () => {
  it.each([
    ["11.222.333/0001-81", "CNPJ"],
    ["111.444.777-35", "CPF"],
    ["", "none"],
  ])("of %j says which of the country's tax ids it is", async (cell, type) => {
    expect(await value('taxIdType(row["X"]) == "" ? "none" : taxIdType(row["X"])', { X: cell })).toBe(type);
  });

  it("of what is none makes the row invalid, and so does a mapping without a country", async () => {
    const wrong = yamlWith('taxIdType(row["X"])');
    const rows = [{ ...DAY, X: "11.222.333/0001-80" }];
    const [none] = problemsOf(mapRows(await load(wrong), rows)[0]);
    expect(none?.message).toContain("is no tax id of BR");
    const nowhere = wrong.replace(", country: BR", "").replace("11.222.333/0001-81", "x");
    const natural = nowhere
      .replace("taxIdType: CNPJ", 'taxIdType: "X"')
      .replace('taxId: "x"', 'taxId: { value: "x", as: text }');
    const [unknown] = problemsOf(mapRows(await load(natural), rows)[0]);
    expect(unknown?.message).toContain("the country of tax ids is not known");
  });
});
