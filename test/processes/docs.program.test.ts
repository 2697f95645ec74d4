/** The library: its example runs as it stands, and its names are few. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as library from "../../src/index.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

const weighings = ["examples/weighings/weighings.yaml", "examples/weighings/weighings-2025-11-19.csv"];

function folder() {
  const path = mkdtempSync(join(tmpdir(), "rowferry-library-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  cpSync(join(root, "examples"), join(path, "examples"), { recursive: true });
  return path;
}

it("examples/library.ts rehearses an import and says how it went", long, () => {
  const cwd = folder();
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--import", join(root, "node_modules/tsx/dist/esm/index.mjs"), join(root, "examples/library.ts"), ...weighings],
    { cwd, env: { PATH: process.env["PATH"] ?? "", TSX_TSCONFIG_PATH: join(root, "tsconfig.json") } },
  );
  expect(status, stderr.toString()).toBe(0);
  expect(stdout.toString()).toMatch(
    /^up to 10 requests[\s\S]*stage: reading[\s\S]*8 rows read, 0 known, 8 staged; exit code 0/,
  );
});

it("is a handful of names, and importing it does nothing", () => {
  expect(Object.keys(library).toSorted()).toEqual([
    "ExitCode",
    "RowferryError",
    "codes",
    "createSandbox",
    "loadMapping",
    "planImport",
    "readStatus",
    "resolveTarget",
    "runImport",
    "runResume",
    "systemClock",
    "writeReport",
  ]);
});

it("errors have codes, and the settings are never guessed", async () => {
  const cwd = folder();
  const env = { ROWFERRY_BASE_URL: "https://api.example.com" };
  expect(() => library.resolveTarget({ cwd, env })).toThrow(expect.objectContaining({ code: "settings-incomplete" }));
  const target = library.resolveTarget({ name: "sandbox", cwd, env: {} });
  await expect(library.readStatus({ target })).rejects.toMatchObject({ code: "ledger-missing" });
});
