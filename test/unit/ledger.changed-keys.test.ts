/** Keys that a changed mapping would make anew are refused, for what landed would be sent again (HARD-CASES H25). */
import type { Summary } from "../../src/model/summary.js";
import { openOffice } from "../support/office.js";
import { weighingsWith } from "../support/weighings.js";
import { createWorld, type World } from "../nights/simulation/world.js";
import { importText, weighingMapping } from "../nights/simulation/yaml-import.js";

interface Shape {
  namespace?: string;
  documentKey?: string;
  eventKey?: string;
}

const mapping = ({ eventKey = "=ticket", ...shape }: Shape) =>
  weighingMapping({
    ...shape,
    event: `
        key: ${eventKey}
        externalCreatedAt: =date
        attributes: { public: { Weight: =weight } }`,
  });

const header = "MTR,CNPJ,Ticket,Date,Weight";
const rows = [
  "M1,11222333000181,1,2026-01-01 10:00,5",
  "M1,11222333000181,2,2026-01-01 11:00,6",
  "M2,11222333000181,3,2026-01-01 10:00,7",
];

let world: World;
afterEach(() => world.close());

const run = (shape: Shape, lines: string[], file = "march.csv"): Promise<Summary> =>
  importText(world, mapping(shape), file, `${[header, ...lines].join("\n")}\n`);
const timelines = () => world.documents().map(({ events }) => events.length);

const changes: [string, Shape][] = [
  ["the event's key", { eventKey: "[=ticket, =date]" }],
  ["the namespace", { namespace: "acme-2" }],
  ["the document's key", { documentKey: `'="MTR-" + mtr'` }],
];

describe.each(changes)("a mapping that changes %s", (_what, changed) => {
  it(
    "is refused with the list of what would be doubled; once the edit is undone, nothing is sent again and new rows follow",
    long,
    async () => {
      world = createWorld();
      await run({}, rows);
      const refused = run(changed, rows);
      await expect(refused).rejects.toMatchObject({ code: "keys-changed" });
      await expect(refused).rejects.toThrow(/manifest\/weighing \(3 sent, such as manifest M1\)/);
      expect(timelines()).toEqual([2, 1]);
      const later = await run({}, [...rows, "M1,11222333000181,4,2026-01-01 12:00,8"], "april.csv");
      expect([later.rows.known, later.rows.staged, later.exitCode]).toEqual([3, 1, 0]);
      expect(timelines()).toEqual([3, 1]);
    },
  );
});

it("a mapping that changes the event's key is free where nothing of that kind was sent", async () => {
  world = createWorld();
  await run({}, []);
  expect((await run({ eventKey: "[=ticket, =date]" }, rows, "first.csv")).exitCode).toBe(0);
  expect(timelines()).toEqual([2, 1]);
});

describe("a key from typed cells, and another format of dates", () => {
  const byDay = { columns: { day: "Day" }, event: { key: "=day" } };
  const dated = (dates: string[]) => {
    const { defaults, ...whole } = weighingsWith(byDay);
    return { ...whole, defaults: { ...defaults, dates } };
  };
  const before = ["yyyy-MM-dd HH:mm"];
  const withDay = <Day>(day: Day) => [
    ["Load", "At", "Gross", "Day"],
    ["L1", "2026-01-01 10:00", "5", day],
  ];

  it("are refused, for the cell is then written in it", long, async () => {
    world = createWorld();
    const office = openOffice(dated(before));
    await office.writeExcel("w.xlsx", withDay(new Date("2026-01-01")));
    expect((await office.import("w.xlsx")).exitCode).toBe(0);
    office.writeMapping(dated([...before, "dd/MM/yyyy"]));
    const { err } = await office.type("import", "m.yaml", "w.xlsx");
    expect(err).toContain("load/weighing (1 sent");
    office.writeMapping(dated(before));
    expect(await office.import("w.xlsx")).toMatchObject({ exitCode: 0, rows: { known: 1 } });
  });

  it("are nothing to the keys of text files", long, async () => {
    world = createWorld();
    const office = openOffice(dated(before));
    office.writeCsv("w.csv", withDay("1/1/26"));
    expect((await office.import("w.csv")).exitCode).toBe(0);
    office.writeMapping(dated([...before, "dd/MM/yyyy"]));
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 1 } });
  });
});

describe("a list that a key reads", () => {
  const listing = (is: string[], units: string[]) =>
    weighingsWith({
      columns: { kind: "Kind", net: { header: "Net", as: "number", units } },
      event: { by: "kind", is, key: ["=kind", "=net"] },
    });
  const written = (...cells: string[][]) => [["Load", "At", "Gross", "Kind", "Net"], ...cells];
  const first = ["L1", "2026-01-01 10:00", "5", "in", "2 kg"];
  const second = ["L1", "2026-01-01 11:00", "5", "OUT", "2 t"];

  it(
    "may grow, for no key that was made becomes another; what comes back in it must say what it said",
    long,
    async () => {
      world = createWorld();
      const office = openOffice(listing(["In"], ["kg"]));
      office.writeCsv("w.csv", written(first));
      expect((await office.import("w.csv")).exitCode).toBe(0);
      office.writeMapping(listing(["Out"], ["t"]));
      office.writeCsv("w.csv", written(second));
      expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { staged: 1 } });
      office.writeMapping(listing(["IN", "Out"], ["kg", "t"]));
      office.writeCsv("w.csv", written(first, second));
      expect((await office.type("import", "m.yaml", "w.csv")).err).toContain("load/weighing (2 sent");
      office.writeMapping(listing(["In", "Out"], ["kg", "t"]));
      expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 2 } });
    },
  );

  it("may be another where nothing was sent by it, and is then the one that counts", long, async () => {
    world = createWorld();
    const dated = (format: string) =>
      weighingsWith({
        columns: {
          at: { header: "At", as: "timestamp", formats: [format] },
          kind: { header: "Kind", map: { a: format }, otherwise: "b" },
        },
        event: { key: ["=at", "=kind"] },
      });
    const office = openOffice(dated("MM/dd/yyyy"));
    const cells = [
      ["Load", "At", "Gross", "Kind"],
      ["L1", "25/01/2026", "5", "a"],
    ];
    office.writeCsv("w.csv", cells);
    expect(await office.import("w.csv")).toMatchObject({ rows: { invalid: 1 } });
    for (const known of [0, 1]) {
      office.writeMapping(dated("dd/MM/yyyy"));
      expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known } });
    }
    office.writeMapping(dated("d/M/yyyy"));
    expect((await office.type("import", "m.yaml", "w.csv")).err).toContain("load/weighing (1 sent");
  });

  it("of two inputs that read one header by other lists is each compared with its own", long, async () => {
    world = createWorld();
    const { inputs, ...rest } = weighingsWith({
      columns: { kind: { header: "Kind", map: { a: "x" } } },
      event: { key: "=kind" },
    });
    const other = structuredClone(inputs.weighings) as unknown as { files: string; columns: { kind: unknown } };
    Object.assign(other, { files: "v.csv", columns: { ...other.columns, kind: { header: "Kind", map: { a: "y" } } } });
    const office = openOffice({ ...rest, inputs: { weighings: { ...inputs.weighings, files: "w.csv" }, other } });
    office.writeCsv("w.csv", [
      ["Load", "At", "Gross", "Kind"],
      ["L1", "2026-01-01 10:00", "5", "a"],
    ]);
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { staged: 1 } });
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 1 } });
  });
});
