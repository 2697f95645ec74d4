/**
 * What the benchmarks import: a made export of waste manifests (25 columns, ten events a document, documents interleaved as
 * in an export by date), its mapping, a target, and the way from there into a ledger.
 */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LedgerDatabase } from "../src/ledger/open-ledger.js";
import { forgetLandedCells } from "../src/ledger/stage/row-cells.js";
import { makeCnpj } from "../scripts/fixtures/tax-ids.js";
import { inTransaction } from "../src/ledger/ledger-database.js";
import { loadMapping } from "../src/map/load-mapping.js";
import { systemClock } from "../src/model/clock.js";
import type { RowCounts } from "../src/model/summary.js";
import type { Target } from "../src/model/target.js";
import { forecast } from "../src/run/forecast.js";
import type { Later } from "../src/run/closing.js";
import { openSession, type Session } from "../src/run/session.js";
import { stageFiles } from "../src/run/stage.js";
import { seededRandom } from "../src/sandbox/clock.js";

export const EVENTS_A_DOCUMENT = 10;
/** So many documents take turns, row by row. */
const INTERLEAVED = 20;
const GENERATORS = 50;

const HEADER = [
  "MTR",
  "Ticket",
  "Data Pesagem",
  "CNPJ Gerador",
  "Gerador",
  "Rua",
  "Número",
  "Cidade",
  "UF",
  "Emissão",
  "Placa",
  "Motorista",
  "Peso Bruto",
  "Tara",
  "Resíduo",
  "Classe",
  "Acondicionamento",
  "Tratamento",
  "Transportador",
  "Destinador",
  "Nota Fiscal",
  "Lacre",
  "Balança",
  "Turno",
  "Observação",
];

const MAPPING = `
version: 2
namespace: bench
defaults: { timezone: America/Sao_Paulo, decimal: ",", dates: ["dd/MM/yyyy HH:mm"], country: BR, blank: ["", "-"] }
inputs:
  manifests:
    files: "*.csv"
    csv: { delimiter: ";" }
    columns:
      mtr: MTR
      issued: { header: Emissão, as: timestamp }
      generator_id: { header: CNPJ Gerador, as: taxId, type: CNPJ }
      generator: Gerador
      street: Rua
      number: { header: Número, default: S/N }
      city: Cidade
      state: { header: UF, as: state }
      ticket: Ticket
      at: { header: Data Pesagem, as: timestamp }
      plate: Placa
      driver: Motorista
      gross: { header: Peso Bruto, as: number }
      tare: { header: Tara, as: number }
      waste: Resíduo
    participants:
      generator: { type: COMPANY, taxId: =generator_id, name: =generator }
    addresses:
      origin: { participant: generator, name: Matriz, street: =street, number: =number, city: =city, countryState: =state }
    documents:
      manifest:
        key: =mtr
        participant: generator
        address: origin
        fields: { category: MassID, externalCreatedAt: =issued }
    events:
      weighing:
        name: Weighing
        key: =ticket
        externalCreatedAt: =at
        isPublic: true
        attributes:
          private: { Vehicle License Plate: =plate, Driver: =driver }
          public: { Gross Weight: =gross, Tare: =tare, Waste: =waste, Ticket: =ticket }
`;

const CNPJS = Array.from({ length: GENERATORS }, (_, index) => makeCnpj(String(11_222_000 + index)));
const CITIES = ["São José dos Campos", "Campinas", "Ribeirão Preto", "Jundiaí", "Santo André"];
const WASTES = ["Papelão", "Óleo lubrificante usado", "Sucata metálica", "Resíduo orgânico", "Vidro"];
const START = Date.UTC(2025, 0, 1);

