/**
 * What makes keys is known: keys and names of documents and events, formats, lists, lookup tables and functions. An edit that
 * would send again what landed is refused (HARD-CASES H25; findings F5, F73). Judged by what is at the service after the next
 * import.
 */
import { writeFileSync } from "node:fs";
import iconv from "iconv-lite";
import { type Office, openOffice } from "../support/office.js";
import { mapping } from "../support/mapping.js";
import { sampled } from "../support/sample.js";
import { loads, loadsWith, weighings, weighingsWith, weights } from "../support/weighings.js";

const rows = loads("L1 10 1", "L2 20 2");
const { weighing } = weighings.inputs.weighings.events;
const { load } = weighings.inputs.weighings.documents;

/** Documents, and how many events each has: `L1 2`. */
const there = (office: Office) => office.documents().map(({ externalId, events }) => `${externalId} ${events.length}`);

/** An office that has imported its file under this mapping. */
async function begun(source: object = weighings, files: { [name: string]: string } = {}) {
  const office = openOffice(source);
  for (const [name, text] of Object.entries(files)) writeFileSync(office.path(name), text);
  office.writeCsv("w.csv", rows);
  await office.ends(0, "import m.yaml w.csv");
  return office;
}
/** Imports the file again, under another mapping of the same name. */
const under = (office: Office, source: object) => {
  office.writeMapping(source);
  return office.type("import", "m.yaml", "w.csv");
};
const refused = (said: string) => expect.objectContaining({ code: 2, said: expect.stringContaining(said) });
const known = { exitCode: 0, rows: { known: 2 }, requests: { sent: 0 } };

const edits: [what: string, source: object][] = [
  ["the event's key", weighingsWith({ event: { key: ["=at", "=gross"] } })],
  ["the namespace", { ...weighings, namespace: "acme-2" }],
  ["the document's key", weighingsWith({ documents: { load: { ...load, key: '="MTR-" + load' } } })],
];

describe.each(edits)("a mapping that changes %s", (_what, source) => {
  it(
    "is refused with the list of what would be doubled; once the edit is undone, nothing is sent again and new rows follow",
    long,
    async () => {
      const office = await begun();
      expect(await under(office, source)).toEqual(refused("load/weighing (2 sent, such as load L1)"));
      expect(there(office)).toEqual(["L1 1", "L2 1"]);
      office.writeMapping(weighings);
      const later = await office.brought("w-2.csv", [...rows, ...loads("L1 30 3").slice(1)]);
      expect(later).toMatchObject({ exitCode: 0, rows: { known: 2, staged: 1 } });
      expect(there(office)).toEqual(["L1 2", "L2 1"]);
    },
  );
});

it("a mapping that changes the event's key is free where nothing of that kind was sent", async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", loads());
  office.writeCsv("w.csv", rows);
  expect((await under(office, weighingsWith({ event: { key: ["=at", "=gross"] } }))).code).toBe(0);
  expect(there(office)).toEqual(["L1 1", "L2 1"]);
});

describe("a key from typed cells, and another format of dates", () => {
  const dated = (dates: string[]) => ({
    ...weighingsWith({ columns: { day: "Day" }, event: { key: "=day" } }),
    defaults: { ...weighings.defaults, dates },
  });
  const before = ["yyyy-MM-dd HH:mm"];
  const after = dated([...before, "dd/MM/yyyy"]);
  const withDay = <Day>(day: Day) => [
    ["Load", "At", "Gross", "Day"],
    ["L1", "2026-01-01 10:00", "5", day],
  ];

  it("are refused, for the cell is then written in it", long, async () => {
    const office = openOffice(dated(before));
    await office.writeExcel("w.xlsx", withDay(new Date("2026-01-01")));
    await office.ends(0, "import m.yaml w.xlsx");
    office.writeMapping(after);
    await office.ends(2, "import m.yaml w.xlsx", "load/weighing (1 sent");
    office.writeMapping(dated(before));
    expect(await office.import("w.xlsx")).toMatchObject({ exitCode: 0, rows: { known: 1 } });
  });

  it("may change where no typed cell in a key depended on it: texts and whole numbers, whatever the other columns hold", async () => {
    const typed = (decimal: string) => ({
      ...weighingsWith({ columns: { no: "No" }, event: { key: ["=no", "=at"] } }),
      defaults: { ...weighings.defaults, decimal },
    });
    const cells = (no: number) => [
      ["Load", "At", "Gross", "No"],
      ["L1", new Date("2026-01-01T10:00Z"), 5.5, no],
    ];
    for (const [no, code] of [
      [4711, 0],
      [47.5, 2],
    ] as const) {
      const office = openOffice(typed("."));
      await office.writeExcel("w.xlsx", cells(no));
      await office.ends(0, "import m.yaml w.xlsx");
      office.writeMapping(typed(","));
      office.writeCsv("w.csv", ["Load,At,Gross,No", "L1,2026-01-01 11:00,6,4712"]);
      await office.ends(code, "import m.yaml w.csv");
    }
  });

  it("are nothing to the keys of text files", long, async () => {
    const office = openOffice(dated(before));
    await office.lands("w.csv", withDay("1/1/26"));
    office.writeMapping(after);
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 1 } });
  });
});

