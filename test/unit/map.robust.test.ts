/** Whatever stands in the cells: rows are mapped or refused, never thrown over, and nothing is interpreted (HARD-CASES H35). */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadMapping } from "../../src/map/load-mapping.js";
import type { MappingInput, RowMapper } from "../../src/map/mapping.js";
import { contentHash, naturalKey } from "../../src/model/keys.js";
import type { MappedRow } from "../../src/model/mapped-row.js";
import type { CellKind, Row } from "../../src/model/row.js";
import { drawn } from "../support/sample.js";

const mappings = fileURLToPath(new URL("../../mappings", import.meta.url));
const names = (await readdir(mappings)).filter((name) => name.endsWith(".yaml") && !name.endsWith(".cases.yaml"));
const inputs: [string, MappingInput][] = [];
for (const name of names) {
  for (const input of (await loadMapping(join(mappings, name))).inputs) inputs.push([`${name}, ${input.name}`, input]);
}

const cell = fc.oneof(
  fc.constantFrom(
    "",
    "-",
    " ",
    "x",
    "Sim",
    "S",
    "CNPJ",
    "CPF",
    "90.114.207/0001-80",
    "1.500,50 kg",
    "01/10/2025 08:30",
    "31/02/2025 99:99",
    "SP",
    "BR",
    "Pick-up",
    "CANCEL",
    "RELATED",
  ),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "=1+1",
    "\u001b[31m",
    "../../etc/passwd",
    "\u0000",
    "\ud800",
    "<script>",
    "1e999",
    "NaN",
    "-0",
    "９９",
    "{x}",
    "row",
    "\u202e",
    "x".repeat(9000),
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const kind = fc.constantFrom<CellKind>("text", "number", "date", "time", "duration", "boolean", "error");

function rowsOf(width: number): fc.Arbitrary<Row[]> {
  const row = fc.record({
    number: fc.integer({ min: 1, max: 1_000_000 }),
    cells: fc.array(cell, { minLength: width, maxLength: width }),
    kinds: fc.option(fc.array(kind, { minLength: width, maxLength: width }), { freq: 3 }),
    problems: fc.constant(null),
  });
  return fc.array(row, { minLength: 1, maxLength: 6 });
}

function mapAll(mapper: RowMapper, rows: readonly Row[]): MappedRow[] {
  return [...mapper.map(rows), ...mapper.end()];
}

/** What no outcome may have, whatever the cells. */
function faultsOf({ outcome }: MappedRow): string[] {
  if (outcome.fate === "skipped") return outcome.reason === "" ? ["skipped without a reason"] : [];
  if (outcome.fate === "invalid") {
    const long = outcome.problems.filter(({ message }) => message.length > 1000);
    return [
      ...(outcome.problems.length === 0 ? ["invalid without a problem"] : []),
      ...long.map(({ code }) => `a long message of ${code}`),
    ];
  }
  const { participants, addresses, documents, events } = outcome.records;
  const faults = participants
    .filter(({ natural, data }) => natural !== naturalKey(data) || Object.values(data).includes(""))
    .map(() => "a participant");
  faults.push(
    ...addresses
      .filter(({ data }) => Object.values(data).some((text) => typeof text !== "string" || text === ""))
      .map(() => "an address"),
  );
  faults.push(...documents.filter(({ key }) => key === "").map(() => "a document"));
  for (const event of events) {
    if (!Number.isSafeInteger(event.at) || event.document.key === "") faults.push("an event");
    if (event.attributes.some(({ value }) => typeof value !== "string" || value === "")) faults.push("an attribute");
    if (contentHash(event).length !== 16) faults.push("a hash");
  }
  return faults;
}

describe("rows with anything in their cells", () => {
  it.each(inputs)("%s: every row has one outcome, the same each time", (_title, input) => {
    const header = input.columns.map((use) => use[0] ?? "");
    fc.assert(
      fc.property(rowsOf(header.length), (rows) => {
        const mapped = mapAll(input.bind(header, { file: "x", sheet: null }), rows);
        expect(mapped.flatMap(({ row, alsoRows }) => [row, ...alsoRows])).toEqual(rows.map(({ number }) => number));
        expect(mapped.flatMap(faultsOf)).toEqual([]);
        // Rows are mapped by themselves: what came before leaves no trace.
        const again = mapAll(input.bind(header, { file: "x", sheet: null }), rows);
        expect(again).toEqual(mapped);
        const mapper = input.bind(header, { file: "x", sheet: null });
        mapAll(mapper, rows);
        expect(mapAll(mapper, rows)).toEqual(mapped);
      }),
      { numRuns: drawn(25, 60), seed: 5, interruptAfterTimeLimit: 3000 },
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
