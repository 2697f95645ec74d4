/** A run's folder: rejected files in their inputs' formats, stranded documents, receipts, report, summary. */
import { rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { everyStranded } from "../ledger/views/waiting.js";
import type { StoredInput } from "../ledger/inputs.js";
import { createRejects } from "../ledger/views/open-rows.js";
import { forgetLandedCells } from "../ledger/stage/row-cells.js";
import { receiptsOf } from "../ledger/views/receipts.js";
import { isCorrectable } from "../model/solution.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { collectReportData } from "../report/html/collect-report-data.js";
import { writeHtmlReport } from "../report/html/html-report.js";
import { writeReceipts, STRANDED_FILE, writeStranded, writeSummaryFile } from "../report/own-files.js";
import { plainText } from "../report/plain-text.js";
import { writeRejectedFile } from "../report/rejected-file.js";
import { rejectedFileName } from "../report/rejected-row.js";
import type { Session } from "./session.js";
import type { StagedInput } from "./stage.js";

export const runFolder = (target: Pick<Target, "stateFolder">, run: string): string =>
  join(target.stateFolder, "runs", run);

interface Context {
  staged: readonly StagedInput[];
  /** The path of run.log; null: none. */
  log: string | null;
}

/** Adds the files to the summary, which is written last. A disk that takes no file says so, and the summary remains. */
export async function writeRunFiles(session: Session, summary: Summary, context: Context): Promise<void> {
  const folder = runFolder(session.target, session.run.name);
  const path = join(folder, "summary.json");
  try {
    await writeFiles(session, folder, summary, context);
    await writeSummaryFile(path, summary);
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException;
    if (errno === undefined && !(error instanceof RowferryError)) throw error;
    const why = errno === undefined ? plainText((error as Error).message) : code;
    const message = `Not all files of this run could be written (${why}). What was sent is in the ledger; \`rowferry rejects\`, \`rowferry report\` and, for receipts, the next run write them again once that is fixed.`;
    summary.files = summary.files.filter((file) => statSync(file.path, { throwIfNoEntry: false })?.isFile());
    if (summary.exitCode === ExitCode.ok) {
      summary.exitCode = ExitCode.unexpected;
      summary.stopped = { code: "output-unwritable", message };
    } else {
      const warning = { code: "output-unwritable", count: 1, place: null, column: null, example: message } as const;
      summary.warnings.push(warning);
    }
    // It is small, and a program may wait for it.
    await writeSummaryFile(path, summary).catch(() => {});
  }
}

async function writeFiles(session: Session, folder: string, summary: Summary, context: Context): Promise<void> {
  await writeRejected(session, folder, summary);
  const delimiter = delimiterOf(session, context.staged) ?? undefined;
  if ((summary.open.documents["stranded"] ?? 0) > 0) {
    const path = join(folder, STRANDED_FILE);
    await writeStranded(path, everyStranded(session.database), delimiter);
    summary.files.push({ kind: "stranded", path });
  }
  const receipts = join(folder, "receipts.csv");
  const count = await writeReceipts(receipts, receiptsOf(session.database, session.run.id), delimiter);
  if (count > 0) summary.files.push({ kind: "receipts", path: receipts });
  const report = join(folder, "report.html");
  summary.files.push({ kind: "report", path: report });
  if (context.log !== null) summary.files.push({ kind: "log", path: context.log });
  await writeHtmlReport(report, collectReportData(session.database, summary, session.run.id));
  forgetLandedCells(session.database);
}

async function writeRejected(session: Session, folder: string, summary: Summary): Promise<void> {
  const rejects = createRejects(session.database);
  for (const input of rejects.inputs()) {
    const path = rejectedPath(
      folder,
      input,
      summary.files.map((file) => file.path),
    );
    let correctable = false;
    const rows = {
      *[Symbol.iterator]() {
        for (const row of rejects.rows(input)) {
          correctable ||= isCorrectable(row);
          yield row;
        }
      },
    };
    const written = await writeRejectedFile(path, { header: input.header, dialect: input.dialect, rows });
    if (written.rows === 0) {
      rmSync(written.path, { force: true });
      continue;
    }
    summary.files.push({ kind: "rejected", path: written.path, mapping: input.mapping, correctable });
    if (written.note === null) continue;
    session.tell(`${basename(written.path)}: ${written.note}`);
  }
}

/**
 * The delimiter of this run's first CSV input, else of the newest one: a program that opens that file also opens
 * receipts.
 */
function delimiterOf(session: Session, staged: readonly StagedInput[]): string | null {
  for (const { id } of staged) {
    const dialect = session.inputs.get(id)?.dialect;
    if (dialect?.format === "csv") return dialect.delimiter;
  }
  return session.inputs.newestDelimiter();
}

/** Two inputs of one name get two files. `taken`: used paths. */
export function rejectedPath(folder: string, input: StoredInput, taken: readonly string[]): string {
  const name = rejectedFileName(input.name, input.sheet, input.dialect.format);
  const [, stem = name, ending = ""] = /^(.*)(\.rejected\.\w+)$/.exec(name) ?? [];
  for (let count = 1; ; count += 1) {
    const path = join(folder, count === 1 ? name : `${stem}-${count}${ending}`);
    if (!taken.includes(path)) return path;
  }
}
