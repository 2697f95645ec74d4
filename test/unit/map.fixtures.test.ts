import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFixtures } from "../../scripts/make-fixtures.js";
import { runCases } from "../../src/map/cases/run-cases.js";
import { loadMapping } from "../../src/map/load-mapping.js";
import type { MappedRow } from "../../src/model/mapped-row.js";
import { openInput } from "../../src/read/open-input.js";
import { type Office, openOffice } from "../support/office.js";

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));
const mappings = fileURLToPath(new URL("../../mappings", import.meta.url));

interface Expected {
  file: string;
  rows: { [name: string]: number };
  documents: number;
  events: number;
  eventsByName: { [name: string]: number };
  participants: number;
  addresses: number;
  invalid?: { row: number; codes: string[] }[];
}

async function expected(folder: string) {
  return JSON.parse(await readFile(join(fixtures, folder, "expected.json"), "utf8")) as Expected;
}

/** All rows of a fixture as the mapping sees them, by sheet (CSV: under ""). */
async function mapFile(mapping: string, file: string, unmapped: string[] = []) {
  const compiled = await loadMapping(join(mappings, `${mapping}.yaml`));
  const input = await openInput(join(fixtures, file));
  const mapped = new Map<string, MappedRow[]>();
  try {
    for (const { read, bind } of compiled.inputsFor(input.name)) {
      const table = await input.open(read);
      const mapper = bind(table.header, { file: input.name, sheet: table.sheet });
      unmapped.push(...mapper.unmapped);
      const rows: MappedRow[] = [];
      for await (const batch of table.rows()) rows.push(...mapper.map(batch));
      mapped.set(table.sheet ?? "", [...rows, ...mapper.end()]);
    }
  } finally {
    await input.close();
  }
  return mapped;
}

const distinct = (keys: string[]) => new Set(keys).size;

function count(rows: MappedRow[]) {
  const records = rows.flatMap(({ outcome }) => (outcome.fate === "valid" ? [outcome.records] : []));
  const events = records.flatMap((record) => record.events);
  const byName: { [name: string]: number } = {};
  for (const { name } of events) byName[name] = (byName[name] ?? 0) + 1;
  return {
    documents: distinct(records.flatMap((record) => record.documents.map(({ kind, key }) => `${kind}/${key}`))),
    events: events.length,
    eventsByName: byName,
    participants: distinct(records.flatMap((record) => record.participants.map(({ natural }) => natural))),
    addresses: distinct(
      records.flatMap((record) =>
        record.addresses.map(({ participant, identity }) => JSON.stringify([participant, identity])),
      ),
    ),
  };
}

describe("the fixtures", () => {
  let again = "";
  beforeAll(async () => {
    again = await mkdtemp(join(tmpdir(), "rowferry-fixtures-"));
    await makeFixtures(again);
  });
  afterAll(async () => rm(again, { recursive: true }));

  it.each(["manifests", "manifests-faulty", "organisations"])("%s are made again byte for byte", async (folder) => {
    const files = await readdir(join(again, folder));
    expect(files).toHaveLength(2);
    for (const file of files) {
      const [made, kept] = await Promise.all([again, fixtures].map((root) => readFile(join(root, folder, file))));
      expect({ file, same: made?.equals(kept ?? Buffer.alloc(0)) }).toEqual({ file, same: true });
    }
  });
});

describe.each(["manifests", "manifests-faulty"])("fixtures/%s", (folder) => {
  it("maps to the counts of expected.json, every mistake found in its row and no other (P7)", async () => {
    const {
      file: _file,
      rows: fates,
      invalid = [],
      eventsByName,
      documents,
      events,
      participants,
      addresses,
    } = await expected(folder);
    const rows = [...(await mapFile("manifests", join(folder, (await expected(folder)).file))).values()].flat();
    const fate = (wanted: MappedRow["outcome"]["fate"]) => rows.filter(({ outcome }) => outcome.fate === wanted).length;
    expect({ read: rows.length, skipped: fate("skipped"), invalid: fate("invalid"), staged: fate("valid") }).toEqual(
      fates,
    );
    expect(count(rows)).toEqual({ documents, events, eventsByName, participants, addresses });
    const found = rows.flatMap(({ row, outcome }) =>
      outcome.fate === "invalid" ? [{ row, codes: [...new Set(outcome.problems.map(({ code }) => code))] }] : [],
    );
    expect(found.toSorted((one, other) => one.row - other.row)).toEqual(
      invalid.map(({ row, codes }) => ({ row, codes })),
    );
  });
});

