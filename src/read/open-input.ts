/** From a path to an `Input`: what the file is, is told from its bytes; what is neither CSV nor Excel is refused by name. */
import { RowferryError } from "../model/error.js";
import { type CsvFile, openCsv } from "./csv/open-csv.js";
import { gunzipped, unzipped } from "./csv/unpack.js";
import { type OpenedFile, openFile } from "./opened-file.js";
import { HEAD_BYTES, recognise } from "./recognise.js";
import { spoolStandardInput } from "./spool.js";
import type { Input } from "./table.js";
import { zipContents } from "./zip-contents.js";

/**
 * Opens a path, or standard input (`-`, spooled to a temporary file that `close` removes).
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
  const file = await openFile(path, name);
  try {
    const head = await file.head(HEAD_BYTES);
    const found = refuseUnreadable(recognise(head, file.name), file.name);
    if (found === "text") return openCsv(csvFile(file, "none", () => file.chunks()));
    if (found === "gzip")
      return await openPacked(
        csvFile(file, "gzip", () => gunzipped(file)),
        file.name.replace(/\.gz$/i, ""),
      );
    const contents = await zipContents(file);
    if (contents.kind === "workbook") return await openWorkbook(file);
    const { zip, entry } = contents;
    return await openPacked(
      csvFile(file, "zip", () => unzipped(file, zip, entry)),
      entry.fileName.split("/").at(-1) ?? "",
    );
  } catch (error) {
    await file.close();
    throw error;
  }
}

function csvFile(file: OpenedFile, compression: CsvFile["compression"], chunks: () => AsyncIterable<Buffer>): CsvFile {
  const { name, contentHash, bytes } = file;
  return {
    name,
    contentHash,
    bytes,
    compression,
    chunks,
    checkUnchanged: () => file.checkUnchanged(),
    close: () => file.close(),
  };
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
  const found = refuseUnreadable(recognise(Buffer.concat(parts).subarray(0, HEAD_BYTES), inner), file.name);
  if (found !== "text") {
    const message = `the archive holds another archive or a workbook (${inner}); unpack it first`;
    throw new RowferryError("file-refused", message, { place: { file: file.name } });
  }
  return openCsv(file);
}

function refuseUnreadable(found: ReturnType<typeof recognise>, name: string): "text" | "gzip" | "zip" {
  if (found.kind !== "refused") return found.kind;
  throw new RowferryError(found.code, `the file is ${found.what}`, { place: { file: name } });
}

/** The Excel reader opens the path by itself; it is loaded only for workbooks. */
async function openWorkbook(file: OpenedFile): Promise<Input> {
  const { openExcel } = await import("./excel/open-excel.js");
  const { path, name, contentHash, bytes } = file;
  const input = await openExcel({ path, name, contentHash, bytes });
  await file.close();
  return input;
}
