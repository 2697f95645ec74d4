/** Columns: named, typed and cleaned once; and free JSON. */
import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "../support/map.support.js";

const DAY = { Doc: "1", Day: "01/02/2026" };

const yamlOf = (column: string, defaults?: string, tables?: string) =>
  mappingWith({
    columns: `x: ${column}`,
    attributes: "A: =x",
    ...(defaults === undefined ? {} : { defaults }),
    ...(tables === undefined ? {} : { tables }),
  });

/** The attribute that column X becomes; undefined when it is left out. */
async function attribute(column: string, X: string, defaults?: string) {
  const records = recordsOf(mapRows(await load(yamlOf(column, defaults)), [{ ...DAY, X }]));
  return records.events[0]?.attributes.find(({ name }) => name === "A")?.value;
}

const problems = async (column: string, X: string) =>
  problemsOf(mapRows(await load(yamlOf(column)), [{ ...DAY, X }])[0]);

describe("a column", () => {
  it("takes a header's text, cleaned", long, async () => {
    expect(await attribute("X", "  a   b ")).toBe("a b");
  });

  it("is left out of the attributes when it is blank, and when the cell holds a blank word", async () => {
    expect(await attribute("X", " ")).toBeUndefined();
    expect(await attribute("X", " N/A ", 'blank: ["-", "N/A"]')).toBeUndefined();
    expect(await attribute("X", "n/a", 'blank: ["-", "N/A"]')).toBe("n/a");
  });

  it("takes its default when blank, converted like a cell", async () => {
    expect(await attribute('{ header: X, as: number, default: "1.500,5" }', "")).toBe("1500.5");
    expect(await attribute("{ header: X, default: S/N }", "")).toBe("S/N");
  });

  it("that is required and blank makes the row invalid, naming the column", async () => {
    expect(await problems("{ header: X, required: true }", "")).toMatchObject([
      { code: "value-required", column: "X", message: "blank, but required" },
    ]);
  });

  it("maps what the cell says, folding white space, case and accents", async () => {
    expect(await attribute('{ header: X, map: { "São Paulo": SP, Rio: RJ } }', "SAO  PAULO")).toBe("SP");
    expect(await problems("{ header: X, map: { Sim: yes } }", "Talvez")).toMatchObject([
      { code: "value-unmapped", column: "X" },
    ]);
    expect(await attribute("{ header: X, map: { a: b }, otherwise: other }", "z")).toBe("other");
    expect(await attribute("{ header: X, map: { a: b }, otherwise: { keep: true } }", "z")).toBe("z");
  });

  it("refuses a map whose entries are one text and say two things, when it loads (F84)", async () => {
    for (const map of ["{ a: lower, A: upper }", "{ á: one, A: two }", '{ "a b": 1, "A  B": 2 }'])
      expect((await refusal(yamlOf(`{ header: X, map: ${map} }`))).message).toMatch(/are the same text.*\n.*\n? *\^/su);
    expect(await attribute("{ header: X, map: { Sim: yes, SIM: yes } }", "sim")).toBe("yes");
  });

  it("is checked against oneOf, which folds and comes out as spelt, and against its pattern", async () => {
    expect(await attribute("{ header: X, oneOf: [IIA, IIB] }", "iia")).toBe("IIA");
    expect(await attribute("{ header: X, oneOf: [true, 12] }", "TRUE")).toBe("true");
    expect(await problems("{ header: X, oneOf: [A, B] }", "c")).toMatchObject([
      { code: "value-not-allowed", column: "X" },
    ]);
    expect(await attribute('{ header: X, pattern: "[A-Z]{3}" }', "ABC")).toBe("ABC");
    expect(await problems('{ header: X, pattern: "[A-Z]{3}" }', "ABCD")).toMatchObject([
      { code: "value-pattern", column: "X" },
    ]);
  });

  it.each([
    ["as: number, places: 2, oneOf: [10, 20]", "10", "10.00"],
    ["as: number, oneOf: [1500]", "1.500,00", "1500"],
    ["as: timestamp, oneOf: [01/02/2026]", "01/02/2026", "2026-02-01T00:00:00.000Z"],
    ['as: timestamp, pattern: "2026-02-01T.*"', "01/02/2026", "2026-02-01T00:00:00.000Z"],
    ["as: date, oneOf: [01/02/2026]", "01/02/2026", "2026-02-01"],
    ["as: boolean, oneOf: [Sim]", "sim", "true"],
    ["as: digits, oneOf: ['12-3']", "123", "123"],
  ])("{ %s } means values as the column reads them", async (options, cell, value) => {
    expect(await attribute(`{ header: X, ${options} }`, cell)).toBe(value);
  });
});

