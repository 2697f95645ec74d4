/** Checks files against a mapping, without a ledger; stages nothing and reports everything wrong. */
import type { Mapping } from "../map/mapping.js";
import { type FileCheck, type PipelineEvent, telling } from "../model/summary.js";
import { expandFiles } from "../read/files.js";
import { checkErrorOf, checkTable, type CheckTableOptions } from "./check-table.js";
import { createTwins } from "./check-twins.js";
import { inputsByName, type OpenedFile, openFiles } from "./files.js";

export interface CheckFilesOptions {
  mapping: Mapping;
  /** Files, patterns, folders; `-`: standard input. */
  files: readonly string[];
  cwd: string;
  signal: AbortSignal;
  observe: (event: PipelineEvent) => void;
}

/**
 * Checks every file to its end, in the order given; what is wrong with one does not keep it from the next.
 * @throws RowferryError `file-missing`, `file-pattern-unmatched` before any file is read; `mapping-files` when a folder or
 * a pattern finds nothing that an input reads; `interrupted`.
 */
export async function checkFiles(options: CheckFilesOptions): Promise<FileCheck[]> {
  const { mapping, files: named, cwd, observe } = options;
  const paths = await expandFiles(named, cwd, telling(observe));
  observe({ type: "stage", stage: "reading", total: null });
  const checks: FileCheck[] = [];
  const shared = { signal: options.signal, twins: createTwins() };
  for await (const file of openFiles({ mapping, named, paths, cwd, inputs: null, observe }))
    checks.push(await checkFile(mapping, file, shared));
  return checks;
}

async function checkFile(
  mapping: Mapping,
  file: OpenedFile,
  shared: Omit<CheckTableOptions, "progress">,
): Promise<FileCheck> {
  const { path, input } = file;
  const check: FileCheck = { path, format: input?.format ?? null, sheets: [], tables: [], error: null };
  if (file.error !== null) {
    check.error = checkErrorOf(file.error);
    const mayBeEmpty = input === null && check.error.code === "file-empty";
    const isAllowed = () => inputsByName(mapping, path).every(({ read }) => read.allowEmpty === true);
    if (mayBeEmpty && isAllowed()) check.error = null;
  }
  if (input === null) return check;
  for (const mappingInput of file.inputs) {
    const table = await checkTable(input, mappingInput, { ...shared, progress: file.tell });
    file.rows += table.rows.read;
    check.tables.push(table);
  }
  check.sheets = input.sheets.map((one) => {
    const read = check.tables.some(({ dialect, sheet }) => dialect !== null && sheet === one.sheet);
    return { ...one, read };
  });
  return check;
}
