/** The guide's own mapping, rows and cases work, and the generated documents are those of this program. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { mappingReference } from "../../scripts/docs/mapping-reference.js";
import { describeReport, runCases } from "../../src/map/cases/run-cases.js";
import { mappingJsonSchema } from "../../src/map/json-schema.js";
import { loadMapping } from "../../src/map/load-mapping.js";
import { bind, recordsOf, row } from "../support/map.support.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the guide `map your first file`", () => {
  it("gives a mapping that loads, maps the file shown and passes the cases shown", async () => {
    const guide = await readFile(join(root, "docs", "tutorial", "map-your-first-file.md"), "utf8");
    const blocks = [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)].map(([, language, text]) => ({
      language,
      text: text ?? "",
    }));
    const yaml = blocks.filter(({ language }) => language === "yaml").map(({ text }) => text);
    const cases = yaml.pop() ?? "";
    const folder = await mkdtemp(join(tmpdir(), "rowferry-guide-"));
    try {
      const path = join(folder, "weighings.yaml");
      await writeFile(path, yaml.join(""));
      await writeFile(join(folder, "weighings.cases.yaml"), cases);
      const report = await runCases(path);
      expect(describeReport(report)).toContain("all passed");
      const mapping = await loadMapping(path);
      const csv = parse(blocks.find(({ language }) => language === "csv")?.text ?? "", { delimiter: ";" });
      const [header = [], ...lines] = csv;
      const mapper = bind(mapping, header);
      const mapped = mapper.map(lines.map((cells, index) => ({ ...row(index + 2, header, {}), cells })));
      expect(mapper.unmapped).toEqual([]);
      expect(mapped.map(({ outcome }) => outcome.fate)).toEqual(["valid", "valid", "skipped"]);
      const { events, participants } = recordsOf(mapped.slice(0, 2));
      expect(events.map(({ attributes }) => attributes.find(({ name }) => name === "Net")?.value)).toEqual([
        "7780.5",
        "4320",
      ]);
      expect(new Set(participants.map(({ natural }) => natural)).size).toBe(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("generated documents", () => {
  it.each([
    ["docs/reference/mapping.md", mappingReference],
    ["mappings/schema.json", () => `${JSON.stringify(mappingJsonSchema(), null, 2)}\n`],
  ])("%s is up to date (scripts/generate-docs.ts)", async (path, make) => {
    expect(await readFile(join(root, path), "utf8")).toBe(make());
  });
});
