/**
 * What a user might do instead, against the same sandbox with 2% faults (half of them answers that are lost after the
 * work was done): a plain script, one request a row, retried until it is answered. Requests, time, lost and doubled events.
 * And staging beside `sqlite3 .import` of the same file, where that program is there.
 * `tsx bench/peers.ts [--rows 4000] [--import-rows 200000]`.
 */
import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parse } from "csv-parse";
import type { JsonObject } from "../src/model/json.js";
import type { Summary } from "../src/model/summary.js";
import type { FaultRule } from "../src/sandbox/index.js";
import { measure, runContender, withTemporaryFolder } from "./harness.js";
import { writeManifests, writeMapping } from "./manifests.js";
import { type Service, startService } from "./service.js";

const RATE = 200;
const BURST = 300;
const FAULTS: FaultRule[] = [
  { match: { path: "/documents/events" }, probability: 0.01, action: { kind: "drop", when: "after" } },
  { match: { path: "/documents/events" }, probability: 0.01, action: { kind: "status", status: 503, when: "before" } },
  { match: { path: "/documents/{documentId}/events" }, probability: 0.01, action: { kind: "drop", when: "after" } },
  {
    match: { path: "/documents/{documentId}/events" },
    probability: 0.01,
    action: { kind: "status", status: 503, when: "before" },
  },
];

const isoTime = (text: string): string => {
  const [, day, month, year, time] = /^(\d\d)\/(\d\d)\/(\d{4}) (.*)$/.exec(text) ?? [];
  return `${year}-${month}-${day}T${time}:00-03:00`;
};

/** As one writes it in an afternoon: no batches, no keys, five tries of whatever was not answered with 2xx. */
async function naive([file = "", baseUrl = "", tokenUrl = ""]: string[]) {
  const token = await fetch(tokenUrl, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox",
  });
  const { access_token: access } = (await token.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access}`, "content-type": "application/json" };
  let failed = 0;
  let next = performance.now();
  const post = async (path: string, body: JsonObject): Promise<{ [name: string]: string } | null> => {
    for (let attempt = 0; attempt < 5; attempt++) {
      next = Math.max(next + 1000 / RATE, performance.now());
      await wait(Math.max(0, next - performance.now()));
      try {
        const answer = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
        if (answer.ok) return (await answer.json()) as { [name: string]: string };
      } catch {
        // Tried again.
      }
    }
    failed += 1;
    return null;
  };
  const parties = new Map<string, JsonObject>();
  const documents = new Map<string, string>();
  const rows = createReadStream(file).pipe(parse({ delimiter: ";", columns: true }));
  for await (const row of rows as AsyncIterable<Record<string, string>>) {
    const taxId = row["CNPJ Gerador"] ?? "";
    let party = parties.get(taxId);
    if (party === undefined) {
      const data = { countryCode: "BR", taxIdType: "CNPJ", taxId, name: row["Gerador"] ?? "", type: "COMPANY" };
      const participantId = (await post("/participants", data))?.["id"] ?? "";
      const place = { name: "Matriz", street: row["Rua"] ?? "", number: row["Número"] ?? "" };
      const town = { city: row["Cidade"] ?? "", countryState: "SP", countryCode: "BR" };
      const address = await post(`/participants/${participantId}/addresses`, { ...place, ...town });
      party = { participantId, addressId: address?.["id"] ?? "" };
      parties.set(taxId, party);
    }
    const event = {
      name: "Weighing",
      externalCreatedAt: isoTime(row["Data Pesagem"] ?? ""),
      isPublic: true,
      ...party,
      metadata: { attributes: [{ name: "Ticket", value: row["Ticket"] ?? "", isPublic: true }] },
    };
    const key = row["MTR"] ?? "";
    const documentId = documents.get(key);
    if (documentId !== undefined) await post(`/documents/${documentId}/events`, event);
    else {
      const document = { externalId: key, category: "MassID", ...party };
      const created = await post("/documents/events", { document, events: [event] });
      if (created?.["documentId"] !== undefined) documents.set(key, created["documentId"]);
    }
  }
  return { failed };
}

async function compare(folder: string, rows: number): Promise<void> {
  const mapping = await writeMapping(folder);
  const file = join(folder, "peers.csv");
  await writeManifests(file, 0, rows);
  const documents = Math.ceil(rows / 10);
  const report = async (name: string, run: (service: Service) => Promise<{ seconds: number; told: string }>) => {
    const service = await startService({ rate: RATE, burst: BURST, faults: FAULTS });
    try {
      const { seconds, told } = await run(service);
      const { requests, events, tickets, documents: made, rateLimited } = await service.counts();
      console.log(
        `     ${name}: ${requests} requests, ${seconds.toFixed(1)} s; missing events ${rows - tickets}, doubled events ${events - tickets}, ` +
          `documents beyond one each ${Math.max(0, made - documents)}, 429s ${rateLimited}; ${told}`,
      );
    } finally {
      service.stop();
    }
  };
  console.log(
    `${rows} rows, ${documents} documents, limit ${RATE}/s, 2% faults (1% answers lost after the work, 1% 503)`,
  );
  await report("a naive script", async ({ baseUrl, tokenUrl }) => {
    const run = await measure(import.meta.filename, "naive", [file, baseUrl, tokenUrl]);
    const { failed } = run.result as { failed: number };
    return { seconds: run.milliseconds / 1000, told: `it told of ${failed} failures` };
  });
  await report("rowferry", async ({ baseUrl, tokenUrl }) => {
    const args = [join(folder, "peers.db"), mapping, file, baseUrl, tokenUrl, String(RATE)];
    const run = await measure(join(import.meta.dirname, "import.ts"), "import", args);
    const { events, exitCode } = run.result as unknown as Pick<Summary, "events" | "exitCode">;
    return { seconds: run.milliseconds / 1000, told: `exit code ${exitCode}, events ${JSON.stringify(events)}` };
  });
}

async function loading(folder: string, rows: number): Promise<void> {
  if (spawnSync("sqlite3", ["--version"]).status !== 0) return console.log("     sqlite3 is not there: not compared");
  const mapping = await writeMapping(folder);
  const file = join(folder, "load.csv");
  await writeManifests(file, 0, rows);
  const script = [".mode csv", ".separator ;", `.import "${file}" rows`].join("\n");
  const begun = performance.now();
  const { status, stderr } = spawnSync("sqlite3", [join(folder, "load.db")], { input: script });
  if (status !== 0) throw new Error(`sqlite3 ended with ${status}: ${String(stderr)}`);
  const plain = performance.now() - begun;
  const run = await measure(join(import.meta.dirname, "stage.ts"), "stage", [join(folder, "staged.db"), mapping, file]);
  console.log(
    `     staging ${rows.toLocaleString("en")} rows ${(run.milliseconds / 1000).toFixed(2)} s = ${(run.milliseconds / plain).toFixed(2)} × ` +
      `sqlite3 .import (${(plain / 1000).toFixed(2)} s), which maps, checks and plans nothing`,
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rows: { type: "string", default: "4000" }, "import-rows": { type: "string", default: "200000" } },
  });
  await withTemporaryFolder(async (folder) => {
    await compare(folder, Number(values.rows));
    await loading(folder, Number(values["import-rows"]));
  });
}

const contenders = { naive };
const [first] = process.argv.slice(2);
await (first !== undefined && first in contenders ? runContender(contenders, process.argv.slice(2)) : main());
