/**
 * A rejected file that comes back corrected is known by its own column, whatever it is called and whatever program has
 * saved it. How it is read follows from that, and not from what the mapping says of the files that its rows came from:
 * its header is its first row, and Excel may have saved it in another encoding and with another delimiter.
 */
import type { CsvOptions } from "../model/dialect.js";

/** The column that binds a corrected row to the one it corrects (DESIGN section 7). */
export const REFERENCE_COLUMN = "rowferry_row";

export interface CorrectedCsv {
  /** What stands beside its column: between our own, else the usual ones; null: neither. */
  delimiter: string | null;
  /** The first row's reference; null: it holds none. */
  reference: string | null;
}

/** Of a long preamble's header no more is looked at. */
const HEADER_BYTES = 256 * 1024;

export function isReferenceColumn(text: string): boolean {
  return text.trim().toLowerCase() === REFERENCE_COLUMN;
}

/** From a file's first bytes, in whatever encoding: our own columns are ASCII. Null: no rejected file of ours. */
export function correctedCsv(head: Buffer): CorrectedCsv | null {
  if (head.length === 0) return null;
  const text = head.subarray(0, HEADER_BYTES).toString("latin1").replaceAll("\0", "");
  const [all = "", header = ""] =
    /^[\u00BB\u00BF\u00EF\u00FE\u00FF]*(?:sep=[^\r\n](?:\r\n|\r|\n))?([^\r\n]*)/i.exec(text) ?? [];
  if (!/(?<!\w)rowferry_row(?!\w)/i.test(header)) return null;
  const beside = /rowferry_row["']?(?:([^\w"']{1,10})["']?rowferry_|([,;\t|]))|([,;\t|])["']?rowferry_row/i.exec(
    header,
  );
  const delimiter = beside?.[1] ?? beside?.[2] ?? beside?.[3] ?? null;
  const reference = /(?<![\w-])[0-9a-f]{8}-\d{1,6}:\d{1,9}(?!\d)/.exec(text.slice(all.length))?.[0] ?? null;
  return { delimiter, reference };
}

/** The mapping's options as far as they hold for it. The header is left to the reader: it is the first line. */
export function correctedOptions(csv: CsvOptions, { delimiter }: CorrectedCsv): CsvOptions {
  const pinned = csv.encoding ?? "auto";
  return {
    ...csv,
    ...(delimiter === null ? {} : { delimiter }),
    // Editors save as UTF-8 what was written in the input's encoding.
    encoding: "auto",
    ...(/^(auto|utf-?8)$/i.test(pinned) ? {} : { fallbackEncoding: pinned }),
  };
}
