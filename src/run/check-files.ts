/** Checks files against a mapping, without a ledger; stages nothing and reports everything wrong. */
import { basename, resolve } from "node:path";
import { UnreadFile } from "../map/input/match-files.js";
import type { Mapping } from "../map/mapping.js";
import type { FileCheck, PipelineEvent } from "../model/summary.js";
import { expandFiles } from "../read/files.js";
import { openInput } from "../read/open-input.js";
import type { Input } from "../read/table.js";
import { checkErrorOf, checkTable } from "./check-table.js";
import { createPassedOver, createReadingProgress, inputsOfFile, whyUnread } from "./files.js";

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
  const { mapping, cwd, signal, observe } = options;
  const tell = (message: string) => observe({ type: "notice", level: "info", code: null, message });
  const paths = await expandFiles(options.files, cwd, tell);
  observe({ type: "stage", stage: "reading", total: null });
  const progress = await createReadingProgress(paths, observe, cwd);
  const checks: FileCheck[] = [];
  const passedOver = createPassedOver(options.files, tell);
  for (const path of paths) {
    const check: FileCheck = { path, format: null, sheets: [], tables: [], error: null };
    const isAllowedEmpty = () => mapping.inputsFor(basename(path)).every(({ read }) => read.allowEmpty === true);
    try {
      const input = await openInput(path === "-" ? path : resolve(cwd, path));
      const read = () => check.tables.reduce((sum, { rows }) => sum + rows.read, 0);
      try {
        await checkInput(mapping, input, check, signal, (more) => progress.tell(input, read() + more));
      } finally {
        progress.next(input, read());
        await input.close();
      }
    } catch (error) {
      const unread = error instanceof UnreadFile ? error : whyUnread(mapping, path);
      if (unread !== null && !options.files.includes(path)) {
        passedOver.add(path, unread);
        continue;
      }
      check.error = checkErrorOf(error);
      if (check.format === null && check.error.code === "file-empty" && isAllowedEmpty()) check.error = null;
    }
    checks.push(check);
  }
  passedOver.end(paths.length);
  return checks;
}

async function checkInput(
  mapping: Mapping,
  input: Input,
  check: FileCheck,
  signal: AbortSignal,
  progress: (rows: number) => void,
): Promise<void> {
  check.format = input.format;
  const asSheets = () =>
    input.sheets.map((one) => {
      const read = check.tables.some(({ dialect, sheet }) => dialect !== null && sheet === one.sheet);
      return { ...one, read };
    });
  check.sheets = asSheets();
  for (const mappingInput of await inputsOfFile(mapping, input, null))
    check.tables.push(await checkTable(input, mappingInput, { signal, progress }));
  check.sheets = asSheets();
}
