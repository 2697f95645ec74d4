/** Writes a requested file without overwriting a person's. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../model/error.js";

/** @throws RowferryError `file-exists` unless `force`. Errors of the disk pass through. */
export function writeNewFile(path: string, text: string, options: { force: boolean; shown: string }): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, text, { flag: options.force ? "w" : "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw fileExists(options.shown, error);
  }
}

export function fileExists(file: string, cause?: unknown): RowferryError {
  return new RowferryError("file-exists", "the file exists, and is left as it is", { place: { file }, cause });
}
