import { describe, expect, it } from "vitest";
import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal, row, bind } from "./map.support.js";

const DAY = { Doc: "1", Day: "01/02/2026" };

/** The attribute `A` of one row under a field spec; undefined when it is left out. */
async function attribute(
  spec: string,
  cells: { [header: string]: string },
  defaults?: string,
): Promise<string | undefined> {
  const mapping = await load(
    mappingWith({ attributes: `A: { ${spec}, isPublic: true }`, ...(defaults === undefined ? {} : { defaults }) }),
  );
  const records = recordsOf(mapRows(mapping, [{ ...DAY, ...cells }]));
  return records.events[0]?.attributes.find(({ name }) => name === "A")?.value;
}

async function problems(spec: string, cells: { [header: string]: string }, defaults?: string) {
  const mapping = await load(
    mappingWith({ attributes: `A: { ${spec}, isPublic: true }`, ...(defaults === undefined ? {} : { defaults }) }),
  );
  return problemsOf(mapRows(mapping, [{ ...DAY, ...cells }])[0]);
}

function yamlWithLookup(csv: string, from = "Código"): string {
  return mappingWith({ attributes: `A: { column: X, map: { csv: ${csv}, from: ${from}, to: Nome }, isPublic: true }` });
}

describe("a field", () => {
  it("takes a column's text, cleaned", async () => {
    expect(await attribute("column: X", { X: "  a   b " })).toBe("a b");
  });

  it("is left out of the attributes when it is blank, and when the cell holds a blank word", async () => {
    expect(await attribute("column: X", { X: " " })).toBeUndefined();
    expect(await attribute("column: X", { X: " N/A " }, 'blank: ["-", "N/A"]')).toBeUndefined();
    expect(await attribute("column: X", { X: "n/a" }, 'blank: ["-", "N/A"]')).toBe("n/a");
  });

  it("takes its default when blank, converted like a cell", async () => {
    expect(await attribute('column: X, as: decimal, default: "1.500,5"', {})).toBe("1500.5");
    expect(await attribute("column: X, default: S/N", {})).toBe("S/N");
  });

  it("that is required and blank makes the row invalid, naming the column", async () => {
    expect(await problems("column: X, required: true", {})).toMatchObject([{ code: "value-required", column: "X" }]);
  });

  it("maps what the cell says, folding white space, case and accents", async () => {
    expect(await attribute('column: X, map: { "São Paulo": SP, Rio: RJ }', { X: "SAO  PAULO" })).toBe("SP");
    expect(await problems("column: X, map: { Sim: yes }", { X: "Talvez" })).toMatchObject([
      { code: "value-unmapped", column: "X" },
    ]);
    expect(await attribute("column: X, map: { a: b }, otherwise: other", { X: "z" })).toBe("other");
    expect(await attribute("column: X, map: { a: b }, otherwise: { keep: true }", { X: "z" })).toBe("z");
  });

  it("refuses a map whose entries are one text and say two things, when it loads (F84)", async () => {
    for (const map of ["{ a: lower, A: upper }", "{ á: one, A: two }", '{ "a b": 1, "A  B": 2 }']) {
      const yaml = mappingWith({ attributes: `A: { column: X, map: ${map}, isPublic: true }` });
      expect((await refusal(yaml)).message).toMatch(/are one text.*\n.*\n? *\^/su);
    }
    expect(await attribute("column: X, map: { Sim: yes, SIM: yes }", { X: "sim" })).toBe("yes");
  });

  it("maps through a CSV file beside the mapping", async () => {
    const yaml = mappingWith({
      attributes: "A: { column: X, map: { csv: codes.csv, from: Código, to: Nome }, isPublic: true }",
    });
    const mapping = await load(yaml, { "codes.csv": "Código,Nome\n01,Papel\n02,Vidro\n" });
    expect(recordsOf(mapRows(mapping, [{ ...DAY, X: "02" }])).events[0]?.attributes[0]?.value).toBe("Vidro");
    expect(mapping.dependencies.map((path) => path.split("/").at(-1))).toEqual(["codes.csv"]);
  });

  it("whose lookup CSV lacks a column, contradicts itself or lies elsewhere is refused before any row", async () => {
    expect(await refusal(yamlWithLookup("codes.csv", "Codigo"), { "codes.csv": "Código,Nome\n1,a\n" })).toMatchObject({
      code: "mapping-lookup",
    });
    expect(await refusal(yamlWithLookup("codes.csv"), { "codes.csv": "Código,Nome\n1,a\n1,b\n" })).toMatchObject({
      code: "mapping-lookup",
    });
    expect(await refusal(yamlWithLookup("codes.csv"))).toMatchObject({ code: "mapping-missing" });
    expect(await refusal(yamlWithLookup("../codes.csv"))).toMatchObject({ code: "mapping-value" });
  });

  it("may be a template; blank columns make it blank unless marked", async () => {
    expect(await attribute('template: "{X}, {Y?}{{}}"', { X: "a" })).toBe("a, {}");
    expect(await attribute('template: "{X}/{Y}"', { X: "a" })).toBeUndefined();
  });

  it("is checked against oneOf and pattern as it is sent", async () => {
    expect(await attribute("column: X, as: upper, oneOf: [A, B]", { X: "a" })).toBe("A");
    expect(await problems("column: X, oneOf: [A, B]", { X: "a" })).toMatchObject([
      { code: "value-not-allowed", column: "X" },
    ]);
    expect(await attribute('column: X, pattern: "[A-Z]{3}"', { X: "ABC" })).toBe("ABC");
    expect(await problems('column: X, pattern: "[A-Z]{3}"', { X: "ABCD" })).toMatchObject([
      { code: "value-pattern", column: "X" },
    ]);
  });

  it("applies several conversions one after another", async () => {
    expect(await attribute("column: X, as: [upper, digits]", { X: "a-12b3" })).toBe("123");
  });

  it("with a `when` is blank where that does not hold", async () => {
    const spec = "column: X, when: { equals: { K: [a, b] } }";
    expect(await attribute(spec, { X: "v", K: "b" })).toBe("v");
    expect(await attribute(spec, { X: "v", K: "c" })).toBeUndefined();
    expect(await attribute("value: fixed, when: { filled: K }", { K: "" })).toBeUndefined();
  });

  it("gives times as ISO 8601 and decimals as plain text in attributes", async () => {
    expect(await attribute("column: Day, as: timestamp", {})).toBe("2026-02-01T00:00:00.000Z");
    expect(await attribute("column: X, as: decimal", { X: "1.000,10" })).toBe("1000.1");
  });

  it("refuses spreadsheet errors, whatever it does with the text", async () => {
    const mapping = await load(mappingWith({ attributes: "A: { column: X, isPublic: true }" }));
    const header = ["Doc", "Day", "X"];
    const [mapped] = bind(mapping, header).map([row(2, header, { ...DAY, X: "#N/A" }, { X: "error" })]);
    expect(problemsOf(mapped)).toMatchObject([{ code: "cell-error", column: "X" }]);
  });

  it("reads what Excel knows to be a number or a date whatever the mapping's formats say", async () => {
    const mapping = await load(mappingWith({ attributes: "A: { column: X, as: decimal, isPublic: true }" }));
    const header = ["Doc", "Day", "X"];
    const [mapped] = bind(mapping, header).map([
      row(2, header, { Doc: "1", Day: "2026-02-01", X: "1.234" }, { X: "number", Day: "date" }),
    ]);
    const { events } = recordsOf(mapped === undefined ? [] : [mapped]);
    expect(events[0]).toMatchObject({ at: Date.UTC(2026, 1, 1), attributes: [{ name: "A", value: "1.234" }] });
  });
});

