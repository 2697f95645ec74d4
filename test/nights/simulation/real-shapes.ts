/**
 * Nights of real shape: thousands of rows, with a document that has a quarter of all events or thousands that are linked to one,
 * read from CSV or typed workbooks through a mapping with groups and a lookup; files come back (A, B, A, C), and people type
 * commands beside the running import.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultRule, seededRandom } from "../../../src/sandbox/index.js";
import { textCell, writeWorkbook } from "../../support/read/write-workbook.js";
import { mapping } from "../../support/mapping.js";
import type { Beside, Step, Story, StoryRow } from "./story.js";
import { drawing, type EventRow, START } from "./story-rows.js";

type Random = ReturnType<typeof seededRandom>;

/** Of a night drawn like any other the service, the mapping's choices and what goes wrong stay; rows and files are other ones. */
export function drawRealShape(story: Story, count: number, random: Random, drawFaults: () => FaultRule[]): void {
  const { upTo, chance, pick, shuffled } = drawing(random);
  story.files = pick(["csv", "csv", "xlsx"]);
  story.maxEventsPerRequest = pick([10, 100, 100]);
  story.sandbox.maxEvents = null;
  const first = shuffled(pick([skewedRows, linkedRows, scatteredRows])(count, random));
  const steps: Step[] = [];
  const add = (file: string, rows: StoryRow[]) => {
    const kill = chance(0.4) ? { request: upTo(60), when: pick(["before", "after"] as const) } : null;
    const faults = chance(0.4) ? drawFaults() : [];
    const beside = Array.from(
      { length: chance(0.5) ? upTo(3) : 0 },
      (): Beside => ({
        request: upTo(50),
        command: pick(["plan", "status", "show", "dismiss", "resolve"]),
      }),
    );
    steps.push({ do: "import", file, rows, faults, kill, beside });
  };
  add("A", first);
  if (chance(0.5)) {
    add(
      "B",
      first.map((row) =>
        row.is === "event" && row.weight !== undefined && chance(0.01) ? { ...row, weight: "77" } : row,
      ),
    );
    if (chance(0.6)) add("A", first);
  }
  if (chance(0.5)) add("C", [...first.map((row) => mended(row)), ...laterRows(first, random)]);
  if (chance(0.3)) steps.push({ do: "wait", minutes: 1440 });
  if (chance(0.3)) steps.push({ do: "resolve" });
  if (chance(0.3)) steps.push({ do: "dismiss" });
  if (chance(0.5)) steps.push({ do: "resume", faults: drawFaults(), kill: null });
  if (chance(0.5)) steps.push({ do: "resolve" });
  story.steps = steps;
}

const mended = (row: StoryRow): StoryRow =>
  row.is === "event"
    ? row
    : { is: "event", row: 0, document: row.document ?? "", minute: row.minute ?? 50, key: row.key ?? "", weight: "5" };

/** What the next export has more: later events of the documents that are there. */
function laterRows(rows: readonly StoryRow[], random: Random): StoryRow[] {
  const documents = [
    ...new Set(rows.flatMap((row) => (row.is === "event" && row.onTarget !== true ? [row.document] : []))),
  ];
  return documents
    .filter(() => random() < 0.2)
    .map((document) => ({
      is: "event",
      row: 0,
      document,
      minute: 200_000 + Math.floor(random() * 500),
      key: "later",
      weight: "3",
    }));
}

/** As real data is: one document with a quarter of all events, some twenty on each of the others; a few rows cannot be read. */
function skewedRows(count: number, random: Random): StoryRow[] {
  const others = Math.max(1, Math.floor((count * 0.75) / 20));
  return Array.from({ length: count }, (_, index) => {
    const document = index % 4 === 0 ? "A" : `D${index % others}`;
    return ordinary(document, index, random);
  });
}

function ordinary(document: string, index: number, random: Random): StoryRow {
  const minute = 1 + Math.floor(random() * 100_000);
  const key = `k${index}`;
  if (random() < 0.0005) {
    return { is: "invalid", row: 0, document, minute: random() < 0.7 ? minute : null, event: "weighing", key };
  }
  const row: StoryRow = { is: "event", row: 0, document, minute, key, weight: String(1 + (index % 90)) };
  if (random() < 0.2) row.parts = 2 + Math.floor(random() * 2);
  if (random() < 0.3) row.street = "Rua B";
  if (random() < 0.001) row.propagate = true;
  return row;
}

