import { loadMapping } from "../../src/map/load-mapping.js";
import { load, mappingWith, refusal } from "../support/map.support.js";

describe("a mistake in a mapping", () => {
  it("is reported with file, line, character, a caret line and the nearest known name", async () => {
    const error = await refusal(mappingWith({ columns: "x: { heder: X }", attributes: "A: =x" }));
    expect(error.code).toBe("mapping-unknown-key");
    expect(error.place.file).toMatch(/m\.yaml$/u);
    expect(error.hint).toBe('Did you mean "header"?');
    const [, line = "", caret = ""] = error.message.split("\n");
    expect(line.slice(caret.indexOf("^"))).toMatch(/^heder: X/u);
    expect(error.place.character).toBe("      x: { heder".indexOf("heder") + 1);
  });

  it("is reported together with all others, in the order of the file", async () => {
    const yaml = mappingWith({ columns: "x: { heder: X }", fields: "x: 1", event: "isPublik: true" })
      .replace("namespace", "namespce")
      .replace("name: Dono", "nme: Dono")
      .replace("name: Step\n", "nam: Step\n");
    const error = await refusal(yaml);
    expect(error.code).toBe("mapping-invalid");
    const places = [...error.message.matchAll(/m\.yaml:(\d+):/gu)].map(([, line]) => Number(line));
    expect(places.length).toBeGreaterThanOrEqual(4);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it.each([
    ["YAML that does not parse", "version: '1", "mapping-syntax"],
    ["a member written twice", "version: 2\nversion: 2\nnamespace: x\ninputs: {}", "mapping-syntax"],
    ["another version", mappingWith({}).replace("version: 2", "version: 3"), "mapping-value"],
    ["an empty file", "", "mapping-value"],
    ["a list", "- a", "mapping-value"],
    ["an input without records", "version: 2\nnamespace: x\ninputs: { a: {} }", "mapping-value"],
    [
      "an option of a conversion of the wrong type",
      mappingWith({ columns: 'x: { header: X, as: text, maxLength: "9" }' }),
      "mapping-value",
    ],
    ["a pseudonym without its salt", mappingWith({ columns: "x: { header: X, as: hash }" }), "mapping-value"],
    [
      "a column's date format without a day",
      mappingWith({ columns: "x: { header: X, as: date, formats: [MM/yyyy] }" }),
      "conversion-options",
    ],
    [
      "a word for true and for false",
      mappingWith({ defaults: "booleans: { true: [s], false: [s] }" }),
      "conversion-options",
    ],
    ["an unknown time zone", mappingWith({}).replace("UTC", "Mars/Base"), "conversion-options"],
    ["a time as text", mappingWith({}).replace("=day", "=doc"), "mapping-expression"],
    [
      "a constant that its place does not take",
      mappingWith({}).replace("{ taxIdType", "{ countryCode: Atlantis, taxIdType"),
      "mapping-value",
    ],
    ["a wrong tax id", mappingWith({}).replace("0001-81", "0001-82"), "mapping-value"],
    [
      "a default that does not convert",
      mappingWith({ columns: "x: { header: X, as: number, default: many }", attributes: "A: =x" }),
      "mapping-value",
    ],
    [
      "an empty reason",
      mappingWith({
        more: 'e: { name: CANCEL, key: once, externalCreatedAt: =day, isPublic: true, attributes: { public: { reason: "" } } }',
      }),
      "mapping-value",
    ],
    [
      "look-around in a pattern",
      mappingWith({ columns: 'x: { header: X, pattern: "(?!x)" }', attributes: "A: =x" }),
      "mapping-pattern",
    ],
    ["a condition of another type", mappingWith({ event: "when: =doc" }), "mapping-expression"],
    ["an externalId among the fields", mappingWith({ fields: "externalId: =doc" }), "mapping-value"],
    ["a participant among the fields", mappingWith({ fields: "participantId: =doc" }), "mapping-value"],
    [
      "a key of its own among a target's fields",
      mappingWith({ event: "target: { document: lot, key: =doc, fields: { deduplicationId: x } }" }),
      "mapping-value",
    ],
    ["a field of its own in extra", mappingWith({ event: "extra: { deduplicationId: x }" }), "mapping-value"],
  ])("%s is refused", async (_title, yaml, code) => {
    expect((await refusal(yaml)).code).toBe(code);
  });

  const column = (options: string) => mappingWith({ columns: `x: { header: X, ${options} }`, attributes: "A: =x" });
  it.each([
    ...['places: "2"', 'min: "0.5"', 'optional: "true"'].map((option): [string, string, string] => [
      `an option in quotes, ${option}`,
      column(`as: number, ${option}`),
      "Leave out the quotes.",
    ]),
    ["a number with a comma", column("as: number, min: 1,5"), "as in 1.5"],
    ["a list where one value is meant", mappingWith({}).replace("isPublic: true", "isPublic: [true]"), "brackets"],
    [
      "a column's name with a dot, used in a formula",
      mappingWith({ columns: "x.y: X", attributes: "A: =x.y" }),
      'Call it "x_y", say.',
    ],
  ])("%s: the remedy says what to type", async (_title, yaml, remedy) => {
    const { message, hint } = await refusal(yaml);
    expect(message + hint).toContain(remedy);
    expect(message).not.toContain("write x.y");
  });

  const whole = mappingWith({ columns: "x: { header: X }" });
  const keyOf = (key: string) => mappingWith({}).replace("key: once", `key: ${key}`);
  const documentOf = (key: string) => mappingWith({}).replace("key: =doc", `key: ${key}`);
  const day = (formula: string) =>
    mappingWith({ columns: "d: { header: D, as: date }", attributes: `A: "=${formula}"` });
  it.each([
    [
      "a space of a web page",
      whole.replace("      x: {", "\u00a0     x: {"),
      "invisible character",
      "Use ordinary spaces",
    ],
    ["no blank after a colon", whole.replace("namespace: ", "namespace:"), "space after it", "Write namespace: "],
    ["a pattern without quotes", whole.replace("inputs:", "inputs:\n  b: { files: *.csv }"), "The alias", '"*.csv"'],
    ["no version", whole.replace("version: 2", ""), "missing", "`version: 2`"],
    ["curly quotes", mappingWith({ event: "when: =doc == “a”" }), "is not expected here", "straight quotes"],
    ["an empty part", whole.replace("      paper:", "    paper:"), "is empty", "Indent more"],
    ["an unclosed bracket", whole.replace("header: X }", "header: X"), "A character is missing", "quotes"],
    ["a missing colon", whole.replace("header: X", "header X"), '"header X"', "`header: X`"],
    ["a misspelt part", whole.replace("inputs:", "input:"), 'no setting "input"', '"inputs"'],
    [
      "a difference of days",
      mappingWith({ columns: "d: { header: D, as: date }", attributes: "A: =d - d" }),
      "a number is needed here",
      "`functions:`",
    ],
    ["a difference of times", mappingWith({ attributes: "A: =day - day" }), "a number is needed here", "`functions:`"],
    ["a day read again", day("date(d)"), "is a day already", "Write d."],
    ["a day read as a time", day("timestamp(d)"), "is a day already", "second time"],
    ["a day beside a time", day("d == day"), "text and a time", "second time"],
    ["a factor of zero", whole.replace("header: X", "header: X, as: number, units: { kg: 0 }"), "greater than 0", ""],
    ["a list for a column", whole.replace("{ header: X }", "[A, B]"), "text or settings with names", "header: […]"],
    ["a unit", whole.replace("header: X", "header: X, as: number, units: kg"), '"kg"', '["kg"]'],
    ["a glob for a pattern", whole.replace("header: X", 'header: X, pattern: "*"'), 'pattern "*"', ".* any text"],
    ["a name with a blank", mappingWith({ columns: "my x: X", attributes: "A: =my_x" }), '"my x"', '"my_x"'],
    ["a name for a delimiter", whole.replace("columns:", "csv: { delimiter: tab }\n    columns:"), '"tab"', ""],
    ["a key without its =", keyOf("doc"), "is the name of a column", "Write =doc"],
    [
      "a blank in a map",
      mappingWith({ defaults: 'blank: ["", "-"]', columns: 'x: { header: X, map: { "-": none, a: b } }' }),
      "a blank cell",
      "`default: …`",
    ],
    ["a constant key of a document", documentOf("2026"), "the same for every row", "Write a formula such as =ticket"],
    ["a document's key by content", documentOf("content"), "the same", "=ticket"],
    [
      "a backslash in double quotes",
      whole.replace("X }", 'X, pattern: "\\w+" }'),
      "\\w has no meaning",
      "single quotes",
    ],
    ["a formula cut at #", mappingWith({ input: 'skip: =doc == "N #1"' }), "cut at #", "quotes"],
    ["a text cut at a comma", mappingWith({ attributes: 'A: =doc + "a, b"' }), "cut at a comma", "quotes"],
    ["a header cut at its comma", whole.replace("header: X", "header: X, kg"), 'no setting "kg"', "a comma in quotes"],
    ["a header that YAML takes for a comment", whole.replace("{ header: X }", "#X"), "is empty", "begins with #"],
    ["one among others", whole.replace("header: X", "header: X #, as: text"), "the line before", "#"],
    ["a number cut at its comma", mappingWith({ attributes: "A: =size(doc) * 1,5" }), "is empty", "as in 1.5"],
    [
      "a formula without its = in a column",
      mappingWith({ columns: "x: size(doc)", attributes: "A: =x * 2" }),
      "number is needed",
      "`x: =size(doc)`",
    ],
    [
      "double quotes in double quotes",
      mappingWith({ attributes: 'A: "=doc + "-" + doc"' }),
      "not expected",
      "single ones",
    ],
    ["a yes for a formula", mappingWith({ input: "skip: yes" }), '"yes" is not a formula', "Write a formula, such as"],
    ["braces for a column", mappingWith({ attributes: 'A: "{{doc}}"' }), "is the name of a column", "Write =doc"],
    ["a formula without its =", mappingWith({ attributes: 'A: doc + doc + "-1"' }), "plain text", "'=doc"],
    ["a condition without its =", mappingWith({ event: "when: filled(doc)" }), "", "=filled(doc)"],
    ["a header for its column in a key", documentOf("Doc"), 'is the header of the column "doc"', "Write =doc"],
    ["a word among the parts of a key", keyOf("[=doc, once]"), "`once` stands alone", ""],
    ["another word among them", keyOf("[=doc, content]"), "`content` stands alone", ""],
    ["a document's key of the row's number", documentOf("=doc + text(row)"), "row's number", ""],
    [
      "the same through a column",
      mappingWith({ columns: "here: =doc + text(row)" }).replace("key: =doc", "key: =here"),
      "row's number",
      "",
    ],
    ["an event's key of it", keyOf("=row"), "row's number", ""],
    ["a rowId of it", mappingWith({ input: "rowId: =text(row)" }), "row's number", ""],
    ["a group by it", mappingWith({ input: "group: =row" }), "row's number", ""],
    ["words without their column", mappingWith({ event: "is: x" }), "`is` needs `by`", ""],
    ["words of no column", mappingWith({ event: "by: nope\nis: x" }), 'no column "nope"', ""],
    ["a condition that never holds", mappingWith({ event: "when: '=1 == 2'" }), "never true", ""],
    ["another of them", mappingWith({ event: "when: '=!true'" }), "never true", ""],
    ["a blank at the end of an attribute's name", mappingWith({ attributes: 'A: "1", "A ": "2"' }), '"A "', ""],
  ])("has one cause, and says how it is mended: %s", async (_title, yaml, cause, remedy) => {
    const { message, hint } = await refusal(yaml);
    expect(message).toContain(cause);
    expect(message).not.toMatch(/mistakes in|Too (?:small|big)/);
    expect(hint ?? "").toContain(remedy);
  });

  it.each([
    ["a default outside its list", "oneOf: [b, c], default: a", '"a" is none of b, c'],
    ["a default that its pattern refuses", 'pattern: "[0-9]+", default: a', "does not match its pattern"],
    ["a default beyond a limit", "as: number, max: 5, default: 6", "is more than 5"],
    ["a default that is too long", "maxLength: 2, default: abc", "too many characters"],
    ["a mapped value outside its list", "oneOf: [b, c], map: { x: a }", '"a" is none of b, c'],
    ["a mapped value that its type does not read", "as: number, map: { x: b }", '"b" is not a number'],
    ["a mapped value of another kind", "as: number, map: { x: true }", "a number is needed"],
    ["another value outside its list", "oneOf: [b, c], map: { x: b }, otherwise: a", '"a" is none of b, c'],
    ["limits in the wrong order", "as: number, min: 5, max: 2", "`min` is greater than `max`"],
  ])("is refused, not found in every row: %s", async (_title, settings, told) => {
    const { message, hint } = await refusal(
      mappingWith({ columns: `x: { header: X, ${settings} }`, attributes: "A: =x" }),
    );
    expect(`${message} ${hint}`).toContain(told);
    expect(hint ?? "").not.toMatch(/\bcell/u);
  });

  it.each([
    "number, default: '1.234'",
    "number, default: 5 kg",
    "number, default: 5E3",
    "number, map: { a: '1.234' }",
    "date, default: 2026-12-31",
    "timestamp, default: '31/12'",
    "boolean, default: maybe",
    "integer, default: 1.5",
    "phone, default: '12'",
  ])("in a literal is not said to be in a cell: as: %s", async (settings) => {
    const yaml = mappingWith({ columns: `x: { header: X, as: ${settings} }`, attributes: "A: =x" });
    expect((await refusal(yaml)).hint ?? "").not.toMatch(/\bcell|Export/u);
  });

  it.each([
    ["{ ref: paper, key: [=doc, =day] }", 'the key of document "paper" has 1 part, and this one has 2'],
    ["{ ref: pair, key: =doc }", 'the key of document "pair" has 2 parts, and this one has 1'],
    ["{ ref: far, key: [=doc, =day] }", null],
  ])("is refused, not found in every row: a reference whose key has other parts, %s", async (document, told) => {
    const yaml = mappingWith({
      event: `document: ${document}\nparticipant: owner\naddress: home`,
      more: "other: { document: paper, name: A, key: once, externalCreatedAt: =day, isPublic: true }",
    })
      .replace(
        "    documents:\n",
        "    documents:\n      pair: { key: [=doc, =day], participant: owner, address: home }\n",
      )
      .replace("inputs:", "elsewhere: { documents: [far] }\ninputs:");
    if (told === null) await load(yaml);
    else expect((await refusal(yaml)).message).toContain(told);
  });

  it("is no day that the mapping's formats read again", async () => {
    const iso = day("timestamp(d)").replace("dd/MM/yyyy", "yyyy-MM-dd");
    expect((await load(iso)).inputs).toHaveLength(1);
  });

  it("in a file that is not there is said as such", async () => {
    await expect(loadMapping("/nowhere/m.yaml")).rejects.toMatchObject({ code: "mapping-missing" });
  });
});

it("aliases are refused at their place, with what shares instead", async () => {
  const event = "name: Step, key: once, externalCreatedAt: =day, isPublic: true";
  const yaml = mappingWith({ more: `one: &one { ${event} }\ntwo: { <<: *one, name: Other }` });
  const wrong = await refusal(yaml);
  expect(wrong).toMatchObject({
    code: "mapping-syntax",
    message: expect.stringContaining("The alias *one is not supported"),
  });
  expect(wrong.place.line).toBe(yaml.split("\n").findIndex((text) => text.includes("*one")) + 1);
  expect(wrong.hint).toContain("`extends` shares them between files");
});

describe("a mistake in what all events have from their defaults", () => {
  it("is reported once, at its line", async () => {
    const yaml = mappingWith({ more: "other: { name: Other, key: once, externalCreatedAt: =day }" })
      .replace("events:\n", "events:\n      defaults: { isPublic: nay }\n")
      .replace("        isPublic: true\n", "");
    const error = await refusal(yaml);
    expect(error.message.match(/is neither a word/gu)).toHaveLength(1);
    expect(error.message).toMatch(/\n.*defaults: \{ isPublic: nay/u);
  });
});

describe("a mistake is told with what to write", () => {
  const link = (document: string) =>
    mappingWith({ event: `relatedDocument: { document: ${document}, bidirectional: false }` }).replace(
      "name: Step",
      "name: RELATED",
    );

  it.each([
    [
      "a by that is a header",
      mappingWith({ columns: "kind: Kind of row", event: "by: Kind of row\nis: [A]" }),
      "write kind",
    ],
    ["a by that is misspelt", mappingWith({ columns: "kind: Kind of row", event: "by: kinds\nis: [A]" }), "write kind"],
    [
      "words for blank in one column",
      mappingWith({ columns: "x: { header: X, blank: [n/a] }" }),
      "otherwise: { keep: true }",
    ],
    ["a setting of defaults in an input", mappingWith({ input: "decimal: ','" }), "under `defaults:`"],
    ["a merge", mappingWith({ event: "<<: { key: once }" }), "under `defaults:` of the events"],
    ["a link to the document itself, by name", link("paper"), "the other document's key"],
    ["a link to the document itself, by key", link("{ ref: paper, key: =doc }"), "the other document's key"],
    [
      "a link without a document",
      mappingWith({}).replace("name: Step", "name: RELATED"),
      "relatedDocument: { document",
    ],
    ["a cancellation without a reason", mappingWith({}).replace("name: Step", "name: CANCEL"), "public: { reason"],
    [
      "a factor that reads as thousands",
      mappingWith({ columns: 'x: { header: X, as: number, units: { t: "1.000" } }' }),
      "a factor such as 1000",
    ],
    ["no namespace", mappingWith({}).replace(/namespace: .*/u, ""), "Write `namespace: "],
    [
      "an attribute without a name",
      mappingWith({ attributes: '"": x' }),
      "Give each entry of step.attributes.public a name",
    ],
    [
      "an unknown setting of a participant",
      mappingWith({}).replace("name: Dono", "name: Dono, email: x"),
      "countryCode, name, type.",
    ],
    [
      "several headers as a list",
      mappingWith({ columns: "x: [Owner, Dono]", attributes: "A: =x" }),
      "write `x: { header: […] }`",
    ],
    ["words as a list", mappingWith({ columns: "x: { header: X, map: [a, b] }" }), "`map: { Open: aberto }`"],
    [
      "a header as a formula",
      mappingWith({ columns: "kg: Peso (kg)", attributes: 'A: "=Peso (kg)"' }),
      '"Peso (kg)" is the header of "kg": write =kg.',
    ],
    ["functions that do not exist", `functions: ./fns.mjs\n${mappingWith({})}`, "there is no such file"],
  ])("%s", async (_title, yaml, told) => {
    const { message, hint } = await refusal(yaml);
    expect(message + hint).toContain(told);
  });
});

it.each([
  ["{externalId}-{generation}", true],
  ["R{generation}", true],
  ["{externalId}", false],
  ["{externalId}-{generation}-{row}", false],
])("an externalId of replacements %j is taken: %s (open-points 26)", async (text, isTaken) => {
  const loading = load(`settings: { replacementExternalId: "${text}" }\n${mappingWith({})}`);
  if (isTaken) expect((await loading).settings.replacementExternalId).toBe(text);
  else await expect(loading).rejects.toThrow("a text with {generation}");
});
