import { describe, expect, it } from "vitest";
import { bind, load, mappingWith, recordsOf, refusal, row } from "./map.support.js";
import type { CellKind } from "../src/model/row.js";
import type { MappedRow } from "../src/model/mapped-row.js";

/** One cell X, as a file of text has it and as a workbook has it, under a decimal comma and the mapping's own words. */
const cells: [title: string, text: string, typed: string, kind: CellKind][] = [
  ["a whole number", "42", "42", "number"],
  ["a fraction", "1234,5", "1234.5", "number"],
  ["less than nothing", "-0,25", "-0.25", "number"],
  ["true", "Sim", "true", "boolean"],
  ["false", "Não", "false", "boolean"],
  ["a day", "09/03/2025", "2025-03-09", "date"],
  ["a moment", "09/03/2025 14:05", "2025-03-09T14:05:00", "date"],
];

const DEFAULTS = 'dates: ["dd/MM/yyyy HH:mm", "dd/MM/yyyy"], booleans: { true: [Sim], false: [Não] }, decimal: ","';

/** The mapping of the other tests, with these defaults. */
const mappingOf = (parts: Parameters<typeof mappingWith>[0]) =>
  mappingWith(parts).replace('decimal: ",", dates: ["dd/MM/yyyy"]', DEFAULTS);

async function mapCell(attributes: string, cell: string, kind: CellKind, input = ""): Promise<MappedRow> {
  const yaml = mappingOf({ attributes, input });
  const mapping = await load(yaml, { "table.csv": "From;To\n1234,5;found\nSim;found\n09/03/2025;found\n" });
  const header = ["Doc", "Day", "X"];
  const kinds = kind === "text" ? null : { X: kind };
  const mapper = bind(mapping, header);
  const [mapped] = [...mapper.map([row(2, header, { Doc: "1", Day: "01/02/2026", X: cell }, kinds)]), ...mapper.end()];
  if (mapped === undefined) throw new Error("no row");
  return mapped;
}

/** Every way in which a field may take the cell; some do not take every kind, and then say the same of both. */
const ways = [
  "A: { column: X, isPublic: true }",
  "A: { column: X, as: decimal, required: false, isPublic: true }",
  "A: { column: X, as: boolean, isPublic: true }",
  "A: { column: X, as: date, isPublic: true }",
  "A: { column: X, as: timestamp, isPublic: true }",
  "A: { column: X, as: [upper, slug], isPublic: true }",
  "A: { column: X, as: digits, isPublic: true }",
  'A: { template: "<{X}>", isPublic: true }',
  `A: { expr: 'row["X"] + "!"', isPublic: true }`,
  `A: { expr: 'number(row["X"])', isPublic: true }`,
  `A: { expr: 'number(row["X"], 7) * 2', isPublic: true }`,
  `A: { expr: 'date(row["X"])', isPublic: true }`,
  `A: { expr: 'convert(row["X"], "boolean")', isPublic: true }`,
  `A: { expr: 'number(row["X"] == "" ? "0" : row["X"])', isPublic: true }`,
  `A: { value: yes, when: { expr: 'row["X"] in ["1234,5", "Sim", "09/03/2025"]' }, isPublic: true }`,
  'A: { value: "yes", when: { equals: { X: ["1234,5", Sim, "09/03/2025"] } }, isPublic: true }',
  'A: { value: "yes", when: { equals: { X: [1234.5, true] } }, isPublic: true }',
  "A: { column: X, map: { csv: table.csv, from: From, to: To }, otherwise: { keep: true }, isPublic: true }",
  'A: { column: X, map: { "1234,5": found, Sim: found, "09/03/2025": found }, otherwise: none, isPublic: true }',
  'A: { column: X, oneOf: ["1234,5", Sim, "09/03/2025"], isPublic: true }',
  'A: { column: X, pattern: "[0-9,]+", isPublic: true }',
  'rest: { columns: "X", isPublic: true }',
];