describe("a table beside the mapping", () => {
  const table = (file: string, more = "", key = "Código") =>
    `codes: { file: ${file}, key: ${key}, columns: { name: Nome }${more} }`;
  const yaml = (tables: string, formula = "tables.codes[x].name") =>
    mappingWith({ columns: "x: X\ny: Y", attributes: `A: "=${formula}"`, tables });

  it("that does not list a key makes the row invalid, unless `missing: blank`", async () => {
    const beside = { "codes.csv": "Código,Nome\n01,Papel\n" };
    const [mapped] = mapRows(await load(yaml(table("codes.csv")), beside), [{ ...DAY, X: "09" }]);
    expect(problemsOf(mapped)).toMatchObject([{ code: "value-unmapped", column: "X" }]);
    const lenient = await load(yaml(table("codes.csv", ", missing: blank")), beside);
    expect(recordsOf(mapRows(lenient, [{ ...DAY, X: "09" }])).events[0]?.attributes).toEqual([]);
  });

  it("is read without rows that repeat its header, and its keys without invisible characters", async () => {
    const typed = "codes: { file: codes.csv, key: Código, columns: { name: { header: Nome, as: number } } }";
    const beside = { "codes.csv": "Código\u200b,Nome\n01,1\nCódigo,Nome\n\u200e02,2\n" };
    const mapping = await load(yaml(typed), beside);
    expect(recordsOf(mapRows(mapping, [{ ...DAY, X: "02" }])).events[0]?.attributes[0]?.value).toBe("2");
  });

  it("may have two keys", async () => {
    const beside = { "codes.csv": "Código,Ano,Nome\n01,2025,Papel\n01,2026,Vidro\n" };
    const mapping = await load(yaml(table("codes.csv", "", "[Código, Ano]"), "tables.codes[x][y].name"), beside);
    expect(recordsOf(mapRows(mapping, [{ ...DAY, X: "01", Y: "2026" }])).events[0]?.attributes[0]?.value).toBe("Vidro");
    const error = await refusal(yaml(table("codes.csv", "", "[Código, Ano]")), beside);
    expect(error).toMatchObject({ code: "mapping-expression", message: expect.stringContaining("two keys") as string });
  });

  it("whose file lacks a column, contradicts itself or lies elsewhere is refused before any row", async () => {
    const lacking = { "codes.csv": "Codiga,Nome\n1,a\n" };
    expect(await refusal(yaml(table("codes.csv")), lacking)).toMatchObject({ code: "mapping-lookup" });
    expect((await refusal(yaml(table("codes.csv")), { "codes.csv": "Código,Nome\n1,a\n1,b\n" })).message).toContain(
      'rows 2 and 3 differ, but both are for "1"',
    );
    const empty = await refusal(yaml(table("codes.csv")), { "codes.csv": "" });
    expect(empty).toMatchObject({ hint: expect.stringMatching(/^Fill the table/u) as string });
    expect((await refusal(yaml(table("codes.csv")))).message).toContain("codes.csv");
    expect((await refusal(yaml(table("../codes.csv")))).message).toContain("in the folder of the mapping");
  });

  it("that no formula reads is told", async () => {
    const mapping = await load(yaml(table("codes.csv"), "x"), { "codes.csv": "Código,Nome\n01,Papel\n" });
    expect(mapping.warnings).toMatchObject([
      { code: "mapping-doubtful", message: expect.stringContaining('"codes"') as string },
    ]);
  });
});

it("a default comes out as its list spells it", async () => {
  const yaml = mappingWith({ columns: "x: { header: X, oneOf: [Yes], default: yes }", attributes: "A: =x" });
  const { events } = recordsOf(mapRows(await load(yaml), [{ ...DAY, X: "" }]));
  expect(events[0]?.attributes[0]?.value).toBe("Yes");
});

