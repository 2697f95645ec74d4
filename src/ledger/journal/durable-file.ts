/**
 * Appends durably: bytes are counted, file and folder are synced, and a partial write is taken back, so that nothing
 * follows a tear.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../../model/error.js";
import { makeFolder } from "../../model/make-folder.js";

/** Makes missing folders; readable by its owner only, also if it was there. The caller makes sure that there is one writer. */
export function openDurableFile(path: string) {
  const made = makeFolder(dirname(path));
  const file = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    syncFolder(folder);
    if (made === undefined || folder === dirname(made)) break;
  }
  const { mode } = fstatSync(file);
  try {
    if ((mode & 0o077) !== 0) fchmodSync(file, mode & 0o700);
  } catch {
    // Some disks have no rights, and another user's file keeps its own; `doctor` reports it.
  }
  let torn: unknown = null;
  const cut = (size: number) => {
    ftruncateSync(file, size);
    fsyncSync(file);
  };
  return {
    /** In bytes. */
    size: () => fstatSync(file).size,
    /** Whole and durable when it returns; otherwise the file is unchanged. @throws the system's error */
    append(text: string | Uint8Array) {
      if (torn !== null) throw torn;
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      const before = fstatSync(file).size;
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
        fsyncSync(file);
      } catch (error) {
        torn = error;
        cut(before);
        torn = null;
        throw error;
      }
    },
    /** Truncates the file. */
    cut,
    close: () => closeSync(file),
  };
}

/** Fewer bytes than `length` at the file's end. */
export function readAt(path: string, from: number, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, from));
  } finally {
    closeSync(file);
  }
}

/** Makes the names of new and renamed files durable. */
export function syncFolder(folder: string): void {
  // Windows cannot open folders, and makes names durable itself.
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A folder made silently would hide a mistyped path or an unmounted disk. @throws RowferryError `folder-missing` */
export function refuseMissingFolder(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder))
    throw new RowferryError("folder-missing", "The folder does not exist, and rowferry does not create it.", {
      place: { file: folder },
    });
}
