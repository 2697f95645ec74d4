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
  participants: number;
  addresses: number;
}

export const root = fileURLToPath(new URL("../../..", import.meta.url));

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

interface CrateOptions {
  fresh?: number;
  linkTime?: "event" | "server";
}

/**
 * `count` crates of four to seven steps; most are closed, some related to the crate before them, some cancelled. Rows
 * come in any order. `fresh`: a crate more, with a step at this moment of the local clock, ms since 1970.
 */
export function crates(folder: string, count: number, seed = 1, options: CrateOptions = {}): Input {
  const { fresh = null, linkTime = "event" } = options;
  const rows: string[][] = [];
  const timelines = new Map<string, ExpectedEvent[]>();
  const visitors = new Set<number>();
  const owners = new Set<number>();
  const sites = new Set<string>();
  const start = Date.parse("2025-06-02T08:00:00Z");

  function step(crate: number, name: string, at: number, other = "", note = "") {
    const key = `CR-${crate}`;
    const visitor = Math.floor(chance(`${seed} ${key} ${name} visitor`) * 6);
    const owner = crate % 4;
    visitors.add(visitor);
    owners.add(owner);
    sites.add(`${visitor}`).add(`owner ${owner}`);
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
  if (fresh !== null) {
    step(count + 1, "Step 1", start);
    step(count + 1, "Now", Math.floor(fresh / 1000) * 1000);
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
    participants: visitors.size + owners.size,
    addresses: sites.size,
  };
}

interface ManifestRow {
  MTR: string;
  Situação: string;
  Evento: string;
  "Data/Hora": string;
}

/** The line, counting from 1, in which each record begins, the header's first. */
function firstLines(text: string) {
  const lines = [1];
  let [line, isQuoted] = [1, false];
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character !== "\n") continue;
    line++;
    if (!isQuoted) lines.push(line);
  }
  return lines;
}

/** `fixtures/manifests`, or the faulty file, where the rows that begin in the lines `but`, counting from 1, are left out. */
export function manifests(
  path = "fixtures/manifests/manifests-2025-09.csv",
  but: ReadonlySet<number> = new Set(),
): Input {
  const text = readFileSync(join(root, path)).toString("latin1");
  const rows = parse<ManifestRow>(text, { delimiter: ";", columns: true, relax_column_count: true });
  const lines = firstLines(text);
  const timelines = new Map<string, ExpectedEvent[]>();
  for (const [index, record] of rows.entries()) {
    if (record.Situação === "Rascunho" || but.has(lines[index + 1] ?? 0)) continue;
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
    participants: 22,
    addresses: 26,
  };
}

/** The faulty file without its invalid rows, whose lines `expected.json` beside it names. */
export function faultyManifests(): Input {
  const folder = "fixtures/manifests-faulty";
  const { invalid } = JSON.parse(readFileSync(join(root, folder, "expected.json"), "utf8")) as {
    invalid: { row: number }[];
  };
  return manifests(`${folder}/manifests-2025-10.csv`, new Set(invalid.map(({ row }) => row)));
}