describe("a time zone", () => {
  it.each([
    ["EST", ["EST names no place, and is read as America/Panama, today at GMT-05:00."]],
    ["Etc/GMT+3", ["Etc/GMT+3 names no place, and is read as Etc/GMT+3, today at GMT-03:00."]],
    ["Etc/GMT-11", ["Etc/GMT-11 names no place, and is read as Etc/GMT-11, today at GMT+11:00."]],
    ["+01:00", ["+01:00 names no place, and is read as +01:00, today at GMT+01:00."]],
    ["EST5EDT", []],
    ["BST", ["BST names no place, and is read as Asia/Dhaka, today at GMT+06:00."]],
    ["America/Panama", []],
  ])("that seldom is what was meant is told: %s", async (timezone, told) => {
    const { warnings } = await load(mappingWith({}).replace("timezone: UTC", `timezone: ${timezone}`));
    expect(warnings.map(({ message }) => message)).toEqual(told);
  });

  it.each(["BRT", "XYZ"])("that does not exist is refused by its name: %s", async (timezone) => {
    const loading = load(mappingWith({}).replace("timezone: UTC", `timezone: ${timezone}`));
    await expect(loading).rejects.toThrow(`there is no time zone "${timezone}"`);
  });
});

describe("free JSON", () => {
  it("goes through as written, with numbers, truth values, lists and objects, and formulas filled in", async () => {
    const fields =
      "category: X, count: 3, open: false, nothing: null, place: { lat: =lat, tags: [a, =t] }, at: =day, value: { value: 10 }";
    const mapping = await load(mappingWith({ fields, columns: "lat: { header: Lat, as: number }\nt: T" }));
    const { documents } = recordsOf(mapRows(mapping, [{ ...DAY, Lat: "-23,5", T: "t" }]));
    expect(documents[0]?.fields).toEqual({
      category: "X",
      count: 3,
      open: false,
      nothing: null,
      place: { lat: -23.5, tags: ["a", "t"] },
      at: "2026-02-01T00:00:00.000Z",
      value: { value: 10 },
    });
  });

  it("leaves out members that are blank", async () => {
    const mapping = await load(mappingWith({ columns: "x: X", fields: "a: =x, b: { c: =x, d: 1 }" }));
    expect(recordsOf(mapRows(mapping, [DAY])).documents[0]?.fields).toEqual({ b: { d: 1 } });
  });
});

describe("a problem through columns that are computed names the one header that they read", () => {
  const beside = { "p.csv": "Code,Region\nA,North\n" };
  const of = (columns: string, event: string, more = "") =>
    mappingWith({
      tables: "p: { file: p.csv, key: Code, columns: { region: Region } }",
      columns: `code: Code\nother: Other\nn: { header: N, as: number }\n${columns}`,
      attributes: event,
    }).replace("name: Step", more === "" ? "name: Step" : more);

  it.each([
    ["a table asked by it", of("big: =upper(code)", 'A: "=tables.p[big].region"'), "value-unmapped", "Code"],
    ["a table asked by a formula", of("big: =code", "A: '=tables.p[big + \"x\"].region'"), "value-unmapped", "Code"],
    ["a formula", of("same: =n + 0", 'A: "=round(1 / same, 2)"'), "expression-failed", "N"],
    ["a blank", of('gone: =replace(other, "z", "")', "A: =code", "name: =gone"), "value-required", "Other"],
    ["an event's name", of("what: =code", "A: =other", "name: =what"), "event-name", "Code"],
  ])("%s", async (_what, yaml, code, column) => {
    const mapped = mapRows(await load(yaml, beside), [
      { Doc: "1", Day: "01/02/2026", Code: "Cancel", N: "0", Other: "z" },
    ]);
    expect(problemsOf(mapped[0])).toMatchObject([{ code, column }]);
  });
});

describe("a literal that reads like the header of a column", () => {
  const warningsOf = async (peso: string, city: string, name: string) => {
    const yaml = mappingWith({ columns: "gross: Peso Bruto\ntown: Cidade", attributes: `Peso: ${peso}` });
    const { warnings } = await load(
      yaml.replace("city: Santos", `city: ${city}`).replace("name: Step", `name: ${name}`),
    );
    return warnings.map(({ message }) => message);
  };

  it("would be sent for every row, and is told at load", async () => {
    expect(await warningsOf("Peso Bruto", "Cidade", "Step")).toEqual([
      expect.stringMatching(/city: "Cidade" is the header of the column "town", but every row sends this text/u),
      expect.stringMatching(/"Peso Bruto" is the header of the column "gross"/u),
    ]);
  });

  it("is nothing to tell in an event's name, or as a formula", async () => {
    expect(await warningsOf("'=\"Peso Bruto\"'", "Santos", "Cidade")).toEqual([]);
  });
});
