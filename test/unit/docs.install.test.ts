/** docs/how-to/install.md names each dependency, with its version as it is bundled and its licence as the package states it. */
import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it("the table of dependencies is that of package.json", () => {
  const rows = [
    ...read("docs/how-to/install.md").matchAll(
      /^\| (?!Package)([@\w./-]+) \| [^|]+ \| ([\d.]+)(?: \([\d.]+\))? \| [\d.]+ [kM]B \| [^|]+ \| ([\w.-]+) \|$/gm,
    ),
  ].map((row) => row.slice(1));
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const licence = (name: string) =>
    (JSON.parse(read(`node_modules/${name}/package.json`)) as { license: string }).license;
  expect(rows).toEqual(Object.entries(dependencies).map(([name, version]) => [name, version, licence(name)]));
});