describe("a cell of a workbook and the text that a CSV file has in its place", () => {
  it.each(cells)("are one value: %s", async (_title, text, typed, kind) => {
    for (const way of ways) {
      const [fromText, fromWorkbook] = [await mapCell(way, text, "text"), await mapCell(way, typed, kind)];
      const told = ({ outcome }: MappedRow) =>
        outcome.fate === "valid" ? outcome.records.events[0]?.attributes : outcome.fate;
      expect([way, told(fromWorkbook)]).toEqual([way, told(fromText)]);
    }
  });

  it("agree where the rows of one group have either", async () => {
    const yaml = mappingOf({
      input: "group: { column: Doc }",
      attributes: "A: { column: X, as: decimal, isPublic: true }",
    });
    const header = ["Doc", "Day", "X"];
    const mapper = bind(await load(yaml), header);
    const rows = [
      row(2, header, { Doc: "1", Day: "01/02/2026", X: "1234,5" }),
      row(3, header, { Doc: "1", Day: "01/02/2026", X: "1234.5" }, { X: "number" }),
    ];
    const { events } = recordsOf([...mapper.map(rows), ...mapper.end()]);
    expect(events[0]?.attributes).toEqual([{ name: "A", value: "1234.5", isPublic: true }]);
  });

  it("a spreadsheet's error is a problem however it is read, and is never text", async () => {
    for (const way of ways.filter((one) => !one.includes("map:"))) {
      const { outcome } = await mapCell(way, "#N/A", "error");
      expect([way, outcome]).toMatchObject([way, { fate: "invalid", problems: [{ code: "cell-error" }] }]);
    }
  });
});

describe("sums of a group", () => {
  it("read their numbers as the field says: units, marks, groups (F30)", async () => {
    const as = '{ name: decimal, units: { kg: 1, t: 1000 }, decimal: ".", grouping: true }';
    const yaml = mappingWith({
      input: "group: { column: Doc }",
      attributes: `A: { column: X, rows: sum, as: ${as}, isPublic: true }`,
    });
    const header = ["Doc", "Day", "X"];
    const mapper = bind(await load(yaml), header);
    const rows = ["100 kg", "1.25 t", "1,000", "0.1", "0.2"].map((X, position) =>
      row(position + 2, header, { Doc: "1", Day: "01/02/2026", X }),
    );
    const { events } = recordsOf([...mapper.map(rows), ...mapper.end()]);
    expect(events[0]?.attributes[0]?.value).toBe("2350.3");
  });
});

describe("a number that the mapping itself writes", () => {
  it.each(["007", "1.10", "1e3", "+5", "0x1F", ".5", "1.", "0o17", ".inf", "-0", "1_000.0e1"])(
    "%s is refused unless it is in quotes: YAML would change it in silence (F77)",
    async (literal) => {
      const at = (text: string) => mappingWith({ attributes: `A: { value: ${text}, isPublic: true }` });
      const mapping = await load(at(`"${literal}"`));
      const mapper = bind(mapping, ["Doc", "Day"]);
      const { events } = recordsOf(mapper.map([row(2, ["Doc", "Day"], { Doc: "1", Day: "01/02/2026" })]));
      expect(events[0]?.attributes[0]?.value).toBe(literal);
      if (literal === "1_000.0e1") return;
      expect((await refusal(at(literal))).hint ?? "").toContain("in quotes");
    },
  );

  it.each(["0", "7", "-12.5", "12345678901234567890", "0.1234567890123456789", "9".repeat(60)])(
    "%s is sent as it stands",
    async (literal) => {
      const mapping = await load(mappingWith({ attributes: `A: { value: ${literal}, isPublic: true }` }));
      const mapper = bind(mapping, ["Doc", "Day"]);
      const { events } = recordsOf(mapper.map([row(2, ["Doc", "Day"], { Doc: "1", Day: "01/02/2026" })]));
      expect(events[0]?.attributes[0]?.value).toBe(literal);
    },
  );

  it("of more than sixty digits is refused", async () => {
    const yaml = mappingWith({ attributes: `A: { value: ${"9".repeat(61)}, isPublic: true }` });
    expect((await refusal(yaml)).message).toContain("60 digits");
  });
});

