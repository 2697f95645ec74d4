/** The worked mappings: their cases pass, and their fixtures stage without a mistake. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { describeReport, runCases } from "../../src/map/cases/run-cases.js";
import { loadMapping } from "../../src/map/load-mapping.js";
import { openInput } from "../../src/read/open-input.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const mappings = join(root, "mappings");
const names = (await readdir(mappings)).filter((name) => name.endsWith(".yaml") && !name.endsWith(".cases.yaml"));

describe("the worked mappings", () => {
  it("are at least five, each with cases", async () => {
    expect(names.length).toBeGreaterThanOrEqual(5);
    const files = await readdir(mappings);
    expect(names.map((name) => name.replace(".yaml", ".cases.yaml")).filter((name) => !files.includes(name))).toEqual(
      [],
    );
  });

  it.each(names)("%s passes its cases, and fails some of them as well", async (name) => {
    const report = await runCases(join(mappings, name));
    expect(describeReport(report)).toContain("all passed");
    expect(await readFile(report.casesPath, "utf8")).toContain("codes:");
  });

  it.each([
    ["updates", "updates/analises-2025-10.csv", 4, { analysis: 4, visibility: 1 }],
    ["relations", "relations/lotes-2025-10.csv", 3, { split: 3 }],
    ["relations", "relations/vendas-2025-10.csv", 2, { sold: 2, covers: 2 }],
    ["replacement", "replacement/substituicoes-2025-10.csv", 2, { replaces: 2, load: 3, total: 2, cancel: 2 }],
  ])("%s maps every row of %s", async (name, file, groups, events) => {
    const mapping = await loadMapping(join(mappings, `${name}.yaml`));
    const input = await openInput(join(root, "fixtures", file));
    try {
      const [reads] = mapping.inputsFor(input.name);
      const table = await input.open(reads?.read ?? {});
      const mapper = reads?.bind(table.header, { file: input.name, sheet: null });
      const mapped = [];
      for await (const batch of table.rows()) mapped.push(...(mapper?.map(batch) ?? []));
      mapped.push(...(mapper?.end() ?? []));
      expect(mapper?.unmapped).toEqual([]);
      expect(mapped.filter(({ outcome }) => outcome.fate !== "valid")).toEqual([]);
      expect(mapped).toHaveLength(groups);
      const counts: { [event: string]: number } = {};
      for (const { outcome } of mapped) {
        for (const { event } of outcome.fate === "valid" ? outcome.records.events : [])
          counts[event] = (counts[event] ?? 0) + 1;
      }
      expect(counts).toEqual(events);
    } finally {
      await input.close();
    }
  });
});
