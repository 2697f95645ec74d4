/** The service goes away under load and comes back: a sandbox of its own process, killed with SIGKILL, twice (H33). */
import { setTimeout as wait } from "node:timers/promises";
import { createSandbox } from "../../src/sandbox/index.js";
import { installed } from "./installation.js";
import { manifests, type SandboxProcess, serviceEnv, startSandbox } from "./processes.js";
import { expectWhole, undisturbedTimelines } from "./timelines.js";

const here = installed();

const requests = async ({ controlUrl }: SandboxProcess) => {
  const answer = await fetch(`${controlUrl}/stats`);
  return ((await answer.json()) as { requests: number }).requests;
};

test(
  "a service killed and started again under load, twice, leaves an import that ends by itself and is complete",
  long,
  async () => {
    const store = here().path("store.db");
    const start = (...more: string[]) => startSandbox(["--rate", "off", "--store", store, ...more], here().folder);
    let service = await start();
    const env = { ...serviceEnv(service, here().ledger), ROWFERRY_RATE: "150", ROWFERRY_BURST: "20" };
    const { ended } = here().start(["import", ...manifests], { env });
    // Among the registrations, then among the documents; counts begin anew with every start.
    for (const seen of [25, 50]) {
      while ((await requests(service)) < seen) await wait(5);
      await service.stop("SIGKILL");
      await wait(300);
      service = await start("--port", String(service.port));
    }
    const { code, stderr } = await ended;
    expect(await requests(service), "the second kill came under load").toBeGreaterThan(20);
    await service.stop();
    const sandbox = createSandbox({ storage: { file: store } });
    try {
      expectWhole(code, sandbox, here().ledger, await undisturbedTimelines(), stderr);
    } finally {
      await sandbox.close();
    }
  },
);