describe("a list that a key reads", () => {
  const listing = (is: string[], units: string[]) =>
    weighingsWith({
      columns: { kind: "Kind", net: { header: "Net", as: "number", units } },
      event: { by: "kind", is, key: ["=kind", "=net"] },
    });
  const first = "L1,2026-01-01 10:00,5,in,2 kg";
  const second = "L1,2026-01-01 11:00,5,OUT,2 t";
  const written = (...lines: string[]) => ["Load,At,Gross,Kind,Net", ...lines];

  it(
    "may grow, for no key that was made becomes another; what comes back in it must say what it said",
    long,
    async () => {
      const office = openOffice(listing(["In"], ["kg"]));
      await office.lands("w.csv", written(first));
      office.writeMapping(listing(["Out"], ["t"]));
      expect(await office.brought("w.csv", written(second))).toMatchObject({ exitCode: 0, rows: { staged: 1 } });
      office.writeCsv("w.csv", written(first, second));
      expect(await under(office, listing(["IN", "Out"], ["kg", "t"]))).toEqual(refused("load/weighing (2 sent"));
      office.writeMapping(listing(["In", "Out"], ["kg", "t"]));
      expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 2 } });
    },
  );

  it("may be another where nothing was sent by it, and is then the one that counts", long, async () => {
    const dated = (format: string) =>
      weighingsWith({
        columns: {
          at: { header: "At", as: "timestamp", formats: [format] },
          kind: { header: "Kind", map: { a: format }, otherwise: "b" },
        },
        event: { key: ["=at", "=kind"] },
      });
    const office = openOffice(dated("MM/dd/yyyy"));
    expect(await office.brought("w.csv", loadsWith(["Kind"], "L1 25/01/2026 5 a"))).toMatchObject({
      rows: { invalid: 1 },
    });
    office.writeMapping(dated("dd/MM/yyyy"));
    for (const rowsKnown of [{ staged: 1 }, { known: 1 }])
      expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: rowsKnown });
    expect(await under(office, dated("d/M/yyyy"))).toEqual(refused("load/weighing (1 sent"));
  });

  it("of two inputs that read one header by other lists is each compared with its own", long, async () => {
    const reading = (files: string, text: string) =>
      weighingsWith({ files, columns: { kind: { header: "Kind", map: { a: text } } }, event: { key: "=kind" } }).inputs
        .weighings;
    const inputs = { weighings: reading("w.csv", "x"), other: reading("v.csv", "y") };
    const office = openOffice({ ...weighings, inputs });
    const kinds = loadsWith(["Kind"], "L1 10 5 a");
    expect(await office.brought("w.csv", kinds)).toMatchObject({ exitCode: 0, rows: { staged: 1 } });
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 1 } });
  });
});