describe("numbers in expressions", () => {
  const withExpression = (expr: string) =>
    mappingWith({ attributes: `A: { expr: ${JSON.stringify(expr)}, isPublic: true }` });

  it.each([
    ["a division outside round()", 'number(row["X"]) / 3', "round(a / b, 2)"],
    ["a binary float", 'double(row["X"]) + 1.0', "number()"],
    ["whole numbers that are cut off", 'int(row["X"])', "number()"],
    ["more than sixty digits", `number(row["X"]) + ${"9".repeat(61)}.5`, "60 digits"],
    ["a literal that would be five million digits", "1e5000000 + 1.0", ""],
  ])("%s is refused when the mapping loads, at once", async (_title, expr, said) => {
    const started = performance.now();
    const error = await refusal(withExpression(expr));
    expect(error.message + (error.hint ?? "")).toContain(said);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it.each([
    ['row["X"] == "" ? 0 : number(row["X"])', "", "0"],
    ['number(row["X"]) * 2', "0,1", "0.2"],
    ['2 * number(row["X"])', "0,1", "0.2"],
    ['number(row["X"]) == 0.1', "0,10", "true"],
    ['number(row["X"]) in [1, 2]', "2,0", "true"],
    ['number(row["X"]) > 1', "1,0000000000000000000001", "true"],
    ['-number(row["X"])', "0,1", "-0.1"],
    ['string(number(row["X"]))', "0,10", "0.1"],
    ['round(number(row["X"]) / 3, 20)', "1,0", "0.33333333333333333333"],
    ['round(number(row["X"]), 2)', "1,005", "1.01"],
    ['12345678901234567890 + number(row["X"])', "1,0", "12345678901234567891"],
  ])("%s over %j gives %s", async (expr, X, expected) => {
    const header = ["Doc", "Day", "X"];
    const mapper = bind(await load(withExpression(expr)), header);
    const { events } = recordsOf(mapper.map([row(2, header, { Doc: "1", Day: "01/02/2026", X })]));
    expect(events[0]?.attributes[0]?.value).toBe(expected);
  });

  it("that grow beyond sixty digits, or are divided by zero, are a problem of their row", async () => {
    const header = ["Doc", "Day", "X"];
    for (const expr of ['number(row["X"]) * number(row["X"])', 'round(1 / (number(row["X"]) - number(row["X"])), 2)']) {
      const mapper = bind(await load(withExpression(expr)), header);
      const [mapped] = mapper.map([row(2, header, { Doc: "1", Day: "01/02/2026", X: "9".repeat(40) })]);
      expect(mapped).toMatchObject({ outcome: { fate: "invalid", problems: [{ code: "expression-failed" }] } });
    }
  });
});

describe("coordinates", () => {
  const home = "city: Santos, countryState: SP, countryCode: BR";
  const place = async (latitude: string, longitude: string) => {
    const yaml = mappingWith({}).replace(home, `${home}, latitude: ${latitude}, longitude: ${longitude}`);
    const header = ["Doc", "Day", "Lat", "Long"];
    const mapper = bind(await load(yaml), header);
    return (Lat: string, Long: string) => mapper.map([row(2, header, { Doc: "1", Day: "01/02/2026", Lat, Long })])[0];
  };

  it("are degrees: at most 90 and 180, either way, and never without their mark (F75)", async () => {
    const read = await place("{ column: Lat }", "{ column: Long }");
    expect(read("-23,5505", "180")).toMatchObject({
      outcome: { fate: "valid", records: { addresses: [{ extended: { latitude: -23.5505, longitude: 180 } }] } },
    });
    for (const [lat, long] of [
      ["-23.550", "1"],
      ["-23550", "1"],
      ["90,0001", "1"],
      ["1", "-180,5"],
      ["1", "46.633"],
    ])
      expect(read(lat ?? "", long ?? "")).toMatchObject({ outcome: { fate: "invalid" } });
  });

  it("of the mapping itself are bounded too", async () => {
    await expect(place("-23.5505", "-46.6333")).resolves.toBeDefined();
    await expect(place("-2355", "1")).rejects.toMatchObject({ message: expect.stringContaining("between -90 and 90") });
  });
});
