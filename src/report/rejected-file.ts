/** Writes `<input name>.rejected.csv|xlsx`: the rows a person must change, in the input's own format (DESIGN section 7). */
import type { Dialect } from "../model/dialect.js";
import { writeRejectedCsv } from "./rejected-csv.js";
import type { RejectedRow } from "./rejected-row.js";
import { writeRejectedExcel } from "./rejected-excel.js";

export type { RejectedRow } from "./rejected-row.js";

export interface RejectedContent {
  header: string[];
  dialect: Dialect;
  rows: AsyncIterable<RejectedRow> | Iterable<RejectedRow>;
}

export interface RejectedFile {
  path: string;
  rows: number;
  /** What a person should know, in a sentence (another encoding had to be used); null: nothing. */
  note: string | null;
}

/** Writes the file whole or not at all, readable by its owner only. The rows are streamed. */
export function writeRejectedFile(path: string, content: RejectedContent): Promise<RejectedFile> {
  const { dialect } = content;
  if (dialect.format === "xlsx") return writeRejectedExcel(path, dialect, content);
  return writeRejectedCsv(path, dialect, content);
}

/**
 * `nightly.csv.gz` → `nightly.rejected.csv`; `book.xlsx`, sheet `May` → `book.May.rejected.xlsx` (the sheet is named only
 * where the workbook has several that are read). Never a path: separators and control characters become `_`.
 */
export function rejectedFileName(inputName: string, sheet: string | null, format: Dialect["format"]): string {
  const base = inputName.replace(/\.(gz|zip)$/i, "").replace(/\.(csv|tsv|txt|xlsx|xlsm)$/i, "");
  const bare = base.replace(/\.rejected$/i, "");
  const name = sheet === null ? bare : `${bare}.${sheet}`;
  // oxlint-disable-next-line no-control-regex -- control characters must not get into a file's name
  const safe = name.replace(/[\u0000-\u001F\u007F-\u009F/\\:*?"<>|]/g, "_").replace(/^\.+/, "_");
  return `${Array.from(safe).slice(0, 150).join("")}.rejected.${format}`;
}
