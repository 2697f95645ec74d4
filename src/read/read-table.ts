/** A small table read whole, with the same decoding and the same strictness as any input: what lies beside a mapping. */
import type { Dialect, ReadOptions } from "../model/dialect.js";
import { RowferryError } from "../model/error.js";
import type { Row } from "../model/row.js";
import { openInput } from "./open-input.js";

export interface WholeTable {
  /** As in `Table`. */
  header: string[];
  /** No row has problems, and none is left out. */
  rows: Row[];
  dialect: Dialect;
  /** SHA-256 of the file's bytes, in hex. */
  contentHash: string;
  notes: string[];
}

export interface TableLimits {
  /** Of the file on the disk; default 16 MiB. */
  bytes?: number;
  /** Default 1,000,000. */
  rows?: number;
}

/**
 * Reads a CSV file or a sheet to its end.
 * @throws RowferryError as `openInput` and `Table` do; for a row with a problem, with that problem's code and the row's
 * place; `file-oversized` beyond the limits.
 */
export async function readTable(
  path: string,
  options: ReadOptions = {},
  limits: TableLimits = {},
): Promise<WholeTable> {
  const { bytes = 16 * 1024 ** 2, rows: most = 1_000_000 } = limits;
  const input = await openInput(path);
  const place = { file: input.name };
  const tooLarge = (what: string) =>
    new RowferryError("file-oversized", `the table ${what}`, {
      place,
      hint: "Split it, or keep only the rows that are used.",
    });
  try {
    if (input.bytes > bytes) throw tooLarge(`has ${input.bytes} bytes; at most ${bytes} are read`);
    const table = await input.open(options);
    const rows: Row[] = [];
    for await (const batch of table.rows()) {
      for (const row of batch) {
        if (row.leftOut !== undefined) continue;
        const [problem] = row.problems ?? [];
        if (problem !== undefined)
          throw new RowferryError(problem.code, problem.message, {
            place: {
              ...place,
              sheet: table.sheet ?? undefined,
              row: row.number,
              ...(problem.column === null ? {} : { column: problem.column }),
            },
            ...(problem.hint === null ? {} : { hint: problem.hint }),
          });
        rows.push(row);
      }
      if (rows.length > most) throw tooLarge(`has more than ${most} rows`);
    }
    const { header, dialect, notes } = table;
    return { header, rows, dialect, contentHash: input.contentHash, notes };
  } finally {
    await input.close();
  }
}
