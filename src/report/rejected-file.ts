/** Writes `<input name>.rejected.csv|xlsx`: the rows a person must change, in the input's own format (DESIGN section 7). */
import type { Dialect } from "../model/dialect.js";
import { writeRejectedCsv } from "./rejected-csv.js";
import type { RejectedRow } from "./rejected-row.js";

export { rejectedFileName } from "./rejected-name.js";
export type { RejectedRow } from "./rejected-row.js";

export interface RejectedContent {
  header: string[];
  dialect: Dialect;
  /** Gone through twice where the encoding of a CSV file has to be another. */
  rows: Iterable<RejectedRow>;
}

export interface RejectedFile {
  path: string;
  rows: number;
  /** What a person should know, in a sentence (another encoding had to be used); null: nothing. */
  note: string | null;
}

/** Writes the file whole or not at all, readable by its owner only. The rows are streamed. */
export async function writeRejectedFile(path: string, content: RejectedContent): Promise<RejectedFile> {
  const { dialect } = content;
  if (dialect.format === "csv") return writeRejectedCsv(path, dialect, content);
  // Takes a quarter of a second to load; most runs write no workbook.
  const { writeRejectedExcel } = await import("./rejected-excel.js");
  return writeRejectedExcel(path, dialect, content);
}