describe("a renamed event (F73)", () => {
  it("is refused with its former name, and goes on under `was`", long, async () => {
    const office = await begun();
    const answer = await under(office, weighingsWith({ events: { scale: weighing } }));
    expect(answer).toEqual(refused("load/weighing seems to be load/scale now (2 sent, such as load L1)"));
    expect(answer.said).toContain("was: weighing");
    office.writeMapping(weighingsWith({ events: { scale: { ...weighing, was: "weighing" } } }));
    expect(await office.import("w.csv")).toMatchObject(known);
    expect(there(office)).toEqual(["L1 1", "L2 1"]);
  });

  const newEvents: [title: string, events: object][] = [
    ["that is no renaming says so, and is new", { scale: { ...weighing, was: "none" } }],
    ["beside one that keeps its name is a new event", { weighing, again: { ...weighing, name: "Again" } }],
  ];
  it.each(sampled(newEvents, 2))("%s", async (_title, events) => {
    const office = await begun();
    expect((await under(office, weighingsWith({ events }))).code).toBe(0);
    expect(there(office)).toEqual(["L1 2", "L2 2"]);
  });

  it("cannot be what another one still is", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rows);
    const events = { weighing, scale: { ...weighing, was: "weighing" } };
    expect(await under(office, weighingsWith({ events }))).toEqual(refused("goes by"));
  });
});

describe("a renamed document (F73)", () => {
  const renamed = (more: object) => {
    const { inputs, ...rest } = weighingsWith({ files: "w*.csv", documents: { carga: { ...load, ...more } } });
    const { participants, addresses } = weighings.inputs.weighings;
    const { attributes: _none, ...event } = weighing;
    const note = { ...event, name: "Note", key: "once", participant: "owner", address: "site" };
    const notes = {
      files: "n*.csv",
      columns: { load: "Load", at: { header: "At", as: "timestamp" } },
      participants,
      addresses,
      events: { note: { document: { ref: "carga", key: "=load" }, ...note } },
    };
    return { ...rest, inputs: { ...inputs, notes } };
  };

  it("is refused with its former name, and goes on under `was`, also where others refer to it", long, async () => {
    const office = await begun();
    expect(await under(office, renamed({}))).toEqual(refused("load seems to be carga now"));
    office.writeMapping(renamed({ was: "load" }));
    expect(await office.import("w.csv")).toMatchObject(known);
    await office.lands("n.csv", ["Load,At", "L1,2026-01-01 11:00"]);
    expect(there(office)).toEqual(["L1 2", "L2 1"]);
  });

  const remedies: [events: object, remedy: string][] = [
    [{ scale: { ...weighing, was: "weighing" } }, "Write `was: load` under carga, and nothing"],
    [{ weighing }, "Write `was: load` under carga, and nothing"],
    [{ scale: weighing }, "Write `was: load` under carga, `was: weighing` under scale, and nothing"],
  ];
  it.each(sampled(remedies, 3))("says each former name that is missing, once: %j", async (events, remedy) => {
    const office = await begun();
    const answer = await under(office, weighingsWith({ documents: { carga: load }, events }));
    expect(answer).toEqual(refused("load seems to be carga now"));
    expect(answer.said.replaceAll(/\s+/g, " ")).toContain(remedy);
  });
});

/** With a key of documents that reads a table or calls a function. */
const keyed = (key: string, top: object, event: object = {}) => ({
  ...weighingsWith({ documents: { load: { ...load, key } }, event: { key: "once", ...event } }),
  ...top,
});

describe("a table that a key is read from (F5)", () => {
  const table = (...lines: string[]) => ["from,to", ...lines, ""].join("\n");
  const tables = (more: object = {}) => ({
    tables: { codes: { file: "codes.csv", key: "from", columns: { to: "to" }, ...more } },
  });
  const files = { "codes.csv": table("L1,one", "L2,two") };
  const listed = "=tables.codes[load].to";
  /** Imports the file again, with other lines in the table. */
  const listing = (office: Office, ...lines: string[]) => {
    writeFileSync(office.path("codes.csv"), table(...lines));
    return office.type("import", "m.yaml", "w.csv");
  };

  it("is refused where it says something else than it said, and changes nothing where it says more", long, async () => {
    const office = await begun(keyed(listed, tables()), files);
    expect(await listing(office, "L1,one", "L2,zwei")).toEqual(refused("load (2 sent, such as load one)"));
    expect((await listing(office, "L3,three", "L2,two", "L1,one")).code).toBe(0);
    expect(there(office)).toEqual(["one 1", "two 1"]);
  });

  it("is refused also where it says more, if what it does not list gives a key too", long, async () => {
    const key = "=default(tables.codes[load].to, load)";
    const office = await begun(keyed(key, tables({ missing: "blank" })), files);
    expect((await listing(office, "L1,one", "L2,two", "L3,three")).code).toBe(2);
  });

  it("may be edited where no key reads it", long, async () => {
    const office = await begun(keyed("=load", tables(), { attributes: { public: { Code: listed } } }), files);
    expect(await listing(office, "L1,uno", "L2,two")).toMatchObject({
      code: 3,
      said: expect.stringContaining("changed"),
    });
  });
});

