/** A run's folder: summary, receipts, and the rows that a person must change, each in its input's own format. */
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { forgetLandedCells, inputsWithRejects, rejectedRows } from "../ledger/rejects.js";
import { receiptsOf } from "../ledger/receipts.js";
import type { Summary } from "../model/summary.js";
import { makeFolder } from "../report/atomic-file.js";
import { writeReceipts } from "../report/receipts.js";
import { rejectedFileName, writeRejectedFile } from "../report/rejected-file.js";
import { writeSummaryFile } from "../report/summary-file.js";
import type { Session } from "./session.js";

export const runFolder = (session: Session): string => join(session.target.stateFolder, "runs", session.run.name);

/** Writes the files and names them in the summary, which comes last. */
export async function writeRunFiles(session: Session, summary: Summary): Promise<void> {
  const folder = runFolder(session);
  makeFolder(folder);
  for (const id of inputsWithRejects(session.database)) {
    const input = session.inputs.get(id);
    if (input === null) continue;
    const path = unusedPath(folder, rejectedFileName(input.name, input.sheet, input.dialect.format), summary);
    const rows = rejectedRows(session.database, input);
    const written = await writeRejectedFile(path, { header: input.header, dialect: input.dialect, rows });
    if (written.rows === 0) rmSync(written.path, { force: true });
    else summary.files.push({ kind: "rejected", path: written.path });
  }
  const receipts = join(folder, "receipts.csv");
  const count = await writeReceipts(receipts, receiptsOf(session.database, session.run.id));
  if (count > 0) summary.files.push({ kind: "receipts", path: receipts });
  else rmSync(receipts, { force: true });
  forgetLandedCells(session.database);
  await writeSummaryFile(join(folder, "summary.json"), summary);
}

/** Two inputs of one name get two files. */
function unusedPath(folder: string, name: string, summary: Summary): string {
  const taken = new Set(summary.files.map(({ path }) => basename(path)));
  const [, stem = name, ending = ""] = /^(.*)(\.rejected\.\w+)$/.exec(name) ?? [];
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${stem}-${count}${ending}`;
    if (!taken.has(candidate)) return join(folder, candidate);
  }
}
