/**
 * Mapping speed: 15 mapped fields, five of them expressions, against closures written by hand for the same rows with
 * the same conversions. Goal (DESIGN section 10): at most 3 times as long. `npx tsx bench/map.ts [rows]`
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { naturalKey } from "../src/model/keys.js";
import type { Records } from "../src/model/records.js";
import type { Row } from "../src/model/row.js";
import { compileConversion, type ConvertDefaults } from "../src/map/convert/conversion.js";
import { loadMapping } from "../src/map/load-mapping.js";

const HEADER = [
  "MTR",
  "CNPJ",
  "Gerador",
  "Rua",
  "Numero",
  "Cidade",
  "UF",
  "Emissao",
  "Coleta",
  "Placa",
  "Motorista",
  "Peso Bruto",
  "Tara",
  "Ticket",
  "Residuo",
  "Classe",
  "Obs1",
  "Obs2",
  "Obs3",
  "Obs4",
  "Obs5",
  "Obs6",
  "Obs7",
  "Obs8",
  "Obs9",
];

const MAPPING = `
version: 2
namespace: bench
defaults: { timezone: America/Sao_Paulo, decimal: ",", dates: ["dd/MM/yyyy HH:mm"], country: BR, blank: ["", "-"] }
inputs:
  rows:
    columns:
      mtr: MTR
      cnpj: { header: CNPJ, as: taxId, type: CNPJ }
      generator: Gerador
      street: Rua
      number: { header: Numero, default: S/N }
      city: Cidade
      state: { header: UF, as: state }
      ticket: Ticket
      collected: { header: Coleta, as: timestamp }
      plate: Placa
      driver: { header: Motorista, default: unknown }
      gross: { header: Peso Bruto, as: number, grouping: true }
      tare: { header: Tara, as: number, grouping: true }
      net: =gross - tare
      class: Classe
      waste: Residuo
      note: Obs1
    participants:
      generator: { type: COMPANY, taxId: =cnpj, name: =generator }
    addresses:
      origin: { participant: generator, name: Matriz, street: =street, number: =number, city: =city, countryState: =state }
    documents:
      manifest: { key: =mtr, participant: generator, address: origin, fields: { category: MassID, isPublic: false } }
    events:
      pickup:
        name: Pick-up
        key: =ticket
        externalCreatedAt: =collected
        isPublic: true
        attributes:
          private: { Plate: =plate, Driver: =driver, Note: =note }
          public:
            Gross: =gross
            Net: =net
            Kind: '=iff(class == "I", "hazardous", "common")'
            Waste: '=waste + " (" + class + ")"'
            Heavy: =gross > 1000 && class != "III"
`;

/** `count` rows from the `first` on, always the same ones. */
function makeRows(first: number, count: number): Row[] {
  const plates = ["ABC1D23", "DEF4G56", "GHI7J89"];
  return Array.from({ length: count }, (_, position) => {
    const index = first + position;
    const weight = `${1 + (index % 9)}.${String(index % 1000).padStart(3, "0")},${index % 10}`;
    const day = String(1 + (index % 28)).padStart(2, "0");
    const minute = String(index % 60).padStart(2, "0");
    const generator = index % 50;
    return {
      number: index + 2,
      cells: [
        `MTR${index >> 2}`,
        "11.222.333/0001-81",
        `Gerador ${generator}`,
        `Rua das Flores ${generator}`,
        String(generator),
        "Campinas",
        "SP",
        `01/02/2026 10:00`,
        `${day}/03/2026 10:${minute}`,
        plates[index % 3] ?? "",
        index % 7 === 0 ? "" : `Motorista ${index % 40}`,
        weight,
        "500,5",
        `T${index}`,
        "Papelão",
        ["I", "II", "III"][index % 3] ?? "",
        index % 5 === 0 ? "-" : "conferido",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
      ],
      kinds: null,
      problems: null,
    };
  });
}

