/**
 * What a careful engineer would write in an afternoon for the bench's export: csv-parse, p-queue and fetch, keys for
 * retries, backoff, records looked up before they are created, a checkpoint, and a file of the rows that failed. It follows
 * the service's specification as far as it reaches, and is the peer that Rowferry is held against.
 * `node afternoon.mjs <file.csv> <base url> <token url> <folder for its state> <requests a second>`
 */
import { appendFileSync, createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "csv-parse";
import PQueue from "p-queue";

const [file, baseUrl, tokenUrl, folder, rate] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const checkpoint = join(folder, "checkpoint.jsonl");
const queue = new PQueue({
  concurrency: 20,
  interval: 1000,
  intervalCap: Number(rate),
  carryoverConcurrencyCount: true,
});

let token = null;
async function authorize() {
  const response = await fetch(tokenUrl, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      authorization: `Basic ${Buffer.from("sandbox:sandbox").toString("base64")}`,
    },
    body: "grant_type=client_credentials",
  });
  return (await response.json()).access_token;
}

/** At most six tries, 1 to 30 seconds apart; answers `{ status, body }`. */
async function call(method, path, body) {
  for (let attempt = 0; ; attempt += 1) {
    const last = attempt === 5;
    try {
      const answer = await queue.add(async () => {
        token ??= authorize();
        const response = await fetch(baseUrl + path, {
          method,
          headers: { authorization: `Bearer ${await token}`, "content-type": "application/json" },
          body: body === undefined ? undefined : JSON.stringify(body),
          signal: AbortSignal.timeout(30_000),
        });
        const text = await response.text();
        return {
          status: response.status,
          body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : null,
        };
      });
      const code = answer.body?.errors?.[0]?.code;
      if (answer.status === 403 && attempt === 0) token = null;
      else if (last || !(answer.status === 429 || answer.status >= 500 || code === "PENDING_PROCESS_CONFLICT_ERROR"))
        return answer;
    } catch (error) {
      if (last) throw error;
    }
    await sleep(Math.min(30_000, 1000 * 2 ** attempt) * (0.5 + Math.random() / 2));
  }
}

const number = (text) => {
  if (!/^\d{1,3}(\.\d{3})*(,\d+)?$|^\d+(,\d+)?$/.test(text)) throw new Error(`not a number: ${text}`);
  return String(Number(text.replaceAll(".", "").replace(",", ".")));
};
const instant = (text) => {
  const [, day, month, year, time] = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d:\d\d)$/.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T${time}:00-03:00`);
  if (Number.isNaN(date.getTime())) throw new Error(`not a date: ${text}`);
  return date.toISOString();
};

const done = new Set();
const documentIds = new Map();
const ids = new Map();
if (existsSync(checkpoint))
  for (const line of readFileSync(checkpoint, "utf8").trim().split("\n")) {
    const { mtr, documentId, tickets } = JSON.parse(line);
    documentIds.set(mtr, documentId);
    for (const ticket of tickets) done.add(ticket);
  }

const documents = new Map();
const failed = [];
for await (const row of createReadStream(file).pipe(parse({ columns: true, delimiter: ";", bom: true }))) {
  if (done.has(row.Ticket)) continue;
  try {
    const at = instant(row["Data Pesagem"]);
    const entry = { row, at, gross: number(row["Peso Bruto"]), tare: number(row.Tara), issued: instant(row.Emissão) };
    documents.set(row.MTR, [...(documents.get(row.MTR) ?? []), entry]);
  } catch (error) {
    failed.push({ ticket: row.Ticket, error: error.message });
  }
}

const once = (key, make) => {
  if (!ids.has(key)) ids.set(key, make());
  return ids.get(key);
};
async function participantOf(row) {
  const taxId = row["CNPJ Gerador"].replaceAll(/\D/g, "");
  const identity = { countryCode: "BR", taxIdType: "CNPJ", taxId };
  return once(taxId, async () => {
    const found = await call("GET", `/participants?${new URLSearchParams(identity)}`);
    if (found.status === 200) return found.body.id;
    const created = await call("POST", "/participants", { ...identity, name: row.Gerador, type: "COMPANY" });
    if (created.body?.id === undefined) throw new Error(`participant ${taxId}: ${created.status}`);
    return created.body.id;
  });
}
async function addressOf(row, participantId) {
  const address = { name: "Matriz", street: row.Rua, number: row.Número, city: row.Cidade, countryState: row.UF };
  return once(`${participantId} ${address.street} ${address.number}`, async () => {
    const listed = await call("GET", `/participants/${participantId}/addresses`);
    const same = (one) => one.street === address.street && one.number === address.number && one.city === address.city;
    const found = (listed.body ?? []).find(same);
    if (found !== undefined) return found.id;
    const created = await call("POST", `/participants/${participantId}/addresses`, { ...address, countryCode: "BR" });
    if (created.body?.id === undefined) throw new Error(`address of ${participantId}: ${created.status}`);
    return created.body.id;
  });
}

async function send(mtr, entries) {
  entries.sort((a, b) => (a.at < b.at ? -1 : 1));
  const [{ row, issued }] = entries;
  const participantId = await participantOf(row);
  const addressId = await addressOf(row, participantId);
  const events = entries.map(({ row: own, at, gross, tare }) => ({
    name: "Weighing",
    externalCreatedAt: at,
    isPublic: true,
    deduplicationId: `weighing-${own.Ticket}`,
    participantId,
    addressId,
    metadata: {
      attributes: Object.entries({
        "Gross Weight": gross,
        Tare: tare,
        Waste: own.Resíduo,
        Ticket: own.Ticket,
      }).map(([name, value]) => ({ name, value, isPublic: true })),
    },
  }));
  const known = documentIds.get(mtr);
  const document = {
    category: "MassID",
    externalCreatedAt: issued,
    deduplicationId: `manifest-${mtr}`,
    participantId,
    addressId,
  };
  const answer = await call(
    "POST",
    "/documents/events",
    known == null ? { document, events } : { documentId: known, events },
  );
  const isDuplicate = answer.status === 409 && answer.body?.errors?.[0]?.code === "CONFLICT_ERROR";
  if (answer.status >= 300 && !isDuplicate) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  const tickets = entries.map(({ row: own }) => own.Ticket);
  appendFileSync(
    checkpoint,
    `${JSON.stringify({ mtr, documentId: answer.body?.documentId ?? known ?? null, tickets })}\n`,
  );
}

const work = new PQueue({ concurrency: 20 });
await work.addAll(
  [...documents].map(([mtr, entries]) => async () => {
    try {
      await send(mtr, entries);
    } catch (error) {
      failed.push(...entries.map(({ row }) => ({ ticket: row.Ticket, error: error.message })));
    }
  }),
);
writeFileSync(join(folder, "failed.json"), JSON.stringify(failed, null, 1));
console.log(`${failed.length} rows failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
