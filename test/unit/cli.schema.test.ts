import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testWorld, type } from "../support/cli.world.js";

const mappings = fileURLToPath(new URL("../../mappings", import.meta.url));

describe("rowferry schema", () => {
  it("prints what mappings/schema.json has, and nothing else (else: npm run -s rowferry -- schema > mappings/schema.json)", async () => {
    const world = testWorld();
    expect(await type(world, "schema")).toBe(0);
    expect(world.err).toBe("");
    expect(readFileSync(join(mappings, "schema.json"), "utf8")).toBe(world.out);
  });

  it("--help says what an editor needs in the mapping's first line", async () => {
    const world = testWorld();
    expect(await type(world, "schema", "--help")).toBe(0);
    expect(world.out).toContain("# yaml-language-server: $schema=schema.json");
  });
});
