/** Files written from the ledger as it is now: rows to correct, stranded documents, a run's report. */
import { basename, join } from "node:path";
import { rowsOf, type Selectors } from "../ledger/decide/selection.js";
import { createInputStore } from "../ledger/inputs.js";
import { rowId, rowNumberOf } from "../ledger/rows.js";
import { createRunStore } from "../ledger/runs.js";
import { tallyProblems } from "../ledger/views/problems.js";
import { createRejects } from "../ledger/views/open-rows.js";
import { tallyOpen } from "../ledger/views/tally.js";
import { everyStranded } from "../ledger/views/waiting.js";
import { isCorrectable } from "../model/solution.js";
import { RowferryError } from "../model/error.js";
import type { Problem } from "../model/problem.js";
import type { Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { makeFolder } from "../model/make-folder.js";
import { collectReportData } from "../report/html/collect-report-data.js";
import { writeHtmlReport } from "../report/html/html-report.js";
import { keepingFormer } from "../report/atomic-file.js";
import { writeRejectedFile } from "../report/rejected-file.js";
import { STRANDED_FILE, writeStranded } from "../report/own-files.js";
import { rejectedPath, runFolder } from "../run/run-files.js";
import { reading } from "./access.js";
import { selectedForReading } from "./selected.js";

export interface Rejects {
  /** `rows`: that need a person, as `status` counts them. `note`: what a person should know, in a sentence; null: nothing. */
  files: { path: string; mapping: string; rows: number; correctable: number; note: string | null }[];
  rows: { file: string; sheet: string | null; row: number; problems: Problem[] }[];
  /** How many of `rows` are in none of `files`, because the ledger keeps no cells of rows that have landed. */
  forgotten: number;
  /** For `resolve --from`; null: none. */
  stranded: { path: string; documents: number } | null;
  /** Copies of files that had other content, such as a person's corrections. */
  kept: string[];
}

/** One file for each input and sheet, and one of stranded documents. @throws RowferryError `ledger-missing` */
export async function writeRejects(target: Target, selectors: Selectors, folder: string): Promise<Rejects> {
  const { found, forgotten, stranded, delimiter } = reading(target, (database) => {
    const selection = selectedForReading(database, selectors);
    const documents = new Set(selection.documents);
    const wanted = rowsOf(database, selection);
    const inputs = createInputStore(database);
    const rejects = createRejects(database);
    return {
      found: rejects.inputs().flatMap((input) => {
        const rows = [...rejects.rows(input)].filter(({ lead }) => wanted.has(rowId(input.id, lead)));
        return rows.length === 0 ? [] : [{ input, rows }];
      }),
      forgotten: rejects.forgotten().filter(({ id }) => wanted.has(id)),
      stranded: [...everyStranded(database)].filter(({ id }) => documents.has(id)),
      delimiter: inputs.newestDelimiter() ?? ",",
    };
  });
  const result: Rejects = { files: [], rows: [], forgotten: forgotten.length, stranded: null, kept: [] };
  const keeping = async (path: string, write: () => Promise<unknown>) => {
    const kept = await keepingFormer(path, async () => void (await write()));
    if (kept !== null) result.kept.push(kept);
  };
  if (found.length > 0) makeFolder(folder);
  for (const { input, rows } of found) {
    const { header, dialect, mapping, name, sheet } = input;
    const taken = result.files.map(({ path }) => path);
    const path = rejectedPath(folder, input, taken);
    let note: string | null = null;
    await keeping(path, async () => ({ note } = await writeRejectedFile(path, { header, dialect, rows })));
    const counted = rows.filter(({ isBeside }) => !isBeside);
    result.files.push({ path, mapping, rows: counted.length, correctable: counted.filter(isCorrectable).length, note });
    for (const { row, lead, problems } of rows)
      if (row === lead) result.rows.push({ file: basename(name), sheet, row, problems });
  }
  for (const { id, input, problems } of forgotten)
    result.rows.push({
      file: basename(input?.name ?? "an earlier import"),
      sheet: input?.sheet ?? null,
      row: rowNumberOf(id),
      problems,
    });
  if (stranded.length > 0) {
    const path = join(folder, STRANDED_FILE);
    await keeping(path, () => writeStranded(path, stranded, delimiter));
    result.stranded = { path, documents: stranded.length };
  }
  return result;
}

/**
 * `run`: its name; null: the last finished one. Shows open work as it is now; the run's own figures stay. @throws
 * RowferryError `ledger-missing`, `run-unknown`. @returns the path of `report.html`
 */
export async function writeReportAgain(target: Target, run: string | null): Promise<{ run: string; path: string }> {
  const { name, data } = reading(target, (database) => {
    const found = createRunStore(database).find(run);
    if (found === null)
      throw new RowferryError("run-unknown", run === null ? "no run has finished yet" : `there is no run "${run}"`);
    if (found.summary === null)
      throw new RowferryError(
        "run-unknown",
        `there is no report of ${found.name}: the run is under way, was killed, or ended with an error`,
      );
    const ended = JSON.parse(found.summary) as Summary;
    const summary = { ...ended, open: tallyOpen(database), problems: tallyProblems(database) };
    return { name: found.name, data: collectReportData(database, summary, found.id) };
  });
  const path = join(runFolder(target, name), "report.html");
  await writeHtmlReport(path, data);
  return { run: name, path };
}
