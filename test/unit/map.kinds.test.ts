import { describe, expect, it } from "vitest";
import { bind, load, mappingWith, recordsOf, refusal, row } from "../support/map.support.js";
import type { CellKind } from "../../src/model/row.js";
import type { MappedRow } from "../../src/model/mapped-row.js";

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

/** A way is a column and the attribute that is made of it. */
async function mapCell(
  [column, attribute]: readonly [string, string],
  cell: string,
  kind: CellKind,
): Promise<MappedRow> {
  const tables = "t: { file: table.csv, key: From, columns: { to: To }, missing: blank }";
  const yaml = mappingOf({ columns: `${column}\ntext_x: X\nall: { headers: X }`, attributes: attribute, tables });
  const mapping = await load(yaml, { "table.csv": "From;To\n1234,5;found\nSim;found\n09/03/2025;found\n" });
  const header = ["Doc", "Day", "X"];
  const kinds = kind === "text" ? null : { X: kind };
  const mapper = bind(mapping, header);
  const [mapped] = [...mapper.map([row(2, header, { Doc: "1", Day: "01/02/2026", X: cell }, kinds)]), ...mapper.end()];
  if (mapped === undefined) throw new Error("no row");
  return mapped;
}

/** Every way in which a cell may be taken; some do not take every kind, and then say the same of both. */
const typedAs = (options: string) => [`x: { header: X, ${options} }`, "A: =x"] as const;
const formula = (text: string, column = "x: X") => [column, `A: ${JSON.stringify(`=${text}`)}`] as const;
const ways: (readonly [string, string])[] = [
  ["x: X", "A: =x"],
  ...["number", "boolean", "date", "timestamp", "upper", "slug", "digits"].map((as) => typedAs(`as: ${as}`)),
  typedAs('map: { "1234,5": found, Sim: found, "09/03/2025": found }, otherwise: none'),
  typedAs('map: { "1234,5": found, Sim: found }, otherwise: { keep: true }'),
  typedAs('oneOf: ["1234,5", Sim, "09/03/2025"]'),
  typedAs('pattern: "[0-9,]+"'),
  formula('"<" + x + ">"'),
  formula("number(x)"),
  formula("default(x, 7) * 2", "x: { header: X, as: number }"),
  formula("timestamp(x)"),
  formula("boolean(x)"),
  formula('x in ["1234,5", "Sim", "09/03/2025"]'),
  formula("x == 1234.5", "x: { header: X, as: number }"),
  formula("tables.t[x].to"),
  formula("filled(x)"),
  ["x: X", '"*": =all'],
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
    const columns = "x: { header: X, as: number }";
    const yaml = mappingOf({ input: "group: =doc", columns, attributes: "A: =x" });
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
    for (const way of ways.filter(([column, attribute]) => !column.includes("map:") && !attribute.includes("filled"))) {
      const { outcome } = await mapCell(way, "#N/A", "error");
      expect([way, outcome]).toMatchObject([way, { fate: "invalid", problems: [{ code: "cell-error" }] }]);
    }
  });
});

describe("sums of a group", () => {
  it("read their numbers as the field says: units, marks, groups (F30)", async () => {
    const columns = 'x: { header: X, as: number, units: { kg: 1, t: 1000 }, decimal: ".", grouping: true }';
    const yaml = mappingWith({ input: "group: =doc", columns, attributes: "A: =sum(x)" });
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
      const at = (text: string) => mappingWith({ attributes: `A: ${text}` });
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
      const mapping = await load(mappingWith({ attributes: `A: ${literal}` }));
      const mapper = bind(mapping, ["Doc", "Day"]);
      const { events } = recordsOf(mapper.map([row(2, ["Doc", "Day"], { Doc: "1", Day: "01/02/2026" })]));
      expect(events[0]?.attributes[0]?.value).toBe(literal);
    },
  );

  it("of more than sixty digits is refused", async () => {
    const yaml = mappingWith({ attributes: `A: ${"9".repeat(61)}` });
    expect((await refusal(yaml)).message).toContain("60 digits");
  });
});

describe("coordinates", () => {
  const home = "city: Santos, countryState: SP";
  const place = async (latitude: string, longitude: string) => {
    const columns = "lat: { header: Lat, as: number }\nlong: { header: Long, as: number }";
    const yaml = mappingWith({ columns }).replace(home, `${home}, latitude: ${latitude}, longitude: ${longitude}`);
    const header = ["Doc", "Day", "Lat", "Long"];
    const mapper = bind(await load(yaml), header);
    return (Lat: string, Long: string) => mapper.map([row(2, header, { Doc: "1", Day: "01/02/2026", Lat, Long })])[0];
  };

  it("are degrees: at most 90 and 180, either way, and never without their mark (F75)", async () => {
    const read = await place("=lat", "=long");
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
