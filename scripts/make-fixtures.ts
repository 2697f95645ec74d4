/**
 * Makes fixtures/manifests, fixtures/organisations and fixtures/manifests-faulty anew, byte for byte the same.
 * Usage: tsx scripts/make-fixtures.ts [folder]; default: the project's fixtures folder.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Chance, seededChance } from "./fixtures/chance.js";
import { exportCsv } from "./fixtures/csv-export.js";
import { expectManifests, expectMistakes } from "./fixtures/expected.js";
import { type Batch, columns, makeManifestRows, type ManifestRow } from "./fixtures/manifests.js";
import { makeMistakes, type Mistake } from "./fixtures/mistakes.js";
import { brazilian } from "./fixtures/moments.js";
import { makeWorkbook } from "./fixtures/workbook.js";

const september: Batch = { first: 310_025_004_101, manifests: 66, year: 2025, month: 9 };
/** A copy of September's shape, a month later: its documents are others, so that what it holds can be seen. */
const october: Batch = { ...september, first: 310_025_004_801, month: 10 };

/** Exports come sorted by nothing that helps: blocks of rows are mixed, so that documents lie scattered and out of order. */
function scatter(rows: readonly ManifestRow[], chance: Chance): ManifestRow[] {
  const scattered: ManifestRow[] = [];
  for (let start = 0; start < rows.length; start += 90)
    scattered.push(...chance.shuffle(rows.slice(start, start + 90)));
  return scattered;
}

function csvOf(rows: readonly ManifestRow[], mistakes: readonly Mistake[]): { bytes: Buffer; lines: number[] } {
  const cut = new Map(mistakes.map(({ row, cut: cells }) => [row, cells ?? 0]));
  return exportCsv(
    columns,
    rows.map((row) => columns.map((column) => row.cells[column]).slice(0, columns.length - (cut.get(row) ?? 0))),
  );
}

/** A weighing that comes too late for a manifest of September whose later events have landed. */
function lateRow(landed: readonly ManifestRow[]): ManifestRow {
  const sorted = landed.toSorted((one, other) => one.at - other.at);
  const closed = new Set(
    sorted.filter(({ cells }) => ["CLOSE", "CANCEL"].includes(cells.Evento)).map(({ cells }) => cells.MTR),
  );
  const weighing = sorted.findLast(({ cells }) => cells.Evento === "Weighing" && !closed.has(cells.MTR));
  if (weighing === undefined) throw new Error("no open manifest was weighed");
  const at = weighing.at + 2;
  return {
    ...weighing,
    at,
    cells: { ...weighing.cells, "Data/Hora": brazilian(at), Ticket: `B${weighing.cells.MTR.slice(-5)}-9` },
  };
}

async function write(folder: string, file: string, bytes: Buffer, expected: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), bytes);
  await writeFile(join(folder, "expected.json"), `${JSON.stringify({ file, ...expected }, null, 2)}\n`);
}

export async function makeFixtures(fixtures: string): Promise<void> {
  const chance = seededChance(20_250_901);
  const rows = scatter(makeManifestRows(september, chance), chance);
  const clean = csvOf(rows, []);
  await write(join(fixtures, "manifests"), "manifests-2025-09.csv", clean.bytes, expectManifests(rows, []));

  const again = seededChance(20_250_901);
  const spoilt = makeMistakes(makeManifestRows(october, again), again);
  const late = lateRow(rows);
  const faultyRows = scatter([...spoilt.rows, late], again);
  const faulty = csvOf(faultyRows, spoilt.mistakes);
  await write(join(fixtures, "manifests-faulty"), "manifests-2025-10.csv", faulty.bytes, {
    ...expectManifests(faultyRows, spoilt.mistakes),
    invalid: expectMistakes(faultyRows, faulty.lines, spoilt.mistakes, "invalid"),
    plan: expectMistakes(faultyRows, faulty.lines, spoilt.mistakes, "plan"),
    afterManifests: [
      {
        row: faulty.lines[faultyRows.indexOf(late)],
        codes: ["late"],
        what: "a weighing that lies before what has landed; it is in order where fixtures/manifests was not imported before",
      },
    ],
  });

  const workbook = await makeWorkbook(48, seededChance(20_251_101));
  const events = Object.values(workbook.eventsByName).reduce((sum, count) => sum + count, 0);
  await write(join(fixtures, "organisations"), "organisations-2025.xlsx", workbook.bytes, {
    rows: workbook.rows,
    documents: workbook.rows["Coletas"],
    events,
    eventsByName: workbook.eventsByName,
    participants: workbook.rows["Organizações"],
    addresses: workbook.addresses,
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await makeFixtures(process.argv[2] ?? fileURLToPath(new URL("../fixtures", import.meta.url)));
}
