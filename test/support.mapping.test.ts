/** The tests' own mapping helper says in version 1 what a mapping of version 2 says. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadMapping } from "../src/map/load-mapping.js";
import type { Mapping } from "../src/map/mapping.js";
import type { MappedRow } from "../src/model/mapped-row.js";
import { openInput } from "../src/read/open-input.js";
import { load } from "./map.support.js";
import { mapping } from "./support/mapping.js";

const path = (place: string): string => fileURLToPath(new URL(place, import.meta.url));

async function mapped(compiled: Mapping, file: string): Promise<MappedRow[]> {
  const input = await openInput(path(`../fixtures/${file}`));
  const rows: MappedRow[] = [];
  for (const { read, bind } of compiled.inputsFor(input.name)) {
    const table = await input.open(read);
    const mapper = bind(table.header, { file: input.name, sheet: table.sheet });
    for await (const batch of table.rows()) rows.push(...mapper.map(batch));
    rows.push(...mapper.end());
  }
  await input.close();
  return rows;
}

/** What becomes of each row, whatever the order of attributes. */
function fates(rows: MappedRow[]): unknown[] {
  const sorted = (_: string, value: unknown): unknown =>
    Array.isArray(value) ? value.map((one) => JSON.stringify(one, sorted)).toSorted() : value;
  return rows.map(({ outcome }) => {
    if (outcome.fate !== "valid") return outcome.fate;
    return JSON.parse(JSON.stringify(outcome, sorted)) as unknown;
  });
}

describe("a mapping in the language of version 2", () => {
  it.each([
    ["manifests", "manifests/manifests-2025-09.csv"],
    ["manifests", "manifests-faulty/manifests-2025-10.csv"],
    ["organisations", "organisations/organisations-2025.xlsx"],
    ["relations", "relations/lotes-2025-10.csv"],
    ["relations", "relations/vendas-2025-10.csv"],
    ["replacement", "replacement/substituicoes-2025-10.csv"],
    ["updates", "updates/analises-2025-10.csv"],
  ])("%s: gives what the mapping of version 1 gives for %s", async (name, file) => {
    const beside = { "laboratories.csv": await readFile(path("../mappings/laboratories.csv"), "utf8") };
    const yaml = mapping(await readFile(path(`support/language/${name}.yaml`), "utf8"));
    const before = await mapped(await loadMapping(path(`../mappings/${name}.yaml`)), file);
    const after = await mapped(await load(yaml, beside), file);
    expect(fates(after)).toEqual(fates(before));
  });

  it("is refused by name where version 1 has no words", () => {
    const input = { columns: { a: { header: "A", as: "number", units: { kg: 1 } }, b: "=a * 2" } };
    const documents = { d: { key: "=b" } };
    expect(() => mapping({ namespace: "n", inputs: { i: { ...input, documents } } })).toThrow(
      'units or the map of "a"',
    );
    expect(() => mapping({ namespace: "n", inputs: { i: { documents: { d: { key: "=typo" } } } } })).toThrow('"typo"');
  });
});
