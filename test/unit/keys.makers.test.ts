/**
 * What makes keys is known: names of documents and events, lookup tables and functions (HARD-CASES H25; findings F5, F73).
 * Judged by what is at the service after the next import.
 */
import { writeFileSync } from "node:fs";
import { type Office, openOffice } from "../support/office.js";
import { parties, weighings } from "../support/weighings.js";

const rows = [
  ["Load", "At", "Gross"],
  ["L1", "2026-01-01 10:10", "1"],
  ["L2", "2026-01-01 10:20", "2"],
];

/** Documents, and the events of each. */
const there = (office: Office) => office.documents().map(({ externalId, events }) => [externalId, events.length]);
const imported = async (office: Office) => {
  const { code, out, err } = await office.type("import", office.path("m.yaml"), office.path("w.csv"));
  return { code, said: out + err };
};

type Weighings = typeof weighings.inputs.weighings;
const edited = (edit: (input: Weighings) => object) => ({
  ...weighings,
  inputs: { weighings: edit(weighings.inputs.weighings) },
});
const { weighing } = weighings.inputs.weighings.events;
const { load } = weighings.inputs.weighings.documents;

describe("a renamed event (F73)", () => {
  it("is refused with its former name, and goes on under `was`", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rows);
    await imported(office);
    office.writeMapping(edited((input) => ({ ...input, events: { scale: weighing } })));
    const refused = await imported(office);
    expect(refused.code).toBe(2);
    expect(refused.said).toContain("load/weighing seems to be load/scale now (2 sent, such as load L1)");
    expect(refused.said).toContain("was: weighing");
    office.writeMapping(edited((input) => ({ ...input, events: { scale: { ...weighing, was: "weighing" } } })));
    const known = await office.import("w.csv");
    expect(known).toMatchObject({ exitCode: 0, rows: { known: 2 }, requests: { sent: 0 } });
    expect(there(office)).toEqual([
      ["L1", 1],
      ["L2", 1],
    ]);
  });

  it("that is no renaming says so, and is new", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rows);
    await imported(office);
    office.writeMapping(edited((input) => ({ ...input, events: { scale: { ...weighing, was: "none" } } })));
    expect((await imported(office)).code).toBe(0);
    expect(there(office)).toEqual([
      ["L1", 2],
      ["L2", 2],
    ]);
  });

  it("beside one that keeps its name is a new event", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rows);
    await imported(office);
    office.writeMapping(edited((input) => ({ ...input, events: { weighing, again: { ...weighing, name: "Again" } } })));
    expect((await imported(office)).code).toBe(0);
    expect(there(office)).toEqual([
      ["L1", 2],
      ["L2", 2],
    ]);
  });

  it("cannot be what another one still is", async () => {
    const office = openOffice(
      edited((input) => ({ ...input, events: { weighing, scale: { ...weighing, was: "weighing" } } })),
    );
    office.writeCsv("w.csv", rows);
    expect(await imported(office)).toMatchObject({ code: 2, said: expect.stringContaining("goes by") });
  });
});

describe("a mapping that was copied to a file of another name and then edited", () => {
  const copied = async (copy: object) => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rows);
    await imported(office);
    writeFileSync(office.path("copy.yaml"), JSON.stringify({ version: 2, ...weighings, ...copy }));
    const { code, out, err } = await office.type("import", office.path("copy.yaml"), office.path("w.csv"));
    return { code, said: out + err, events: there(office).map(([, count]) => count) };
  };

  it("knows what the first one sent", async () => {
    expect(await copied({})).toMatchObject({ code: 0, events: [1, 1] });
  });

  it("is refused where it keys an event of the same document in another way, unless it says that the event is new", async () => {
    const other = { ...weighing, key: "=gross" };
    expect(await copied(edited((input) => ({ ...input, events: { weighing: other } })))).toMatchObject({
      code: 2,
      said: expect.stringContaining("load/weighing (2 sent, such as load L1)"),
      events: [1, 1],
    });
    expect(
      await copied(edited((input) => ({ ...input, events: { weighing: { ...other, was: "none" } } }))),
    ).toMatchObject({ code: 0, events: [2, 2] });
  });
});

