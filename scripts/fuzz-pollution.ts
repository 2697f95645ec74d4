/**
 * Pollutes CSV tables in one or two ways and reads them beside their clean twins: exact, refused, told, or silent, which means that
 * a row came out wrong without a word. What changes the text within a cell is no difference: nobody can know it. `tsx scripts/fuzz-pollution.ts [--tables 5000] [--seed 1] [--show]`.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/sandbox/clock.js";
import type { Random } from "../src/model/clock.js";
import { RowferryError } from "../src/model/error.js";
import { openInput } from "../src/read/open-input.js";

interface Line {
  text: string;
  /** The row as it was before anything was done to it; null: no row (header, title, blank line). */
  cells: string[] | null;
  end: string;
  latin1?: boolean;
}

interface Made {
  header: string[];
  lines: Line[];
  delimiter: string;
  /** What was inserted into cells and stands there as text. */
  inserted: string[];
}

export type Verdict = "exact" | "refused" | "told" | "silent";

export interface PolluteResult {
  tables: number;
  verdicts: Record<Verdict, number>;
  /** Of clean tables: how many were read exact, and how many without a word. */
  clean: { tables: number; exact: number; quiet: number };
  silent: { how: string; text: string; why: string }[];
}

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const below = (random: Random, end: number) => Math.floor(random() * end);

const WORDS = [
  "Coleta",
  "Pesagem",
  "Santos",
  "Rua Dr. Arnaldo",
  "São Paulo",
  "Müller",
  "O'Brien",
  "Zoë",
  "Lote 7",
  "n/a",
  "Tubo",
  "Ação",
];
const HEADERS = [
  "id",
  "name",
  "city",
  "price",
  "date",
  "note",
  "Código",
  "Peso (kg)",
  "Data/Hora",
  "qty",
  "unit",
  "Motorista",
  "state",
];

type Column = (random: Random, row: number) => string;
const columns: Column[] = [
  (random) => pick(random, WORDS),
  (random) => `${pick(random, WORDS)} ${below(random, 90)}`,
  (random) => (random() * 5000).toFixed(2),
  (random) => (random() * 5000).toFixed(2).replace(".", ","),
  (random) => String(below(random, 10_000)),
  (random) =>
    `${String(1 + below(random, 28)).padStart(2, "0")}/${String(1 + below(random, 12)).padStart(2, "0")}/2025`,
  (random) => (random() < 0.3 ? "" : pick(random, WORDS)),
  (random) => `${pick(random, WORDS)}, ${pick(random, WORDS)}`,
  (random) => `Rua "${pick(random, WORDS)}" ${below(random, 99)}`,
  (random) => (random() < 0.1 ? `${pick(random, WORDS)}\n${pick(random, WORDS)}` : pick(random, WORDS)),
];

function makeTable(random: Random): Made {
  const width = 3 + below(random, 8);
  const delimiter = pick(random, [",", ";", "\t", "|"]);
  const quoteAll = random() < 0.25;
  const end = pick(random, ["\n", "\r\n"]);
  const kinds: Column[] = [
    (_, row) => `M${1000 + row}`,
    ...Array.from({ length: width - 1 }, () => pick(random, columns)),
  ];
  const names = HEADERS.toSorted(() => random() - 0.5).slice(0, width);
  const write = (cells: readonly string[]) =>
    cells
      .map((cell) =>
        quoteAll || /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell,
      )
      .join(delimiter);
  const rows = Array.from({ length: 4 + below(random, 40) }, (_, row) => kinds.map((kind) => kind(random, row)));
  const lines: Line[] = [
    { text: write(names), cells: null, end },
    ...rows.map((cells) => ({ text: write(cells), cells, end })),
  ];
  return { header: names, lines, delimiter, inserted: [] };
}

type Pollution = (made: Made, random: Random) => void;

/** A row's line, any but the header's. */
function rowOf({ lines }: Made, random: Random): Line {
  const rows = lines.filter(({ cells }) => cells !== null);
  return pick(random, rows.length === 0 ? lines : rows);
}

function insertInto(line: Line, what: string, random: Random): void {
  const at = below(random, line.text.length + 1);
  line.text = line.text.slice(0, at) + what + line.text.slice(at);
}

function removeOne(line: Line, what: string, random: Random): void {
  const places = line.text.split("").flatMap((character, index) => (character === what ? [index] : []));
  const at = pick(random, places);
  if (at !== undefined) line.text = line.text.slice(0, at) + line.text.slice(at + 1);
}

