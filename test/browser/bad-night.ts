/** A bad night, made up: 212 rows over 40 documents with seven causes, among rows that are right. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mapping } from "../support/mapping.js";
import { startRowferry, type Rowferry } from "../processes/processes.js";
import { type Folder, folder } from "./console.js";

/** What a person types for each text that is wrong, by column. */
export const right: { [column: string]: { [wrong: string]: string } } = {
  Gross: {
    "12O0": "1200",
    "1O50": "1050",
    "98O": "980",
    "2O00": "2000",
    "s/ pesagem": "1000",
    "?": "1001",
    "n/d": "1002",
    "ver ticket": "1003",
    "--": "1004",
    aprox: "1005",
    "mil e cem": "1100",
    ok: "1006",
    falta: "1007",
  },
  Carrier: { "11222333000182": "11222333000181", "11444777000160": "11444777000161" },
  State: { XX: "SP", Sampa: "SP", "R.J": "RJ" },
  At: {
    "31/02/2026 10:00": "28/02/2026 10:00",
    "30/02/2026 10:00": "28/02/2026 11:00",
    "29/02/2026 10:00": "28/02/2026 12:00",
  },
  Public: { talvez: "sim", "?": "sim" },
  Event: { Pesagm: "Pesagem", Pesajem: "Pesagem" },
  Class: { III: "II", IV: "II" },
};

const yaml = {
  namespace: "night",
  defaults: { timezone: "UTC", country: "BR", decimal: ",", dates: ["dd/MM/yyyy HH:mm"] },
  inputs: {
    loads: {
      columns: {
        load: "Load",
        event: "Event",
        at: { header: "At", as: "timestamp" },
        ticket: "Ticket",
        gross: { header: "Gross", as: "number" },
        carrier_id: { header: "Carrier", as: "taxId" },
        state: { header: "State", as: "state" },
        public: { header: "Public", as: "boolean" },
        class: { header: "Class", oneOf: ["I", "II"] },
      },
      participants: { carrier: { taxId: "=carrier_id", name: "Carrier", type: "COMPANY" } },
      addresses: {
        yard: {
          participant: "carrier",
          name: "Yard",
          street: "Rua",
          number: "1",
          city: "Santos",
          countryState: "=state",
        },
      },
      documents: { load: { key: "=load", participant: "carrier", address: "yard", fields: { category: "MassID" } } },
      events: {
        weighing: {
          by: "event",
          is: ["Pesagem"],
          name: "Weighing",
          key: "=ticket",
          externalCreatedAt: "=at",
          isPublic: "=public",
          attributes: { public: { Gross: "=gross" }, private: { Class: "=class" } },
        },
      },
    },
  },
};

const header = ["Load", "Event", "At", "Ticket", "Gross", "Carrier", "State", "Public", "Class"];

export function badNight(): Folder {
  const rows: string[][] = [];
  let ticket = 0;
  const row = (load: number, change: { [column: string]: string } = {}) => {
    ticket += 1;
    const minute = String(ticket % 60).padStart(2, "0");
    const hour = String(Math.floor(ticket / 60) % 24).padStart(2, "0");
    const cells: { [column: string]: string } = {
      Load: `L${load}`,
      Event: "Pesagem",
      At: `01/03/2026 ${hour}:${minute}`,
      Ticket: String(ticket),
      Gross: "1000",
      Carrier: "11222333000181",
      State: "SP",
      Public: "sim",
      Class: "I",
      ...change,
    };
    rows.push(header.map((name) => cells[name] ?? ""));
  };
  const wrong = Object.entries(right).flatMap(([column, texts]) =>
    Object.keys(texts).map((text) => [column, text] as const),
  );
  for (let at = 0; at < 212; at += 1) {
    const [column = "", text = ""] = wrong[at % wrong.length] ?? [];
    row(at % 40, { [column]: text });
    if (at % 3 === 0) row(40 + (at % 20));
  }
  const csv = [header, ...rows].map((cells) => cells.join(";")).join("\n");
  return folder({ "night.yaml": mapping(yaml), "night.csv": `${csv}\n` });
}

const isRight = /;Pesagem;01.03.*;1000;11222333000181;SP;sim;I$/;

/** The header, and the rows that are right. */
export function rightRows(at: Folder): string[] {
  const [names = "", ...rows] = readFileSync(join(at.path, "night.csv"), "utf8").split("\n");
  return [names, ...rows.filter((line) => isRight.test(line))];
}

/** An import beside the console that takes more than a minute: once it has been seen, a signal ends it. */
export function longImport(at: Folder): Rowferry {
  const [names, row = ""] = rightRows(at);
  const many = Array.from({ length: 400 }, (_, index) => row.replace(/^L\d+/, `M${index}`));
  writeFileSync(join(at.path, "more.csv"), `${[names, ...many].join("\n")}\n`);
  const argv = ["import", "night.yaml", "more.csv", "--rate", "5", "--burst", "5"];
  return startRowferry(argv, { cwd: at.path, env: {} });
}
