/** The service goes away under load and comes back: a sandbox of its own process, killed with SIGKILL, twice (H33). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { manifests, rowferry, type SandboxProcess, serviceEnv, startSandbox, endProcesses } from "./processes.js";
import { expectWhole, undisturbedTimelines } from "./timelines.js";

// Real processes take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
afterAll(endProcesses);

let folder: string;
let service: SandboxProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-restart-"));
});

afterEach(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const requests = async ({ controlUrl }: SandboxProcess): Promise<number> => {
  const answer = await fetch(`${controlUrl}/stats`);
  return ((await answer.json()) as { requests: number }).requests;
};

async function until(busy: SandboxProcess, seen: number): Promise<void> {
  const giveUp = Date.now() + 120_000;
  while ((await requests(busy)) < seen) {
    if (Date.now() > giveUp) throw new Error("the import never came to the service");
    await sleep(5);
  }
}

test("a service killed and started again under load, twice, leaves an import that ends by itself and is complete", {
  tags: ["long"],
}, async () => {
  const undisturbed = await undisturbedTimelines();
  const store = join(folder, "store.db");
  const ledger = join(folder, "ledger.db");
  service = await startSandbox(["--rate", "off", "--store", store], folder);
  const { port } = service;
  const env = { ...serviceEnv(service, ledger), ROWFERRY_RATE: "150", ROWFERRY_BURST: "20" };
  const ended = rowferry(["import", ...manifests], { cwd: folder, env });
  // Among the registrations, then among the documents; counts begin anew with every start.
  for (const seen of [25, 50]) {
    await until(service, seen);
    await service.stop("SIGKILL");
    await sleep(300);
    service = await startSandbox(["--rate", "off", "--store", store, "--port", String(port)], folder);
  }
  const { code, stderr } = await ended;
  expect(await requests(service), "the second kill came under load").toBeGreaterThan(20);
  await service.stop();
  const sandbox = createSandbox({ storage: { file: store } });
  try {
    expectWhole(code, sandbox, ledger, undisturbed, stderr);
  } finally {
    await sandbox.close();
  }
});