it("fixtures/organisations maps sheet by sheet to the counts of expected.json", async () => {
  const { file, rows: bySheet, ...counts } = await expected("organisations");
  const sheets = await mapFile("organisations", join("organisations", file));
  expect(Object.fromEntries([...sheets].map(([sheet, rows]) => [sheet, rows.length]))).toEqual(bySheet);
  expect(count([...sheets.values()].flat())).toEqual(counts);
});

describe("imported", () => {
  const importing = async (office: Office, mapping: string, ...files: string[]) => {
    const paths = [join(mappings, `${mapping}.yaml`), ...files.map((file) => join(fixtures, file))];
    expect(await office.run("import", ...paths)).toMatchObject({ exitCode: 0, open: { events: {} } });
  };

  it("the workbook's collections, places and organisations are at the service, as many as expected.json counts", async () => {
    const { file, documents, events, participants, addresses } = await expected("organisations");
    const office = openOffice({});
    await importing(office, "organisations", join("organisations", file));
    const there = office.documents();
    expect({
      documents: there.length,
      events: there.flatMap((document) => document.events).length,
      participants: office.participants().length,
      addresses: office.addresses().length,
    }).toEqual({ documents, events, participants, addresses });
  });

  it("lots that an event made take what comes later, and the links to them", { tags: ["long"] }, async () => {
    const office = openOffice({});
    await importing(office, "manifests", "manifests/manifests-2025-09.csv");
    await importing(office, "relations", "relations/lotes-2025-10.csv", "relations/vendas-2025-10.csv");
    const lots = office.documents().filter(({ externalId }) => externalId?.startsWith("L-"));
    const lines = lots.map(({ externalId, events }) =>
      [externalId, ...events.map(({ name, origin }) => `${name} ${origin}`)].join(", "),
    );
    expect(lines.toSorted()).toEqual([
      "L-0001, SPLIT target, Sold sent, RELATED mirror",
      "L-0002, SPLIT target",
      "L-0003, SPLIT target, Sold sent, RELATED mirror",
    ]);
  });
});

/** Of fixtures without a count of their own: how many rows, and how many of each event. */
it.each([
  ["updates", "updates/analises-2025-10.csv", 4, { analysis: 4, visibility: 1 }],
  ["relations", "relations/lotes-2025-10.csv", 3, { split: 3 }],
  ["relations", "relations/vendas-2025-10.csv", 2, { sold: 2, covers: 2 }],
  ["replacement", "replacement/substituicoes-2025-10.csv", 2, { replaces: 2, load: 3, total: 2, cancel: 2 }],
])("%s maps every row of %s", async (mapping, file, groups, events) => {
  const unmapped: string[] = [];
  const mapped = [...(await mapFile(mapping, file, unmapped)).values()].flat();
  expect(unmapped).toEqual([]);
  expect(mapped.map(({ outcome }) => outcome.fate)).toEqual(Array.from({ length: groups }, () => "valid"));
  const labels = mapped.flatMap(({ outcome }) => (outcome.fate === "valid" ? outcome.records.events : []));
  const counts = [...Map.groupBy(labels, ({ event }) => event)].map(([event, all]) => [event, all.length]);
  expect(Object.fromEntries(counts)).toEqual(events);
});

describe("the worked mappings", async () => {
  const files = await readdir(mappings);
  const names = files.filter((name) => name.endsWith(".yaml") && !name.endsWith(".cases.yaml"));

  it.each(names)("%s passes its cases, and fails some of them as well", async (name) => {
    const report = await runCases(join(mappings, name));
    expect(report.results.filter(({ passed }) => !passed)).toEqual([]);
    expect(await readFile(report.casesPath, "utf8")).toContain("codes:");
  });
});