/** Thousands of documents that are linked to one, which has events of its own. */
function linkedRows(count: number, random: Random): StoryRow[] {
  const bidirectional = random() < 0.5;
  return Array.from({ length: count }, (_, index) => {
    if (index % 3 === 0) return ordinary("C", index, random);
    const document = `D${index - (index % 3)}`;
    if (index % 3 === 1) return ordinary(document, index, random);
    const minute = 1 + Math.floor(random() * 100_000);
    const related = { document: "C", bidirectional };
    return { is: "event", row: 0, document, minute, key: `k${index}`, name: "RELATED", related };
  });
}

/** Many small documents: links both ways among neighbours, targets with rows of their own, CLOSE and CANCEL. */
function scatteredRows(count: number, random: Random): StoryRow[] {
  const rows: StoryRow[] = [];
  for (let index = 0; rows.length < count; index += 1) {
    const number = index % Math.ceil(count / 6);
    const document = `D${number}`;
    const row = ordinary(document, index, random);
    rows.push(row);
    if (row.is === "invalid") continue;
    const what = random();
    if (what < 0.1) {
      delete row.weight;
      delete row.parts;
      row.name = "RELATED";
      row.related = {
        document: `D${Math.max(0, number - 1 - Math.floor(random() * 3))}`,
        bidirectional: random() < 0.6,
      };
      if (row.related.document === document) row.related.document = `D${number + 1}`;
    } else if (what < 0.13) {
      row.target = `T-${index}`;
      delete row.propagate;
      const later = row.minute + 1 + Math.floor(random() * 1000);
      rows.push({ is: "event", row: 0, document: row.target, minute: later, key: "t", onTarget: true, weight: "2" });
    } else if (what < 0.15) Object.assign(row, { name: "CLOSE", minute: 150_000, parts: 1, propagate: false });
    else if (what < 0.155)
      Object.assign(row, { name: "CANCEL", reason: "wrong", minute: 160_000, parts: 1, propagate: false });
  }
  return rows;
}

/** How many rows of its file this one takes. */
export const partsOf = (row: StoryRow): number => (row.is === "event" ? (row.parts ?? 1) : 1);

const parties = {
  participants: { company: { taxId: "=company", name: "Company", type: "COMPANY" } },
  addresses: {
    origin: {
      participant: "company",
      name: "Matriz",
      street: "=tables.plants[plant].street",
      number: "1",
      city: "Campinas",
      countryState: "SP",
    },
  },
};
const weight = { attributes: { public: { Weight: "=sum(weight)" } } };

