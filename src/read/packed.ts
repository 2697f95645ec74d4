/** What files are packed in: gzip and zstd by their stream, zip files by what they hold. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { RowferryError } from "../model/error.js";
import type { OpenedFile } from "./opened-file.js";
import type { Zip } from "./zip.js";

/** Text of rows packs to a fiftieth at the very best; a bomb to a thousandth. */
const MAX_RATIO = 300;
/** Below this many unpacked bytes the ratio is not looked at. */
const UNBOUNDED_BYTES = 64 * 1024 * 1024;

/** @throws RowferryError `file-corrupt` (truncated, damaged), `file-oversized`, `file-refused` (zstd before Node 22.15). */
export async function* unpacked(file: OpenedFile, kind: "gzip" | "zstd"): AsyncGenerator<Buffer> {
  const fault = (code: "file-corrupt" | "file-oversized" | "file-refused", message: string, cause?: unknown) =>
    new RowferryError(code, message, { place: { file: file.name }, cause });
  if (kind === "zstd" && !("createZstdDecompress" in zlib))
    throw fault("file-refused", "the file is compressed with zstd, which this Node cannot unpack; unpack it first");
  const options = { chunkSize: 128 * 1024 };
  const stream = kind === "gzip" ? zlib.createGunzip(options) : zlib.createZstdDecompress(options);
  // The failure of either end reaches the loop below through `stream`.
  const feeding = pipeline(Readable.from(file.chunks()), stream).catch(() => undefined);
  const limit = Math.max(UNBOUNDED_BYTES, file.bytes * MAX_RATIO);
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) throw fault("file-oversized", `${file.bytes} bytes unpack to more than ${limit}`);
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    throw fault("file-corrupt", `unpacking failed: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  } finally {
    stream.destroy();
    await feeding;
  }
}

/** The files that a zip holds, but for folders, hidden files, and what macOS and Windows add to archives by themselves. */
export function membersOf({ names }: Zip): string[] {
  return names.filter((name) => {
    const last = name.split("/").at(-1) ?? "";
    return (
      last !== "" &&
      !last.startsWith(".") &&
      !name.startsWith("__MACOSX/") &&
      !/^(thumbs\.db|desktop\.ini)$/i.test(last)
    );
  });
}

/** @throws RowferryError `file-refused` for the zip files that other programs call documents. */
export function isWorkbook({ names, file }: Zip): boolean {
  const lower = names.map((name) => name.toLowerCase());
  const begins = (folder: string) => lower.some((name) => name.startsWith(folder));
  const what = lower.includes("xl/workbook.bin")
    ? "an Excel workbook in the binary .xlsb format; save it as .xlsx (File, Save As)"
    : begins("word/")
      ? "a Word document"
      : begins("ppt/")
        ? "a PowerPoint presentation"
        : lower.includes("content.xml") && lower.includes("mimetype")
          ? "an OpenDocument file (.ods); save it as .xlsx or CSV (LibreOffice: File, Save As)"
          : lower.some((name) => name.endsWith(".iwa"))
            ? "a Numbers or Pages document; export it as .xlsx or CSV (File, Export To)"
            : null;
  if (what !== null) throw new RowferryError("file-refused", `the file is ${what}`, { place: { file: file.name } });
  return lower.includes("[content_types].xml") || begins("xl/");
}
