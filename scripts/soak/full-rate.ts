/**
 * An import at the full rate, 20 requests a second against the sandbox's real limit over HTTP, with faults of every kind
 * in one request of fifty; memory and handles sampled throughout, timelines compared with the rows at the end.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { EVENTS_A_DOCUMENT, manifestRow, writeManifests, writeMapping } from "../../bench/manifests.js";
import { createSandbox, type FaultRule } from "../../src/sandbox/index.js";
import {
  type Ended,
  rowferry,
  type SandboxProcess,
  serviceEnv,
  startRowferry,
  startSandbox,
} from "../../test/processes/processes.js";

const RATE = 20;
const BURST = 30;
/** Three requests a document. */
const EVENTS_A_REQUEST = 4;
const REQUESTS_A_DOCUMENT = 3;

const faults: FaultRule[] = [
  { probability: 0.003, action: { kind: "status", status: 503, when: "before" } },
  { probability: 0.002, action: { kind: "status", status: 502, when: "before", body: "html" } },
  { probability: 0.003, action: { kind: "status", status: 500, when: "after" } },
  { probability: 0.002, action: { kind: "drop", when: "before" } },
  { probability: 0.003, action: { kind: "drop", when: "after" } },
  { probability: 0.002, action: { kind: "truncate" } },
  { probability: 0.002, action: { kind: "delay", ms: 4_000, when: "after" } },
  { probability: 0.001, action: { kind: "status", status: 429, when: "before", retryAfter: 1 } },
  { probability: 0.002, match: { method: "POST" }, action: { kind: "pending-process" } },
  // Twice for one call is a refused credential, which stops the run (HARD-CASES H8).
  { probability: 0.0003, action: { kind: "expire-token" } },
];

interface Sample {
  pid: number;
  at: number;
  rss: number;
  heapUsed: number;
  resources: number;
  files: number;
  cpu: NodeJS.CpuUsage;
}

interface Counts {
  requests: number;
  rateLimited: number;
  faults: number;
}

