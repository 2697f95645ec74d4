import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv, type ValidateFunction } from "ajv";
import { parse } from "yaml";
import { testWorld, type } from "../support/cli.world.js";

const mappings = fileURLToPath(new URL("../../mappings", import.meta.url));

describe("rowferry schema", () => {
  it("prints what mappings/schema.json has, and nothing else (else: npm run -s rowferry -- schema > mappings/schema.json)", async () => {
    const world = testWorld();
    expect(await type(world, "schema")).toBe(0);
    expect(world.err).toBe("");
    expect(readFileSync(join(mappings, "schema.json"), "utf8")).toBe(world.out);
  });

  it("every worked mapping points editors at it in its first line, and is accepted by it", { tags: ["long"] }, () => {
    const names = readdirSync(mappings).filter((name) => name.endsWith(".yaml") && !name.endsWith(".cases.yaml"));
    expect(names.length).toBeGreaterThanOrEqual(5);
    const validators = new Map<string, ValidateFunction>();
    for (const name of names) {
      const text = readFileSync(join(mappings, name), "utf8");
      const [, pointed = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
      const path = join(dirname(join(mappings, name)), pointed);
      const validate =
        validators.get(path) ?? new Ajv({ strict: false }).compile(JSON.parse(readFileSync(path, "utf8")) as object);
      validators.set(path, validate);
      validate(parse(text));
      expect({ name, errors: validate.errors ?? [] }).toEqual({ name, errors: [] });
    }
  });

  it("--help says what an editor needs in the mapping's first line", async () => {
    const world = testWorld();
    expect(await type(world, "schema", "--help")).toBe(0);
    expect(world.out).toContain("# yaml-language-server: $schema=schema.json");
  });
});
