/** A CSV file as an `Input`: its encoding, dialect and header are settled by `open`, its rows come as a stream. */
import type { CsvOptions, Dialect, ReadOptions } from "../../model/dialect.js";
import { RowferryError } from "../../model/error.js";
import { correctedCsv, correctedOptions } from "../corrected.js";
import type { Input, Table } from "../table.js";
import { type ChosenEncoding, chooseEncoding } from "./choose-encoding.js";
import { textPieces, withoutDosEnd } from "./decode.js";
import { detectDialect, type DetectedShape } from "./detect-dialect.js";
import { locateHeader } from "./locate-header.js";
import { readRows } from "./read-rows.js";
import type { Sample } from "./sample.js";

/** What `openCsv` needs to know of a file; unpacked, where it was packed. */
export interface CsvFile {
  name: string;
  /** Of the file on the disk, packed or not. */
  contentHash: string;
  bytes: number;
  compression: "none" | "gzip" | "zip";
  /** The text's bytes from the beginning; may be called more than once. */
  chunks: () => AsyncIterable<Buffer>;
  /** Called when the last row has been read; throws where what was read cannot be trusted. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** Whole files of nothing but a byte order mark, as an export leaves that found nothing to say. */
const onlyMark: ReadonlySet<string> = new Set(["efbbbf", "fffe", "feff"]);

/** Bytes from which encoding (without a byte order mark), dialect and header are told. */
const SAMPLE_BYTES = 256 * 1024;

/** @param limits for tests; `maxRecordLength` in UTF-16 units, default 1,048,576. */
export function openCsv(file: CsvFile, limits: { maxRecordLength?: number } = {}): Input {
  let closed: Promise<void> | null = null;
  const guarded = { ...file, chunks: () => guard(file) };
  return {
    name: file.name,
    nameless: false,
    format: "csv",
    contentHash: file.contentHash,
    bytes: file.bytes,
    sheets: [{ sheet: null, hidden: false }],
    corrected: async () => {
      const found = correctedCsv((await firstBytes(guarded, SAMPLE_BYTES)).bytes);
      return found === null ? null : { sheet: null, reference: found.reference };
    },
    open: (options) => openTable(guarded, options, limits),
    close: () => (closed ??= file.close()),
  };
}

/** The chunks, whatever fails in them becoming a `RowferryError`. */
async function* guard(file: CsvFile): AsyncGenerator<Buffer> {
  try {
    yield* file.chunks();
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowferryError("file-unreadable", `reading failed: ${reason}`, { place: { file: file.name }, cause });
  }
}

async function openTable(file: CsvFile, options: ReadOptions, limits: { maxRecordLength?: number }): Promise<Table> {
  const head = await firstBytes(file, SAMPLE_BYTES);
  if (head.bytes.length === 0 || onlyMark.has(head.bytes.toString("hex")))
    throw new RowferryError("file-empty", "the file is empty", { place: { file: file.name } });
  const corrected = correctedCsv(head.bytes);
  const csv: CsvOptions = corrected === null ? (options.csv ?? {}) : correctedOptions(options.csv ?? {}, corrected);
  const encoding = await chooseEncoding({ name: file.name, head: head.bytes, chunks: file.chunks }, csv);
  const sample = decodeSample(file.name, head, encoding);
  const wanted = corrected === null ? (options.header ?? "auto") : "auto";
  const shape = detectDialect(sample, csv, typeof wanted === "string" ? null : Math.min(...[wanted].flat()));
  const header = locateHeader(sample, shape, corrected === null ? wanted : shape.firstLine);
  const dialect = dialectOf(file, encoding, shape);
  return {
    sheet: null,
    header: header.texts,
    headerRow: header.lastLine,
    dialect,
    notes: [...encoding.notes, ...shape.notes, ...header.notes],
    rows: () =>
      readRows(file, {
        encoding,
        shape,
        columns: header.texts,
        firstLine: header.firstLine,
        headerLine: header.lastLine ?? 0,
        ...limits,
      }),
  };
}

function dialectOf(file: CsvFile, encoding: ChosenEncoding, shape: DetectedShape): Dialect {
  return {
    format: "csv",
    encoding: encoding.encoding,
    bom: encoding.bomBytes > 0,
    delimiter: shape.delimiter,
    quote: shape.quote,
    escape: shape.escape,
    lineEnding: shape.lineEnding,
    compression: file.compression,
  };
}

async function firstBytes(file: CsvFile, length: number): Promise<{ bytes: Buffer; complete: boolean }> {
  const parts: Buffer[] = [];
  let total = 0;
  for await (const chunk of file.chunks()) {
    parts.push(Buffer.from(chunk));
    total += chunk.length;
    if (total > length) return { bytes: Buffer.concat(parts).subarray(0, length), complete: false };
  }
  return { bytes: Buffer.concat(parts), complete: true };
}

function decodeSample(file: string, head: { bytes: Buffer; complete: boolean }, encoding: ChosenEncoding): Sample {
  const pieces = textPieces(encoding.encoding);
  const text = pieces.write(head.bytes.subarray(encoding.bomBytes)) + (head.complete ? pieces.end() : "");
  const body = text.replace(/^\uFEFF+/, "");
  return { file, text: head.complete ? withoutDosEnd(body) : body, complete: head.complete };
}