/** @returns whether everything held */
export async function soakAtFullRate(minutes: number, everyMs: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-soak-"));
  const documents = Math.ceil((minutes * 60 * RATE) / REQUESTS_A_DOCUMENT / 20) * 20;
  const rows = documents * EVENTS_A_DOCUMENT;
  const file = join(folder, "rows.csv");
  const mapping = await writeMapping(folder);
  await writeManifests(file, 0, rows);
  const faultFile = join(folder, "faults.json");
  writeFileSync(faultFile, JSON.stringify(faults));
  const store = join(folder, "store.db");
  const service = await startSandbox(["--store", store, "--faults", faultFile], folder);
  try {
    const samplesPath = join(folder, "samples.jsonl");
    const ledger = join(folder, "ledger.db");
    writeFileSync(join(folder, "secret"), "sandbox", { mode: 0o600 });
    const journal = join(folder, "journal.jsonl");
    const config = { ...targetOf(service), clientSecretFile: "secret", ledger, journal };
    writeFileSync(join(folder, "rowferry.config.yaml"), JSON.stringify({ target: "soak", targets: { soak: config } }));
    const sampled = { ROWFERRY_SOAK_SAMPLES: samplesPath, ROWFERRY_SOAK_EVERY: String(everyMs) };
    const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const preload = [loader, new URL("sample-process.ts", import.meta.url).href];

    console.log(`${rows} rows, ${documents} documents, about ${documents * REQUESTS_A_DOCUMENT} requests`);
    const seen: (Counts & { at: number })[] = [];
    let stops = 0;
    for (let args = ["import", mapping, file]; ; args = ["resume"]) {
      const { ended } = startRowferry(args, { cwd: folder, env: sampled, preload });
      let end: Ended | null = null;
      while (end === null) {
        seen.push({ at: Date.now(), ...(await countsOf(service)) });
        end = await Promise.race([sleep(everyMs, null, { ref: false }), ended]);
      }
      if (end.code === 0 || end.code === 3) break;
      stops += 1;
      console.log(`${args[0]} ended with ${end.code}:\n${end.stdout.slice(-3_000)}`);
      if (end.code !== 4 || stops > 3) throw new Error(end.stderr.slice(-2_000));
    }
    const counts = await countsOf(service);
    console.log(`stopped and resumed ${stops} times`);
    tellPace(seen, counts);
    const flat = tellMemory(readSamples(samplesPath));

    const stranded = await nameStranded(service, folder, ledger);
    console.log(`stranded by a lost create answer, and named to the ledger afterwards: ${stranded}`);
    const last = await rowferry(["resume"], { cwd: folder, env: {} });
    if (last.code !== 0) console.log(`the last resume ended with ${last.code}:\n${last.stdout}${last.stderr}`);
    await service.stop();
    const wrong = differences(store, rows);
    for (const what of wrong.slice(0, 20)) console.log(what);
    console.log(
      `${rows} rows expected, ${wrong.length} differences on the timelines; 429s of ours ${counts.rateLimited}`,
    );
    return flat && wrong.length === 0 && counts.rateLimited === 0 && last.code === 0;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function targetOf(service: SandboxProcess) {
  const { ROWFERRY_BASE_URL: baseUrl, ROWFERRY_TOKEN_URL: tokenUrl } = serviceEnv(service, "");
  return { baseUrl, tokenUrl, clientId: "sandbox", rate: RATE, burst: BURST, maxEventsPerRequest: EVENTS_A_REQUEST };
}

async function countsOf(service: SandboxProcess): Promise<Counts> {
  const {
    requests,
    rateLimited,
    faults: befallen,
  } = (await (await fetch(`${service.controlUrl}/stats`)).json()) as Counts;
  return { requests, rateLimited, faults: befallen };
}

function readSamples(path: string): Sample[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const all = lines.map((line) => JSON.parse(line) as Sample);
  // Of the process that lived longest.
  const pids = [...new Set(all.map(({ pid }) => pid))].map((one) => all.filter(({ pid }) => pid === one));
  return pids.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

function tellPace(seen: readonly (Counts & { at: number })[], { requests, faults: befallen }: Counts): void {
  const rates = seen.flatMap((now, index) => {
    const before = seen[index - 1];
    if (before === undefined || before.requests < BURST) return [];
    return [((now.requests - before.requests) * 1000) / (now.at - before.at)];
  });
  // The last stretch holds what was left.
  const full = rates.slice(0, -1).toSorted((a, b) => a - b);
  const rate = (at: number) => (full[Math.floor(at * (full.length - 1))] ?? Number.NaN).toFixed(2);
  const share = ((100 * befallen) / requests).toFixed(2);
  console.log(`${requests} requests, ${befallen} of them befallen by a fault (${share} %)`);
  console.log(
    `requests a second, over ${full.length} stretches: least ${rate(0)}, median ${rate(0.5)}, most ${rate(1)}`,
  );
}

/** Medians of the second and of the last fifth of the samples: the first is staging. @returns whether nothing grew */
function tellMemory(samples: readonly Sample[]): boolean {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const [early, late] = [samples.slice(fifth, 2 * fifth), samples.slice(-fifth)];
  const measures = {
    rss: { unit: 2 ** 20, slack: 1.1 },
    heapUsed: { unit: 2 ** 20, slack: 1.25 },
    files: { unit: 1, slack: 1.25 },
    resources: { unit: 1, slack: 1.25 },
  };
  let flat = true;
  for (const [name, { unit, slack }] of Object.entries(measures)) {
    const of = (some: readonly Sample[]) => median(some.map((sample) => Number(sample[name as keyof Sample]) / unit));
    const most = Math.max(...samples.map((sample) => Number(sample[name as keyof Sample]) / unit));
    const grew = of(late) > of(early) * slack + 2;
    if (grew) flat = false;
    const figures = [of(early), of(late), most].map((value) => value.toFixed(unit === 1 ? 0 : 1));
    console.log(`${name}: early ${figures[0]}, late ${figures[1]}, most ${figures[2]}${grew ? " GREW" : ""}`);
  }
  const { user = 0, system = 0 } = samples.at(-1)?.cpu ?? {};
  console.log(`CPU of the import: ${((user + system) / 1e6).toFixed(0)} s; ${samples.length} samples`);
  return flat;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** What a person would do: look up each stranded document at the service and name its id. @returns how many there were */
async function nameStranded(service: SandboxProcess, folder: string, ledger: string): Promise<number> {
  await fetch(`${service.controlUrl}/faults`, { method: "DELETE" });
  const database = new Database(ledger, { readonly: true });
  const keys = database
    .prepare<[], string>(
      "SELECT d.key FROM documents d JOIN document_states s ON s.document_id = d.id WHERE s.state = 'stranded'",
    )
    .pluck()
    .all();
  database.close();
  if (keys.length === 0) return 0;
  const dump = await (await fetch(`${service.controlUrl}/dump?ids=true`)).text();
  for (const key of keys) {
    const [, id = ""] = new RegExp(`^document "${key}" .* id=([^ ]+)`, "m").exec(dump) ?? [];
    const args = ["resolve", `manifest/${key}`, "--document-id", id, "--yes"];
    const { code, stderr } = await rowferry(args, { cwd: folder, env: {} });
    if (code !== 0) throw new Error(`${key} could not be resolved: ${stderr}`);
  }
  return keys.length;
}

/** Tickets on the service's timelines against those of the rows: each once, on its document, in order. */
function differences(store: string, rows: number): string[] {
  const expected = new Map<string, string[]>();
  for (let index = 0; index < rows; index += 1) {
    const [document = "", ticket = ""] = manifestRow(index, Math.random).split(";");
    const tickets = expected.get(document);
    if (tickets === undefined) expected.set(document, [ticket]);
    else tickets.push(ticket);
  }
  const sandbox = createSandbox({ storage: { file: store } });
  const wrong: string[] = [];
  for (const { externalId, events } of sandbox.store.documents()) {
    const found = events.map((event) => /"Ticket","value":"([^"]*)"/.exec(JSON.stringify(event.body))?.[1]).join(" ");
    const wanted = expected.get(externalId ?? "")?.join(" ");
    if (found !== wanted) wrong.push(`${externalId}: ${found} instead of ${wanted ?? "nothing"}`);
    expected.delete(externalId ?? "");
  }
  const twins = [...sandbox.store.twinParticipants(), ...sandbox.store.doubledAddresses()];
  void sandbox.close();
  return [...wrong, ...[...expected.keys()].map((key) => `${key} is missing`), ...twins.map(() => "a twin")];
}
