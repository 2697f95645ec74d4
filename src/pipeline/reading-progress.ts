/** What a command tells while it reads its files: one count and one share over all of them. */
import type { PipelineEvent } from "../model/summary.js";
import { bytesOf } from "../read/files.js";
import type { Input } from "../read/table.js";

export interface ReadingProgress {
  /** @param rows of the file at hand, so far. */
  tell(input: Input, rows: number): void;
  /** The file at hand has been read. */
  next(input: Input, rows: number): void;
}

/** @param folder what relative paths start from. */
export async function createReadingProgress(
  paths: readonly string[],
  observe: (event: PipelineEvent) => void,
  folder?: string,
): Promise<ReadingProgress> {
  const total = await bytesOf(paths, folder);
  const before = { rows: 0, bytes: 0 };
  let share = 0;
  const observed = (rows: number, bytes: number) => {
    // A workbook of which several sheets are read begins again with each.
    share = Math.max(share, Math.min(1, (before.bytes + bytes) / Math.max(1, total ?? 1)));
    const counts = { sent: 0, problems: 0, held: 0, retries: 0 };
    const known = total === null ? {} : { share };
    observe({ type: "progress", stage: "reading", done: before.rows + rows, total: null, ...known, ...counts });
  };
  return {
    tell: (input, rows) => observed(rows, input.position()),
    next(input, rows) {
      before.rows += rows;
      before.bytes += input.bytes;
      observed(0, 0);
    },
  };
}
