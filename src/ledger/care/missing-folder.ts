import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../../model/error.js";

/**
 * For files that a person wants elsewhere: a folder made in silence would hide a mistyped path, or a disk that is not
 * mounted. @throws RowferryError `folder-missing`
 */
export function refuseMissingFolder(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder))
    throw new RowferryError("folder-missing", "There is no such folder, and none is made.", {
      place: { file: folder },
    });
}
