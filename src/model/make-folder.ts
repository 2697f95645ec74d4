/** Folders that may have to be made, with those above them. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { RowferryError } from "./error.js";

/**
 * Readable by its owner only by default; an existing one keeps its mode. @returns the first folder that was made
 * @throws RowferryError `path-unusable` where the system makes none, as below /proc: there `recursive` never ends
 */
export function makeFolder(path: string, mode = 0o700): string | undefined {
  let first = resolve(path);
  while (!existsSync(dirname(first))) first = dirname(first);
  let made: string | undefined;
  try {
    mkdirSync(first, { mode });
    made = first;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT")
      throw new RowferryError("path-unusable", `${path} cannot be used: no folder can be made there`, { cause });
  }
  return [made, mkdirSync(path, { recursive: true, mode })].find((one) => one !== undefined);
}