describe("a renamed document (F73)", () => {
  const renamed = (more: object) => ({
    ...weighings,
    inputs: {
      weighings: { ...weighings.inputs.weighings, files: "w*.csv", documents: { carga: { ...load, ...more } } },
      notes: {
        files: "n*.csv",
        columns: { load: "Load", at: { header: "At", as: "timestamp" } },
        ...parties,
        events: {
          note: {
            document: { ref: "carga", key: "=load" },
            name: "Note",
            key: "once",
            externalCreatedAt: "=at",
            isPublic: true,
            participant: "owner",
            address: "site",
          },
        },
      },
    },
  });

  it("is refused with its former name, and goes on under `was`, also where others refer to it", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rows);
    await imported(office);
    office.writeMapping(renamed({}));
    const refused = await imported(office);
    expect(refused.code).toBe(2);
    expect(refused.said).toContain("load seems to be carga now");
    office.writeMapping(renamed({ was: "load" }));
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 2 }, requests: { sent: 0 } });
    expect((await office.brought("n.csv", ["Load,At", "L1,2026-01-01 11:00"])).exitCode).toBe(0);
    expect(there(office)).toEqual([
      ["L1", 2],
      ["L2", 1],
    ]);
  });
});

/** Tables and functions that a key reads. */
const keyed = (key: string, more: object = {}, attributes: object = {}) => ({
  namespace: "test",
  defaults: { timezone: "UTC", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
  ...more,
  inputs: {
    weighings: {
      columns: { load: "Load", at: { header: "At", as: "timestamp" } },
      ...parties,
      documents: { load: { key, participant: "owner", address: "site" } },
      events: {
        weighing: {
          name: "Weighing",
          key: "once",
          externalCreatedAt: "=at",
          isPublic: true,
          attributes: { public: attributes },
        },
      },
    },
  },
});

describe("a table that a key is read from (F5)", () => {
  const table = (...lines: string[]) => ["from,to", ...lines, ""].join("\n");
  const tables = (more: object = {}) => ({
    tables: { codes: { file: "codes.csv", key: "from", columns: { to: "to" }, ...more } },
  });
  const start = async (key: string, more: object = {}) => {
    const office = openOffice(keyed(key, tables(more)));
    writeFileSync(office.path("codes.csv"), table("L1,one", "L2,two"));
    office.writeCsv("w.csv", rows);
    expect((await imported(office)).code).toBe(0);
    return office;
  };
  const listed = "=tables.codes[load].to";

  it("is refused where it says something else than it said, and changes nothing where it says more", async () => {
    const office = await start(listed);
    writeFileSync(office.path("codes.csv"), table("L1,one", "L2,zwei"));
    expect(await imported(office)).toMatchObject({
      code: 2,
      said: expect.stringContaining("load (2 sent, such as load one)"),
    });
    writeFileSync(office.path("codes.csv"), table("L3,three", "L2,two", "L1,one"));
    expect((await imported(office)).code).toBe(0);
    expect(there(office)).toEqual([
      ["one", 1],
      ["two", 1],
    ]);
  });

  it("is refused also where it says more, if what it does not list gives a key too", async () => {
    const office = await start("=default(tables.codes[load].to, load)", { missing: "blank" });
    writeFileSync(office.path("codes.csv"), table("L1,one", "L2,two", "L3,three"));
    expect((await imported(office)).code).toBe(2);
  });

  it("may be edited where no key reads it", async () => {
    const office = openOffice(keyed("=load", tables(), { Code: listed }));
    writeFileSync(office.path("codes.csv"), table("L1,one", "L2,two"));
    office.writeCsv("w.csv", rows);
    expect((await imported(office)).code).toBe(0);
    writeFileSync(office.path("codes.csv"), table("L1,uno", "L2,two"));
    expect(await imported(office)).toMatchObject({ code: 3, said: expect.stringContaining("changed") });
  });
});

it("a module of functions that a key calls (F5) is refused where it is another one, and may be edited where no key calls it", async () => {
  for (const [key, code] of [
    ["=code(load)", 2],
    ["=load", 0],
  ] as const) {
    const office = openOffice(keyed(key, { functions: "f.mjs" }));
    writeFileSync(office.path("f.mjs"), "export const code = (text) => `x${text}`;\n");
    office.writeCsv("w.csv", rows);
    expect((await imported(office)).code).toBe(0);
    writeFileSync(office.path("f.mjs"), "export const code = (text) => `y${text}`;\n");
    expect([key, (await imported(office)).code]).toEqual([key, code]);
  }
});
