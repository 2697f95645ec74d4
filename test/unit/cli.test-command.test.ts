import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testWorld, type } from "../support/cli.world.js";

const mapping = `version: 2
namespace: t
defaults: { timezone: UTC, dates: ["dd/MM/yyyy"], decimal: "," }
inputs:
  rows:
    columns: { job: Job, day: { header: Day, as: timestamp }, kg: { header: Kg, as: number } }
    documents:
      job: { key: =job, participant: { id: p1 }, address: { id: a1 } }
    events:
      step:
        name: Step
        key: once
        externalCreatedAt: =day
        isPublic: true
        attributes: { public: { Kg: =kg } }
`;
const passing = `cases:
  - name: a weight is a plain decimal
    rows: [{ Job: "7", Day: 01/02/2026, Kg: "1,50" }]
    records: { events: [{ event: step, attributes: { Kg: 1.5 } }] }
`;
const failing = passing.replace("Kg: 1.5 }", "Kg: 1.50 }");

describe("rowferry test", () => {
  it("runs the cases beside every worked mapping of the project", long, async () => {
    const folder = fileURLToPath(new URL("../../mappings", import.meta.url));
    const files = Object.fromEntries(
      readdirSync(folder).map((name) => [`mappings/${name}`, readFileSync(join(folder, name), "utf8")]),
    );
    const world = testWorld({ files });
    expect(await type(world, "test")).toBe(0);
    const [, passed, all] = /^(\d+) of (\d+) cases passed$/m.exec(world.out) ?? [];
    expect(passed).toBe(all);
    expect(Number(all)).toBeGreaterThan(20);
    expect(world.out).toContain("ok    mappings/manifests.cases.yaml");
  });

  it("goes on behind a mapping that cannot be used, and ends with exit 2", async () => {
    const world = testWorld({
      files: {
        "a.yaml": mapping.replace("header: Kg, as", "heder: Kg, as"),
        "a.cases.yaml": passing,
        "deep/b.yml": mapping,
        "deep/b.cases.yaml": failing,
        "node_modules/x/c.cases.yaml": "no cases",
      },
    });
    expect(await type(world, "test")).toBe(2);
    expect(world.err).toMatch(/^rowferry: a\.yaml:\d+:\d+: .*"heder"/);
    expect(world.err).toMatch(/\n {4,}\^/);
    expect(world.out).toContain("FAIL  deep/b.cases.yaml");
    expect(world.out).toContain("0 of 1 cases passed, 1 failed, 1 of 2 mappings could not be tested");
  });

  it("a mapping without cases, and a folder without any, are usage errors that say where cases lie", async () => {
    const world = testWorld({ files: { "m.yaml": mapping } });
    expect(await type(world, "test", "m.yaml")).toBe(2);
    expect(world.err).toMatch(/m\.cases\.yaml: .*\n  Write the mapping's cases there: /);
    expect(await type(world, "test")).toBe(2);
    expect(world.err).toContain("Cases are kept next to their mapping");
  });
});
