/** Files of many hands: every one is drafted and loads, is read as it is, and runs on the sandbox with no line edited. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { pipeline } from "../../src/cli/pipeline.js";
import { checkMapping } from "../../src/map/load-mapping.js";
import { systemClock } from "../../src/model/clock.js";
import { testWorld, type } from "../support/cli.world.js";
import { type DriftingFile, driftingFiles } from "../support/drifting.js";
import { drawn } from "../support/sample.js";

const files = driftingFiles(drawn(12, 72), Number(process.env["DRIFT_SEED"] ?? 20_261_122));

interface Records {
  participants?: object;
  documents?: object;
  events?: object;
}

async function drafted({ name, text }: DriftingFile) {
  const world = testWorld({ pipeline, files: { [name]: text } });
  world.clock = { ...systemClock, now: () => world.now };
  expect(await type(world, "guess", name, "-o", "m.yaml"), world.stderr.text).toBe(0);
  const yaml = readFileSync(join(world.cwd, "m.yaml"), "utf8");
  const mapping: { draft?: boolean; inputs: { [name: string]: Records } } = parse(yaml);
  const [records = {}] = Object.values(mapping.inputs);
  const open = [...yaml.matchAll(/# decide: (.*?)[?.]/g)].map(([, question = ""]) => question);
  return { world, draft: mapping.draft === true, records, open };
}

describe("72 files of many hands", () => {
  /** Printed with `DRIFT_TABLE=1`. */
  const table: string[] = [];

  it.each(files)("$name is drafted, loads and reads every row: $ways", async (file) => {
    const { world, draft, records, open } = await drafted(file);
    expect((await checkMapping(join(world.cwd, "m.yaml"))).problems).toEqual([]);
    expect(draft).toBe(open.length > 0);
    expect(records.events !== undefined || draft).toBe(true);
    const [, staged = ""] = /: ([\d,]+) of [\d,]+ rows would be staged/.exec(world.stderr.text) ?? [];
    table.push(`| ${file.ways} | ${staged} of ${file.rows} | ${open.join("; ")} |`);
    if (process.env["DRIFT_TABLE"] !== undefined && table.length === files.length)
      process.stdout.write(`${table.join("\n")}\n`);
    expect(Number(staged)).toBe(file.rows);
  });

  const landed = async (file: DriftingFile): Promise<"all" | "none" | "nothing to send"> => {
    const { world, records } = await drafted(file);
    world.stdout.text = "";
    if ((records.participants ?? records.documents) === undefined) return "nothing to send";
    const code = await type(world, "import", join(world.cwd, "m.yaml"), join(world.cwd, file.name), "--json");
    expect(code, world.stderr.text).toBe(0);
    const events = Number(/"events":\{"landed":(\d+)/.exec(world.stdout.text)?.[1] ?? 0);
    return events === 0 ? "none" : events >= file.rows ? "all" : "none";
  };

  it.each(files.filter((_, at) => at % 12 === 0))(
    "$name lands on the sandbox with no line edited",
    { timeout: 30_000 },
    async (file) => expect(await landed(file)).toBe("all"),
  );

  it.each(files)(
    "$name lands on the sandbox with no line edited, as every one does",
    { timeout: 30_000, tags: ["long"] },
    async (file) => {
      const { records } = await drafted(file);
      const nothing = (records.participants ?? records.documents) === undefined;
      expect(await landed(file)).toBe(nothing ? "nothing to send" : records.events === undefined ? "none" : "all");
    },
  );
});