/** What somebody would write for exactly this file, with the same conversions and the same result. */
function handWritten(defaults: ConvertDefaults): (row: Row) => Records {
  const taxId = compileConversion({ name: "taxId", type: "CNPJ" }, defaults);
  const text = compileConversion("text", defaults);
  const state = compileConversion("state", defaults);
  const decimal = compileConversion("number", defaults);
  const timestamp = compileConversion("timestamp", defaults);
  const take = (convert: typeof text, cell: string | undefined) => {
    const trimmed = (cell ?? "").trim();
    const result = convert(trimmed === "-" ? "" : trimmed, "text");
    if ("problem" in result) throw new Error(result.problem.message);
    return result.value;
  };
  const known = new Map<string, { participant: Records["participants"][0]; address: Records["addresses"][0] }>();
  return ({ cells }) => {
    const who = `${cells[1]}|${cells[2]}|${cells[3]}|${cells[4]}|${cells[5]}|${cells[6]}`;
    let party = known.get(who);
    if (party === undefined) {
      const data = {
        countryCode: "BR",
        name: String(take(text, cells[2])),
        taxId: String(take(taxId, cells[1])),
        taxIdType: "CNPJ",
        type: "COMPANY",
      };
      const natural = naturalKey(data);
      const place = {
        city: String(take(text, cells[5])),
        countryCode: "BR",
        countryState: String(take(state, cells[6])),
        name: "Matriz",
        number: String(take(text, cells[4])) || "S/N",
        street: String(take(text, cells[3])),
      };
      party = {
        participant: { kind: "generator", alias: null, natural, data },
        address: {
          kind: "origin",
          alias: null,
          participant: { by: "natural", key: natural },
          identity: Object.values(place).join("|").toLowerCase(),
          data: place,
          extended: {},
        },
      };
      known.set(who, party);
    }
    const participant = { by: "natural" as const, key: party.participant.natural };
    const address = { by: "identity" as const, participant, identity: party.address.identity };
    const key = String(take(text, cells[0]));
    const gross = String(take(decimal, cells[11]));
    const heavy = Number(gross);
    const attributes = [
      { name: "Plate", value: String(take(text, cells[9])), isPublic: false },
      { name: "Gross", value: gross, isPublic: true },
      { name: "Net", value: String(heavy - Number(take(decimal, cells[12]))), isPublic: true },
      { name: "Kind", value: cells[15] === "I" ? "hazardous" : "common", isPublic: true },
      { name: "Waste", value: `${cells[14]} (${cells[15]})`, isPublic: true },
      { name: "Driver", value: cells[10] === "" ? "unknown" : (cells[10] ?? ""), isPublic: false },
      { name: "Heavy", value: String(heavy > 1000 && cells[15] !== "III"), isPublic: true },
    ];
    const note = take(text, cells[16]);
    if (note !== "") attributes.push({ name: "Note", value: String(note), isPublic: false });
    return {
      participants: [party.participant],
      addresses: [party.address],
      documents: [
        {
          kind: "manifest",
          key,
          mode: "create",
          documentId: null,
          participant,
          address,
          externalId: key,
          fields: { category: "MassID", isPublic: false },
          createEmpty: false,
        },
      ],
      events: [
        {
          document: { kind: "manifest", key },
          event: "pickup",
          key: { by: "fields", parts: [String(take(text, cells[13]))] },
          name: "Pick-up",
          at: Number(take(timestamp, cells[8])),
          isPublic: true,
          participant,
          address,
          attributes,
          related: null,
          target: null,
          propagate: null,
          value: undefined,
          extra: {},
        },
      ],
    };
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const count = Number(process.argv[2] ?? 100_000);
const folder = await mkdtemp(join(tmpdir(), "rowferry-bench-"));
const path = join(folder, "bench.yaml");
await writeFile(path, MAPPING);
const { inputs } = await loadMapping(path);
await rm(folder, { recursive: true });
const [input] = inputs;
if (input === undefined) throw new Error("no input");
const byHand = handWritten({ timezone: "America/Sao_Paulo", decimal: ",", dates: ["dd/MM/yyyy HH:mm"], country: "BR" });
const BATCH = 500;
const mapped: number[] = [];
const written: number[] = [];
for (let repetition = 0; repetition < 7; repetition++) {
  const mapper = input.bind(HEADER, { file: "bench.csv", sheet: null });
  let valid = 0;
  let events = 0;
  let mapping = 0;
  let hand = 0;
  // Rows come in batches, as from a reader; making them is not measured.
  for (let first = 0; first < count; first += BATCH) {
    const rows = makeRows(first, Math.min(BATCH, count - first));
    const started = performance.now();
    for (const row of mapper.map(rows)) if (row.outcome.fate === "valid") valid += row.outcome.records.events.length;
    const between = performance.now();
    for (const row of rows) events += byHand(row).events.length;
    mapping += between - started;
    hand += performance.now() - between;
  }
  mapped.push(mapping);
  written.push(hand);
  if (valid !== count || events !== count) throw new Error(`${valid} and ${events} events of ${count} rows`);
}
const perRow = (ms: number) => `${((ms * 1000) / count).toFixed(2)} µs a row`;
console.log(`mapping, ${count} rows: ${perRow(median(mapped))}`);
console.log(`by hand, ${count} rows: ${perRow(median(written))}`);
console.log(`ratio: ${(median(mapped) / median(written)).toFixed(2)} (goal: at most 3.00)`);
