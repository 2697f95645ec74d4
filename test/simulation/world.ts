/** A whole installation in one process and in virtual time: a sandbox as the service, a ledger on disk, real stages between. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInputStager } from "../../src/ledger/stage-input.js";
import type { MappedRow } from "../../src/model/mapped-row.js";
import type { Summary } from "../../src/model/summary.js";
import type { Target } from "../../src/model/target.js";
import { defaultSettings } from "../../src/pipeline/default-settings.js";
import { run, type RunLimits } from "../../src/pipeline/run.js";
import type { Session } from "../../src/pipeline/session.js";
import { createSandbox, type Sandbox, type SandboxOptions, seededRandom } from "../../src/sandbox/index.js";
import type { MappingSettings } from "../../src/map/mapping.js";
import { unthrottled } from "../../src/submit/throttle.js";
import { TransportFailure, type Transport } from "../../src/submit/transport.js";
import { VirtualClock } from "../submit/virtual-clock.js";

/** One file of a story: rows as a mapping would have given them. */
export interface StoryFile {
  name: string;
  contentHash: string;
  rows: MappedRow[];
}

export interface World {
  clock: VirtualClock;
  sandbox: Sandbox;
  target: Target;
  /** Imports files as one run; rejects as the run does. */
  import(files: StoryFile[], limits?: Partial<RunLimits>): Promise<Summary>;
  resume(limits?: Partial<RunLimits>): Promise<Summary>;
  close(): Promise<void>;
}

export function createWorld(
  options: { seed?: number; sandbox?: SandboxOptions; settings?: Partial<MappingSettings> } = {},
): World {
  const clock = new VirtualClock();
  const random = seededRandom(options.seed ?? 1);
  const sandbox = createSandbox({ clock, random, rate: null, ...options.sandbox });
  const folder = mkdtempSync(join(tmpdir(), "rowferry-world-"));
  const target: Target = {
    name: "simulated",
    baseUrl: "https://service.test",
    tokenUrl: "https://service.test/oauth/token",
    clientId: "sandbox",
    clientSecret: "sandbox",
    scope: null,
    clientAuthentication: "basic",
    rate: null,
    burst: 30,
    throttle: null,
    maxEventsPerRequest: 10,
    maxRequestBytes: 1 << 20,
    requestIdHeaders: ["x-request-id"],
    ledgerPath: join(folder, "ledger.db"),
    stateFolder: folder,
  };
  const runOptions = (limits: Partial<RunLimits> = {}) => ({
    target,
    clock,
    random,
    signal: new AbortController().signal,
    observe: () => {},
    fresh: false,
    transport: sandboxTransport(sandbox),
    throttle: unthrottled,
    limits: { waitForLock: false, ...limits },
    journal: null,
  });
  return {
    clock,
    sandbox,
    target,
    import: (files, limits) =>
      clock.run(
        run("import", "story.yaml", runOptions(limits), async (session) => stage(session, files, options.settings)),
      ),
    resume: (limits) => clock.run(run("resume", null, runOptions(limits), null)),
    async close() {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function stage(session: Session, files: readonly StoryFile[], settings: Partial<MappingSettings> = {}) {
  const inputsOfImport = new Set<number>();
  const settingsId = session.settings.idOf({ ...defaultSettings, ...settings });
  return files.map(({ name, contentHash, rows }) => {
    const description = {
      contentHash,
      name,
      path: name,
      sheet: null,
      mapping: "story.yaml",
      mappingHash: "1",
      mappingInput: "rows",
      namespace: "story",
      header: ["row"],
      dialect: {
        format: "csv",
        encoding: "utf-8",
        bom: false,
        delimiter: ",",
        quote: '"',
        escape: '"',
        lineEnding: "\n",
        compression: "none",
      },
    } as const;
    const now = session.clock.now();
    const inputId = session.inputs.begin(
      { ...description, header: ["row"] },
      { runId: session.run.id, settingsId, now },
    );
    inputsOfImport.add(inputId);
    const stager = createInputStager(session.database, {
      inputId,
      runId: session.run.id,
      namespace: "story",
      settingsId,
      identity: "first",
      unplacedRows: "report",
      now,
      inputsOfImport,
      header: ["row"],
    });
    for (const row of rows) {
      stager.stage(row, (number) => ({ number, cells: [JSON.stringify(row)], kinds: null, problems: null }));
    }
    session.inputs.finish(inputId, stager.counts);
    return { id: inputId, input: name, sheet: null, ...stager.counts };
  });
}

/** Straight into the sandbox: no sockets, no waiting but the clock's. */
export function sandboxTransport(sandbox: Sandbox): Transport {
  return async ({ method, url, headers, body }) => {
    const { pathname, search } = new URL(url);
    const reply = await sandbox.inject({
      method,
      path: pathname,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.dropped) throw new TransportFailure("reset", true, "the connection was reset");
    if (reply.truncated) throw new TransportFailure("truncated", true, "the answer broke off");
    return { status: reply.status, headers: reply.headers, body: reply.body };
  };
}
