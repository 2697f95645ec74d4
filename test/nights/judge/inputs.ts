/** What is imported before the judge, and what must then stand on the timelines, worked out without Rowferry's reader. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import { chance } from "./personality.js";

export interface ExpectedEvent {
  name: string;
  at: number;
  by: "caller" | "mirror";
}

export interface Input {
  args: string[];
  /** By external id, in order of time. */
  timelines: Map<string, ExpectedEvent[]>;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));

const columns = [
  "Crate",
  "Step",
  "When",
  "Visitor",
  "EIN",
  "Site",
  "Street",
  "Owner",
  "Owner EIN",
  "Owner Street",
  "Other",
  "Note",
];
const ein = (number: number) => `12-${String(3_456_000 + number * 7)}`;
const rank = (name: string) => (name === "CANCEL" ? 2 : name === "CLOSE" ? 1 : 0);

/**
 * `count` crates of four to seven steps; most are closed, some related to the crate before them, some cancelled. Rows
 * come in any order.
 */
export function crates(folder: string, count: number, seed: number, linkTime: "event" | "server"): Input {
  const rows: string[][] = [];
  const timelines = new Map<string, ExpectedEvent[]>();
  const start = Date.parse("2025-06-02T08:00:00Z");

  function step(crate: number, name: string, at: number, other = "", note = "") {
    const key = `CR-${crate}`;
    const visitor = Math.floor(chance(`${seed} ${key} ${name} visitor`) * 6);
    const owner = crate % 4;
    const when = new Date(at).toISOString().slice(0, 19).replace("T", " ");
    rows.push([
      key,
      name,
      when,
      `Visitor ${visitor} & Sons`,
      ein(visitor),
      `Site ${visitor}`,
      `${visitor}, Rue d'Été`,
      `Owner ${owner}`,
      ein(100 + owner),
      `Owner Street ${owner}`,
      other,
      note,
    ]); // prettier-ignore
    const list = timelines.get(key) ?? [];
    timelines.set(key, list);
    list.push({ name, at, by: "caller" });
    if (name !== "RELATED") return;
    const mirrored = timelines.get(other) ?? [];
    timelines.set(other, mirrored);
    mirrored.push({ name, at, by: "mirror" });
  }

  for (let crate = 1; crate <= count; crate++) {
    const steps = 3 + Math.floor(chance(`${seed} ${crate} steps`) * 4);
    const begin = start + crate * 60_000;
    for (let index = 0; index < steps; index++) {
      // Now and then two steps at one instant.
      const at = begin + Math.floor(index / (crate % 3 === 0 ? 2 : 1)) * 3_600_000;
      step(crate, `Step ${index + 1}`, at, "", crate % 5 === 0 ? `line one\n"two", ${index}` : `n${index}`);
    }
    const end = begin + 8 * 3_600_000;
    if (crate % 4 === 2) step(crate, "RELATED", begin + 2 * 3_600_000 + 30_000, `CR-${crate - 1}`);
    if (crate % 2 === 0) step(crate, "CLOSE", end);
    if (crate % 7 === 0) step(crate, "CANCEL", end + 60_000, "", "Wrong crate");
  }
  for (const list of timelines.values()) list.sort((a, b) => a.at - b.at || rank(a.name) - rank(b.name));
  const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const shuffled = rows.toSorted((a, b) => chance(`${seed} ${a.join()}`) - chance(`${seed} ${b.join()}`));
  const file = join(folder, "crates.csv");
  writeFileSync(file, [columns, ...shuffled].map((row) => `${row.map(quoted).join(",")}\n`).join(""));
  const mapping = join(folder, "crates.yaml");
  const settings = `settings: { linkTime: ${linkTime} }\n`;
  writeFileSync(mapping, settings + readFileSync(join(root, "test/nights/judge/crates.yaml"), "utf8"));
  return {
    args: [mapping, file],
    timelines,
  };
}

interface ManifestRow {
  MTR: string;
  Situação: string;
  Evento: string;
  "Data/Hora": string;
}

/** `fixtures/manifests`. */
export function manifests(): Input {
  const path = "fixtures/manifests/manifests-2025-09.csv";
  const text = readFileSync(join(root, path)).toString("latin1");
  const rows = parse<ManifestRow>(text, { delimiter: ";", columns: true, relax_column_count: true });
  const timelines = new Map<string, ExpectedEvent[]>();
  for (const record of rows) {
    if (record.Situação === "Rascunho") continue;
    const [, day, month, year, hour, minute] =
      /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d)$/.exec(record["Data/Hora"]) ?? [];
    // São Paulo keeps no summer time in 2025.
    const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00-03:00`);
    const list = timelines.get(record.MTR) ?? [];
    timelines.set(record.MTR, list);
    list.push({ name: record.Evento, at, by: "caller" });
  }
  for (const list of timelines.values()) list.sort((a, b) => a.at - b.at || rank(a.name) - rank(b.name));
  return {
    args: [join(root, "mappings/manifests.yaml"), join(root, path)],
    timelines,
  };
}