const functionKeys = [
  ["=code(load)", 2],
  ["=load", 0],
] as const;
it.each(sampled(functionKeys, 2))(
  "a module of functions (F5) that is another one, or imports another one, under the key %s: exit %i",
  async (key, code) => {
    const module = (letter: string) => `export const code = (text) => \`${letter}\${text}\`;\n`;
    const over = 'import { code as inner } from "./inner.mjs";\nexport const code = inner;\n';
    for (const [edited, files] of [
      ["f.mjs", { "f.mjs": module("x") }],
      ["inner.mjs", { "f.mjs": over, "inner.mjs": module("x") }],
    ] as const) {
      const office = await begun(keyed(key, { functions: "f.mjs" }), files);
      writeFileSync(office.path(edited), module("y"));
      expect((await office.type("import", "m.yaml", "w.csv")).code, edited).toBe(code);
    }
  },
);

it(
  "rows that were not sent yet go as an edited module says that the functions import, and not as staged",
  long,
  async () => {
    const event = { attributes: { public: { Gross: "=weigh(gross)" } } };
    const office = openOffice({ ...weighingsWith({ event }), functions: "f.mjs" });
    const unit = (name: string) => writeFileSync(office.path("unit.mjs"), `export const unit = "${name}";\n`);
    writeFileSync(
      office.path("f.mjs"),
      'import { unit } from "./unit.mjs";\nexport const weigh = (gross) => `${gross}${unit}`;\n',
    );
    unit("t");
    office.writeCsv("w.csv", loads("L1 10 1", "L2 20 2"));
    await office.ends(0, "import m.yaml w.csv --limit 1");
    unit("kg");
    await office.ends(3, "import m.yaml w.csv");
    expect(weights(office)).toEqual(["L1 10 1t", "L2 20 2kg"]);
  },
);

describe("the same bytes, read in another encoding", () => {
  const turkish = weighingsWith({ csv: { encoding: "windows-1254" } });
  const wrong = weighingsWith({ csv: { encoding: "windows-1252" } });
  /** `Ş1` in windows-1254 is `Þ1` in windows-1252. */
  async function misread(...rowsOf: string[]) {
    const office = openOffice(wrong);
    writeFileSync(office.path("w.csv"), iconv.encode(`${loads(...rowsOf).join("\n")}\n`, "windows-1254"));
    await office.ends(0, "import m.yaml w.csv");
    return office;
  }

  it.each([
    ["rows that landed in the last import", 0],
    ["rows that were known in the last import", 1],
  ])("is refused where keys would change, for %s", long, async (_title, again) => {
    const office = await misread("Ş1 10 1", "Ş2 20 2", "L3 30 3");
    for (let time = 0; time < again; time++) {
      writeFileSync(office.path("m.yaml"), `${mapping(wrong)}# ${time}\n`);
      await office.ends(0, "import m.yaml w.csv");
    }
    const answer = await under(office, turkish);
    expect(answer).toEqual(refused("as windows-1254 instead of windows-1252, 2 rows of this file would be sent twice"));
    expect(answer.said).toContain("load Þ1 is now load Ş1");
    expect(there(office)).toEqual(["Þ1 1", "Þ2 1", "L3 1"]);
    office.writeMapping(wrong);
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { known: 3 } });
  });

  it("is sent anew where the mapping says that the documents are new", long, async () => {
    const office = await misread("Ş1 10 1");
    const answer = await under(
      office,
      weighingsWith({ csv: { encoding: "windows-1254" }, documents: { load: { ...load, was: "none" } } }),
    );
    expect(answer.code).toBe(0);
    expect(there(office)).toEqual(["Þ1 1", "Ş1 1"]);
  });

  it("changes nothing where no key has such letters", long, async () => {
    const office = await misread("L1 10 1");
    expect((await under(office, turkish)).code).toBe(0);
    expect(there(office)).toEqual(["L1 1"]);
  });
});