const insertLine = (made: Made, at: number, text: string) =>
  made.lines.splice(at, 0, { text, cells: null, end: made.lines[0]?.end ?? "\n" });

export const pollutions: Record<string, Pollution> = {
  "a delimiter too many": (made, random) => {
    insertInto(rowOf(made, random), made.delimiter, random);
    made.inserted.push(made.delimiter);
  },
  "a delimiter too many at the end": (made, random) => (rowOf(made, random).text += made.delimiter),
  "a delimiter too few": (made, random) => {
    removeOne(rowOf(made, random), made.delimiter, random);
    made.inserted.push(made.delimiter);
  },
  "another delimiter in one row": (made, random) => {
    const line = rowOf(made, random);
    line.text = line.text.replaceAll(made.delimiter, made.delimiter === ";" ? "," : ";");
  },
  "another delimiter within": (made, random) => {
    const other = pick(
      random,
      [",", ";", "|"].filter((one) => one !== made.delimiter),
    );
    insertInto(rowOf(made, random), other, random);
    made.inserted.push(other);
  },
  "a quote too many": (made, random) => {
    insertInto(rowOf(made, random), '"', random);
    made.inserted.push('"');
  },
  "a quote too few": (made, random) => removeOne(rowOf(made, random), '"', random),
  "a quote before a cell": (made, random) => {
    const line = rowOf(made, random);
    const at = pick(
      random,
      line.text
        .split("")
        .flatMap((one, index) => (one === made.delimiter ? [index + 1] : []))
        .concat(0),
    );
    line.text = `${line.text.slice(0, at)}"${line.text.slice(at)}`;
  },
  "a quote behind a cell": (made, random) => {
    const line = rowOf(made, random);
    const at = pick(
      random,
      line.text
        .split("")
        .flatMap((one, index) => (one === made.delimiter ? [index] : []))
        .concat(line.text.length),
    );
    line.text = `${line.text.slice(0, at)}"${line.text.slice(at)}`;
  },
  "an apostrophe": (made, random) => {
    insertInto(rowOf(made, random), "'", random);
    made.inserted.push("'");
  },
  "a title above": (made) => insertLine(made, 0, "Relatório de pesagens"),
  "a padded title above": (made) => insertLine(made, 0, `Relatório${made.delimiter.repeat(made.header.length - 1)}`),
  "notes above": (made) => {
    insertLine(made, 0, "");
    insertLine(made, 0, `Emitido em${made.delimiter}20/11/2025`);
    insertLine(made, 0, "Empresa ACME");
  },
  "a note below": (made) => insertLine(made, made.lines.length, "Fim do relatório"),
  "a total below": (made) =>
    insertLine(
      made,
      made.lines.length,
      ["Total", ...Array.from({ length: made.header.length - 2 }, () => ""), "1234"].join(made.delimiter),
    ),
  "a note between": (made, random) =>
    insertLine(
      made,
      2 + below(random, made.lines.length - 2),
      `Filial Santos${made.delimiter.repeat(made.header.length - 1)}`,
    ),
  "blank lines between": (made, random) => insertLine(made, 2 + below(random, made.lines.length - 2), ""),
  "the header again": (made, random) =>
    insertLine(made, 2 + below(random, made.lines.length - 2), made.lines[0]?.text ?? ""),
  "no header": (made) => void made.lines.shift(),
  "a row cut off": (made, random) => {
    const line = rowOf(made, random);
    // Within the last cell nobody can know it.
    line.text = line.text.slice(0, 1 + below(random, Math.max(1, line.text.lastIndexOf(made.delimiter))));
  },
  "the file cut off": (made, random) => {
    const line = made.lines.at(-1) as Line;
    line.text = line.text.slice(0, Math.max(1, line.text.length - 1 - below(random, 5)));
    line.end = "";
  },
  "mixed line ends": (made, random) => {
    for (const line of made.lines) if (random() < 0.3) line.end = pick(random, ["\n", "\r\n", "\r"]);
  },
  "a line end lost": (made, random) => (rowOf(made, random).end = ""),
  "a line end too many": (made, random) => {
    const line = rowOf(made, random);
    const at = 1 + below(random, Math.max(1, line.text.length - 1));
    line.text = `${line.text.slice(0, at)}\n${line.text.slice(at)}`;
    made.inserted.push("\n");
  },
  "a row in another encoding": (made, random) => (rowOf(made, random).latin1 = true),
  "a byte order mark within": (made, random) => {
    const line = rowOf(made, random);
    line.text = `\uFEFF${line.text}`;
  },
  "a NUL": (made, random) => insertInto(rowOf(made, random), "\0", random),
  "blanks behind delimiters": (made, random) => {
    for (const line of made.lines)
      if (random() < 2) line.text = line.text.replaceAll(made.delimiter, `${made.delimiter} `);
  },
};