const two = (number: number): string => String(number).padStart(2, "0");
function localTime(ms: number): string {
  const date = new Date(ms);
  return `${two(date.getUTCDate())}/${two(date.getUTCMonth() + 1)}/${date.getUTCFullYear()} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
}

/** Row `index`, counting from 0, of the one endless export: the same for whoever asks. */
export function manifestRow(index: number, random: () => number): string {
  const block = Math.floor(index / (INTERLEAVED * EVENTS_A_DOCUMENT));
  const document = block * INTERLEAVED + (index % INTERLEAVED);
  const turn = Math.floor((index % (INTERLEAVED * EVENTS_A_DOCUMENT)) / INTERLEAVED);
  const generator = document % GENERATORS;
  const day = START + (block % 300) * 86_400_000;
  const gross = 5000 + Math.floor(random() * 20_000);
  const cells = [
    `MTR${100_000_000 + document}`,
    `T${index}`,
    localTime(day + (8 + turn) * 3_600_000),
    CNPJS[generator],
    `Indústria e Comércio ${generator} Ltda`,
    `Avenida das Nações ${generator * 7}`,
    String(100 + generator),
    CITIES[generator % CITIES.length],
    "SP",
    localTime(day),
    `ABC${1 + (document % 9)}D${two(document % 100)}`,
    `Motorista ${document % 400}`,
    `${Math.floor(gross / 1000)}.${String(gross % 1000).padStart(3, "0")},${index % 10}`,
    `${4 + (document % 3)}.500,0`,
    WASTES[document % WASTES.length],
    ["I", "II A", "II B"][document % 3],
    "Caçamba",
    "Reciclagem",
    "Transportes Rápidos S.A.",
    "Aterro Norte",
    String(700_000 + document),
    Math.floor(random() * 1e9).toString(36),
    `B${index % 4}`,
    turn < 5 ? "manhã" : "tarde",
    index % 9 === 0 ? "conferido no portão" : "",
  ];
  return `${cells.join(";")}\n`;
}

/** Rows `from` to `to` (not included) of the export, with a header. */
export async function writeManifests(path: string, from: number, to: number): Promise<void> {
  const random = seededRandom(from + 1);
  const out = createWriteStream(path);
  out.write(`${HEADER.join(";")}\n`);
  let text = "";
  for (let index = from; index < to; index++) {
    text += manifestRow(index, random);
    if (text.length < 65_536) continue;
    if (!out.write(text)) await once(out, "drain");
    text = "";
  }
  out.end(text);
  await once(out, "close");
}

export async function writeMapping(folder: string): Promise<string> {
  const path = join(folder, "manifests.yaml");
  await writeFile(path, MAPPING);
  return path;
}

/** A ledger belongs to one address; a benchmark that sends what another process staged names it here. */
export const SERVICE_VARIABLE = "ROWFERRY_BENCH_SERVICE";
const NOWHERE = "http://127.0.0.1:9";

/** With it, a command opens the ledger of `benchTarget`. */
export const BENCH_ENVIRONMENT = {
  ROWFERRY_BASE_URL: NOWHERE,
  ROWFERRY_TOKEN_URL: `${NOWHERE}/oauth/token`,
  ROWFERRY_CLIENT_ID: "sandbox",
  ROWFERRY_CLIENT_SECRET: "sandbox",
};

/** A target whose ledger is `ledgerPath`; its service is nowhere unless told. */
export function benchTarget(ledgerPath: string, more: Partial<Target> = {}): Target {
  const service = process.env[SERVICE_VARIABLE] ?? NOWHERE;
  return {
    name: "bench",
    baseUrl: service,
    tokenUrl: `${service}/oauth/token`,
    clientId: "sandbox",
    clientSecret: () => "sandbox",
    scope: null,
    clientAuthentication: "basic",
    rate: 20,
    burst: 30,
    throttle: null,
    maxEventsPerRequest: 100,
    maxRequestBytes: 1024 * 1024,
    requestIdHeaders: [],
    ledgerPath,
    stateFolder: `${ledgerPath}.state`,
    ...more,
  };
}

/** Calls nobody; what it stages stays, as an import's does. */
export async function offlineSession(ledgerPath: string): Promise<Session & { close: () => Promise<void> }> {
  const steps: Parameters<Later>[0][] = [];
  const options = {
    target: benchTarget(ledgerPath),
    clock: systemClock,
    random: Math.random,
    signal: new AbortController().signal,
    observe: () => undefined,
    waitForLock: false,
    fresh: false,
    offline: true,
  };
  const session = await openSession("bench", null, options, (step) => void steps.push(step));
  session.database.exec("COMMIT");
  const close = async () => {
    for (const step of steps.toReversed()) await step();
  };
  return Object.assign(session, { close });
}

export interface Staged {
  rows: RowCounts;
  planned: Awaited<ReturnType<typeof forecast>>;
  /** Of each part, in ms. */
  staging: number;
  planning: number;
}

/** Reads, maps, validates, keys, stores durably and plans: what an import does before its first request. */
export async function stageAndPlan(session: Session, mappingPath: string, files: string[]): Promise<Staged> {
  const mapping = await loadMapping(mappingPath);
  const begun = performance.now();
  const inputs = await inTransaction(session.database, "COMMIT", () => stageFiles(session, mapping, files));
  const staged = performance.now();
  const planned = await forecast(session);
  const rows: RowCounts = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
  for (const input of inputs) for (const name of Object.keys(rows) as (keyof RowCounts)[]) rows[name] += input[name];
  return { rows, planned, staging: staged - begun, planning: performance.now() - staged };
}

/** Everything staged is on the service's timelines, as if it had been sent: in SQL, for there is no time to send it. */
export function landEverything(database: LedgerDatabase): void {
  const now = systemClock.now();
  database.exec(`BEGIN;
    UPDATE registrations SET state = 'registered', origin = 'found', service_id = lower(hex(randomblob(16))), changed_at = ${now}
      WHERE state = 'planned';
    INSERT INTO document_states (document_id, state, service_id, last_at, changed_at)
      SELECT d.id, 'open', lower(hex(randomblob(16))), (SELECT max(at) FROM events WHERE document_id = d.id), ${now}
      FROM documents d WHERE d.id NOT IN (SELECT document_id FROM document_states);
    INSERT INTO event_states (document_id, event_id, state, service_event_id, changed_at)
      SELECT e.document_id, e.id, 'landed', lower(hex(randomblob(16))), ${now} FROM events e WHERE NOT EXISTS (
        SELECT 1 FROM event_states s WHERE s.document_id = e.document_id AND s.event_id = e.id) ORDER BY e.document_id, e.id;
    DELETE FROM open_documents;
    COMMIT;`);
  forgetLandedCells(database);
}

/** Of the file as it would be after a checkpoint, free pages not counted. */
export function ledgerBytes(database: LedgerDatabase): number {
  const pragma = (name: string) => database.pragma(name, { simple: true }) as number;
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
}

/** Bytes of the events as they are sent: what is stored, and the members that are added to it on the way. */
export function payloadBytes(database: LedgerDatabase): number {
  const added = JSON.stringify({
    externalCreatedAt: new Date(START).toISOString(),
    deduplicationId: `rf1-${"0".repeat(40)}`,
    participantId: "0".repeat(36),
    addressId: "0".repeat(36),
  });
  const sum = database.prepare<[], number>("SELECT sum(octet_length(payload)) FROM events").pluck().get() ?? 0;
  const events = database.prepare<[], number>("SELECT count(*) FROM events").pluck().get() ?? 0;
  return sum + events * (added.length - 1);
}
