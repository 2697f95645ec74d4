/** What a mapping makes of files, without a ledger: nothing is staged, nothing is kept, everything that is wrong is told. */
import { basename, resolve } from "node:path";
import type { Mapping, MappingInput } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import type { PipelineEvent } from "../model/summary.js";
import { expandFiles } from "../read/files.js";
import { createReadingProgress, type ReadingProgress } from "./files.js";
import { openInput } from "../read/open-input.js";
import { inputsOfFile } from "./files.js";
import { type CheckError, checkTable, type TableCheck } from "./check-table.js";

export type { CheckError, TableCheck } from "./check-table.js";

export interface FileCheck {
  /** As it was named on the command line, or found by a pattern. */
  path: string;
  format: "csv" | "xlsx" | null;
  /** In workbook order; one entry with sheet null for CSV. `read`: whether an input of the mapping reads it. */
  sheets: { sheet: string | null; hidden: boolean; read: boolean }[];
  tables: TableCheck[];
  /** Why the file as a whole cannot be used: it cannot be opened, or no input reads it. */
  error: CheckError | null;
}

export interface CheckFilesOptions {
  mapping: Mapping;
  /** Files, patterns, folders; `-` is standard input. */
  files: readonly string[];
  /** What relative paths start from. */
  cwd: string;
  signal: AbortSignal;
  observe: (event: PipelineEvent) => void;
}

/**
 * Checks every file to its end, in the order given; what is wrong with one does not keep it from the next.
 * @throws RowferryError `file-missing`, `file-pattern-unmatched` before any file is read; `interrupted`.
 */
export async function checkFiles(options: CheckFilesOptions): Promise<FileCheck[]> {
  const { mapping, cwd, signal, observe } = options;
  const tell = (message: string) => observe({ type: "notice", level: "info", code: null, message });
  const paths = await expandFiles(options.files, cwd, tell);
  observe({ type: "stage", stage: "reading", total: null });
  const progress = await createReadingProgress(paths, observe, cwd);
  const checks: FileCheck[] = [];
  for (const path of paths) checks.push(await checkFile(mapping, path, cwd, { signal, progress }));
  return checks;
}

async function checkFile(
  mapping: Mapping,
  path: string,
  cwd: string,
  options: { signal: AbortSignal; progress: ReadingProgress },
): Promise<FileCheck> {
  const check: FileCheck = { path, format: null, sheets: [], tables: [], error: null };
  const input = await openInput(path === "-" ? path : resolve(cwd, path)).catch((error: unknown) =>
    recordError(check, error),
  );
  if (
    check.error?.code === "file-empty" &&
    mapping.inputsFor(basename(path)).every(({ read }) => read.allowEmpty === true)
  )
    check.error = null;
  if (input === null) return check;
  try {
    check.format = input.format;
    let inputs: MappingInput[] = [];
    try {
      inputs = await inputsOfFile(mapping, input, null);
    } catch (error) {
      recordError(check, error);
    }
    let rows = 0;
    for (const mappingInput of inputs) {
      const done = rows;
      const table = await checkTable(input, mappingInput, {
        signal: options.signal,
        progress: (more) => options.progress.tell(input, done + more),
      });
      rows += table.rows.read;
      check.tables.push(table);
    }
    options.progress.next(input, rows);
    check.sheets = input.sheets.map((one) => ({
      ...one,
      read: check.tables.some(({ dialect, sheet }) => dialect !== null && sheet === one.sheet),
    }));
    return check;
  } finally {
    await input.close();
  }
}

function recordError(check: FileCheck, error: unknown): null {
  if (!(error instanceof RowferryError)) throw error;
  const { code, message, hint, place } = error;
  check.error = { code, message, hint, place };
  return null;
}