function bytesOf({ lines }: Made): Buffer {
  return Buffer.concat(
    lines.map(({ text, end, latin1 }) => Buffer.from(text + end, latin1 === true ? "latin1" : "utf8")),
  );
}

/** Blanks around cells are no difference, nor what was inserted and is read as it stands. */
function same(cell: string, wanted: string, inserted: readonly string[]): boolean {
  const plain = (text: string) =>
    inserted
      .reduce((rest, one) => rest.replaceAll(one, ""), text)
      .replaceAll(/\s*([,;|\t]) */g, "$1")
      .trim();
  return cell.trim() === wanted.trim() || plain(cell) === plain(wanted);
}

/** What reading gives, judged by the clean twin. */
async function judge(path: string, made: Made): Promise<{ verdict: Verdict; notes: string[]; why: string }> {
  await writeFile(path, bytesOf(made));
  const input = await openInput(path);
  try {
    const table = await input.open({});
    const wanted = new Map<number, string[]>();
    let number = 1;
    for (const { text, cells, end } of made.lines) {
      if (cells !== null && !wanted.has(number)) wanted.set(number, cells);
      number += (text + end).split(/\r\n|\r|\n/).length - 1;
    }
    const wrong: string[] = [];
    let refused = 0;
    if (!table.header.every((text, index) => text === made.header[index]) || table.header.length !== made.header.length)
      wrong.push(`header ${JSON.stringify(table.header)}`);
    for await (const rows of table.rows()) {
      for (const row of rows) {
        const twin = wanted.get(row.number);
        wanted.delete(row.number);
        if (row.leftOut !== undefined) continue;
        if (row.problems !== null) refused++;
        else if (twin === undefined || !row.cells.every((cell, index) => same(cell, twin[index] ?? "", made.inserted)))
          wrong.push(`row ${row.number} ${JSON.stringify(row.cells)} for ${JSON.stringify(twin)}`);
      }
    }
    // What a row with problems swallowed is refused with it.
    if (wanted.size > 0 && refused === 0) wrong.push(`lost rows ${[...wanted.keys()].join(", ")}`);
    const verdict = wrong.length > 0 ? (table.notes.length > 0 ? "told" : "silent") : refused > 0 ? "refused" : "exact";
    return { verdict, notes: table.notes, why: wrong.slice(0, 3).join("; ") };
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    return { verdict: "refused", notes: [], why: error.code };
  } finally {
    await input.close();
  }
}

export async function pollute({ tables, seed }: { tables: number; seed: number }): Promise<PolluteResult> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-pollution-"));
  const path = join(folder, "table.csv");
  const verdicts = { exact: 0, refused: 0, told: 0, silent: 0 };
  const clean = { tables: 0, exact: 0, quiet: 0 };
  const silent: PolluteResult["silent"] = [];
  const names = Object.keys(pollutions);
  try {
    for (let index = 0; index < tables; index++) {
      const random = seededRandom(seed * 1_000_003 + index);
      const made = makeTable(random);
      if (index % 5 < 2) {
        const { verdict, notes } = await judge(path, makeTable(seededRandom(seed * 1_000_003 + index)));
        clean.tables++;
        if (verdict === "exact") clean.exact++;
        else silent.push({ how: `clean: ${verdict}`, text: bytesOf(made).toString(), why: notes.join(" ") });
        if (notes.length === 0) clean.quiet++;
      }
      const chosen = [names[index % names.length] as string, ...(random() < 0.4 ? [pick(random, names)] : [])];
      for (const name of chosen) pollutions[name]?.(made, random);
      const { verdict, why } = await judge(path, made);
      verdicts[verdict]++;
      if (verdict === "silent") silent.push({ how: chosen.join(" + "), text: bytesOf(made).toString(), why });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return { tables, verdicts, clean, silent };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      tables: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      show: { type: "boolean", default: false },
    },
  });
  const { silent, ...figures } = await pollute({ tables: Number(values.tables), seed: Number(values.seed) });
  console.log(JSON.stringify(figures));
  for (const { how, why, text } of silent) console.log(`${how}: ${why}${values.show ? `\n${text}` : ""}`);
}

if (process.argv[1] === import.meta.filename) await main();
