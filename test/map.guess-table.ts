/** Tables as a guess gets them, and the mapping file that it gives. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { GuessTable } from "../src/map/guess/guess-mapping.js";
import type { Dialect } from "../src/model/dialect.js";
import type { CellKind, Row } from "../src/model/row.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rowferry-guess-"));
});
afterAll(async () => rm(folder, { recursive: true }));

const csv: Dialect = {
  format: "csv",
  encoding: "utf-8",
  bom: false,
  delimiter: ";",
  quote: '"',
  escape: '"',
  lineEnding: "\n",
  compression: "none",
};

export function table(
  header: string[],
  rows: (string | [string, CellKind])[][],
  more: Partial<GuessTable> = {},
): GuessTable {
  const sample = rows.map(
    (cells, index): Row => ({
      number: index + 2,
      cells: cells.map((cell) => (typeof cell === "string" ? cell : cell[0])),
      kinds: cells.map((cell) => (typeof cell === "string" ? "text" : cell[1])),
      problems: null,
    }),
  );
  return { file: "data.csv", sheet: null, header, headerRow: 1, dialect: csv, sample, ...more };
}

/** The path of a mapping file, the same for every guess of a test file. */
export async function save(yaml: string): Promise<string> {
  const path = join(folder, "guessed.yaml");
  await writeFile(path, yaml);
  return path;
}

/** Three orders of two rows each; `more` are further cells by row. */
export function orders(
  more: { header: string; cells: string[] }[],
  dates = [
    "05/01/2025 08:00",
    "06/01/2025 09:30",
    "13/01/2025 10:00",
    "14/01/2025 11:00",
    "25/01/2025 08:00",
    "26/01/2025 09:00",
  ],
) {
  const cells = dates.map((date, index) => [
    `P-${Math.floor(index / 2)}`,
    index % 2 === 0 ? "Saída" : "Chegada",
    date,
    Math.floor(index / 2) === 1 ? "90.114.207/0001-80" : "11.222.333/0001-81",
    ...more.map((column) => column.cells[index] ?? ""),
  ]);
  return table(["Pedido", "Evento", "Data", "CNPJ", ...more.map(({ header }) => header)], cells);
}
