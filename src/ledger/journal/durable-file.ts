/**
 * Appending so that what has returned is on the disk: bytes are counted, file and folder are synced, and what could not be
 * written whole is taken back, so that nothing ever stands behind a tear.
 */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export interface DurableFile {
  /** Bytes, as it is now. */
  size(): number;
  /** Whole and durable when it returns; else the file is as it was. @throws the system's error */
  append(text: string | Uint8Array): void;
  /** Takes away what stands behind so many bytes. */
  cut(size: number): void;
  close(): void;
}

/** Makes file and folders where they are not there, readable by their owner only. One writer at a time, the caller sees to that. */
export function openDurableFile(path: string): DurableFile {
  const made = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o600);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    syncFolder(folder);
    if (made === undefined || folder === dirname(made)) break;
  }
  let torn: unknown = null;
  const cut = (size: number): void => {
    ftruncateSync(file, size);
    fsyncSync(file);
  };
  return {
    size: () => fstatSync(file).size,
    append(text) {
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
    cut,
    close: () => closeSync(file),
  };
}

/** Names in it are durable when it returns: of files that were made or renamed there. */
export function syncFolder(folder: string): void {
  // Windows opens no folders, and keeps their names by itself.
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
