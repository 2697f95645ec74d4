/** Writes a requested file without overwriting a person's. */
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../model/error.js";
import { makeFolder } from "../model/make-folder.js";

/** @throws RowferryError `file-exists` unless `force`. Errors of the disk pass through. */
export function writeNewFile(path: string, text: string, options: { force: boolean; shown: string }): void {
  makeFolder(dirname(path), 0o777);
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
