/** A file opened once: its bytes, its hash, its errors, and whether it changed while it was read. */
import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Code } from "../model/codes.js";
import { RowferryError } from "../model/error.js";

const CHUNK_BYTES = 256 * 1024;
/** Also read behind the end, to notice a file that grows. */
const FEWEST_BYTES = 1024;

export type OpenedFile = Awaited<ReturnType<typeof openFile>>;

/** `name`: for messages. @throws RowferryError `file-missing`. */
export async function openFile(path: string, name: string = basename(path)) {
  const missing = (cause: NodeJS.ErrnoException): never => {
    throw faultOf(path)("file-missing", openingFailure(cause, path), { cause });
  };
  // Checked first, because opening a named pipe without a writer blocks.
  const found = await stat(path).catch(missing);
  if (found.isDirectory()) throw faultOf(path)("file-missing", "this is a folder, not a file");
  if (!found.isFile()) throw faultOf(path)("file-missing", "this is not a regular file; use - for standard input");
  const handle = await open(path, "r").catch(missing);
  const opened = await handle.stat({ bigint: true });
  const bytes = Number(opened.size);
  const fault = faultOf(name);
  let position = 0;
  let closed: Promise<void> | null = null;

  /**
   * From `start` to before `end`. Not a stream, which would close the handle when destroyed; a file is read more than
   * once. @throws RowferryError `file-unreadable`.
   */
  async function* chunks(start = 0, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const left = Math.max(Math.min(bytes, end) - at, FEWEST_BYTES);
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left, end - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at).catch((cause: Error) => {
        throw fault("file-unreadable", `reading failed: ${cause.message}`, { cause });
      });
      if (bytesRead === 0) return;
      at += bytesRead;
      position = at;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** @throws RowferryError `file-changed`. */
  async function checkUnchanged(): Promise<void> {
    const now = await handle.stat({ bigint: true });
    if (now.size !== opened.size || now.mtimeNs !== opened.mtimeNs)
      throw fault("file-changed", "the file changed while it was read");
  }

  return {
    name,
    bytes,
    descriptor: handle.fd,
    /** Another one where the file has changed. */
    version: [opened.dev, opened.ino, opened.size, opened.mtimeNs, opened.ctimeNs].join(" "),
    fault,
    async hash(see?: (chunk: Buffer) => void) {
      const hash = await hashOf(chunks(), see);
      await checkUnchanged();
      return hash;
    },
    chunks,
    /** How far `chunks` has come. */
    position: () => position,
    checkUnchanged,
    /** Safe to call twice. */
    close: () => (closed ??= handle.close()),
  };
}

/** SHA-256 in hex; `see` gets the bytes too. */
export async function hashOf(chunks: AsyncIterable<Buffer>, see?: (chunk: Buffer) => void): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) {
    hash.update(chunk);
    see?.(chunk);
  }
  return hash.digest("hex");
}

/** At most so many bytes of the beginning. */
export async function headOf(chunks: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= most) break;
  }
  return Buffer.concat(parts).subarray(0, most);
}

export interface FaultDetails {
  sheet?: string;
  row?: number | undefined;
  /** Default: the code's own remedy. */
  hint?: string | undefined;
  cause?: unknown;
}

export type FaultOf = ReturnType<typeof faultOf>;

/** Makes the errors of a file. */
export function faultOf(file: string) {
  return (code: Code, message: string, { hint, cause, ...place }: FaultDetails = {}): RowferryError =>
    new RowferryError(code, message, { place: { file, ...place }, hint, cause });
}

/** `what`: what the file is and, after a semicolon, what to do if that differs from the code's own remedy. */
export function refusal(fault: FaultOf, what: string, code: Code = "file-refused"): RowferryError {
  const [is = "", remedy] = what.split("; ");
  return fault(code, is, { hint: remedy && `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.` });
}

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A byte that is not UTF-8 reaches us as U+FFFD, and such a name opens nothing. */
export const missingFile = (path: string): string =>
  path.includes("\uFFFD") ? "its name is not UTF-8, so it cannot be opened; rename it" : "there is no such file";

function openingFailure(cause: NodeJS.ErrnoException, path: string): string {
  if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return missingFile(path);
  if (cause.code === "EACCES" || cause.code === "EPERM") return "you do not have permission to read the file";
  return `the file cannot be opened (${cause.code ?? cause.message})`;
}
