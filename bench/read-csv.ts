/**
 * Our rows against csv-parse alone (arrays, same file); peak memory on a file of one size and of four times that.
 * `tsx bench/read-csv.ts [--rows 250000] [--columns 25] [--repetitions 5] [--long 1000000]`.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "csv-parse";
import { openInput } from "../src/read/open-input.js";
import {
  interleaved,
  measure,
  megabytes,
  figure,
  ratioFigure,
  runContender,
  withTemporaryFolder,
  writeMadeCsv,
} from "./harness.js";

const GOAL = 1.3;
const MEMORY_GOAL_BYTES = 256 * 1024 * 1024;

const contenders = {
  /** Everything that an import pays: hash, encoding, dialect, header, rows. */
  ours: async ([path = ""]: string[]) => {
    const input = await openInput(path);
    const table = await input.open({});
    let rows = 0;
    for await (const batch of table.rows()) rows += batch.length;
    await input.close();
    return rows;
  },
  /** Told the dialect, and reading nothing twice. */
  "csv-parse alone": async ([path = ""]: string[]) => {
    const parser = createReadStream(path, { highWaterMark: 128 * 1024 }).pipe(parse({ delimiter: ";" }));
    let rows = -1;
    parser.on("data", () => rows++);
    await new Promise<void>((resolve, reject) => parser.on("end", () => resolve()).on("error", reject));
    return rows;
  },
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "250000" },
      columns: { type: "string", default: "25" },
      repetitions: { type: "string", default: "5" },
      /** Rows of the file that memory is measured on; default: four times as many. 5 GB are some 21,000,000. */
      long: { type: "string" },
    },
  });
  const rows = Number(values.rows);
  const columns = Number(values.columns);
  await withTemporaryFolder(async (folder) => {
    const path = join(folder, "rows.csv");
    await writeMadeCsv(path, { rows, columns });
    const medians = await interleaved(
      import.meta.filename,
      Object.keys(contenders),
      [path],
      Number(values.repetitions),
    );
    const ours = medians.get("ours");
    const alone = medians.get("csv-parse alone");
    if (ours === undefined || alone === undefined) throw new Error("a contender is missing");
    for (const { result } of [...ours.runs, ...alone.runs]) {
      if (result !== rows) throw new Error(`${JSON.stringify(result)} rows read of ${rows}`);
    }
    console.log(
      `${rows.toLocaleString("en")} rows × ${columns} columns, CPU, median of ${values.repetitions} interleaved runs`,
    );
    ratioFigure(ours, "csv-parse alone", alone, GOAL);
    console.log(`     peak memory: ours ${megabytes(ours.peakBytes)}, csv-parse alone ${megabytes(alone.peakBytes)}`);

    const long = join(folder, "long.csv");
    await writeMadeCsv(long, { rows: Number(values.long ?? rows * 4), columns });
    const { size } = await stat(long);
    const fourfold = await measure(import.meta.filename, "ours", [long]);
    figure(
      fourfold.peakBytes <= MEMORY_GOAL_BYTES,
      `peak memory of ours on ${megabytes(size)} of CSV ${megabytes(fourfold.peakBytes)}, goal ≤ ${megabytes(MEMORY_GOAL_BYTES)}`,
    );
  });
}

const [first] = process.argv.slice(2);
await (first !== undefined && first in contenders ? runContender(contenders, process.argv.slice(2)) : main());
