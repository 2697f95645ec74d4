/** Opens a path as an `Input`. The bytes show what the file is; anything but CSV and Excel is refused by name. */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RowferryError } from "../model/error.js";
import { listed } from "../model/fold.js";
import { utf8Check } from "./csv/encoding.js";
import { type CsvFile, openCsv } from "./csv/open-csv.js";
import { faultOf, hashOf, headOf, openFile, refusal } from "./opened-file.js";
import { unpacked } from "./packed.js";
import { HEAD_BYTES, recognise } from "./recognise.js";
import type { Input } from "./table.js";
import { openZip, type Zip } from "./zip.js";

/**
 * Opens a path, a file within a zip file (`archive.zip/inner.csv`), or standard input (`-`). Standard input and packed
 * workbooks go to a temporary file, which `close` removes. @throws RowferryError `file-*`, `archive-ambiguous`.
 */
export async function openInput(path: string, standardInput?: AsyncIterable<Buffer | string>): Promise<Input> {
  if (path !== "-") return openPath(path);
  return { ...(await openSpooled(standardInput ?? process.stdin, "stdin", false)), nameless: true };
}

/** Files are read more than once, a stream is not. `packed`: it came out of an archive, so it may not be one. */
async function openSpooled(bytes: AsyncIterable<Buffer | string>, name: string, packed: boolean): Promise<Input> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, "spooled");
  try {
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 })).catch((cause: Error) => {
      if (cause instanceof RowferryError) throw cause;
      throw faultOf(name)("file-unreadable", `it could not be spooled to ${tmpdir()}: ${cause.message}`, { cause });
    });
    const input = await openPath(path, name, packed);
    return { ...input, close: () => input.close().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

const NESTED = "the archive holds another archive; unpack it first";

async function openPath(path: string, alias?: string, packed = false): Promise<Input> {
  const [outer, inner] = await withinArchive(path);
  const file = await openFile(outer, alias);
  const { fault } = file;
  try {
    const kind = await kindOf(file.chunks(), file.name);
    if (packed && (kind === "gzip" || kind === "zstd")) throw refusal(fault, NESTED);
    if (kind === "text") {
      const { see, isAll } = utf8Check();
      const contentHash = await file.hash(see);
      return openCsv({ ...file, compression: "none", contentHash, isUtf8: isAll() });
    }
    if (kind !== "zip") {
      const chunks = () => unpacked(file, kind);
      return await openPacked({ ...file, compression: kind, contentHash: await file.hash(), chunks });
    }
    const zip = await openZip(file);
    if (inner === null && zip.isWorkbook()) {
      const { openExcel } = await import("./excel/open-excel.js");
      return await openExcel(zip, await file.hash());
    }
    if (packed) throw refusal(fault, NESTED);
    if (/\.xl\w{1,2}$/i.test(file.name))
      throw fault("file-refused", "the file is a zip archive, but not an Excel workbook");
    const member = memberOf(zip, inner);
    const chunks = () => zip.read(member, "rows");
    const name = `${file.name}/${member}`;
    const contentHash = await hashOf(chunks());
    return await openPacked({ ...file, name, fault: faultOf(name), compression: "zip", contentHash, chunks });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Splits a path into the file on the disk and the file within it, if no file has the whole name. Folders may have such
 * names too. */
export async function withinArchive(path: string): Promise<[outer: string, inner: string | null]> {
  if ((await stat(path).catch(() => null)) !== null) return [path, null];
  for (const { index } of path.matchAll(/\.zip\//gi)) {
    const outer = path.slice(0, index + 4);
    if ((await stat(outer).catch(() => null))?.isFile()) return [outer, path.slice(index + 5)];
  }
  return [path, null];
}

function memberOf({ file, has, members }: Zip, named: string | null): string {
  const [first, ...others] = members();
  if (named !== null) {
    if (has(named)) return named;
    throw file.fault("file-missing", `the archive holds no ${named}; it holds ${listed(members(), 5) || "nothing"}`);
  }
  if (first === undefined) throw refusal(file.fault, "the archive is empty; create it again", "archive-ambiguous");
  if (others.length === 0) return first;
  throw file.fault("archive-ambiguous", `the archive holds ${others.length + 1} files: ${listed(members(), 5)}`);
}

/** Text is read while it is unpacked; a workbook's directory is at its end. */
async function openPacked(file: CsvFile): Promise<Input> {
  if ((await kindOf(file.chunks(), file.name)) === "text") return openCsv(file);
  const input = await openSpooled(file.chunks(), file.name, true);
  await file.checkUnchanged();
  await file.close();
  return input;
}

async function kindOf(chunks: AsyncIterable<Buffer>, name: string): Promise<"text" | "gzip" | "zstd" | "zip"> {
  const found = recognise(await headOf(chunks, HEAD_BYTES), name.split("/").at(-1) ?? name);
  if (found.kind !== "refused") return found.kind;
  throw refusal(faultOf(name), `the file is ${found.what}`, found.code);
}
