import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../../model/error.js";

/** A folder made silently would hide a mistyped path or an unmounted disk. @throws RowferryError `folder-missing` */
export function refuseMissingFolder(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder))
    throw new RowferryError("folder-missing", "There is no such folder, and rowferry does not make one.", {
      place: { file: folder },
    });
}
