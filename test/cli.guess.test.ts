import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testWorld, type TestWorld, type } from "./cli.world.js";

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

/** A world with one fixture file in it; its name. */
function withFixture(folder: string, file: string): { world: TestWorld; file: string } {
  const world = testWorld();
  copyFileSync(join(fixtures, folder, file), join(world.cwd, file));
  return { world, file };
}

const jobs = Array.from({ length: 30 }, (_, row) => {
  const job = Math.floor(row / 3) + 1;
  const event = ["Abholung", "Wiegung", "Abgabe"][row % 3];
  return `J-${job};Kunde ${job};${event};${10 + row}.03.2026;${row},5`;
}).map((line) => line.replace(/;(3\d|4\d)\.03/, ";28.03"));
const german = `Order;Customer;Event;Datum;Menge\n${jobs.join("\n")}\n`;

describe("rowferry guess", () => {
  it.each([
    ["manifests", "manifests-2025-09.csv", "554 of 560 rows would be staged, 6 skipped"],
    ["organisations", "organisations-2025.xlsx", "1 hidden sheet of organisations-2025.xlsx left out"],
  ] as const)("writes a mapping of %s that check accepts, and says what it would stage", async (name, of, told) => {
    const { world, file } = withFixture(name, of);
    expect(await type(world, "guess", file, "-o", "mapping.yaml")).toBe(0);
    expect(world.stdout.text).toBe("");
    expect(world.stderr.text).toContain(told);
    expect(world.stderr.text).toContain("Written to mapping.yaml.");
    expect(world.stderr.text).toContain(`Next: rowferry check mapping.yaml ${file}`);
    expect(await type(world, "check", "mapping.yaml", file)).toBe(0);
  });

  it("prints the mapping on stdout and what it was unsure of on stderr, so that > writes a mapping", async () => {
    const { world, file } = withFixture("manifests", "manifests-2025-09.csv");
    expect(await type(world, "guess", file)).toBe(0);
    expect(world.stdout.text).toMatch(/^# Guessed from the data\./);
    expect(world.stdout.text).toContain("\nversion: 1\n");
    expect(world.stderr.text).toMatch(/^Unsure of:\n {2}- /);
  });

  it("takes namespace, country and timezone from the command line", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    const options = ["--namespace", "acme-jobs", "--country", "de", "--timezone", "Europe/Berlin"];
    expect(await type(world, "guess", "jobs.csv", ...options)).toBe(0);
    for (const line of ["namespace: acme-jobs ", "country: DE\n", "timezone: Europe/Berlin\n"])
      expect(world.stdout.text).toContain(line);
    for (const wrong of [
      ["--country", "Germany"],
      ["--timezone", "Berlin"],
    ])
      expect(await type(world, "guess", "jobs.csv", ...wrong)).toBe(2);
  });

  it("says where a person must still write an id", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    expect(await type(world, "guess", "jobs.csv")).toBe(0);
    const places = world.stdout.text.split('{ id: "?" }').length - 1;
    expect(places).toBeGreaterThan(0);
    expect(world.stderr.text).toContain(`before anything can be sent: { id: "?" } in ${places} places.`);
  });

  it("never writes over a file that exists, unless it is told to", async () => {
    const world = testWorld({ files: { "jobs.csv": german, "mapping.yaml": "# mine\n" } });
    expect(await type(world, "guess", "jobs.csv", "-o", "mapping.yaml")).toBe(2);
    expect(readFileSync(join(world.cwd, "mapping.yaml"), "utf8")).toBe("# mine\n");
    expect(await type(world, "guess", "jobs.csv", "-o", "mapping.yaml", "--force")).toBe(0);
    expect(readFileSync(join(world.cwd, "mapping.yaml"), "utf8")).toContain("version: 1");
  });

  it("looks at rows from all over a long file: a format that comes late is met", async () => {
    const lines = Array.from({ length: 9000 }, (_, row) => {
      const day = String(1 + (row % 28)).padStart(2, "0");
      return `J-${Math.floor(row / 3)};C-${Math.floor(row / 3) % 50};${["in", "weighed", "out"][row % 3]};${row < 6000 ? `${day}.03.2026` : `2026-03-${day}`}`;
    });
    const world = testWorld({ files: { "jobs.csv": `Order;Customer;Event;Day\n${lines.join("\n")}\n` } });
    expect(await type(world, "guess", "jobs.csv")).toBe(0);
    expect(world.stdout.text).toMatch(/dates: \[dd\.MM\.yyyy, ("ISO"|ISO|yyyy-MM-dd)\]/);
  });

  it("of a file with nothing to map says so: exit 2", async () => {
    const world = testWorld({ files: { "colours.csv": "Colour;Size\nred;L\nblue;M\n" } });
    expect(await type(world, "guess", "colours.csv")).toBe(2);
    expect(world.stderr.text).toContain("there is nothing to map");
    expect(world.stdout.text).toBe("");
  });
});

describe("rowferry init with files", () => {
  it("guesses mapping.yaml into the folder, and keeps one that is there", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    expect(await type(world, "init", "work", "jobs.csv")).toBe(0);
    const path = join(world.cwd, "work/mapping.yaml");
    const first = readFileSync(path, "utf8");
    expect(first).toContain("version: 1");
    expect(await type(world, "init", "work", "jobs.csv")).toBe(0);
    expect(world.stdout.text).toContain("kept  work/mapping.yaml");
    expect(readFileSync(path, "utf8")).toBe(first);
  });

  it("takes a file in the place of the folder: `init data.csv` works here", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    expect(await type(world, "init", "jobs.csv")).toBe(0);
    expect(readFileSync(join(world.cwd, "mapping.yaml"), "utf8")).toContain("version: 1");
  });
});
