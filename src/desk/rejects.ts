/** `rejects`: the rows that a person must change now, over all inputs, as files to correct and as a list; and stranded documents. */
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { createInputStore } from "../ledger/inputs.js";
import { everyStranded } from "../ledger/views/timelines.js";
import { createRejects, type RejectedLedgerRow } from "../ledger/views/rejects.js";
import { rowId } from "../ledger/rows.js";
import { rowsOf } from "../ledger/decide/selection.js";
import { selectOpen, type Selectors } from "../ledger/decide/selection.js";
import type { Problem } from "../model/problem.js";
import { rejectedPath } from "../run/run-files.js";
import type { Target } from "../model/target.js";
import { makeFolder } from "../report/atomic-file.js";
import { writeRejectedFile } from "../report/rejected-file.js";
import { STRANDED_FILE, writeStranded } from "../report/stranded-file.js";
import { reading } from "./ledger-access.js";

export interface Rejects {
  files: { path: string; mapping: string; rows: number }[];
  rows: { file: string; sheet: string | null; row: number; problems: Problem[] }[];
  /** The list of stranded documents, for `resolve --from`; null: none is among them. */
  stranded: { path: string; documents: number } | null;
}

/** Writes into `folder`, one file an input and sheet, and one of stranded documents. @throws RowferryError `ledger-missing` */
export async function writeRejects(target: Target, selectors: Selectors, folder: string): Promise<Rejects> {
  const result: Rejects = { files: [], rows: [], stranded: null };
  const { found, stranded, delimiter } = reading(target, (database) => {
    const selection = selectOpen(database, selectors);
    const documents = new Set(selection.documents);
    const wanted = rowsOf(database, selection);
    const inputs = createInputStore(database);
    const rejects = createRejects(database);
    return {
      found: rejects.inputs().flatMap((id) => {
        const input = inputs.get(id);
        if (input === null) return [];
        const rows = [...rejects.rows(input)].filter(({ lead }) => wanted.has(rowId(id, lead)));
        return rows.length === 0 ? [] : [{ input, rows }];
      }),
      stranded: [...everyStranded(database)].filter(({ id }) => documents.has(id)),
      delimiter: inputs.newestDelimiter() ?? ",",
    };
  });
  if (found.length > 0) makeFolder(folder);
  const taken: string[] = [];
  for (const { input, rows } of found) {
    const path = rejectedPath(folder, input, taken);
    taken.push(path);
    rmSync(path, { force: true });
    await writeRejectedFile(path, { header: input.header, dialect: input.dialect, rows });
    result.files.push({ path, mapping: input.mapping, rows: rows.length });
    for (const { row, lead, problems } of rows satisfies RejectedLedgerRow[]) {
      if (row === lead) result.rows.push({ file: basename(input.name), sheet: input.sheet, row, problems });
    }
  }
  if (stranded.length > 0) {
    const path = join(folder, STRANDED_FILE);
    result.stranded = { path, documents: await writeStranded(path, stranded, { delimiter }) };
  }
  return result;
}
