import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadMapping } from "../../src/map/load-mapping.js";
import type { MappedRow } from "../../src/model/records.js";
import { openInput } from "../../src/read/open-input.js";
import { sampled } from "../support/sample.js";

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

describe.each(sampled(["manifests-faulty", "manifests"], 2))("fixtures/%s", (folder) => {
  it("maps to the counts of expected.json, every mistake found in its row and no other (P7)", long, async () => {
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
