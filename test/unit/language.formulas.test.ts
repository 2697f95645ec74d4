/** Formulas: what they give, what is refused when the mapping loads and with which hint, and functions of one's own (LANGUAGE, Decided 1, 3, 15). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadMapping } from "../../src/map/load-mapping.js";
import { folder } from "../support/cli.world.js";
import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "../support/map.support.js";
import { workedMs } from "../support/cpu.js";

const DAY = { Doc: "1", Day: "01/02/2026" };
const columns = `x: X
y: Y
n: { header: N, as: number }
m: { header: M, as: number }
yes: { header: Yes, as: boolean }
no: { header: No, as: boolean }
tax: { header: Tax, as: taxId }
cnpj: { header: Tax, as: taxId, type: CNPJ }
day_text: Day`;

const yamlWith = (formula: string, more = "") =>
  more + mappingWith({ columns, attributes: `A: ${JSON.stringify(`=${formula}`)}` });

async function value(formula: string, cells: { [header: string]: string } = {}) {
  return recordsOf(mapRows(await load(yamlWith(formula)), [{ ...DAY, ...cells }])).events[0]?.attributes[0]?.value;
}

describe("a text that a column never is", () => {
  const typed = `tax: { header: Tax, as: taxId }
land: { header: Land, as: country }
tel: { header: Tel, as: phone }
code: { header: Code, as: digits }
on_day: { header: On, as: date }
plate: { header: Plate, as: upper }
state: { header: UF, as: state }
folded: =fold(plate)
verdict: { header: Verdict, oneOf: [Conforms, Does not conform] }
status: { header: S, map: { S: open, N: shut }, default: none }
kept: { header: K, map: { S: open }, otherwise: { keep: true } }`;
  const yaml = (formula: string) =>
    mappingWith({ columns: typed, attributes: `A: ${JSON.stringify(`=iff(${formula}, "a", "b")`)}` });

  it.each([
    ['tax == "11.222.333/0001-81"', "11222333000181"],
    ['land in ["BR", "Brasil"]', "BR"],
    ['code == "01310-100"', "01310100"],
    ['on_day == "01/02/2025"', "2025-02-01"],
    ['plate == "abc1d23"', "ABC1D23"],
    ['state == "São Paulo"', "SP"],
    ['fold(tel) == "Rascunho"', "rascunho"],
    ['upper(plate) in ["ABC", "abc"]', "ABC"],
    ['slug(plate) == "São João"', "sao-joao"],
    ['folded == "Rascunho"', "rascunho"],
    ['verdict == "conforms"', "Conforms"],
    ['verdict == "Failed"', "Conforms, Does not conform"],
    ['status == "Open"', "open"],
  ])("is refused when the mapping loads, with how the column has it: %s", async (formula, form) => {
    const { message, hint } = await refusal(yaml(formula));
    expect(message).toContain("is never");
    expect(hint).toContain(form);
  });

  const permitted = [
    'tax == "11222333000181"',
    'land in ["BR", "PT"]',
    'plate == "ABC1D23"',
    'fold(plate) == "nao"',
    'folded == "rascunho"',
    'verdict == "Conforms"',
    'status in ["open", "none"]',
    'kept in ["open", "Anything"]',
    'code == "007" && state == "SP"',
    'tel == "+5511987654321"',
    'code == "007"',
    'on_day == "2025-02-01"',
    'default(on_day, "none") == "none"',
  ];
  it("is not one where it has the column's form", async () => {
    await expect(load(yaml(permitted.join(" || ")))).resolves.toBeDefined();
  });
});

it.each(['sure in ["sim"]', 'at in ["01/02/2026"]', 'n in ["1"]'])(
  "another type in a list is told as that: %s",
  async (formula) => {
    const typed = "sure: { header: S, as: boolean }\nat: { header: T, as: timestamp }\nn: { header: N, as: number }";
    const { message } = await refusal(mappingWith({ columns: typed, attributes: `A: '=iff(${formula}, 1, 2)'` }));
    expect(message).toContain("cannot be combined");
  },
);

it("a number stays what it is in a function that reads numbers, in whatever form texts have them", async () => {
  const yaml = yamlWith("number(n)").replace('decimal: ","', 'decimal: ",", grouping: true');
  const mapped = mapRows(await load(yaml), [
    { ...DAY, N: "0,5" },
    { ...DAY, N: "1,234" },
  ]);
  expect(recordsOf(mapped).events.map(({ attributes }) => attributes[0]?.value)).toEqual(["0.5", "1.234"]);
});

describe("two columns of text with +", () => {
  const added = async (a: string, b: string, formula = "a + b") => {
    const yaml = mappingWith({ columns: "a: A\nb: B", attributes: `Sum: =${formula}` });
    return mapRows(await load(yaml), [{ Doc: "1", Day: "01/02/2026", A: a, B: b }]);
  };

  it.each([
    ["1.234,50", "0,5"],
    ["R$ 1,50", "R$ 2,00"],
    ["10,5 kg", "3,25 kg"],
  ])("are refused where both are amounts: %s and %s", async (a, b) => {
    expect(problemsOf((await added(a, b))[0]).map(({ code, hint }) => [code, hint])).toEqual([
      ["expression-failed", expect.stringContaining("as: number")],
    ]);
  });

  it.each([
    ["12", "34", "a + b", "1234"],
    ["A-1", "1,5", "a + b", "A-11,5"],
    ["1,5", "2,5", "text(a) + text(b)", "1,52,5"],
    ["1,5", "2,5", 'a + "/" + b', "1,5/2,5"],
  ])("are joined elsewhere: %s and %s", async (a, b, formula, joined) => {
    const [event] = recordsOf(await added(a, b, formula.replaceAll('"', "'"))).events;
    expect(event?.attributes).toEqual([{ name: "Sum", value: joined, isPublic: true }]);
  });
});

describe("a slip that would only show in what is sent", () => {
  const sent = (formula: string) => mappingWith({ columns: "plate: Plate", attributes: `A: '=${formula}'` });

  it.each([
    ['default("none", plate)', "the same for every row", "default(x, y)"],
    ['padLeft("0", 7, plate)', "the same for every row", "padLeft(text, length, with)"],
    ['iff(startsWith(fold(plate), "Total "), 1, 2)', "never has", "total"],
    ['iff(contains(upper(plate), "abc"), 1, 2)', "never has", "ABC"],
    ['replace(plate, ".", "")', "any character", "[.]"],
    ['replace(plate, "R$", "")', "the end of the text", "[$]"],
    ['iff(matches(plate, "$ 10"), 1, 2)', "the end of the text", "[$]"],
  ])("is refused when the mapping loads: %s", async (formula, why, instead) => {
    const { message, hint } = await refusal(sent(formula));
    expect(message).toContain(why);
    expect(hint).toContain(instead);
  });

  const meant = [
    'replace(plate, ".", "*")',
    'iff(startsWith(fold(plate), "total "), 1, 2)',
    'iff(contains(plate, "Total"), 1, 2)',
    'replace(plate, "$", " kg")',
    'extract(plate, "(kg|t)$")',
    'extract(plate, "[$]1")',
    'extract(plate, "[a$b]|\\\\$ 1")',
  ];
  it("is none where it can be meant", async () => {
    await expect(load(sent(meant.map((formula) => `text(${formula})`).join(" + ")))).resolves.toBeDefined();
  });
});

describe("a formula", () => {
  it.each([
    ['iff(blank(x), "none", x)', {}, "none"],
    ['x + "-" + y', { X: "a", Y: "b" }, "a-b"],
    ["n * 2", { N: "1.500,25" }, "3000.5"],
    ["default(n, 0) + 1", {}, "1"],
    ["round(n, 1)", { N: "0,25" }, "0.3"],
    ["round(n / 3, 20)", { N: "1" }, "0.33333333333333333333"],
    ["12345678901234567890 + n", { N: "1" }, "12345678901234567891"],
    ["n > 1", { N: "1,0000000000000000000001" }, "true"],
    ["n in [1, 2]", { N: "2,0" }, "true"],
    ["-n", { N: "0,1" }, "-0.1"],
    ["fixed(n, 2)", { N: "7,1" }, "7.10"],
    ['matches(x, "^[a-z]+$")', { X: "abc" }, "true"],
    ['extract(x, "([0-9]+) kg")', { X: "ca. 12 kg" }, "12"],
    ['replace(x, "[^0-9]", "")', { X: "a1b2" }, "12"],
    ['padLeft(digits(x), 6, "0")', { X: "1-2" }, "000012"],
    ["timestamp(day_text)", {}, "2026-02-01T00:00:00.000Z"],
    ["number(x) + 1", { X: "1,5" }, "2.5"],
    ["taxId(x)", { X: "11.222.333/0001-81" }, "11222333000181"],
    ['x in ["a", "b"] ? "yes" : "no"', { X: "b" }, "yes"],
    ['text(n) + " kg"', { N: "1,5" }, "1.5 kg"],
    ["tax.type", { Tax: "11.222.333/0001-81" }, "CNPJ"],
    ["cnpj.type + cnpj.country", { Tax: "11.222.333/0001-81" }, "CNPJBR"],
    ["file + text(row)", {}, "rows.csv2"],
    ['"=x"', {}, "=x"],
  ])("%s", async (formula, cells, expected) => {
    expect(await value(formula, cells)).toBe(expected);
  });

  it.each([
    ["x + y", { X: "a" }],
    ["n + 1", {}],
    ["upper(x)", {}],
    ["n > 1", {}],
    ["!yes", {}],
    ["yes && no", { Yes: "sim" }],
    ["yes || no", { Yes: "não" }],
    ["tax.type", {}],
    ["iff(yes, x, null)", { Yes: "não", X: "a" }],
    ['extract(x, "[0-9]+")', { X: "abc" }],
  ])("over a blank is blank: %s", async (formula, cells) => {
    expect(await value(formula, cells)).toBeUndefined();
  });

  it.each([
    ["x == y", {}, "false"],
    ['x != "a"', {}, "true"],
    ['x in ["a"]', {}, "false"],
    ["yes && no", { Yes: "não" }, "false"],
    ["no && yes", { Yes: "não" }, "false"],
    ["yes || no", { Yes: "sim" }, "true"],
    ["no || yes", { Yes: "sim" }, "true"],
    ["filled(x)", {}, "false"],
    ["blank(n + 1)", {}, "true"],
    ['iff(n > 1, "more", "less")', {}, "less"],
  ])("decides as far as it can: %s", async (formula, cells, expected) => {
    expect(await value(formula, cells)).toBe(expected);
  });

  it("a blank `when` or `skip` is false", async () => {
    const yaml = mappingWith({ columns, input: "skip: =n > 1\nrowsWithoutEvents: allow", event: "when: =!(n > 1)" });
    expect(mapRows(await load(yaml), [DAY])[0]?.outcome).toMatchObject({ fate: "valid", records: { events: [] } });
  });

  it("a filling beyond the limit makes the row invalid, and is not cut", async () => {
    const [mapped] = mapRows(await load(yamlWith('padLeft(x, 1001, "0")')), [{ ...DAY, X: "1" }]);
    expect(problemsOf(mapped)[0]?.message).toContain("at most 1000");
  });

  it("`required(x)` makes the row invalid where its event happens", async () => {
    const [mapped] = mapRows(await load(yamlWith("required(x)")), [DAY]);
    expect(problemsOf(mapped)).toMatchObject([{ code: "value-required", column: "X" }]);
  });

  it.each([
    ["n / 3", "round(a / b, 2)"],
    ["n +", ""],
    ["foo", "columns"],
    ["xx", 'Did you mean "x"?'],
    ["nubmer(x)", 'Did you mean "number"?'],
    ["x > 10", "as: number"],
    ["x + n", "text(n)"],
    ['extract(timestamp(x), "^....")', "a second time with `as: date`"],
    ["year(x)", "a second time with `as: date`"],
    ['iff(yes, 1, "b")', "as: number"],
    ["blank(x, y)", ""],
    ['matches(x, "(?=x)")', ""],
    ["matches(x, y)", ""],
    ["[1, 2]", ""],
    ["x.upper()", "Write upper(text)."],
    ["x.slice(0, 2)", "extract(x,"],
    ["x.toUpperCase()", "upper(x)"],
    ['x ?? "a"', "default(x, y)"],
    ["x == null", "blank(x)"],
    ['"" != x', "filled(x)"],
    ['x in ["a", ""]', "blank(x)"],
    ["double(n)", "number(x)"],
    ["tables.none[x].y", "tables:"],
    // What people who live in spreadsheets write.
    ['x = "a"', "=="],
    ['x <> "a"', "!="],
    ['x & "a"', "+"],
    ["iff(yes; 1; 2)", "commas"],
    ["n * 1,5", "1.5"],
    ["SE(yes, 1, 2)", "iff(test, a, b)"],
    ["yes AND no", "&&"],
    ["n − m", "on the keyboard"],
    ['x in ("a", "b")', 'x in ["a", "b"]'],
    ["yes == TRUE", "true or false"],
    ["=n", "One = begins a formula"],
    ["n === 1", "== to compare"],
    ["n => 1", ">="],
    ["n * 10%", "0.1 for 10%"],
    ["n ^ 2", "x * x"],
    ["n // 2", "round(a / b, 2)"],
    ['matches(x, "a\\.b")', "[.] for a dot"],
    ["max(n, m)", "iff(a > b, a, b)"],
    ["if(yes, 1, 2)", "iff(test, a, b)"],
    ['"a//b" + x // y', "// has no meaning"],
    ["x == blank", "blank(x)"],
    ["filled x", '"x" is not expected here'],
    ["filled x", "filled(x)"],
    ["x == ok", 'in quotes if it is a text: "ok"'],
    ["G2-H2", "name columns, not cells"],
    ["[Peso Bruto] - n", "name columns"],
    ["N - m", 'the header of "n"'],
    ["TODAY()", "from a column"],
    ["VLOOKUP(x, y, 2)", "tables.plants[code]"],
    ["round(n)", "round(number, places)"],
    ['n > "1"', 'number("1")'],
    ['"N" - m', "write a column by its name"],
  ])("%s is refused when the mapping loads, with a caret and a hint", async (formula, hint) => {
    const error = await refusal(yamlWith(formula));
    expect(error.code).toBe("mapping-expression");
    expect(error.place.line).toBeGreaterThan(1);
    expect(error.message).toMatch(/\n +\^$/u);
    expect(error.message + error.hint).toContain(hint);
    expect(error.message).not.toMatch(/LPAREN|EOF|undefined|\[object/u);
  });

  it("is refused with the caret under the part at fault", async () => {
    const [, line = "", caret = ""] = (await refusal(yamlWith("blank(x) || y > 10"))).message.split("\n");
    expect(line.slice(caret.indexOf("^"))).toMatch(/^y > 10/u);
  });

  it.each(["10000000000000000000000 * 1e5000000", "0x1F + n", `n + ${"9".repeat(61)}`, "1e3 + n"])(
    "%s is no plain number of at most sixty digits, and is refused at once",
    async (formula) => {
      const started = workedMs();
      expect((await refusal(yamlWith(formula))).code).toBe("mapping-expression");
      expect(workedMs() - started).toBeLessThan(1000);
    },
  );

  it("that grows beyond its bounds, or divides by zero, is a problem of its row", async () => {
    for (const [formula, cells] of [
      ["n * n", { N: "9".repeat(40) }],
      ["round(1 / (n - n), 2)", { N: "1" }],
      ["fixed(n, 1)", { N: "1,25" }],
      ["number(x)", { X: "n/d" }],
      ["x + x + x + x", { X: "x".repeat(20_000) }],
      ['replace(x, "", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy")', { X: "x".repeat(60_000) }],
      ['extract(x, "^(.)")', { X: "😀".slice(1) }],
    ] as const) {
      const started = workedMs();
      const [mapped] = mapRows(await load(yamlWith(formula)), [{ ...DAY, ...cells }]);
      expect([formula, problemsOf(mapped).length]).toEqual([formula, 1]);
      expect(workedMs() - started).toBeLessThan(1000);
    }
  });

  it("whose columns double a text again and again ends early", async () => {
    const doubling = Array.from(
      { length: 23 },
      (_, at) => `c${at}: =${at === 0 ? "x" : `c${at - 1}`} + ${at === 0 ? "x" : `c${at - 1}`}`,
    );
    const yaml = mappingWith({ columns: `x: X\n${doubling.join("\n")}`, attributes: "A: =c22" });
    const [mapped] = mapRows(await load(yaml), [{ ...DAY, X: "x".repeat(20) }]);
    expect(problemsOf(mapped)[0]?.code).toBe("expression-failed");
  });

  it("that depends on itself is refused", async () => {
    const error = await refusal(mappingWith({ columns: "a: =b + 1\nb: =a + 1", attributes: "A: =a" }));
    expect(error.message).toContain("depends on itself");
  });
});

it("// inside a text is text", async () => {
  expect(await value('x + "//b"', { X: "a" })).toBe("a//b");
});

it("replace() has groups in a text that is written out, and none in a cell", async () => {
  expect(await value('replace(x, "(b)", "<$1>")', { X: "abc" })).toBe("a<b>c");
  expect(await value('replace(x, "b", y)', { X: "abc", Y: "US$10\\" })).toBe("aUS$10\\c");
});

describe("a custom function", () => {
  const yaml = (formula: string) => yamlWith(formula, "functions: ./fns.mjs\n");

  it("is called with text, numbers and truth values", async () => {
    const fns =
      "export function tag(text, count) { return `${text}:${count + 1}`; }\nexport function none(x) { return null; }\nexport const half = (n) => n / 2;";
    const mapping = await load(yaml("tag(x, 2)"), { "fns.mjs": fns });
    expect(recordsOf(mapRows(mapping, [{ ...DAY, X: "a" }])).events[0]?.attributes[0]?.value).toBe("a:3");
    const blank = await load(yaml("none(x)"), { "fns.mjs": fns });
    expect(recordsOf(mapRows(blank, [{ ...DAY, X: "a" }])).events[0]?.attributes).toEqual([]);
    const reckoned = await load(yaml("half(n) + 0.1"), { "fns.mjs": fns });
    expect(recordsOf(mapRows(reckoned, [{ ...DAY, N: "3" }])).events[0]?.attributes[0]?.value).toBe("1.6");
    expect(reckoned.dependencies).toEqual([expect.stringMatching(/fns\.mjs$/u)]);
  });

  it("that gives the text of a time is refused where a time is needed, rather than compared letter by letter", async () => {
    const fns = { "fns.mjs": "export const iso = (x) => '2026-02-01T03:00:00.000Z';" };
    const text = (formula: string) => yaml(`iff(${formula}, "a", "b")`);
    const [problem] = problemsOf(
      mapRows(await load(text("timestamp(day_text) == iso(x)"), fns), [{ ...DAY, X: "a" }])[0],
    );
    expect(`${problem?.message} ${problem?.hint}`).toMatch(/a time is needed.*timestamp\(/u);
  });

  it("that gives a value of another type than its place takes is told with that value as it is", async () => {
    const fns = { "fns.mjs": "export const half = (n) => n / 2;" };
    const [problem] = problemsOf(mapRows(await load(yaml("upper(half(n))"), fns), [{ ...DAY, N: "3" }])[0]);
    expect(`${problem?.message} ${problem?.hint}`).toMatch(/text is needed, and a function gave 1.5 .*text\(/u);
  });

  it("that throws, or gives something else than a value, makes the row invalid and is named", long, async () => {
    const fns =
      "export function bad(x) { throw new Error('no plate'); }\nexport async function later(x) { return x; }\nexport function list(x) { return [x]; }\nexport const long = (x) => 'x'.repeat(70000);\nexport const nothing = (x) => NaN;\nexport function odd(x) { throw Object.create(null); }";
    for (const [name, cause] of [
      ["bad", "no plate"],
      ["later", "promise"],
      ["list", "object"],
      ["nothing", "NaN"],
      ["odd", "no text"],
      ["long", "65536"],
    ] as const) {
      const [problem] = problemsOf(
        mapRows(await load(yaml(`${name}(x)`), { "fns.mjs": fns }), [{ ...DAY, X: "a" }])[0],
      );
      expect(problem?.message).toContain(name);
      expect(problem?.message).toContain(cause);
    }
  });

  it("is the one of the file as it is now, also in a program that goes on (watch, the library)", async () => {
    const at = folder({ "m.yaml": yaml("f(x)") });
    const valueBy = async (module: string) => {
      writeFileSync(join(at, "fns.mjs"), module);
      const mapping = await loadMapping(join(at, "m.yaml"));
      return recordsOf(mapRows(mapping, [{ ...DAY, X: "a" }])).events[0]?.attributes[0]?.value;
    };
    expect(await valueBy("export const f = (x) => `old ${x}`;")).toBe("old a");
    expect(await valueBy("export const f = (x) => `new ${x}`;")).toBe("new a");
    const counted =
      "globalThis.loads = (globalThis.loads ?? 0) + 1;\nexport const f = (x) => `${globalThis.loads} ${x}`;";
    for (let times = 0; times < 3; times += 1)
      expect(await valueBy(counted), "Node never forgets a module, so a watch must not load one a file").toBe("1 a");
  });

  it("whose module cannot be loaded or used is refused before any row", async () => {
    expect((await refusal(yaml("f(x)"), { "fns.mjs": "throw new Error('broken')" })).message).toContain("broken");
    expect((await refusal(yaml("size(x)"), { "fns.mjs": "export function size(x) { return 1; }" })).message).toContain(
      "built-in",
    );
    expect((await refusal(yaml("f(x)"), { "fns.mjs": "export const f = () => 1" })).message).toContain("0 arguments");
    expect((await refusal(`functions: ../fns.mjs\n${yamlWith("x")}`)).message).toContain(
      "in the folder of the mapping",
    );
  });
});
