/** From a path to an `Input`: what the file is, is told from its bytes; what is neither CSV nor Excel is refused by name. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { RowferryError } from "../model/error.js";
import { type CsvFile, openCsv } from "./csv/open-csv.js";
import { type OpenedFile, openFile } from "./opened-file.js";
import { isWorkbook, membersOf, unpacked } from "./packed.js";
import { HEAD_BYTES, recognise } from "./recognise.js";
import { spoolStandardInput } from "./spool.js";
import type { Input } from "./table.js";
import { Zip } from "./zip.js";

/**
 * Opens a path, one file within a zip file (`archive.zip/inner.csv`), or standard input (`-`, spooled to a temporary file
 * that `close` removes).
 * @param standardInput what `-` reads; default `process.stdin`.
 * @throws RowferryError `file-*`, `archive-ambiguous`.
 */
export async function openInput(path: string, standardInput?: AsyncIterable<Buffer | string>): Promise<Input> {
  if (path !== "-") return openPath(path);
  const spooled = await spoolStandardInput(standardInput ?? process.stdin);
  try {
    const input = await openPath(spooled.path, "stdin");
    const close = async () => {
      await input.close();
      await spooled.remove();
    };
    let closed: Promise<void> | null = null;
    return { ...input, nameless: true, close: () => (closed ??= close()) };
  } catch (error) {
    await spooled.remove();
    throw error;
  }
}

async function openPath(path: string, name?: string): Promise<Input> {
  const [outer, inner] = await withinArchive(path);
  const file = await openFile(outer, name);
  try {
    const found = readable(recognise(await file.head(HEAD_BYTES), file.name), file.name);
    if (found === "text") return openCsv(csvFile(file, "none", () => file.chunks()));
    if (found !== "zip") {
      const packed = csvFile(file, found, () => unpacked(file, found));
      return await openPacked(packed, file.name.replace(/\.(gz|zst)$/i, ""));
    }
    const zip = await Zip.open(file);
    if (inner === null && isWorkbook(zip)) {
      // Loaded only for workbooks.
      const { openExcel } = await import("./excel/open-excel.js");
      return await openExcel(zip);
    }
    if (/\.xl\w{1,2}$/i.test(file.name))
      throw new RowferryError("file-refused", "the file is a zip archive, but no Excel workbook", {
        place: { file: file.name },
      });
    const members = membersOf(zip);
    const member = inner ?? members[0];
    if (member === undefined || (inner === null && members.length > 1)) throw ambiguous(file, members);
    const packed = csvFile(file, "zip", () => zip.read(member, "rows"));
    return await openPacked(inner === null ? packed : memberFile(packed, inner), member);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The path of the file on the disk, and of the file within it, where there is none of the whole name. */
async function withinArchive(path: string): Promise<[outer: string, inner: string | null]> {
  const end = path.toLowerCase().indexOf(".zip/");
  if (end === -1 || (await stat(path).catch(() => null)) !== null) return [path, null];
  return [path.slice(0, end + 4), path.slice(end + 5)];
}

function ambiguous(file: OpenedFile, members: readonly string[]): RowferryError {
  const shown = members.slice(0, 5).join(", ") + (members.length > 5 ? ", …" : "");
  const message = members.length === 0 ? "the archive is empty" : `the archive holds ${members.length} files: ${shown}`;
  return new RowferryError("archive-ambiguous", message, {
    place: { file: file.name },
    ...(members.length === 0 ? {} : { hint: `Name one as ${file.name}/${members[0]}.` }),
  });
}

function csvFile(file: OpenedFile, compression: CsvFile["compression"], chunks: () => AsyncIterable<Buffer>): CsvFile {
  const { name, contentHash, bytes } = file;
  const checkUnchanged = () => file.checkUnchanged();
  return { name, contentHash, bytes, compression, chunks, checkUnchanged, close: () => file.close() };
}

/** One of several files: what is known of the archive does not tell it from the others. */
function memberFile(file: CsvFile, inner: string): CsvFile {
  const contentHash = createHash("sha256").update(`${file.contentHash}/${inner}`).digest("hex");
  return { ...file, name: `${file.name}/${inner}`, contentHash };
}

/** @param inner the name of what is packed. */
async function openPacked(file: CsvFile, inner: string): Promise<Input> {
  const parts: Buffer[] = [];
  let total = 0;
  for await (const chunk of file.chunks()) {
    parts.push(chunk);
    total += chunk.length;
    if (total >= HEAD_BYTES) break;
  }
  if (readable(recognise(Buffer.concat(parts).subarray(0, HEAD_BYTES), inner), file.name) === "text")
    return openCsv(file);
  const message = `the archive holds another archive or a workbook (${inner}); unpack it first`;
  throw new RowferryError("file-refused", message, { place: { file: file.name } });
}

function readable(found: ReturnType<typeof recognise>, name: string): "text" | "gzip" | "zstd" | "zip" {
  if (found.kind !== "refused") return found.kind;
  throw new RowferryError(found.code, `the file is ${found.what}`, { place: { file: name } });
}
