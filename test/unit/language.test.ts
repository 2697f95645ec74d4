/** What the language decides (LANGUAGE, Decided), each with its own small table. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkMapping, loadMapping } from "../../src/map/load-mapping.js";
import { bind, load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "../support/map.support.js";
import { folder } from "../support/cli.world.js";

const DAY = { Doc: "1", Day: "01/02/2026" };
const shown = (mapped: ReturnType<typeof mapRows>) => recordsOf(mapped).events.map(({ attributes }) => attributes);

const written = (files: { [name: string]: string }) => join(folder(files), "m.yaml");

describe("a forgotten = (2)", () => {
  it.each(["\"'=x'\"", "'\"=x\"'", '"Nr. {x}"', "'{{ x }} / {{ doc }}'", "'a ${x} b'"])(
    "is an error in quotes of its own and in a template: %s",
    async (text) => {
      const fields = `note: ${text}`;
      for (const yaml of [
        mappingWith({ columns: "x: X", attributes: `A: ${text}` }),
        mappingWith({ columns: "x: X", fields }),
      ])
        expect((await refusal(yaml)).message).toMatch(/here it is plain text|does not begin with a plain =/u);
    },
  );

  it("is none in braces that name no column, and in a text that is said to be one", async () => {
    const yaml = mappingWith({ columns: "x: X", attributes: `A: "{y} {", B: '="{x}"'` });
    expect((await load(yaml)).warnings).toEqual([]);
  });

  it.each([
    ["in a value", mappingWith({ columns: "x: X", attributes: "A: x" })],
    ["in a key", mappingWith({ columns: "x: X" }).replace("key: =doc", "key: doc")],
    ["in free JSON", mappingWith({ columns: "x: X", fields: "a: { b: [x] }" })],
  ])("%s is refused, and said how to confirm", async (_title, yaml) => {
    const error = await refusal(yaml);
    expect(error.message + error.hint).toMatch(/is the name of a column.*Write =\w+ for the column/su);
  });

  it.each([
    ["default", "default: =doc"],
    ["map", "map: { A: =doc }"],
    ["oneOf", "oneOf: [=doc]"],
  ])("a formula where none is computed is refused, not sent as text: %s", async (option, options) => {
    const mistake = new RegExp(`x.*${option}.*formulas are not computed here.*a separate column`, "su");
    expect((await refusal(mappingWith({ columns: `x: { header: X, ${options} }` }))).message).toMatch(mistake);
    const table = mappingWith({ tables: `t: { file: t.csv, key: K, columns: { x: { header: X, ${options} } } }` });
    expect((await refusal(table, { "t.csv": "K;X\n1;A\n" })).message).toMatch(mistake);
  });

  it.each([
    ["a value with a blank before it", mappingWith({ attributes: 'A: " =doc"' })],
    ["a value with another sign for it", mappingWith({ attributes: 'A: "＝doc"' })],
  ])("a formula where none is computed is refused, not sent as text: %s", async (_title, yaml) => {
    expect((await refusal(yaml)).message).toContain("no formula is computed here");
  });

  it("is confirmed as a text in quotes", async () => {
    const yaml = mappingWith({ columns: "x: X", attributes: `A: '="x"'` });
    expect(shown(mapRows(await load(yaml), [DAY]))).toEqual([[{ name: "A", value: "x", isPublic: true }]]);
  });
});

it("tables (6) have typed columns, whose mistakes are found when the mapping loads", async () => {
  const yaml = mappingWith({
    tables: "t: { file: t.csv, key: K, columns: { kg: { header: Kg, as: number } } }",
    attributes: 'A: "=tables.t[doc].kg * 2"',
  });
  expect(shown(mapRows(await load(yaml, { "t.csv": "K;Kg\n1;0,5\n" }), [DAY]))[0]?.[0]?.value).toBe("1");
  expect((await refusal(yaml, { "t.csv": "K;Kg\n1;much\n" })).message).toMatch(/row 2.*"much"/su);
  const quoted = yaml.replace("[doc]", "['doc']");
  expect(await refusal(quoted, { "t.csv": "K;Kg\n1;0,5\n" })).toMatchObject({
    message: expect.stringContaining('does not list the text "doc"'),
    hint: "For the column, write [doc].",
  });
  await load(quoted, { "t.csv": "K;Kg\ndoc;0,5\n" });
});

describe("`by` and `is` (7)", () => {
  it("send the spelling that the mapping has", async () => {
    const yaml = mappingWith({ columns: "event: Event", event: "by: event\nis: [Coleta, Pick-up]" }).replace(
      "name: Step",
      "name: =event",
    );
    const { events } = recordsOf(
      mapRows(await load(yaml), [
        { ...DAY, Event: "COLETA" },
        { ...DAY, Event: "pick-up" },
      ]),
    );
    expect(events.map(({ name }) => name)).toEqual(["Coleta", "Pick-up"]);
  });

  it("an event that no row can reach is refused", async () => {
    const yaml = mappingWith({ columns: "event: { header: Event, oneOf: [A, B] }", event: "by: event\nis: C" });
    expect(await refusal(yaml)).toMatchObject({
      code: "mapping-rule",
      message: expect.stringContaining("no row can reach") as string,
    });
    expect((await refusal(mappingWith({ event: "when: =false" }))).message).toContain("no row can reach");
  });

  // Beside an event with `is: otherwise`, every row would land there in silence.
  it.each([
    ["boolean", "sim", 'Write "true".'],
    ["boolean, true: [aberto], false: [fechado]", "aberto", 'Write "true".'],
    ["number", "1,5", 'Write "1.5".'],
    ["date", "03/04/2026", 'Write "2026-04-03".'],
    ["country", "Brasil", 'Write "BR".'],
    ["digits", "A-1", 'Write "1".'],
  ])("a word that a column read as %s never gives is refused: %s", async (as, word, hint) => {
    const yaml = (is: string) =>
      mappingWith({ columns: `kind: { header: K, as: ${as} }`, event: `by: kind\nis: ["${is}"]` });
    const error = await refusal(yaml(word));
    expect(error.message).toContain(`no row can reach it by "${word}"`);
    expect(error.hint).toBe(hint);
    const [, given = ""] = hint.split('"');
    expect((await load(yaml(given.toLowerCase()))).inputs).toHaveLength(1);
  });
});

describe("parties (8)", () => {
  const party = (taxId: string, columns: string) =>
    mappingWith({ columns }).replace(/owner: \{.*\}/u, `owner: { taxId: ${taxId}, name: N, type: COMPANY }`);

  it("take the type and the country of their tax id from its column, which may be formulas", async () => {
    const columns =
      "kind: Kind\nland: { header: Land, as: country }\nid: { header: Id, as: taxId, type: =kind, country: =land }";
    const mapping = await load(party("=id", columns));
    const rows = [
      { ...DAY, Kind: "CPF", Land: "Brasil", Id: "1234567890" },
      { ...DAY, Kind: "EIN", Land: "US", Id: "91-1144442" },
    ];
    expect(
      recordsOf(mapRows(mapping, rows)).participants.map(({ data }) => [data.countryCode, data.taxIdType, data.taxId]),
    ).toEqual([
      ["BR", "CPF", "01234567890"],
      ["US", "EIN", "911144442"],
    ]);
  });

  describe("whose type and country are formulas", () => {
    const columns =
      "kind: Kind\nland: { header: Land, as: country }\nid: { header: Id, as: taxId, type: =kind, country: =land }";
    const CNPJ = "11.222.333/0001-81";

    it.each([
      ["in other letters is one type", { Kind: "cnpj", Land: "BR", Id: CNPJ }, ["BR", "CNPJ", "11222333000181"]],
      ["blank is told by the number", { Kind: "", Land: "BR", Id: CNPJ }, ["BR", "CNPJ", "11222333000181"]],
      ["and country blank are the mapping's", { Kind: "", Land: "", Id: CNPJ }, ["BR", "CNPJ", "11222333000181"]],
      ["of a country without known ones is kept", { Kind: "X", Land: "AQ", Id: "7-1" }, ["AQ", "X", "7-1"]],
    ])("the type %s", async (_title, cells, sent) => {
      const { participants } = recordsOf(mapRows(await load(party("=id", columns)), [{ ...DAY, ...cells }]));
      expect(participants.map(({ data }) => [data.countryCode, data.taxIdType, data.taxId])).toEqual([sent]);
    });

    it.each([
      ["a type that the country does not have", { Kind: "CNPF", Land: "BR", Id: CNPJ }, "CNPJ, CPF"],
      ["no type where none is known", { Kind: "", Land: "AQ", Id: "7-1" }, "`type`"],
    ])("%s is a problem of the row", async (_title, cells, hint) => {
      const [problem] = problemsOf(mapRows(await load(party("=id", columns)), [{ ...DAY, ...cells }])[0]);
      expect(problem).toMatchObject({ code: "tax-id-invalid", hint: expect.stringContaining(hint) as string });
    });

    it("no country at all is a problem of the row", async () => {
      const yaml = party("=id", columns).replace(", country: BR", "").replace("number:", "countryCode: BR, number:");
      const [row] = mapRows(await load(yaml), [{ ...DAY, Kind: "CNPJ", Land: "", Id: CNPJ }]);
      expect(problemsOf(row)).toMatchObject([
        { code: "tax-id-invalid", hint: expect.stringContaining("country") as string },
      ]);
    });
  });

  describe.each([
    ["written", "country: DE, type: VAT"],
    ["in another column", "country: =land, type: =kind"],
  ])("whose column has a country and a type of its own, %s,", (_title, own) => {
    const others = "land: Land\nkind: Kind\n";
    const id = `{ header: Id, as: taxId, ${own} }`;
    const asked = '"=tables.t[doc].id"';
    const table = { tables: `t: { file: t.csv, key: K, columns: { land: Land, kind: Kind, id: ${id} } }` };

    it.each([
      ["a table", asked, "", table],
      ["a column that asks a table", "=other", `other: ${asked}`, table],
      ["iff()", `"=iff(filled(id), id, home)"`, `id: ${id}\nhome: { header: Home, as: taxId }`, {}],
      ["default()", `"=default(home, id)"`, `id: ${id}\nhome: { header: Home, as: taxId }`, {}],
    ])("keep both where %s gives the number", async (_way, taxId, columns, more) => {
      const yaml = mappingWith({ columns: others + columns, ...more }).replace(
        /owner: \{.*\}/u,
        `owner: { taxId: ${taxId}, name: N, type: COMPANY }`,
      );
      const cells = { Land: "DE", Kind: "VAT", Id: "DE 136 695 976" };
      const mapping = await load(yaml, { "t.csv": "K;Land;Kind;Id\n1;DE;VAT;DE136695976\n" });
      const [row] = mapRows(mapping, [{ ...DAY, ...cells, Home: "" }]);
      expect(recordsOf([row!]).participants).toMatchObject([
        { data: { countryCode: "DE", taxIdType: "VAT", taxId: "136695976" } },
      ]);
    });
  });

  it("need it said where the tax id is plain text", async () => {
    const { message, hint } = await refusal(party("=id", "id: Id"));
    expect(message).toContain('"taxIdType" is missing');
    expect(hint).toContain('Give the column "id" `as: taxId`');
    expect((await refusal(party("=ids", "id: Id"))).message).not.toContain("taxIdType");
  });
});

it.each(["peso-bruto", "in", "row", "1st"])("names (12): %s is refused with a suggestion", async (name) => {
  expect((await refusal(mappingWith({ columns: `"${name}": X` }))).hint).toMatch(/^Call it "[a-z][a-z0-9_]*"/u);
});

it.each(["=código + doc", "=doc + código"])("names (12): %s is told that no name has accents", async (formula) => {
  const error = await refusal(mappingWith({ columns: "codigo: Código", attributes: `A: "${formula}"` }));
  expect(error.hint).toBe("Names of columns have no accents: write codigo.");
});

describe("sharing (13)", () => {
  const common = `
version: 2
defaults: { timezone: UTC, dates: ["dd/MM/yyyy"], country: BR }
columns: { doc: Doc, day: { header: Day, as: timestamp }, never: { header: Never, as: number } }
participants: { owner: { taxId: "11.222.333/0001-81", name: Dono, type: COMPANY }, nobody: { taxId: =never_there, name: X, type: COMPANY } }
addresses: { home: { participant: owner, name: Casa, street: Rua A, number: "1", city: Santos, countryState: SP } }
`;
  const own = `
version: 2
extends: common.yaml
namespace: test
defaults: { country: BR, decimal: "," }
inputs:
  rows:
    documents: { paper: { key: =doc, participant: owner, address: home } }
    events: { step: { name: Step, key: once, externalCreatedAt: =day, isPublic: true } }
`;

  it("columns and parties at the top are bound only where they are used; `extends` merges by key", async () => {
    const mapping = await loadMapping(written({ "m.yaml": own, "common.yaml": common }));
    expect(mapping.inputs[0]?.columns).toEqual([["Doc"], ["Day"]]);
    const records = recordsOf(mapRows(mapping, [DAY]));
    expect(records.participants.map(({ kind }) => kind)).toEqual(["owner"]);
    expect(mapping.dependencies.map((path) => path.split("/").at(-1))).toEqual(["common.yaml"]);
  });

  it("a plain false switches off what is inherited: rows that are skipped, and events", async () => {
    const off = `
version: 2
extends: all.yaml
inputs: { rows: { skip: false, events: { step: { when: false } } } }
`;
    const more = "other: { name: Other, key: once, externalCreatedAt: =day, isPublic: true }";
    const all = mappingWith({ input: "skip: =filled(doc)", event: "when: =filled(doc)", more });
    const mapping = await loadMapping(written({ "m.yaml": off, "all.yaml": all }));
    expect(recordsOf(mapRows(mapping, [DAY])).events.map(({ name }) => name)).toEqual(["Other"]);
  });

  it("a mistake is shown in the file that it stands in", async () => {
    const { problems } = await checkMapping(
      written({ "m.yaml": own, "common.yaml": common.replace("name: Casa", "nam: Casa") }),
    );
    expect(problems.map(({ place }) => place.file?.split("/").at(-1))).toContain("common.yaml");
    const missing = await checkMapping(written({ "m.yaml": own }));
    expect(missing.problems[0]?.message).toContain("common.yaml");
    const listed = await checkMapping(written({ "m.yaml": own, "common.yaml": "- columns\n" }));
    expect(listed.problems).toMatchObject([{ message: "common.yaml holds no parts of a mapping." }]);
  });
});

describe("what YAML changes in silence (15)", () => {
  it.each([
    ["a formula cut at a comma", mappingWith({ columns: "x: X", attributes: "A: =default(x, doc)" }), "in quotes"],
    ["a tag", mappingWith({ event: "when: !blank(doc)" }), "begins with ="],
    ["a tab", "version: 2\n\tnamespace: x\n", "blanks"],
  ])("%s is said as such", async (_title, yaml, said) => {
    const error = await refusal(yaml);
    expect(error.message + error.hint).toContain(said);
    expect(error.message).not.toMatch(/YAML: |Implicit|flow/u);
  });

  it("a header that loses its end to a comment is a warning", async () => {
    const mapping = await load(mappingWith({ columns: "x: Ticket #1", attributes: "A: =x" }));
    expect(mapping.warnings).toMatchObject([
      { code: "mapping-doubtful", message: expect.stringContaining('"#1"') as string },
    ]);
  });
});

describe("versions and drafts (17)", () => {
  it("a mapping of version 1 is refused with the page that shows old beside new", async () => {
    const error = await refusal("version: 1\nnamespace: x\ninputs: { a: { events: { b: { colum: 1 } } } }\n");
    expect(error).toMatchObject({
      code: "mapping-value",
      hint: expect.stringContaining("docs/how-to/upgrade-a-mapping.md") as string,
    });
  });

  it("a draft is refused with the lines that wait for a decision, and accepted where it is rehearsed", async () => {
    const path = written({
      "m.yaml": `draft: true\n${mappingWith({}).replace("events:", "# decide: which date is it?\n    events:")}`,
    });
    await expect(loadMapping(path)).rejects.toMatchObject({
      code: "mapping-draft",
      message: expect.stringContaining("which date is it?") as string,
    });
    expect((await loadMapping(path, { drafts: "accept" })).inputs).toHaveLength(1);
    expect((await checkMapping(path)).problems).toEqual([]);
  });
});

it("two columns may read one header; a column is converted only where something reads it (9)", async () => {
  const columns = "kg: { header: Peso, as: number }\nfree: Peso";
  const mapping = await load(mappingWith({ columns, attributes: "A: =free", event: "when: =true" }));
  expect(shown(mapRows(mapping, [{ ...DAY, Peso: "muito" }]))[0]?.[0]?.value).toBe("muito");
  const strict = await load(mappingWith({ columns, attributes: "A: =kg" }));
  expect(problemsOf(mapRows(strict, [{ ...DAY, Peso: "muito" }])[0])).toMatchObject([
    { code: "number-unreadable", column: "Peso" },
  ]);
});

describe("words that are one word", () => {
  it.each([
    ["units", "as: number, units: { mg: 0.000001, Mg: 1000 }", /"mg" and "Mg"/],
    ["words for true and false", "as: boolean, true: [Sim, x], false: [sim, n]", /"sim"/i],
    ["permitted values", "oneOf: [kg, KG]", /"kg" and "KG"/],
  ])("and mean two things are refused: %s", async (_title, options, mistake) => {
    const { message, hint } = await refusal(
      mappingWith({ columns: `x: { header: X, ${options} }`, attributes: "A: =x" }),
    );
    expect(message + hint).toMatch(mistake);
  });

  it.each([
    ["in one list", "one: { by: x, is: [Pago, PAGO] }", "x: X"],
    ["in two events", "one: { by: x, is: Pago }\n      two: { by: x, is: pagó }", "x: X"],
  ])("and would be sent in one spelling only are refused: `is` %s", async (_title, events, columns) => {
    const yaml = mappingWith({ columns }).replace("    events:\n", `    events:\n      ${events}\n`);
    const { message, hint } = await refusal(yaml);
    expect(message).toMatch(/"Pago" and "[^"]+" are the same word/u);
    expect(message + hint).toContain("one event");
  });
});

it.each([
  ["mg", "5 Mg", null],
  ["MHz", "5 mHz", null],
  ["mg", "5 MG", "5"],
  ["Mg", "5 MG", "5"],
  ["m³", "5 M³", "5"],
  ["m", "5 M", "5"],
])("the unit %s: %s is %s, for a thousandth is not a million", async (unit, X, value) => {
  const columns = `x: { header: X, as: number, units: { ${unit}: 1 } }`;
  const mapped = mapRows(await load(mappingWith({ columns, attributes: "A: =x" })), [{ ...DAY, X }]);
  if (value !== null) expect(shown(mapped)[0]?.[0]?.value).toBe(value);
  else expect(problemsOf(mapped[0])[0]).toMatchObject({ code: "number-unit", hint: expect.stringContaining(unit) });
});

describe("a blank in a list of `fields` or `value`", () => {
  const yaml = mappingWith({ columns: "x: X\ny: Y", fields: "at: [=x, =y]" });
  const fields = async (X: string, Y: string) => mapRows(await load(yaml), [{ ...DAY, X, Y }]);

  it("is a problem of the row where the next entry would take its place", async () => {
    const [row] = await fields("", "2");
    expect(problemsOf(row)).toMatchObject([{ code: "value-required", message: expect.stringContaining("at[0]") }]);
  });

  it.each([
    ["1", "2", ["1", "2"]],
    ["1", "", ["1"]],
    ["", "", []],
  ])("is left out at the end: %j, %j", async (X, Y, at) => {
    expect(recordsOf(await fields(X, Y)).documents[0]?.fields).toMatchObject({ at });
  });
});

it("filled(x) (1) is false where the column's `map` makes a blank of the cell", async () => {
  const columns = 'x: { header: X, map: { "n/a": "", a: A } }';
  const yaml = mappingWith({ columns, attributes: "F: =filled(x), B: =blank(x)" });
  const told = shown(
    mapRows(
      await load(yaml),
      ["n/a", "a"].map((X) => ({ ...DAY, X })),
    ),
  );
  expect(told.map((attributes) => attributes.map(({ value }) => value))).toEqual([
    ["false", "true"],
    ["true", "false"],
  ]);
});

describe("an order of texts that are numbers", () => {
  const columns = "x: X\ny: Y";
  it.each(["=x < y", "=x >= y"])("%s is a problem of the row where it is another one than theirs", async (formula) => {
    const mapping = await load(mappingWith({ columns, attributes: `A: "${formula}"` }));
    const [wrong, right] = mapRows(mapping, [
      { ...DAY, X: "9", Y: "10,5" },
      { ...DAY, Doc: "2", X: "10", Y: "90" },
    ]);
    expect(problemsOf(wrong)[0]).toMatchObject({
      code: "expression-failed",
      hint: expect.stringContaining("as: number"),
    });
    expect(right?.outcome.fate).toBe("valid");
  });

  it.each([
    ["30/03/2025", "01/01/2026", "as: date"],
    ["2025-03-30", "01/01/2026", "as: date"],
    ["2025-03-30", "2025-12-01", null],
    ["2025-03-30T10:00", "2026", null],
    ["A-1", "B-2", null],
  ])("and so are texts that are days: %s before %s, %s", async (X, Y, remedy) => {
    const mapping = await load(mappingWith({ columns, attributes: 'A: "=x < y"' }));
    const mapped = mapRows(mapping, [{ ...DAY, X, Y }]);
    if (remedy === null) expect(shown(mapped)[0]?.[0]?.value).toBe("true");
    else expect(problemsOf(mapped[0])[0]?.hint).toContain(remedy);
  });

  it("is one in max() too", async () => {
    const mapping = await load(mappingWith({ input: "group: =doc", columns, attributes: "A: =max(x)" }));
    const [mapped] = mapRows(
      mapping,
      ["9", "10"].map((X) => ({ ...DAY, X })),
    );
    expect(problemsOf(mapped)[0]?.hint).toContain("as: number");
  });
});

describe("an event's attributes", () => {
  const yaml = (own: string) =>
    mappingWith({ event: own })
      .replace(/attributes:\s+public:\s+\{\s+\}/u, "")
      .replace(
        "    events:",
        "    events:\n      defaults: { attributes: { public: { A: a, B: b }, private: { C: c } } }",
      );

  it.each([
    ["", ["A=a public", "B=b public", "C=c private"]],
    ["attributes: { public: { D: d } }", ["A=a public", "B=b public", "C=c private", "D=d public"]],
    ["attributes: { public: { A: x } }", ["A=x public", "B=b public", "C=c private"]],
    ["attributes: { asEvent: { C: x }, private: { A: y } }", ["A=y private", "B=b public", "C=x public"]],
  ])("are those of `defaults` and its own, which count where both have one: %j", async (own, expected) => {
    const [attributes = []] = shown(mapRows(await load(yaml(own)), [DAY]));
    const told = attributes.map(({ name, value, isPublic }) => `${name}=${value} ${isPublic ? "public" : "private"}`);
    expect(told.toSorted()).toEqual(expected);
  });
});

it.each(["yes", "OFF"])(
  "words that YAML no longer takes for true and false are refused in free JSON, not sent as text: %s",
  async (word) => {
    const { message, hint } = await refusal(mappingWith({ fields: `a: { isPublic: ${word} }` }));
    expect(message).toContain(`"${word}" is a text`);
    expect(hint).toMatch(/true|false/);
    await expect(load(mappingWith({ fields: `a: { isPublic: "${word}" }` }))).resolves.toBeDefined();
  },
);

it("every type and its options in the reference are a column as it may be written", async () => {
  const page = readFileSync("docs/reference/mapping.md", "utf8");
  const examples = [...page.matchAll(/^\| `(as: [^`]+)` \|/gm)].map(([, column = ""]) => column);
  expect(examples.length).toBeGreaterThan(20);
  const columns = examples.map((column, at) => `x${at}: { header: X${at}, ${column} }`).join("\n");
  await expect(load(mappingWith({ columns }))).resolves.toBeDefined();
});

describe("a set of columns (11)", () => {
  const yaml = (more: string) => mappingWith({ columns: `m: { headers: "Teor *"${more} }`, attributes: '"*": =m' });

  it("that no header of a file matches stops the file, as a missing column does", async () => {
    const mapping = await load(yaml(""));
    expect(() => bind(mapping, ["Doc", "Day", "Conc. A"])).toThrow('"Teor *", which no header matches');
    expect(bind(mapping, ["Doc", "Day", "Teor A"]).absent).toEqual([]);
  });

  it("may be empty where it is optional", async () => {
    expect(bind(await load(yaml(", optional: true")), ["Doc", "Day"]).absent).toEqual(["Teor *"]);
  });
});

it.each([
  ["the only blank one of several", { A: "1", B: "" }, "B"],
  ["none where several are blank", { A: "", B: "" }, null],
])("a missing value names its column: %s", async (_title, cells, column) => {
  const mapping = await load(mappingWith({ columns: "a: A\nb: B" }).replace("key: once", "key: =a + b"));
  expect(problemsOf(mapRows(mapping, [{ ...DAY, ...cells }])[0])).toMatchObject([{ code: "value-required", column }]);
});

it.each([
  ["as: timestamp", "`dates`"],
  ["as: timestamp, formats: [dd/MM/yyyy]", "`formats`"],
  ["as: date, formats: [ISO]", "`formats`"],
])("a time that cannot be read names the setting that lists its formats: %s", async (options, setting) => {
  const mapping = await load(mappingWith({ columns: `t: { header: T, ${options} }`, attributes: "T: =t" }));
  const [problem] = problemsOf(mapRows(mapping, [{ ...DAY, T: "2025/01/02T10:00" }])[0]);
  expect(problem?.hint).toContain(setting);
});
