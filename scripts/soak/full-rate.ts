/**
 * A watched folder at the full rate, 20 requests a second against the sandbox's real limit over HTTP, with faults of every kind
 * in one request of fifty, a console that is looked at and a webhook that is told; memory and handles of both processes
 * sampled throughout, timelines compared with the rows at the end.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { asInstalled } from "../as-installed.js";
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
import { doubledAddresses, twinParticipants } from "../../test/support/doubled.js";

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

/** Files that arrive, each imported as a run of its own. */
const FILES = 12;
/** Rows of whole documents. */
const BLOCK = 20 * EVENTS_A_DOCUMENT;

/** @returns whether everything held */
export async function soakAtFullRate(minutes: number, everyMs: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-soak-"));
  const blocks = Math.ceil((minutes * 60 * RATE) / REQUESTS_A_DOCUMENT / 20);
  const rows = blocks * BLOCK;
  const mapping = await writeMapping(folder);
  const inbox = join(folder, "inbox");
  mkdirSync(inbox);
  for (let file = 0; file < FILES; file += 1) {
    const upTo = (share: number) => Math.round((blocks * share) / FILES) * BLOCK;
    const name = `rows-${String(file + 1).padStart(2, "0")}.csv`;
    await writeManifests(join(inbox, name), upTo(file), upTo(file + 1));
    writeFileSync(join(inbox, `${name}.done`), "");
  }
  const faultFile = join(folder, "faults.json");
  writeFileSync(faultFile, JSON.stringify(faults));
  const store = join(folder, "store.db");
  const service = await startSandbox(["--store", store, "--faults", faultFile], folder);
  const told: string[] = [];
  const hook = await listenTo(told);
  try {
    const ledger = join(folder, "ledger.db");
    writeFileSync(join(folder, "secret"), "sandbox", { mode: 0o600 });
    const soak = { ...targetOf(service), clientSecretFile: "secret", ledger, journal: join(folder, "journal.jsonl") };
    const notify = [
      { webhook: { url: hook.url }, when: ["needs-person", "can-go-on", "failed", "recovered", "succeeded"] },
    ];
    writeFileSync(
      join(folder, "rowferry.config.yaml"),
      JSON.stringify({ target: "soak", targets: { soak }, notify, expect: { every: "24h" } }),
    );
    const preload = [new URL("sample-process.mjs", import.meta.url).href];
    const samplesOf = (name: string) => join(folder, `${name}.jsonl`);
    const start = (name: string, ...args: string[]) => {
      const { flags, env: first } = asInstalled();
      const env = {
        ...first,
        NODE_OPTIONS: flags.join(" "),
        ROWFERRY_SOAK_SAMPLES: samplesOf(name),
        ROWFERRY_SOAK_EVERY: String(everyMs),
      };
      return startRowferry([name, ...args], { cwd: folder, env, preload });
    };

    console.log(
      `${rows} rows in ${FILES} files, ${blocks * 20} documents, about ${blocks * 20 * REQUESTS_A_DOCUMENT} requests`,
    );
    const { child, ended: consoleEnded } = start("console", "--no-open", "--port", "0", "--json");
    const ask = await asked(child);
    const { ended } = start("watch", mapping, inbox, "--once");
    const seen: (Counts & { at: number })[] = [];
    const slowest: number[] = [];
    let end: Ended | null = null;
    while (end === null) {
      seen.push({ at: Date.now(), ...(await countsOf(service)) });
      slowest.push(await ask());
      end = await Promise.race([sleep(everyMs, null, { ref: false }), ended]);
    }
    child.kill("SIGINT");
    await consoleEnded;
    if (end.code !== 0 && end.code !== 3) throw new Error(`watch ended with ${end.code}:\n${end.stderr.slice(-2_000)}`);
    const counts = await countsOf(service);
    tellPace(seen, counts);
    let flat = true;
    for (const name of ["watch", "console"]) {
      console.log(`${name}:`);
      if (!tellMemory(readSamples(samplesOf(name)))) flat = false;
    }
    console.log(
      `console, all pages one after the other: median ${median(slowest)} ms, most ${Math.max(...slowest)} ms`,
    );
    console.log(`the webhook was told ${told.length} times: ${[...new Set(told)].join(", ")}`);

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
    return flat && wrong.length === 0 && counts.rateLimited === 0 && last.code === 0 && told.length > 0;
  } finally {
    hook.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Somebody who is told; what became of each run is added to `told`. */
async function listenTo(told: string[]): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      told.push((body as { when: string }).when);
      response.end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/** Opens every page of the console that `child` is. @returns in how many ms */
async function asked({ stdout }: ChildProcess): Promise<() => Promise<number>> {
  if (stdout === null) throw new Error("the console says nothing");
  const [line] = (await once(createInterface({ input: stdout }), "line")) as [string];
  const { origin, hash } = new URL((JSON.parse(line) as { url: string }).url);
  const headers = { authorization: `Bearer ${hash.replace(/^#(?:token=)?/, "")}` };
  return async () => {
    const begun = performance.now();
    for (const page of ["overview", "runs?target=soak", "files?target=soak", "find?target=soak&what=MTR100000000"]) {
      const answer = await fetch(`${origin}/api/${page}`, { headers });
      await answer.text();
      // 409: there is no ledger yet.
      if (!answer.ok && answer.status !== 409) throw new Error(`the console answered ${page} with ${answer.status}`);
    }
    return Math.round(performance.now() - begun);
  };
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
  console.log(`CPU: ${((user + system) / 1e6).toFixed(0)} s; ${samples.length} samples`);
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
  const twins = [...twinParticipants(sandbox.store), ...doubledAddresses(sandbox.store)];
  void sandbox.close();
  return [...wrong, ...[...expected.keys()].map((key) => `${key} is missing`), ...twins.map(() => "a twin")];
}