const realMapping = (settings: object) =>
  mapping({
    namespace: "story",
    defaults: { timezone: "UTC", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
    settings,
    tables: { plants: { file: "plants.csv", key: "Plant", columns: { street: "Street" } } },
    columns: {
      document: "Document",
      what: "What",
      at: { header: "At", as: "timestamp" },
      key: "Key",
      company: { header: "Company", as: "taxId" },
      plant: "Plant",
      weight: { header: "Weight", as: "number" },
      other: "Other",
    },
    inputs: {
      rows: {
        group: ["=document", "=what", "=key"],
        ...parties,
        documents: {
          manifest: {
            when: '=what != "arrived"',
            key: "=document",
            participant: "company",
            address: "origin",
            externalId: "=document",
            fields: { category: "MassID" },
          },
          batch: { when: '=what == "arrived"', mode: "existing", key: "=document" },
        },
        events: {
          defaults: {
            by: "what",
            document: "manifest",
            key: "=key",
            externalCreatedAt: "=at",
            isPublic: true,
            participant: "company",
            address: "origin",
          },
          weighing: { is: "weighing", name: "Weighing", ...weight },
          copied: { is: "copied", name: "Weighing", propagateEvent: true, ...weight },
          arrived: { is: "arrived", document: "batch", name: "Weighing", ...weight },
          link: {
            is: "link",
            name: "RELATED",
            relatedDocument: { document: { ref: "manifest", key: "=other" }, isPublic: true },
          },
          "one-way": {
            is: "one-way",
            name: "RELATED",
            relatedDocument: { document: { ref: "manifest", key: "=other" }, bidirectional: false },
          },
          split: {
            is: "split",
            name: "Weighing",
            ...weight,
            target: {
              document: "batch",
              key: "=other",
              participant: "company",
              address: "origin",
              externalId: "=other",
              fields: { category: "Batch" },
            },
          },
          close: { is: "close", name: "CLOSE" },
          cancel: { is: "cancel", name: "CANCEL", attributes: { public: { reason: "wrong" } } },
        },
      },
    },
  });

function whatIs(row: EventRow) {
  if (row.onTarget === true) return "arrived";
  if (row.related !== undefined) return row.related.bidirectional ? "link" : "one-way";
  if (row.target !== undefined) return "split";
  if (row.name !== undefined) return row.name.toLowerCase();
  return row.propagate === true ? "copied" : "weighing";
}

interface Line {
  document: string;
  what: string;
  /** ms; null: a text that is no time. */
  at: number | null;
  key: string;
  plant: string;
  weight: string;
  other: string;
}

function linesOf(row: StoryRow): Line[] {
  if (row.is === "invalid") {
    const at = row.minute === null ? null : START + row.minute * 60_000;
    const text = at === null ? "5" : "heavy";
    return [
      { document: row.document ?? "", what: "weighing", at, key: row.key ?? "", plant: "P1", weight: text, other: "" },
    ];
  }
  const line = {
    document: row.document,
    what: whatIs(row),
    at: START + row.minute * 60_000,
    key: row.key ?? String(row.minute),
    plant: row.street === "Rua B" ? "P2" : "P1",
    weight: row.weight ?? "",
    other: row.related?.document ?? row.target ?? "",
  };
  return Array.from({ length: partsOf(row) }, () => line);
}

const HEADER = ["Document", "What", "At", "Key", "Company", "Plant", "Weight", "Other"];
const COMPANY = "11.222.333/0001-81";
const EPOCH_SERIAL = 25_569;

const csvLine = ({ document, what, at, key, plant, weight: heavy, other }: Line) => {
  const when = at === null ? "someday" : new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return [document, what, when, key, COMPANY, plant, heavy, other].join(",");
};

/** Times and numbers in typed cells. */
function sheetLine({ document, what, at, key, plant, weight: heavy, other }: Line, index: number) {
  const number = index + 2;
  const text = (column: string, value: string) => (value === "" ? "" : textCell(`${column}${number}`, value));
  const serial = at === null ? null : at / 86_400_000 + EPOCH_SERIAL;
  const time = serial === null ? text("C", "someday") : `<c r="C${number}" s="1"><v>${serial}</v></c>`;
  const weighed = heavy === "heavy" ? text("G", heavy) : heavy === "" ? "" : `<c r="G${number}"><v>${heavy}</v></c>`;
  const cells = [
    text("A", document),
    text("B", what),
    time,
    text("D", key),
    text("E", COMPANY),
    text("F", plant),
    weighed,
    text("H", other),
  ];
  return `<row r="${number}">${cells.join("")}</row>`;
}

/** Writes mapping, table and the file into the folder. */
export async function writeReal(folder: string, story: Story, name: string, rows: readonly StoryRow[]) {
  const lines = rows.flatMap(linesOf);
  const paths = { mapping: join(folder, "story.yaml"), path: join(folder, `${name}.${story.files}`) };
  writeFileSync(join(folder, "plants.csv"), "Plant,Street\nP1,Rua A\nP2,Rua B\n");
  writeFileSync(paths.mapping, realMapping(story.settings));
  if (story.files === "csv") writeFileSync(paths.path, `${HEADER.join(",")}\n${lines.map(csvLine).join("\n")}\n`);
  else {
    const header = HEADER.map((text, column) => textCell(`${String.fromCharCode(65 + column)}1`, text)).join("");
    const sheet = { name: "Rows", rows: [`<row r="1">${header}</row>`, ...lines.map(sheetLine)] };
    writeFileSync(paths.path, await writeWorkbook({ sheets: [sheet], formats: ["dd/mm/yyyy hh:mm"] }));
  }
  return paths;
}
