/**
 * Recognises a rejected file that comes back corrected by its own column, whatever its name, encoding or delimiter are
 * now. The mapping's options describe the original files, so they do not apply.
 */
import type { CsvOptions } from "../model/dialect.js";

export interface CorrectedCsv {
  /** The character next to the column: between our own columns, else a usual delimiter; null: neither. */
  delimiter: string | null;
  reference: string | null;
}

/** Headers below a long preamble are not searched further. */
const HEADER_BYTES = 256 * 1024;

/** Looks at a file's first bytes, in any encoding, because our column names are ASCII. Null: not a rejected file. */
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

/** The mapping's options that also apply to a corrected file, which is quoted as every program does it. */
export function correctedOptions(csv: CsvOptions, { delimiter }: CorrectedCsv): CsvOptions {
  const pinned = csv.encoding ?? "auto";
  return {
    ...csv,
    quote: '"',
    escape: '"',
    trim: false,
    ...(delimiter === null ? {} : { delimiter }),
    // Editors save a file in UTF-8 whatever its encoding was.
    encoding: "auto",
    ...(/^(auto|utf-?8)$/i.test(pinned) ? {} : { fallbackEncoding: pinned }),
  };
}
