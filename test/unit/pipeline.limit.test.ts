/** The limit of the service holds over runs: what an earlier one has just sent counts (P6). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/model/clock.js";
import { runImport } from "../../src/run/import.js";
import { createSandbox, type Sandbox, seededRandom } from "../../src/sandbox/index.js";
import { ofSandbox, sandboxTransport } from "../nights/simulation/sandbox-transport.js";
import { weighingMapping } from "../nights/simulation/yaml-import.js";

const folder = mkdtempSync(join(tmpdir(), "rowferry-limit-"));
let sandbox: Sandbox;
afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const target = ofSandbox(folder);

/** One document a row. */
async function importRows(name: string, rows: number) {
  const mappingPath = join(folder, "weighings.yaml");
  const path = join(folder, name);
  writeFileSync(mappingPath, weighingMapping({ event: "        key: once\n        externalCreatedAt: =at" }));
  const lines = Array.from({ length: rows }, (_, row) => `11222333000181,${name}-${row},2026-01-01 10:00`);
  writeFileSync(path, ["CNPJ,MTR,AT", ...lines, ""].join("\n"));
  const summary = await runImport({
    target,
    mappingPath,
    files: [path],
    clock: systemClock,
    random: seededRandom(1),
    signal: new AbortController().signal,
    observe: () => {},
    fresh: false,
    journal: null,
    limits: { waitForLock: false },
    transport: sandboxTransport(sandbox, systemClock),
  });
  return { sent: summary.requests.sent, rateLimited: summary.requests.rateLimited, landed: summary.events["landed"] };
}

test("a run that follows another at once does not begin with a full burst", { tags: ["long"] }, async () => {
  sandbox = createSandbox({ clock: systemClock, random: seededRandom(1), rate: 20, burst: 30 });
  expect(await importRows("first", 20)).toEqual({ sent: 23, rateLimited: 0, landed: 20 });
  expect(await importRows("second", 20)).toMatchObject({ rateLimited: 0, landed: 20 });
});
