/** What a rejected file is called. Apart from its writing, which loads much. */
import type { Dialect } from "../model/dialect.js";

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
