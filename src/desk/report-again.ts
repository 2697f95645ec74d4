/** Makes a run's report again from the ledger as it is now; works beside a running import. */
import { join } from "node:path";
import { openLedgerReadOnly } from "../ledger/open-ledger.js";
import { createRunStore } from "../ledger/runs.js";
import { tallyOpen } from "../ledger/views/tally.js";
import { tallyProblems } from "../ledger/views/problems.js";
import { RowferryError } from "../model/error.js";
import type { Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { collectReportData } from "../report/html/collect-report-data.js";
import { writeHtmlReport } from "../report/html/html-report.js";
import { ownerOf } from "../run/sandbox.js";
import { runFolder } from "../run/run-files.js";

export interface ReportAgain {
  run: string;
  /** Of `report.html` in the run's folder. */
  path: string;
}

/**
 * `run`: its name; null: the last that came to an end. Open work is shown as it is now; what the run did, how it
 * ended and its pace stay. @throws RowferryError `ledger-missing`, `run-unknown`.
 */
export async function writeReportAgain(target: Target, run: string | null): Promise<ReportAgain> {
  const database = openLedgerReadOnly(target.ledgerPath, ownerOf(target));
  try {
    const found = createRunStore(database).find(run);
    if (found === null) {
      throw new RowferryError(
        "run-unknown",
        run === null ? "no run has come to an end yet" : `there is no run "${run}"`,
      );
    }
    if (found.summary === null) throw new RowferryError("run-unknown", `the run ${found.name} has not come to an end`);
    const open = tallyOpen(database);
    const ended = JSON.parse(found.summary) as Summary;
    const summary: Summary = { ...ended, open, problems: tallyProblems(database) };
    const path = join(runFolder(target, found.name), "report.html");
    await writeHtmlReport(path, collectReportData(database, summary, found.id));
    return { run: found.name, path };
  } finally {
    database.close();
  }
}
