/**
 * Staging (read, map, validate, key, store durably, plan) against csv-parse alone reading the same file to arrays: a new
 * file, the same file again, and a new file of known rows with one in a hundred new; memory, and bytes in the ledger.
 * `tsx bench/stage.ts [--rows 1000000] [--repetitions 3]`.
 */
import { createReadStream } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "csv-parse";
import { figure, type Measured, measure, median, megabytes, runContender, withTemporaryFolder } from "./harness.js";
import {
  landEverything,
  ledgerBytes,
  offlineSession,
  payloadBytes,
  stageAndPlan,
  writeManifests,
  writeMapping,
} from "./manifests.js";

const MEMORY_GOAL_BYTES = 256 * 1024 * 1024;
/** For 1,000,000 rows: 1% of what sending them at 20/s takes. */
const STAGING_GOAL_SECONDS = 45;

async function stage([ledger = "", mapping = "", ...files]: string[]) {
  const session = await offlineSession(ledger);
  const before = ledgerBytes(session.database);
  const { rows, planned, staging, planning } = await stageAndPlan(session, mapping, files);
  const bytes = ledgerBytes(session.database);
  await session.close();
  return {
    ...rows,
    requests: Object.values(planned.requests).reduce((sum, count) => sum + count, 0),
    before,
    bytes,
    staging,
    planning,
  };
}

const contenders = {
  stage,
  /** Told the dialect, and reading nothing twice. */
  "csv-parse alone": async ([path = ""]: string[]) => {
    const parser = createReadStream(path, { highWaterMark: 128 * 1024 }).pipe(parse({ delimiter: ";" }));
    let rows = -1;
    parser.on("data", () => rows++);
    await new Promise<void>((resolve, reject) => parser.on("end", () => resolve()).on("error", reject));
    return rows;
  },
  /** Makes the ledger of a file that has landed. */
  land: async ([ledger = ""]: string[]) => {
    const session = await offlineSession(ledger);
    const payload = payloadBytes(session.database);
    const staged = ledgerBytes(session.database);
    landEverything(session.database);
    session.database.pragma("wal_checkpoint(TRUNCATE)");
    const landed = ledgerBytes(session.database);
    await session.close();
    return { payload, staged, landed };
  },
};

interface StageResult {
  read: number;
  known: number;
  staged: number;
  invalid: number;
  requests: number;
  before: number;
  bytes: number;
  staging: number;
  planning: number;
}

const result = (measured: Measured): StageResult => measured.result as unknown as StageResult;
const seconds = (runs: Measured[]) => median(runs.map((run) => run.milliseconds)) / 1000;
const cpu = (runs: Measured[]) => median(runs.map((run) => run.cpuMilliseconds)) / 1000;

async function removeLedger(path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", ".lock", ".state"])
    await rm(path + suffix, { force: true, recursive: true });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rows: { type: "string", default: "1000000" }, repetitions: { type: "string", default: "3" } },
  });
  const rows = Number(values.rows);
  const repetitions = Number(values.repetitions);
  const run = (contender: string, args: string[]) => measure(import.meta.filename, contender, args);
  await withTemporaryFolder(async (folder) => {
    const mapping = await writeMapping(folder);
    const paths = { first: join(folder, "first.csv"), mixed: join(folder, "mixed.csv") };
    const fresh = Math.ceil(rows / 100);
    await writeManifests(paths.first, 0, rows);
    await writeManifests(paths.mixed, 0, rows + fresh);
    const landed = join(folder, "landed.db");
    const ledger = join(folder, "ledger.db");

    const alone: Measured[] = [];
    const first: Measured[] = [];
    const again: Measured[] = [];
    const mixed: Measured[] = [];
    let sizes = { payload: 0, staged: 0, landed: 0 };
    for (let repetition = 0; repetition < repetitions; repetition++) {
      alone.push(await run("csv-parse alone", [paths.first]));
      await removeLedger(ledger);
      first.push(await run("stage", [ledger, mapping, paths.first]));
      if (repetition === 0) {
        sizes = (await run("land", [ledger])).result as typeof sizes;
        await copyFile(ledger, landed);
      }
      await removeLedger(ledger);
      await copyFile(landed, ledger);
      again.push(await run("stage", [ledger, mapping, paths.first]));
      mixed.push(await run("stage", [ledger, mapping, paths.mixed]));
    }

    for (const [runs, known, staged] of [
      [first, 0, rows],
      [again, rows, 0],
      [mixed, rows, fresh],
    ] as const) {
      for (const one of runs.map(result)) {
        if (one.known !== known || one.staged !== staged || one.invalid !== 0)
          throw new Error(`not what was to be measured: ${JSON.stringify(one)}`);
      }
    }
    const ratioOf = (runs: Measured[]) => cpu(runs) / cpu(alone);
    const compared = (name: string, runs: Measured[]) =>
      `${name}: CPU ${cpu(runs).toFixed(2)} s = ${ratioOf(runs).toFixed(2)} × csv-parse alone (${cpu(alone).toFixed(2)} s), ` +
      `time ${seconds(runs).toFixed(2)} s = ${(seconds(runs) / seconds(alone)).toFixed(2)} × (${seconds(alone).toFixed(2)} s); ` +
      `${((cpu(runs) * 1e6) / rows).toFixed(1)} µs of CPU a row`;
    console.log(`${rows.toLocaleString("en")} rows × 25 columns, medians of ${repetitions} interleaved runs`);
    const most = (STAGING_GOAL_SECONDS * rows) / 1_000_000;
    figure(seconds(first) <= most, `${compared("a new file", first)}, goal ≤ ${most} s`);
    const part = (name: "staging" | "planning") => median(first.map((one) => result(one)[name])) / 1000;
    console.log(`     of which staging ${part("staging").toFixed(2)} s, planning ${part("planning").toFixed(2)} s`);
    figure(ratioOf(again) <= 1.5, `${compared("the same file again", again)}, goal ≤ 1.5 ×`);
    figure(ratioOf(mixed) <= 3, `${compared("a new file, 1% new", mixed)}, goal ≤ 3 ×`);
    const known = result(mixed[0] as Measured);
    const bytesOfKnown = (known.bytes - known.before - (fresh * sizes.staged) / rows) / rows;
    figure(bytesOfKnown <= 24, `${bytesOfKnown.toFixed(1)} ledger bytes a known row, goal ≤ 24`);
    const requests = [...again, ...mixed].map((one) => result(one).requests);
    const expected = Math.ceil(fresh / 10) + 1;
    figure(
      Math.max(...again.map((one) => result(one).requests)) === 0 && Math.max(...requests) <= expected + 20,
      `requests planned: 0 for the same file, ${Math.max(...requests)} for 1% new`,
    );
    const peak = Math.max(...[...first, ...again, ...mixed].map((one) => one.peakBytes));
    figure(peak <= MEMORY_GOAL_BYTES, `peak memory ${megabytes(peak)}, goal ≤ ${megabytes(MEMORY_GOAL_BYTES)}`);
    const times = (bytes: number) => `${(bytes / sizes.payload).toFixed(2)} × ${megabytes(sizes.payload)} of payload`;
    figure(sizes.staged <= 1.5 * sizes.payload, `the ledger when staged: ${times(sizes.staged)}, goal ≤ 1.5`);
    figure(sizes.landed <= 1.5 * sizes.payload, `the ledger when landed: ${times(sizes.landed)}, goal ≤ 1.5`);
  });
}

const [first] = process.argv.slice(2);
await (first !== undefined && first in contenders ? runContender(contenders, process.argv.slice(2)) : main());
