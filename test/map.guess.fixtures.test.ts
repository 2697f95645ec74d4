/** Guesses from the fixtures stage every valid row, with no line edited. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type GuessTable, guessMapping } from "../src/map/guess/guess-mapping.js";
import { loadMapping } from "../src/map/load-mapping.js";
import type { MappedRow } from "../src/model/mapped-row.js";
import type { Row } from "../src/model/row.js";
import { openInput } from "../src/read/open-input.js";
import { save } from "./map.guess-table.js";

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

/** Guesses from a fixture and stages it with the guess as it is, without an edited line. */
async function stageFixture(name: string, file: string) {
  const input = await openInput(join(fixtures, name, file));
  const tables: GuessTable[] = [];
  for (const { sheet, hidden } of input.sheets) {
    if (hidden) continue;
    const opened = await input.open(sheet === null ? {} : { excel: { sheet } });
    const sample: Row[] = [];
    for await (const rows of opened.rows()) sample.push(...rows);
    tables.push({
      file: input.name,
      sheet: opened.sheet,
      header: opened.header,
      headerRow: opened.headerRow,
      dialect: opened.dialect,
      sample,
    });
  }
  const guess = guessMapping(tables);
  const mapping = await loadMapping(await save(guess.yaml));
  const mapped: MappedRow[] = [];
  for (const { read, bind } of mapping.inputsFor(input.name)) {
    const opened = await input.open(read);
    const mapper = bind(opened.header, { file: input.name, sheet: opened.sheet });
    for await (const rows of opened.rows()) mapped.push(...mapper.map(rows));
    mapped.push(...mapper.end());
  }
  await input.close();
  return { guess, mapped };
}

async function expectedOf(name: string) {
  return JSON.parse(await readFile(join(fixtures, name, "expected.json"), "utf8")) as {
    rows: { [name: string]: number };
    documents: number;
    eventsByName: { [name: string]: number };
    participants: number;
    addresses: number;
    invalid: { row: number; codes: string[] }[];
  };
}

const fates = (mapped: MappedRow[], fate: MappedRow["outcome"]["fate"]) =>
  mapped.filter(({ outcome }) => outcome.fate === fate);
describe("the fixtures, with no line edited", () => {
  it("one row per event: every valid row is staged, drafts are skipped, and the events are those of the file", async () => {
    const { mapped } = await stageFixture("manifests", "manifests-2025-09.csv");
    const { rows, eventsByName, documents, participants, addresses } = await expectedOf("manifests");
    expect(fates(mapped, "invalid")).toEqual([]);
    expect(fates(mapped, "valid")).toHaveLength(rows["staged"] ?? 0);
    expect(fates(mapped, "skipped")).toHaveLength(rows["skipped"] ?? 0);
    const records = mapped.flatMap(({ outcome }) => (outcome.fate === "valid" ? [outcome.records] : []));
    const counted: { [name: string]: number } = {};
    for (const { name } of records.flatMap(({ events }) => events)) counted[name] = (counted[name] ?? 0) + 1;
    expect(counted).toEqual(eventsByName);
    expect(new Set(records.flatMap((record) => record.documents.map(({ key }) => key))).size).toBe(documents);
    expect(new Set(records.flatMap((record) => record.participants.map(({ natural }) => natural))).size).toBe(
      participants,
    );
    expect(
      new Set(
        records.flatMap((record) =>
          record.addresses.map(({ participant, identity }) => JSON.stringify([participant, identity])),
        ),
      ).size,
    ).toBe(addresses);
  });

  it("a file with mistakes: they are taken for mistakes, and every valid row is staged", async () => {
    const { mapped, guess } = await stageFixture("manifests-faulty", "manifests-2025-10.csv");
    const { rows, invalid } = await expectedOf("manifests-faulty");
    const wrong = new Set(invalid.map(({ row }) => row));
    expect(fates(mapped, "invalid").filter(({ row }) => !wrong.has(row))).toEqual([]);
    expect(fates(mapped, "valid").length).toBeGreaterThanOrEqual(rows["staged"] ?? 0);
    expect(fates(mapped, "invalid").length).toBeGreaterThanOrEqual(wrong.size - 1);
    expect(guess.unsure.join("\n")).toMatch(/"Coleta", "Dropoff"/);
  });

  it("a workbook of three sheets: organisations and places are found, and referred to by code", async () => {
    const { mapped, guess } = await stageFixture("organisations", "organisations-2025.xlsx");
    const { rows } = await expectedOf("organisations");
    expect(fates(mapped, "invalid")).toEqual([]);
    expect(mapped).toHaveLength(Object.values(rows).reduce((sum, count) => sum + count, 0));
    expect(guess.yaml).toContain("participant: { ref: organisation, key: { column: Gerador } }");
    expect(guess.yaml).toContain("address: { ref: place, key: { column: Local de Coleta } }");
    expect(guess.yaml).toContain("name: { column: Razão Social }");
  });
});
