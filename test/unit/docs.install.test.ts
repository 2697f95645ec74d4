/**
 * docs/how-to/install.md names each dependency, with its version as it is bundled and its licence as the package states it;
 * and `npm ci` compiles nothing, as it says.
 */
import { existsSync, readFileSync } from "node:fs";

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

// A command that the manifest names is not run by npx from this folder: npm first installs the folder, with all that it depends
// on, into a cache (18 s of work, then 2 s each time), and after a first try before `npm ci` never finds the command again.
it("npx runs the command that npm ci has built here, and waits for nothing else", () => {
  const { scripts, bin } = JSON.parse(read("package.json")) as { scripts: { build: string }; bin?: unknown };
  expect(bin).toBeUndefined();
  expect(scripts.build).toContain("ln -sf ../../dist/cli/rowferry.js node_modules/.bin/rowferry");
});

// npm reads from the lock alone whether a package wants node-gyp, which fails without Python or a compiler; and the lock names
// no registry, without which npm 12 takes no approval of a single version.
it("npm ci compiles nothing, and every script that an installation needs is approved", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { gypfile?: boolean; hasInstallScript?: boolean; optional?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([path]) => path !== "" && existsSync(path));
  const wantCompiler = installed.filter(([path]) => existsSync(`${path}/binding.gyp`));
  expect(wantCompiler.map(([path, { gypfile }]) => [path, gypfile])).toEqual([["node_modules/better-sqlite3", false]]);
  const withScripts = installed
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice("node_modules/".length));
  const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
  expect(Object.keys(allowScripts).toSorted()).toEqual(withScripts.toSorted());
});
