/**
 * How many batch requests of 10 events a second the sandbox carries out, limiter off, all checks on: in process and over
 * HTTP, in memory and in an SQLite file whose commits are durable before an answer leaves. Prints the figures beside the
 * goal of 2,000, and per second of this process's CPU, which others on the machine disturb
 * less. Run alone: `npx tsx bench/sandbox.ts [seconds]`.
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox, type Sandbox, type SandboxOptions } from "../src/sandbox/index.js";

const GOAL = 2000;
const EVENTS = 10;
/** Requests under way at once. */
const CLIENTS = 16;

const seconds = Number(process.argv[2] ?? 3);

interface Ids {
  participantId: string;
  addressId: string;
}

/** Scattered, as hashes are: what is hardest on an index. */
const key = (number: number, index: number): string =>
  createHash("sha256").update(`${number} ${index}`).digest("hex").slice(0, 40);

/** One document with ten events of ordinary size, as JSON text. */
function batch({ participantId, addressId }: Ids, number: number): string {
  const events = Array.from({ length: EVENTS }, (_, index) => ({
    name: index % 2 === 0 ? "Pick-up" : "Weighing",
    externalCreatedAt: new Date(Date.UTC(2026, 0, 1, 8, index)).toISOString(),
    isPublic: true,
    deduplicationId: key(number, index),
    participantId,
    addressId,
    metadata: {
      attributes: [
        { name: "Vehicle License Plate", value: "ABC1D23", isPublic: false },
        { name: "Gross Weight", value: "12345.67", isPublic: true },
      ],
    },
  }));
  const document = { externalId: `MTR-${number}`, deduplicationId: key(number, -1), participantId, addressId };
  return JSON.stringify({ document, events });
}

async function prepare(sandbox: Sandbox): Promise<{ headers: Record<string, string>; ids: Ids }> {
  const token = await sandbox.inject({
    method: "POST",
    path: "/oauth/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox",
  });
  const headers = { authorization: `Bearer ${token.json().access_token}`, "content-type": "application/json" };
  const post = (path: string, body: Record<string, string>) => sandbox.inject({ method: "POST", path, headers, body });
  const person = { countryCode: "BR", taxIdType: "CNPJ", taxId: "11222333000181", name: "ACME", type: "COMPANY" };
  const participantId: string = (await post("/participants", person)).json().id;
  const place = {
    name: "Matriz",
    street: "Rua A",
    number: "1",
    city: "São Paulo",
    countryState: "SP",
    countryCode: "BR",
  };
  const address = await post(`/participants/${participantId}/addresses`, place);
  return { headers, ids: { participantId, addressId: address.json().id } };
}

/** `send` gives the status. Runs until `seconds` are over; gives requests per second. */
async function measure(ids: Ids, send: (body: string) => Promise<number>): Promise<number> {
  let number = 0;
  const started = performance.now();
  const client = async () => {
    while (performance.now() - started < seconds * 1000) {
      number += 1;
      const status = await send(batch(ids, number));
      if (status !== 201) throw new Error(`answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (number * 1000) / (performance.now() - started);
}

function sendOver(baseUrl: string, headers: Record<string, string>, agent: Agent): (body: string) => Promise<number> {
  return (body) =>
    new Promise((resolve, reject) => {
      const length = { "content-length": Buffer.byteLength(body) };
      const url = `${baseUrl}/documents/events`;
      const sent = request(url, { method: "POST", agent, headers: { ...headers, ...length } }, (answer) => {
        answer.resume();
        answer.on("end", () => resolve(answer.statusCode ?? 0));
      });
      sent.on("error", reject);
      sent.end(body);
    });
}

interface ClientWork {
  baseUrl: string;
  headers: Record<string, string>;
  ids: Ids;
}

/** The client has a process of its own: what is measured is the server. */
function measureOver(work: ClientWork): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [String(seconds)]);
    child.once("message", (figure) => resolve(Number(figure)));
    child.once("exit", (code) => reject(new Error(`the client ended with ${code}`)));
    child.send(work);
  });
}

async function run(title: string, storage: NonNullable<SandboxOptions["storage"]>, http: boolean): Promise<void> {
  const sandbox = createSandbox({ storage, rate: null });
  try {
    const { headers, ids } = await prepare(sandbox);
    const path = "/documents/events";
    const before = process.cpuUsage();
    const send = async (body: string) => (await sandbox.inject({ method: "POST", path, headers, body })).status;
    const figure = http
      ? await measureOver({ baseUrl: (await sandbox.listen()).baseUrl, headers, ids })
      : await measure(ids, send);
    const { user, system } = process.cpuUsage(before);
    const done = sandbox.store.statistics().endpoints["POST /documents/events"]?.[201] ?? 0;
    const perCpu = (done * 1e6) / (user + system);
    console.log(
      `${title.padEnd(24)} ${figure.toFixed(0).padStart(7)} requests/s  ${(figure / GOAL).toFixed(2)}x goal  ` +
        `(${perCpu.toFixed(0)} per second of this process's CPU)`,
    );
  } finally {
    await sandbox.close();
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-bench-"));
  try {
    console.log(`Batch requests of ${EVENTS} events, ${CLIENTS} at once, ${seconds} s each; goal ${GOAL}/s`);
    await run("in process, memory", "memory", false);
    await run("in process, SQLite file", { file: join(folder, "inject.db") }, false);
    await run("HTTP, memory", "memory", true);
    await run("HTTP, SQLite file", { file: join(folder, "http.db") }, true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.send === undefined) {
  await main();
} else {
  process.once("message", (work: ClientWork) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    void measure(work.ids, sendOver(work.baseUrl, work.headers, agent)).then((figure) => {
      process.send?.(figure);
      agent.destroy();
      process.disconnect();
    });
  });
}