describe("free JSON", () => {
  it("goes through as written, with numbers, truth values, lists and objects, and fields filled in", async () => {
    const fields =
      "category: X, count: 3, open: false, nothing: null, place: { lat: { column: Lat, as: { name: decimal, number: true } }, tags: [a, { column: T }] }, at: { column: Day, as: timestamp }, literal: { value: { value: 10 } }";
    const mapping = await load(mappingWith({ fields }));
    const { documents } = recordsOf(mapRows(mapping, [{ ...DAY, Lat: "-23,5", T: "t" }]));
    expect(documents[0]?.fields).toEqual({
      category: "X",
      count: 3,
      open: false,
      nothing: null,
      place: { lat: -23.5, tags: ["a", "t"] },
      at: "2026-02-01T00:00:00.000Z",
      literal: { value: 10 },
    });
  });

  it("says how to write a literal object that looks like a field", async () => {
    const error = await refusal(mappingWith({ fields: "weight: { value: 10, unit: kg }" }));
    expect(error).toMatchObject({
      code: "mapping-unknown-key",
      hint: expect.stringContaining("{ value: { … } }") as string,
    });
  });

  it("leaves out members that are blank", async () => {
    const mapping = await load(mappingWith({ fields: "a: { column: X }, b: { c: { column: X }, d: 1 }" }));
    expect(recordsOf(mapRows(mapping, [DAY])).documents[0]?.fields).toEqual({ b: { d: 1 } });
  });

  it("keeps the numbers and truth values of expressions", async () => {
    const mapping = await load(
      mappingWith({ fields: `n: { expr: 'number(row["X"]) * 2.0' }, b: { expr: 'row["X"] == "1,5"' }` }),
    );
    expect(recordsOf(mapRows(mapping, [{ ...DAY, X: "1,5" }])).documents[0]?.fields).toEqual({ n: 3, b: true });
  });
});

describe("rows with the same cells", () => {
  it("share their participant and address, and rows with other cells do not", async () => {
    const yaml = mappingWith({}).replace("name: Dono", "name: { column: Dono }");
    const mapping = await load(yaml);
    const { participants, addresses } = recordsOf(
      mapRows(mapping, [
        { ...DAY, Dono: "A" },
        { ...DAY, Dono: "B" },
        { ...DAY, Dono: "A" },
      ]),
    );
    expect(participants.map(({ data }) => data.name)).toEqual(["A", "B", "A"]);
    expect(participants[2]).toBe(participants[0]);
    expect(addresses[2]).toBe(addresses[0]);
  });

  it("report the same mistake again", async () => {
    const mapping = await load(mappingWith({}).replace("name: Dono", "name: { column: Dono }"));
    const mapped = mapRows(mapping, [DAY, DAY]);
    expect(mapped.map((one) => problemsOf(one).map(({ code }) => code))).toEqual([
      ["value-required"],
      ["value-required"],
    ]);
  });
});
